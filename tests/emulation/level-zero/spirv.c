/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "spirv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of the specification. */
enum {
    MAGIC = 0x07230203,
    HEADER_WORDS = 5,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_TYPE_FUNCTION = 33,
    OP_CONSTANT = 43,
    OP_FUNCTION = 54,
    OP_LOOP_MERGE = 246,
    MODEL_KERNEL = 6,
    MODE_LOCAL_SIZE = 17,
    CAPABILITY_FLOAT64 = 10,
    LOOP_DONT_UNROLL = 2,
    STORAGE_UNIFORM_CONSTANT = 0,
    STORAGE_CROSS_WORKGROUP = 5,
    STORAGE_FUNCTION = 7,
};

typedef struct Reader {
    const Spirv *spirv;
    char *error;
} Reader;

static uint32_t op_of(const uint32_t *instruction)
{
    return instruction[0] & 0xffff;
}

static uint32_t length_of(const uint32_t *instruction)
{
    return instruction[0] >> 16;
}

static const uint32_t *next(const Spirv *spirv, const uint32_t *instruction)
{
    const uint32_t *end = spirv->words + spirv->n_words;
    const uint32_t *following = instruction + length_of(instruction);
    return following < end ? following : NULL;
}

/* Whether all instructions end where the module ends. */
static bool is_complete(const Spirv *spirv)
{
    size_t at = HEADER_WORDS;
    while (at < spirv->n_words) {
        const uint32_t length = spirv->words[at] >> 16;
        if (length == 0 || length > spirv->n_words - at)
            return false;
        at += length;
    }
    return spirv->n_words > HEADER_WORDS;
}

/* The instruction of that kind whose operand, by its place, has a value; NULL: there is none. */
static const uint32_t *find(const Spirv *spirv, uint32_t op, uint32_t place, uint32_t value)
{
    for (const uint32_t *at = spirv->words + HEADER_WORDS; at; at = next(spirv, at)) {
        if (op_of(at) == op && length_of(at) > place && at[place] == value)
            return at;
    }
    return NULL;
}

