#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# What is installed for Windows is complete: the program runs from a folder that was moved, in a Windows
# that knows nothing else, and programs are built against the import library and the static library by
# what pkg-config says.
#   package.sh <source folder> <build folder>
set -eu
. "$(dirname -- "$0")/tools.sh"
[ -e "$build/bin/vmaf.exe" ] || skip "windows-platform has not built vmaf.exe"
work=$(mktemp -d)
# The Windows of this test ends with it, and leaves nothing running.
trap 'wineserver -k >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
want_wine "$work/wine"
stage="$work/a stage 漢"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
for component in core cli dev; do
    cmake --install "$build" --prefix "$stage" --component $component >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; fail "component $component does not install"; }
done
for file in bin/vmaf.exe bin/libvmaf-3.dll libexec/libvmaf/backend-probe1.exe include/libvmaf/libvmaf.h \
    lib/libvmaf.dll.a lib/libvmaf-3.def lib/libvmaf.a lib/pkgconfig/libvmaf.pc; do
    [ -s "$stage/$file" ] || fail "$file is not installed"
done
mv "$stage" "$work/moved 漢"
stage="$work/moved 漢"

version=$(sed -n 's/^#define VMAF_API_VERSION_[A-Z]* //p' "$source/include/libvmaf/version.h" | paste -sd.)
cd "$work"
"$wine" "$stage/bin/vmaf.exe" --version >said 2>&1 || { cat said >&2; fail "vmaf.exe does not run"; }
grep -q "$version" said || { cat said >&2; fail "vmaf.exe has another version"; }
"$wine" "$stage/bin/vmaf.exe" --capabilities >capabilities.json || fail "vmaf.exe finds no parts"
mkdir alone
cp "$stage/bin/vmaf.exe" alone/
"$wine" alone/vmaf.exe --version >said 2>&1 || { cat said >&2; fail "vmaf.exe needs other files"; }

# A program in the manner of FFmpeg's filter. The root has what the static library needs.
export PKG_CONFIG_LIBDIR="$work/lib/pkgconfig"
mv "$stage" "$work/sdk" # pkg-config cannot say names with blanks
mkdir "$work/lib"
ln -s "$work/sdk/lib/pkgconfig" "$work/lib/pkgconfig"
PKG_CONFIG_LIBDIR="$work/sdk/lib/pkgconfig"
consumer=$source/tests/api/installed/ffmpeg_style.c
cc=x86_64-w64-mingw32-gcc-win32
mkdir shared static
# shellcheck disable=SC2046 # lists of flags
$cc -std=c99 -Wall -Wextra ${VMAF_STRICT:+-Werror} $(pkg-config --cflags libvmaf) "$consumer" -o shared/consumer.exe \
    $(pkg-config --libs libvmaf) || fail "nothing links with the import library"
x86_64-w64-mingw32-objdump -p shared/consumer.exe | grep -q 'DLL Name: libvmaf-3\.dll' ||
    fail "the program is not linked with libvmaf-3.dll"
cp sdk/bin/libvmaf-3.dll shared/
mkdir hidden
mv sdk/lib/libvmaf.dll.a hidden/
# shellcheck disable=SC2046
$cc -std=c99 $(pkg-config --cflags libvmaf) "$consumer" -o static/consumer.exe \
    $(pkg-config --static --libs libvmaf) "-L$root/lib" || fail "nothing links with the static library"
x86_64-w64-mingw32-objdump -p static/consumer.exe | grep -q 'DLL Name: libvmaf' &&
    fail "the program is not linked statically"
for kind in shared static; do
    (cd $kind && "$wine" consumer.exe report.xml) || fail "the $kind program fails"
    grep -q '<VMAF version=' $kind/report.xml || fail "the $kind program wrote no report"
done
sed 's/ version="[^"]*"//; s/fps="[^"]*"//' shared/report.xml >shared.xml
sed 's/ version="[^"]*"//; s/fps="[^"]*"//' static/report.xml >static.xml
cmp shared.xml static.xml || fail "the two programs have other scores"
echo "the programs run"
