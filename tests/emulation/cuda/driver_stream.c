/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Streams and events: what is put on them, what that waits for, how it runs, and waiting for it;
 * modules and launches. */
#include "driver.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static CudaStream streams;
static CudaEvent events;

CudaStream driver_create_stream(CudaContext context, unsigned flags)
{
    CudaStream stream = calloc(1, sizeof(*stream));
    stream->magic = DRIVER_ALIVE;
    stream->next = streams;
    stream->context = context;
    stream->id = (unsigned)++driver.serial;
    stream->flags = flags;
    stream->is_legacy = context->legacy == NULL;
    stream->queue.device = context->device->state;
    streams = stream;
    return stream;
}

CudaStream driver_stream(CudaContext context, CudaStream handle, CudaResult *result)
{
    *result = CUDA_SUCCESS;
    if (!handle || handle == CUDA_STREAM_LEGACY || handle == CUDA_STREAM_PER_THREAD) {
        machine_note(" stream=0");
        return context->legacy;
    }
    if (handle->magic == DRIVER_ALIVE && handle->context == context) {
        machine_note(" stream=%u", handle->id);
        return handle;
    }
    *result =
        handle->magic == DRIVER_ALIVE ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_HANDLE;
    machine_complain("a stream that %s is used", handle->magic == DRIVER_ALIVE
                                                     ? "belongs to another context"
                                                     : "was destroyed");
    return NULL;
}

void driver_drop_streams(CudaContext context)
{
    for (CudaStream stream = streams; stream; stream = stream->next) {
        if (stream->context == context)
            stream->magic = DRIVER_DEAD;
    }
    for (CudaEvent event = events; event; event = event->next) {
        if (event->context == context)
            event->magic = DRIVER_DEAD;
    }
    context->legacy = NULL;
}

CudaResult driver_finish_context(CudaContext context)
{
    CudaResult result = driver_context_state(context);
    for (CudaStream stream = streams; stream && result == CUDA_SUCCESS; stream = stream->next) {
        if (stream->context == context)
            result = driver_finish(context, (Point){stream, stream->enqueued});
    }
    return result;
}

/* -- putting commands on them -- */

static bool driver_is_done(Point point)
{
    return !point.stream || point.stream->completed >= point.position;
}

static void add_after(Command *command, Point point)
{
    if (!point.stream || driver_is_done(point))
        return;
    command->after = realloc(command->after, (command->n_after + 1) * sizeof(*command->after));
    command->after[command->n_after++] = point;
}

/* The legacy stream waits for all others that do not say otherwise, and they for it. */
static void add_legacy_order(Command *command, CudaStream stream)
{
    CudaContext context = stream->context;
    if (stream->flags & CUDA_STREAM_NON_BLOCKING)
        return;
    if (!stream->is_legacy) {
        add_after(command, (Point){context->legacy, context->legacy->enqueued});
        return;
    }
    for (CudaStream other = streams; other; other = other->next) {
        if (other != stream && other->context == context &&
            !(other->flags & CUDA_STREAM_NON_BLOCKING))
            add_after(command, (Point){other, other->enqueued});
    }
}

/* A command of its own at the end of the stream, which does not run yet. */
static Command *add(CudaStream stream, const Command *command)
{
    Command *added = malloc(sizeof(*added));
    *added = *command;
    added->stream = stream;
    added->after = NULL;
    added->n_after = 0;
    add_legacy_order(added, stream);
    added->position = ++stream->enqueued;
    return added;
}

CudaResult driver_put(CudaStream stream, const Command *command, Point *point)
{
    Command *added = add(stream, command);
    if (point)
        *point = (Point){stream, added->position};
    schedule_submit(&stream->queue, &added->task, schedule_fault(added->kind == COMMAND_KERNEL));
    const CudaResult state = driver_context_state(stream->context);
    if (state == CUDA_SUCCESS)
        schedule_progress();
    else
        driver_drop_work(stream->context);
    return state;
}

void driver_put_wait(CudaStream stream, Point point)
{
    if (driver_is_done(point))
        return;
    Command *added = add(stream, &(Command){.kind = COMMAND_EMPTY});
    add_after(added, point);
    schedule_submit(&stream->queue, &added->task, NULL);
}

static CudaResult put_record(CudaStream stream, CudaEvent event)
{
    const Command command = {.kind = COMMAND_RECORD, .event = event, .record = ++event->records};
    /* Before it is put there: the order may have it run at once. */
    event->point = (Point){stream, stream->enqueued + 1};
    return driver_put(stream, &command, NULL);
}

/* -- order -- */

static const Command *command_of(const Task *task)
{
    return (const Command *)task;
}

