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

DRIVER_DEFINE(zeInit, (ze_init_flags_t flags), initialize(flags))

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

/* The object of a question for properties, if there is a place for the answer, too. */
static void *find_asked(void *handle, enum ObjectKind kind, const void *answer, ze_result_t *result)
{
    void *found = driver_find(handle, kind, result);
    if (!found || answer)
        return found;
    *result = ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return NULL;
}

/* A function that asks an object of a kind: the answer is filled in by a function of these two. */
#define DRIVER_QUERY(name, handle_type, kind, answer_type, function)                               \
    static ze_result_t ask_##name(handle_type handle, answer_type *answer)                         \
    {                                                                                              \
        ze_result_t result = ZE_RESULT_SUCCESS;                                                    \
        void *found = find_asked(handle, kind, answer, &result);                                   \
        if (found)                                                                                 \
            function(found, answer);                                                               \
        return result;                                                                             \
    }                                                                                              \
    DRIVER_DEFINE(name, (handle_type handle, answer_type * answer), ask_##name(handle, answer))
#define DEVICE_QUERY(name, answer_type, function)                                                  \
    DRIVER_QUERY(name, ze_device_handle_t, OBJECT_DEVICE, answer_type, function)

static ze_result_t get_drivers(uint32_t *count, ze_driver_handle_t *drivers)
{
    if (!count)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (list_count(count, drivers != NULL, 1))
        drivers[0] = (ze_driver_handle_t)&driver;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeDriverGet, (uint32_t * count, ze_driver_handle_t *drivers),
              get_drivers(count, drivers))

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

DRIVER_DEFINE(zeInitDrivers,
              (uint32_t * count, ze_driver_handle_t *drivers, ze_init_driver_type_desc_t *desc),
              initialize_drivers(count, drivers, desc))
#endif

static void get_api_version(const Driver *asked, ze_api_version_t *version)
{
    const int own = emulated_machine.own[MACHINE_API];
    (void)asked;
    *version = own ? (ze_api_version_t)own : ZE_API_VERSION_CURRENT;
}

DRIVER_QUERY(zeDriverGetApiVersion, ze_driver_handle_t, OBJECT_DRIVER, ze_api_version_t,
             get_api_version)

static void get_driver_properties(const Driver *asked, ze_driver_properties_t *properties)
{
    (void)asked;
    memset(&properties->uuid, 0x5a, sizeof(properties->uuid));
    properties->driverVersion = emulated_machine.driver ? (uint32_t)emulated_machine.driver : 1;
}

DRIVER_QUERY(zeDriverGetProperties, ze_driver_handle_t, OBJECT_DRIVER, ze_driver_properties_t,
             get_driver_properties)

/* -- devices: what programs ask them; what they do not look at stays as it is -- */

static ze_result_t get_devices(ze_driver_handle_t handle, uint32_t *count,
                               ze_device_handle_t *devices)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    const uint32_t n = emulated_machine.has_no_device ? 0 : (uint32_t)emulated_machine.n_devices;
    if (!find_asked(handle, OBJECT_DRIVER, count, &result))
        return result;
    for (uint32_t i = list_count(count, devices != NULL, n); i-- > 0;)
        devices[i] = (ze_device_handle_t)&driver.devices[i];
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeDeviceGet,
              (ze_driver_handle_t handle, uint32_t *count, ze_device_handle_t *devices),
              get_devices(handle, count, devices))

static void get_properties(const Device *device, ze_device_properties_t *properties)
{
    const bool counts_cycles = properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    const MachineDevice *described = device->state->machine;
    properties->type = ZE_DEVICE_TYPE_GPU;
    properties->vendorId = described->vendor_id;
    properties->deviceId = described->product_id;
    properties->flags = described->is_integrated ? ZE_DEVICE_PROPERTY_FLAG_INTEGRATED : 0;
    properties->maxMemAllocSize = described->memory / 2;
    properties->numEUsPerSubslice = 8;
    properties->numSubslicesPerSlice = (uint32_t)described->multiprocessors;
    properties->numSlices = 1;
    properties->timerResolution = counts_cycles ? DRIVER_TIMER_HZ : 1000000000 / DRIVER_TIMER_HZ;
    properties->timestampValidBits = DRIVER_TIMER_BITS;
    memcpy(properties->uuid.id, described->uuid, sizeof(properties->uuid.id));
    snprintf(properties->name, sizeof(properties->name), "%s", described->name);
}

