# For other scripts, to be sourced: runs a program from outside in an empty directory, without a network, with limits on time, memory,
# processes and files, with nothing to read, and ends all of it. The same as src/sandbox.rs of the crate tandem.
#
# usage: sandboxed SECONDS COMMAND...
# The exit status is that of the command, 128 and the signal if one ended it, 124 (or 137) if its time was over.

# The words that come before a confined command on this machine, found out once.
sandbox_prefix() {
    if [ -n "${SANDBOX_PREFIX+set}" ]; then return; fi
    local user="" names="unshare -r -n -p -f --kill-child"
    if [ "$(id -u)" -eq 0 ]; then user="setpriv --reuid=65534 --regid=65534 --clear-groups"; fi
    for SANDBOX_PREFIX in "$user $names" "$names" "$user"; do
        # shellcheck disable=SC2086
        if (cd /tmp && $SANDBOX_PREFIX true) >/dev/null 2>&1; then
            case $SANDBOX_PREFIX in
            *unshare*) ;;
            *) echo "sandbox: there are no user namespaces here: the network is not taken away from programs" >&2 ;;
            esac
            export SANDBOX_PREFIX
            return
        fi
    done
    echo "sandbox: there are no user namespaces here: the network is not taken away from programs" >&2
    export SANDBOX_PREFIX=""
}

sandboxed() {
    local seconds=$1 directory status=0
    shift
    sandbox_prefix
    directory=$(mktemp -d)
    chmod 777 "$directory"
    # A shell of its own: its message about an abort is no news.
    # shellcheck disable=SC2016,SC2086
    (
        cd "$directory" && exec timeout -k 1 "$seconds" $SANDBOX_PREFIX env -i "PATH=$PATH" sh -c '
            ulimit -c 0; ulimit -t '"$((seconds + 1))"'; ulimit -v 2097152; ulimit -f 131072
            ulimit -p 64 2>/dev/null || ulimit -u 64 2>/dev/null
            "$@"; exit $?' sh "$@" </dev/null
    ) 2>/dev/null || status=$?
    rm -rf "$directory"
    return "$status"
}
