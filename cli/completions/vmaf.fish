# SPDX-License-Identifier: BSD-2-Clause-Patent
# Completion of vmaf for fish. The program says what it has.
command vmaf --completion fish 2>/dev/null | source
