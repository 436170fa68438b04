/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "code_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msgpack.h"

/* The number behind a key. */
static void read_number(MsgpackReader *reader, uint32_t *value)
{
    const MsgpackItem item = msgpack_next(reader);
    if (item.kind != MSGPACK_INTEGER || item.value > UINT32_MAX)
        reader->failed = true;
    *value = (uint32_t)item.value;
}

static void read_text(MsgpackReader *reader, char *to, size_t size)
{
    const MsgpackItem item = msgpack_next(reader);
    if (!msgpack_copy(&item, to, size))
        reader->failed = true;
}

static void skip_value(MsgpackReader *reader)
{
    const MsgpackItem item = msgpack_next(reader);
    msgpack_skip(reader, &item);
}

/* The number of elements, or pairs, of the item that follows. */
static uint64_t expect(MsgpackReader *reader, enum MsgpackKind kind)
{
    const MsgpackItem item = msgpack_next(reader);
    if (item.kind != kind)
        reader->failed = true;
    return reader->failed ? 0 : item.value;
}

/* False: the runtime adds the argument. */
static bool read_arg(MsgpackReader *reader, CodeObjectArg *arg)
{
    char kind[48] = "", access[16] = "";
    *arg = (CodeObjectArg){0};
    for (uint64_t n = expect(reader, MSGPACK_MAP); n > 0 && !reader->failed; n--) {
        const MsgpackItem key = msgpack_next(reader);
        if (msgpack_is(&key, ".offset"))
            read_number(reader, &arg->offset);
        else if (msgpack_is(&key, ".size"))
            read_number(reader, &arg->size);
        else if (msgpack_is(&key, ".value_kind"))
            read_text(reader, kind, sizeof(kind));
        else if (msgpack_is(&key, ".access") || msgpack_is(&key, ".actual_access"))
            read_text(reader, access, sizeof(access));
        else
            skip_value(reader);
    }
    arg->is_buffer = strcmp(kind, "global_buffer") == 0;
    arg->is_write_only = strcmp(access, "write_only") == 0;
    return strncmp(kind, "hidden_", 7) != 0;
}

static void read_args(MsgpackReader *reader, CodeObjectKernel *kernel)
{
    for (uint64_t n = expect(reader, MSGPACK_ARRAY); n > 0 && !reader->failed; n--) {
        CodeObjectArg arg;
        if (!read_arg(reader, &arg))
            continue;
        if (kernel->n_args == CODE_OBJECT_MAX_ARGS) {
            reader->failed = true;
            return;
        }
        kernel->args[kernel->n_args++] = arg;
        if (arg.offset + arg.size > kernel->args_size)
            kernel->args_size = arg.offset + arg.size;
    }
}

static void read_kernel(MsgpackReader *reader, CodeObjectKernel *kernel)
{
    for (uint64_t n = expect(reader, MSGPACK_MAP); n > 0 && !reader->failed; n--) {
        const MsgpackItem key = msgpack_next(reader);
        if (msgpack_is(&key, ".name"))
            read_text(reader, kernel->name, sizeof(kernel->name));
        else if (msgpack_is(&key, ".symbol"))
            read_text(reader, kernel->symbol, sizeof(kernel->symbol));
        else if (msgpack_is(&key, ".args"))
            read_args(reader, kernel);
        else if (msgpack_is(&key, ".kernarg_segment_size"))
            read_number(reader, &kernel->kernarg_size);
        else if (msgpack_is(&key, ".group_segment_fixed_size"))
            read_number(reader, &kernel->group_size);
        else if (msgpack_is(&key, ".private_segment_fixed_size"))
            read_number(reader, &kernel->private_size);
        else if (msgpack_is(&key, ".max_flat_workgroup_size"))
            read_number(reader, &kernel->max_lanes);
        else if (msgpack_is(&key, ".vgpr_count"))
            read_number(reader, &kernel->n_registers);
        else
            skip_value(reader);
    }
}

static void read_kernels(MsgpackReader *reader, CodeObject *object)
{
    const uint64_t n = expect(reader, MSGPACK_ARRAY);
    if (n > (uint64_t)(reader->end - reader->at)) /* each of them takes a byte at least */
        reader->failed = true;
    if (reader->failed || object->kernels)
        return;
    object->kernels = calloc(n + 1, sizeof(*object->kernels));
    while (object->n_kernels < n && !reader->failed)
        read_kernel(reader, &object->kernels[object->n_kernels++]);
}

bool code_notes_read(CodeObject *object, const void *note, size_t size,
                     char error[CODE_OBJECT_ERROR_SIZE])
{
    static const char prefix[] = "amdgcn-amd-amdhsa--";
    MsgpackReader reader = {note, (const unsigned char *)note + size, false};
    char target[sizeof(prefix) - 1 + sizeof(object->target)] = "";
    for (uint64_t n = expect(&reader, MSGPACK_MAP); n > 0 && !reader.failed; n--) {
        const MsgpackItem key = msgpack_next(&reader);
        if (msgpack_is(&key, "amdhsa.target"))
            read_text(&reader, target, sizeof(target));
        else if (msgpack_is(&key, "amdhsa.kernels"))
            read_kernels(&reader, object);
        else
            skip_value(&reader);
    }
    if (reader.failed || !object->kernels || strncmp(target, prefix, sizeof(prefix) - 1) != 0) {
        snprintf(error, CODE_OBJECT_ERROR_SIZE, "the notes of a code object are not understood");
        return false;
    }
    snprintf(object->target, sizeof(object->target), "%s", target + sizeof(prefix) - 1);
    return true;
}
