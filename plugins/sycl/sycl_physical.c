/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds the devices and what they can do. Devices are those that the drivers list: parts of a
 * device only where the user's ZE_FLAT_DEVICE_HIERARCHY makes them devices. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer_state.h"
#include "platform/process.h"
#include "sycl_internal.h"

/* Bytes of a kernel's arguments: addresses of buffers, and what device.h promises for every
 * device. */
enum { ARGUMENTS = 8 * VMAF_KERNEL_MAX_BUFFERS + VMAF_KERNEL_MAX_ARGS_SIZE };
enum { QUEUE_GROUPS_MAX = 16, INTEL = 0x8086 };

/* Newer than the loaders that are supported: NULL where it is missing. */
#pragma weak zeDevicePciGetPropertiesExt

int sycl_start(char *reason, size_t reason_size)
{
    char text[64];
    /* Intel's driver installs a handler for faults of memory that host and device share, which is
     * not used here, and compilers in drivers have some, too. The program has its own. */
    VmafSignalHandlers handlers;
    vmaf_signal_handlers_keep(&handlers);
    const ze_result_t result = zeInit(ZE_INIT_FLAG_GPU_ONLY);
    vmaf_signal_handlers_restore(&handlers);
    if (result == ZE_RESULT_SUCCESS)
        return 0;
    sycl_describe_result(result, text, sizeof(text));
    /* Nothing else may be called: loaders have dropped the driver that failed. */
    if (result == ZE_RESULT_ERROR_UNINITIALIZED) {
        snprintf(reason, reason_size, "no driver for Level Zero has found a GPU");
        return -ENODEV;
    }
    snprintf(reason, reason_size, "Level Zero does not start: %s", text);
    const int error = sycl_error_of(result);
    return error == -ENOMEM ? error : -ENODEV;
}

/* -- lists -- */

typedef struct Listed {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
} Listed;

/* Lists are asked for with room for as many as there are: some drivers believe that there are as
 * many as there is room. */
static uint32_t least(uint32_t count, uint32_t room)
{
    return count < room ? count : room;
}

static uint32_t list_drivers(ze_driver_handle_t drivers[VMAF_STREAM_MAX_DEVICES])
{
    uint32_t count = 0;
    if (zeDriverGet(&count, NULL) != ZE_RESULT_SUCCESS || !count)
        return 0;
    count = least(count, VMAF_STREAM_MAX_DEVICES);
    return zeDriverGet(&count, drivers) == ZE_RESULT_SUCCESS ? count : 0;
}

static uint32_t list_devices_of(ze_driver_handle_t driver, Listed *list, uint32_t room)
{
    ze_device_handle_t devices[VMAF_STREAM_MAX_DEVICES];
    uint32_t count = 0;
    if (zeDeviceGet(driver, &count, NULL) != ZE_RESULT_SUCCESS || !count || !room)
        return 0;
    count = least(count, room);
    if (zeDeviceGet(driver, &count, devices) != ZE_RESULT_SUCCESS)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (Listed){driver, devices[i]};
    return count;
}

static uint32_t list_devices(Listed list[VMAF_STREAM_MAX_DEVICES])
{
    ze_driver_handle_t drivers[VMAF_STREAM_MAX_DEVICES];
    const uint32_t n_drivers = list_drivers(drivers);
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_drivers; i++)
        n += list_devices_of(drivers[i], list + n, VMAF_STREAM_MAX_DEVICES - n);
    return n;
}

ze_driver_handle_t sycl_driver_of(ze_device_handle_t device)
{
    Listed list[VMAF_STREAM_MAX_DEVICES];
    const uint32_t n = list_devices(list);
    for (uint32_t i = 0; i < n; i++) {
        if (list[i].device == device)
            return list[i].driver;
    }
    return NULL;
}

/* -- one device -- */

/* What the driver tells about a device; zero where it does not. */
typedef struct Properties {
    ze_device_properties_t device;
    ze_device_compute_properties_t compute;
    ze_device_module_properties_t module;
} Properties;

static bool read_properties(ze_device_handle_t device, Properties *properties)
{
    *properties = (Properties){
        .device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES},
        .compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES},
        .module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES},
    };
    /* A driver that does not tell the others has a device that is seen as unusable. */
    (void)zeDeviceGetComputeProperties(device, &properties->compute);
    (void)zeDeviceGetModuleProperties(device, &properties->module);
    return zeDeviceGetProperties(device, &properties->device) == ZE_RESULT_SUCCESS;
}

SyclQueueGroup sycl_find_queues(ze_device_handle_t device, bool copies_only)
{
    const ze_command_queue_group_property_flags_t wanted =
        copies_only ? ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY
                    : ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
    const ze_command_queue_group_property_flags_t of_interest =
        ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
        (copies_only ? ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY : 0);
    ze_command_queue_group_properties_t groups[QUEUE_GROUPS_MAX] = {{0}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < QUEUE_GROUPS_MAX; i++)
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    if (zeDeviceGetCommandQueueGroupProperties(device, &count, NULL) != ZE_RESULT_SUCCESS)
        return (SyclQueueGroup){0};
    count = least(count, QUEUE_GROUPS_MAX);
    if (!count ||
        zeDeviceGetCommandQueueGroupProperties(device, &count, groups) != ZE_RESULT_SUCCESS)
        return (SyclQueueGroup){0};
    for (uint32_t i = 0; i < count; i++) {
        if (groups[i].numQueues && (groups[i].flags & of_interest) == wanted)
            return (SyclQueueGroup){.ordinal = i, .n_queues = groups[i].numQueues};
    }
    return (SyclQueueGroup){0};
}

