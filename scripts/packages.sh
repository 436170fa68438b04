# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by the other scripts: finds out what is missing, and installs it where that is possible.
# They set $log, the file for the output of commands.
# shellcheck shell=sh
# shellcheck disable=SC2154

say() {
    printf '%s\n' "$*"
}

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

has_module() {
    has pkg-config && pkg-config --exists "$1"
}

has_header() {
    has cc && echo "#include <$1>" | cc -E - >/dev/null 2>&1
}

# The Debian packages that are missing for "build", "tests" or "media" (which need those for a build
# too), or for "windows", a build for which nothing is compiled for this system.
missing_packages() {
    if [ "$1" != windows ]; then
        has cc || echo gcc
        has_header stdio.h || echo libc6-dev
    fi
    has cmake || echo cmake
    has ninja || echo ninja-build
    has pkg-config || echo pkg-config
    if [ "$1" = windows ]; then
        missing_windows_build_packages
        return
    fi
    has_module jansson || echo libjansson-dev
    has_module zlib || echo zlib1g-dev
    has_header ltdl.h || echo libltdl-dev
    case $1 in
    tests) has_module cmocka || echo libcmocka-dev ;;
    media) missing_media_packages ;;
    esac
}

# For the module that reads media files, without which the rest still works:
missing_media_packages() {
    for library in avformat avcodec avfilter avutil swscale; do
        has_module "lib$library" || echo "lib$library-dev"
    done
    has ffmpeg || echo ffmpeg
}

# Packages without which some tests are skipped, and which nothing else needs. For other processors the
# compiler and the C library, and what runs programs for them:
missing_cross_packages() { # TRIPLET NAME_OF_THE_PROCESSOR_IN_DEBIAN
    has "$1-gcc" || echo "gcc-$1"
    [ -e "/usr/$1/include/stdio.h" ] || echo "libc6-dev-$2-cross"
}

missing_arm_packages() { # 64 bits
    case $(uname -m) in
    aarch64 | arm64) return ;;
    esac
    missing_cross_packages aarch64-linux-gnu arm64
    has qemu-aarch64 || has qemu-aarch64-static || echo qemu-user
}

missing_i386_packages() {
    missing_cross_packages i686-linux-gnu i386
    has qemu-i386 || has qemu-i386-static || echo qemu-user
    missing_source_packages
}

missing_s390x_packages() { # the high byte of a number comes first
    missing_cross_packages s390x-linux-gnu s390x
    has qemu-s390x || has qemu-s390x-static || echo qemu-user
}

# Other compilers and interpreters, and what finds misuse of memory:
missing_tool_packages() {
    has c++ || has g++ || has clang++ || echo g++
    has python3 || echo python3
    has valgrind || echo valgrind
}

# What looks at pages, and shells that complete.
missing_user_packages() {
    has chromium || has chromium-browser || has google-chrome || echo chromium
    has tidy || echo tidy
    has zsh || echo zsh
    has fish || echo fish
}

# To build the Vulkan backend, and for its tests, on the software device:
missing_vulkan_build_packages() {
    has_module vulkan || echo libvulkan-dev
    has glslangValidator || echo glslang-tools
}
missing_vulkan_packages() {
    missing_vulkan_build_packages
    has spirv-val || echo spirv-tools
    ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1 || echo mesa-vulkan-drivers
    ls /usr/share/vulkan/explicit_layer.d/*validation*.json >/dev/null 2>&1 ||
        echo vulkan-validationlayers
}

# To compile the kernels for the other GPUs: Clang, and the translator and the linker of its version,
# for the newest version of which the system has Clang and translator.
missing_kernel_packages() {
    for version in $(seq 40 -1 15); do
        if has "clang-$version" && has "llvm-spirv-$version"; then
            has "ld.lld-$version" || echo "lld-$version"
            return
        fi
    done
    if has clang && has llvm-spirv; then
        has ld.lld || echo lld
        return
    fi
    for version in $(apt-cache pkgnames llvm-spirv- 2>/dev/null | sed 's/.*-//' | sort -rn) 15; do
        apt-cache show "clang-$version" >/dev/null 2>&1 && break
    done
    echo "clang-$version"
    echo "llvm-spirv-$version"
    echo "lld-$version"
}

# For Level Zero: the loader, and for tests OpenCL on the processor, which executes the kernels, and Intel's compiler
# and driver where the system has them, which need no GPU. For Metal: another translation of the kernels to compare with.
missing_level_zero_packages() {
    has_header level_zero/ze_api.h || echo libze-dev
}
missing_runtime_packages() {
    missing_level_zero_packages
    has_module OpenCL && has_header CL/cl.h || echo ocl-icd-opencl-dev opencl-c-headers
    [ -e /etc/OpenCL/vendors/pocl.icd ] || echo pocl-opencl-icd
    has spirv-cross || echo spirv-cross
    has ocloc || ! apt-cache show intel-opencl-icd >/dev/null 2>&1 || echo intel-opencl-icd
}

# What unpacks Debian's sources.
missing_source_packages() {
    has dpkg-source || echo dpkg-dev
    has gpgv || echo gpgv
}

# For programs that are one file: the C library musl with its compiler, and the sources of others.
missing_musl_packages() {
    has musl-gcc || echo musl-tools
    missing_source_packages
}

# To build for Windows: the compiler with threads of the system, and the sources of libraries.
missing_windows_build_packages() {
    has x86_64-w64-mingw32-gcc-win32 || echo gcc-mingw-w64-x86-64-win32
    [ -e /usr/x86_64-w64-mingw32/include/zlib.h ] || echo libz-mingw-w64-dev
    missing_source_packages
}

# The same for tests, with Wine, which runs what it makes.
missing_windows_packages() {
    case $(uname -m) in
    x86_64) ;;
    *) return ;;
    esac
    missing_windows_build_packages
    has wine || has wine64 || [ -x /usr/lib/wine/wine64 ] || echo wine64 wine
}

# To build packages:
missing_packaging_packages() {
    has dpkg-shlibdeps || echo dpkg-dev
    has file || echo file
    has debootstrap || echo debootstrap
    has rpmbuild || echo rpm
}

# For runs on many machines, as they are documented:
missing_scale_packages() {
    has parallel || echo parallel
    { has python3 && python3 -c 'import yaml' 2>/dev/null; } || echo python3-yaml
}

# Slurm, which the tests start for themselves:
missing_slurm_packages() {
    for daemon in slurmctld slurmd; do
        has $daemon || [ -x /usr/sbin/$daemon ] || echo $daemon
    done
    has sbatch || echo slurm-client
    has munged || [ -x /usr/sbin/munged ] || echo munge
}

# The backends for the GPUs of this machine: what the kernel says of its PCI devices, display controllers
# and processing accelerators.
gpu_backends() { # /sys/bus/pci/devices
    for device in "$1"/*; do
        case $(cat "$device/class" 2>/dev/null) in
        0x03* | 0x12*) cat "$device/vendor" ;;
        esac
    done | sed -n 's/^0x10de$/cuda/p; s/^0x1002$/hip vulkan/p; s/^0x8086$/sycl vulkan/p' | tr ' ' '\n' | sort -u
}

# The chips of AMD's GPUs, which its driver knows: 100302 is gfx1032.
amd_chips() { # /sys/class/kfd/kfd/topology/nodes
    cat "$1"/*/properties 2>/dev/null | awk '$1 == "gfx_target_version" && $2 {
        printf "gfx%d%x%x\n", $2 / 10000, $2 / 100 % 100, $2 % 100
    }' | sort -u
}

