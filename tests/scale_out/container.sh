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

# The commands, where nothing is installed, built or removed: programs note how they are called.
mkdir -p "$folder/bin" "$folder/tree/build/package/packages" "$folder/packages"
ln -s "$source/scripts" "$folder/tree/scripts"
for name in apt-get cmake cpack rm vmaf pkg-config; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n' $name "$folder" >"$folder/bin/$name"
    chmod +x "$folder/bin/$name"
done
printf '#!/bin/sh\nexit 1\n' >"$folder/bin/pkg-config" # so that libraries are missing
printf '#!/bin/sh\necho 0\n' >"$folder/bin/id"
chmod +x "$folder/bin/id"
run_all() { # backend
    : >"$folder/calls"
    grep '^RUN ' "$folder/instructions" | sed "s/^RUN //; s/^--mount=[^ ]* //
        s,/tmp/,$folder/,g; s, /packages/, $folder/packages/,g" >"$folder/steps"
    while read -r step; do
        (cd "$folder/tree" && BACKEND=$1 PATH=$folder/bin:$PATH sh -euc "$step") >"$folder/out" 2>&1 </dev/null ||
            fail "with the backend \"$1\" this fails: $step: $(cat "$folder/out")"
    done <"$folder/steps"
}
called() { # words of a call, in that order
    grep -q "$1" "$folder/calls" || fail "with the backend \"$backend\" there is no call: $1"
}
for backend in vulkan cuda hip sycl ''; do
    rm -f "$folder"/packages/*
    for package in libvmaf3 vmaf vmaf-media-ffmpeg ${backend:+libvmaf3-backend-$backend}; do
        touch "$folder/packages/${package}_1_all.deb"
    done
    run_all "$backend"
    called 'apt-get .*install .*libjansson-dev'
    called 'apt-get .*install .*libavcodec-dev'
    called 'apt-get .*install .*dpkg-dev'
    case $backend in
    vulkan) called 'apt-get .*install .*libvulkan-dev' ;;
    cuda | hip | sycl) [ -z "$(. "$source/scripts/packages.sh" && missing_kernel_packages)" ] || called 'apt-get .*clang' ;;
    esac
    called "cmake --preset package .*-DVMAF_BACKENDS=$backend "
    called 'cmake --build --preset package'
    called 'cpack --preset deb'
    called 'apt-get .*install .*--no-install-recommends .*libvmaf3_1_all.deb .*vmaf-media-ffmpeg_1_all.deb .*vmaf_1_all.deb$'
    [ -z "$backend" ] || called "apt-get .*install --yes [^ ]*backend-${backend}_1_all.deb$"
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
