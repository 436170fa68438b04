#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# Scores go through no function that C libraries round differently: src/metrics/common/math has them.
#   functions.sh <source folder>
set -eu
cd "$1"
# Those of <math.h> whose results are not defined to the last bit, with the suffixes f and l.
names='(a?cosh?|a?sinh?|a?tanh?|atan2|cbrt|erfc?|exp|exp10|exp2|expm1|hypot|lgamma|log|log10|log1p|log2|pow|sincos|tgamma)'
pattern="(^|[^A-Za-z0-9_.>])${names}[fl]?[[:space:]]*\\("

# Prints "file:line: text" of calls outside of comments.
calls() { # file...
    awk -v pattern="$pattern" '
        FNR == 1 { in_comment = 0 }
        {
            text = $0
            code = ""
            while (text != "") {
                if (in_comment) {
                    end = index(text, "*/")
                    in_comment = !end
                    text = end ? substr(text, end + 2) : ""
                } else {
                    start = index(text, "/*")
                    in_comment = start > 0
                    code = code (start ? substr(text, 1, start - 1) : text)
                    text = start ? substr(text, start + 2) : ""
                }
            }
            sub(/\/\/.*/, "", code)
            if (code ~ pattern)
                print FILENAME ":" FNR ": " $0
        }' "$@"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/sample" <<'EOF'
x = exp(y);
    return (float)powf (x, y) + 1; /* powf */
a = -log10(2) * host->log(b); // sin(x)
/* cos(x) and
 * tan(x) */ c = cbrtl(d);
math_exp(x) + host->log(y) + host.log(y) + my_log2(z);
EOF
n=$(calls "$folder/sample" | wc -l)
[ "$n" -eq 4 ] || {
    echo "functions.sh: $n of 4 calls of the sample were found" >&2
    exit 1
}

find src/core src/metrics -name '*.[ch]' | sort >"$folder/sources"
[ "$(wc -l <"$folder/sources")" -ge 300 ] || {
    echo "functions.sh: only $(wc -l <"$folder/sources") sources were found" >&2
    exit 1
}
# shellcheck disable=SC2046 # no file has a space in its name
calls $(cat "$folder/sources") >"$folder/found"
[ ! -s "$folder/found" ] || {
    cat "$folder/found" >&2
    echo "  ^ C libraries round that differently; take metrics/common/math/math_functions.h" >&2
    exit 1
}
