/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/thread.h"
#include "platform/windows/file_native.h"

/*
 * Nothing can wait for a pipe and for something else at once, and waiting costs processor time or
 * is late. So a thread of its own reads pipes ahead, and readers wait for that thread.
 */
enum { PUMP_SIZE = 1 << 20, PART_SIZE = 1 << 18 };

typedef struct Pump {
    VmafMutex lock;
    VmafCondition changed;
    HANDLE source; /* its own */
    VmafThread thread;
    unsigned users; /* the input and the thread; the last one frees */
    bool interrupted, ended;
    int error; /* behind all bytes */
    size_t first, count;
    unsigned char bytes[PUMP_SIZE]; /* a ring */
} Pump;

static void release(Pump *pump)
{
    vmaf_mutex_lock(&pump->lock);
    const bool is_last = --pump->users == 0;
    vmaf_condition_broadcast(&pump->changed); /* the thread may wait for room */
    vmaf_mutex_unlock(&pump->lock);
    if (!is_last)
        return;
    CloseHandle(pump->source);
    vmaf_mutex_destroy(&pump->lock);
    vmaf_condition_destroy(&pump->changed);
    free(pump);
}

/* The free bytes behind those that are there, as far as they are in one piece; waits for some.
 * False: the input is closed. Locked. */
static bool wait_for_room(Pump *pump, unsigned char **room, size_t *size)
{
    while (pump->count == PUMP_SIZE && pump->users > 1)
        vmaf_condition_wait(&pump->changed, &pump->lock);
    const size_t begin = (pump->first + pump->count) % PUMP_SIZE;
    const size_t free_bytes = PUMP_SIZE - pump->count, to_end = PUMP_SIZE - begin;
    *room = pump->bytes + begin;
    *size = free_bytes < to_end ? free_bytes : to_end;
    if (*size > PART_SIZE)
        *size = PART_SIZE;
    return pump->users > 1;
}

static void *run(void *argument)
{
    Pump *pump = argument;
    unsigned char *room;
    size_t size;
    vmaf_mutex_lock(&pump->lock);
    while (!pump->ended && wait_for_room(pump, &room, &size)) {
        vmaf_mutex_unlock(&pump->lock);
        const int64_t n = vmaf_handle_read(pump->source, room, size);
        vmaf_mutex_lock(&pump->lock);
        pump->count += n > 0 ? (size_t)n : 0;
        pump->error = n < 0 ? (int)n : 0;
        pump->ended = n <= 0;
        vmaf_condition_broadcast(&pump->changed);
    }
    vmaf_mutex_unlock(&pump->lock);
    release(pump);
    return NULL;
}

static int start_pump(VmafInput *input)
{
    Pump *pump = malloc(sizeof(*pump));
    if (!pump)
        return -ENOMEM;
    memset(pump, 0, offsetof(Pump, bytes));
    pump->source = (HANDLE)input->file.handle;
    vmaf_mutex_init(&pump->lock);
    vmaf_condition_init(&pump->changed);
    pump->users = 2;
    const int err = vmaf_thread_start(&pump->thread, run, pump);
    if (err) {
        free(pump);
        return err;
    }
    input->wake[0] = (intptr_t)pump;
    return 0;
}

static Pump *pump_of(const VmafInput *input)
{
    return input->wake[0] == -1 ? NULL : (Pump *)input->wake[0];
}

int vmaf_input_open(VmafInput *input, const char *path)
{
    *input = (VmafInput){.file = VMAF_FILE_NONE, .wake = {-1, -1}};
    const int err = vmaf_file_open(&input->file, path ? path : "/dev/stdin");
    if (err)
        return err;
    const int unknown = vmaf_file_status(&input->file, &input->status);
    if (unknown)
        return unknown;
    if (input->status.kind == VMAF_FILE_FOLDER)
        return -EISDIR;
    if (input->status.kind != VMAF_FILE_REGULAR)
        return start_pump(input);
    LARGE_INTEGER begin;
    if (!SetFilePointerEx((HANDLE)input->file.handle, (LARGE_INTEGER){.QuadPart = 0}, &begin,
                          FILE_CURRENT))
        return vmaf_last_error();
    input->is_file = true;
    input->begin = begin.QuadPart;
    return 0;
}

void vmaf_input_close(VmafInput *input)
{
    Pump *pump = pump_of(input);
    if (!pump) {
        vmaf_file_close(&input->file);
        return;
    }
    /* The thread may wait for bytes that never come. If it cannot be told, it ends with them. */
    const VmafThread thread = pump->thread;
    HANDLE handle;
    memcpy(&handle, thread.bytes, sizeof(handle));
    CancelSynchronousIo(handle);
    release(pump);
    vmaf_thread_detach(thread);
    input->file = VMAF_FILE_NONE;
    input->wake[0] = -1;
}

int vmaf_input_read(const VmafInput *input, void *buffer, size_t size, int64_t position,
                    size_t *got)
{
    if (input->is_file)
        return vmaf_file_read_at(&input->file, buffer, size, position, got);
    Pump *pump = pump_of(input);
    vmaf_mutex_lock(&pump->lock);
    while (!pump->interrupted && !pump->ended && !pump->count)
        vmaf_condition_wait(&pump->changed, &pump->lock);
    const size_t to_end = PUMP_SIZE - pump->first;
    *got = pump->count < size ? pump->count : size;
    if (*got > to_end)
        *got = to_end;
    int err = pump->interrupted ? -ECANCELED : pump->count ? 0 : pump->error;
    if (err)
        *got = 0;
    memcpy(buffer, pump->bytes + pump->first, *got);
    pump->first = (pump->first + *got) % PUMP_SIZE;
    pump->count -= *got;
    vmaf_mutex_unlock(&pump->lock);
    vmaf_condition_broadcast(&pump->changed);
    return err;
}

void vmaf_input_interrupt(const VmafInput *input)
{
    Pump *pump = pump_of(input);
    if (!pump)
        return;
    vmaf_mutex_lock(&pump->lock);
    pump->interrupted = true;
    vmaf_mutex_unlock(&pump->lock);
    vmaf_condition_broadcast(&pump->changed);
}
