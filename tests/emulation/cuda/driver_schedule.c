/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Runs what streams hold: when, and which of them first. */
#include "driver_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>


enum { POLL_COMMANDS = 16, PAUSE_NS = 1000000 };

/* Simulated: nanoseconds that a command takes beyond its work, and what is done in one. */
enum { LATENCY_NS = 2000, BUS_BYTES = 25, MEMORY_BYTES = 400, MULTIPROCESSOR_LANES = 100 };

bool driver_is_done(Point point)
{
    return !point.stream || point.stream->completed >= point.position;
}

/* -- running a command -- */

/* When a command begins and ends: what it needs has to be there, and the engine it runs on. */
static void pass_time(const Command *command, CudaStream stream, const Work *work)
{
    Device *device = command->context->device;
    const double speed = device->machine->speed;
    uint64_t *engine = NULL;
    double ns = 0;
    uint64_t begin = stream->time_ns;
    for (unsigned i = 0; i < command->n_after; i++) {
        if (command->after[i].stream->time_ns > begin)
            begin = command->after[i].stream->time_ns;
    }
    if (work->instructions || command->kind == COMMAND_KERNEL) {
        ns = (double)work->instructions /
             (MULTIPROCESSOR_LANES * device->machine->multiprocessors * speed);
        engine = &device->kernels_free_ns;
    } else if (work->bus_bytes) {
        ns = (double)work->bus_bytes / BUS_BYTES;
        engine = &device->copies_free_ns[device->machine->copy_engines > 1 && work->is_download];
    }
    ns += (double)work->memory_bytes / (MEMORY_BYTES * speed);
    if (engine && *engine > begin)
        begin = *engine;
    stream->time_ns = begin + (uint64_t)ns + (ns > 0 ? LATENCY_NS : 0);
    if (engine)
        *engine = stream->time_ns;
}

static void call_host(CudaStream stream, const HostCall *call, CudaResult status)
{
    const HostCall copy = *call;
    MachineCall paused;
    stream->is_in_call = true;
    machine_pause(&paused);
    if (copy.callback)
        copy.callback(stream->is_legacy ? NULL : stream, status, copy.data);
    else if (status == CUDA_SUCCESS)
        copy.function(copy.data);
    machine_resume(&paused);
    stream->is_in_call = false;
}

static CudaResult run(CudaStream stream, Command *command, Work *work)
{
    if (command->fate == COMMAND_FAILS)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    switch (command->kind) {
    case COMMAND_COPY:
        return driver_run_copy(&command->copy, work);
    case COMMAND_FILL:
        return driver_run_fill(&command->fill, work);
    case COMMAND_KERNEL:
        return driver_run_launch(command->context, &command->launch, work);
    case COMMAND_CALL:
        call_host(stream, &command->call, CUDA_SUCCESS);
        return CUDA_SUCCESS;
    default:
        return CUDA_SUCCESS;
    }
}

/* Runs the first command of a stream, which is ready. */
static void run_first(CudaStream stream)
{
    Command *command = stream->first;
    CudaContext context = command->context;
    Work work = {0};
    const MachineFault *fault = machine_count("run");
    driver.runs++;
    if (fault && fault->kind == MACHINE_LOSE) {
        driver_lose(context->device, fault->error);
        return;
    }
    if (fault && fault->kind == MACHINE_ILLEGAL)
        command->fate = COMMAND_FAILS;
    if (fault && fault->kind == MACHINE_HANG) {
        command->fate = COMMAND_HANGS;
        return;
    }
    stream->first = command->next; /* callbacks may use the stream */
    if (!stream->first)
        stream->last = &stream->first;
    const CudaResult result = run(stream, command, &work);
    machine_log("run %d stream=%u instructions=%" PRIu64 " %s", (int)command->kind,
                stream->is_legacy ? 0 : stream->id, work.instructions, result ? "fails" : "ok");
    pass_time(command, stream, &work);
    if (command->kind == COMMAND_RECORD && command->record == command->event->records)
        command->event->time_ns = stream->time_ns;
    stream->completed = command->position;
    driver_free_command(command);
    if (result != CUDA_SUCCESS)
        driver_break_context(context, result);
}

/* -- choosing -- */

