/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "layout.h"

#include <libvmaf/backend.h>

#define MEMBER(type, member)                                                                       \
    {#type, #member, offsetof(type, member), sizeof(((type *)0)->member), sizeof(type)},
const Member MEMBERS[] = {
#include "members.h"
};
const size_t N_MEMBERS = sizeof(MEMBERS) / sizeof(MEMBERS[0]);
