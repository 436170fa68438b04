/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_error.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    CudaResult result;
    const char *name, *text;
} errors[] = {
#define X(name, value, text) {value, "CUDA_" #name, text},
    CUDA_RESULTS(X)
#undef X
};

enum { N_ERRORS = sizeof(errors) / sizeof(errors[0]) };

const char *driver_error_name(CudaResult result)
{
    for (size_t i = 0; i < N_ERRORS; i++) {
        if (errors[i].result == result)
            return errors[i].name;
    }
    return NULL;
}

const char *driver_error_text(CudaResult result)
{
    for (size_t i = 0; i < N_ERRORS; i++) {
        if (errors[i].result == result)
            return errors[i].text;
    }
    return NULL;
}

bool driver_error_of(const char *name, CudaResult *result)
{
    char *end;
    for (size_t i = 0; i < N_ERRORS; i++) {
        if (strcmp(errors[i].name, name) == 0) {
            *result = errors[i].result;
            return true;
        }
    }
    *result = (CudaResult)strtol(name, &end, 10);
    return end != name && *end == '\0';
}
