/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Runs one golden file. Each golden run is one test.
 *
 *     test_golden FILE.json EXCEPTIONS.json [--threads N] [--cpumask MASK] [--list | PATTERN...]
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/golden.h"
#include "support/cases.h"

static GoldenSettings settings;

/* The clips of the last case, cached: runs of a case follow each other. */
static struct {
    const json_t *owner;
    GoldenClip ref, dis;
} clips;

typedef struct GoldenTest {
    const json_t *parent; /* the case */
    json_t *run;
    char *name;
} GoldenTest;

static void release_clips(void)
{
    golden_clip_release(&clips.ref);
    golden_clip_release(&clips.dis);
    clips.owner = NULL;
}

static void need_clips_of(const json_t *parent)
{
    if (clips.owner == parent)
        return;
    release_clips();
    assert_int_equal(golden_clip_make(&clips.ref, json_object_get(parent, "ref")), 0);
    assert_int_equal(golden_clip_make(&clips.dis, json_object_get(parent, "dis")), 0);
    clips.owner = parent;
}

static void run_equals_golden(void **state)
{
    const GoldenTest *test = *state;
    GoldenDifferences differences = {0};
    GoldenOutcome outcome;
    need_clips_of(test->parent);
    golden_run(&outcome, test->run, &clips.ref, &clips.dis, &settings);
    golden_compare(&differences, test->run, &outcome, &settings);
    golden_outcome_release(&outcome);
    if (outcome.close_code)
        golden_differs(&differences, "vmaf_close returned %d", outcome.close_code);
    if (differences.n)
        fail_msg("%u differences", differences.n);
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
    return root;
}

static size_t count_runs(const json_t *golden)
{
    size_t n = 0, i;
    json_t *parent;
    json_array_foreach(json_object_get(golden, "cases"), i, parent)
    {
        n += json_array_size(json_object_get(parent, "runs"));
    }
    return n;
}

static char *name_of(const json_t *parent, const json_t *run)
{
    char *name;
    if (asprintf(&name, "%s/%s", json_string_value(json_object_get(parent, "id")),
                 json_string_value(json_object_get(run, "id"))) < 0)
        return NULL;
    return name;
}

static int collect(const json_t *golden, GoldenTest *tests, struct CMUnitTest *units)
{
    size_t n = 0, i, j;
    json_t *parent, *run;
    json_array_foreach(json_object_get(golden, "cases"), i, parent)
    {
        json_array_foreach(json_object_get(parent, "runs"), j, run)
        {
            tests[n] = (GoldenTest){parent, run, name_of(parent, run)};
            if (!tests[n].name)
                return -1;
            units[n] = (struct CMUnitTest){
                .name = tests[n].name,
                .test_func = run_equals_golden,
                .initial_state = &tests[n],
            };
            ++n;
        }
    }
    return 0;
}

static int run_file(const char *path, const char *exceptions_path)
{
    json_t *golden = load(path), *exceptions = load(exceptions_path);
    const size_t n = count_runs(golden);
    GoldenTest *tests = calloc(n + 1, sizeof *tests);
    struct CMUnitTest *units = calloc(n + 1, sizeof *units);
    int status = 1;
    golden_apply_exceptions(golden, exceptions);
    if (exceptions && n && tests && units && !collect(golden, tests, units))
        status = end_cases(run_case_group_of(path, units, n, NULL, NULL));
    else
        fprintf(stderr, "%s: no runs\n", path);
    release_clips();
    for (size_t i = 0; tests && i < n; ++i)
        free(tests[i].name);
    free(units);
    free(tests);
    json_decref(exceptions);
    json_decref(golden);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: test_golden FILE EXCEPTIONS [--threads N] [--cpumask MASK] "
                        "[--list | PATTERN...]\n");
        return 1;
    }
    const char *file = argv[1], *exceptions = argv[2];
    argc -= 2;
    argv += 2;
    for (; argc > 2; argc -= 2, argv += 2) {
        if (!strcmp(argv[1], "--threads"))
            settings.threads = (unsigned)strtoul(argv[2], NULL, 0);
        else if (!strcmp(argv[1], "--cpumask"))
            settings.cpumask = strtoull(argv[2], NULL, 0);
        else
            break;
    }
    select_cases(argc, argv);
    return run_file(file, exceptions);
}
