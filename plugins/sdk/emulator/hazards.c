/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Commands and submissions that touch the same memory though nothing orders them. */
#include <errno.h>

#include "emulator_internal.h"

/* The bytes that a command may touch. */
typedef struct Access {
    const unsigned char *begin, *end;
    bool written;
} Access;

static Access access_of(const VmafDeviceBuffer *buffer, uint64_t offset, uint64_t size,
                        bool written)
{
    const unsigned char *begin = ((const EmulatorBuffer *)buffer)->data;
    return (Access){begin + offset, begin + offset + size, written};
}

static uint64_t span(const VmafDeviceCopy *copy, uint64_t stride)
{
    return (copy->rows - 1) * stride + copy->row_size;
}

static unsigned accesses_of_copy(Access accesses[VMAF_KERNEL_MAX_BUFFERS],
                                 const VmafDeviceCopy *copy)
{
    uint64_t stride;
    const unsigned char *source = emulator_copy_source(copy, &stride);
    accesses[0] = access_of(copy->dst, copy->dst_offset, span(copy, copy->dst_stride), true);
    accesses[1] = (Access){source, source + span(copy, stride), false};
    return 2;
}

static unsigned accesses_of(Access accesses[VMAF_KERNEL_MAX_BUFFERS],
                            const EmulatorCommand *command)
{
    if (command->type == EMULATOR_COPY)
        return accesses_of_copy(accesses, &command->copy);
    if (command->type != EMULATOR_DISPATCH)
        return 0;
    const VmafKernel *kernel = command->dispatch.kernel->kernel;
    for (unsigned slot = 0; slot < kernel->n_buffers; slot++) {
        const VmafDeviceBinding *binding = &command->dispatch.bindings[slot];
        const uint64_t size =
            binding->size ? binding->size : binding->buffer->size - binding->offset;
        accesses[slot] =
            access_of(binding->buffer, binding->offset, size, kernel->written >> slot & 1);
    }
    return kernel->n_buffers;
}

static bool collide(const Access *a, const Access *b)
{
    return (a->written || b->written) && a->begin < b->end && b->begin < a->end;
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
            if (collide(&of_a[i], &of_b[j]))
                return true;
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
            if (collide(&accesses[i], &accesses[j]))
                return true;
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

/* -- between submissions -- */

/* True if a copy of a submission touches what the commands of a list do. */
static bool copies_collide_with_list(const EmulatorSubmission *copying,
                                     const EmulatorCommandList *list)
{
    for (uint32_t i = 0; i < copying->n_copies; i++) {
        const EmulatorCommand copy = {.type = EMULATOR_COPY, .copy = copying->copies[i]};
        for (size_t k = 0; list && k < list->n_commands; k++) {
            if (commands_collide(&copy, &list->commands[k]))
                return true;
        }
    }
    return false;
}

static bool copies_collide(const EmulatorSubmission *a, const EmulatorSubmission *b)
{
    for (uint32_t i = 0; i < a->n_copies; i++) {
        const EmulatorCommand of_a = {.type = EMULATOR_COPY, .copy = a->copies[i]};
        for (uint32_t k = 0; k < b->n_copies; k++) {
            const EmulatorCommand of_b = {.type = EMULATOR_COPY, .copy = b->copies[k]};
            if ((a != b || i != k) && commands_collide(&of_a, &of_b))
                return true;
        }
    }
    return false;
}

static bool lists_collide(const EmulatorCommandList *a, const EmulatorCommandList *b)
{
    for (size_t i = 0; a && b && i < a->n_commands; i++) {
        for (size_t k = 0; k < b->n_commands; k++) {
            if (commands_collide(&a->commands[i], &b->commands[k]))
                return true;
        }
    }
    return false;
}

/* What of a new submission races with an earlier one that the host does not know to have ended. */
static const char *race_between(const EmulatorSubmission *earlier, const EmulatorSubmission *added)
{
    if (!earlier->copies_known && copies_collide(added, earlier))
        return "its copies and the copies";
    if (!earlier->list_known && copies_collide_with_list(added, earlier->list))
        return "its copies and the command list";
    if (!earlier->list_known && added->stream != earlier->stream &&
        lists_collide(added->list, earlier->list))
        return "its command list and that, in another lane,";
    return NULL;
}

int emulator_check_races(EmulatorDevice *device, EmulatorQueue *queue,
                         const EmulatorSubmission *added)
{
    if (copies_collide(added, added))
        return emulator_fail(device, -EINVAL, "two copies of a submission touch the same bytes");
    for (uint32_t i = 0; i < queue->count; i++) {
        const EmulatorSubmission *earlier = emulator_submission_at(queue, i);
        const char *race = race_between(earlier, added);
        if (race) {
            return emulator_fail(device, -EINVAL,
                                 "submission %llu: %s of submission %llu touch the same bytes, and "
                                 "nobody has waited",
                                 (unsigned long long)added->number, race,
                                 (unsigned long long)earlier->number);
        }
    }
    return 0;
}
