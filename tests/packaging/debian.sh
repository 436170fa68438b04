#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The .deb packages: names, contents, dependencies; and life with them in a clean root: the library
# and the program alone score, a backend is installed, seen, used, removed, and is gone.
#   debian.sh <settings>
# shellcheck disable=SC2154 # the settings
set -eu
# shellcheck disable=SC1090
. "$1"
script=debian.sh
here=$(dirname "$0")
# shellcheck source=tests/packaging/common.sh
. "$here/common.sh"

for tool in dpkg-deb dpkg-shlibdeps file; do
    has $tool || skip "$tool is not installed (Debian packages dpkg-dev, file)"
done
folder=$(mktemp -d "$work/debian.XXXXXX")
trap 'rm -rf "$folder"' EXIT
architecture=$(dpkg --print-architecture)
revision=$(sed -n 's/^VMAF_PACKAGE_RELEASE:STRING=//p' "$build/CMakeCache.txt")
full=$version-$revision
library=libvmaf$soversion

say "made twice, with whatever umask, the packages are the same"
make_packages DEB packages 027
make_packages DEB again 022
cd "$folder/packages"
for package in *.deb; do
    cmp "$package" "$folder/again/$package" || fail "$package is another one the second time"
done

say "names"
cat >"$folder/names" <<EOT
${library}_${full}_$architecture.deb
libvmaf-dev_${full}_$architecture.deb
vmaf_${full}_$architecture.deb
EOT
[ -z "$media" ] || echo "vmaf-media-ffmpeg_${full}_$architecture.deb" >>"$folder/names"
[ -z "$tune" ] || echo "vmaf-tune_${full}_$architecture.deb" >>"$folder/names"
for backend in $backends; do
    echo "$library-backend-${backend}_${full}_$architecture.deb" >>"$folder/names"
done
ls >"$folder/found"
same_lists "names of packages" names found

say "files"
check_files() { # component, package
    dpkg-deb -c "$2"_*.deb | grep -v '/$' | sed "s,.* \.$prefix/,,; s, -> .*,," >"$folder/found"
    { files_of_component "$1" "$2" && echo "$datadir/doc/$2/copyright" &&
        echo "$datadir/doc/$2/changelog.Debian.gz"; } >"$folder/files"
    same_lists "files of $2" files found
    dpkg-deb -c "$2"_*.deb | check_modes "$2"
    dpkg-deb -x "$2"_*.deb "$folder/all"
    for licence in 'BSD-2-Clause-Patent' 'Netflix, Inc.'; do
        grep -q "$licence" "$folder/all$prefix/$datadir/doc/$2/copyright" ||
            fail "the copyright of $2 does not mention $licence"
    done
}
check_files core "$library"
check_files dev libvmaf-dev
check_files cli vmaf
[ -z "$media" ] || check_files media-ffmpeg vmaf-media-ffmpeg
[ -z "$tune" ] || check_files tune vmaf-tune
for backend in $backends; do
    check_files "backend-$backend" "$library-backend-$backend"
done
no_paths_in "$folder/all"
# Nor does the program before installation: its build id was computed then.
if grep -qaF "$build" "$vmaf"; then
    fail "$vmaf contains $build"
fi
gzip -dc "$folder/all$prefix/$mandir/man1/vmaf.1.gz" | grep -qi '^\.[TD][Ht] "\{0,1\}vmaf' ||
    fail "the manual page is not one"
grep -q "^prefix=\${pcfiledir}/" "$folder/all$prefix/$libdir/pkgconfig/libvmaf.pc" ||
    fail "libvmaf.pc cannot be moved"
case $prefix:$libdir in
/usr:lib/*) ;;
/usr:*) fail "libraries are in $libdir, not in the folder of the architecture" ;;
esac

say "control files"
field() { # package, field
    dpkg-deb -f "$1"_*.deb "$2"
}
names_in() { # package, field: the names of packages alone
    field "$1" "$2" | tr ',|' '\n' | sed 's/(.*//; s/ //g'
}
has_field() { # package, field, what it is
    [ "$(field "$1" "$2")" = "$3" ] || fail "$2 of $1 is $(field "$1" "$2"), not $3"
}
for package in *.deb; do
    name=${package%%_*}
    has_field "$name" Source libvmaf
    has_field "$name" Version "$full"
    field "$name" Maintainer | grep -q '<.*@.*>' || fail "$name has no maintainer"
    field "$name" Description | head -n 1 | grep -q '^Full-reference video quality' ||
        fail "$name has another description"
    [ "$(field "$name" Description | wc -l)" -ge 4 ] || fail "$name has no long description"
