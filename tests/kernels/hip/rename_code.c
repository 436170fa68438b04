/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * What the HIP backend makes of code for one chip on other chips.
 *   rename_code CHIP                   prints the other chips
 *   rename_code CHIP CODE OTHER >FILE  writes the code as it is for one of them
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_internal.h"

/* The layer's, which is not used. */
const VmafKernelSet *const vmaf_hip_kernels = NULL;

static int list(const char *chip)
{
    const VmafKernelCode own = {chip, NULL, 0}, *code;
    const VmafKernel kernel = {.codes = &own, .n_codes = 1};
    const char *other;
    for (size_t i = 1; (other = hip_chip_with_code(&kernel, i, &code)); i++)
        puts(other);
    return 0;
}

static int rename_code(const char *chip, const char *path, const char *other)
{
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file)
        return 1;
    const VmafKernelCode code = {chip, bytes, fread(bytes, 1, sizeof(bytes), file)};
    void *copy;
    const void *image = hip_code_for(&code, other, &copy);
    const size_t written = image ? fwrite(image, 1, code.size, stdout) : 0;
    free(copy);
    fclose(file);
    return written != code.size || written == 0;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return list(argv[1]);
    return argc == 4 ? rename_code(argv[1], argv[2], argv[3]) : 2;
}
