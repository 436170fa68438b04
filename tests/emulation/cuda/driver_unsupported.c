/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * What programs look up when they load the driver, and the emulator does not do: graphics, arrays,
 * textures, linking. Calls fail, with any arguments.
 */
#include "driver.h"

#define X(name, parameters)                                                                        \
    CudaResult name parameters                                                                     \
    {                                                                                              \
        DRIVER_CALL(DRIVER_NEEDS_INIT, CUDA_ERROR_NOT_SUPPORTED);                                  \
    }
CUDA_UNSUPPORTED_FUNCTIONS(X)
#undef X
