/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "emulator_internal.h"

/* The bytes of a buffer that a command may touch. */
typedef struct Access {
    const VmafDeviceBuffer *buffer;
    uint64_t begin, end;
    bool written;
} Access;

static Access copy_access(const VmafDeviceBuffer *buffer, uint64_t offset, uint64_t stride,
                          const VmafDeviceCopy *copy, bool written)
{
    const uint64_t between = copy->rows > 1 ? (copy->rows - 1) * stride : 0;
    return (Access){buffer, offset, offset + between + copy->row_size, written};
}

static unsigned accesses_of(Access accesses[VMAF_KERNEL_MAX_BUFFERS],
                            const EmulatorCommand *command)
{
    if (command->type == EMULATOR_COPY) {
        const VmafDeviceCopy *copy = &command->copy;
        accesses[0] = copy_access(copy->dst, copy->dst_offset, copy->dst_stride, copy, true);
        accesses[1] = copy_access(copy->src, copy->src_offset, copy->src_stride, copy, false);
        return 2;
    }
    if (command->type != EMULATOR_DISPATCH) {
        return 0;
    }
    const VmafKernel *kernel = command->dispatch.kernel->kernel;
    for (unsigned slot = 0; slot < kernel->n_buffers; slot++) {
        const VmafDeviceBinding *binding = &command->dispatch.bindings[slot];
        const uint64_t end =
            binding->size ? binding->offset + binding->size : binding->buffer->size;
        accesses[slot] =
            (Access){binding->buffer, binding->offset, end, kernel->written >> slot & 1};
    }
    return kernel->n_buffers;
}

static bool collide(const Access *a, const Access *b)
{
    return a->buffer == b->buffer && (a->written || b->written) && a->begin < b->end &&
           b->begin < a->end;
}

static const char *name_of(const EmulatorCommand *command)
{
    return command->type == EMULATOR_COPY ? "copy" : command->dispatch.kernel->kernel->name;
}

static bool commands_collide(const EmulatorCommand *a, const EmulatorCommand *b)
{
    Access of_a[VMAF_KERNEL_MAX_BUFFERS], of_b[VMAF_KERNEL_MAX_BUFFERS];
    const unsigned n_a = accesses_of(of_a, a);
    const unsigned n_b = accesses_of(of_b, b);
    for (unsigned i = 0; i < n_a; i++) {
        for (unsigned j = 0; j < n_b; j++) {
            if (collide(&of_a[i], &of_b[j])) {
                return true;
            }
        }
    }
    return false;
}

/* A kernel whose own buffers overlap would break the promise of `restrict`. */
static bool collides_with_itself(const EmulatorCommand *command)
{
    Access accesses[VMAF_KERNEL_MAX_BUFFERS];
    const unsigned n = accesses_of(accesses, command);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (collide(&accesses[i], &accesses[j])) {
                return true;
            }
        }
    }
    return false;
}

int emulator_check_hazards(EmulatorDevice *device, const EmulatorCommand *commands,
                           size_t n_commands)
{
    size_t first = 0; /* since the last barrier */
    for (size_t i = 0; i < n_commands; i++) {
        if (commands[i].type == EMULATOR_BARRIER) {
            first = i + 1;
            continue;
        }
        if (collides_with_itself(&commands[i])) {
            return emulator_fail(device, -EINVAL,
                                 "command %zu, %s: a buffer that is written overlaps "
                                 "another one",
                                 i, name_of(&commands[i]));
        }
        for (size_t j = first; j < i; j++) {
            if (commands_collide(&commands[i], &commands[j])) {
                return emulator_fail(device, -EINVAL,
                                     "no barrier between command %zu, %s, and "
                                     "command %zu, %s, which touch the same bytes",
                                     j, name_of(&commands[j]), i, name_of(&commands[i]));
            }
        }
    }
    return 0;
}
