#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The library for Windows exports the functions of the headers and nothing else, whatever the build has
# made needs nothing that Windows does not bring, and may be loaded at any address.
#   exports.sh <source folder> <build folder>
set -eu
. "$(dirname -- "$0")/tools.sh"
library=$build/bin/libvmaf-3.dll
[ -e "$library" ] || skip "windows-platform has not built libvmaf-3.dll"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C
failures=0
complain() {
    echo "FAILED: $*" >&2
    failures=1
}
headers() {
    x86_64-w64-mingw32-objdump -p "$1"
}

cat "$source"/tests/api/exported_symbols.txt "$source"/tests/api/exported_symbols_windows.txt |
    grep -v '^#' | sort >"$folder/expected"
headers "$library" | sed -n '/Name Pointer\] Table/,$s/^[[:space:]]*\[ *[0-9]*\] \([^ ]*\)$/\1/p' | sort >"$folder/exported"
diff -u "$folder/expected" "$folder/exported" || complain "exported functions (+) differ from the lists (-)"
# A function is declared as "type vmaf_name(", those for this system only included.
sed -n 's/^[a-z][a-z ]*[ *]\(vmaf_[a-z0-9_]*\)(.*/\1/p' "$source"/include/libvmaf/*.h | sort >"$folder/declared"
diff -u "$folder/declared" "$folder/exported" || complain "exported functions (+) differ from the headers (-)"

# Libraries of the system, which every Windows 10 has.
system='^(kernel32|msvcrt|advapi32|bcrypt|ws2_32|user32)\.dll$'
for file in "$build"/bin/*.dll "$build"/bin/*.exe "$build"/backends/*.dll; do
    [ -e "$file" ] || continue
    case $file in # of drivers, which plugins may need
    */libvmaf-backend-cuda.dll) driver='^nvcuda\.dll$' ;;
    */libvmaf-backend-vulkan.dll) driver='^vulkan-1\.dll$' ;;
    */vmaf.exe | */vmaf-tune.exe | */vmaf-perShot.exe) driver=none ;; # each is one file
    *) driver='^libvmaf-3\.dll$' ;;
    esac
    headers "$file" >"$folder/headers"
    sed -n 's/^[[:space:]]*DLL Name: //p' "$folder/headers" | tr A-Z a-z |
        grep -vE "$system|$driver" >"$folder/others" || true
    [ ! -s "$folder/others" ] || complain "$(basename "$file") needs $(tr '\n' ' ' <"$folder/others")"
    for property in HIGH_ENTROPY_VA DYNAMIC_BASE NX_COMPAT; do
        grep -q "$property" "$folder/headers" || complain "$(basename "$file") is not $property"
    done
done
# What Windows shows of a file: the version, in UTF-16; and what programs ask for.
version=$(sed -n 's/^#define VMAF_API_VERSION_[A-Z]* //p' "$source/include/libvmaf/version.h" | paste -sd.)
for file in "$library" "$build/bin/vmaf.exe"; do
    tr -d '\000' <"$file" >"$folder/text"
    grep -qa "ProductVersion.*$version" "$folder/text" || complain "$(basename "$file") does not tell its version"
done
grep -qa longPathAware "$build/bin/vmaf.exe" || complain "vmaf.exe has no manifest"
echo "$(wc -l <"$folder/exported") functions are exported"
exit $failures
