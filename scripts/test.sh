#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Builds and tests everything:
#
#     scripts/test.sh [--strict]
#     scripts/test.sh [--strict] --changed [BASE]
#     scripts/test.sh [--strict] NAME [CASE...]
#     scripts/test.sh --sanitizers
#     scripts/test.sh [--strict] --nightly [LABEL]
#
# Installs what is missing (Debian), then tests an optimised build, one with the address and
# undefined-behaviour sanitizers, one with the thread sanitizer, and, if valgrind is installed,
# some tests under valgrind. With --changed: what tests/components.txt says of the paths that differ
# from BASE; with a name: tests of that label, program or name; with --sanitizers: those builds alone;
# with --nightly: the tests that take long, all or those of a label; with --strict, warnings are errors. Ends with one
# line "N passed, N failed, N skipped" that counts test cases; the exit status is not 0 if any failed.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
# shellcheck source=scripts/packages.sh
. scripts/packages.sh

usage="usage: scripts/test.sh [--strict] [--changed [BASE] | --nightly [LABEL] | NAME [CASE...]]
       scripts/test.sh --sanitizers"
selection='--label-exclude ^(tidy|nightly)$'
nightly=
name='' names='' # a name for tests, or a pattern of their names, if only those are built and run
unset VMAF_STRICT # what tests compile
if [ "${1:-}" = --strict ]; then
    export VMAF_STRICT=ON
    shift
fi
case ${1:-} in
-h | --help)
    say "$usage

Builds and tests everything: an optimised build in build/ci, one with the address and
undefined-behaviour sanitizers, one with the thread sanitizer; some tests run under valgrind too. What
is missing is installed first, on Debian, as root or with sudo. It takes some 15 minutes on two idle
processors, ends with the tests that were skipped and why, and with one line
\"N passed, N failed, N skipped\"; the status is not 0 if any failed.

--nightly runs the tests that this leaves out since they take hours: whole machines, packages, other
processors, Windows and others, or those of them that have LABEL (docs/building.md). They need more
packages, and libraries for other processors, which are fetched first. What has passed is not run
again on the same commit.

build/test-times.tsv says how much processor time each build, label and test took.

--changed builds and runs, in build/ci, what proves the changes since BASE (main if it is not given):
commits, and files that are not committed; says which and why. It takes one to three minutes.

NAME builds and runs the tests of that name, of that program or with that label (docs/building.md); CASE
selects some of their cases by name, with * and ?, as the programs themselves do.

--sanitizers builds and tests with the sanitizers alone.

--strict takes warnings of compilers for errors, as continuous integration does."
    exit 0
    ;;
--nightly)
    [ $# -le 2 ] || die "$usage"
    nightly=yes
    selection='--label-regex ^nightly$ --label-exclude ^tidy$'
    ;;
--changed) [ $# -le 2 ] || die "$usage" ;;
--sanitizers) [ $# -eq 1 ] || die "$usage" ;;
-*) die "$usage" ;;
esac

mkdir -p build
log=$root/build/test.log
junit=$root/build/test-junit.xml
counts=$root/build/test-counts
reasons=$root/build/test-skips
times=$root/build/test-times.tsv # processor time of each build, label and test, the longest first
spent=$root/build/test-times
: >"$counts"
: >"$reasons"
: >"$times"
jobs=$(($(nproc) + 4)) # of tests: some wait for time limits

# What was compiled before, of the same text by the same tools, is not compiled again.
kernels=${XDG_CACHE_HOME:-${HOME:-$root/build}/.cache}/libvmaf-build/kernels
mkdir -p "$kernels"
find "$kernels" -type f -mtime +30 -delete
if has ccache; then
    CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
    export CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CCACHE_BASEDIR CCACHE_NOHASHDIR
fi

# The log without successful steps.
show_failures() {
    grep -vE '\[ RUN  |\[ +OK |   Passed  |^ +Start +[0-9]' "$log" || true
}

# Add the cases of a JUnit file; an exit status other than 0 counts as a failure.
count() { # NAME_OF_BUILD JUNIT_FILE EXIT_STATUS
    counted="0 0 0"
    [ ! -r "$2" ] ||
        counted=$(awk -v build="$1" -v reasons="$reasons" -f scripts/count_tests.awk "$2")
    case "$3:$counted" in
    0:*) ;;
    *:*" 0 "*) counted=$(echo "$counted" | awk '{ print $1, 1, $3 }') ;;
    esac
    say "$counted" >>"$counts"
}

