/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The recording behind a trace: its limits, names of any bytes, and what is open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/thread.h"
#include "report/report.h"
#include "support/cases.h"
#include "trace/child.h"
#include "trace/recording.h"
#include "trace/trace_file.h"

static const Logger logger = {VMAF_LOG_LEVEL_WARNING};

/* ---- limits ---- */

enum { N_TOO_MANY = RECORDING_THREAD_EVENTS + 1000 };

static void *add_too_many(void *argument)
{
    TRACE_THREAD(argument, "busy");
    for (unsigned i = 0; i < N_TOO_MANY; i++) {
        TRACE_SCOPE(TRACE_WORK, "item", TRACE_INDEX(i));
    }
    return NULL;
}

static void end_context(TraceContext *context)
{
    if (trace_context_end(context))
        trace_write(&logger);
}

static void overflow(void *argument)
{
    TraceContext *context = trace_context_begin(&logger);
    const unsigned n = *(unsigned *)argument;
    for (unsigned i = 0; i < n; i++) {
        VmafThread thread;
        if (vmaf_thread_start(&thread, add_too_many, context))
            abort();
        vmaf_thread_join(thread);
    }
    end_context(context);
}

CASE(given_too_many_events_then_the_newest_are_dropped_and_counted)
{
    const char *path = child_file("full.json");
    unsigned n = 1;
    child_run(path, overflow, &n, NULL, 0);
    Trace trace = trace_load_with_drops(path);
    assert_int_equal(trace_data(&trace, "dropped_events"), 1000);
    assert_int_equal(trace_data(&trace, "events"), RECORDING_THREAD_EVENTS);
    expect_count(&trace, RECORDING_THREAD_EVENTS, .name = "item");
    expect_count(&trace, 1, .with_frame = true, .frame = RECORDING_THREAD_EVENTS - 1);
    expect_count(&trace, 0, .with_frame = true, .frame = RECORDING_THREAD_EVENTS);
    trace_free(&trace);
}

/* Only counts: a file of a million events takes long to parse. */
static void overflow_all(void *argument)
{
    unsigned n = 10;
    TraceContext *context = trace_context_begin(&logger);
    const Recording *recording = recording_of_process();
    free(recording->path);
    ((Recording *)recording)->path = NULL; /* nothing to be written */
    trace_context_end(context);
    overflow(&n);
    uint64_t n_events = 0, n_dropped = 0;
    for (const TraceThread *thread = recording->threads; thread; thread = thread->next) {
        n_events += thread->n_events;
        n_dropped += thread->n_dropped;
    }
    if (n_events != RECORDING_EVENTS || n_dropped != 10ull * N_TOO_MANY - RECORDING_EVENTS)
        abort();
}

CASE(given_many_threads_then_they_share_a_limit)
{
    child_run("/dev/null", overflow_all, NULL, NULL, 0);
}

/* ---- names ---- */

#define ODD_NAME "a \"b\" \\ \n\t\x01 \xc3\xa9 \xff end"

static void use_odd_names(void *argument)
{
    TraceContext *context = trace_context_begin(&logger);
    trace_context_describe(context, ODD_NAME);
    trace_context_add_request(context, ODD_NAME);
    TRACE_THREAD(context, "%s", ODD_NAME);
    const uint64_t mask[TRACE_REQUEST_WORDS] = {1};
    {
        TRACE_SCOPE(TRACE_WORK, ODD_NAME, TRACE_REQUESTS(7, mask), .detail = ODD_NAME);
        trace_device_span(trace_device_row(ODD_NAME), trace_keep(ODD_NAME), 1000, 5);
    }
    end_context(context);
}