DEVICE_QUERY(zeDeviceGetProperties, ze_device_properties_t, get_properties)

static void get_compute(const Device *device, ze_device_compute_properties_t *properties)
{
    (void)device;
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
}

DEVICE_QUERY(zeDeviceGetComputeProperties, ze_device_compute_properties_t, get_compute)

static void get_module(const Device *device, ze_device_module_properties_t *properties)
{
    const ze_device_fp_flags_t fp = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN |
                                    ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST | ZE_DEVICE_FP_FLAG_FMA;
    const bool has_fp64 = !device->state->machine->own[DEVICE_NO_FP64];
    properties->spirvVersionSupported = driver_spirv_of(device);
    properties->flags = has_fp64 ? ZE_DEVICE_MODULE_FLAG_FP64 : 0;
    properties->fp32flags = fp;
    properties->fp64flags = has_fp64 ? fp : 0;
    properties->maxArgumentsSize = DRIVER_MAX_ARGUMENTS_SIZE;
}

DEVICE_QUERY(zeDeviceGetModuleProperties, ze_device_module_properties_t, get_module)

static void get_access(const Device *device, ze_device_memory_access_properties_t *properties)
{
    (void)device;
    properties->hostAllocCapabilities = ZE_MEMORY_ACCESS_CAP_FLAG_RW;
}

DEVICE_QUERY(zeDeviceGetMemoryAccessProperties, ze_device_memory_access_properties_t, get_access)

static void get_external(const Device *device, ze_device_external_memory_properties_t *properties)
{
    (void)device;
    properties->memoryAllocationImportTypes = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF;
}

DEVICE_QUERY(zeDeviceGetExternalMemoryProperties, ze_device_external_memory_properties_t,
             get_external)

static void get_pci(const Device *device, ze_pci_ext_properties_t *properties)
{
    properties->address.domain = device->state->machine->pci_domain;
    properties->address.bus = device->state->machine->pci_bus;
    properties->address.device = device->state->machine->pci_device;
    properties->address.function = 0;
}

DEVICE_QUERY(zeDevicePciGetPropertiesExt, ze_pci_ext_properties_t, get_pci)

static ze_result_t get_queue_groups(ze_device_handle_t handle, uint32_t *count,
                                    ze_command_queue_group_properties_t *groups)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    const Device *device = find_asked(handle, OBJECT_DEVICE, count, &result);
    if (!device)
        return result;
    const uint32_t copy_engines = (uint32_t)device->state->machine->copy_engines;
    const uint32_t n = list_count(count, groups != NULL, copy_engines > 0 ? 2 : 1);
    for (uint32_t i = 0; i < n; i++) {
        groups[i].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
        if (i == QUEUE_GROUP_COMPUTE)
            groups[i].flags |= ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
        groups[i].numQueues = i == QUEUE_GROUP_COMPUTE ? 1 : copy_engines;
    }
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeDeviceGetCommandQueueGroupProperties,
              (ze_device_handle_t handle, uint32_t *count,
               ze_command_queue_group_properties_t *groups),
              get_queue_groups(handle, count, groups))

static ze_result_t get_memories(ze_device_handle_t handle, uint32_t *count,
                                ze_device_memory_properties_t *memories)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    const Device *device = find_asked(handle, OBJECT_DEVICE, count, &result);
    if (device && list_count(count, memories != NULL, 1))
        memories[0].totalSize = device->state->machine->memory;
    return result;
}

DRIVER_DEFINE(zeDeviceGetMemoryProperties,
              (ze_device_handle_t handle, uint32_t *count, ze_device_memory_properties_t *memories),
              get_memories(handle, count, memories))

static ze_result_t get_status(ze_device_handle_t handle)
{
    ze_result_t result;
    return driver_find(handle, OBJECT_DEVICE, &result) ? ZE_RESULT_SUCCESS : result;
}

DRIVER_DEFINE(zeDeviceGetStatus, (ze_device_handle_t handle), get_status(handle))

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

DRIVER_DEFINE(zeContextCreate,
              (ze_driver_handle_t handle, const ze_context_desc_t *desc,
               ze_context_handle_t *context),
              desc ? create_context(handle, context) : ZE_RESULT_ERROR_INVALID_NULL_POINTER)
DRIVER_DEFINE(zeContextDestroy, (ze_context_handle_t handle),
              driver_give_back(handle, OBJECT_CONTEXT))