# Add what the files in $spent say to the table of times.
note_times() { # PRESET
    find "build/$1" -name CTestTestfile.cmake -exec cat {} + >build/test-labels
    awk -v build="$1" -f scripts/test_times.awk build/test-labels "$spent"/* >>"$times"
    sort -t "$(printf '\t')" -k 4,4nr "$times" -o "$times"
}

# Begin with an empty $spent, except where the nightly tests of this commit go on: $passed lists those that
# passed.
forget_times() {
    passed=
    commit=$(git rev-parse HEAD 2>/dev/null && git status --porcelain --untracked-files=no) || commit=
    if [ "$nightly" ] && [ "$commit" ] && [ "$(cat "$spent.commit" 2>/dev/null)" = "$commit" ]; then
        passed=$(cd "$spent" && grep -lx 'status 0' -- * | paste -sd '|' -)
        [ -z "$passed" ] || say "Of this commit have passed: $passed" | tr '|' ' '
    else
        rm -rf "$spent"
    fi
    mkdir -p "$spent"
    echo "${nightly:+$commit}" >"$spent.commit"
}

skip() { # WHAT REASON
    say "$1: skipped, $2"
    say "$1: $2" >>"$reasons"
    say "0 0 1" >>"$counts"
}

# The pattern of the names of tests that prove what differs from a commit; say which and why.
quick_laws='tree-(architecture|assumptions|components|functions|house|includes|limits|lines|version)'
names_for_changes() { # COMMIT
    base=$(git merge-base HEAD "$1" 2>/dev/null || git merge-base HEAD "origin/$1") ||
        die "There is no commit $1."
    awk -f scripts/components.awk tests/components.txt >build/components.sed
    { git diff --name-only "$base" && git ls-files --others --exclude-standard; } | sort -u >build/changed
    sed -E -f build/components.sed build/changed | paste build/changed - | awk -F '\t' '
        n[$2]++ < 3 { paths[$2] = paths[$2] $1 " " }
        END { for (names in n) print paths[names] (n[names] > 3 ? "... " : "") "-> " names }' >build/why
    cat build/why
    names=$quick_laws$(sed 's/.* -> /|/' build/why | tr -d '\n')
}

# The pattern of the tests that have this name, or this label, or run this program.
names_for() { # NAME PRESET
    find "build/$2" -name CTestTestfile.cmake -exec cat {} + | awk -v name="$1" '
        { test = $0; sub(/.*\(\[=*\[/, "", test); sub(/\]=*\].*/, "", test) }
        /^add_test/ && (test == name || index($0, "/" name "\"")) { print test }
        /^set_tests_properties/ && $0 ~ "LABELS \"([^\"]*;)?" name "[;\"]" { print test }' >build/named
    ! grep -qxF -e "$1" build/named || selection='--label-exclude ^tidy$' # of the night, too
    [ -s build/named ] || die "No test, label or program is called $1."
    names=$(paste -sd '|' build/named)
}

# Restrict $selection to tests whose names match; CTest takes their places in the list.
select_names() { # PRESET NAMES
    # shellcheck disable=SC2086 # arguments
    ctest --test-dir "build/$1" --show-only $selection | sed -nE 's/^ *Test +#[0-9]+: ([^ ]+).*/\1/p' |
        NAMES="^($2)$" awk 'BEGIN { printf "0,0,0" } $1 ~ ENVIRON["NAMES"] { printf ",%d", NR }
            END { print "" }' >build/selected
    selection="$selection --tests-information $root/build/selected"
}

# What the tests run that CTest selects by arguments, as targets: programs, plugins in folders that are named, and all
# but tests if the build's own folder is; of what else programs load, they say that they depend on it.
programs_of() { # PRESET ARGUMENT...
    preset=$1
    shift
    ctest --test-dir "build/$preset" "$@" --show-only --verbose |
        grep -vE '^(Internal ctest|Test project|UpdateCTest)|Working Directory:' | grep -oE "$root/build/$preset(/[A-Za-z0-9_./+-]+)?" | sed "s|^$root/build/$preset/*||" | sort -u >build/named
    ninja -C "build/$preset" -t targets all | sed 's/: .*//' | awk '
        NR == FNR { named[$0]; next }
        "" in named && /^[a-z]+(\/[a-z]+)?\/all$/ && !/^tests\// { print }
        { folder = $0; sub("/[^/]*$", "", folder) }
        $0 in named || (/\.so$/ && folder in named)' build/named -
}

# Configure, build, and run the tests, or only those whose labels match, or $name or $names; what else is in that
# build need not be built then if WHAT is "programs". Kernels are compiled once.
test_build() { # PRESET [LABELS [WHAT]]
    say ""
    say "== $1"
    start=$(date +%s)
    compiled=-DVMAF_COMPILED_KERNELS=$root/build/ci
    strict=OFF # sanitizers make compilers warn of what is right
    if [ "$1" = ci ]; then
        compiled=-DVMAF_KERNEL_CACHE=$kernels
        strict=${VMAF_STRICT:-OFF}
    fi
    forget_times
    if ! (quietly cmake --preset "$1" "$compiled" "-DVMAF_WERROR=$strict" && times >"$spent/configuring"); then
        say "0 1 0" >>"$counts"
        return
    fi
    [ -z "$name" ] || names_for "$name" "$1"
    [ -z "$names" ] || select_names "$1" "$names"
    # shellcheck disable=SC2046,SC2086 # lists
    if ! (patiently cmake --build "build/$1" ${3:+--target $(programs_of "$1" ${2:+--label-regex "$2"} $selection)} &&
        times >"$spent/building"); then
        say "0 1 0" >>"$counts"
        return
    fi
    say "built in $(($(date +%s) - start)) s"
    start=$(date +%s)
    status=0
    rm -f "$junit"
    # shellcheck disable=SC2086 # commands and arguments, or nothing
    with_progress env "VMAF_TEST_TIMES=$spent" $launcher ctest --test-dir "build/$1" ${2:+--label-regex "$2"} $selection ${passed:+--exclude-regex "^($passed)$"} \
        --parallel "$jobs" "--no-tests=$([ "$passed" ] && echo ignore || echo error)" --output-on-failure \
        --output-junit "$junit" --test-output-size-passed 10000000 \
        --test-output-size-failed 10000000 || status=$?
    [ $status -eq 0 ] || show_failures
    say "tested in $(($(date +%s) - start)) s"
    count "$1" "$junit" $status
    note_times "$1"
}

