#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# A machine may be busy: what ends a test that hangs is the same generous limit for all.
#   limits.sh <source folder>
set -eu
cd "$1"
if grep -rnE 'TIMEOUT +"?[0-9]' --include=CMakeLists.txt --include='*.cmake' bench cli common media plugins src tests tune; then
    echo "  ^ a limit of its own; write TIMEOUT \${VMAF_TEST_TIMEOUT}" >&2
    exit 1
fi
if grep -rnE '\btimeout [1-9][0-9]{0,2} ' --include='*.sh' tests; then
    echo "  ^ a busy machine may take longer than that; write timeout 1800" >&2
    exit 1
fi
if grep -rnE '\balarm\([1-9][0-9]{0,2}\)' --include='*.c' tests; then
    echo "  ^ a busy machine may take longer than that; write alarm(1800)" >&2
    exit 1
fi
