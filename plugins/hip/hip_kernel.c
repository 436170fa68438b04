/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels are loaded on first use, from the code that is made for the chip, for one like it, or for
 * its family. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Chips for which clang makes the same code as for another one, but for two bytes: the machine's
 * number in the ELF header, and the last letter of the target's name. */
typedef struct Twin {
    const char *chip;
    unsigned char machine;
    const char *made_for;
} Twin;
static const Twin twins[] = {
    {"gfx902", 0x2d, "gfx900"},   {"gfx904", 0x2e, "gfx900"},   {"gfx909", 0x31, "gfx900"},
    {"gfx90c", 0x32, "gfx900"},   {"gfx1011", 0x34, "gfx1010"}, {"gfx1012", 0x35, "gfx1010"},
    {"gfx1013", 0x42, "gfx1010"}, {"gfx1031", 0x37, "gfx1030"}, {"gfx1032", 0x38, "gfx1030"},
    {"gfx1033", 0x39, "gfx1030"}, {"gfx1034", 0x3e, "gfx1030"}, {"gfx1035", 0x3d, "gfx1030"},
    {"gfx1036", 0x45, "gfx1030"}, {"gfx1152", 0x55, "gfx1150"}, {"gfx1201", 0x4e, "gfx1200"},
};
enum { N_TWINS = sizeof(twins) / sizeof(twins[0]) };

const char *hip_chip_with_code(const VmafKernel *kernel, size_t i, const VmafKernelCode **code)
{
    if (i < kernel->n_codes) {
        *code = &kernel->codes[i];
        return (*code)->architecture;
    }
    i -= kernel->n_codes;
    for (size_t twin = 0; twin < N_TWINS; twin++) {
        for (size_t c = 0; c < kernel->n_codes; c++) {
            *code = &kernel->codes[c];
            if (strcmp((*code)->architecture, twins[twin].made_for) == 0 && i-- == 0)
                return twins[twin].chip;
        }
    }
    return NULL;
}

static const Twin *find_twin(const char *architecture, const char *chip)
{
    for (size_t i = 0; i < N_TWINS; i++) {
        if (strcmp(twins[i].chip, chip) == 0 && strcmp(twins[i].made_for, architecture) == 0)
            return &twins[i];
    }
    return NULL;
}

/* Makes code for another chip that of the twin. */
static void rename_target(unsigned char *image, size_t size, const Twin *twin)
{
    enum { MACHINE = 48 }; /* offset of e_flags */
    char target[HIP_CHIP_SIZE + 2];
    const size_t length = (size_t)snprintf(target, sizeof(target), "--%s", twin->made_for);
    size_t i = MACHINE;
    image[MACHINE] = twin->machine;
    while (i + length < size && memcmp(image + i, target, length) != 0)
        i++;
    image[i + length - 1] = (unsigned char)twin->chip[length - 3];
}

const void *hip_code_for(const VmafKernelCode *code, const char *chip, void **copy)
{
    const Twin *twin = find_twin(code->architecture, chip);
    *copy = NULL;
    if (!twin)
        return code->code;
    *copy = malloc(code->size);
    if (*copy) {
        memcpy(*copy, code->code, code->size);
        rename_target(*copy, code->size, twin);
    }
    return *copy;
}

enum HipCodeFit hip_code_fits(const char *architecture, const char *chip)
{
    char word[HIP_CHIP_SIZE + 2];
    if (!chip[0])
        return HIP_CODE_NOT;
    if (strcmp(architecture, chip) == 0)
        return HIP_CODE_OWN;
    if (find_twin(architecture, chip))
        return HIP_CODE_TWIN;
    snprintf(word, sizeof(word), " %s ", chip);
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        if (strcmp(families[i].name, architecture) == 0)
            return strstr(families[i].chips, word) ? HIP_CODE_FAMILY : HIP_CODE_NOT;
    }
    return HIP_CODE_NOT;
}

/* True if the code was rejected, so that another one may be tried. */
static bool is_declined(hipError_t result)
{
    const int err = driver_error_of(result);
    return err && err != -ENODEV && err != -ENOMEM;
}

static hipError_t load_code(CudaKernel *kernel, const VmafKernel *source,
                            const VmafKernelCode *code, const char *chip)
{
    const void *image = hip_code_for(code, chip, &kernel->image);
    if (!image)
        return hipErrorOutOfMemory;
    const hipError_t result = cuda_load_code(kernel, source->name, image);
    if (result != hipSuccess)
        free(kernel->image);
    return result;
}

int driver_load_kernel(CudaDevice *device, CudaKernel *kernel, const VmafKernel *source)
{
    hipError_t result = hipErrorNoBinaryForGpu;
    /* A runtime that is too old for one may take the other. */
    for (int fit = HIP_CODE_OWN; fit > HIP_CODE_NOT; fit--) {
        for (size_t i = 0; i < source->n_codes && is_declined(result); i++) {
            if ((int)hip_code_fits(source->codes[i].architecture, device->chip) == fit)
                result = load_code(kernel, source, &source->codes[i], device->chip);
        }
    }
    return driver_done(device, result, source->name);
}
