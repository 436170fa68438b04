/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What makes the emulated machine one with CUDA, whose modules hold PTX. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx.h"

static const MachineError errors[] = {
#define X(name, value, text) {value, "CUDA_" #name, text},
    CUDA_RESULTS(X)
#undef X
};

static bool read_capability(MachineReader *reader)
{
    const char *word = reader->words[1];
    int major, minor, end = 0;
    if (sscanf(word, "%d.%d%n", &major, &minor, &end) != 2 || word[end] != '\0' || minor > 9)
        return machine_refuse(reader, "capability takes a number such as 8.9, not %s", word);
    reader->device->own[DEVICE_CAPABILITY] = 10 * major + minor;
    return true;
}

static bool read_compute_mode(MachineReader *reader)
{
    const char *word = reader->words[1];
    int *mode = &reader->device->own[DEVICE_COMPUTE_MODE];
    if (strcmp(word, "default") == 0)
        *mode = CUDA_COMPUTE_DEFAULT;
    else if (strcmp(word, "exclusive") == 0)
        *mode = CUDA_COMPUTE_EXCLUSIVE;
    else if (strcmp(word, "prohibited") == 0)
        *mode = CUDA_COMPUTE_PROHIBITED;
    else
        return machine_refuse(reader, "the compute mode %s is not known", word);
    return true;
}

static const MachineWord words[] = {
    {"capability", 1, 1, read_capability},
    {"compute-mode", 1, 1, read_compute_mode},
    MACHINE_FLAG("driver-mismatch", OF_MACHINE, DRIVER_IS_MISMATCHED),
};

static bool is_function(const char *word)
{
    return strncmp(word, "cu", 2) == 0 && word[2] >= 'A' && word[2] <= 'Z';
}

static void set_default(MachineDevice *device, int index)
{
    (void)index;
    snprintf(device->name, sizeof(device->name), "Emulated NVIDIA GPU");
    device->own[DEVICE_CAPABILITY] = 89;
}

const MachineRuntime machine_runtime = {
    .name = "CUDA",
    .variable = "VMAF_EMULATED_CUDA",
    .driver = 12040,
    .errors = errors,
    .n_errors = sizeof(errors) / sizeof(errors[0]),
    .unknown_error = CUDA_ERROR_UNKNOWN,
    .words = words,
    .n_words = sizeof(words) / sizeof(words[0]),
    .is_function = is_function,
    .set_default = set_default,
    .forget = driver_forget,
    .set_up = driver_set_up,
    .lose = driver_lose_current,
    .drop_work = driver_drop_device,
    .measure = guarded_measure,
};

MACHINE_CONTROL(cuda)
MACHINE_CONTROL_DEFINE(cuda)

#define X(name) DRIVER_DEFINE(name, INIT, (void), CUDA_ERROR_NOT_SUPPORTED)
CUDA_UNSUPPORTED_FUNCTIONS(X)
#undef X

/* -- the code of modules: PTX as text, which is decoded when it is loaded -- */

struct Code {
    PtxModule *ptx;
};

_Static_assert((int)CODE_ERROR_SIZE >= (int)PTX_ERROR_SIZE, "texts fit");

static const uint64_t max_instructions = UINT64_C(20000000000); /* of a group */

/* The newest version of PTX that drivers of that version understand, times ten. */
static int newest_ptx(int version)
{
    static const int table[][2] = {{9000, 60},  {9010, 61},  {9020, 62},  {10000, 63}, {10010, 64},
                                   {10020, 65}, {11000, 70}, {11010, 71}, {11020, 72}, {11030, 73},
                                   {11040, 74}, {11050, 75}, {11060, 76}, {11070, 77}, {11080, 78},
                                   {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84},
                                   {12050, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}};
    int newest = 50;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i][0] <= version)
            newest = table[i][1];
    }
    return newest;
}

