/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_CHILD_TEXT_H
#define VMAF_PLATFORM_CHILD_TEXT_H

/* For the sources of each system: what becomes of the text of a program that is run. */

#include "platform/child.h"

typedef struct VmafChildText {
    const VmafChildRun *run;
    VmafChildResult *result;
    size_t capacity; /* of result->output */
    bool out_of_memory;
    int64_t last_sign; /* of life, vmaf_steady_ms */
} VmafChildText;

/* 0; -ENOMEM. The result owns what it receives. */
int vmaf_child_text_begin(VmafChildText *text, const VmafChildRun *run, VmafChildResult *result);
void vmaf_child_text_take(VmafChildText *text, VmafChildStream stream, const char *bytes,
                          size_t size);

#endif
