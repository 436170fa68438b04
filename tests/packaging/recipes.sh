#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The recipes of packaging/: they are for the version, the archive, the options, the backends and the files
# of this tree. What their functions install is looked at, of those whose parts this build has; their package
# managers are not here, and nothing is built.
#   recipes.sh <settings>
# shellcheck disable=SC2034,SC2154 # the settings, and what common.sh reads
set -eu
# shellcheck disable=SC1090
. "$1"
script=recipes.sh
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/packaging/common.sh
. "$here/common.sh"

git -C "$source" rev-parse HEAD >/dev/null 2>&1 || skip "the source is not a checkout of git"
for tool in bash python3 readelf; do
    has $tool || skip "$tool is not installed"
done
folder=$(mktemp -d "$work/recipes.XXXXXX")
trap 'rm -rf "$folder"' EXIT

say "made for a version and its archive"
recipes=$folder/recipes
sh "$source/scripts/recipes.sh" "$recipes" https://libvmaf.invalid/releases >"$folder/log" 2>&1 || fail "recipes.sh fails"
archive=libvmaf-$version.tar.gz
tar tzf "$recipes/$archive" >"$folder/found"
for file in CMakeLists.txt LICENSE NOTICE include/libvmaf/version.h; do
    grep -qx "libvmaf-$version/$file" "$folder/found" || fail "$archive lacks $file"
done
if grep -rnE '@[A-Z0-9_]+@' "$recipes"/*/; then
    fail "a recipe was not filled in"
fi
sha256=$(sha256sum <"$recipes/$archive" | cut -d ' ' -f 1)
sha512=$(sha512sum <"$recipes/$archive" | cut -d ' ' -f 1)
names() { # RECIPE TEXT
    grep -qF -- "$2" "$recipes/$1" || fail "$1 does not say $2"
}
for recipe in arch/PKGBUILD homebrew/libvmaf.rb conan/conanfile.py; do
    names $recipe "$sha256"
    names $recipe "https://libvmaf.invalid/releases/$archive"
done
names alpine/APKBUILD "$sha512  $archive"
names vcpkg/portfile.cmake "SHA512 $sha512"

say "their options are those of the build"
grep -ohE 'VMAF_(BUILD|BACKENDS)[A-Z_]*' "$recipes"/*/* | sort -u >"$folder/options"
[ "$(wc -l <"$folder/options")" -ge 4 ] || fail "the options are not found: this test is blind"
while read -r option; do
    grep -q "^$option:" "$build/CMakeCache.txt" || fail "a recipe sets $option, which the build does not have"
done <"$folder/options"

