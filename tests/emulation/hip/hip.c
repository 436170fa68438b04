/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Functions of HIP, and what surrounds them: the runtime starts, and a device is current. */
#include "hip.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static _Thread_local HipResult last_error;

HipResult hip_initialize(void)
{
    if (driver.is_initialized)
        return hipSuccess;
    if (machine_why[0])
        return hipErrorUnknown;
    if (emulated_machine.own[DRIVER_IS_MISMATCHED])
        return hipErrorInsufficientDriver;
    if (emulated_machine.has_no_device || emulated_machine.n_devices == 0)
        return HIP_MAJOR == 5 ? hipErrorInvalidDevice : hipErrorNoDevice;
    driver.is_initialized = true;
    return hipSuccess;
}

HipResult hip_choose_device(int ordinal)
{
    Device *device = driver_device(ordinal);
    CudaContext context = device ? device->primary : NULL;
    if (!device)
        return hipErrorInvalidDevice;
    const CudaResult result = context ? CUDA_SUCCESS : cuDevicePrimaryCtxRetain(&context, ordinal);
    return result == CUDA_SUCCESS ? cuCtxSetCurrent(context) : result;
}

/* A thread that has no device yet gets the first; one whose device was reset keeps it. */
static HipResult need_device(void)
{
    CudaContext context = driver_current();
    if (context && context->magic == DRIVER_ALIVE)
        return hipSuccess;
    return hip_choose_device(context ? context->device->ordinal : 0);
}

HipResult hip_begin(const char *function, enum HipNeeds needs)
{
    HipResult result = machine_begin(function);
    if (result == hipSuccess && needs >= HIP_NEEDS_INIT)
        result = hip_initialize();
    if (result == hipSuccess && needs >= HIP_NEEDS_DEVICE)
        result = need_device();
    return result;
}

/* Errors of the driver that HIP does not have. */
static HipResult translate(CudaResult result)
{
    switch (result) {
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
        return hipErrorOutOfMemory;
    case CUDA_ERROR_MISALIGNED_ADDRESS:
        return hipErrorIllegalAddress;
    default:
        return result;
    }
}

HipResult hip_end(const char *function, HipResult result)
{
    const HipResult translated = translate(result);
    if (translated != hipSuccess || HIP_MAJOR < 7) /* before, it is what the last call returned */
        last_error = translated;
    return machine_end(function, translated);
}

/* -- errors -- */

HipResult hipPeekAtLastError(void)
{
    return last_error;
}

HipResult hipGetLastError(void)
{
    const HipResult error = last_error;
    last_error = hipSuccess;
    return error;
}

const char *hipGetErrorName(HipResult result)
{
    const MachineError *error = machine_error(result);
    return error ? error->name : "hipErrorUnknown";
}

const char *hipGetErrorString(HipResult result)
{
    const MachineError *error = machine_error(result);
    if (HIP_MAJOR == 5) /* seen in ROCm 5.2 */
        return hipGetErrorName(result);
    return error ? error->text : "unknown error";
}

/* -- functions of HIP, most of which are fronts of the driver's -- */

/* -- devices -- */

static HipResult get_count(int *count)
{
    if (!count)
        return hipErrorInvalidValue;
    *count = 0;
    const HipResult result = hip_initialize();
    if (result == hipErrorInvalidDevice) /* as ROCm 5 says elsewhere */
        return hipErrorNoDevice;
    return result == hipSuccess ? cuDeviceGetCount(count) : result;
}

static HipResult get_bus_id(char *id, int size, int handle)
{
    const Device *device = driver_device(handle);
    if (!id || size <= 12)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorInvalidDevice;
    snprintf(id, (size_t)size, "%04x:%02x:%02x.0", device->state->machine->pci_domain,
             device->state->machine->pci_bus, device->state->machine->pci_device);
    return hipSuccess;
}

/* Lanes of a wave: 64 on the chips before gfx10. */
static int wave_lanes(const MachineDevice *machine)
{
    return strncmp(machine->chip, "gfx9", 4) == 0 ? 64 : 32;
}

static HipResult get_attribute(int *value, int attribute, int handle)
{
    const Device *device = driver_device(handle);
    if (!value)
        return hipErrorInvalidValue;
    if (!device)
        return hipErrorInvalidDevice;
    const MachineDevice *machine = device->state->machine;
    const struct {
        int attribute, value;
    } known[] = {
        {2, machine->copy_engines},
        {16, machine->is_integrated},
        {26, 1024},    /* lanes of a group in x */
        {29, INT_MAX}, /* groups by axis */
        {30, 65536},   /* */
        {31, 65536},   /* */
        {56, 1024},    /* lanes of a group */
        {63, machine->multiprocessors},
        {67, (int)machine->pci_bus},
        {68, (int)machine->pci_device},
        {69, (int)machine->pci_domain},
        {74, 65536}, /* group memory */
        {87, wave_lanes(machine)},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return hipSuccess;
        }
    }
    return hipErrorInvalidValue;
}

