/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Libraries, functions, pipelines. */
#include "library.h"

#include <stdio.h>
#include <string.h>

#include "c_kernel.h"
#include "classes.h"

enum {
    LIBRARY_UNSUPPORTED = 1,
    LIBRARY_COMPILE_FAILURE = 3,
    LIBRARY_COMPILE_WARNING = 4,
    PIPELINE_FAILED = 3,
};
/* Threads of a group that a pipeline may have whose kernel does not say how many it needs. */
enum { MAX_THREADS_UNLESS_SAID = 64 };

/* -- options -- */

MESSAGE_VOID(options_set_fast_math, (SELF, signed char is_fast),
             ((CompileOptions *)self)->is_exact = !is_fast)

/* MTLMathModeSafe is 0. */
MESSAGE_VOID(options_set_math_mode, (SELF, NSInteger mode),
             ((CompileOptions *)self)->is_exact = mode == 0)
MESSAGE_VOID(options_set_version, (SELF, NSUInteger version),
             ((CompileOptions *)self)->version = version)

const Class compile_options_class = {
    .head = CLASS_HEAD,
    .name = "MTLCompileOptions",
    .size = sizeof(CompileOptions),
    .is_allocated = true,
    .methods = (const Method[]){METHOD("setFastMathEnabled:", options_set_fast_math),
                                METHOD_SINCE("setMathMode:", options_set_math_mode, 15),
                                METHOD("setLanguageVersion:", options_set_version), METHODS_END},
};

/* Major and minor, as the interface has them: the newest that the system knows. */
static NSUInteger newest_version(void)
{
    static const struct {
        int macos;
        NSUInteger version;
    } versions[] = {{15, 3 << 16 | 2}, {14, 3 << 16 | 1}, {13, 3 << 16},
                    {12, 2 << 16 | 4}, {11, 2 << 16 | 3}, {0, 2 << 16 | 2}};
    size_t i = 0;
    while (versions[i].macos > emulated_machine.driver)
        i++;
    return versions[i].version;
}

/* -- libraries -- */

static void destroy_library(Object *object)
{
    Library *library = (Library *)object;
    msl_free(&library->text);
    object_unuse(library->device);
}

Object *library_create(Device *device, const Object *source, const Object *options, Object **error)
{
    const char *message = "newLibraryWithSource:options:error:";
    const char *text = string_text(source, message);
    const CompileOptions *checked =
        options ? object_check(options, &compile_options_class, message) : NULL;
    MslText read;
    char why[MSL_ERROR_SIZE];
    if (!checked || !checked->is_exact) {
        machine_complain("%s: fast math is on", message);
        return error_store(error, ERROR_OF_LIBRARIES, LIBRARY_COMPILE_FAILURE, "fast math is on");
    }
    if (checked->version > newest_version())
        return error_store(error, ERROR_OF_LIBRARIES, LIBRARY_UNSUPPORTED,
                           "language version %lu.%lu is not supported", checked->version >> 16,
                           checked->version & 0xffff);
    if (!msl_read(&read, text, why))
        return error_store(error, ERROR_OF_LIBRARIES, LIBRARY_COMPILE_FAILURE,
                           "program_source: error: %s", why);
    if (!device_has_memory(device, 0)) {
        msl_free(&read);
        return error_store(error, ERROR_OF_LIBRARIES, LIBRARY_UNSUPPORTED, "out of memory");
    }
    Library *library = object_create(&library_class);
    library->device = object_use(device);
    library->text = read;
    if (error) /* a library and an error: that is how warnings are reported */
        error_store(error, ERROR_OF_LIBRARIES, LIBRARY_COMPILE_WARNING,
                    "program_source: warning: this is only a warning");
    return &library->head;
}

static void destroy_function(Object *object)
{
    object_unuse(((Function *)object)->library);
}