# Some systems forbid what a sanitizer needs; address randomisation disturbs the thread sanitizer.
launcher=
sanitizer_works() { # SANITIZERS
    echo 'int main(void) { return 0; }' >build/probe.c
    cc "-fsanitize=$1" build/probe.c -o build/probe >/dev/null 2>&1 || return 1
    for launcher in "" "setarch $(uname -m) -R"; do
        if $launcher build/probe >/dev/null 2>&1; then
            return 0
        fi
    done
    launcher=
    return 1
}

test_sanitized() { # PRESET SANITIZERS LABELS
    if sanitizer_works "$2"; then
        test_build "$1" "$3" programs
        launcher=
    else
        say ""
        skip "$1" "programs with -fsanitize=$2 do not run here"
    fi
}

# What only the build with the address sanitizer runs, if it can be made, and what both builds run.
parts='unit|fuzz|emulated|backend'
test_sanitizers() {
    test_sanitized asan-ubsan address,undefined "^($parts|both|numbers|api|cli|golden)\$"
    test_sanitized tsan thread '^threads$'
}

test_valgrind() {
    say ""
    say "== valgrind"
    if ! has valgrind; then
        skip valgrind "it is not installed"
        return
    fi
    program=build/ci/tests/golden/test_golden
    [ -x $program ] || return 0 # the failure to build it has been counted
    for group in errors sizes options-psnr; do
        status=run
        valgrind --quiet --error-exitcode=9 --leak-check=full \
            $program "tests/golden/$group.json" tests/golden/exceptions.json >"$log" 2>&1 ||
            status=fail
        # The format of ctest.
        { say "<testcase name=\"$group\" status=\"$status\">" && cat "$log"; } >"$junit"
        [ $status = run ] || show_failures
        count valgrind "$junit" 0
    done
}

# Libraries for another processor, where they can be used.
get_platform_root() { # SET_OF_PACKAGES TRIPLET
    folder=build/${2%%-*}-root
    if [ -z "$("missing_$1_packages")" ] && has "$2-gcc" && [ ! -e "$folder" ] &&
        ! scripts/platform_root.sh "$2" "$folder" >"$log" 2>&1; then
        say "Libraries for $1: $(tail -n 1 "$log")"
    fi
}

# Libraries for musl, where they can be used.
get_musl_root() {
    if [ -z "$(missing_musl_packages)" ] && [ ! -e build/musl-root ] &&
        ! scripts/source_root.sh "$(uname -m)-linux-musl" musl-gcc build/musl-root >"$log" 2>&1; then
        say "Libraries for musl: $(tail -n 1 "$log")"
    fi
}

# Libraries for Windows, where they can be used.
get_windows_root() {
    if [ -z "$(missing_windows_packages)" ] && [ ! -e build/windows-root ] &&
        ! scripts/windows_root.sh build/windows-root >"$log" 2>&1; then
        say "Libraries for Windows: $(tail -n 1 "$log")"
    fi
}

need_packages tests
for purpose in media tool user vulkan kernel runtime scale; do
    want_packages $purpose
done
has c++ || has g++ || has clang++ || skip "headers as C++" "no C++ compiler is installed"
has python3 || skip "parity.py" "python3 is not installed"
case ${1:-} in
--nightly)
    for purpose in arm i386 s390x musl windows packaging slurm; do
        want_packages $purpose
    done
    get_platform_root arm aarch64-linux-gnu
    get_platform_root i386 i686-linux-gnu
    get_platform_root s390x s390x-linux-gnu
    get_musl_root
    get_windows_root
    test_build ci "${2:-}"
    ;;
--changed)
    names_for_changes "${2:-main}"
    test_build ci "" programs
    ;;
--sanitizers) test_sanitizers ;;
?*)
    name=$1
    shift
    export VMAF_TEST_CASES="$*"
    test_build ci "" programs
    ;;
*)
    ! sanitizer_works address,undefined || selection="--label-exclude ^(tidy|nightly|$parts)\$"
    launcher=
    test_build ci "" programs
    selection='--label-exclude ^(tidy|nightly)$'
    test_sanitizers
    test_valgrind
    ;;
esac

say ""
if [ -s "$reasons" ]; then
    say "Skipped:"
    sort -u "$reasons" | sed 's/^/  /'
fi
awk '{ passed += $1; failed += $2; skipped += $3 }
    END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 }' "$counts"
