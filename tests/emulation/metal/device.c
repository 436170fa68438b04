/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Devices. */
#include "device.h"

#include <stdio.h>

#include "classes.h"
#include "command_buffer.h"
#include "exported.h"
#include "library.h"
#include "memory.h"

enum { FAMILY_APPLE = 1000, FAMILY_MAC = 2000, FAMILY_COMMON = 3000, FAMILY_METAL3 = 5001 };
enum { GROUP_MEMORY = 32768 };

/* Those that the program has; the same one is returned as long as it exists. */
static Device *devices[MACHINE_MAX_DEVICES];

void device_set_up(void)
{
    for (int i = 0; i < MACHINE_MAX_DEVICES; i++)
        devices[i] = NULL;
}

uint64_t device_max_buffer(const Device *device)
{
    const int megabytes = device->state->machine->own[DEVICE_MAX_BUFFER];
    return megabytes ? (uint64_t)megabytes << 20 : device->state->machine->memory / 2;
}

bool device_has_memory(Device *device, uint64_t bytes)
{
    return machine_has_memory(device->state, bytes) && !device->state->lost;
}

static void destroy_device(Object *object)
{
    Device *device = (Device *)object;
    if (devices[device->state->index] == device)
        devices[device->state->index] = NULL;
}

/* With one more reference of the program. */
static Object *take_device(int index)
{
    Device *device = devices[index];
    if (device) {
        device->head.owned++;
        return &device->head;
    }
    device = object_create(&device_class);
    device->state = &machine_devices[index];
    devices[index] = device;
    return &device->head;
}

static int count_devices(void)
{
    return emulated_machine.has_no_device || machine_why[0] ? 0 : emulated_machine.n_devices;
}

static Object *copy_all(void)
{
    Object *taken[MACHINE_MAX_DEVICES];
    const int n = count_devices();
    for (int i = 0; i < n; i++)
        taken[i] = take_device(i);
    Object *array = array_create(taken, (size_t)n);
    for (int i = 0; i < n; i++)
        object_release(taken[i]);
    return array;
}

Object *MTLCopyAllDevices(void)
{
    Object *array = NULL;
    if (machine_begin(__func__) == 0)
        array = copy_all();
    machine_end(__func__, 0);
    return array;
}

Object *MTLCreateSystemDefaultDevice(void)
{
    Object *device = NULL;
    if (machine_begin(__func__) == 0 && count_devices() > 0)
        device = take_device(0);
    machine_note(" = %s", object_words(device));
    machine_end(__func__, 0);
    return device;
}

/* -- what it is -- */

static const MachineDevice *of(const Object *self)
{
    return ((const Device *)self)->state->machine;
}

static bool has_family(const MachineDevice *device, NSInteger family)
{
    const int apple = device->own[DEVICE_FAMILY];
    if (family > FAMILY_APPLE && family < FAMILY_APPLE + 100)
        return family - FAMILY_APPLE <= apple;
    if (family > FAMILY_MAC && family <= FAMILY_MAC + 2)
        return apple == 0 || apple >= 7;
    if (family > FAMILY_COMMON && family <= FAMILY_COMMON + 3)
        return true;
    return family == FAMILY_METAL3 && (apple == 0 || apple >= 7);
}

MESSAGE(Object *, device_name, (SELF), string_create(of(self)->name))
MESSAGE(uint64_t, device_registry_id, (SELF),
        UINT64_C(0x100000000) + (uint64_t)of(self)->own[DEVICE_REGISTRY_ID])
MESSAGE(bool, device_supports_family, (SELF, NSInteger family), has_family(of(self), family))
MESSAGE(uint64_t, device_working_set, (SELF), of(self)->memory / 3 * 2)
MESSAGE(NSUInteger, device_max_buffer_length, (SELF), device_max_buffer((Device *)self))
MESSAGE(NSUInteger, device_group_memory, (SELF), GROUP_MEMORY)
MESSAGE(bool, device_has_unified_memory, (SELF), of(self)->is_integrated)
MESSAGE(bool, device_is_low_power, (SELF),
        of(self)->is_integrated &&of(self)->own[DEVICE_FAMILY] == 0)
MESSAGE(bool, device_is_removable, (SELF), of(self)->own[DEVICE_IS_REMOVABLE])

/* -- what it makes -- */

MESSAGE(Object *, device_new_buffer, (SELF, NSUInteger length, NSUInteger options),
        buffer_create((Device *)self, length, options))
MESSAGE(Object *, device_new_buffer_around,
        (SELF, void *bytes, NSUInteger length, NSUInteger options, const Block *block),
        buffer_create_around((Device *)self, bytes, length, options, block))
MESSAGE(Object *, device_new_texture,
        (SELF, const Object *descriptor, Object *surface, NSUInteger plane),
        texture_create((Device *)self, descriptor, surface, plane))
MESSAGE(Object *, device_new_queue_of, (SELF, NSUInteger buffers),
        queue_create((Device *)self, buffers))
MESSAGE(Object *, device_new_shared_event, (SELF), shared_event_create((Device *)self))

static Object *device_new_library(Object *self, const Selector *message, const Object *source,
                                  const Object *options, Object **error)
{
    Object *library = NULL;
    if (metal_enter(self, message->name))
        library = library_create((Device *)self, source, options, error);
    else
        error_store(error, ERROR_OF_LIBRARIES, metal_fault(), "the compiler failed");
    metal_leave(message->name);
    return library;
}

static Object *device_new_pipeline(Object *self, const Selector *message, Object *function,
                                   Object **error)
{
    Object *pipeline = NULL;
    if (metal_enter(self, message->name))
        pipeline = pipeline_create((Device *)self, function, error);
    else
        error_store(error, ERROR_OF_PIPELINES, metal_fault(), "the compiler failed");
    metal_leave(message->name);
    return pipeline;
}

const Class device_class = {
    .head = CLASS_HEAD,
    .name = "MTLDevice",
    .size = sizeof(Device),
    .destroy = destroy_device,
    .methods =
        (const Method[]){
            METHOD("name", device_name),
            METHOD("registryID", device_registry_id),
            METHOD("supportsFamily:", device_supports_family),
            METHOD("recommendedMaxWorkingSetSize", device_working_set),
            METHOD("maxBufferLength", device_max_buffer_length),
            METHOD("maxThreadgroupMemoryLength", device_group_memory),
            METHOD("hasUnifiedMemory", device_has_unified_memory),
            METHOD("isLowPower", device_is_low_power),
            METHOD("isRemovable", device_is_removable),
            METHOD("newBufferWithLength:options:", device_new_buffer),
            METHOD("newBufferWithBytesNoCopy:length:options:deallocator:",
                   device_new_buffer_around),
            METHOD("newTextureWithDescriptor:iosurface:plane:", device_new_texture),
            METHOD("newCommandQueueWithMaxCommandBufferCount:", device_new_queue_of),
            METHOD("newSharedEvent", device_new_shared_event),
            METHOD("newLibraryWithSource:options:error:", device_new_library),
            METHOD("newComputePipelineStateWithFunction:error:", device_new_pipeline),
            METHODS_END,
        },
};