static Object *new_function(Library *library, const char *name)
{
    for (size_t i = 0; i < library->text.n_kernels; i++) {
        if (strcmp(library->text.kernels[i].name, name) == 0) {
            Function *function = object_create(&function_class);
            function->library = object_use(library);
            function->kernel = &library->text.kernels[i];
            return &function->head;
        }
    }
    return NULL;
}

MESSAGE(Object *, library_new_function, (SELF, const Object *name),
        new_function((Library *)self, string_text(name, message->name)))

const Class library_class = {
    .head = CLASS_HEAD,
    .name = "MTLLibrary",
    .size = sizeof(Library),
    .destroy = destroy_library,
    .methods = (const Method[]){METHOD("newFunctionWithName:", library_new_function), METHODS_END},
};

MESSAGE(Object *, function_name, (SELF), string_create(((Function *)self)->kernel->name))

const Class function_class = {
    .head = CLASS_HEAD,
    .name = "MTLFunction",
    .size = sizeof(Function),
    .destroy = destroy_function,
    .methods = (const Method[]){METHOD("name", function_name), METHODS_END},
};

/* -- pipelines -- */

/* Whether the text has the same kernel as the one in plain C; metal_reflection compares the types
 * of its buffers. */
static bool is_same(const MslKernel *text, const VmafKernel *kernel, char *why, size_t size)
{
    const unsigned long lanes = (unsigned long)kernel->lanes[0] * kernel->lanes[1];
    if (text->max_threads != 0 && text->max_threads != lanes) {
        snprintf(why, size, "has groups of %lu threads, not %lu", text->max_threads, lanes);
        return false;
    }
    for (unsigned slot = 0; slot < MSL_MAX_BUFFERS; slot++) {
        const MslBuffer *buffer = &text->buffers[slot];
        const bool is_args = slot == kernel->n_buffers && kernel->args_size > 0;
        const bool is_buffer = slot < kernel->n_buffers;
        if (buffer->is_bound != (is_args || is_buffer) || buffer->is_constant != is_args ||
            buffer->is_written != (is_buffer && (kernel->written >> slot & 1))) {
            snprintf(why, size, "has another buffer %u: %s%s%s", slot,
                     buffer->is_bound ? "one" : "none", buffer->is_written ? ", written" : "",
                     buffer->is_constant ? ", constant" : "");
            return false;
        }
    }
    return true;
}

static void destroy_pipeline(Object *object)
{
    object_unuse(((Pipeline *)object)->device);
}

Object *pipeline_create(Device *device, Object *function, Object **error)
{
    const Function *checked = object_check(function, &function_class, __func__);
    const char *name = checked->kernel->name;
    const VmafKernel *kernel = c_kernel_find(name);
    char why[256];
    if (!kernel)
        return error_store(error, ERROR_OF_PIPELINES, PIPELINE_FAILED,
                           "the emulator has no kernel %s", name);
    if (!is_same(checked->kernel, kernel, why, sizeof(why))) {
        machine_complain("the kernel %s is not the one that runs here: it %s", name, why);
        return error_store(error, ERROR_OF_PIPELINES, PIPELINE_FAILED, "the kernel %s %s", name,
                           why);
    }
    if (!device_has_memory(device, 0))
        return error_store(error, ERROR_OF_PIPELINES, PIPELINE_FAILED, "out of memory");
    Pipeline *pipeline = object_create(&pipeline_class);
    pipeline->device = object_use(device);
    pipeline->kernel = kernel;
    pipeline->max_threads =
        checked->kernel->max_threads ? checked->kernel->max_threads : MAX_THREADS_UNLESS_SAID;
    return &pipeline->head;
}

MESSAGE(NSUInteger, pipeline_max_threads, (SELF), ((Pipeline *)self)->max_threads)

const Class pipeline_class = {
    .head = CLASS_HEAD,
    .name = "MTLComputePipelineState",
    .size = sizeof(Pipeline),
    .destroy = destroy_pipeline,
    .methods = (const Method[]){METHOD("maxTotalThreadsPerThreadgroup", pipeline_max_threads),
                                METHODS_END},
};
