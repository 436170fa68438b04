/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_CLASSES_H
#define TESTS_EMULATION_METAL_CLASSES_H

#include "object.h"

/* The classes that have no header of their own, and those of Foundation. */

extern const Class string_class, error_class, array_class, process_info_class;

/* A string that the thread's pool releases; its text. */
Object *string_create(const char *text);
const char *string_text(const Object *string, const char *message);

/* Domains of errors, as Metal names them. */
#define ERROR_OF_COMMAND_BUFFERS "MTLCommandBufferErrorDomain"
#define ERROR_OF_LIBRARIES       "MTLLibraryErrorDomain"
#define ERROR_OF_PIPELINES       "AGXMetalG13X"

/* An error with no owner but the runtime (object_use). */
__attribute__((format(printf, 3, 4))) Object *error_create(const char *domain, NSInteger code,
                                                           const char *format, ...);
/* Stores an error, which the pool releases, where the program wants it. Returns NULL. */
__attribute__((format(printf, 4, 5))) void *error_store(Object **error, const char *domain,
                                                        NSInteger code, const char *format, ...);

/* An array with one reference of the program, which has one of each object. */
Object *array_create(Object *const *objects, size_t count);

#endif
