/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "hip_fixture.h"

#include <stdlib.h>
#include <string.h>

void fixture_start(const char *machine, const char *order)
{
    assert_int_equal(emulated_hip_configure(machine, order), 0);
}

int fixture_set_up(void **state)
{
    fixture_start(NULL, "late");
    hipGetLastError();
    return 0;
}

int fixture_tear_down(void **state)
{
    return emulated_hip_configure(NULL, "late");
}

unsigned char *fixture_code(const char *name, const char *chip, size_t *size)
{
    for (size_t k = 0; k < emulation_kernels_hip.count; k++) {
        const VmafKernel *kernel = &emulation_kernels_hip.kernels[k];
        for (size_t c = 0; c < kernel->n_codes && strcmp(kernel->name, name) == 0; c++) {
            const VmafKernelCode *code = &kernel->codes[c];
            if (strcmp(code->architecture, chip) != 0)
                continue;
            unsigned char *copy = malloc(code->size);
            memcpy(copy, code->code, code->size);
            *size = code->size;
            return copy;
        }
    }
    fail_msg("there is no code of %s for %s", name, chip);
    return NULL;
}

unsigned char *fixture_find(unsigned char *code, size_t size, const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(code + i, text, length) == 0)
            return code + i;
    }
    fail_msg("%s is not there", text);
    return NULL;
}

unsigned char *fixture_descriptor(unsigned char *code, size_t size, unsigned group_size)
{
    const unsigned char words[8] = {(unsigned char)group_size, (unsigned char)(group_size >> 8)};
    const size_t notes_end =
        (size_t)(fixture_find(code, size, "amdhsa.version") - code) / 64 * 64 + 64;
    for (size_t at = notes_end; at + 64 <= size; at += 64) {
        if (memcmp(code + at, words, sizeof(words)) == 0)
            return code + at;
    }
    fail_msg("there is no descriptor");
    return NULL;
}

CudaFunction fixture_kernel(const char *name)
{
    size_t size;
    unsigned char *code = fixture_code(name, "gfx1030", &size);
    CudaModule module;
    CudaFunction function;
    OK(hipModuleLoadData(&module, code));
    free(code); /* it was copied */
    OK(hipModuleGetFunction(&function, module, name));
    return function;
}

HipResult fixture_copy(CudaFunction reads_outside, void *from, void *to, int32_t distance,
                       unsigned groups, CudaStream stream)
{
    void *parameters[] = {&from, &to, &distance};
    return hipModuleLaunchKernel(reads_outside, groups, 1, 1, 8, 1, 1, 0, stream, parameters, NULL);
}

void *fixture_device_memory(size_t bytes)
{
    void *address = NULL;
    OK(hipMalloc(&address, bytes));
    return address;
}
