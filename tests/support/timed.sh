#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# timed.sh NAME COMMAND...: runs a test. Its processor time, its children's included, goes to the file NAME
# in the folder $VMAF_TEST_TIMES, in the format of `times`, with its exit status.
name=$1
shift
[ -n "${VMAF_TEST_TIMES:-}" ] || exec "$@"
"$@"
status=$?
{ times && echo "status $status"; } >"$VMAF_TEST_TIMES/$name"
exit $status
