/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Objects of Foundation; devices, what they are and what they make; the machine that they are in.
 */

#include "metal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"

/* -- strings -- */

typedef struct String {
    Object head;
    char *text;
} String;

static void destroy_string(Object *object)
{
    String *string = (String *)object;
    if (string->text)
        memset(string->text, '?', strlen(string->text)); /* for those who still read it */
    free(string->text);
}

const char *string_text(const Object *string, const char *message)
{
    const String *checked = object_check(string, &string_class, message);
    return checked->text ? checked->text : "";
}

Object *string_create(const char *text)
{
    String *string = object_create_autoreleased(&string_class);
    string->text = strdup(text);
    return &string->head;
}

MESSAGE(Object *, string_with_text, (SELF, const char *text), string_create(text))
MESSAGE(const char *, string_utf8, (SELF), string_text(self, message->name))

const Class string_class = {
    .head = CLASS_HEAD,
    .name = "NSString",
    .size = sizeof(String),
    .destroy = destroy_string,
    .class_methods =
        (const Method[]){METHOD("stringWithUTF8String:", string_with_text), METHODS_END},
    .methods = (const Method[]){METHOD("UTF8String", string_utf8), METHODS_END},
};

/* -- errors -- */

typedef struct Error {
    Object head;
    const char *domain;
    NSInteger code;
    char text[512];
} Error;

static Error *new_error(const char *domain, NSInteger code, const char *format, va_list arguments)
{
    Error *error = object_create(&error_class);
    error->domain = domain;
    error->code = code;
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    machine_note(" (%s)", error->text);
    return error;
}

Object *error_create(const char *domain, NSInteger code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Error *error = new_error(domain, code, format, arguments);
    va_end(arguments);
    object_use(error);
    object_release(&error->head);
    return &error->head;
}

void *error_store(Object **stored, const char *domain, NSInteger code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Error *error = new_error(domain, code, format, arguments);
    va_end(arguments);
    if (stored)
        *stored = object_autorelease(&error->head);
    else
        object_release(&error->head);
    return NULL;
}

MESSAGE(Object *, error_domain, (SELF), string_create(((Error *)self)->domain))
MESSAGE(NSInteger, error_code, (SELF), ((Error *)self)->code)
MESSAGE(Object *, error_description, (SELF), string_create(((Error *)self)->text))

const Class error_class = {
    .head = CLASS_HEAD,
    .name = "NSError",
    .size = sizeof(Error),
    .methods = (const Method[]){METHOD("domain", error_domain), METHOD("code", error_code),
                                METHOD("localizedDescription", error_description), METHODS_END},
};

/* -- arrays -- */

typedef struct Array {
    Object head;
    Object **objects;
    size_t count;
} Array;

static void destroy_array(Object *object)
{
    Array *array = (Array *)object;
    for (size_t i = 0; i < array->count; i++)
        object_unuse(array->objects[i]);
    free(array->objects);
}

/* An array with one reference of the program, which has one of each object. */
static Object *array_create(Object *const *objects, size_t count)
{
    Array *array = object_create(&array_class);
    array->objects = calloc(count + 1, sizeof(*objects));
    array->count = count;
    for (size_t i = 0; i < count; i++)
        array->objects[i] = object_use(objects[i]);
    return &array->head;
}

MESSAGE(NSUInteger, array_count, (SELF), ((Array *)self)->count)

static Object *object_at(const Array *array, NSUInteger index)
{
    if (index >= array->count)
        metal_abort("object %lu of an array of %zu", index, array->count);
    return object_lend(array->objects[index]);
}

MESSAGE(Object *, array_object_at, (SELF, NSUInteger index), object_at((Array *)self, index))

const Class array_class = {
    .head = CLASS_HEAD,
    .name = "NSArray",
    .size = sizeof(Array),
    .destroy = destroy_array,
    .methods = (const Method[]){METHOD("count", array_count),
                                METHOD("objectAtIndex:", array_object_at), METHODS_END},
};

/* -- the process -- */

static Object *process_info(Object *self, const Selector *message)
{
    (void)self;
    ANSWER(Object *, NULL, object_create_autoreleased(&process_info_class));
}

static Object *create_version(void)
{
    char text[64];
    snprintf(text, sizeof(text), "Version %d.0 (emulated)", emulated_machine.driver);
    return string_create(text);
}

MESSAGE(Object *, process_system_version, (SELF), create_version())

const Class process_info_class = {
    .head = CLASS_HEAD,
    .name = "NSProcessInfo",
    .size = sizeof(Object),
    .class_methods = (const Method[]){METHOD("processInfo", process_info), METHODS_END},
    .methods = (const Method[]){METHOD("operatingSystemVersionString", process_system_version),
                                METHODS_END},
};

/* -- devices -- */

enum { FAMILY_APPLE = 1000, FAMILY_MAC = 2000, FAMILY_COMMON = 3000, FAMILY_METAL3 = 5001 };
enum { GROUP_MEMORY = 32768 };

/* Those that the program has; the same one is returned as long as it exists. */
static Device *devices[MACHINE_MAX_DEVICES];

/* The machine was replaced. */
static void device_set_up(void)
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

/* -- errors of command buffers -- */

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
