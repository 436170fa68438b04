#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# quickstart.sh where the module for media files cannot be built, and what it builds, with a cmake that
# builds nothing.
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
    echo 'need_packages() { :; }; want_packages() { echo "wants $1"; }'
    echo 'gpu_backends() { echo "$GPUS"; }; amd_chips() { echo "$CHIPS"; }'
} >"$folder/tree/scripts/packages.sh"
# It fails in the module unless that is left out, and makes programs that write what is expected.
cat >"$folder/bin/cmake" <<'EOF'
#!/bin/sh
build=$TREE/build/release
echo "$*" >>"$build/commands"
case $* in *--preset*) echo "-- Backends: cuda, hip, vulkan" ;; esac
case $* in
*--preset*MEDIA=OFF*) touch "$build/without_media" ;;
*--preset*) rm -f "$build/without_media"; echo "VMAF_FFMPEG_FOUND:INTERNAL=$FOUND" >"$build/CMakeCache.txt" ;;
*--build*)
    [ -z "$BROKEN" ] || [ -e "$build/without_media" ] || { echo "ffmpeg_video.h: error"; exit 1; }
    case $* in *"--target vmaf_media_ffmpeg") exit ;; esac
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

export GPUS='' CHIPS=''
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

# What scores the videos, and nothing else; the sample pair needs a program more.
builds() { # TARGETS
    grep -qx -- "--build .*/release --target $1" "$folder/tree/build/release/commands" ||
        fail "not built: $1, but $(cat "$folder/tree/build/release/commands")"
}
says() { # PATTERN
    grep -q -- "$1" "$folder/out" || fail "it does not say: $1"
}
builds "vmaf_cli vmaf_backend_probe"
says '--all .*vmaf-tune,$'
says 'backends for other GPUs (cuda hip sycl vulkan)$'
! grep -q '^wants kernel\|^wants vulkan' "$folder/out" || fail "it wants packages for GPUs that are not there"
start 1 ""
builds "vmaf_cli vmaf_backend_probe synth"

# The backends for the GPUs of the machine, as far as they can be built.
GPUS="sycl
vulkan"
start 1 "" "$folder/a.mkv" "$folder/b.mkv"
builds "vmaf_cli vmaf_backend_probe backend_vulkan"
for name in kernel level_zero vulkan_build; do
    says "^wants $name$"
done
GPUS=cuda
start 1 "" "$folder/a.mkv" "$folder/b.mkv"
builds "vmaf_cli vmaf_backend_probe backend_cuda"
! grep -q '^wants vulkan' "$folder/out" || fail "it wants packages for Vulkan"
says 'backends for other GPUs (hip sycl vulkan)$'
GPUS=hip
start 1 "" "$folder/a.mkv" "$folder/b.mkv"
builds "vmaf_cli vmaf_backend_probe"
CHIPS="gfx1032
gfx1100"
start 1 "" "$folder/a.mkv" "$folder/b.mkv"
builds "vmaf_cli vmaf_backend_probe backend_hip"
grep -q -- '-DVMAF_HIP_ARCHITECTURES=gfx1032;gfx1100$' "$folder/tree/build/release/commands" || fail "not for the chips"

# Everything, after the score.
start 1 "" --all "$folder/a.mkv" "$folder/b.mkv"
ends_well 0
grep -q -- '-DVMAF_HIP_ARCHITECTURES=auto$' "$folder/tree/build/release/commands" || fail "not for all chips"
tail -n 1 "$folder/tree/build/release/commands" | grep -qx -- '--build [^ ]*' || fail "the rest is not built last"
says "cmake --install"
echo "all is well"
