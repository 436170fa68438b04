/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What makes the emulated machine a Mac: errors, words of its file, what tests call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "command_buffer.h"
#include "control.h"
#include "library.h"
#include "memory.h"

/* Names of Apple's, and short ones for the machine's file. */
static const MachineError errors[] = {
    {ERROR_INTERNAL, "MTLCommandBufferErrorInternal", "internal"},
    {ERROR_TIMEOUT, "MTLCommandBufferErrorTimeout", "timeout"},
    {ERROR_PAGE_FAULT, "MTLCommandBufferErrorPageFault", "page fault"},
    {ERROR_ACCESS_REVOKED, "MTLCommandBufferErrorAccessRevoked", "access revoked"},
    {ERROR_NOT_PERMITTED, "MTLCommandBufferErrorNotPermitted", "not permitted"},
    {ERROR_OUT_OF_MEMORY, "MTLCommandBufferErrorOutOfMemory", "out of memory"},
    {ERROR_INVALID_RESOURCE, "MTLCommandBufferErrorInvalidResource", "invalid resource"},
    {ERROR_DEVICE_REMOVED, "MTLCommandBufferErrorDeviceRemoved", "device removed"},
};

/* -- words of the machine's file -- */

static bool read_family(MachineReader *reader)
{
    const char *word = reader->words[1];
    int *family = &reader->device->own[DEVICE_FAMILY];
    if (strcmp(word, "mac2") == 0) {
        *family = 0;
        reader->device->is_integrated = false;
        return true;
    }
    char *end;
    *family = strncmp(word, "apple", 5) == 0 ? (int)strtol(word + 5, &end, 10) : 0;
    return (*family >= 1 && *family <= 10 && *end == '\0') ||
           machine_refuse(reader, "the family %s is not known", word);
}

static bool read_max_buffer(MachineReader *reader)
{
    uint64_t bytes;
    if (!machine_read_number(reader, reader->words[1], &bytes))
        return false;
    reader->device->own[DEVICE_MAX_BUFFER] = (int)(bytes >> 20);
    return bytes >> 20 > 0 || machine_refuse(reader, "max-buffer takes at least 1M");
}

static bool read_registry_id(MachineReader *reader)
{
    return machine_read_int(reader, reader->words[1], &reader->device->own[DEVICE_REGISTRY_ID]);
}

static const MachineWord words[] = {
    {"family", 1, 1, read_family},
    {"max-buffer", 1, 1, read_max_buffer},
    {"registry-id", 1, 1, read_registry_id},
    MACHINE_FLAG("removable", OF_DEVICE, DEVICE_IS_REMOVABLE),
    MACHINE_FLAG("errors-signal", OF_MACHINE, MACHINE_ERRORS_SIGNAL),
};

/* -- the machine -- */

static const Class *const classes[] = {
    &string_class,          &error_class,        &array_class,
    &process_info_class,    &device_class,       &buffer_class,
    &surface_class,         &texture_class,      &texture_descriptor_class,
    &compile_options_class, &library_class,      &function_class,
    &pipeline_class,        &queue_class,        &command_buffer_class,
    &compute_encoder_class, &blit_encoder_class, &shared_event_class,
};

const Class *class_find(const char *name)
{
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (strcmp(classes[i]->name, name) == 0)
            return classes[i];
    }
    return NULL;
}

static bool has_method(const Method *methods, const char *name)
{
    while (methods && methods->name && strcmp(methods->name, name) != 0)
        methods++;
    return methods && methods->name;
}

static bool is_function(const char *word)
{
    static const char *const functions[] = {"MTLCopyAllDevices", "MTLCreateSystemDefaultDevice"};
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i], word) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (has_method(classes[i]->methods, word) || has_method(classes[i]->class_methods, word))
            return true;
    }
    return false;
}

static void set_default(MachineDevice *device, int index)
{
    snprintf(device->name, sizeof(device->name), "Emulated Apple GPU");
    device->is_integrated = true;
    device->own[DEVICE_FAMILY] = 7;
    device->own[DEVICE_REGISTRY_ID] = 1000 + index;
}

static _Thread_local const Object *receiver;

void runtime_set_receiver(const Object *object)
{
    receiver = object;
}

/* The device of the object that a message is sent to; the first one for functions. */
static int device_of(const Object *object)
{
    const Device *device = NULL;
    if (object && object->magic == OBJECT_ALIVE) {
        if (object->class == &device_class)
            device = (const Device *)object;
        else if (object->class == &queue_class)
            device = ((const Queue *)object)->device;
        else if (object->class == &command_buffer_class)
            device = ((const CommandBuffer *)object)->queue->device;
    }
    return device ? device->state->index : 0;
}

static int lose(int error)
{
    machine_lose_device(&machine_devices[device_of(receiver)], error);
    return 0; /* the call finds out */
}

static bool measure(const char *what, uint64_t *value)
{
    *value = 0;
    if (strcmp(what, "memory") == 0)
        for (int i = 0; i < MACHINE_MAX_DEVICES; i++)
            *value += machine_devices[i].memory_used;
    else if (strcmp(what, "objects") == 0 || class_find(what))
        *value = object_count(class_find(what) ? what : NULL);
    else
        return false;
    return true;
}

const MachineRuntime machine_runtime = {
    .name = "Metal",
    .variable = "VMAF_EMULATED_METAL",
    .driver = 14,
    .errors = errors,
    .n_errors = sizeof(errors) / sizeof(errors[0]),
    .unknown_error = ERROR_DEVICE_REMOVED,
    .words = words,
    .n_words = sizeof(words) / sizeof(words[0]),
    .is_function = is_function,
    .set_default = set_default,
    .forget = object_forget_all,
    .set_up = device_set_up,
    .drop_work = queues_drop_work,
    .lose = lose,
    .measure = measure,
};

/* -- for tests -- */

MACHINE_CONTROL_DEFINE(metal)
