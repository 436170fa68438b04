/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_BACKEND_ABI_1_0_LAYOUT_H
#define TESTS_BACKEND_ABI_1_0_LAYOUT_H

/* Where a compiler puts the members of version 1.0: layout.c is compiled once with the frozen
 * header and once with that of the tree. */

#include <stddef.h>

typedef struct Member {
    const char *structure, *name;
    size_t offset, size;
    size_t structure_size;
} Member;

extern const Member members_1_0[], members_now[];
extern const size_t n_members_1_0, n_members_now;

#endif
