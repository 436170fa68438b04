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

has_c_headers() {
    has cc && echo '#include <stdio.h>' | cc -E - >/dev/null 2>&1
}

# The Debian packages that are missing for "build" or "tests" (which need those for a build too).
missing_packages() {
    has cc || echo gcc
    has_c_headers || echo libc6-dev
    has cmake || echo cmake
    has ninja || echo ninja-build
    has pkg-config || echo pkg-config
    has_module jansson || echo libjansson-dev
    if [ "$1" = tests ]; then
        has_module cmocka || echo libcmocka-dev
    fi
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
    # shellcheck disable=SC2086 # a list of words
    if ! { as_root apt-get -q update &&
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get -q install --yes --no-install-recommends $missing; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        die "Installing failed. As root, run: apt-get install $missing"
    fi
}

# Run a command quietly; show the end of what it said if it fails.
quietly() {
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        say "This failed: $*" >&2
        return 1
    fi
}
