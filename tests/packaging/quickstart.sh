#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# quickstart.sh where the module for media files cannot be built, with a cmake that builds nothing.
#   quickstart.sh <source folder>
set -eu
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "quickstart.sh: $*" >&2
    cat "$folder/out" "$folder/err" >&2
    exit 1
}

mkdir -p "$folder/tree/scripts" "$folder/bin"
cp "$source/scripts/quickstart.sh" "$folder/tree/scripts/"
{
    cat "$source/scripts/packages.sh"
    echo 'need_packages() { :; }; want_packages() { :; }'
} >"$folder/tree/scripts/packages.sh"
# It fails in the module unless that is left out, and makes programs that write what is expected.
cat >"$folder/bin/cmake" <<'EOF'
#!/bin/sh
build=$TREE/build/release
case $* in
*--preset*MEDIA=OFF*) touch "$build/without_media" ;;
*--preset*) rm -f "$build/without_media"; echo "VMAF_FFMPEG_FOUND:INTERNAL=$FOUND" >"$build/CMakeCache.txt" ;;
*--build*)
    [ -z "$BROKEN" ] || [ -e "$build/without_media" ] || { echo "ffmpeg_video.h: error"; exit 1; }
    case $* in *--target*) exit ;; esac
    mkdir -p "$build/cli" "$build/tests/support"
    printf '#!/bin/sh\n' >"$build/tests/support/synth"
    echo '#!/bin/sh
while [ "$1" != --output ]; do shift; done
printf "\"pooled_metrics\"\n\"vmaf\":\n\"mean\": 91.25\n" >"$2"' >"$build/cli/vmaf"
    chmod +x "$build/cli/vmaf" "$build/tests/support/synth"
    ;;
esac
EOF
chmod +x "$folder/bin/cmake"
for name in a b; do
    echo "YUV4MPEG2 W16 H16" >"$folder/$name.y4m"
    echo "Matroska" >"$folder/$name.mkv"
done

start() { # libraries that are found (1 or nothing), whether the module breaks, videos...
    found=$1 broken=$2
    shift 2
    status=0
    rm -rf "$folder/tree/build"
    PATH=$folder/bin:$PATH TREE=$folder/tree FOUND=$found BROKEN=$broken \
        sh "$folder/tree/scripts/quickstart.sh" "$@" >"$folder/out" 2>"$folder/err" || status=$?
}
ends_well() { # 1 if something is said about media files
    [ $status -eq 0 ] && grep -q '^VMAF score: 91.25 ' "$folder/out" || fail "no score: status $status"
    [ "$(grep -c '^Going on without media files: the ' "$folder/out")" = "$1" ] || fail "media files"
}

start 1 ""
ends_well 0
start 1 broken
ends_well 1
start 1 broken "$folder/a.y4m" "$folder/b.y4m"
ends_well 1
start "" ""
ends_well 1
for case in ":" ":broken" "1:broken"; do
    start "${case%:*}" "${case#*:}" "$folder/a.y4m" "$folder/b.mkv"
    [ $status -eq 1 ] && grep -q "b.mkv cannot be read: the " "$folder/err" || fail "media files: status $status"
    ! grep -q "^VMAF score" "$folder/out" || fail "a score without media files"
done
start 1 "" "$folder/a.mkv" "$folder/b.mkv"
ends_well 0
echo "all is well"
