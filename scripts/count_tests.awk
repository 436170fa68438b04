# SPDX-License-Identifier: BSD-2-Clause-Patent
# Counts the test cases in a JUnit file of ctest, and prints "PASSED FAILED SKIPPED".
#
#     awk -v build=NAME -v reasons=FILE -f count_tests.awk JUNIT.xml
#
# A cmocka program counts as many cases as it has test functions, any other test as one. What was
# skipped is added to the file of reasons, with those lines of its output that start with "skip: ".

function number(line) {
    sub(/.*\] /, "", line)
    return line + 0
}

function rest(line, start) {
    return substr(line, index(line, start) + length(start))
}

function finish() {
    if (name == "")
        return
    if (ok + bad + skipped == 0) { # not a cmocka program, or one that died
        ok = status == "run"
        skipped = status == "skip"
        bad = !ok && !skipped
    } else if (status != "run" && bad == 0) {
        bad = 1
    }
    if (status == "skip" || skipped)
        print build ": " name why >> reasons
    passed += ok
    failed += bad
    left_out += skipped
}

/<testcase / {
    finish()
    ok = bad = skipped = 0
    why = ""
    name = $0
    sub(/.* name="/, "", name)
    sub(/".*/, "", name)
    status = $0
    sub(/.* status="/, "", status)
    sub(/".*/, "", status)
}

/<skipped message="SKIP_RETURN_CODE/ { status = "skip" }
/\[  PASSED  \] [0-9]+ test/ { ok += number($0) }
/\[  FAILED  \] [0-9]+ test/ { bad += number($0) }
/\[  SKIPPED \] [0-9]+ test/ { skipped += number($0) }
/skip: / { why = why "; " rest($0, "skip: ") }

END {
    finish()
    print passed + 0, failed + 0, left_out + 0
}