CASE(given_names_of_any_bytes_then_the_file_is_valid)
{
    Trace trace = trace_of_child(child_file("odd.json"), use_odd_names, NULL);
    const char *shown =
        "a \"b\" \\ \n\t\x01 \xc3\xa9 \xef\xbf\xbd end"; /* U+FFFD for what is no text */
    const Match work = {.row = shown, .category = "work", .name = shown};
    assert_string_equal(trace_detail(&trace, &work), shown);
    expect_count(&trace, 1, .row = shown, .category = "device", .name = shown, .with_frame = true,
                 .frame = 7);
    trace_free(&trace);
}

/* ---- what is open ---- */

enum { N_NESTED = TRACE_DEPTH + 4 };

static void nest(unsigned depth)
{
    TRACE_SCOPE(TRACE_WORK, "nested", TRACE_INDEX(depth));
    if (depth + 1 < N_NESTED)
        nest(depth + 1);
}

static void leave_open(void *argument)
{
    TraceContext *context = trace_context_begin(&logger);
    TRACE_THREAD(context, "deep");
    nest(0);
    TRACE_SCOPE(TRACE_WORK, "open");
    end_context(context);
}

CASE(given_what_is_open_then_it_is_unfinished_and_what_is_too_deep_is_dropped)
{
    const char *path = child_file("open.json");
    child_run(path, leave_open, NULL, NULL, 0);
    Trace trace = trace_load_with_drops(path);
    expect_count(&trace, TRACE_DEPTH, .name = "nested");
    assert_int_equal(trace_data(&trace, "dropped_events"), N_NESTED - TRACE_DEPTH);
    expect_count(&trace, 1, .name = "open");
    size_t i;
    json_t *event;
    json_array_foreach(trace.events, i, event)
    {
        const char *name = json_string_value(json_object_get(event, "name"));
        const json_t *unfinished = json_object_get(json_object_get(event, "args"), "unfinished");
        assert_int_equal(json_is_true(unfinished), !strcmp(name, "open"));
    }
    trace_free(&trace);
}

/* ---- a thread's context ---- */

static void call_inner(TraceContext *context)
{
    TRACE_CALL(context, "inner");
    TRACE_SCOPE(TRACE_WORK, "work");
    if (trace_here() != context)
        abort();
}

static void use_two(void *argument)
{
    TraceContext *first = trace_context_begin(&logger), *second = trace_context_begin(&logger);
    {
        TRACE_SCOPE(TRACE_WORK, "of nobody"); /* the thread works for none */
    }
    for (unsigned i = 0; i < 3; i++) {
        TRACE_CALL(first, "outer");
        if (trace_here() != first)
            abort();
        call_inner(second); /* as from a callback of the first */
        TRACE_SCOPE(TRACE_WORK, "rest");
    }
    if (trace_here() || trace_context_end(first))
        abort();
    end_context(second);
}

CASE(given_calls_within_calls_then_each_is_in_its_context)
{
    Trace trace = trace_of_child(child_file("two.json"), use_two, NULL);
    expect_count(&trace, 3, .pid = 1, .row = "application", .category = "api", .name = "outer");
    expect_count(&trace, 3, .pid = 1, .name = "rest");
    expect_count(&trace, 3, .pid = 2, .category = "api", .name = "inner");
    expect_count(&trace, 3, .pid = 2, .name = "work");
    expect_count(&trace, 2, .pid = 1, .category = "application");
    expect_count(&trace, 0, .name = "of nobody");
    trace_free(&trace);
}

static void do_nothing_when_off(void *argument)
{
    TraceContext *context = trace_context_begin(&logger);
    TRACE_CALL(context, "call");
    TRACE_SCOPE(TRACE_WORK, "work");
    const TraceFrame frame = trace_frame_begin(1);
    if (context || trace_is_on() || trace_call || trace_scope || frame.begin ||
        trace_wants_device_times() || trace_here() || recording_of_process() ||
        trace_context_end(context))
        abort();
}

CASE(given_no_variable_then_nobody_listens)
{
    child_run(NULL, do_nothing_when_off, NULL, NULL, 0);
}

CASES_SHARE(NULL, child_remove_folder);