static bool waits_for(const Task *later, const Task *earlier)
{
    (void)later;
    (void)earlier;
    return true;
}

static bool is_open(const Task *task)
{
    const Command *command = command_of(task);
    for (unsigned i = 0; i < command->n_after; i++) {
        if (!driver_is_done(command->after[i]))
            return false;
    }
    return true;
}

static bool is_at(const Command *command, Point point)
{
    return command->stream == point.stream && command->position == point.position;
}

static bool opens(const Task *task, const Task *waiting)
{
    const Command *command = command_of(waiting);
    for (unsigned i = 0; i < command->n_after; i++) {
        if (is_at(command_of(task), command->after[i]))
            return true;
    }
    return false;
}

/* -- running a command -- */

/* It begins when its stream is free, and what it waits for has ended. */
static void pass_time(const Command *command, const Work *work)
{
    CudaStream stream = command->stream;
    for (unsigned i = 0; i < command->n_after; i++) {
        if (command->after[i].stream->time_ns > stream->time_ns)
            stream->time_ns = command->after[i].stream->time_ns;
    }
    machine_pass_time(stream->context->device->state, work, &stream->time_ns);
}

static CudaResult do_work(const Command *command, Work *work)
{
    if (command->task.fate == TASK_FAILS)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    switch (command->kind) {
    case COMMAND_COPY:
        return driver_run_copy(&command->copy, work);
    case COMMAND_FILL:
        return driver_run_fill(&command->fill, work);
    case COMMAND_KERNEL:
        return driver_run_launch(command->stream->context, &command->launch, work);
    default:
        return CUDA_SUCCESS;
    }
}

static void free_command(Command *command)
{
    if (command->kind == COMMAND_COPY)
        driver_free_copy(&command->copy);
    if (command->kind == COMMAND_KERNEL)
        driver_free_launch(&command->launch);
    free(command->after);
    free(command);
}

static void run(Task *task)
{
    Command *command = (Command *)task;
    CudaStream stream = command->stream;
    Work work = {.is_kernel = command->kind == COMMAND_KERNEL};
    driver.runs++;
    const CudaResult result = do_work(command, &work);
    machine_log("run %d stream=%u instructions=%" PRIu64 " %s", (int)command->kind,
                stream->is_legacy ? 0 : stream->id, work.operations, result ? "fails" : "ok");
    pass_time(command, &work);
    if (command->kind == COMMAND_RECORD && command->record == command->event->records)
        command->event->time_ns = stream->time_ns;
    stream->completed = command->position;
    schedule_take_out(task);
    free_command(command);
    if (result != CUDA_SUCCESS)
        driver_break_context(stream->context, result);
}

const ScheduleRules schedule_rules = {waits_for, is_open, opens, run};

/* -- waiting -- */

/* That a context gets to a point. */
typedef struct Wait {
    CudaContext context;
    Point point;
} Wait;

static bool is_needed(const Task *task, const void *subject)
{
    return is_at(command_of(task), ((const Wait *)subject)->point);
}

static bool is_over(const void *subject)
{
    const Wait *wait = subject;
    return driver_is_done(wait->point) || driver_context_state(wait->context);
}

CudaResult driver_finish(CudaContext context, Point point)
{
    const Wait wait = {context, point};
    const Goal goal = {is_needed, is_over, &wait};
    if (!schedule_wait(&goal, (uint64_t)(emulated_machine.hang_seconds * 1e9)))
        driver_break_context(context, CUDA_ERROR_LAUNCH_TIMEOUT);
    return driver_context_state(context);
}

/* Runs a little of it. CUDA_ERROR_NOT_READY, also when it has just been done. */
static CudaResult driver_poll(CudaContext context, Point point)
{
    const Wait wait = {context, point};
    const Goal goal = {is_needed, is_over, &wait};
    const bool was_over = is_over(&wait);
    schedule_poll(&goal);
    const CudaResult state = driver_context_state(context);
    return state == CUDA_SUCCESS && !was_over ? CUDA_ERROR_NOT_READY : state;
}

/* -- forgetting -- */

void driver_drop_work(CudaContext context)
{
    for (Task *task = schedule_next(NULL), *next; task; task = next) {
        Command *command = (Command *)task;
        next = schedule_next(task);
        if (command->stream->context != context)
            continue;
        command->stream->completed = command->stream->enqueued;
        schedule_take_out(task);
        free_command(command);
    }
}

/* -- calls on streams -- */

