#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Every public header stands alone, as C99, C11 and C++11, in both include styles.
#   headers.sh <include folder> <C compiler> [<C++ compiler>]
set -u
include=$1
cc=$2
cxx=${3:-}
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Wstrict-prototypes ${VMAF_STRICT:+-Werror}"
failures=0

compile() { # language, standard, compiler, flags..., and the source on standard input
    language=$1 standard=$2 compiler=$3
    shift 3
    if [ "$language" = c++ ]; then
        set -- $(printf '%s\n' "$@" | grep -v -e -Wstrict-prototypes)
    fi
    "$compiler" -x "$language" "-std=$standard" "$@" -
}

check() { # header as it is included, flags...
    name=$1
    shift
    for variant in "c c99 $cc" "c c11 $cc" "c++ c++11 $cxx"; do
        set -- "$@"
        language=${variant%% *}
        rest=${variant#* }
        standard=${rest%% *}
        compiler=${rest#* }
        [ -n "$compiler" ] || continue
        # Twice, so that the include guard is tried as well.
        if ! printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' \
                "$name" "$name" | compile "$language" "$standard" "$compiler" $flags "$@"; then
            echo "$name does not compile as $standard with $*" >&2
            failures=$((failures + 1))
        fi
    done
}

count=0
for path in "$include"/libvmaf/*.h; do
    header=${path##*/}
    check "libvmaf/$header" "-I$include"
    check "$header" "-I$include" "-I$include/libvmaf"
    count=$((count + 1))
done
[ "$count" -ge 6 ] || { echo "only $count headers found in $include" >&2; exit 1; }
[ "$failures" -eq 0 ] || exit 1
echo "$count headers compile alone"
[ -n "$cxx" ] || echo "no C++ compiler: not tried as C++"
