#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The helper that probes plugins has nothing of sanitizers in builds without them: a sanitized
# plugin would find it there, and its leaks would stay unknown.
#   helper_symbols.sh <vmaf-backend-probe>
set -eu
symbols=$(nm "$1")
case "$symbols" in
    *' main'*) ;;
    *) echo "$1 is stripped" >&2; exit 77 ;;
esac
if echo "$symbols" | grep -E '__(lsan|asan|ubsan|tsan)_'; then
    echo "$1 has the symbols above" >&2
    exit 1
fi
