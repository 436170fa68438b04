# SPDX-License-Identifier: BSD-2-Clause-Patent
# Counts the test cases in a JUnit file of ctest, and prints "PASSED FAILED SKIPPED".
#
#     awk -v build=NAME -v reasons=FILE -f count_tests.awk JUNIT.xml
#
# A cmocka program counts as many cases as it has test functions, any other test as one. Skipped
# tests are added to the file of reasons, with their last message.

# Of "[  PASSED  ] 3 test(s).", or "[  PASSED  ] group: 3 test(s)." of newer versions.
function number(line) {
    sub(/ test\(s\).*/, "", line)
    sub(/.* /, "", line)
    return line + 0
}

function note(function_name) {
    print build ": " name function_name (said == "" ? "" : " (" said ")") >> reasons
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
    if (status == "skip")
        note("")
    passed += ok
    failed += bad
    left_out += skipped
}

/<testcase / {
    finish()
    ok = bad = skipped = 0
    said = ""
    name = $0
    sub(/.* name="/, "", name)
    sub(/".*/, "", name)
    status = $0
    sub(/.* status="/, "", status)
    sub(/".*/, "", status)
}

/<skipped message="SKIP_RE/ { status = "skip"; next } # _RETURN_CODE or _REGULAR_EXPRESSION
/<system-out>/ { sub(/.*<system-out>/, "") }
/\[  PASSED  \] ([^ ]+: )?[0-9]+ test/ { ok += number($0); next }
/\[  FAILED  \] ([^ ]+: )?[0-9]+ test/ { bad += number($0); next }
/\[  SKIPPED \] ([^ ]+: )?[0-9]+ test/ { skipped += number($0); listed = 1; next }
/\[  SKIPPED \] / { if (!listed) note(" " $NF); next }
/\[ RUN / { said = ""; listed = 0; next }
!/[<>]|^\[/ { if ($0 != "") said = $0 }

END {
    finish()
    print passed + 0, failed + 0, left_out + 0
}