/* Whether the driver knows this version of PTX, and the device is of the target or newer. */
static CudaResult check_target(const PtxModule *ptx, const Device *device,
                               char error[CODE_ERROR_SIZE])
{
    const int newest = newest_ptx(emulated_machine.driver);
    const int capability = device->state->machine->own[DEVICE_CAPABILITY];
    if (ptx->version > newest) {
        snprintf(error, PTX_ERROR_SIZE, "unsupported .version %d.%d; current version is '%d.%d'",
                 ptx->version / 10, ptx->version % 10, newest / 10, newest % 10);
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (ptx->target > capability || (ptx->is_target_only && ptx->target != capability)) {
        snprintf(error, PTX_ERROR_SIZE, "code for sm_%d on a device of sm_%d", ptx->target,
                 capability);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    return CUDA_SUCCESS;
}

CudaResult driver_load_code(const Device *device, const void *image, Code **code,
                            char error[CODE_ERROR_SIZE])
{
    const unsigned char *bytes = image;
    error[0] = '\0';
    if (bytes[0] == 0x7f || bytes[0] == 0x50) { /* ELF; a fat binary */
        snprintf(error, CODE_ERROR_SIZE, "machine code cannot be emulated");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    PtxModule *ptx = ptx_module_load(image, error);
    CudaResult result = CUDA_ERROR_INVALID_PTX;
    PtxModule header;
    if (ptx)
        result = check_target(ptx, device, error);
    else if (ptx_module_read_header(image, &header) &&
             newest_ptx(emulated_machine.driver) < header.version)
        result = check_target(&header, device, error);
    if (result != CUDA_SUCCESS) {
        ptx_module_free(ptx);
        return result;
    }
    *code = malloc(sizeof(**code));
    (*code)->ptx = ptx;
    return CUDA_SUCCESS;
}

void driver_free_code(Code *code)
{
    ptx_module_free(code->ptx);
    free(code);
}

CudaResult driver_find_kernel(const Code *code, const char *name, CodeKernel *kernel)
{
    const PtxEntry *entry = ptx_module_find(code->ptx, name);
    if (!entry)
        return CUDA_ERROR_NOT_FOUND;
    *kernel = (CodeKernel){.name = entry->name,
                           .params = malloc((entry->n_params + 1) * sizeof(CodeParam)),
                           .n_params = entry->n_params,
                           .params_size = entry->params_size,
                           .max_lanes = entry->max_lanes,
                           .shared_size = entry->shared_size,
                           .entry = entry};
    for (uint32_t i = 0; i < entry->n_params; i++)
        kernel->params[i] = (CodeParam){entry->params[i].offset, entry->params[i].size};
    return CUDA_SUCCESS;
}

/* -- running it -- */

/* What kernels of the context can access, in the order of addresses. */
static PtxAllocation *list_memory(CudaContext context, size_t *count)
{
    size_t n;
    const Memory *all = guarded_list(&n);
    PtxAllocation *list = malloc((n + 1) * sizeof(*list));
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if (driver_can_access(context, &all[i]))
            list[(*count)++] = (PtxAllocation){
                .address = all[i].address, .data = all[i].storage, .size = all[i].size};
    }
    return list;
}

static CudaResult result_of(enum PtxFault fault)
{
    switch (fault) {
    case PTX_FAULT_ADDRESS:
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    case PTX_FAULT_ALIGNMENT:
        return CUDA_ERROR_MISALIGNED_ADDRESS;
    case PTX_FAULT_ENDLESS:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    default:
        return CUDA_ERROR_LAUNCH_FAILED;
    }
}

CudaResult driver_run_kernel(CudaContext context, const Launch *launch, Work *work)
{
    char error[PTX_ERROR_SIZE] = "";
    size_t n;
    PtxAllocation *memory = list_memory(context, &n);
    enum PtxFault fault = PTX_FAULT_NONE;
    const PtxLaunch run = {.entry = launch->function->kernel.entry,
                           .params = launch->params,
                           .lanes = {launch->lanes[0], launch->lanes[1], launch->lanes[2]},
                           .groups = {launch->groups[0], launch->groups[1], launch->groups[2]},
                           .allocations = memory,
                           .n_allocations = n,
                           .backwards = driver.runs % 2 == 0,
                           .max_instructions = max_instructions,
                           .noise = (uint32_t)driver.runs * 2654435761u + 1,
                           .fault = &fault,
                           .instructions = &work->operations};
    const int status = ptx_run(&run, error);
    free(memory);
    if (status == 0)
        return CUDA_SUCCESS;
    machine_complain("%s", error);
    return result_of(fault);
}
