/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_FUZZ_QUIET_H
#define TESTS_FUZZ_QUIET_H

/* Discards what a target prints, which would take most of its time: between these calls stdout and
 * stderr go nowhere. */
void quiet_begin(void);
void quiet_end(void);

#endif
