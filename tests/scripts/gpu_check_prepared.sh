#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# A folder of gpu-check.sh --prepare, moved elsewhere and run without the tree, the build, Jansson,
# libltdl, cmocka, Vulkan's loader or anything in the environment.
#   gpu_check_prepared.sh <source folder> <static build, kept> <driver of a Vulkan software device>
set -u
source=$1
static=$2
driver=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "gpu_check_prepared.sh: $*" >&2
    grep -v '^[{|]' "$folder/out" | tail -n 40 | cut -c 1-200 >&2
    exit 1
}
skip() {
    echo "skipped: $*"
    exit 77
}
[ -n "$driver" ] || skip "there is no software device"
for tool in objdump strip cmake; do
    command -v $tool >/dev/null || skip "there is no $tool"
done
for library in jansson ltdl; do
    echo "int main(void) { return 0; }" |
        cc -x c - -o "$folder/try" -Wl,-Bstatic -l$library -Wl,-Bdynamic 2>/dev/null ||
        skip "there is no static library of $library"
done

# Code for one chip is enough here; the build keeps what its cache says.
[ -e "$static/CMakeCache.txt" ] || {
    mkdir -p "$static"
    echo 'VMAF_HIP_ARCHITECTURES:STRING=gfx1030' >"$static/CMakeCache.txt"
}
mkdir "$folder/made"
touch "$folder/made/something"
sh "$source/scripts/gpu-check.sh" --build "$static" --prepare "$folder/made" >"$folder/out" 2>&1 &&
    fail "a folder that is not empty is filled"
rm "$folder/made/something"
sh "$source/scripts/gpu-check.sh" --build "$static" --prepare "$folder/made" >"$folder/out" 2>&1 ||
    fail "the folder cannot be made"
mv "$folder/made" "$folder/moved here"
moved="$folder/moved here"

# What is linked, and what knows where it was built.
find "$moved/bin" "$moved/lib" "$moved/libexec" "$moved/tests" -type f >"$folder/files"
[ "$(wc -l <"$folder/files")" -ge 6 ] || fail "there are only $(wc -l <"$folder/files") files"
while read -r file; do
    for library in $(objdump -p "$file" 2>/dev/null | sed -n 's/^ *NEEDED *//p'); do
        case $library in
        libc.so.* | libm.so.* | libgcc_s.so.* | ld-linux* | libcuda.so.1) continue ;;
        esac
        [ -e "$moved/loaders/$library" ] || [ -e "$moved/tests/lib/$library" ] || fail "$file needs $library"
    done
    case $file in
    "$moved"/tests/*) continue ;; # their messages name files
    esac
    for path in "$static" "$source"; do
        ! grep -qaF "$path" "$file" || fail "$file contains $path"
    done
done <"$folder/files"
[ -x "$moved/tests/test_layer" ] || fail "there are no tests of kernels"
[ -s "$moved/kernel_tests" ] || fail "the tests of kernels are not listed"
! cut -d ' ' -f 2 "$moved/kernel_tests" | while read -r program; do
    [ -x "$moved/tests/$program" ] || echo "$program"
done | grep . || fail "programs are missing"

# One test of kernels is enough here.
grep '^dialect_vulkan ' "$moved/kernel_tests" >"$folder/one" || fail "dialect_vulkan is not listed"
cp "$folder/one" "$moved/kernel_tests"

# Where namespaces allow it, the tree, the build and those libraries are hidden.
cat >"$folder/bare.sh" <<'END'
# how: try, run, beside; a folder, source, build, script, driver, minutes
set -eu
libraries=$(ldconfig -p | sed -n 's,.*libjansson\.so.* => \(/.*\)/[^/]*,\1,p' | head -n 1)
libraries=$(readlink -f "$libraries")
hide() {
    mkdir "$1/hidden" && mount -t tmpfs none "$1/hidden" &&
        mkdir "$1/hidden/upper" "$1/hidden/work" "$1/hidden/empty" &&
        mount -t overlay none \
            -o "lowerdir=$libraries,upperdir=$1/hidden/upper,workdir=$1/hidden/work" "$libraries" &&
        touch "$1/hidden/upper/marker" && [ -e "$libraries/marker" ] || return 1
    for library in jansson ltdl cmocka vulkan; do
        rm -f "$libraries/lib$library.so"*
    done
    mount --bind "$1/hidden/empty" "$3" && mount --bind "$1/hidden/empty" "$2"
}
[ "$1" = beside ] || hide "$(mktemp -d "$2/XXXXXX")" "$3" "$4"
[ "$1" != try ] || exit 0
cd /
exec env -i PATH=/usr/bin:/bin VK_ICD_FILENAMES="$6" "$5" --report "$2/report.json" --software --feature psnr --size 64x48 --frames 4 --minutes "$7"
END
if unshare -rm sh "$folder/bare.sh" try "$folder" "$source" "$static" 2>"$folder/out"; then
    how=run
    bare="unshare -rm"
else
    how=beside
    bare=
    echo "the system is not hidden: $(tail -n 1 "$folder/out")"
fi

# All but how it is hidden; a busy machine may need more time.
complete() {
    grep -q '^passed .*vulkan, self-test, 8 bits' "$folder/out" &&
        grep -q '^equal .*vulkan, features, 64x48, 8 bits, 420' "$folder/out" &&
        grep -q '"row":"speed","backend":"vulkan"' "$folder/out" &&
        grep -q '^passed .*vulkan, dialect_vulkan' "$folder/out"
}
for minutes in 1 5 20; do
    # shellcheck disable=SC2086 # several words, or none
    $bare sh "$folder/bare.sh" $how "$folder" "$source" "$static" "$moved/gpu-check.sh" "$driver" $minutes \
        >"$folder/out" 2>&1
    status=$?
    [ $status -ne 1 ] || fail "something differs"
    ! complete || break
done
[ $status -eq 0 ] || fail "status $status"
complete || fail "not everything was tried"
if [ $how = run ]; then
    grep -q '^using libvulkan.so.1 of the folder' "$folder/out" || fail "another loader was used"
fi
grep -q '"status":0,' "$folder/report.json" || fail "there is no report"
[ -z "$(find "$moved" -newer "$folder/bare.sh" ! -type d)" ] || fail "the run has left files in the folder"
echo "all is well"
