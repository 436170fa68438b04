# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by the scripts beside it, which have read the settings before.
# shellcheck shell=sh
# shellcheck disable=SC2154

say() {
    echo "== $*"
    : >"$folder/log"
}
fail() {
    echo "$script: $*" >&2
    [ ! -s "$folder/log" ] || cat "$folder/log" >&2
    exit 1
}
skip() {
    echo "skipped: $*"
    exit 77
}
has() {
    command -v "$1" >/dev/null 2>&1
}

# Packages have the same bytes whenever they are made.
SOURCE_DATE_EPOCH=1700000000
export SOURCE_DATE_EPOCH
make_packages() { # kind, folder, umask
    (umask "$3" && cd "$build" && "$cpack" -G "$1" -B "$folder/$2") >"$folder/log" 2>&1 ||
        fail "cpack -G $1 failed"
    if grep -E '^(CMake|CPack) .*Warning' "$folder/log"; then
        fail "cpack -G $1 warns"
    fi
    : >"$folder/log"
    rm -rf "$folder/$2/_CPack_Packages"
}

# All users can read installed files, whoever made the package.
check_modes() { # package, and on standard input lines that begin with modes
    if grep -vE '^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--|lrwxrwxrwx)' >"$folder/strange"; then
        fail "modes of $1: $(cat "$folder/strange")"
    fi
}

same_lists() { # what, expected, found
    LC_ALL=C sort "$folder/$2" >"$folder/$2.sorted"
    LC_ALL=C sort "$folder/$3" >"$folder/$3.sorted"
    diff -u "$folder/$2.sorted" "$folder/$3.sorted" || fail "$1 differ (- expected, + found)"
}

# The files of a package by component, below the prefix; copyright notices aside.
files_of_component() { # component
    case $1 in
    core)
        echo "$libdir/libvmaf.so.$soversion"
        echo "$libdir/libvmaf.so.$version"
        echo "$helper"
        ;;
    media-ffmpeg)
        number=$(sed -n 's/.*MEDIA_INTERFACE = \([0-9]*\).*/\1/p' "$source/media/module_interface.h")
        echo "$libdir/libvmaf/media$number/vmaf-media-ffmpeg.so"
        ;;
    cli)
        for program in vmaf vmaf-backend-bench vmaf-backend-check; do
            echo "$bindir/$program"
            echo "$mandir/man1/$program.1.gz"
        done
        echo "$datadir/bash-completion/completions/vmaf"
        echo "$zshdir/_vmaf"
        echo "$datadir/fish/vendor_completions.d/vmaf.fish"
        echo "${helper%/*}/synth"
        for file in installed.sh kernel_operations.txt $(cd "$source/scripts" && ls gpu-check.sh gpu_check_*); do
            echo "$datadir/libvmaf/gpu-check/$file"
        done
        for file in slurm/vmaf-slurm slurm/vmaf.sbatch kubernetes/shards.yaml kubernetes/merge.yaml; do
            echo "$datadir/libvmaf/$file"
        done
        ;;
    tune)
        for program in vmaf-tune vmaf-perShot; do
            echo "$bindir/$program"
            echo "$mandir/man1/$program.1.gz"
        done
        echo "$datadir/bash-completion/completions/vmaf-tune"
        echo "$zshdir/_vmaf-tune"
        echo "$datadir/fish/vendor_completions.d/vmaf-tune.fish"
        ;;
    dev)
        DESTDIR="$folder/staged" cmake --install "$build" --component dev >"$folder/log" ||
            fail "dev does not install"
        : >"$folder/log"
        (cd "$folder/staged$prefix" && find . ! -type d | sed 's,^\./,,') |
            sed "s,^$docdir/,$datadir/doc/$2/,; s,^$mandir/.*,&.gz,"
        ;;
    backend-*) echo "$plugins/libvmaf-$1.so" ;;
    esac
}

# Packaged files contain no path of the build. Static libraries of builds with debug information do,
# since only what is linked is stripped.
no_paths_in() { # folder
    # shellcheck disable=SC2044
    for file in $(find "$1" -type f); do
        case $file:$build_type in
        *.a:Release | *.a:MinSizeRel) ;;
        *.a:*) continue ;;
        esac
        for path in "$build" "$source"; do
            if grep -qaF "$path" "$file"; then
                fail "$file contains $path"
            fi
        done
    done
}