static VmafDeviceLimits limits_of(const ze_device_compute_properties_t *compute)
{
    return (VmafDeviceLimits){
        .lanes = compute->maxTotalGroupSize,
        .lanes_x = compute->maxGroupSizeX,
        .group_memory = compute->maxSharedLocalMemory,
        .groups = {compute->maxGroupCountX, compute->maxGroupCountY, compute->maxGroupCountZ},
    };
}

/* Says why kernels cannot run there, if so. */
static void check_usable(ze_device_handle_t device, const Properties *properties,
                         VmafDeviceInfo *info)
{
    const VmafDeviceLimits limits = limits_of(&properties->compute);
    const uint32_t spirv = properties->module.spirvVersionSupported;
    if (spirv < ZE_MAKE_VERSION(1, 2))
        snprintf(info->unusable, sizeof(info->unusable),
                 "%.100s takes SPIR-V %u.%u, not 1.2 or later", info->name, ZE_MAJOR_VERSION(spirv),
                 ZE_MINOR_VERSION(spirv));
    else if (!vmaf_device_check_limits(&limits, info))
        return;
    else if (properties->module.maxArgumentsSize < ARGUMENTS)
        snprintf(info->unusable, sizeof(info->unusable),
                 "%.100s takes fewer arguments than kernels have", info->name);
    else if (!sycl_find_queues(device, false).n_queues)
        snprintf(info->unusable, sizeof(info->unusable), "%.100s has no queue that computes",
                 info->name);
}

static bool find_pci(ze_device_handle_t device, char *text, size_t size)
{
    ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
    if (!zeDevicePciGetPropertiesExt ||
        zeDevicePciGetPropertiesExt(device, &pci) != ZE_RESULT_SUCCESS)
        return false;
    const ze_pci_address_ext_t *address = &pci.address;
    snprintf(text, size, "%04x:%02x:%02x.%x", address->domain & 0xffff, address->bus & 0xff,
             address->device & 0x1f, address->function & 7);
    return true;
}

static uint64_t memory_size(ze_device_handle_t device)
{
    ze_device_memory_properties_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    uint32_t count = 1; /* allocations name the first one */
    const ze_result_t result = zeDeviceGetMemoryProperties(device, &count, &memory);
    return result == ZE_RESULT_SUCCESS && count ? memory.totalSize : 0;
}

/* True if kernels may bind memory of the host without a loss of speed. */
static bool is_unified(ze_device_handle_t device, const ze_device_properties_t *properties)
{
    ze_device_memory_access_properties_t access = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    return (properties->flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED) &&
           zeDeviceGetMemoryAccessProperties(device, &access) == ZE_RESULT_SUCCESS &&
           (access.hostAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW);
}

static uint32_t find_imports(ze_device_handle_t device)
{
    ze_device_external_memory_properties_t external = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    const uint32_t objects =
        1u << VMAF_BACKEND_IMPORT_DMABUF | 1u << VMAF_BACKEND_IMPORT_VA_SURFACE;
    const bool imports =
        zeDeviceGetExternalMemoryProperties(device, &external) == ZE_RESULT_SUCCESS &&
        (external.memoryAllocationImportTypes & ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF);
    return 1u << VMAF_BACKEND_IMPORT_USM_POINTER | (imports ? objects : 0);
}

/* The largest that compilers choose for kernels as large as these: 16, or what there is. */
static uint32_t subgroup_size(const ze_device_compute_properties_t *compute)
{
    enum { USUAL = 16 };
    uint32_t size = 0;
    for (uint32_t i = 0; i < compute->numSubGroupSizes && i < ZE_SUBGROUPSIZE_COUNT; i++) {
        const uint32_t offered = compute->subGroupSizes[i];
        if (!size || (offered > size && offered <= USUAL))
            size = offered;
    }
    return size;
}

static bool has_all(ze_device_fp_flags_t flags, ze_device_fp_flags_t wanted)
{
    return (flags & wanted) == wanted;
}

