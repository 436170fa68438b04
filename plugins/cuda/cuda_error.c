/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What results of the driver mean. */
#include <errno.h>
#include <stdio.h>

#include "cuda_internal.h"

int cuda_error_of(CudaResult result)
{
    switch (result) {
    case CUDA_SUCCESS:
        return 0;
    /* After these nothing works in the context any more. The driver does not tell an unknown error
     * that passes from one that stays, so it counts as staying. */
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_UNKNOWN:
        return -ENODEV;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return -ENOMEM;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
        return -EINVAL;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
    case CUDA_ERROR_NOT_SUPPORTED:
        return -ENOTSUP;
    default:
        return -EIO;
    }
}

void cuda_describe_result(CudaResult result, char *text, size_t size)
{
    const char *name = NULL, *words = NULL;
    if (cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
        snprintf(text, size, "CUresult %d", (int)result);
    else if (cuGetErrorString(result, &words) != CUDA_SUCCESS || !words)
        snprintf(text, size, "%.60s", name);
    else
        snprintf(text, size, "%.60s (%.100s)", name, words);
}

int cuda_done(VmafStreamDevice *device, CudaResult result, const char *what)
{
    char words[192];
    if (result == CUDA_SUCCESS)
        return 0;
    cuda_describe_result(result, words, sizeof(words));
    return vmaf_stream_failed(device, cuda_error_of(result), what, words);
}
