/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Ranges for the library that NVTX_INJECTION64_PATH names. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/engine/harness.h"
#include "support/cases.h"
#include "trace/child.h"
#include "trace/injection.h"
#include "trace/trace_file.h"

enum { N_FRAMES = 12, DEPTH_MAX = 16 };

typedef struct Run {
    const char *library, *behaviour;
    Clip clip;
    Outcome outcome;
    InjectionNotes notes;
    bool was_loaded;
} Run;

static Run *of; /* shared with children */

/* What a child does, and what it hands back. */
static void run(void *argument)
{
    setenv("VMAF_TEST_LOG", "1", 1);
    if (of->library)
        setenv("NVTX_INJECTION64_PATH", of->library, 1);
    if (of->behaviour)
        setenv("INJECTION", of->behaviour, 1);
    clip_run(&of->clip, &of->outcome);
    void *library = dlopen(getenv("TRACE_INJECTION"), RTLD_NOW | RTLD_NOLOAD);
    of->was_loaded = library != NULL;
    const InjectionNotes *notes = library ? dlsym(library, INJECTION_SYMBOL) : NULL;
    if (notes)
        of->notes = *notes;
}

static void begin_run(const char *library, const char *behaviour, const Clip *clip)
{
    memset(of, 0, sizeof(*of));
    of->library = library;
    of->behaviour = behaviour;
    of->clip = *clip;
}

static const char *name_of(uint32_t thread)
{
    for (unsigned i = of->notes.n_names; i > 0; i--) { /* the last counts: numbers are used again */
        if (of->notes.named[i - 1] == thread)
            return of->notes.names[i - 1];
    }
    return NULL;
}

/* Ranges that are pushed are popped in the same thread, and nested as they have to be. */
static void check_nesting(uint32_t thread, bool in_domain)
{
    unsigned depth = 0, n = 0;
    char open[DEPTH_MAX][INJECTION_NAME_SIZE];
    for (unsigned i = 0; i < of->notes.n_notes; i++) {
        const InjectionNote *note = &of->notes.notes[i];
        if (note->thread != thread || note->kind == NOTE_START || note->kind == NOTE_END)
            continue;
        n++;
        assert_int_equal(note->in_domain, in_domain);
        if (note->kind == NOTE_POP) {
            assert_true(depth > 0);
            depth--;
            continue;
        }
        assert_true(depth < DEPTH_MAX);
        strcpy(open[depth++], note->name);
        /* Waiting is never what something else is a part of. */
        assert_true(depth == 1 || strncmp(open[depth - 2], "wait for w", 10) != 0);
    }
    assert_int_equal(depth, 0);
    assert_true(n > 0);
}

static unsigned count(InjectionKind kind, const char *name, const char *thread)
{
    unsigned n = 0;
    for (unsigned i = 0; i < of->notes.n_notes; i++) {
        const InjectionNote *note = &of->notes.notes[i];
        n += note->kind == kind && !strcmp(note->name, name) &&
             (!thread || !strncmp(name_of(note->thread), thread, strlen(thread)));
    }
    return n;
}

/* Each frame is started once, with its number, and ended once. */
static void check_frames(bool has_numbers, bool in_domain)
{
    bool seen[N_FRAMES] = {false};
    unsigned n_started = 0, n_ended = 0;
    for (unsigned i = 0; i < of->notes.n_notes; i++) {
        const InjectionNote *start = &of->notes.notes[i];
        n_ended += start->kind == NOTE_END;
        if (start->kind != NOTE_START)
            continue;
        n_started++;
        assert_string_equal(start->name, "frame");
        assert_int_equal(start->in_domain, in_domain);
        assert_int_equal(start->has_frame, has_numbers);
        if (has_numbers) {
            assert_true(start->frame < N_FRAMES && !seen[start->frame]);
            seen[start->frame] = true;
        }
        unsigned n_ends = 0;
        for (unsigned k = i + 1; k < of->notes.n_notes; k++) {
            const InjectionNote *end = &of->notes.notes[k];
            n_ends += end->kind == NOTE_END && end->range == start->range;
        }
        assert_int_equal(n_ends, 1);
    }
    assert_int_equal(n_started, N_FRAMES);
    assert_int_equal(n_ended, N_FRAMES);
}

static void check_all(bool has_numbers, bool in_domain)
{
    assert_int_equal(of->outcome.error, 0);
    assert_true(of->notes.initialised);
    assert_int_equal(of->notes.version, 3);
    check_frames(has_numbers, in_domain);
    for (unsigned i = 0; i < of->notes.n_notes; i++) {
        const uint32_t thread = of->notes.notes[i].thread;
        assert_non_null(name_of(thread));
        bool first = true;
        for (unsigned k = 0; k < i && first; k++)
            first = of->notes.notes[k].thread != thread;
        if (first && of->notes.notes[i].kind == NOTE_PUSH)
            check_nesting(thread, in_domain);
    }
    assert_int_equal(count(NOTE_PUSH, "read pictures", "application"), N_FRAMES);
    assert_int_equal(count(NOTE_PUSH, "finish", NULL), N_FRAMES);
}

