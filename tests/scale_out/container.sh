#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# packaging/Containerfile, as far as that can be checked without a daemon that builds containers: its instructions, what
# they copy and where from, the shell text in it, and that the names of packages and presets in it are those of the tree.
#   container.sh <source folder> <cmake>
# shellcheck disable=SC2013 # names have no spaces
set -u
source=$1
cmake=$2
file=$source/packaging/Containerfile
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "container.sh: $*" >&2
    failures=$((failures + 1))
}
# One instruction a line: comments out, continued lines joined.
sed '/^#/d; /^$/d' "$file" | sed -e :a -e '/\\$/N; s/\\\n/ /; ta' >"$folder/instructions"
[ "$(wc -l <"$folder/instructions")" -ge 10 ] || fail "only $(wc -l <"$folder/instructions") instructions were found"
stages=' '
first=
while read -r instruction rest; do
    [ -n "$first" ] || case $instruction in
    ARG) ;;
    FROM) first=yes ;;
    *) fail "$instruction stands before FROM" ;;
    esac
    case $instruction in
    FROM)
        # shellcheck disable=SC2016 # text of the file
        case $rest in
        '${DEBIAN}'*) ;;
        *) fail "another base: $rest" ;;
        esac
        case $rest in
        *' AS '*) stages="$stages${rest##* } " ;;
        esac
        ;;
    COPY)
        case $rest in
        '. /libvmaf') ;;
        *) fail "COPY $rest" ;;
        esac
        ;;
    RUN)
        case $rest in
        --mount=type=bind,*)
            from=${rest#*from=}
            case $stages in
            *" ${from%%,*} "*) ;;
            *) fail "there is no stage ${from%%,*}" ;;
            esac
            rest=${rest#* }
            ;;
        esac
        printf '%s\n' "$rest" >"$folder/run.sh"
        sh -n "$folder/run.sh" || fail "no shell text: $rest"
        if command -v shellcheck >/dev/null; then
            # Variables come from ARG, functions from packages.sh; names of packages have no spaces.
            shellcheck --shell=sh --exclude=SC2154,SC2034,SC2046,SC2010,SC1091 "$folder/run.sh" ||
                fail "shellcheck complains of: $rest"
        fi
        ;;
    ARG | ENV | USER | WORKDIR) [ -n "$rest" ] || fail "$instruction says nothing" ;;
    ENTRYPOINT) [ "$rest" = '["vmaf"]' ] || fail "the entry point is $rest" ;;
    *) fail "unknown instruction $instruction" ;;
    esac
done <"$folder/instructions"
[ "$first$stages" = 'yes build ' ] || fail "stages are$stages"
tail -n 1 "$folder/instructions" | grep -q '^ENTRYPOINT' || fail "the entry point is not the last line"
grep -q '^USER [1-9]' "$folder/instructions" || fail "it runs as root"

# What it calls is there.
for name in $(grep -o -w -e 'need_packages' -e 'want_packages' -e 'install_packages' -e 'missing_[a-z_]*' "$file" | sort -u); do
    grep -q "^$name()" "$source/scripts/packages.sh" || fail "scripts/packages.sh has no $name"
done
"$cmake" -S "$source" --list-presets=all >"$folder/presets" 2>&1 || fail "presets: $(cat "$folder/presets")"
for preset in $(grep -o -e '--preset [a-z]*' "$file" | sed 's/.* //'); do
    grep -q "\"$preset\"" "$folder/presets" || fail "there is no preset $preset"
done
for option in $(grep -o -e '-DVMAF_[A-Z_]*' "$file" | sed 's/-D//'); do
    grep -qF "\`$option\`" "$source/docs/packagers.md" "$source/docs/building.md" || fail "unknown option $option"
done
# A folder of builds would be copied, and is some gigabytes.
for name in .git 'build*'; do
    grep -qxF "$name" "$source/.dockerignore" || fail ".dockerignore lets $name in"
done
[ $failures -eq 0 ] && echo "all is well"
exit $((failures > 0))