static CudaResult create_stream(CudaContext context, CudaStream *stream, unsigned flags)
{
    if (!stream || flags > CUDA_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    *stream = driver_create_stream(context, flags);
    machine_note(" stream=%u", (*stream)->id);
    return CUDA_SUCCESS;
}

/* What is on it still runs. */
static CudaResult destroy_stream(CudaContext context, CudaStream handle)
{
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (stream && stream->is_legacy)
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream)
        stream->magic = DRIVER_DEAD;
    return result;
}

/* Everything that was put on it so far; the legacy stream also stands for the blocking ones. */
static CudaResult end_of_stream(CudaContext context, CudaStream handle, Point *point)
{
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (stream && stream->is_legacy)
        result = driver_put(stream, &(Command){.kind = COMMAND_EMPTY}, point);
    else if (stream)
        *point = (Point){stream, stream->enqueued};
    return result;
}

static CudaResult synchronize_stream(CudaContext context, CudaStream handle)
{
    Point point;
    const CudaResult result = end_of_stream(context, handle, &point);
    return result == CUDA_SUCCESS ? driver_finish(context, point) : result;
}

/* -- events -- */

static CudaResult create_event(CudaContext context, CudaEvent *event, unsigned flags)
{
    if (!event || flags > 7 ||
        ((flags & CUDA_EVENT_INTERPROCESS) && !(flags & CUDA_EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    *event = calloc(1, sizeof(**event));
    **event = (struct CUevent_st){.magic = DRIVER_ALIVE,
                                  .next = events,
                                  .context = context,
                                  .id = (unsigned)++driver.serial,
                                  .flags = flags};
    events = *event;
    machine_note(" event=%u", (*event)->id);
    return CUDA_SUCCESS;
}

/* What waits for it, or would record it, still does. */
static CudaResult destroy_event(CudaEvent event)
{
    if (!driver_is_alive(event, "an event"))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" event=%u", event->id);
    event->magic = DRIVER_DEAD;
    return CUDA_SUCCESS;
}

static CudaResult record(CudaContext context, CudaEvent event, CudaStream handle)
{
    CudaResult result;
    if (!driver_is_alive(event, "an event"))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" event=%u", event->id);
    CudaStream stream = driver_stream(context, handle, &result);
    if (stream && event->context != context)
        return CUDA_ERROR_INVALID_HANDLE;
    return stream ? put_record(stream, event) : result;
}

static CudaResult wait_event(CudaContext context, CudaStream handle, CudaEvent event,
                             unsigned flags)
{
    CudaResult result;
    if (flags > 1)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_alive(event, "an event"))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" event=%u", event->id);
    CudaStream stream = driver_stream(context, handle, &result);
    if (stream)
        driver_put_wait(stream, event->point);
    return result;
}

static CudaResult query_event(CudaEvent event)
{
    if (!driver_is_alive(event, "an event"))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" event=%u", event->id);
    return driver_poll(event->context, event->point);
}

static CudaResult synchronize_event(CudaEvent event)
{
    if (!driver_is_alive(event, "an event"))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" event=%u", event->id);
    return driver_finish(event->context, event->point);
}

static CudaResult elapsed(float *milliseconds, CudaEvent begin, CudaEvent end)
{
    if (!driver_is_alive(begin, "an event") || !driver_is_alive(end, "an event") ||
        begin->context != end->context || !begin->records || !end->records ||
        ((begin->flags | end->flags) & CUDA_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!milliseconds)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_done(begin->point) || !driver_is_done(end->point))
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)((double)(int64_t)(end->time_ns - begin->time_ns) / 1e6);
    return CUDA_SUCCESS;
}

CUDA_STREAM_FUNCTIONS(DRIVER_DEFINE)

/* -- modules, their functions, and launches of these -- */

static CudaModule modules;

static CudaResult load(CudaContext context, CudaModule *module, const void *image)
{
    Code *code = NULL;
    char error[CODE_ERROR_SIZE] = "";
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    const CudaResult result = driver_load_code(context->device, image, &code, error);
    if (result != CUDA_SUCCESS) {
        machine_log("! a module is refused: %s", error);
        return result;
    }
    *module = calloc(1, sizeof(**module));
    **module = (struct CUmod_st){.magic = DRIVER_ALIVE,
                                 .next = modules,
                                 .context = context,
                                 .id = (unsigned)++driver.serial,
                                 .code = code};
    modules = *module;
    machine_note(" module=%u", (*module)->id);
    return CUDA_SUCCESS;
}

static void unload(CudaModule module)
{
    for (CudaFunction function = module->functions; function; function = function->next) {
        function->magic = DRIVER_DEAD;
        free(function->kernel.params);
        function->kernel.params = NULL;
    }
    module->magic = DRIVER_DEAD;
    driver_free_code(module->code);
    module->code = NULL;
}

