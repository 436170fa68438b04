# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by the scripts of this folder, whose first arguments are the source folder and the build folder:
# finds the compiler, the libraries and, for those that ask for it, Wine, or skips the test (77).
# shellcheck shell=sh disable=SC2034
source=$1
build=$2
root=$source/build/windows-root

skip() {
    echo "$*"
    exit 77
}
command -v x86_64-w64-mingw32-gcc-win32 >/dev/null || skip "gcc-mingw-w64-x86-64-win32 is not installed"
[ -d "$root" ] || skip "scripts/windows_root.sh build/windows-root has not been run, or failed"
mkdir -p "$build"

# A Windows in that folder, that nobody has changed, with no window and no messages of its own.
want_wine() {
    wine=
    for program in wine64 wine /usr/lib/wine/wine64; do
        [ -n "$wine" ] || wine=$(command -v $program || true)
    done
    [ -n "$wine" ] || skip "wine64 is not installed"
    export WINEPREFIX="$1" WINEDEBUG=-all DISPLAY=
    export WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe=;winedbg.exe='
    # It is started once, not for every program, and ends a minute after the last one. Its services would
    # keep the output of whoever starts them open.
    wineserver -p60 >/dev/null 2>&1 || true
    "$wine" wineboot >/dev/null 2>&1 </dev/null || true
}

# Makes a folder on drive C, of which no folder above is writable by others, as /tmp is: a program with all
# rights, as Wine gives them to the superuser, takes no plugins from below such a one.
windows_folder() {
    mktemp -d "$WINEPREFIX/drive_c/test.XXXXXX"
}