/* Whether what the first command of a stream needs is done. */
static bool is_ready(const struct CUstream_st *stream)
{
    if (!stream->first || stream->is_in_call || stream->first->fate == COMMAND_HANGS)
        return false;
    for (unsigned i = 0; i < stream->first->n_after; i++) {
        if (!driver_is_done(stream->first->after[i]))
            return false;
    }
    return true;
}

/* The stream whose first command is to run so that the point is reached; NULL: it hangs. */
static CudaStream find_needed(Point point)
{
    CudaStream stream = point.stream;
    for (;;) {
        const Command *first = stream->first;
        unsigned i = 0;
        if (!first || stream->is_in_call || first->fate == COMMAND_HANGS)
            return NULL;
        while (i < first->n_after && driver_is_done(first->after[i]))
            i++;
        if (i == first->n_after)
            return stream;
        stream = first->after[i].stream;
    }
}

/* A stream that is ready and not that one; the random one of them if that is asked for. */
static CudaStream find_other(CudaStream needed)
{
    CudaStream found = NULL;
    uint64_t n = 0;
    for (CudaStream stream = driver_streams(); stream; stream = stream->next) {
        if (stream == needed || !is_ready(stream))
            continue;
        if (machine_order != MACHINE_RANDOM)
            return stream;
        if (machine_random(++n) == 0)
            found = stream;
    }
    return found;
}

/* Runs one command on the way to the point. False: nothing can run. */
static bool step(Point point)
{
    CudaStream needed = find_needed(point);
    CudaStream other = NULL;
    if (machine_order == MACHINE_OTHERS ||
        (machine_order == MACHINE_RANDOM && machine_random(2) == 0))
        other = find_other(needed);
    if (!needed && !other)
        return false;
    run_first(other ? other : needed);
    return true;
}

void driver_make_progress(void)
{
    CudaStream stream = NULL;
    if (machine_order == MACHINE_RANDOM && machine_random(8) == 0) {
        for (uint64_t n = machine_random(4); n > 0 && (stream = find_other(NULL)); n--)
            run_first(stream);
    }
    while (machine_order == MACHINE_EARLY && (stream = find_other(NULL)))
        run_first(stream);
}

/* -- waiting -- */

/* Something never ends: waits for it as long as a program would. */
static void block(void)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    MachineCall paused;
    machine_pause(&paused);
    nanosleep(&pause, NULL);
    machine_resume(&paused);
}

CudaResult driver_finish(CudaContext context, Point point)
{
    double waited = 0;
    while (!driver_is_done(point) && !driver_context_state(context)) {
        if (step(point))
            continue;
        block();
        waited += PAUSE_NS / 1e9;
        if (waited >= emulated_machine.hang_seconds)
            driver_break_context(context, CUDA_ERROR_LAUNCH_TIMEOUT);
    }
    return driver_context_state(context);
}

CudaResult driver_finish_context(CudaContext context)
{
    for (CudaStream stream = driver_streams(); stream; stream = stream->next) {
        if (stream->context == context) {
            const CudaResult result = driver_finish(context, (Point){stream, stream->enqueued});
            if (result != CUDA_SUCCESS)
                return result;
        }
    }
    return driver_context_state(context);
}

CudaResult driver_poll(CudaContext context, Point point)
{
    if (driver_is_done(point))
        return driver_context_state(context);
    for (unsigned i = 0; i < POLL_COMMANDS && !driver_is_done(point); i++) {
        if (driver_context_state(context) || !step(point))
            break;
    }
    const CudaResult result = driver_context_state(context);
    return result == CUDA_SUCCESS ? CUDA_ERROR_NOT_READY : result;
}

/* -- forgetting -- */

void driver_drop_work(CudaContext context)
{
    for (CudaStream stream = driver_streams(); stream; stream = stream->next) {
        if (stream->context != context)
            continue;
        Command *dropped = stream->first;
        stream->first = NULL;
        stream->last = &stream->first;
        stream->completed = stream->enqueued;
        while (dropped) {
            Command *next = dropped->next;
            if (dropped->kind == COMMAND_CALL && dropped->call.callback &&
                context->magic == DRIVER_ALIVE && driver_context_state(context))
                call_host(stream, &dropped->call, driver_context_state(context));
            driver_free_command(dropped);
            dropped = next;
        }
    }
}
