/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A backend through the library, which computes the rest on the CPU and predicts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend_bench.h"
#include "bench.h"
#include "libvmaf/libvmaf_ext.h"

/* The models and features after the first one. Models must exist as long as the context. */
typedef struct More {
    BenchContext first;
    VmafModel *models[ARGUMENT_MAX];
} More;

static int open_more(More *more, const BackendSettings *s, const BenchSubject *subject)
{
    *more = (More){.models = {NULL}};
    int err = bench_context_open(&more->first, subject);
    for (int i = 1; i < s->subject->models.n && !err; i++) {
        VmafModelConfig configuration = {.name = s->subject->models.items[i]};
        err = vmaf_model_load(&more->models[i], &configuration, s->subject->models.items[i]);
        err = err ? vmaf_use_feature(more->first.context, s->subject->models.items[i], NULL)
                  : vmaf_use_features_from_model(more->first.context, more->models[i]);
    }
    return err;
}

static void close_more(More *more)
{
    bench_context_close(&more->first);
    for (int i = 1; i < ARGUMENT_MAX; i++)
        vmaf_model_destroy(more->models[i]);
}

static BenchSubject subject_of(const BackendRows *rows)
{
    const BackendSettings *s = rows->settings;
    return (BenchSubject){.name = s->subject->models.items[0],
                          .threads = s->threads,
                          .backend = rows->drive->backend->name,
                          .device = s->device};
}

/* Submits at most `n` pairs after `first`, fewer where they take longer than the limit, and
 * finishes. The number is returned, or the error. */
static int feed(const BackendSettings *s, VmafContext *context, const BenchClips *clips,
                unsigned first)
{
    enum { LEAST_FRAMES = 4 };
    const double begin = drive_now();
    unsigned n = 0;
    int err = 0;
    while (n < s->frames && !err) {
        if (s->limit > 0.0 && n >= LEAST_FRAMES && drive_now() - begin > s->limit)
            break;
        err = bench_clips_feed(clips, context, first + n, first + n + 1);
        n++;
    }
    if (!err)
        err = vmaf_read_pictures(context, NULL, NULL, 0);
    return err ? err : (int)n;
}

/* Names of the features that the backend computes, or of those that it does not. */
static json_t *placed(VmafContext *context, bool on_backend)
{
    json_t *list = json_array();
    VmafFeaturePlacement placement = {.struct_size = sizeof placement};
    for (unsigned i = 0; !vmaf_feature_placement(context, i, &placement); i++) {
        if ((placement.placement == VMAF_PLACEMENT_BACKEND) == on_backend)
            json_array_append_new(list, json_string(placement.extractor));
    }
    return list;
}

/* Frames per second; 0 after a failure. `chosen` is the choice: a backend, "cpu", "auto". */
static double measure(const BackendRows *rows, const BenchClips *clips, const BenchSubject *subject,
                      const char *chosen, unsigned before)
{
    const BackendSettings *s = rows->settings;
    More more;
    char label[256], line[300];
    int n = open_more(&more, s, subject);
    if (!n)
        n = bench_clips_feed(clips, more.first.context, 0, before);
    BackendSpan span = backend_span_begin();
    if (!n)
        n = feed(s, more.first.context, clips, before);
    span = backend_span_end(span);
    if (n > 0) {
        backend_settings_label(&s->subject->models, label, sizeof label);
        snprintf(line, sizeof line, "%s%s%s", label, s->tables & TABLE_AUTO ? ", " : "",
                 s->tables & TABLE_AUTO ? chosen : "");
        json_t *members = json_pack(
            "{s:s,s:s,s:b,s:s,s:s,s:i,s:o,s:o}", "path", "library", "source", "host", "offered", 1,
            "subject", label, "chosen", chosen, "threads", (int)s->threads, "on_backend",
            placed(more.first.context, true), "on_cpu", placed(more.first.context, false));
        json_t *results = backend_span_print(line, span, (unsigned)n);
        json_object_update(members, results);
        json_decref(results);
        backend_row(rows, "speed", members);
    } else {
        fprintf(stderr, "vmaf-backend-bench: the models: %s\n", strerror(-n));
    }
    close_more(&more);
    return n > 0 ? n / span.wall : 0.0;
}

int backend_library_speed(const BackendRows *rows, const BenchClips *clips)
{
    const BenchSubject subject = subject_of(rows);
    const unsigned before = 2 * rows->settings->in_flight; /* not counted: the session opens */
    return measure(rows, clips, &subject, subject.backend, before) > 0.0 ? 0 : -1;
}