say "every backend is in every recipe"
sed -n 's/^vmaf_describe_backend(\([a-z]*\) .*/\1/p' "$source"/plugins/*/CMakeLists.txt | sort >"$folder/all"
grep -vx metal "$folder/all" >"$folder/linux" # which is built on macOS only
linux=$(paste -sd';' "$folder/linux")
for recipe in arch/PKGBUILD alpine/APKBUILD; do
    names $recipe "-DVMAF_BACKENDS=\"$linux\""
done
for recipe in arch/PKGBUILD alpine/APKBUILD homebrew/libvmaf.rb; do # whose packages have the module
    names $recipe -DVMAF_BUILD_MEDIA=ON
done

say "Arch: files of each package"
# What makepkg does with it, without fakeroot.
mkdir "$folder/arch"
ln -s "$build" "$folder/arch/build"
ln -s "$source" "$folder/arch/libvmaf-$version"
bash -c 'set -eu; . "$1"; printf "%s\n" "${pkgname[@]}"' - "$recipes/arch/PKGBUILD" >"$folder/packages"
[ "$(bash -c '. "$1"; echo "$pkgver"' - "$recipes/arch/PKGBUILD")" = "$version" ] || fail "PKGBUILD is for another version"
{ printf '%s\n' libvmaf vmaf vmaf-media-ffmpeg vmaf-tune && sed 's/^/libvmaf-backend-/' "$folder/linux"; } >"$folder/expected"
same_lists "packages of Arch" expected packages
is_built() { # COMPONENT
    case $1 in
    media-ffmpeg) [ -n "$media" ] ;;
    tune) [ -n "$tune" ] ;;
    backend-*) echo " $backends " | grep -qF " ${1#backend-} " ;;
    esac
}
# Distributions without folders for architectures have the same files in others, and only some have
# compressed manual pages.
plain_layout() {
    sed "s,^$libdir/,lib/,; s,^libexec/.*libvmaf/,libexec/libvmaf/,; s,^${helper%/*}/,libexec/libvmaf/,; s,^$docdir/,$datadir/doc/libvmaf/,
        s,\.gz$,,; s,zsh/vendor-completions,zsh/site-functions,"
}
files_below() { # FOLDER
    (cd "$1/usr" && find . ! -type d | sed 's,^\./,,') | plain_layout
}
expected_files() { # COMPONENT...
    for component; do
        files_of_component "$component" libvmaf
    done | plain_layout
}
# Packages, as Arch names them, that hold the libraries which files below a folder are linked with.
linked_packages() { # FOLDER
    find "$1" -type f -exec readelf -d {} + 2>/dev/null | sed -n 's/.*(NEEDED).*\[lib\([a-zA-Z_]*\).*/\1/p' |
        sort -u | while read -r library; do
        case $library in
        c | m | dl | pthread) ;;
        cuda) ;; # is a driver's, on which no package depends
        jansson | vmaf) echo "$library" | sed s/vmaf/libvmaf/ ;;
        ltdl) echo libtool ;;
        z) echo zlib ;;
        avformat | avcodec | avfilter | avutil | swscale) echo ffmpeg ;;
        vulkan) echo vulkan-icd-loader ;;
        ze_loader) echo level-zero-loader ;;
        *) echo "of-lib$library" ;;
        esac
    done | sort -u
}
: >"$folder/linked"
while read -r package; do
    case $package in
    libvmaf) components="core dev" ;;
    vmaf) components=cli ;;
    *) components=${package#*vmaf-} ;;
    esac
    case $components in
    core* | cli) ;;
    *) is_built "$components" || continue ;;
    esac
    root=$folder/arch-$package
    (cd "$folder/arch" && bash -c 'set -eu; . "$1"; pkgname=$2 pkgdir=$3; "package_$2"
        printf "%s\n" "${depends[@]}" >"$4"' - "$recipes/arch/PKGBUILD" "$package" "$root" "$folder/depends") >"$folder/log" 2>&1 || fail "package_$package fails"
    : >"$folder/log"
    files_below "$root" >"$folder/found"
    # shellcheck disable=SC2086 # a list of words
    { expected_files $components && printf '%s\n' "$datadir/licenses/$package/LICENSE" "$datadir/licenses/$package/NOTICE"; } \
        >"$folder/files"
    case $package in # installed with core, and no part of the lists
    libvmaf) printf '%s\n' "$datadir/doc/libvmaf/LICENSE" "$datadir/doc/libvmaf/NOTICE" >>"$folder/files" ;;
    esac
    same_lists "files of Arch's $package" files found
    linked_packages "$root" >"$folder/needed"
    while read -r needed; do
        [ "$needed" = "$package" ] || grep -qE "^$needed(=|\$)" "$folder/depends" ||
            fail "Arch's $package does not depend on $needed, which it is linked with"
    done <"$folder/needed"
    cat "$folder/needed" >>"$folder/linked"
done <"$folder/packages"

say "what is linked is wanted before the build"
bash -c '. "$1"; printf "%s\n" "${makedepends[@]}"' - "$recipes/arch/PKGBUILD" >"$folder/arch-wants"
sh -c 'srcdir=.; . "$1"; printf "%s\n" $makedepends' - "$recipes/alpine/APKBUILD" >"$folder/alpine-wants"
sed -n 's/^ *\(depends_on\|uses_from_macos\) "\([^"]*\)".*/\2/p' "$recipes/homebrew/libvmaf.rb" >"$folder/homebrew-wants"
for library in $(sort -u "$folder/linked"); do
    [ "$library" != libvmaf ] || continue
    grep -qx "$library" "$folder/arch-wants" || fail "PKGBUILD does not want $library"
    case $library in
    jansson | zlib | ffmpeg) grep -qx "$library-dev" "$folder/alpine-wants" || fail "APKBUILD does not want $library-dev" ;;
    libtool) grep -qx "$library" "$folder/alpine-wants" || fail "APKBUILD does not want $library" ;;
    esac
    case $library in
    *-loader) ;; # of backends that it has not, or under another name
    *) grep -qx "$library" "$folder/homebrew-wants" || fail "the formula does not want $library" ;;
    esac