CASE(given_a_library_then_it_is_told_everything_in_a_domain)
{
    for (unsigned n_threads = 0; n_threads <= 2; n_threads++) {
        const Clip clip = {.backend = "cpu", .n_frames = N_FRAMES, .n_threads = n_threads};
        begin_run(getenv("TRACE_INJECTION"), NULL, &clip);
        child_run(NULL, run, NULL, NULL, 0);
        assert_int_equal(of->notes.n_domains, 1);
        assert_string_equal(of->notes.domain, "libvmaf");
        check_all(true, true);
        assert_true(count(NOTE_PUSH, "vif", n_threads ? "worker " : "application") >= N_FRAMES);
        assert_true(count(NOTE_PUSH, "motion", n_threads ? "worker " : "application") >= N_FRAMES);
    }
}

CASE(given_a_backend_then_its_threads_are_named_and_its_stages_ranges)
{
    const Clip clip = {.backend = "fakeone", .n_frames = N_FRAMES, .n_threads = 1};
    begin_run(getenv("TRACE_INJECTION"), NULL, &clip);
    fake_reset("fakeone");
    child_run(NULL, run, NULL, NULL, 0);
    check_all(true, true);
    assert_int_equal(count(NOTE_PUSH, "submit", "submit: fakeone, Fake device"), N_FRAMES);
    assert_true(count(NOTE_PUSH, "collect", "collect: fakeone, Fake device") >= N_FRAMES);
    assert_int_equal(count(NOTE_PUSH, "self-test", NULL), 1);
    assert_true(count(NOTE_PUSH, "open a session", NULL) > 0);
}

CASE(given_a_library_without_domains_then_ranges_are_in_the_default_one)
{
    const Clip clip = {.backend = "cpu", .n_frames = N_FRAMES, .n_threads = 2};
    begin_run(getenv("TRACE_INJECTION"), "attributes", &clip);
    child_run(NULL, run, NULL, NULL, 0);
    assert_int_equal(of->notes.n_domains, 0);
    check_all(true, false);
}

CASE(given_a_library_that_knows_texts_only_then_it_gets_them)
{
    const Clip clip = {.backend = "cpu", .n_frames = N_FRAMES, .n_threads = 2};
    begin_run(getenv("TRACE_INJECTION"), "text", &clip);
    child_run(NULL, run, NULL, NULL, 0);
    check_all(false, false);
}

CASE(given_a_trace_as_well_then_both_are_made)
{
    const Clip clip = {.backend = "cpu", .n_frames = N_FRAMES, .n_threads = 2};
    const char *path = child_file("both.json");
    begin_run(getenv("TRACE_INJECTION"), NULL, &clip);
    child_run(path, run, NULL, NULL, 0);
    check_all(true, true);
    Trace trace = trace_load(path);
    trace_check_frames(&trace, 1, N_FRAMES, "psnr motion vif");
    expect_count(&trace, count(NOTE_PUSH, "vif", "worker "), .row = "worker ", .category = "work",
                 .name = "vif");
    trace_free(&trace);
}

CASE(given_no_variable_then_nothing_is_loaded)
{
    const Clip clip = {.backend = "cpu", .n_frames = 3};
    begin_run(NULL, NULL, &clip);
    child_run(NULL, run, NULL, NULL, 0);
    assert_false(of->was_loaded);
    begin_run("", NULL, &clip);
    child_run(NULL, run, NULL, NULL, 0);
    assert_false(of->was_loaded);
}

CASE(given_a_library_that_is_none_then_a_warning_is_all)
{
    static char messages[64 * 1024];
    const Clip clip = {.backend = "cpu", .n_frames = 3, .n_threads = 2};
    char fake[1024];
    snprintf(fake, sizeof(fake), "%s/libvmaf-backend-fakeone.so", getenv("VMAF_BACKEND_PATH"));
    const char *const libraries[] = {"/nonexistent/library.so", fake, getenv("TRACE_INJECTION")};
    for (int i = 0; i < 3; i++) {
        begin_run(libraries[i], "refuse", &clip);
        child_run(NULL, run, NULL, messages, sizeof(messages));
        assert_int_equal(of->outcome.error, 0);
        assert_int_equal(of->notes.n_notes, 0);
        assert_true(clip_equal(&clip, &of->outcome, clip_truth(&clip)));
        const char *warning = strstr(messages, "WARNING no NVTX ranges: ");
        assert_non_null(warning);
        assert_non_null(strstr(warning, libraries[i]));
    }
}

/* ---- */

static int begin(void **state)
{
    of = child_memory(sizeof(*of));
    return 0;
}

CASES_SHARE(begin, child_remove_folder);
