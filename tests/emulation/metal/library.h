/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_LIBRARY_H
#define TESTS_EMULATION_METAL_LIBRARY_H

#include "device.h"
#include "kernel_set.h"
#include "msl.h"

/* Libraries, functions and pipelines. What runs is the same kernel as plain C, found by its name.
 */

typedef struct CompileOptions {
    Object head;
    bool is_exact; /* fast math was switched off */
    NSUInteger version;
} CompileOptions;

typedef struct Library {
    Object head;
    Device *device;
    MslText text;
} Library;

typedef struct Function {
    Object head;
    Library *library;
    const MslKernel *kernel;
} Function;

typedef struct Pipeline {
    Object head;
    Device *device;
    const VmafKernel *kernel;
    NSUInteger max_threads;
} Pipeline;

extern const Class compile_options_class, library_class, function_class, pipeline_class;

Object *library_create(Device *device, const Object *source, const Object *options, Object **error);
Object *pipeline_create(Device *device, Object *function, Object **error);

#endif