done
for library in jansson libtool; do # the library's own: the list must not be empty
    grep -qx $library "$folder/linked" || fail "nothing is linked with $library: this test is blind"
done

say "Alpine: files of each package"
root=$folder/alpine
mkdir -p "$root"
cat >"$root/abuild" <<'EOT'
# What abuild brings that the functions use.
amove() {
    for pattern; do
        for path in "$pkgdir"/$pattern; do
            [ -e "$path" ] || [ -L "$path" ] || { echo "there is no $pattern" >&2; exit 1; }
            target=$subpkgdir${path#"$pkgdir"}
            mkdir -p "${target%/*}"
            mv "$path" "${target%/*}/"
        done
    done
}
EOT
apk() { # FUNCTION FOLDER
    (cd "$folder/arch" && sh -euc 'srcdir=$1 pkgdir=$2/main subpkgdir=$2/$4; . "$2/abuild"; . "$3"; "$5"' - \
        "$folder/arch" "$root" "$recipes/alpine/APKBUILD" "$2" "$1") >"$folder/log" 2>&1 ||
        fail "APKBUILD: $1 fails"
    : >"$folder/log"
}
[ "$(sh -c 'srcdir=.; . "$1"; echo "$pkgver"' - "$recipes/alpine/APKBUILD")" = "$version" ] ||
    fail "APKBUILD is for another version"
apk package main
usr=$root/main/usr
if [ "$libdir" != lib ]; then
    mv "$usr/$libdir" "$usr/lib.plain"
    find "$usr/lib" -type d -empty -delete 2>/dev/null || true
    mv "$usr/lib.plain" "$usr/lib"
    [ -d "$usr/libexec/libvmaf" ] || mv "$usr/${helper%/*}" "$usr/libexec/libvmaf"
fi
functions=$(sh -c 'srcdir=.; . "$1"; echo "$subpackages"' - "$recipes/alpine/APKBUILD")
for entry in $functions; do
    package=${entry%%:*}
    function=${entry##*:}
    [ "$function" != "$entry" ] || function=${package#libvmaf-}
    component=${package#vmaf-}
    case $package in
    libvmaf-doc | libvmaf-dev | vmaf) ;;
    libvmaf-*) component=${package#libvmaf-} ;;
    esac
    case $component in
    media-ffmpeg | tune | backend-*) is_built "$component" || continue ;;
    esac
    apk "$function" "$package"
    files_below "$root/$package" >"$folder/found"
    case $package in
    libvmaf-doc)
        { expected_files dev cli && expected_files core && printf '%s\n' "$datadir/doc/libvmaf/LICENSE" "$datadir/doc/libvmaf/NOTICE" &&
            { [ -z "$tune" ] || expected_files tune; }; } | grep -E "^$datadir/(doc|man)/" ;;
    libvmaf-dev) expected_files dev ;;
    vmaf) expected_files cli ;;
    *) expected_files "$component" ;;
    esac >"$folder/every"
    case $package in
    libvmaf-doc) cp "$folder/every" "$folder/files" ;;
    *) grep -vE "^$datadir/(doc|man)/" "$folder/every" >"$folder/files" ;;
    esac
    same_lists "files of Alpine's $package" files found
done
files_below "$root/main" >"$folder/found"
expected_files core >"$folder/files"
same_lists "files of Alpine's libvmaf, after all others" files found

say "vcpkg"
"$cmake" "-DPORT=$recipes/vcpkg" "-DBACKENDS=$(paste -sd';' "$folder/all")" "-DEXPECTED_VERSION=$version" \
    "-DSANDBOX=$folder/vcpkg" -P "$here/vcpkg.cmake" >"$folder/log" 2>&1 || fail "the port"

say "Conan"
# shellcheck disable=SC2046 # a list of words
python3 "$here/conan_recipe.py" "$recipes/conan/conanfile.py" "$version" $(cat "$folder/all") >"$folder/log" 2>&1 ||
    fail "the recipe"

say "Homebrew"
if has ruby; then
    ruby -c "$recipes/homebrew/libvmaf.rb" >"$folder/log" 2>&1 || fail "the formula"
else
    echo "not parsed: ruby is not installed"
fi
