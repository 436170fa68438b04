/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "fake_cuda.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern FakeCuda fake_cuda;
FakeCuda fake_cuda = {.driver_version = 12040,
                      .n_devices = 1,
                      .capability = 8,
                      .host_register = 1,
                      .max_pitch = INT_MAX,
                      .push = cuCtxPushCurrent_v2,
                      .pop = cuCtxPopCurrent_v2};

enum { STACK = 8, PENDING = 256 };

typedef struct Pending {
    CudaCopy2D copy;
    CudaEvent event; /* not a copy */
} Pending;

struct CUevent_st {
    bool recorded, done;
    float time;
};
struct CUfunc_st {
    char name[64];
    unsigned n_parameters;
    size_t sizes[FAKE_PARAMETERS];
};
struct CUmod_st {
    char *code;
    struct CUfunc_st function;
};
struct CUctx_st {
    int unused;
};

static struct CUctx_st primary;
static CudaContext stack[STACK];
static Pending pending[PENDING];
static unsigned n_pending;

/* -- calls -- */

static CudaResult enter(const char *name)
{
    fake_cuda.n_calls++;
    return fake_cuda.failing && strcmp(fake_cuda.failing, name) == 0 ? fake_cuda.failure
                                                                     : CUDA_SUCCESS;
}

static CudaResult enter_context(const char *name)
{
    const CudaResult result = enter(name);
    if (fake_cuda.depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    return result;
}

#define ENTER()                                                                                    \
    do {                                                                                           \
        const CudaResult entered = enter(__func__);                                                \
        if (entered != CUDA_SUCCESS)                                                               \
            return entered;                                                                        \
    } while (0)
#define ENTER_CONTEXT()                                                                            \
    do {                                                                                           \
        const CudaResult entered = enter_context(__func__);                                        \
        if (entered != CUDA_SUCCESS)                                                               \
            return entered;                                                                        \
    } while (0)

static void note(char what)
{
    const size_t length = strlen(fake_cuda.log);
    if (length + 1 < FAKE_LOG) {
        fake_cuda.log[length] = what;
        fake_cuda.log[length + 1] = '\0';
    }
}

/* -- the driver and its devices -- */

CudaResult cuInit(unsigned flags)
{
    (void)flags;
    ENTER();
    return fake_cuda.init_result;
}

CudaResult cuDriverGetVersion(int *version)
{
    ENTER();
    *version = fake_cuda.driver_version;
    return CUDA_SUCCESS;
}

CudaResult cuGetErrorName(CudaResult result, const char **name)
{
    static char text[32];
    snprintf(text, sizeof(text), "CUDA_ERROR_%d", (int)result);
    *name = text;
    return CUDA_SUCCESS;
}

CudaResult cuGetErrorString(CudaResult result, const char **text)
{
    (void)result;
    *text = "in words";
    return CUDA_SUCCESS;
}

CudaResult cuDeviceGetCount(int *count)
{
    ENTER();
    *count = fake_cuda.n_devices;
    return CUDA_SUCCESS;
}

CudaResult cuDeviceGet(CudaDeviceHandle *device, int ordinal)
{
    ENTER();
    *device = ordinal;
    return CUDA_SUCCESS;
}

CudaResult cuDeviceGetName(char *name, int size, CudaDeviceHandle device)
{
    ENTER();
    snprintf(name, (size_t)size, "fake %d", (int)device);
    return CUDA_SUCCESS;
}

CudaResult cuDeviceGetUuid(CudaUuid *uuid, CudaDeviceHandle device)
{
    ENTER();
    memset(uuid, 0xa0 + (int)device, sizeof(*uuid));
    return CUDA_SUCCESS;
}

CudaResult cuDeviceGetPCIBusId(char *id, int size, CudaDeviceHandle device)
{
    ENTER();
    snprintf(id, (size_t)size, "0000:%02x:00.0", (unsigned)device);
    return CUDA_SUCCESS;
}

CudaResult cuDeviceTotalMem_v2(size_t *bytes, CudaDeviceHandle device)
{
    (void)device;
    ENTER();
    *bytes = (size_t)1 << 33;
    return CUDA_SUCCESS;
}

CudaResult cuDeviceGetAttribute(int *value, int attribute, CudaDeviceHandle device)
{
    (void)device;
    ENTER();
    switch (attribute) {
    case CUDA_MAX_PITCH:
        *value = fake_cuda.max_pitch;
        break;
    case CUDA_INTEGRATED:
    case CUDA_COMPUTE_CAPABILITY_MINOR:
        *value = 0;
        break;
    case CUDA_COMPUTE_MODE:
        *value = fake_cuda.compute_mode;
        break;
    case CUDA_UNIFIED_ADDRESSING:
    case CUDA_CAN_MAP_HOST_MEMORY:
        *value = 1;
        break;
    case CUDA_COMPUTE_CAPABILITY_MAJOR:
        *value = fake_cuda.capability;
        break;
    case CUDA_HOST_REGISTER_SUPPORTED:
        *value = fake_cuda.host_register;
        break;
    default:
        *value = 65536;
    }
    return CUDA_SUCCESS;
}

/* -- contexts -- */

CudaResult cuDevicePrimaryCtxRetain(CudaContext *context, CudaDeviceHandle device)
{
    (void)device;
    ENTER();
    fake_cuda.retained++;
    *context = &primary;
    return CUDA_SUCCESS;
}

CudaResult cuDevicePrimaryCtxRelease(CudaDeviceHandle device)
{
    (void)device;
    ENTER();
    fake_cuda.retained--;
    return CUDA_SUCCESS;
}

CudaResult cuCtxGetDevice(CudaDeviceHandle *device)
{
    ENTER_CONTEXT();
    *device = 0;
    return CUDA_SUCCESS;
}

CudaResult cuCtxPushCurrent_v2(CudaContext context)
{
    ENTER();
    if (fake_cuda.depth == STACK)
        return CUDA_ERROR_INVALID_VALUE;
    stack[fake_cuda.depth++] = fake_cuda.current = context;
    return CUDA_SUCCESS;
}

CudaResult cuCtxPopCurrent_v2(CudaContext *context)
{
    ENTER_CONTEXT();
    *context = stack[--fake_cuda.depth];
    fake_cuda.current = fake_cuda.depth ? stack[fake_cuda.depth - 1] : NULL;
    return CUDA_SUCCESS;
}

/* -- memory -- */

static CudaResult take(void **memory, size_t bytes)
{
    *memory = malloc(bytes);
    if (!*memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memset(*memory, 0xcd, bytes);
    fake_cuda.live++;
    return CUDA_SUCCESS;
}

CudaResult cuMemAlloc_v2(CudaAddress *address, size_t bytes)
{
    void *memory;
    ENTER_CONTEXT();
    const CudaResult result = take(&memory, bytes);
    *address = (uintptr_t)memory;
    return result;
}

CudaResult cuMemFree_v2(CudaAddress address)
{
    ENTER_CONTEXT();
    free((void *)(uintptr_t)address);
    fake_cuda.live--;
    return CUDA_SUCCESS;
}

CudaResult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    ENTER_CONTEXT();
    return take(memory, bytes);
}

CudaResult cuMemFreeHost(void *memory)
{
    ENTER_CONTEXT();
    free(memory);
    fake_cuda.live--;
    return CUDA_SUCCESS;
}

CudaResult cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags)
{
    (void)memory;
    (void)bytes;
    (void)flags;
    ENTER_CONTEXT();
    fake_cuda.live++;
    return CUDA_SUCCESS;
}