done
names_in "$library" Depends >"$folder/found"
printf '%s\n' libc6 libjansson4 libltdl7 >"$folder/expected"
same_lists "dependencies of $library" expected found
has_field "$library" Section libs
has_field "$library" Multi-Arch same
has_field "$library" Recommends ""
has_field "$library" Provides "libvmaf-backend-abi1 (= 1.0)"
[ "$(dpkg-deb -I "$library"_*.deb shlibs)" = \
    "libvmaf $soversion $library (>= $version)" ] || fail "the file shlibs is different"
for script in preinst postinst prerm postrm; do
    for package in *.deb; do
        dpkg-deb -I "$package" $script >/dev/null 2>&1 && fail "$package has a script $script"
    done
done
[ "$(dpkg-deb -I "$library"_*.deb triggers)" = "activate-noawait ldconfig" ] ||
    fail "$library does not have ldconfig run"
# Programs depend on the version with the symbols that they use, all of which are listed.
dpkg-deb -I "$library"_*.deb symbols >"$folder/symbols"
head -n 1 "$folder/symbols" | grep -qx "libvmaf\.so\.$soversion $library #MINVER#" ||
    fail "the file symbols begins with $(head -n 1 "$folder/symbols")"
sed -n "s/^ \(.*\)@Base $version\$/\1/p" "$folder/symbols" >"$folder/listed"
nm -D --defined-only "$folder/all$prefix/$libdir/libvmaf.so.$soversion" |
    sed 's/.* //; s/@.*//' >"$folder/exported"
same_lists "symbols" listed exported
names_in vmaf Depends >"$folder/found"
printf '%s\n' libc6 libjansson4 libltdl7 "$library" zlib1g >"$folder/expected"
same_lists "dependencies of vmaf" expected found
has_field vmaf Section video
for name in "$library (= $full)" libjansson-dev libltdl-dev; do
    field libvmaf-dev Depends | tr ',' '\n' | sed 's/^ //' | grep -qxF "$name" ||
        fail "libvmaf-dev does not depend on $name"
done
has_field libvmaf-dev Section libdevel
# A backend depends on the loader of its interface at most, never on a driver. It recommends drivers
# that are free, and suggests others.
for backend in $backends; do
    name=$library-backend-$backend
    has_field "$name" Section libs
    has_field "$name" Multi-Arch same
    loader='' recommended='' suggested=''
    case $backend in
    cuda) suggested=libcuda1 ;;
    hip) recommended='libamdhip64-5 | libamdhip64-6' ;;
    sycl)
        loader=libze1
        recommended='libze-intel-gpu1 | intel-level-zero-gpu | intel-opencl-icd'
        ;;
    vulkan)
        loader=libvulkan1
        recommended='mesa-vulkan-drivers | vulkan-icd'
        ;;
    *) fail "there is a package of the backend $backend" ;;
    esac
    names_in "$name" Depends >"$folder/found"
    # shellcheck disable=SC2086 # one word or none
    printf '%s\n' libc6 libvmaf-backend-abi1 $loader >"$folder/expected"
    same_lists "dependencies of $name" expected found
    has_field "$name" Recommends "$recommended"
    has_field "$name" Suggests "$suggested"
done
for package in *.deb; do
    for relation in Pre-Depends Enhances Conflicts Breaks Replaces; do
        has_field "${package%%_*}" $relation ""
    done
done

