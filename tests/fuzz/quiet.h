/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_FUZZ_QUIET_H
#define TESTS_FUZZ_QUIET_H

/* What a target prints is of no interest, and costs most of its time: between these calls stdout
 * and stderr lead nowhere. */
void quiet_begin(void);
void quiet_end(void);

#endif