CudaResult cuMemHostUnregister(void *memory)
{
    (void)memory;
    ENTER_CONTEXT();
    fake_cuda.live--;
    return CUDA_SUCCESS;
}

CudaResult cuMemHostGetDevicePointer_v2(CudaAddress *address, void *memory, unsigned flags)
{
    (void)flags;
    ENTER_CONTEXT();
    *address = (uintptr_t)memory;
    return CUDA_SUCCESS;
}

/* -- kernels -- */

/* Reads the parameters of `.entry name(` off the code: .u64 addresses, and bytes `[n]`. */
static bool read_entry(struct CUfunc_st *function, const char *code, const char *name)
{
    char entry[96];
    snprintf(entry, sizeof(entry), ".entry %s(", name);
    const char *at = strstr(code, entry);
    const char *end = at ? strchr(at + strlen(entry), ')') : NULL;
    if (!end)
        return false;
    snprintf(function->name, sizeof(function->name), "%s", name);
    function->n_parameters = 0;
    while ((at = strstr(at + 1, ".param")) && at < end) {
        if (function->n_parameters == FAKE_PARAMETERS)
            return false;
        const char *bracket = at + strcspn(at, "[,\n)");
        size_t size = sizeof(CudaAddress);
        if (*bracket == '[')
            size = strtoul(bracket + 1, NULL, 10);
        else if (strncmp(at, ".param .u64", 11) != 0)
            return false;
        if (size > FAKE_PARAMETER_BYTES)
            return false;
        function->sizes[function->n_parameters++] = size;
    }
    return true;
}

CudaResult cuModuleLoadData(CudaModule *module, const void *image)
{
    ENTER_CONTEXT();
    *module = calloc(1, sizeof(**module));
    if (!*module)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*module)->code = strdup(image);
    fake_cuda.live++;
    return (*module)->code && strstr((*module)->code, ".target sm_70") ? CUDA_SUCCESS
                                                                       : CUDA_ERROR_INVALID_PTX;
}

CudaResult cuModuleUnload(CudaModule module)
{
    ENTER_CONTEXT();
    free(module->code);
    free(module);
    fake_cuda.live--;
    return CUDA_SUCCESS;
}

