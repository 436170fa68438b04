# SPDX-License-Identifier: BSD-2-Clause-Patent
# The policy: which backend a context uses.
vmaf_add_test(test_selection SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_selection.c LABELS optimised)