# Become root for one command: directly, or with sudo, which asks for a password unless in CI.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ "${CI:-}" = true ]; then
        sudo -n "$@"
    else
        sudo "$@"
    fi
}

install_packages() { # LIST [OPTION]
    # shellcheck disable=SC2086 # a list of words
    { as_root apt-get -q update &&
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get -q install --yes --no-install-recommends ${2:-} $1; } >"$log" 2>&1
}

# Install what is missing; say what to do where that is not possible. Nothing happens, and no
# network is used, if everything is there.
need_packages() {
    missing=$(missing_packages "$1" | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || return 0
    if ! has apt-get; then
        die "Missing: $missing (names of Debian packages). Install them, then run this again."
    fi
    if [ "$(id -u)" -ne 0 ] && ! has sudo; then
        die "Missing packages. As root, run: apt-get install $missing"
    fi
    say "Installing packages: $missing"
    if ! install_packages "$missing"; then
        tail -n 20 "$log" >&2
        die "Installing failed. As root, run: apt-get install $missing"
    fi
}

# Install what a build or some tests can do without, if that needs no password and replaces nothing.
want_packages() { # media, tool, user, arm, i386, s390x, musl, vulkan, vulkan_build, kernel, level_zero, runtime, windows, packaging, scale or slurm
    optional=$("missing_$1_packages" | tr '\n' ' ')
    optional=${optional% }
    [ -n "$optional" ] || return 0
    if ! has apt-get; then
        say "Not installed, so what needs them is left out: $optional (names of Debian packages)"
    elif [ "$(id -u)" -ne 0 ] && ! { has sudo && sudo -n true 2>/dev/null; }; then
        say "Not installed, so what needs them is left out. As root, run: apt-get install $optional"
    else
        say "Installing packages: $optional"
        install_packages "$optional" --no-remove || say "That failed; what needs them is left out."
    fi
}

# Print the progress of the program whose output is on standard input: ninja counts steps, ctest
# tests. On a terminal that is one changing line, elsewhere a line now and then.
show_progress() {
    next=10
    while IFS= read -r line; do
        case $line in
        "["*"] "*)
            step=${line#"["}
            step=${step%%"]"*}
            ;;
        *" Test "*)
            step=${line%% Test *}
            step=${step##* }
            ;;
        *) continue ;;
        esac
        case $step in
        [1-9]*/[1-9]*) ;;
        *) continue ;;
        esac
        case $step in
        *[!0-9/]* | */*/*) continue ;;
        esac
        percent=$((100 * ${step%/*} / ${step#*/}))
        if [ -t 1 ]; then
            printf '\r  %3d %% ' $percent
        elif [ $percent -ge $next ]; then
            printf '  %3d %%\n' $percent
            next=$((percent / 10 * 10 + 10))
        fi
    done
    [ ! -t 1 ] || printf '\r        \r'
}

# Run a command with its output in the log, and show its progress.
with_progress() {
    rm -f "$log.failed"
    { "$@" 2>&1 || echo $? >"$log.failed"; } | tee "$log" | show_progress
    [ -e "$log.failed" ] || return 0
    return "$(cat "$log.failed")"
}

complain() { # COMMAND...
    tail -n 60 "$log" >&2
    say "This failed: $*" >&2
    return 1
}

# Run a command quietly; show the end of its output if it fails.
quietly() {
    "$@" >"$log" 2>&1 || complain "$@"
}

# The same, with progress, for a long command.
patiently() {
    with_progress "$@" || complain "$@"
}
