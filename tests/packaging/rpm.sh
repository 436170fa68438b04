#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The .rpm packages: names, contents, dependencies.
#   rpm.sh <settings>
# shellcheck disable=SC2154 # the settings
set -eu
# shellcheck disable=SC1090
. "$1"
script=rpm.sh
# shellcheck source=tests/packaging/common.sh
. "$(dirname "$0")/common.sh"

for tool in rpmbuild rpm; do
    has $tool || skip "$tool is not installed (Debian package rpm)"
done
folder=$(mktemp -d "$work/rpm.XXXXXX")
trap 'rm -rf "$folder"' EXIT
revision=$(sed -n 's/^VMAF_PACKAGE_RELEASE:STRING=//p' "$build/CMakeCache.txt")
full=$version-$revision
library=libvmaf$soversion
say "made twice, with whatever umask, the packages are the same"
make_packages RPM packages 027
sleep 1
make_packages RPM again 022
cd "$folder/packages"
for package in *.rpm; do
    cmp "$package" "$folder/again/$package" || fail "$package is another one the second time"
done

say "names"
cat >"$folder/names" <<EOT
$library-$full
libvmaf-devel-$full
vmaf-$full
EOT
for backend in $backends; do
    echo "$library-backend-$backend-$full"
done >>"$folder/names"
rpm --dbpath "$folder/db" -qp --qf '%{name}-%{version}-%{release}\n' ./*.rpm >"$folder/found"
same_lists "names of packages" names found

query() { # package, what
    rpm --dbpath "$folder/db" -qp "$2" "$1"-"$full".*.rpm
}
say "files"
check_files() { # component, package
    rpm --dbpath "$folder/db" -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$2-$full".*.rpm \
        >"$folder/modes"
    check_modes "$2" <"$folder/modes"
    sed -n "s,^[^d][^ ]* $prefix/,,p" "$folder/modes" >"$folder/found"
    { files_of_component "$1" "$2" && echo "$datadir/licenses/$2/LICENSE" &&
        echo "$datadir/licenses/$2/NOTICE"; } >"$folder/files"
    same_lists "files of $2" files found
    if sed -n 's/^d[^ ]* //p' "$folder/modes" | grep -vE '/(libvmaf[^/]*|vmaf)(/|$)'; then
        fail "$2 owns folders of others"
    fi
}
check_files core "$library"
check_files dev libvmaf-devel
check_files cli vmaf
for backend in $backends; do
    check_files "backend-$backend" "$library-backend-$backend"
done

say "scripts"
for package in *.rpm; do
    case $package in
    "$library-$full".*) expected="postinstall /sbin/ldconfig postuninstall /sbin/ldconfig" ;;
    *) expected= ;;
    esac
    found=$(rpm --dbpath "$folder/db" -qp --scripts --triggers "$package" |
        sed 's/ scriptlet.*//' | tr '\n' ' ' | tr -s ' ' | sed 's/ $//')
    [ "$found" = "$expected" ] || fail "scripts of $package: $found"
done

say "dependencies"
has_line() { # package, what, line as a pattern
    query "$1" "$2" | grep -qxE "$3" || fail "$2 of $1: no $3 in: $(query "$1" "$2")"
}
for needed in 'libjansson\.so\.4' 'libltdl\.so\.7' 'libc\.so\.6'; do
    has_line "$library" --requires "$needed(\(\).*)?"
done
has_line "$library" --provides "libvmaf\.so\.$soversion\(\).*"
has_line "$library" --provides 'libvmaf-backend-abi1 = 1\.0'
has_line vmaf --requires "libvmaf\.so\.$soversion\(\).*"
has_line libvmaf-devel --requires "$library = $full"
for backend in $backends; do
    name=$library-backend-$backend
    has_line "$name" --requires libvmaf-backend-abi1
    if query "$name" --requires | grep -E 'driver|^libvmaf[0-9]'; then
        fail "$name depends on a driver, or on one libvmaf"
    fi
    if query "$name" --provides | grep '\.so'; then
        fail "$name provides its plugin as a library"
    fi
done
case " $backends " in
*" cuda "*)
    if query "$library-backend-cuda" --requires | grep libcuda; then
        fail "$library-backend-cuda requires a driver"
    fi
    has_line "$library-backend-cuda" --recommends 'libcuda\.so\.1\(\)\(64bit\)'
    ;;
esac
case " $backends " in
*" vulkan "*)
    has_line "$library-backend-vulkan" --requires 'libvulkan\.so\.1(\(\).*)?'
    has_line "$library-backend-vulkan" --recommends mesa-vulkan-drivers
    ;;
esac
if [ -n "$(query "$library" --recommends)" ]; then
    fail "the library recommends something"
fi
[ "$(rpm --dbpath "$folder/db" -qp --qf '%{LICENSE}\n' ./*.rpm | sort -u)" = BSD-2-Clause-Patent ] ||
    fail "a package has another licence"
say "all is well"
