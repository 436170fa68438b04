# SPDX-License-Identifier: BSD-2-Clause-Patent
# shellcheck shell=sh
# What the tests of scripts/gpu-check.sh share: its runs, and what they say.
# They set `source`, the folder of the sources, and `build`, that of a build.
check=$source/scripts/gpu-check.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset VMAF_BACKEND VMAF_BACKEND_PATH VMAF_TEST_HOSTILE VMAF_TEST_WRONG
TMPDIR=$folder
export TMPDIR
failures=0
fail() {
    echo "${0##*/}: $*" >&2
    grep -v '^[{|]' "$folder/out" | tail -n 30 | cut -c 1-200 >&2
    failures=$((failures + 1))
}
run() { # status that is expected, what, arguments...
    expected=$1
    what=$2
    shift 2
    rm -f "$folder/rows" "$folder/report.json"
    sh "$check" --json "$folder/rows" --report "$folder/report.json" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    status=$?
    cat "$folder/err" >>"$folder/out"
    [ "$status" -eq "$expected" ] || fail "$what: status $status, not $expected"
}
says() { # regular expression
    grep -qE "$1" "$folder/out" || fail "$what: nobody says $1"
}
says_not() {
    ! grep -qE "$1" "$folder/out" || fail "$what: says $1"
}

# Lines of JSON, each with its keys.
keys() { # kind, how many at least, keys...
    kind=$1
    least=$2
    shift 2
    n=$(grep -c "^{\"row\":\"$kind\"" "$folder/rows")
    [ "$n" -ge "$least" ] || fail "$n lines of $kind"
    for key in backend device driver "$@"; do
        [ "$(grep "^{\"row\":\"$kind\"" "$folder/rows" | grep -c "[{,]\"$key\":")" -eq "$n" ] ||
            fail "a line of $kind lacks $key"
    done
}

# A build with programs of the test's own in the place of some, in $fake.
fake=$folder/build
make_fake_build() {
    mkdir -p "$fake/tests/kernels" "$fake/cli" "$fake/bench" "$fake/plugins/check"
    for entry in backends src libexec; do
        [ ! -e "$build/$entry" ] || ln -s "$build/$entry" "$fake/$entry"
    done
    ln -s "$build/tests/support" "$fake/tests/support"
}
