/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "trace/trace_file.h"
#include "support/cases.h"
#include "trace/child.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32 };

static const char *text_of(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

static bool is_phase(const json_t *event, const char *phase)
{
    return !strcmp(text_of(event, "ph"), phase);
}

static json_int_t number_of(const json_t *event, const char *key)
{
    const json_t *number = json_object_get(event, key);
    if (!json_is_integer(number))
        fail_msg("%s of an event is no integer", key);
    return json_integer_value(number);
}

static int64_t ns_of(const json_t *event, const char *key)
{
    const json_t *time = json_object_get(event, key);
    if (!json_is_real(time)) {
        fail_msg("%s of \"%s\" is no time", key, text_of(event, "name"));
        return 0;
    }
    return llround(json_real_value(time) * 1000);
}

/* The key of a row in `names`; 0: the process itself. */
static const char *row_key(json_int_t pid, json_int_t tid, char key[64])
{
    snprintf(key, 64, "%lld %lld", (long long)pid, (long long)tid);
    return key;
}

/* The name of a process (row 0) or a row; NULL: it has none. */
static const char *name_of(const Trace *trace, json_int_t pid, json_int_t tid)
{
    char key[64];
    return json_string_value(json_object_get(trace->names, row_key(pid, tid, key)));
}

/* Each has one name. */
static void collect_names(Trace *trace)
{
    size_t i;
    json_t *event;
    trace->names = json_object();
    json_array_foreach(trace->events, i, event)
    {
        const json_int_t pid = number_of(event, "pid"), tid = number_of(event, "tid");
        const char *kind = tid ? "thread_name" : "process_name";
        char key[64];
        if (!is_phase(event, "M") || strcmp(text_of(event, "name"), kind) != 0)
            continue;
        assert_null(name_of(trace, pid, tid));
        const char *name = text_of(json_object_get(event, "args"), "name");
        json_object_set_new(trace->names, row_key(pid, tid, key), json_string(name));
    }
}

/* ---- what holds for all traces ---- */

static void check_event(const json_t *event)
{
    static const char *const categories[] = {"api",     "application", "work", "wait",
                                             "backend", "device",      "frame"};
    bool known = is_phase(event, "M");
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
        known |= !strcmp(text_of(event, "cat"), categories[i]);
    if (!known || !text_of(event, "name")[0])
        fail_msg("an event of category \"%s\" called \"%s\"", text_of(event, "cat"),
                 text_of(event, "name"));
    assert_true(number_of(event, "pid") > 0);
    assert_true(number_of(event, "tid") >= 0);
    if (is_phase(event, "X"))
        assert_true(ns_of(event, "ts") > 0 && ns_of(event, "dur") >= 0);
    else if (is_phase(event, "b") || is_phase(event, "e"))
        assert_true(ns_of(event, "ts") > 0 && text_of(event, "id")[0]);
    else
        assert_true(is_phase(event, "M"));
}

static int by_row_and_time(const void *a, const void *b)
{
    const json_t *first = *(json_t *const *)a, *second = *(json_t *const *)b;
    const json_int_t row = number_of(first, "tid") - number_of(second, "tid");
    const int64_t begin = ns_of(first, "ts") - ns_of(second, "ts");
    const int64_t length = ns_of(second, "dur") - ns_of(first, "dur");
    return row      ? (row < 0 ? -1 : 1)
           : begin  ? (begin < 0 ? -1 : 1)
           : length ? (length < 0 ? -1 : 1)
                    : 0;
}

/* Numbers of rows are unique in a process, so they tell contexts apart as well. */
static void check_nesting(const Trace *trace)
{
    size_t n = 0, i;
    json_t *event, **sorted = calloc(json_array_size(trace->events) + 1, sizeof(json_t *));
    assert_non_null(sorted);
    json_array_foreach(trace->events, i, event)
    {
        if (is_phase(event, "X"))
            sorted[n++] = event;
    }
    qsort(sorted, n, sizeof(json_t *), by_row_and_time);
    int64_t ends[DEPTH_MAX];
    unsigned depth = 0;
    json_int_t pid = 0;
    for (i = 0; i < n; i++) {
        const int64_t begin = ns_of(sorted[i], "ts"), end = begin + ns_of(sorted[i], "dur");
        if (i == 0 || number_of(sorted[i], "tid") != number_of(sorted[i - 1], "tid")) {
            depth = 0;
            pid = number_of(sorted[i], "pid");
        }
        assert_int_equal(number_of(sorted[i], "pid"), pid);
        while (depth && ends[depth - 1] <= begin)
            depth--;
        if (depth && end > ends[depth - 1])
            fail_msg("\"%s\" at %lld ends after what it is in", text_of(sorted[i], "name"),
                     (long long)begin);
        assert_true(depth < DEPTH_MAX);
        ends[depth++] = end;
    }
    free(sorted);
}

/* Each beginning of a frame is followed by its end, and neither occurs twice. */
static void check_pairs(const Trace *trace)
{
    json_t *begun = json_object(), *event;
    size_t i;
    json_array_foreach(trace->events, i, event)
    {
        const char *id = text_of(event, "id");
        if (is_phase(event, "b")) {
            assert_null(json_object_get(begun, id));
            json_object_set(begun, id, event);
        } else if (is_phase(event, "e")) {
            const json_t *begin = json_object_get(begun, id);
            assert_true(json_is_object(begin)); /* neither missing nor ended */
            assert_true(ns_of(begin, "ts") <= ns_of(event, "ts"));
            assert_int_equal(number_of(begin, "pid"), number_of(event, "pid"));
            json_object_set_new(begun, id, json_true());
        }
    }
    const char *id;
    json_t *value;
    json_object_foreach(begun, id, value)
    {
        if (!json_is_true(value))
            fail_msg("frame %s does not end", id);
    }
    json_decref(begun);
}

Trace trace_load_with_drops(const char *path)
{
    json_error_t error;
    Trace trace = {.root = json_load_file(path, JSON_REJECT_DUPLICATES, &error)};
    if (!trace.root)
        fail_msg("%s, line %d: %s", path, error.line, error.text);
    trace.events = json_object_get(trace.root, "traceEvents");
    assert_true(json_is_array(trace.events));
    collect_names(&trace);
    json_t *event;
    size_t i;
    json_array_foreach(trace.events, i, event)
    {
        check_event(event);
        const char *process = name_of(&trace, number_of(event, "pid"), 0);
        const char *name = name_of(&trace, number_of(event, "pid"), number_of(event, "tid"));
        if (!process || !process[0] || !name || !name[0])
            fail_msg("\"%s\" is in a process or row without a name", text_of(event, "name"));
    }
    check_nesting(&trace);
    check_pairs(&trace);
    return trace;
}

Trace trace_load(const char *path)
{
    const Trace trace = trace_load_with_drops(path);
    assert_int_equal(trace_data(&trace, "dropped_events"), 0);
    return trace;
}

Trace trace_of_child(const char *path, void (*function)(void *argument), void *argument)
{
    child_run(path, function, argument, NULL, 0);
    return trace_load(path);
}

void trace_free(Trace *trace)
{
    json_decref(trace->names);
    json_decref(trace->root);
    *trace = (Trace){0};
}

json_int_t trace_data(const Trace *trace, const char *key)
{
    return number_of(json_object_get(trace->root, "otherData"), key);
}

/* ---- questions ---- */

static bool matches(const Trace *trace, const json_t *event, const Match *match)
{
    const json_t *frame = json_object_get(json_object_get(event, "args"), "frame");
    if ((!is_phase(event, "X") && !is_phase(event, "b")) ||
        (match->pid && number_of(event, "pid") != match->pid) ||
        (match->category && strcmp(text_of(event, "cat"), match->category) != 0) ||
        (match->name && strcmp(text_of(event, "name"), match->name) != 0) ||
        (match->with_frame &&
         (!json_is_integer(frame) || json_integer_value(frame) != match->frame)))
        return false;
    const char *row = name_of(trace, number_of(event, "pid"), number_of(event, "tid"));
    return !match->row || !strncmp(row, match->row, strlen(match->row));
}

unsigned trace_count(const Trace *trace, const Match *match)
{
    unsigned n = 0;
    size_t i;
    json_t *event;
    json_array_foreach(trace->events, i, event) n += matches(trace, event, match);
    return n;
}

double trace_sum(const Trace *trace, const Match *match)
{
    double sum = 0;
    size_t i;
    json_t *event;
    json_array_foreach(trace->events, i, event)
    {
        if (matches(trace, event, match))
            sum += json_real_value(json_object_get(event, "dur"));
    }
    return sum;
}

const char *trace_detail(const Trace *trace, const Match *match)
{
    size_t i;
    json_t *event;
    assert_int_equal(trace_count(trace, match), 1);
    json_array_foreach(trace->events, i, event)
    {
        if (matches(trace, event, match))
            return text_of(json_object_get(event, "args"), "detail");
    }
    return NULL;
}

unsigned trace_rows(const Trace *trace, unsigned pid, const char *name)
{
    unsigned n = 0;
    const char *key;
    json_t *value;
    json_object_foreach(trace->names, key, value)
    {
        n += strtoul(key, NULL, 10) == pid && strtoul(strchr(key, ' '), NULL, 10) &&
             !strncmp(json_string_value(value), name, strlen(name));
    }
    return n;
}

unsigned trace_processes(const Trace *trace)
{
    unsigned n = 0;
    size_t i;
    json_t *event;
    json_array_foreach(trace->events, i, event) n +=
        is_phase(event, "M") && !strcmp(text_of(event, "name"), "process_name");
    return n;
}

/* ---- frames ---- */

/* Adds the features of an event to a set. */
static void add_features(json_t *set, const json_t *event)
{
    size_t i;
    json_t *feature;
    json_array_foreach(json_object_get(json_object_get(event, "args"), "features"), i, feature)
        json_object_set_new(set, json_string_value(feature), json_true());
}

static void check_features(json_t *set, const char *features, unsigned frame, const char *where)
{
    char rest[256], *at = rest;
    size_t n = 0;
    snprintf(rest, sizeof(rest), "%s", features);
    for (const char *name; (name = strsep(&at, " "));) {
        if (!json_object_get(set, name))
            fail_msg("frame %u has no %s in %s", frame, name, where);
        n++;
    }
    assert_int_equal(json_object_size(set), n);
    json_object_clear(set);
}

void trace_check_frames(const Trace *trace, unsigned pid, unsigned n, const char *features)
{
    json_t *set = json_object(), *event;
    const Match all = {.pid = pid, .category = "frame"};
    assert_int_equal(trace_count(trace, &all), n);
    for (unsigned frame = 0; frame < n; frame++) {
        const Match this = {.pid = pid, .category = "frame", .with_frame = true, .frame = frame};
        const Match work = {.pid = pid, .category = "work", .with_frame = true, .frame = frame};
        const Match answer = {.pid = pid,
                              .category = "backend",
                              .name = "collect",
                              .with_frame = true,
                              .frame = frame};
        assert_int_equal(trace_count(trace, &this), 1);
        size_t i;
        json_array_foreach(trace->events, i, event)
        {
            if (matches(trace, event, &this))
                add_features(set, event);
        }
        check_features(set, features, frame, "its way");
        json_array_foreach(trace->events, i, event)
        {
            if (matches(trace, event, &work) || matches(trace, event, &answer))
                add_features(set, event);
        }
        check_features(set, features, frame, "the work of executors");
    }
    json_decref(set);
}
