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
[ -z "$media" ] || echo "vmaf-media-ffmpeg-$full" >>"$folder/names"
[ -z "$tune" ] || echo "vmaf-tune-$full" >>"$folder/names"
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
    if sed -n 's/^d[^ ]* //p' "$folder/modes" | grep -vE '/(libvmaf[^/]*|vmaf(-media-[a-z]+|-tune)?)(/|$)'; then
        fail "$2 owns folders of others"
    fi
}
check_files core "$library"
check_files dev libvmaf-devel
check_files cli vmaf
[ -z "$media" ] || check_files media-ffmpeg vmaf-media-ffmpeg
[ -z "$tune" ] || check_files tune vmaf-tune
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
# It takes the place of Fedora's package of the same files, whose dependents name it with its architecture, too.
has_line "$library" --provides "libvmaf = $full"
has_line "$library" --provides "libvmaf\(.*\) = $full"
has_line "$library" --obsoletes "libvmaf < $full"
has_line "$library" --conflicts libvmaf
has_line vmaf --requires "libvmaf\.so\.$soversion\(\).*"
has_line libvmaf-devel --requires "$library = $full"
has_hints() { # package, what, the only line or none
    [ "$(query "$1" "$2")" = "$3" ] || fail "$2 of $1 is $(query "$1" "$2"), not $3"
}
# A backend requires the loader of its interface at most, never a driver. It recommends drivers that
# are free, and suggests others.
for backend in $backends; do
    name=$library-backend-$backend
    has_line "$name" --requires libvmaf-backend-abi1
    loader='' recommended='' suggested=''
    case $backend in
    cuda) suggested='libcuda.so.1()(64bit)' ;;
    hip) recommended='(libamdhip64.so.7()(64bit) or libamdhip64.so.6()(64bit) or libamdhip64.so.5()(64bit))' ;;
    sycl)
        loader=libze_loader.so.1
        recommended='libze_intel_gpu.so.1()(64bit)'
        ;;
    vulkan)
        loader=libvulkan.so.1
        recommended=mesa-vulkan-drivers
        ;;
    *) fail "there is a package of the backend $backend" ;;
    esac
    has_hints "$name" --recommends "$recommended"
    has_hints "$name" --suggests "$suggested"
    query "$name" --requires | sed 's/(.*//; s/ .*//' | grep -vE '^(libc|libm|ld-linux.*|libpthread|libdl)\.so|^rpmlib$|^rtld$' |
        sort -u >"$folder/found"
    # shellcheck disable=SC2086 # one word or none
    printf '%s\n' libvmaf-backend-abi1 $loader >"$folder/expected"
    same_lists "requirements of $name" expected found
    if query "$name" --provides | grep '\.so'; then
        fail "$name provides its plugin as a library"
    fi
done
for hints in --recommends --suggests --supplements --enhances; do
    has_hints "$library" $hints ""
done
[ "$(rpm --dbpath "$folder/db" -qp --qf '%{LICENSE}\n' ./*.rpm | sort -u)" = BSD-2-Clause-Patent ] ||
    fail "a package has another licence"
say "all is well"
