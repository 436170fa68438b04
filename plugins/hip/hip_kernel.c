/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels are loaded on first use, from the code that is made for the chip, or for its family. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hip_internal.h"

/* Architectures whose code runs on several chips, as LLVM defines them. */
static const struct {
    const char *name, *chips;
} families[] = {
    {"gfx9-generic", " gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c "},
    {"gfx9-4-generic", " gfx942 gfx950 "},
    {"gfx10-1-generic", " gfx1010 gfx1011 gfx1012 gfx1013 "},
    {"gfx10-3-generic", " gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 "},
    {"gfx11-generic", " gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 "},
    {"gfx12-generic", " gfx1200 gfx1201 "},
};

int hip_code_fits(const char *architecture, const char *chip)
{
    char word[HIP_CHIP_SIZE + 2];
    if (!chip[0])
        return 0;
    if (strcmp(architecture, chip) == 0)
        return 2;
    snprintf(word, sizeof(word), " %s ", chip);
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        if (strcmp(families[i].name, architecture) == 0)
            return strstr(families[i].chips, word) != NULL;
    }
    return 0;
}

/* Whether another code may be taken. */
static bool is_refused(HipResult result)
{
    const int err = hip_error_of(result);
    return err && err != -ENODEV && err != -ENOMEM;
}

int hip_kernel_load(VmafStreamDevice *device, VmafStreamKernel *base, const VmafKernel *source)
{
    VmafDriverKernel *kernel = (VmafDriverKernel *)base;
    const char *chip = ((HipDevice *)device)->chip;
    HipResult result = HIP_ERROR_NO_BINARY_FOR_GPU;
    /* A runtime that is too old for one may take the other. */
    for (int fit = 2; fit > 0; fit--) {
        for (size_t i = 0; i < source->n_codes && is_refused(result); i++) {
            if (hip_code_fits(source->codes[i].architecture, chip) == fit)
                result = vmaf_driver_load_code(&hip_calls, kernel, source, &source->codes[i]);
        }
    }
    return hip_done(device, result, source->name);
}
