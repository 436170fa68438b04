/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The driver, its devices, contexts: what can be asked about them. */
#include <string.h>

#include "driver.h"
#include "driver_opencl.h"

uint64_t driver_ticks(const Device *device)
{
    const uint64_t ticks = device->clock_ns * 12 / 625; /* DRIVER_TIMER_HZ over nanoseconds */
    return ticks & ((UINT64_C(1) << DRIVER_TIMER_BITS) - 1);
}

bool driver_has_queue(const Device *device, uint32_t ordinal, uint32_t index)
{
    return (ordinal == QUEUE_GROUP_COMPUTE && index == 0) ||
           (ordinal == QUEUE_GROUP_COPY && index < (uint32_t)device->state->machine->copy_engines);
}

/* -- driver -- */

static ze_result_t initialize(ze_init_flags_t flags)
{
    char reason[256] = "";
    if (flags & ~(ze_init_flags_t)(ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (*machine_why || emulated_machine.own[MACHINE_BROKEN])
        return ZE_RESULT_ERROR_UNINITIALIZED;
    if (!opencl_start(reason, sizeof(reason))) {
        fprintf(stderr, "emulated Level Zero: %s\n", reason);
        machine_log("! %s", reason);
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    driver.is_initialized = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeInit(ze_init_flags_t flags)
{
    DRIVER_CALL(initialize(flags));
}

/* How all functions list things: *count is how many there are room for, then how many there are. */
static uint32_t list_count(uint32_t *count, bool has_room, uint32_t n)
{
    if (!has_room || *count == 0 || *count > n) {
        const uint32_t room = has_room && *count ? n : 0;
        *count = n;
        return room;
    }
    return *count;
}

/* What every question for properties needs: the object, and a place for the answer. */
static ze_result_t check_query(void *handle, enum ObjectKind kind, const void *properties)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (!driver_find(handle, kind, &result))
        return result;
    return properties ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

static ze_result_t get_drivers(uint32_t *count, ze_driver_handle_t *drivers)
{
    if (!count)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (list_count(count, drivers != NULL, 1))
        drivers[0] = (ze_driver_handle_t)&driver;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers)
{
    DRIVER_CALL(get_drivers(count, drivers));
}

#ifdef HAS_zeInitDrivers
static ze_result_t initialize_drivers(uint32_t *count, ze_driver_handle_t *drivers,
                                      const ze_init_driver_type_desc_t *desc)
{
    if (!count || !desc)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const ze_result_t result = initialize(0);
    if (result != ZE_RESULT_SUCCESS)
        return result;
    if (!(desc->flags & ZE_INIT_DRIVER_TYPE_FLAG_GPU)) {
        *count = 0;
        return ZE_RESULT_SUCCESS;
    }
    return get_drivers(count, drivers);
}

ze_result_t emulated_zeInitDrivers(uint32_t *count, ze_driver_handle_t *drivers,
                                   ze_init_driver_type_desc_t *desc)
{
    DRIVER_CALL(initialize_drivers(count, drivers, desc));
}
#endif

static ze_result_t get_api_version(ze_driver_handle_t handle, ze_api_version_t *version)
{
    const ze_result_t result = check_query(handle, OBJECT_DRIVER, version);
    if (result != ZE_RESULT_SUCCESS)
        return result;
    *version = emulated_machine.own[MACHINE_API]
                   ? (ze_api_version_t)emulated_machine.own[MACHINE_API]
                   : ZE_API_VERSION_CURRENT;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeDriverGetApiVersion(ze_driver_handle_t handle, ze_api_version_t *version)
{
    DRIVER_CALL(get_api_version(handle, version));
}

static ze_result_t get_driver_properties(ze_driver_handle_t handle,
                                         ze_driver_properties_t *properties)
{
    const ze_result_t result = check_query(handle, OBJECT_DRIVER, properties);
    if (result != ZE_RESULT_SUCCESS)
        return result;
    memset(&properties->uuid, 0x5a, sizeof(properties->uuid));
    properties->driverVersion = emulated_machine.driver ? (uint32_t)emulated_machine.driver : 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeDriverGetProperties(ze_driver_handle_t handle,
                                           ze_driver_properties_t *properties)
{
    DRIVER_CALL(get_driver_properties(handle, properties));
}

static ze_result_t get_extensions(ze_driver_handle_t handle, uint32_t *count,
                                  ze_driver_extension_properties_t *extensions)
{
    ze_result_t result;
    static const char name[] = "ZE_extension_pci_properties";
    if (!driver_find(handle, OBJECT_DRIVER, &result))
        return result;
    if (!count)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (list_count(count, extensions != NULL, 1)) {
        memcpy(extensions[0].name, name, sizeof(name));
        extensions[0].version = ZE_MAKE_VERSION(1, 0);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeDriverGetExtensionProperties(ze_driver_handle_t handle, uint32_t *count,
                                                    ze_driver_extension_properties_t *extensions)
{
    DRIVER_CALL(get_extensions(handle, count, extensions));
}

/* -- devices -- */

static ze_result_t get_devices(ze_driver_handle_t handle, uint32_t *count,
                               ze_device_handle_t *devices)
{
    const ze_result_t result = check_query(handle, OBJECT_DRIVER, count);
    if (result != ZE_RESULT_SUCCESS)
        return result;
    const uint32_t n = emulated_machine.has_no_device ? 0 : (uint32_t)emulated_machine.n_devices;
    const uint32_t listed = list_count(count, devices != NULL, n);
    for (uint32_t i = 0; i < listed; i++)
        devices[i] = (ze_device_handle_t)&driver.devices[i];
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeDeviceGet(ze_driver_handle_t handle, uint32_t *count,
                                 ze_device_handle_t *devices)
{
    DRIVER_CALL(get_devices(handle, count, devices));
}

static ze_result_t get_properties(ze_device_handle_t handle, ze_device_properties_t *properties)
{
    ze_result_t result;
    const Device *device = driver_find(handle, OBJECT_DEVICE, &result);
    if (!device)
        return result;
    if (!properties)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const bool counts_cycles = properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    const MachineDevice *described = device->state->machine;
    properties->type = ZE_DEVICE_TYPE_GPU;
    properties->vendorId = described->vendor_id;
    properties->deviceId = described->product_id;
    properties->flags = described->is_integrated ? ZE_DEVICE_PROPERTY_FLAG_INTEGRATED : 0;
    properties->subdeviceId = 0;
    properties->coreClockRate = 2000;
    properties->maxMemAllocSize = described->memory / 2;
    properties->maxHardwareContexts = 64;
    properties->maxCommandQueuePriority = 0;
    properties->numThreadsPerEU = 8;
    properties->physicalEUSimdWidth = 8;
    properties->numEUsPerSubslice = 8;
    properties->numSubslicesPerSlice = (uint32_t)described->multiprocessors;
    properties->numSlices = 1;
    properties->timerResolution = counts_cycles ? DRIVER_TIMER_HZ : 1000000000 / DRIVER_TIMER_HZ;
    properties->timestampValidBits = DRIVER_TIMER_BITS;
    properties->kernelTimestampValidBits = DRIVER_KERNEL_TIMER_BITS;
    memcpy(properties->uuid.id, described->uuid, sizeof(properties->uuid.id));
    snprintf(properties->name, sizeof(properties->name), "%s", described->name);
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeDeviceGetProperties(ze_device_handle_t handle,
                                           ze_device_properties_t *properties)
{
    DRIVER_CALL(get_properties(handle, properties));
}

static ze_result_t get_compute_properties(ze_device_handle_t handle,
                                          ze_device_compute_properties_t *properties)
{
    const ze_result_t result = check_query(handle, OBJECT_DEVICE, properties);
    if (result != ZE_RESULT_SUCCESS)
        return result;
    properties->maxTotalGroupSize = DRIVER_MAX_GROUP_SIZE;
    properties->maxGroupSizeX = properties->maxGroupSizeY = properties->maxGroupSizeZ =
        DRIVER_MAX_GROUP_SIZE;
    properties->maxGroupCountX = properties->maxGroupCountY = properties->maxGroupCountZ =
        UINT32_MAX;
    properties->maxSharedLocalMemory = DRIVER_LOCAL_MEMORY;
    properties->numSubGroupSizes = 3;
    properties->subGroupSizes[0] = 8;
    properties->subGroupSizes[1] = 16;
    properties->subGroupSizes[2] = 32;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeDeviceGetComputeProperties(ze_device_handle_t handle,
                                                  ze_device_compute_properties_t *properties)
{
    DRIVER_CALL(get_compute_properties(handle, properties));
}

static ze_result_t get_module_properties(ze_device_handle_t handle,
                                         ze_device_module_properties_t *properties)
{
    ze_result_t result;
    const Device *device = driver_find(handle, OBJECT_DEVICE, &result);
    const ze_device_fp_flags_t fp = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN |
                                    ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST | ZE_DEVICE_FP_FLAG_FMA;
    if (!device)
        return result;
    if (!properties)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const bool has_fp64 = !device->state->machine->own[DEVICE_NO_FP64];
    properties->spirvVersionSupported = driver_spirv_of(device);
    properties->flags = has_fp64 ? ZE_DEVICE_MODULE_FLAG_FP64 : 0;
    properties->fp16flags = 0;
    properties->fp32flags = fp;
    properties->fp64flags = has_fp64 ? fp : 0;
    properties->maxArgumentsSize = DRIVER_MAX_ARGUMENTS_SIZE;
    properties->printfBufferSize = 0;
    memset(&properties->nativeKernelSupported, 0, sizeof(properties->nativeKernelSupported));
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeDeviceGetModuleProperties(ze_device_handle_t handle,
                                                 ze_device_module_properties_t *properties)
{
    DRIVER_CALL(get_module_properties(handle, properties));
}

static ze_result_t get_queue_groups(ze_device_handle_t handle, uint32_t *count,
                                    ze_command_queue_group_properties_t *groups)
{
    ze_result_t result;
    const Device *device = driver_find(handle, OBJECT_DEVICE, &result);
    if (!device)
        return result;
    if (!count)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const uint32_t n =
        list_count(count, groups != NULL, device->state->machine->copy_engines > 0 ? 2 : 1);
    for (uint32_t i = 0; i < n; i++) {
        groups[i].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
        if (i == QUEUE_GROUP_COMPUTE)
            groups[i].flags |= ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
        groups[i].maxMemoryFillPatternSize = 1;
        groups[i].numQueues =
            i == QUEUE_GROUP_COMPUTE ? 1 : (uint32_t)device->state->machine->copy_engines;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t
emulated_zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t handle, uint32_t *count,
                                                ze_command_queue_group_properties_t *groups)
{
    DRIVER_CALL(get_queue_groups(handle, count, groups));
}

static ze_result_t get_memories(ze_device_handle_t handle, uint32_t *count,
                                ze_device_memory_properties_t *memories)
{
    ze_result_t result;
    const Device *device = driver_find(handle, OBJECT_DEVICE, &result);
    if (!device)
        return result;
    if (!count)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (list_count(count, memories != NULL, 1)) {
        memories[0].flags = 0;
        memories[0].maxClockRate = 2000;
        memories[0].maxBusWidth = 256;
        memories[0].totalSize = device->state->machine->memory;
        snprintf(memories[0].name, sizeof(memories[0].name), "memory");
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeDeviceGetMemoryProperties(ze_device_handle_t handle, uint32_t *count,
                                                 ze_device_memory_properties_t *memories)
{
    DRIVER_CALL(get_memories(handle, count, memories));
}

static ze_result_t get_memory_access(ze_device_handle_t handle,
                                     ze_device_memory_access_properties_t *properties)
{
    ze_result_t result;
    const ze_memory_access_cap_flags_t own =
        ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
    if (!driver_find(handle, OBJECT_DEVICE, &result))
        return result;
    if (!properties)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    properties->hostAllocCapabilities = ZE_MEMORY_ACCESS_CAP_FLAG_RW;
    properties->deviceAllocCapabilities = own;
    properties->sharedSingleDeviceAllocCapabilities = own;
    properties->sharedCrossDeviceAllocCapabilities = 0;
    properties->sharedSystemAllocCapabilities = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t
emulated_zeDeviceGetMemoryAccessProperties(ze_device_handle_t handle,
                                           ze_device_memory_access_properties_t *properties)
{
    DRIVER_CALL(get_memory_access(handle, properties));
}

static ze_result_t get_external_memory(ze_device_handle_t handle,
                                       ze_device_external_memory_properties_t *properties)
{
    const ze_result_t result = check_query(handle, OBJECT_DEVICE, properties);
    if (result != ZE_RESULT_SUCCESS)
        return result;
    properties->memoryAllocationImportTypes = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF;
    properties->memoryAllocationExportTypes = 0;
    properties->imageImportTypes = properties->imageExportTypes = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t
emulated_zeDeviceGetExternalMemoryProperties(ze_device_handle_t handle,
                                             ze_device_external_memory_properties_t *properties)
{
    DRIVER_CALL(get_external_memory(handle, properties));
}

static ze_result_t get_pci(ze_device_handle_t handle, ze_pci_ext_properties_t *properties)
{
    ze_result_t result;
    const Device *device = driver_find(handle, OBJECT_DEVICE, &result);
    if (!device)
        return result;
    if (!properties)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    properties->address.domain = device->state->machine->pci_domain;
    properties->address.bus = device->state->machine->pci_bus;
    properties->address.device = device->state->machine->pci_device;
    properties->address.function = 0;
    properties->maxSpeed.genVersion = properties->maxSpeed.width = -1;
    properties->maxSpeed.maxBandwidth = -1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeDevicePciGetPropertiesExt(ze_device_handle_t handle,
                                                 ze_pci_ext_properties_t *properties)
{
    DRIVER_CALL(get_pci(handle, properties));
}

static ze_result_t get_status(ze_device_handle_t handle)
{
    ze_result_t result;
    return driver_find(handle, OBJECT_DEVICE, &result) ? ZE_RESULT_SUCCESS : result;
}

ze_result_t emulated_zeDeviceGetStatus(ze_device_handle_t handle)
{
    DRIVER_CALL(get_status(handle));
}

/* -- contexts, which own what is made in them -- */

static ze_result_t create_context(ze_driver_handle_t handle, ze_context_handle_t *context)
{
    ze_result_t result;
    if (!driver_find(handle, OBJECT_DRIVER, &result))
        return result;
    if (!context)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *context = driver_create_object(OBJECT_CONTEXT, sizeof(Context), NULL);
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeContextCreate(ze_driver_handle_t handle, const ze_context_desc_t *desc,
                                     ze_context_handle_t *context)
{
    DRIVER_CALL(desc ? create_context(handle, context) : ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

ze_result_t emulated_zeContextDestroy(ze_context_handle_t handle)
{
    DRIVER_CALL(driver_give_back(handle, OBJECT_CONTEXT));
}
