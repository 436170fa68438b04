/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_SIGNALS_H
#define VMAF_PLATFORM_SIGNALS_H

/* The signals that a thread blocks, and threads that it creates from then on. */

#include <stdint.h>

typedef union VmafSignals {
    uint64_t alignment[16];
    unsigned char bytes[128];
} VmafSignals;

/* The calling thread blocks all signals until it restores those that it blocked before. */
void vmaf_signals_block(VmafSignals *before);
void vmaf_signals_restore(const VmafSignals *before);

#endif
