/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The text of kernels; libraries, functions, pipelines. */
#include "metal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_kernel.h"

typedef struct Token {
    const char *text;
    size_t length; /* 0: the end */
} Token;

typedef struct Reader {
    const char *at;
    Token token; /* the current one */
    MslText *text;
    unsigned long max_threads; /* of an attribute, for the next kernel */
    int depth;                 /* of braces */
    char *error;
} Reader;

__attribute__((format(printf, 2, 3))) static bool reason_set(Reader *reader, const char *format,
                                                             ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->error, MSL_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

/* -- words -- */

static const char *skip_line(const char *at)
{
    while (*at && *at != '\n')
        at++;
    return at;
}

static const char *skip_blank(const char *at)
{
    for (;;) {
        const char *end;
        if (isspace((unsigned char)*at))
            at++;
        else if (*at == '#' || (at[0] == '/' && at[1] == '/'))
            at = skip_line(at);
        else if (at[0] == '/' && at[1] == '*' && (end = strstr(at + 2, "*/")))
            at = end + 2;
        else
            return at;
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void next(Reader *reader)
{
    const char *at = skip_blank(reader->at), *end = at;
    if (*at == '"') {
        for (end++; *end && *end != '"'; end++)
            end += *end == '\\' && end[1];
        end += *end == '"';
    } else if (is_word(*at)) {
        while (is_word(*end))
            end++;
    } else if (strncmp(at, "[[", 2) == 0 || strncmp(at, "]]", 2) == 0) {
        end += 2;
    } else {
        end += *at != '\0';
    }
    reader->token = (Token){at, (size_t)(end - at)};
    reader->at = end;
}

static bool is(const Reader *reader, const char *word)
{
    const Token *token = &reader->token;
    return token->length == strlen(word) && strncmp(token->text, word, token->length) == 0;
}

/* Goes on if this is the word. */
static bool take(Reader *reader, const char *word)
{
    if (!is(reader, word))
        return false;
    next(reader);
    return true;
}

static void take_name(Reader *reader, char name[MSL_NAME_SIZE])
{
    const Token *token = &reader->token;
    snprintf(name, MSL_NAME_SIZE, "%.*s", (int)token->length, token->text);
    next(reader);
}

/* -- numbers: ( ) + - * of integers -- */

static long read_sum(Reader *reader);

static long read_atom(Reader *reader)
{
    long value = 0;
    if (take(reader, "(")) {
        value = read_sum(reader);
        take(reader, ")");
    } else if (reader->token.length && isdigit((unsigned char)*reader->token.text)) {
        value = strtol(reader->token.text, NULL, 0);
        next(reader);
    }
    return value;
}

static long read_product(Reader *reader)
{
    long value = read_atom(reader);
    while (take(reader, "*"))
        value *= read_atom(reader);
    return value;
}

static long read_sum(Reader *reader)
{
    long value = read_product(reader);
    for (;;) {
        if (take(reader, "+"))
            value += read_product(reader);
        else if (take(reader, "-"))
            value -= read_product(reader);
        else
            return value;
    }
}

/* -- kernels -- */

/* A parameter, up to "," or ")": the buffer that it is, if it is one. */
static bool read_parameter(Reader *reader, MslKernel *kernel)
{
    MslBuffer buffer = {.is_bound = true};
    bool is_device = false, is_const = false, is_pointer = false;
    long slot = -1;
    while (reader->token.length && !is(reader, ",") && !is(reader, ")")) {
        is_device |= is(reader, "device");
        buffer.is_constant |= is(reader, "constant");
        is_const |= is(reader, "const");
        is_pointer |= is(reader, "*") || is(reader, "&");
        if (take(reader, "[[")) {
            const bool is_slot = take(reader, "buffer");
            if (is_slot)
                slot = read_atom(reader);
            while (reader->token.length && !is(reader, "]]"))
                next(reader);
            next(reader);
            continue;
        }
        next(reader);
    }
    if (slot < 0)
        return !is_pointer ||
               reason_set(reader, "a pointer of the kernel %s is no buffer", kernel->name);
    if (slot >= MSL_MAX_BUFFERS || kernel->buffers[slot].is_bound)
        return reason_set(reader, "the kernel %s cannot have buffer %ld", kernel->name, slot);
    if (!is_pointer || is_device == buffer.is_constant)
        return reason_set(reader, "buffer %ld of the kernel %s is in no memory", slot,
                          kernel->name);
    buffer.is_written = is_device && !is_const;
    kernel->buffers[slot] = buffer;
    return true;
}

/* Behind "kernel". */
static bool read_kernel(Reader *reader)
{
    MslText *text = reader->text;
    if (!take(reader, "void"))
        return reason_set(reader, "a kernel has to return void");
    text->kernels = realloc(text->kernels, (text->n_kernels + 1) * sizeof(*text->kernels));
    MslKernel *kernel = &text->kernels[text->n_kernels++];
    *kernel = (MslKernel){.max_threads = reader->max_threads};
    reader->max_threads = 0;
    take_name(reader, kernel->name);
    if (!take(reader, "("))
        return reason_set(reader, "the kernel %s has no parameters", kernel->name);
    while (!is(reader, ")")) {
        if (!read_parameter(reader, kernel))
            return false;
        if (!take(reader, ",") && !is(reader, ")"))
            return reason_set(reader, "the parameters of the kernel %s do not end", kernel->name);
    }
    return true;
}

/* -- the whole -- */

static bool check_lines(Reader *reader, const char *source)
{
    for (const char *line = source; *line; line += *line == '\n') {
        const char *at = line + strspn(line, " \t");
        if (strncmp(at, "#include", 8) == 0 && at[8 + strspn(at + 8, " \t")] == '"')
            return reason_set(reader, "a file that is not Metal's is included: %.*s",
                              (int)strcspn(at, "\n"), at);
        line = skip_line(line);
    }
    return true;
}

static bool read_token(Reader *reader)
{
    static const char *const rejected[] = {"double", "goto", "asm", "throw", "virtual"};
    for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++) {
        if (is(reader, rejected[i]))
            return reason_set(reader, "'%s' is not supported in Metal", rejected[i]);
    }
    if (take(reader, "max_total_threads_per_threadgroup"))
        reader->max_threads = (unsigned long)read_atom(reader);
    else if (take(reader, "kernel"))
        return read_kernel(reader);
    else {
        reader->depth += is(reader, "{") - is(reader, "}");
        next(reader);
    }
    return true;
}

/* False, and why a compiler would refuse the text. */
static void msl_free(MslText *text)
{
    free(text->kernels);
    *text = (MslText){NULL, 0};
}

static bool msl_read(MslText *text, const char *source, char error[MSL_ERROR_SIZE])
{
    Reader reader = {.at = source, .text = text, .error = error};
    bool ok = check_lines(&reader, source);
    *text = (MslText){NULL, 0};
    next(&reader);
    while (ok && reader.token.length)
        ok = read_token(&reader);
    if (ok && reader.depth != 0)
        ok = reason_set(&reader, "braces do not match");
    if (ok && text->n_kernels > 0 && !strstr(source, "#include <metal_stdlib>"))
        ok = reason_set(&reader, "metal_stdlib is not included");
    if (!ok)
        msl_free(text);
    return ok;
}

/* False, and why a compiler would refuse the text. */
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