void driver_drop_modules(CudaContext context)
{
    for (CudaModule module = modules; module; module = module->next) {
        if (module->context == context && module->magic == DRIVER_ALIVE)
            unload(module);
    }
}

static CudaResult unload_checked(CudaModule module)
{
    if (!driver_is_alive(module, "a module"))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" module=%u", module->id);
    unload(module);
    return CUDA_SUCCESS;
}

/* -- functions -- */

bool driver_is_function(CudaFunction function)
{
    if (function && function->magic == DRIVER_ALIVE)
        return true;
    machine_complain("a function of a module that was unloaded is used");
    return false;
}

static CudaResult get_function(CudaFunction *function, CudaModule module, const char *name)
{
    if (!function || !name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_alive(module, "a module"))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" %.64s", name);
    for (*function = module->functions; *function; *function = (*function)->next) {
        if (strcmp((*function)->kernel.name, name) == 0)
            return CUDA_SUCCESS;
    }
    CodeKernel kernel;
    const CudaResult result = driver_find_kernel(module->code, name, &kernel);
    if (result != CUDA_SUCCESS)
        return result;
    *function = calloc(1, sizeof(**function));
    **function = (struct CUfunc_st){
        .magic = DRIVER_ALIVE, .next = module->functions, .module = module, .kernel = kernel};
    module->functions = *function;
    return CUDA_SUCCESS;
}

/* -- launches -- */

enum { MAX_LANES = 1024, MAX_LANES_Z = 64, MAX_GROUPS_YZ = 65535, MAX_SHARED_BYTES = 49152 };

static CudaResult check_shape(const CudaKernelNode *from, const CodeKernel *kernel)
{
    const uint64_t lanes = (uint64_t)from->block_x * from->block_y * from->block_z;
    if (!from->grid_x || !from->grid_y || !from->grid_z || from->grid_x > INT_MAX ||
        from->grid_y > MAX_GROUPS_YZ || from->grid_z > MAX_GROUPS_YZ || lanes == 0 ||
        lanes > MAX_LANES || from->block_z > MAX_LANES_Z)
        return CUDA_ERROR_INVALID_VALUE;
    if (kernel->max_lanes && lanes > kernel->max_lanes)
        return CUDA_ERROR_INVALID_VALUE;
    if (kernel->shared_size + (uint64_t)from->shared_bytes > MAX_SHARED_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Copies what the parameters are now. */
static CudaResult copy_params(const CudaKernelNode *from, const CodeKernel *kernel,
                              unsigned char *params)
{
    if (from->extra) /* parameters in one buffer */
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!from->parameters)
        return kernel->n_params ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    for (uint32_t i = 0; i < kernel->n_params; i++) {
        if (!from->parameters[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(params + kernel->params[i].offset, from->parameters[i], kernel->params[i].size);
    }
    return CUDA_SUCCESS;
}

CudaResult driver_resolve_launch(CudaContext context, const CudaKernelNode *from, Launch *launch)
{
    if (!driver_is_function(from->function))
        return CUDA_ERROR_INVALID_HANDLE;
    const CodeKernel *kernel = &from->function->kernel;
    if (from->function->module->context != context)
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" %s", kernel->name);
    CudaResult result = check_shape(from, kernel);
    if (result != CUDA_SUCCESS)
        return result;
    *launch = (Launch){.function = from->function,
                       .groups = {from->grid_x, from->grid_y, from->grid_z},
                       .lanes = {from->block_x, from->block_y, from->block_z},
                       .params = calloc(1, kernel->params_size + 1)};
    result = copy_params(from, kernel, launch->params);
    if (result != CUDA_SUCCESS)
        driver_free_launch(launch);
    return result;
}

Launch driver_copy_launch(const Launch *launch)
{
    const size_t size = launch->function->kernel.params_size;
    Launch copy = *launch;
    copy.params = malloc(size + 1);
    memcpy(copy.params, launch->params, size);
    return copy;
}

void driver_free_launch(Launch *launch)
{
    free(launch->params);
    launch->params = NULL;
}

CudaResult driver_run_launch(CudaContext context, const Launch *launch, Work *work)
{
    return driver_is_function(launch->function) ? driver_run_kernel(context, launch, work)
                                                : CUDA_ERROR_LAUNCH_FAILED;
}

static CudaResult put_launch(CudaContext context, const CudaKernelNode *description,
                             CudaStream handle)
{
    Command command = {.kind = COMMAND_KERNEL};
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (!stream)
        return result;
    result = driver_resolve_launch(context, description, &command.launch);
    return result == CUDA_SUCCESS ? driver_put(stream, &command, NULL) : result;
}

CUDA_MODULE_FUNCTIONS(DRIVER_DEFINE)