/* -- contexts -- */

/* The device of the popped context stays current, which surprises programs that come from CUDA. */
static HipResult pop(CudaContext *context)
{
    CudaContext popped = NULL;
    const HipResult result = cuCtxPopCurrent_v2(&popped);
    if (result != hipSuccess)
        return result;
    if (context)
        *context = popped;
    return popped->magic == DRIVER_ALIVE ? cuCtxSetCurrent(popped) : hipSuccess;
}

/* -- memory -- */

/* Of memory of the host, and of events: what the driver has, too; there are more, of caches and
 * NUMA nodes. */
enum { KNOWN_FLAGS = 7 };

static void *pointer_of(CudaAddress address)
{
    return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

static HipResult allocate(void **address, size_t bytes)
{
    CudaAddress allocated = 0;
    if (!address)
        return hipErrorInvalidValue;
    *address = NULL;
    if (bytes == 0) /* which HIP allows */
        return hipSuccess;
    const HipResult result = cuMemAlloc_v2(&allocated, bytes);
    *address = pointer_of(allocated);
    return result;
}

static HipResult get_device_pointer(void **address, void *memory, unsigned flags)
{
    CudaAddress found = 0;
    if (!address)
        return hipErrorInvalidValue;
    const HipResult result = cuMemHostGetDevicePointer_v2(&found, memory, flags);
    *address = pointer_of(found);
    return result;
}

static HipResult get_range(void **base, size_t *size, void *address)
{
    const Memory *found = guarded_find(hip_address(address));
    if (!found)
        return hipErrorNotFound;
    if (base)
        *base = pointer_of(found->address);
    if (size)
        *size = found->size;
    return hipSuccess;
}

/* -- copies -- */

enum When { NOW, WHEN_IT_IS_ITS_TURN };

/* Where a copy begins or ends, by its kind. */
static uint32_t source_of(int kind)
{
    return kind == HIP_COPY_DEFAULT                                 ? CUDA_MEMORY_UNIFIED
           : kind == HIP_HOST_TO_HOST || kind == HIP_HOST_TO_DEVICE ? CUDA_MEMORY_HOST
                                                                    : CUDA_MEMORY_DEVICE;
}

static uint32_t destination_of(int kind)
{
    return kind == HIP_COPY_DEFAULT                                 ? CUDA_MEMORY_UNIFIED
           : kind == HIP_HOST_TO_HOST || kind == HIP_DEVICE_TO_HOST ? CUDA_MEMORY_HOST
                                                                    : CUDA_MEMORY_DEVICE;
}

static HipResult copy_rows(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                           size_t width, size_t height, int kind, enum When when, CudaStream stream)
{
    const CudaCopy2D copy = {.src_type = source_of(kind),
                             .src_host = src,
                             .src_device = hip_address(src),
                             .src_pitch = src_pitch,
                             .dst_type = destination_of(kind),
                             .dst_host = dst,
                             .dst_device = hip_address(dst),
                             .dst_pitch = dst_pitch,
                             .width = width,
                             .height = height};
    if (kind < HIP_HOST_TO_HOST || kind > HIP_COPY_DEFAULT)
        return hipErrorInvalidMemcpyDirection;
    if (height > 1 && (dst_pitch < width || src_pitch < width))
        return hipErrorInvalidPitchValue;
    return when == NOW ? cuMemcpy2D_v2(&copy) : cuMemcpy2DAsync_v2(&copy, stream);
}

static HipResult copy_bytes(void *dst, const void *src, size_t bytes, int kind, enum When when,
                            CudaStream stream)
{
    if (bytes > 0 && (!dst || !src))
        return hipErrorInvalidValue;
    return copy_rows(dst, bytes, src, bytes, bytes, 1, kind, when, stream);
}

/* -- modules -- */

/* Whether groups are those that the kernel was written for; with others it would go wrong. */
static HipResult check_lanes(const CudaKernelNode *launch)
{
    if (!driver_is_function(launch->function))
        return hipErrorInvalidHandle;
    const VmafKernel *source = ((const HipKernel *)launch->function->kernel.entry)->source;
    if (launch->block_x == source->lanes[0] && launch->block_y == source->lanes[1] &&
        launch->block_z == 1)
        return hipSuccess;
    machine_complain("kernel %s is launched with groups of %ux%ux%u lanes, and has %ux%u",
                     source->name, launch->block_x, launch->block_y, launch->block_z,
                     source->lanes[0], source->lanes[1]);
    return hipErrorInvalidConfiguration;
}

static HipResult launch_kernel(CudaKernelNode launch, CudaStream stream)
{
    const HipResult result = check_lanes(&launch);
    if (result != hipSuccess)
        return result;
    return cuLaunchKernel(launch.function, launch.grid_x, launch.grid_y, launch.grid_z,
                          launch.block_x, launch.block_y, launch.block_z, launch.shared_bytes,
                          stream, launch.parameters, launch.extra);
}

HIP_FUNCTIONS(HIP_DEFINE)

/* -- what makes the emulated machine one with ROCm: errors, words of its file -- */

/* Versions of HIP: that of Debian 12, and later ones, of which only the first two parts matter. */
enum { HIP_VERSION = HIP_MAJOR == 5 ? 50221153 : HIP_MAJOR == 6 ? 60342131 : 70051831 };

static const MachineError errors[] = {
#define X(name, value, text) {value, #name, text},
    HIP_RESULTS(X)
#undef X
};

static bool read_chip(MachineReader *reader)
{
    const char *name = reader->words[1];
    if (!chip_target_version(name))
        return machine_refuse(reader, "chip takes a name such as gfx1030, not %s", name);
    snprintf(reader->device->chip, sizeof(reader->device->chip), "%s", name);
    return true;
}

static const MachineWord words[] = {
    {"chip", 1, 1, read_chip},
    MACHINE_FLAG("driver-mismatch", OF_MACHINE, DRIVER_IS_MISMATCHED),
    MACHINE_FLAG("no-topology", OF_DEVICE, DEVICE_HAS_NO_TOPOLOGY),
};

static bool is_function(const char *word)
{
    return strncmp(word, "hip", 3) == 0 && word[3] >= 'A' && word[3] <= 'Z';
}

static void set_default(MachineDevice *device, int index)
{
    (void)index;
    snprintf(device->name, sizeof(device->name), "Emulated AMD GPU");
    snprintf(device->chip, sizeof(device->chip), "gfx1030");
    device->vendor_id = 0x1002;
    device->product_id = 0x73bf;
}

const MachineRuntime machine_runtime = {
    .name = "HIP",
    .variable = "VMAF_EMULATED_HIP",
    .driver = HIP_VERSION,
    .errors = errors,
    .n_errors = sizeof(errors) / sizeof(errors[0]),
    .unknown_error = hipErrorUnknown,
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

MACHINE_CONTROL_DEFINE(hip)

/* -- what the kernel's driver says of GPUs: files with a line for each property -- */

enum { PATH_SIZE = 512 };

static int write_node(const char *path, int number, const char *properties)
{
    char name[PATH_SIZE];
    snprintf(name, sizeof(name), "%.400s/%d", path, number);
    if (mkdir(name, 0777) != 0 && errno != EEXIST)
        return -errno;
    snprintf(name, sizeof(name), "%.400s/%d/properties", path, number);
    FILE *file = fopen(name, "w");
    if (!file)
        return -errno;
    const bool is_written = fputs(properties, file) >= 0;
    return fclose(file) == 0 && is_written ? 0 : -EIO;
}

static int write_device(const char *path, int number, const MachineDevice *device)
{
    char text[1024];
    uint64_t unique;
    memcpy(&unique, device->uuid, sizeof(unique));
    snprintf(text, sizeof(text),
             "cpu_cores_count 0\nsimd_count %d\nmem_banks_count 1\ncaches_count 0\n"
             "io_links_count 1\nmax_waves_per_simd 16\nlds_size_in_kb 64\n"
             "wave_front_size %d\narray_count 1\ngfx_target_version %u\nvendor_id %u\n"
             "device_id %u\nlocation_id %u\ndomain %u\ndrm_render_minor %d\nunique_id %" PRIu64
             "\nmax_engine_clk_fcompute 2000\n",
             2 * device->multiprocessors, strncmp(device->chip, "gfx9", 4) == 0 ? 64 : 32,
             chip_target_version(device->chip), device->vendor_id, device->product_id,
             device->pci_bus << 8 | device->pci_device << 3, device->pci_domain, 127 + number,
             unique);
    return write_node(path, number, text);
}

int emulated_hip_topology(const char *path)
{
    int number = 0;
    machine_lock();
    int status = write_node(path, number++,
                            "cpu_cores_count 16\nsimd_count 0\ngfx_target_version 0\n"
                            "vendor_id 0\ndevice_id 0\nlocation_id 0\ndomain 0\n");
    for (int i = 0; i < emulated_machine.n_devices && status == 0; i++) {
        const MachineDevice *device = &emulated_machine.devices[i];
        if (!device->own[DEVICE_HAS_NO_TOPOLOGY])
            status = write_device(path, number++, device);
    }
    machine_unlock();
    return status;
}
