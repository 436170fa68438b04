# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by the other scripts: finds out what is missing, and installs it where that is possible.
# They set $log, the file that takes what commands say.
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

# The Debian packages that are missing for "build" or "tests" (which need those for a build too).
missing_packages() {
    has cc || echo gcc
    has_header stdio.h || echo libc6-dev
    has cmake || echo cmake
    has ninja || echo ninja-build
    has pkg-config || echo pkg-config
    has_module jansson || echo libjansson-dev
    has_header ltdl.h || echo libltdl-dev
    if [ "$1" = tests ]; then
        has_module cmocka || echo libcmocka-dev
    fi
}

# Those that some tests are skipped without, and nothing else needs. For 64-bit Arm:
missing_arm_packages() {
    case $(uname -m) in
    aarch64 | arm64) return ;;
    esac
    has aarch64-linux-gnu-gcc || echo gcc-aarch64-linux-gnu
    [ -e /usr/aarch64-linux-gnu/include/stdio.h ] || echo libc6-dev-arm64-cross
    has qemu-aarch64 || has qemu-aarch64-static || echo qemu-user
}

# For Vulkan, on the software device:
missing_vulkan_packages() {
    has_module vulkan || echo libvulkan-dev
    has glslangValidator || echo glslang-tools
    has spirv-val || echo spirv-tools
    ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1 || echo mesa-vulkan-drivers
    ls /usr/share/vulkan/explicit_layer.d/*validation*.json >/dev/null 2>&1 ||
        echo vulkan-validationlayers
}

# To compile the kernels for the other GPUs:
missing_kernel_packages() {
    has clang-15 || has clang || echo clang-15
    has llvm-spirv-15 || has llvm-spirv || echo llvm-spirv-15
}

# To build packages:
missing_packaging_packages() {
    has dpkg-shlibdeps || echo dpkg-dev
    has file || echo file
    has debootstrap || echo debootstrap
    has rpmbuild || echo rpm
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

# Install what some tests can do without, if that needs no password and replaces nothing.
want_packages() { # arm, vulkan, kernel or packaging
    optional=$("missing_$1_packages" | tr '\n' ' ')
    optional=${optional% }
    [ -n "$optional" ] && has apt-get || return 0
    [ "$(id -u)" -eq 0 ] || { has sudo && sudo -n true 2>/dev/null; } || return 0
    say "Installing packages: $optional"
    install_packages "$optional" --no-remove || say "That failed; tests that need them are skipped."
}

# Run a command quietly; show the end of what it said if it fails.
quietly() {
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        say "This failed: $*" >&2
        return 1
    fi
}
