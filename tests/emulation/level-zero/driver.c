/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What this runtime is; objects and their handles; faults of devices; driver, devices, contexts. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

enum { PREFIX = sizeof("emulated_") - 1 };

Driver driver = {.object = {.magic = DRIVER_ALIVE, .kind = OBJECT_DRIVER}};

static Object *objects;
static unsigned last_id;

/* A device that this call finds is to be lost. */
static _Thread_local ze_result_t losing;

/* -- the machine file -- */

#define ERROR(name)                                                                                \
    {                                                                                              \
        (int)ZE_RESULT_##name, "ZE_RESULT_" #name, ""                                              \
    }
static const MachineError errors[] = {
    ERROR(NOT_READY),
    ERROR(ERROR_DEVICE_LOST),
    ERROR(ERROR_OUT_OF_HOST_MEMORY),
    ERROR(ERROR_OUT_OF_DEVICE_MEMORY),
    ERROR(ERROR_MODULE_BUILD_FAILURE),
    ERROR(ERROR_DEVICE_REQUIRES_RESET),
    ERROR(ERROR_DEVICE_IN_LOW_POWER_STATE),
    ERROR(ERROR_INSUFFICIENT_PERMISSIONS),
    ERROR(ERROR_NOT_AVAILABLE),
    ERROR(ERROR_DEPENDENCY_UNAVAILABLE),
    ERROR(ERROR_UNINITIALIZED),
    ERROR(ERROR_UNSUPPORTED_VERSION),
    ERROR(ERROR_UNSUPPORTED_FEATURE),
    ERROR(ERROR_INVALID_ARGUMENT),
    ERROR(ERROR_UNSUPPORTED_SIZE),
    ERROR(ERROR_UNSUPPORTED_ENUMERATION),
    ERROR(ERROR_INVALID_NATIVE_BINARY),
    ERROR(ERROR_INVALID_KERNEL_NAME),
    ERROR(ERROR_UNKNOWN),
};

static bool read_version(MachineReader *reader, int *version)
{
    unsigned major, minor;
    int end = 0;
    const char *word = reader->words[1];
    if (sscanf(word, "%u.%u%n", &major, &minor, &end) != 2 || word[end] != '\0')
        return machine_refuse(reader, "%s takes a version such as 1.3, not %s", reader->words[0],
                              word);
    *version = (int)ZE_MAKE_VERSION(major, minor);
    return true;
}

static bool read_api(MachineReader *reader)
{
    return read_version(reader, &reader->machine->own[MACHINE_API]);
}

static bool read_spirv(MachineReader *reader)
{
    return read_version(reader, &reader->device->own[DEVICE_SPIRV]);
}

static const MachineWord words[] = {
    {"api", 1, 1, read_api},
    MACHINE_FLAG("driver-broken", OF_MACHINE, MACHINE_BROKEN),
    MACHINE_FLAG("no-fp64", OF_DEVICE, DEVICE_NO_FP64),
    {"spirv", 1, 1, read_spirv},
};

static bool is_function(const char *word)
{
    for (const char *const *name = driver_functions; *name; name++) {
        if (strcmp(*name, word) == 0)
            return true;
    }
    return false;
}

static void set_default(MachineDevice *device, int index)
{
    (void)index;
    snprintf(device->name, sizeof(device->name), "Emulated Intel GPU");
    device->vendor_id = 0x8086;
    device->product_id = 0x56a0;
    device->copy_engines = 1;
}

static void set_up(void)
{
    for (int i = 0; i < emulated_machine.n_devices; i++) {
        Device *device = &driver.devices[i];
        *device = (Device){.object = {.magic = DRIVER_ALIVE, .kind = OBJECT_DEVICE},
                           .state = &machine_devices[i]};
        device->object.id = (unsigned)i;
        device->object.device = device;
        /* Soon the counter of timestamps begins again. */
        device->clock_ns = (UINT64_C(1) << DRIVER_TIMER_BITS) * 625 / 12 - 20000000;
    }
}

static void drop_work(DeviceState *device)
{
    for (Task *task = schedule_next(NULL), *next; task; task = next) {
        next = schedule_next(task);
        if (device && task->queue->device != device)
            continue;
        schedule_take_out(task);
        driver_free_command((Command *)task);
    }
}

