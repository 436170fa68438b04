# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes a script for sed -E of tests/components.txt, which replaces a path by the pattern of the tests that prove it.

function finish() {
    for (i = 1; i <= n; i++)
        printf "s#^%s$#%s#\nt\n", path[i], tests
    n = 0
    tests = ""
}

/^(#|$)/ { next }
/^ / { sub(/^ +/, ""); tests = tests (tests == "" ? "" : "|") $0; next }
tests != "" { finish() }
{ path[++n] = $0 }

END { finish() }