static const uint32_t *find_type(const Spirv *spirv, uint32_t id)
{
    for (const uint32_t *at = spirv->words + HEADER_WORDS; at; at = next(spirv, at)) {
        if (op_of(at) >= 19 && op_of(at) <= 39 && length_of(at) > 1 && at[1] == id)
            return at;
    }
    return NULL;
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* Bytes of a type in memory, and its alignment. 0: it cannot be an argument. */
static size_t size_of(const Spirv *spirv, uint32_t id, size_t *alignment)
{
    const uint32_t *type = find_type(spirv, id);
    size_t size = 0, of_member = 1;
    *alignment = 1;
    if (!type || length_of(type) < 3)
        return 0;
    switch (op_of(type)) {
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        return *alignment = type[2] / 8;
    case OP_TYPE_POINTER:
        return *alignment = 8;
    case OP_TYPE_VECTOR:
        return *alignment = size_of(spirv, type[2], &of_member) * (type[3] == 3 ? 4 : type[3]);
    case OP_TYPE_ARRAY: {
        const uint32_t *count = find(spirv, OP_CONSTANT, 2, type[3]);
        return count ? size_of(spirv, type[2], alignment) * count[3] : 0;
    }
    case OP_TYPE_STRUCT:
        for (uint32_t i = 2; i < length_of(type); i++) {
            const size_t of_this = size_of(spirv, type[i], &of_member);
            if (of_this == 0)
                return 0;
            size = round_up(size, of_member) + of_this;
            *alignment = of_member > *alignment ? of_member : *alignment;
        }
        return round_up(size, *alignment);
    default:
        return 0;
    }
}

/* Structures that are passed by value are pointers to memory of the function. */
static bool read_argument(const Spirv *spirv, uint32_t id, SpirvArgument *argument)
{
    const uint32_t *type = find_type(spirv, id);
    size_t alignment;
    *argument = (SpirvArgument){.kind = SPIRV_VALUE};
    if (!type)
        return false;
    if (op_of(type) != OP_TYPE_POINTER || length_of(type) != 4) {
        argument->size = size_of(spirv, id, &alignment);
        return argument->size > 0;
    }
    switch (type[2]) {
    case STORAGE_UNIFORM_CONSTANT:
    case STORAGE_CROSS_WORKGROUP:
        argument->kind = SPIRV_POINTER;
        argument->size = 8;
        return true;
    case STORAGE_FUNCTION:
        argument->size = size_of(spirv, type[3], &alignment);
        return argument->size > 0;
    default:
        return false;
    }
}

static bool read_kernel(const Reader *reader, const uint32_t *entry, SpirvKernel *kernel)
{
    const Spirv *spirv = reader->spirv;
    const uint32_t *function = find(spirv, OP_FUNCTION, 2, entry[2]);
    const uint32_t *type =
        function && length_of(function) == 5 ? find(spirv, OP_TYPE_FUNCTION, 1, function[4]) : NULL;
    *kernel = (SpirvKernel){.name = (const char *)(entry + 3)};
    if (!type || length_of(type) < 3 || length_of(type) - 3 > SPIRV_MAX_ARGUMENTS) {
        snprintf(reader->error, 256, "kernel %s has no type, or too many arguments", kernel->name);
        return false;
    }
    for (uint32_t i = 3; i < length_of(type); i++) {
        SpirvArgument *argument = &kernel->arguments[kernel->n_arguments++];
        if (!read_argument(spirv, type[i], argument)) {
            snprintf(reader->error, 256, "argument %u of kernel %s is of no known type", i - 3,
                     kernel->name);
            return false;
        }
        argument->offset = kernel->values_size;
        kernel->values_size = round_up(kernel->values_size + argument->size, 8);
    }
    for (const uint32_t *at = spirv->words + HEADER_WORDS; at; at = next(spirv, at)) {
        if (op_of(at) == OP_EXECUTION_MODE && length_of(at) == 6 && at[1] == entry[2] &&
            at[2] == MODE_LOCAL_SIZE)
            memcpy(kernel->group_size, at + 3, sizeof(kernel->group_size));
    }
    return true;
}

static bool read_kernels(Spirv *spirv, char *error)
{
    const Reader reader = {.spirv = spirv, .error = error};
    for (const uint32_t *at = spirv->words + HEADER_WORDS; at; at = next(spirv, at)) {
        if (op_of(at) == OP_CAPABILITY && at[1] == CAPABILITY_FLOAT64)
            spirv->uses_fp64 = true;
        if (op_of(at) != OP_ENTRY_POINT)
            continue;
        if (length_of(at) < 4 || at[1] != MODEL_KERNEL) {
            snprintf(error, 256, "an entry point is no kernel");
            return false;
        }
        spirv->kernels = realloc(spirv->kernels, (spirv->n_kernels + 1) * sizeof(*spirv->kernels));
        if (!read_kernel(&reader, at, &spirv->kernels[spirv->n_kernels]))
            return false;
        spirv->n_kernels++;
    }
    return true;
}

Spirv *spirv_read(const void *code, size_t size, char error[256])
{
    Spirv *spirv = calloc(1, sizeof(*spirv));
    spirv->n_words = size / 4;
    spirv->words = malloc(size + 8);
    memcpy(spirv->words, code, size);
    spirv->words[spirv->n_words] = 0; /* behind the last name */
    if (size % 4 != 0 || spirv->n_words <= HEADER_WORDS || spirv->words[0] != MAGIC ||
        !is_complete(spirv)) {
        snprintf(error, 256, "this is no SPIR-V, or not all of it");
        spirv_free(spirv);
        return NULL;
    }
    spirv->version = spirv->words[1];
    if (!read_kernels(spirv, error)) {
        spirv_free(spirv);
        return NULL;
    }
    return spirv;
}

void spirv_free(Spirv *spirv)
{
    free(spirv->words);
    free(spirv->kernels);
    free(spirv);
}

size_t spirv_stop_unrolling(Spirv *spirv)
{
    size_t n = 0;
    for (size_t at = HEADER_WORDS; at < spirv->n_words; at += length_of(&spirv->words[at])) {
        uint32_t *instruction = &spirv->words[at];
        if (op_of(instruction) != OP_LOOP_MERGE || length_of(instruction) != 4)
            continue;
        instruction[3] = LOOP_DONT_UNROLL;
        n++;
    }
    return n;
}
