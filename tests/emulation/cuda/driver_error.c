/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_error.h"

#include <stdlib.h>
#include <string.h>

#include "driver_api.h"

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

CudaResult cuGetErrorName(CudaResult result, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = driver_error_name(result);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CudaResult cuGetErrorString(CudaResult result, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = driver_error_text(result);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
