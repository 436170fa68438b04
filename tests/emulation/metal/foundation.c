/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Strings, errors and arrays. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "machine.h"

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

Object *array_create(Object *const *objects, size_t count)
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
