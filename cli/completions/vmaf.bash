# SPDX-License-Identifier: BSD-2-Clause-Patent
# Completion of vmaf for bash. The program says what it has.
eval "$(command vmaf --completion bash 2>/dev/null)"