int backend_library_auto(const BackendRows *rows, const BenchClips *clips)
{
    BenchSubject subject = subject_of(rows);
    if (subject.device < 0)
        subject.device = 0;
    subject.joining = true;
    const double together = measure(rows, clips, &subject, "auto", 0);
    subject.backend = NULL;
    const double cpu = measure(rows, clips, &subject, "cpu", 0);
    if (!(together > 0.0) || !(cpu > 0.0))
        return -1;
    char label[256];
    backend_settings_label(&rows->settings->subject->models, label, sizeof label);
    printf("%-28s %9.2f times the CPU alone\n", "auto", together / cpu);
    backend_row(rows, "auto",
                json_pack("{s:s,s:i,s:f,s:f,s:f}", "subject", label, "threads",
                          (int)rows->settings->threads, "fps_auto", together, "fps_cpu", cpu,
                          "ratio", together / cpu));
    return 0;
}

/* Where two frames of a feature were scored, and why, which outlives the context. */
typedef struct Placed {
    enum VmafPlacement placement;
    char reason[256];
} Placed;

static int score_feature(const BackendRows *rows, const BenchClips *clips, const char *feature,
                         const char *backend, Placed *placed)
{
    VmafFeaturePlacement placement = {.struct_size = sizeof placement};
    BenchSubject subject = subject_of(rows);
    BenchContext context;
    subject.name = feature;
    if (backend)
        subject.backend = backend;
    int err = bench_context_open(&context, &subject);
    if (!err)
        err = bench_clips_feed(clips, context.context, 0, 2);
    if (!err)
        err = vmaf_read_pictures(context.context, NULL, NULL, 0);
    if (!err)
        err = vmaf_feature_placement(context.context, 0, &placement);
    placed->placement = placement.placement;
    snprintf(placed->reason, sizeof placed->reason, "%s", placement.reason ? placement.reason : "");
    bench_context_close(&context);
    return err;
}

/* Runs the library's self-test of a feature on the backend: 0, also if it was declined; 1 if its
 * records are wrong; -1. */
static int test_feature(const BackendRows *rows, const BenchClips *clips, const char *feature)
{
    Placed placed, on_cpu;
    int err = score_feature(rows, clips, feature, NULL, &placed);
    const char *outcome = "declined", *reason = err ? strerror(-err) : placed.reason;
    if (err == -EINVAL && score_feature(rows, clips, feature, "cpu", &on_cpu) == -EINVAL) {
        err = 0;
        reason = "the library does not take these pictures";
    }
    if (err)
        outcome = "failed";
    else if (placed.placement == VMAF_PLACEMENT_BACKEND)
        outcome = "passed";
    else if (placed.placement == VMAF_PLACEMENT_SELF_TEST)
        outcome = "refused";
    printf("self-test of %-15s %s%s%s\n", feature, outcome, *reason ? ": " : "", reason);
    backend_row(
        rows, "self_test",
        json_pack("{s:s,s:s,s:s}", "feature", feature, "outcome", outcome, "reason", reason));
    return err ? -1 : !strcmp(outcome, "refused");
}

/* Named on the command line, or nobody has named any. */
static bool is_wanted(const BackendRows *rows, const char *feature)
{
    const ArgumentList *named = &rows->settings->subjects[0].features;
    if (rows->settings->subjects[0].is_known || !named->n)
        return true;
    for (int i = 0; i < named->n; i++) {
        const size_t length = strcspn(named->items[i], "=");
        if (!strncmp(named->items[i], feature, length) && !feature[length])
            return true;
    }
    return false;
}

int backend_library_self_test(const BackendRows *rows, const BenchClips *clips)
{
    const VmafBackend *backend = rows->drive->backend;
    int result = 0;
    bool is_any = false;
    for (uint32_t i = 0; i < backend->n_features && result >= 0; i++) {
        VmafBackendFeature feature = {.struct_size = sizeof feature};
        if (backend->feature_get(i, &feature) || feature.flags & VMAF_BACKEND_FEATURE_OWN ||
            !is_wanted(rows, feature.name))
            continue;
        const int one = test_feature(rows, clips, feature.name);
        result = one < 0 ? -1 : result | one;
        is_any = true;
    }
    if (!is_any) {
        fputs("vmaf-backend-bench: the backend has none of these features\n", stderr);
        return -1;
    }
    return result;
}