CudaResult cuModuleGetFunction(CudaFunction *function, CudaModule module, const char *name)
{
    ENTER_CONTEXT();
    *function = &module->function;
    return read_entry(*function, module->code, name) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CudaResult cuLaunchKernel(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, CudaStream stream, void **parameters, void **extra)
{
    ENTER_CONTEXT();
    if (!stream || shared_bytes || extra)
        return CUDA_ERROR_INVALID_VALUE;
    fake_cuda.launch = (FakeLaunch){.grid = {grid_x, grid_y, grid_z},
                                    .block = {block_x, block_y, block_z},
                                    .n_parameters = function->n_parameters};
    memcpy(fake_cuda.launch.name, function->name, sizeof(function->name));
    for (unsigned i = 0; i < function->n_parameters; i++) {
        fake_cuda.launch.sizes[i] = function->sizes[i];
        memcpy(fake_cuda.launch.parameters[i], parameters[i], function->sizes[i]);
    }
    note('L');
    return CUDA_SUCCESS;
}

/* -- the stream -- */

static CudaResult put(const Pending *command)
{
    if (n_pending == PENDING)
        return CUDA_ERROR_INVALID_VALUE;
    pending[n_pending++] = *command;
    return CUDA_SUCCESS;
}

static void run(const Pending *command)
{
    const CudaCopy2D *copy = &command->copy;
    if (command->event) {
        command->event->done = true;
        return;
    }
    for (size_t row = 0; row < copy->height; row++)
        memcpy((char *)(uintptr_t)copy->dst_device + row * copy->dst_pitch,
               (const char *)(uintptr_t)copy->src_device + row * copy->src_pitch, copy->width);
}

/* Runs everything up to the event, or all of it. */
static void run_pending(CudaEvent event)
{
    unsigned n = 0;
    while (n < n_pending && (!event || !event->done))
        run(&pending[n++]);
    memmove(pending, pending + n, (n_pending - n) * sizeof(*pending));
    n_pending -= n;
}

CudaResult cuMemcpyAsync(CudaAddress dst, CudaAddress src, size_t bytes, CudaStream stream)
{
    const Pending command = {
        .copy = {.dst_device = dst, .src_device = src, .width = bytes, .height = 1}};
    ENTER_CONTEXT();
    note('c');
    return stream ? put(&command) : CUDA_ERROR_INVALID_VALUE;
}

CudaResult cuMemcpy2DAsync_v2(const CudaCopy2D *copy, CudaStream stream)
{
    const Pending command = {.copy = *copy};
    ENTER_CONTEXT();
    note('R');
    if (!stream || copy->src_type != CUDA_MEMORY_UNIFIED || copy->dst_type != CUDA_MEMORY_UNIFIED ||
        copy->src_pitch > (size_t)fake_cuda.max_pitch ||
        copy->dst_pitch > (size_t)fake_cuda.max_pitch || copy->width > copy->src_pitch ||
        copy->width > copy->dst_pitch)
        return CUDA_ERROR_INVALID_VALUE;
    return put(&command);
}

CudaResult cuStreamCreate(CudaStream *stream, unsigned flags)
{
    ENTER_CONTEXT();
    if (flags != CUDA_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    *stream = (CudaStream)pending;
    fake_cuda.live++;
    return CUDA_SUCCESS;
}

CudaResult cuStreamDestroy_v2(CudaStream stream)
{
    (void)stream;
    ENTER_CONTEXT();
    n_pending = 0;
    fake_cuda.live--;
    return CUDA_SUCCESS;
}

CudaResult cuStreamSynchronize(CudaStream stream)
{
    (void)stream;
    ENTER_CONTEXT();
    run_pending(NULL);
    return CUDA_SUCCESS;
}

CudaResult cuEventCreate(CudaEvent *event, unsigned flags)
{
    (void)flags;
    ENTER_CONTEXT();
    *event = calloc(1, sizeof(**event));
    fake_cuda.live++;
    return *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CudaResult cuEventDestroy_v2(CudaEvent event)
{
    ENTER_CONTEXT();
    for (unsigned i = 0; i < n_pending; i++) {
        if (pending[i].event == event)
            pending[i] = (Pending){0};
    }
    free(event);
    fake_cuda.live--;
    return CUDA_SUCCESS;
}

CudaResult cuEventRecord(CudaEvent event, CudaStream stream)
{
    static float clock;
    const Pending command = {.event = event};
    ENTER_CONTEXT();
    note('e');
    event->recorded = true;
    event->done = false;
    event->time = clock += 0.5f;
    return stream ? put(&command) : CUDA_ERROR_INVALID_VALUE;
}

CudaResult cuEventQuery(CudaEvent event)
{
    ENTER_CONTEXT();
    fake_cuda.n_queries++;
    if (!event->recorded || event->done)
        return CUDA_SUCCESS;
    if (fake_cuda.not_ready) {
        fake_cuda.not_ready -= fake_cuda.not_ready != UINT_MAX;
        return CUDA_ERROR_NOT_READY;
    }
    run_pending(event);
    return CUDA_SUCCESS;
}

CudaResult cuEventElapsedTime(float *milliseconds, CudaEvent begin, CudaEvent end)
{
    ENTER_CONTEXT();
    if (!begin->done || !end->done)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = end->time - begin->time;
    return CUDA_SUCCESS;
}
