#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, if they are missing. Needs root or sudo only then.
set -euo pipefail

packages=(gcc g++ libz3-dev pkg-config libc6-dev gcc-multilib csmith libcsmith-dev)

if ! command -v cargo >/dev/null; then
    echo "setup: cargo is missing: install Rust 1.88 or later, see https://rustup.rs" >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        missing+=("$package")
    fi
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
        echo "setup: these Debian packages are missing; install them as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo -n)
fi
export DEBIAN_FRONTEND=noninteractive
install() { "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; }
if ! install 2>/dev/null; then
    if ! { "${as_root[@]}" apt-get update -qq && install; } >&2; then
        echo "setup: these Debian packages could not be installed: ${missing[*]}" >&2
        exit 1
    fi
fi