static void forget(void)
{
    drop_work(NULL);
    guarded_free_all(NULL);
    for (Object *object = objects; object; object = object->next)
        object->magic = DRIVER_DEAD;
    for (int i = 0; i < emulated_machine.n_devices; i++)
        driver.devices[i].object.magic = DRIVER_DEAD;
}

/* Which device it is shows when the call looks for its objects. */
static int lose(int error)
{
    losing = (ze_result_t)error;
    return 0;
}

const MachineRuntime machine_runtime = {
    .name = "Level Zero",
    .variable = "VMAF_EMULATED_LEVEL_ZERO",
    .errors = errors,
    .n_errors = sizeof(errors) / sizeof(errors[0]),
    .unknown_error = (int)ZE_RESULT_ERROR_DEVICE_LOST,
    .is_flat = true,
    .words = words,
    .n_words = sizeof(words) / sizeof(words[0]),
    .is_function = is_function,
    .set_default = set_default,
    .forget = forget,
    .set_up = set_up,
    .lose = lose,
    .measure = guarded_measure,
    .drop_work = drop_work,
};

/* -- control functions -- */

MACHINE_CONTROL_DEFINE(level_zero)

const char *emulated_level_zero_unavailable(void)
{
    static char reason[256];
    machine_lock();
    const bool can_run = opencl_start(reason, sizeof(reason));
    machine_unlock();
    return can_run ? NULL : reason;
}

/* -- calls -- */

ze_result_t driver_begin(const char *function)
{
    const char *name = function + PREFIX;
    losing = ZE_RESULT_SUCCESS;
    const ze_result_t result = (ze_result_t)machine_begin(name);
    if (result != ZE_RESULT_SUCCESS || driver.is_initialized || strcmp(name, "zeInit") == 0)
        return result;
    return ZE_RESULT_ERROR_UNINITIALIZED;
}

ze_result_t driver_end(const char *function, ze_result_t result)
{
    for (int i = 0; losing && i < emulated_machine.n_devices; i++) { /* it named none: all are */
        machine_lose_device(&machine_devices[i], (int)losing);
        result = losing;
    }
    losing = ZE_RESULT_SUCCESS;
    return (ze_result_t)machine_end(function + PREFIX, (int)result);
}

ze_result_t driver_unsupported(const char *function)
{
    const ze_result_t result = (ze_result_t)machine_begin(function);
    return (ze_result_t)machine_end(function, result ? (int)result
                                                     : (int)ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

/* -- objects -- */

static const char *const kind_names[] = {"driver", "device", "context", "list",  "pool",
                                         "event",  "module", "log",     "kernel"};

void *driver_create_object(enum ObjectKind kind, size_t size, Device *device)
{
    Object *object = calloc(1, size);
    object->magic = DRIVER_ALIVE;
    object->kind = kind;
    object->id = ++last_id;
    object->device = device;
    object->next = objects;
    objects = object;
    machine_note(" %s=%u", kind_names[kind], object->id);
    return object;
}

void driver_destroy_object(Object *object)
{
    object->magic = DRIVER_DEAD;
}

ze_result_t driver_give_back(void *handle, enum ObjectKind kind)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    Object *object = driver_find_lost(handle, kind, &result);
    if (!object)
        return result;
    driver_spoil(object);
    driver_destroy_object(object);
    return ZE_RESULT_SUCCESS;
}

void *driver_find_lost(const void *handle, enum ObjectKind kind, ze_result_t *result)
{
    Object *object = (Object *)(uintptr_t)handle;
    if (!object) {
        *result = ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        return NULL;
    }
    if (object->magic != DRIVER_ALIVE || object->kind != kind) {
        machine_complain("%s that %s is used", kind_names[kind],
                         object->magic == DRIVER_DEAD ? "was destroyed" : "is something else");
        *result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
        return NULL;
    }
    machine_note(" %s=%u", kind_names[kind], object->id);
    return object;
}

void *driver_find(const void *handle, enum ObjectKind kind, ze_result_t *result)
{
    Object *object = driver_find_lost(handle, kind, result);
    if (!object || !object->device)
        return object;
    if (losing) {
        machine_lose_device(object->device->state, (int)losing);
        losing = ZE_RESULT_SUCCESS;
    }
    *result = (ze_result_t)object->device->state->lost;
    return *result == ZE_RESULT_SUCCESS ? object : NULL;
}

/* -- the driver, its devices, contexts: what can be asked about them -- */

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
