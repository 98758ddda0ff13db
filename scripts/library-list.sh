#!/bin/sh
# Lists what the table of library functions has to classify, for the C library and the compiler of this machine:
#
#   library-list.sh libc       every function that the headers of libc6-dev declare (C11, POSIX, GNU), and the checked
#                              forms that they declare with _FORTIFY_SOURCE, one in a line: name, number of parameters
#                              (with a + if more may follow), kind of the result (v nothing, i integer, p pointer, f real
#                              number, s record, complex or unknown)
#   library-list.sh builtins   every __builtin_ name that the compiler knows, one in a line
#
# The first line names the version. The lists are kept in crates/cfa/src/library (libc.txt, builtins.txt).
set -eu
export LC_ALL=C

list_libc() {
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    echo "# libc6-dev $(dpkg-query -W -f '${Version}' libc6-dev)"
    headers=$(dpkg -L libc6-dev | sed -n "s|^/usr/include/||p" | sed -n "s|^x86_64-linux-gnu/||; /\.h\$/p" | sort -u)
    : > "$scratch/all"
    # A header that does not compile alone is one that the others include.
    for header in $headers; do
        printf '#define _GNU_SOURCE\n#include <stddef.h>\n#include <stdio.h>\n#include <sys/types.h>\n#include <%s>\n' "$header" > "$scratch/one.c"
        if cc -w -std=gnu11 -O2 -D_FORTIFY_SOURCE=2 -fsyntax-only -aux-info "$scratch/one" "$scratch/one.c" 2> /dev/null; then
            cat "$scratch/one" >> "$scratch/all"
        fi
    done
    sed -n 's,^/\* /usr/include/[^ ]* \*/ ,,p' "$scratch/all" | sort -u | awk '
        {
            line = $0
            sub(/;.*$/, "", line)
            sub(/^(extern|static) /, "", line)
            at = index(line, " (")
            if (at == 0) next
            head = substr(line, 1, at - 1)
            parameters = substr(line, at + 2)
            name = head
            sub(/^.*[ *]/, "", name)
            if (name !~ /^[A-Za-z_][A-Za-z0-9_]*$/ || name ~ /^__builtin_/) next
            result = substr(head, 1, length(head) - length(name))
            depth = 1; count = 1; end = 0
            for (i = 1; i <= length(parameters); i++) {
                c = substr(parameters, i, 1)
                if (c == "(") depth++
                if (c == ")" && --depth == 0) { end = i; break }
                if (c == "," && depth == 1) count++
            }
            text = substr(parameters, 1, end - 1)
            if (text == "void" || text == "") count = 0
            more = ""
            if (text ~ /\.\.\.$/) { count--; more = "+" }
            if (result ~ /\*/ || result ~ /(sighandler_t|locale_t|iconv_t|timer_t|nl_catd|sig_t|comparison_fn_t) *$/) kind = "p"
            else if (result ~ /[Cc]omplex|struct |union |div_t|fsid_t|_t_struct/) kind = "s"
            else if (result ~ /double|float|_Float/) kind = "f"
            else if (result ~ /^(const |volatile |_Noreturn )*void *$/) kind = "v"
            else kind = "i"
            print name, count more, kind
        }' | sort -u
}

list_builtins() {
    echo "# gcc $(cc -dumpfullversion)"
    strings -a "$(cc -print-prog-name=cc1)" | grep -E '^__builtin_[A-Za-z0-9_]+$' | sort -u
}

case ${1:-} in
libc) list_libc ;;
builtins) list_builtins ;;
*) echo "usage: library-list.sh libc | builtins" >&2; exit 2 ;;
esac
