#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, if they are missing. Needs root or sudo only then.
#
# With --tools also the programs that plans can use (AFL++, clang with libFuzzer, Frama-C). They are large, and nothing fails
# without them: tests that need them say so and pass. With --outside what scripts/check-outside.sh needs (a browser, lcov, clang-tidy, npm).
set -euo pipefail

packages=(gcc g++ libz3-dev pkg-config libc6-dev gcc-multilib csmith libcsmith-dev jq)

# Wanted by some tests, which say so and pass without.
wanted=(nats-server openssl)

tools=(afl++ clang libclang-rt-dev frama-c-base)

outside=(chromium lcov clang-tidy zip npm python3-venv cmake)

if ! command -v cargo >/dev/null; then
    echo "setup: cargo is missing: install Rust 1.88 or later, see https://rustup.rs" >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive

# Those of the packages that are not there.
absent() {
    local package
    for package in "$@"; do
        if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
            echo "$package"
        fi
    done
}

# Installs packages, from what apt knows already or else from what it learns.
install() {
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
            echo "setup: these Debian packages are missing; install them as root: apt-get install $*" >&2
            return 1
        fi
        as_root=(sudo -n)
    fi
    get() { "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }
    if ! get "$@" 2>/dev/null; then
        if ! { "${as_root[@]}" apt-get update -qq && get "$@"; } >&2; then
            echo "setup: these Debian packages could not be installed: $*" >&2
            return 1
        fi
    fi
}

mapfile -t missing < <(absent "${packages[@]}")
if [ ${#missing[@]} -gt 0 ]; then
    install "${missing[@]}"
fi

case "${1:-}" in
    --tools) wanted+=("${tools[@]}") ;;
    --outside) wanted+=("${outside[@]}") ;;
esac
# One by one: what a distribution does not have must not keep the others away.
for package in $(absent "${wanted[@]}"); do
    install "$package" || echo "setup: going on without $package" >&2
done
