/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "platform/file.h"
#include "platform/time.h"
#include "report/report_internal.h"
#include "trace/recording.h"

enum { NS_PER_US = 1000 };

#define BEGIN "{\"traceEvents\"" /* of every trace */

/* A time in us, with all that is known of it. */
#define TIME        "%" PRId64 ".%03d"
#define TIME_OF(ns) (ns) / NS_PER_US, (int)((ns) % NS_PER_US)

static const char *const category_names[] = {
    [TRACE_API] = "api",     [TRACE_APPLICATION] = "application", [TRACE_WORK] = "work",
    [TRACE_WAIT] = "wait",   [TRACE_BACKEND] = "backend",         [TRACE_DEVICE] = "device",
    [TRACE_FRAME] = "frame",
};

typedef struct TraceWriter {
    VmafAtomicFile *file;
    bool any; /* an event was written */
} TraceWriter;

static void put(TraceWriter *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What is short: numbers and words of our own. */
static void put(TraceWriter *writer, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    vmaf_atomic_file_puts(writer->file, text);
}

/* ---- events ---- */

static void begin_event(TraceWriter *writer, const char *phase, unsigned context, unsigned row)
{
    put(writer, "%s{\"ph\": \"%s\", \"pid\": %u, \"tid\": %u", writer->any ? ",\n" : "\n", phase,
        context, row);
    writer->any = true;
}

static void put_requests(TraceWriter *writer, const TraceEvent *event)
{
    const TraceContext *context = event->row->context;
    const char *separator = "";
    vmaf_atomic_file_puts(writer->file, "\"features\": [");
    for (unsigned i = 0; i < context->n_requests; i++) {
        if (!(event->requests[i / 64] >> i % 64 & 1))
            continue;
        vmaf_atomic_file_puts(writer->file, separator);
        report_put_json_string(writer->file, context->requests[i] ? context->requests[i] : "");
        separator = ", ";
    }
    vmaf_atomic_file_puts(writer->file, "]");
}

static void put_arguments(TraceWriter *writer, const TraceEvent *event)
{
    static const char *const separators[] = {", \"args\": {", ", "};
    const bool is_frame = event->category == TRACE_FRAME;
    const char *text = is_frame ? event->name : event->detail;
    bool any = false;
    if (event->of_frame) {
        put(writer, "%s\"frame\": %u", separators[any], event->frame);
        any = true;
    }
    if (event->has_requests) {
        vmaf_atomic_file_puts(writer->file, separators[any]);
        put_requests(writer, event);
        any = true;
    }
    if (text) {
        put(writer, "%s\"%s\": ", separators[any], is_frame ? "backend" : "detail");
        report_put_json_string(writer->file, text);
        any = true;
    }
    if (event->unfinished) {
        put(writer, "%s\"%s\": true", separators[any], is_frame ? "dropped" : "unfinished");
        any = true;
    }
    vmaf_atomic_file_puts(writer->file, any ? "}" : "");
}

/* A frame begins on one thread and ends on another: a pair of events with a number of their own. */
static void put_frame(TraceWriter *writer, const TraceEvent *event)
{
    static const char *const phases[] = {"b", "e"};
    const unsigned context = event->row->context->number;
    for (int i = 0; i < 2; i++) {
        const int64_t time = event->begin + (i ? event->duration : 0);
        begin_event(writer, phases[i], context, event->row->number);
        put(writer,
            ", \"cat\": \"frame\", \"name\": \"frame\", \"id\": \"%u.%" PRIu64 "\", \"ts\": " TIME,
            context, event->position, TIME_OF(time));
        if (!i)
            put_arguments(writer, event);
        vmaf_atomic_file_puts(writer->file, "}");
    }
}

static void put_event(void *cookie, const TraceEvent *event)
{
    TraceWriter *writer = cookie;
    if (event->category == TRACE_FRAME) {
        put_frame(writer, event);
        return;
    }
    begin_event(writer, "X", event->row->context->number, event->row->number);
    put(writer, ", \"cat\": \"%s\", \"ts\": " TIME ", \"dur\": " TIME ", \"name\": ",
        category_names[event->category], TIME_OF(event->begin), TIME_OF(event->duration));
    report_put_json_string(writer->file, event->name);
    put_arguments(writer, event);
    vmaf_atomic_file_puts(writer->file, "}");
}

/* ---- names ---- */

static void put_name(TraceWriter *writer, const char *kind, unsigned context, unsigned row,
                     const char *name)
{
    begin_event(writer, "M", context, row);
    put(writer, ", \"name\": \"%s_name\", \"args\": {\"name\": ", kind);
    report_put_json_string(writer->file, name);
    vmaf_atomic_file_puts(writer->file, "}}");
    begin_event(writer, "M", context, row);
    put(writer, ", \"name\": \"%s_sort_index\", \"args\": {\"sort_index\": %u}}", kind,
        row ? row : context);
}

static void put_context(TraceWriter *writer, const TraceContext *context)
{
    char name[2 * TRACE_NAME_SIZE];
    snprintf(name, sizeof(name), "VmafContext %u%s%s", context->number,
             context->text[0] ? ": " : "", context->text);
    put_name(writer, "process", context->number, 0, name);
    for (const TraceRow *row = context->rows; row; row = row->next)
        put_name(writer, "thread", context->number, row->number, row->name);
}

/* ---- the file ---- */

/* Locked. */
static void put_all(TraceWriter *writer, const Recording *recording)
{
    const int64_t now = vmaf_steady_ns();
    uint64_t n_events = 0, n_dropped = 0;
    vmaf_atomic_file_puts(writer->file, BEGIN ": [");
    for (const TraceContext *context = recording->contexts; context; context = context->next)
        put_context(writer, context);
    for (TraceThread *thread = recording->threads; thread; thread = thread->next) {
        recording_read(thread, now, put_event, writer);
        n_events += thread->n_events;
        n_dropped += thread->n_dropped;
    }
    put(writer,
        "],\n\"displayTimeUnit\": \"ms\",\n\"otherData\": {\"version\": \"libvmaf %s\", "
        "\"process\": %d, \"events\": %" PRIu64 ", \"dropped_events\": %" PRIu64 "}}\n",
        vmaf_version(), recording->process, n_events, n_dropped);
}

/* Nothing else is replaced: the path may be that of a video. A pipe could be waited for for ever.
 */
static int check_target(const char *path)
{
    static const char begin[] = BEGIN;
    VmafFileStatus status;
    VmafFile file;
    char there[sizeof(begin)];
    size_t size = 0;
    if (vmaf_file_status_at(path, &status))
        return 0;
    if (status.kind != VMAF_FILE_REGULAR || !status.size)
        return status.kind == VMAF_FILE_PIPE ? -ESPIPE : 0;
    int err = vmaf_file_open(&file, path);
    if (err)
        return err;
    err = vmaf_file_read_at(&file, there, strlen(begin), 0, &size);
    vmaf_file_close(&file);
    if (err)
        return err;
    return size == strlen(begin) && !memcmp(there, begin, size) ? 0 : -EEXIST;
}

void trace_write(const Logger *logger)
{
    Recording *recording = recording_of_process();
    if (!recording || !recording->path)
        return;
    TraceWriter writer = {0};
    vmaf_mutex_lock(&recording->lock);
    int err = check_target(recording->path);
    if (!err)
        err = vmaf_atomic_file_open(&writer.file, recording->path);
    if (!err) {
        put_all(&writer, recording);
        err = vmaf_atomic_file_commit(writer.file);
    }
    vmaf_mutex_unlock(&recording->lock);
    if (err)
        log_message(logger, VMAF_LOG_LEVEL_WARNING, "the trace was not written to %s: %s",
                    recording->path, strerror(-err));
}