if has lintian; then
    say "lintian"
    # These packages are no uploads to Debian, so they need not close a bug.
    lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs ./*.deb \
        >"$folder/log" 2>&1 || fail "lintian finds fault"
fi

# A package as a third party would make it, from the file of its backend alone.
make_example() {
    mkdir -p "$folder/example/DEBIAN" "$folder/example$prefix/$plugins"
    install -m 644 "$example" "$folder/example$prefix/$plugins/"
    cat >"$folder/example/DEBIAN/control" <<EOT
Package: libvmaf-backend-example
Version: 1.0-1
Architecture: $architecture
Maintainer: A third party <someone@example.invalid>
Depends: libvmaf-backend-abi1, libc6
Description: example of a backend of libvmaf
EOT
    dpkg-deb --root-owner-group -b "$folder/example" "$folder/example.deb" >"$folder/log" 2>&1 ||
        fail "the package of the example cannot be made"
}
make_example

# shellcheck source=tests/packaging/clean_root.sh
. "$here/clean_root.sh"

clip() { # file, shift
    awk -v shift="$2" 'BEGIN {
        printf "YUV4MPEG2 W64 H48 F25:1 Ip C420jpeg\n"
        for (f = 0; f < 4; f++) {
            printf "FRAME\n"
            for (i = 0; i < 64 * 48 * 3 / 2; i++)
                printf "%c", 33 + (i * 7 + int(i / 64) * 3 + f * 5 + (i % 11 == f) * shift) % 90
        }
    }' >"$root/$1"
}
clip ref.y4m 0
clip dist.y4m 5
# What is not installed on this machine, or not usable, makes no difference.
everything() { # suffix of the files: scores, messages and the list of backends
    in_root vmaf --list-backends >"$folder/list.$1" 2>&1 || fail "--list-backends fails"
    for what in default auto cpu; do
        how="--backend $what"
        [ $what != default ] || how=
        # shellcheck disable=SC2086 # several words
        score "$what.json" --quiet $how || fail "scoring fails ($how)"
        sed '/"fps"/d' "$root/$what.json" >"$folder/$what.$1"
        cp "$folder/log" "$folder/$what-messages.$1"
    done
}
without_backend() { # list, name
    awk -v name="$2" '/^[a-z]/ { on = $1 == name } !on' "$1"
}
comes_and_goes() { # backend
    everything before
    install_package "$library-backend-$1"
    everything with
    cmp -s "$folder/list.before" "$folder/list.with" && fail "--list-backends does not show $1"
    for file in before with; do
        without_backend "$folder/list.$file" "$1" >"$folder/list.others-$file"
    done
    cmp "$folder/list.others-before" "$folder/list.others-with" || fail "$1 changes another backend"
    remove_package "$library-backend-$1"
    everything after
    cmp "$folder/list.before" "$folder/list.after" || fail "the list of backends remembers $1"
    for what in default auto cpu; do
        for file in "$what" "$what-messages"; do
            for state in with after; do
                cmp "$folder/$file.before" "$folder/$file.$state" || fail "$1 makes a difference $state: $file"
            done
        done
        grep -q '"psnr_y"' "$folder/$what.with" || fail "$what.with has no scores"
    done
}
score() { # report, arguments...
    report=$1
    shift
    in_root vmaf -r "$seen/ref.y4m" -d "$seen/dist.y4m" --feature psnr --json --precision max \
        -o "$seen/$report" "$@" >"$folder/log" 2>&1
}
scores_in() { # report; without backends and speed
    sed -e '/"fps"/d' -e '/"feature_backends"/,$d' "$1" | tr -d ' \n],}'
}
same_scores() { # report
    [ "$(scores_in "$root/$1")" = "$(scores_in "$folder/build.json")" ] ||
        { diff -u "$folder/build.json" "$root/$1"; fail "$1 has other scores than this build"; }
    [ "$(scores_in "$root/$1" | wc -c)" -gt 1000 ] || fail "$1 has no scores"
}
# The entry of a backend in --capabilities, on one line; empty if there is none.
capabilities_of() { # backend
    in_root vmaf --capabilities >"$folder/log" 2>&1 || fail "--capabilities fails"
    awk -v name="\"name\": \"$1\"," 'index($0, name) { on = 1 }
        on { gsub(/^ +/, ""); printf "%s ", $0 }
        on && /"reason_text"/ { exit }' "$folder/log"
}
"$vmaf" -r "$root/ref.y4m" -d "$root/dist.y4m" --feature psnr --json --precision max \
    --backend cpu -o "$folder/build.json" >"$folder/log" 2>&1 || fail "the program of the build fails"

say "$kind: library and program alone"
install_package "$library" vmaf
score alone.json || fail "scoring fails"
same_scores alone.json
score alone.json --backend example && fail "a backend that is not installed is accepted"

say "$kind: a media file, and no FFmpeg"
printf '\000\000\000\030ftypisom\000\000\002\000isommp41' >"$root/film.mp4"
no_film() { # what is said, in one line
    status=0
    in_root vmaf "$seen/film.mp4" "$seen/dist.y4m" -o "$seen/film.json" >"$folder/log" 2>&1 || status=$?
    [ $status -eq 255 ] && [ "$(wc -l <"$folder/log")" -eq 1 ] && grep -qF "$1" "$folder/log" ||
        fail "a media file ends with $status and \"$(cat "$folder/log")\""
    [ ! -e "$root/film.json" ] || fail "a media file that cannot be read has a report"
}
no_film "install the package vmaf-media-ffmpeg, or decode it first: ffmpeg -i"
if [ -n "$media" ] && [ -z "$seen" ]; then # the module is there, its libraries are not
    module=$(files_of_component media-ffmpeg)
    mkdir -p "$(dirname "$root$prefix/$module")"
    cp "$folder/all$prefix/$module" "$root$prefix/$module"
    no_film "cannot be used: libav"
    no_film "(the package vmaf-media-ffmpeg brings what it needs)"
    rm -r "$(dirname "$root$prefix/$module")"
    rmdir "$root$prefix/$libdir/libvmaf" 2>/dev/null || true # if no package has brought it
fi
rm "$root/film.mp4"
score page.json --output "$seen/page.html" --output "$seen/live.ndjson" --output "$seen/table.csv" --pool p1 \
    --require 'vmaf.mean>=0' --align check -m auto || fail "other reports fail: $(cat "$folder/log")"
for report in page.html live.ndjson table.csv page.json; do
    [ -s "$root/$report" ] || fail "there is no $report"
done
if [ -z "$seen" ]; then
    mv "$root/dev/null" "$root/dev/gone"
    score bare.json || fail "scoring fails in a root without /dev/null"
    mv "$root/dev/gone" "$root/dev/null"
    same_scores bare.json
fi
[ -z "$(capabilities_of example)" ] || fail "--capabilities has a backend that is not installed"

say "$kind: a backend of a third party"
install_file libvmaf-backend-example "$folder/example.deb"
case $(capabilities_of example) in
*'"loaded": true, "path": "'*"$plugins/libvmaf-backend-example.so"*'"usable": true'*) ;;
*) fail "--capabilities does not have the example as usable: $(capabilities_of example)" ;;
esac
score example.json --backend example || fail "scoring with the example fails"
same_scores example.json
grep -q '"backend_used": *"example"' "$root/example.json" || fail "the example was not used"

say "$kind: the conformance run of the example"
run_script "$datadir/libvmaf/gpu-check/gpu-check.sh" --backend example --software --size 64x48 --frames 4 \
    --minutes 20 --report "$seen/gpu-check.json" >"$folder/log" 2>&1 || fail "it fails"
grep -q '^passed  *example, self-test, 10 bits$' "$folder/log" || fail "it does not test"
grep -q '^equal  *example, features, 65x47, 10 bits, 420$' "$folder/log" || fail "it does not compare"
grep -q '^passed  *example, requirements, ending$' "$folder/log" || fail "it does not try the rules"
grep -q '"name":"example","plugin":"libvmaf-backend-example.so"' "$root/gpu-check.json" || fail "it does not report"
for word in "$(uname -n)" "$root"; do
    ! grep -qwF "$word" "$root/gpu-check.json" || fail "it reports $word"
done

remove_package libvmaf-backend-example
[ -z "$(capabilities_of example)" ] || fail "--capabilities has a backend that was removed"
score after.json --backend auto || fail "scoring fails after the removal"
same_scores after.json

for backend in $backends; do
    say "$kind: the backend $backend comes and goes"
    comes_and_goes "$backend"
done

case " $backends " in
*" vulkan "*)
    say "$kind: the Vulkan backend"
    case $(capabilities_of vulkan) in
    *'"found": false'*) ;;
    *) fail "there is a Vulkan backend before it is installed" ;;
    esac
    install_package "$library-backend-vulkan"
    # With a driver it is usable, without one it says so; in any case it was loaded.
    case $(capabilities_of vulkan) in
    *'"found": true, "loaded": true, "path": "'*"$plugins/libvmaf-backend-vulkan.so"*) ;;
    *) fail "--capabilities does not have the Vulkan backend: $(capabilities_of vulkan)" ;;
    esac
    echo "  $(capabilities_of vulkan | sed 's/.*"usable"/"usable"/')"
    score vulkan.json --backend auto || fail "scoring fails beside the Vulkan backend"
    same_scores vulkan.json
    remove_package "$library-backend-vulkan"
    case $(capabilities_of vulkan) in
    *'"found": false'*) ;;
    *) fail "the Vulkan backend is there after it was removed" ;;
    esac
    ;;
esac

say "$kind: nothing stays"
remove_package vmaf "$library"
left=$(find "$root$prefix" -name '*vmaf*')
[ -z "$left" ] || fail "this is left: $left"
say "all is well; $kind"
