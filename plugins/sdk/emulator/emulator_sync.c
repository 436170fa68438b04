/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What submissions wait for and signal: timelines, and the default stream of the application. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator_internal.h"

static EmulatorTimeline *timeline_of(const VmafBackendSync *sync)
{
    return (EmulatorTimeline *)(uintptr_t)sync->handle;
}

void emulator_note_syncs(EmulatorDevice *device, EmulatorQueue *queue,
                         EmulatorSubmission *submission)
{
    bool waits_for_stream = false;
    for (uint32_t i = 0; i < submission->n_waits; i++) {
        waits_for_stream |= submission->waits[i].kind == VMAF_BACKEND_SYNC_CUDA_STREAM;
    }
    submission->stream_mark = waits_for_stream ? device->stream_queued : 0;
    for (uint32_t i = 0; i < submission->n_signals; i++) {
        if (submission->signals[i].kind == VMAF_BACKEND_SYNC_CUDA_STREAM) {
            device->gate_queue = queue;
            device->gate = submission->ticket;
        }
    }
    /* What is queued in the stream may still write what is copied after it. */
    submission->sources = emulator_sum_sources(submission);
    submission->sources_are_known = submission->stream_mark <= device->stream_run;
    for (uint32_t i = 0; i < submission->n_waits; i++) {
        const VmafBackendSync *sync = &submission->waits[i];
        if (sync->kind == VMAF_BACKEND_SYNC_VULKAN_TIMELINE &&
            atomic_load(&timeline_of(sync)->value) < sync->value) {
            submission->sources_are_known = false;
        }
    }
}

/* Runs the oldest write of the stream. */
static void run_write(EmulatorDevice *device)
{
    EmulatorStreamWrite *write = device->first_write;
    if (write->gate) {
        emulator_finish_copies(device, write->gate_queue, write->gate);
    }
    memcpy(write->to, write->bytes, write->size);
    device->first_write = write->next;
    device->stream_run++;
    free(write);
}

bool emulator_waits_are_over(EmulatorDevice *device, EmulatorSubmission *submission)
{
    for (uint32_t i = 0; i < submission->n_waits; i++) {
        const VmafBackendSync *sync = &submission->waits[i];
        if (sync->kind == VMAF_BACKEND_SYNC_VULKAN_TIMELINE &&
            atomic_load(&timeline_of(sync)->value) < sync->value) {
            return false;
        }
    }
    while (device->stream_run < submission->stream_mark) {
        run_write(device);
    }
    if (!submission->sources_are_known) {
        submission->sources = emulator_sum_sources(submission);
        submission->sources_are_known = true;
    }
    return true;
}

void emulator_signal(const EmulatorSubmission *submission)
{
    for (uint32_t i = 0; i < submission->n_signals; i++) {
        const VmafBackendSync *sync = &submission->signals[i];
        if (sync->kind == VMAF_BACKEND_SYNC_VULKAN_TIMELINE) {
            atomic_store(&timeline_of(sync)->value, sync->value);
        }
    }
}

/* A sum over all bytes that the copies read. */
uint64_t emulator_sum_sources(const EmulatorSubmission *submission)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < submission->n_copies; i++) {
        const VmafDeviceCopy *copy = &submission->copies[i];
        uint64_t stride;
        const unsigned char *row = emulator_copy_source(copy, &stride);
        for (uint32_t y = 0; y < copy->rows; y++, row += stride) {
            for (uint64_t x = 0; x < copy->row_size; x++) {
                sum = (sum ^ row[x]) * UINT64_C(1099511628211);
            }
        }
    }
    return sum;
}

void emulator_spoil_downloads(EmulatorDevice *device, const EmulatorCommandList *list)
{
    for (size_t i = 0; i < list->n_commands; i++) {
        const VmafDeviceCopy *copy = &list->commands[i].copy;
        if (list->commands[i].type != EMULATOR_COPY || copy->dst->memory != VMAF_MEMORY_DOWNLOAD) {
            continue;
        }
        unsigned char *row = (unsigned char *)copy->dst->mapped + copy->dst_offset;
        for (uint32_t y = 0; y < copy->rows; y++, row += copy->dst_stride) {
            emulator_fill_noise(row, copy->row_size, (uint32_t)device->submissions);
        }
    }
}

/* -- the application's side -- */

int emulator_stream_write(VmafDevice *base, uint64_t address, const void *bytes, size_t size)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    EmulatorStreamWrite *write = malloc(sizeof(*write) + size);
    if (!write) {
        return -ENOMEM;
    }
    *write = (EmulatorStreamWrite){.to = (void *)(uintptr_t)address, .size = size};
    memcpy(write->bytes, bytes, size);
    vmaf_mutex_lock(&device->lock);
    write->gate_queue = device->gate_queue;
    write->gate = device->gate;
    EmulatorStreamWrite **last = &device->first_write;
    while (*last) {
        last = &(*last)->next;
    }
    *last = write;
    device->stream_queued++;
    vmaf_mutex_unlock(&device->lock);
    return 0;
}

void emulator_stream_finish(VmafDevice *base)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    vmaf_mutex_lock(&device->lock);
    while (device->first_write) {
        run_write(device);
    }
    vmaf_mutex_unlock(&device->lock);
}