static VmafDeviceCaps caps_of(ze_device_handle_t device, const Properties *properties)
{
    const ze_device_properties_t *props = &properties->device;
    const ze_device_fp_flags_t exact =
        ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST;
    /* Kernels see larger memory only if they are compiled for it, which makes them slower. */
    const uint64_t largest =
        props->maxMemAllocSize < UINT32_MAX ? props->maxMemAllocSize : UINT32_MAX;
    return (VmafDeviceCaps){
        .memory_size = memory_size(device),
        .max_buffer_size = largest,
        .max_binding_size = largest,
        .binding_alignment = 256,
        .copy_alignment = 1,
        .imports = find_imports(device),
        .compute_units = props->numSlices * props->numSubslicesPerSlice * props->numEUsPerSubslice,
        .copy_engines = sycl_find_queues(device, true).n_queues,
        .subgroup_size = subgroup_size(&properties->compute),
        .group_memory = properties->compute.maxSharedLocalMemory,
        .unified_memory = is_unified(device, props),
        .addresses = true,
        .exact_float32 = has_all(properties->module.fp32flags, exact),
        .exact_float32_division =
            has_all(properties->module.fp32flags, exact | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT),
        .exact_float64 = (properties->module.flags & ZE_DEVICE_MODULE_FLAG_FP64) &&
                         has_all(properties->module.fp64flags, exact),
        .atomics32 = true,
        .group_atomics32 = true,
        .timestamps = props->timerResolution && props->timestampValidBits,
    };
}

/* "Level Zero 1.3, driver 1.3.24595". Intel packs three numbers into one. */
static void describe_driver(ze_driver_handle_t driver, uint32_t vendor, VmafDeviceInfo *info)
{
    ze_api_version_t api = 0;
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    if (zeDriverGetApiVersion(driver, &api) != ZE_RESULT_SUCCESS ||
        zeDriverGetProperties(driver, &properties) != ZE_RESULT_SUCCESS)
        return;
    const uint32_t version = properties.driverVersion;
    const int length = snprintf(info->driver, sizeof(info->driver), "Level Zero %u.%u, driver ",
                                ZE_MAJOR_VERSION(api), ZE_MINOR_VERSION(api));
    char *text = info->driver + length;
    const size_t size = sizeof(info->driver) - (size_t)length;
    if (vendor == INTEL)
        snprintf(text, size, "%u.%u.%u", version >> 24, version >> 16 & 0xff, version & 0xffff);
    else
        snprintf(text, size, "%u", version);
}

bool sycl_describe_device(ze_driver_handle_t driver, ze_device_handle_t device,
                          VmafStreamCandidate *candidate)
{
    VmafDeviceInfo *info = &candidate->info;
    Properties properties;
    if (!read_properties(device, &properties) || properties.device.type != ZE_DEVICE_TYPE_GPU)
        return false;
    const ze_device_properties_t *props = &properties.device;
    candidate->handle = (uint64_t)(uintptr_t)device;
    info->kind = props->flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED ? VMAF_DEVICE_INTEGRATED
                                                                   : VMAF_DEVICE_DISCRETE;
    snprintf(info->name, sizeof(info->name), "%.127s", props->name);
    if (props->vendorId == INTEL)
        snprintf(info->vendor, sizeof(info->vendor), "Intel");
    else
        snprintf(info->vendor, sizeof(info->vendor), "vendor 0x%04x", props->vendorId);
    describe_driver(driver, props->vendorId, info);
    info->caps = caps_of(device, &properties);
    info->identities = VMAF_BACKEND_IDENTITY_UUID;
    memcpy(info->uuid, props->uuid.id, sizeof(info->uuid));
    if (find_pci(device, info->pci, sizeof(info->pci)))
        info->identities |= VMAF_BACKEND_IDENTITY_PCI;
    check_usable(device, &properties, info);
    return true;
}

/* The older version of the struct tells the period in nanoseconds, the newer one the frequency. */
void sycl_read_clock(SyclDevice *device, ze_driver_handle_t driver)
{
    ze_api_version_t api = 0;
    const bool has_frequency =
        zeDriverGetApiVersion(driver, &api) == ZE_RESULT_SUCCESS && api >= ZE_API_VERSION_1_2;
    ze_device_properties_t properties = {.stype = has_frequency
                                                      ? ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
                                                      : ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    if (zeDeviceGetProperties(device->device, &properties) != ZE_RESULT_SUCCESS ||
        !properties.timerResolution)
        return;
    const double resolution = (double)properties.timerResolution;
    device->ns_per_tick = has_frequency ? 1e9 / resolution : resolution;
    device->tick_mask = properties.timestampValidBits < 64
                            ? (UINT64_C(1) << properties.timestampValidBits) - 1
                            : UINT64_MAX;
}

/* Without the option, Intel's compiler makes approximate divisions and square roots. */
const char *sycl_build_options(ze_device_handle_t device)
{
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    const bool rounds = zeDeviceGetModuleProperties(device, &module) == ZE_RESULT_SUCCESS &&
                        (module.fp32flags & ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT);
    return rounds ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
}

VmafStreamCandidates *sycl_find_devices(void)
{
    Listed list[VMAF_STREAM_MAX_DEVICES];
    VmafStreamCandidates *all = calloc(1, sizeof(*all));
    const uint32_t n = all ? list_devices(list) : 0;
    for (uint32_t i = 0; i < n; i++) {
        VmafStreamCandidate found = {.handle = 0};
        if (sycl_describe_device(list[i].driver, list[i].device, &found))
            vmaf_stream_add_candidate(all, &found, i);
    }
    return all;
}
