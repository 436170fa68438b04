/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Memory may run out anywhere. Each scenario is run repeatedly; in run n the n-th allocation fails,
 * be it of the library, the C library or the JSON library. Every run must either report the failure
 * or give the scores of an undisturbed run, and must free what it allocated.
 */
#include "api/api_support.h"
#include "api/every_failure.h"
#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An invented model: two support vectors over the features of the classic models. */
#define SMALL_MODEL                                                                                \
    "{\"model_dict\": {\"model_type\": \"%s\", \"norm_type\": \"linear_rescale\","                 \
    "\"score_clip\": [0.0, 100.0], \"slopes\": [0.012, 2.8, 0.06], \"intercepts\": [-0.3, "        \
    "-1.8, -0.003], \"feature_names\": [\"VMAF_integer_feature_adm2_score\","                      \
    "\"VMAF_integer_feature_motion2_score\"], \"feature_opts_dicts\": [{\"adm_enhn_gain_limit\": " \
    "1.0}, {\"motion_max_val\": 50}], \"score_transform\": {\"enabled\": true, \"p0\": 1.5,"       \
    "\"p1\": 1.1, \"knots\": [[0, 0], [50, 55], [100, 100]], \"out_gte_in\": \"true\"},"           \
    "\"model\": \"svm_type nu_svr\\nkernel_type rbf\\ngamma 0.04\\nnr_class 2\\ntotal_sv "         \
    "2\\nrho -1.3\\nSV\\n-4 1:0.65 2:0.34 \\n4 1:0.87 2:0.49 \\n\"}}"

static char *model_path, *collection_path, *report_path;

static int read_one(VmafContext *vmaf, Shape shape, bool pooled, unsigned frame)
{
    VmafPicture pair[2] = {{.ref = NULL}, {.ref = NULL}};
    int err = 0;
    for (unsigned k = 0; k < 2 && !err; k++) {
        err = pooled ? vmaf_fetch_preallocated_picture(vmaf, &pair[k])
                     : vmaf_picture_alloc(&pair[k], shape.pix_fmt, shape.bpc, shape.w, shape.h);
        if (!err)
            fill_picture(&pair[k], k, frame);
    }
    if (!err)
        err = vmaf_read_pictures(vmaf, &pair[0], &pair[1], frame);
    for (unsigned k = 0; k < 2; k++)
        vmaf_picture_unref(&pair[k]);
    return err;
}

static int set_option(VmafFeatureDictionary **dict, const char *name, const char *value)
{
    int err = vmaf_feature_dictionary_set(dict, name, value);
    if (err)
        vmaf_feature_dictionary_free(dict);
    return err;
}

static int use_feature(VmafContext *vmaf, const char *feature, const char *option,
                       const char *value)
{
    VmafFeatureDictionary *dict = NULL;
    int err = option ? set_option(&dict, option, value) : 0;
    if (!err)
        err = vmaf_use_feature(vmaf, feature, dict);
    if (err)
        vmaf_feature_dictionary_free(&dict);
    return err;
}

static void run_stream(Outcome *outcome, unsigned n_threads, bool pooled)
{
    enum { N_FRAMES = 4 };
    VmafContext *vmaf = NULL;
    VmafModel *model = NULL;
    double score;
    VmafModelConfig model_cfg = {.name = "small"};
    VmafConfiguration cfg = {.n_threads = n_threads};
    STEP(vmaf_init(&vmaf, cfg));
    STEP(vmaf_model_load_from_path(&model, &model_cfg, model_path));
    STEP(vmaf_use_features_from_model(vmaf, model));
    STEP(use_feature(vmaf, "vif", "vif_enhn_gain_limit", "1"));
    STEP(use_feature(vmaf, "psnr", "enable_apsnr", "true"));
    STEP(use_feature(vmaf, "psnr", "enable_mse", "true"));
    STEP(vmaf_import_feature_score(vmaf, "mine", 1.5, 0));
    if (pooled)
        STEP(vmaf_preallocate_pictures(
            vmaf, (VmafPictureConfiguration){{tiny.w, tiny.h, tiny.bpc, tiny.pix_fmt}, 7}));
    for (unsigned i = 0; i < N_FRAMES; i++)
        STEP(read_one(vmaf, tiny, pooled, i));
    STEP(vmaf_read_pictures(vmaf, NULL, NULL, 0));
    STEP(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, N_FRAMES - 1));
    outcome_keep(outcome, score);
    STEP(vmaf_feature_score_pooled(vmaf, "integer_vif_scale0_egl_1", VMAF_POOL_METHOD_MEAN, &score,
                                   0, N_FRAMES - 1));
    outcome_keep(outcome, score);
    STEP(vmaf_feature_score_at_index(vmaf, "psnr_cr", &score, 2));
    outcome_keep(outcome, score);
    STEP(vmaf_write_output(vmaf, report_path, VMAF_OUTPUT_FORMAT_JSON));
done:
    if (vmaf)
        vmaf_close(vmaf);
    vmaf_model_destroy(model);
}

static void serial_stream(Outcome *outcome)
{
    run_stream(outcome, 0, false);
}

static void serial_stream_with_pool(Outcome *outcome)
{
    run_stream(outcome, 0, true);
}

static void stream_with_workers(Outcome *outcome)
{
    run_stream(outcome, 2, false);
}

static void stream_with_workers_and_pool(Outcome *outcome)
{
    run_stream(outcome, 2, true);
}

static int read_group(VmafGroup *group, unsigned n, unsigned frame)
{
    VmafPicture ref = {.ref = NULL}, dist[2] = {{.ref = NULL}, {.ref = NULL}};
    int status[2] = {0, 0};
    int err = vmaf_picture_alloc(&ref, tiny.pix_fmt, tiny.bpc, tiny.w, tiny.h);
    for (unsigned m = 0; m < n && !err; m++)
        err = vmaf_picture_alloc(&dist[m], tiny.pix_fmt, tiny.bpc, tiny.w, tiny.h);
    if (!err) {
        fill_picture(&ref, false, frame);
        for (unsigned m = 0; m < n; m++)
            fill_picture(&dist[m], true, frame + m);
        err = vmaf_group_read_pictures(group, &ref, dist, status, frame);
    }
    vmaf_picture_unref(&ref);
    for (unsigned m = 0; m < n; m++) {
        vmaf_picture_unref(&dist[m]);
        if (!err)
            err = status[m];
    }
    return err;
}

enum { KEPT_FRAMES = 3 };

/* Stored frames of a part. */
typedef struct Kept {
    unsigned n;
    size_t n_bytes;
    char *data[KEPT_FRAMES];
} Kept;

static int keep(void *cookie, const VmafStoredFrame *frame)
{
    Kept *kept = cookie;
    char *data = malloc(frame->n_bytes);
    if (!data || kept->n == KEPT_FRAMES) {
        free(data);
        return -ENOMEM;
    }
    memcpy(data, frame->data, frame->n_bytes);
    kept->data[kept->n++] = data;
    kept->n_bytes = frame->n_bytes;
    return 0;
}

static int read_neighbour(VmafContext *vmaf)
{
    VmafPicture ref = {.ref = NULL}, dist = {.ref = NULL};
    int err = vmaf_picture_alloc(&ref, tiny.pix_fmt, tiny.bpc, tiny.w, tiny.h);
    if (!err)
        err = vmaf_picture_alloc(&dist, tiny.pix_fmt, tiny.bpc, tiny.w, tiny.h);
    if (!err) {
        fill_picture(&ref, false, 9);
        fill_picture(&dist, true, 9);
        err = vmaf_read_context(vmaf, &ref, &dist);
    }
    vmaf_picture_unref(&ref);
    vmaf_picture_unref(&dist);
    return err;
}

static int use_features_of_a_part(VmafContext *vmaf)
{
    int err = use_feature(vmaf, "psnr", "enable_apsnr", "true");
    if (!err)
        err = use_feature(vmaf, "motion", "motion_five_frame_window", "true");
    if (!err)
        err = use_feature(vmaf, "float_motion", NULL, NULL);
    return err;
}

static int state_format(VmafContext *vmaf)
{
    return vmaf_records_format(vmaf, tiny.pix_fmt, tiny.bpc, tiny.w, tiny.h);
}

/* A part of a run, and the merge of its stored frames. */
static void run_in_parts(Outcome *outcome)
{
    VmafContext *vmaf = NULL, *merged = NULL;
    Kept kept = {0};
    char *layout = NULL, *missing = NULL, *text = NULL;
    double score;
    STEP(vmaf_init(&vmaf, (VmafConfiguration){0}));
    STEP(use_features_of_a_part(vmaf));
    STEP(vmaf_keep_records(vmaf, keep, &kept, 1));
    STEP(state_format(vmaf));
    STEP(vmaf_records_layout(vmaf, &layout));
    STEP(read_neighbour(vmaf));
    for (unsigned i = 0; i < KEPT_FRAMES; i++)
        STEP(read_one(vmaf, tiny, false, i));
    STEP(vmaf_read_pictures(vmaf, NULL, NULL, 0));

    STEP(vmaf_init(&merged, (VmafConfiguration){0}));
    STEP(use_features_of_a_part(merged));
    STEP(state_format(merged));
    STEP(vmaf_read_records_from(merged, layout, &missing));
    for (unsigned i = 0; i < KEPT_FRAMES; i++) {
        const VmafStoredFrame frame = {sizeof(frame), i, kept.data[i], kept.n_bytes};
        STEP(vmaf_read_record(merged, &frame));
    }
    STEP(vmaf_read_pictures(merged, NULL, NULL, 0));
    STEP(vmaf_feature_score_pooled(merged, "psnr_y", VMAF_POOL_METHOD_MEAN, &score, 0, 2));
    outcome_keep(outcome, score);
    STEP(vmaf_output_text(merged, &text, VMAF_OUTPUT_FORMAT_JSON, NULL));
done:
    for (unsigned i = 0; i < KEPT_FRAMES; i++)
        free(kept.data[i]);
    free(layout);
    free(missing);
    free(text);
    if (vmaf)
        vmaf_close(vmaf);
    if (merged)
        vmaf_close(merged);
}

/* The layout of nothing: 0 if that is told. */
static int read_records_from_nothing(VmafContext *vmaf, char **missing)
{
    const int err = vmaf_read_records_from(vmaf, "{\"bytes\":0,\"records\":[]}", missing);
    return err == -ENOENT ? 0 : err;
}

/* Records are missing, which is told in words. */
static void run_with_missing_records(Outcome *outcome)
{
    VmafContext *vmaf = NULL;
    char *missing = NULL;
    STEP(vmaf_init(&vmaf, (VmafConfiguration){0}));
    STEP(use_features_of_a_part(vmaf));
    STEP(state_format(vmaf));
    STEP(read_records_from_nothing(vmaf, &missing));
    outcome_keep(outcome, (double)strlen(missing));
done:
    free(missing);
    if (vmaf)
        vmaf_close(vmaf);
}

static void run_group(Outcome *outcome, unsigned n_threads)
{
    enum { N_FRAMES = 3, N = 2 };
    VmafGroup *group = NULL;
    VmafContext *members[N] = {NULL, NULL};
    VmafModel *model = NULL;
    char *text = NULL;
    double score;
    VmafModelConfig model_cfg = {.name = "small"};
    const VmafGroupConfiguration cfg = {sizeof(cfg), n_threads};
    STEP(vmaf_group_create(&group, &cfg));
    STEP(vmaf_model_load_from_path(&model, &model_cfg, model_path));
    for (unsigned m = 0; m < N; m++) {
        STEP(vmaf_init(&members[m], (VmafConfiguration){0}));
        STEP(vmaf_group_add(group, members[m]));
        STEP(vmaf_use_features_from_model(members[m], model));
        STEP(use_feature(members[m], "vif", "vif_enhn_gain_limit", "1"));
    }
    for (unsigned i = 0; i < N_FRAMES; i++)
        STEP(read_group(group, N, i));
    for (unsigned m = 0; m < N; m++) {
        STEP(vmaf_read_pictures(members[m], NULL, NULL, 0));
        STEP(vmaf_score_pooled(members[m], model, VMAF_POOL_METHOD_MEAN, &score, 0, N_FRAMES - 1));
        outcome_keep(outcome, score);
        STEP(vmaf_feature_score_pooled(members[m], "integer_vif_scale0_egl_1",
                                       VMAF_POOL_METHOD_MEAN, &score, 0, N_FRAMES - 1));
        outcome_keep(outcome, score);
    }
    STEP(vmaf_output_text(members[1], &text, VMAF_OUTPUT_FORMAT_JSON, NULL));
done:
    free(text);
    if (group)
        vmaf_group_close(group);
    for (unsigned m = 0; m < N; m++) {
        if (members[m])
            vmaf_close(members[m]);
    }
    vmaf_model_destroy(model);
}

static void serial_group(Outcome *outcome)
{
    run_group(outcome, 0);
}

static void group_with_workers(Outcome *outcome)
{
    run_group(outcome, 2);
}

static const char *extractor; /* of the next scenario */

static void stream_of_one_extractor(Outcome *outcome)
{
    static const Shape shape = {VMAF_PIX_FMT_YUV420P, 8, 332, 182};
    VmafContext *vmaf = NULL;
    STEP(vmaf_init(&vmaf, (VmafConfiguration){0}));
    STEP(vmaf_use_feature(vmaf, extractor, NULL));
    for (unsigned i = 0; i < 2; i++)
        STEP(read_one(vmaf, shape, false, i));
    STEP(vmaf_read_pictures(vmaf, NULL, NULL, 0));
    STEP(vmaf_write_output(vmaf, report_path, VMAF_OUTPUT_FORMAT_CSV));
done:
    if (vmaf)
        vmaf_close(vmaf);
}

static int import_classic_features(VmafContext *vmaf)
{
    static const char *const keys[] = {"VMAF_integer_feature_adm2_score",
                                       "VMAF_integer_feature_motion2_score",
                                       "VMAF_integer_feature_vif_scale0_score",
                                       "VMAF_integer_feature_vif_scale1_score",
                                       "VMAF_integer_feature_vif_scale2_score",
                                       "VMAF_integer_feature_vif_scale3_score",
                                       "integer_adm2_egl_1",
                                       "integer_motion2_mmxv_50"};
    static const double values[] = {0.95, 5, 0.5, 0.8, 0.85, 0.9, 0.95, 5};
    int err = 0;
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]) && !err; k++)
        err = vmaf_import_feature_score(vmaf, keys[k], values[k], 0);
    return err;
}

static void keep_figures(Outcome *outcome, const VmafModelCollectionScore *figures)
{
    outcome_keep(outcome, figures->bootstrap.bagging_score);
    outcome_keep(outcome, figures->bootstrap.stddev);
    outcome_keep(outcome, figures->bootstrap.ci.p95.lo);
}

static int overload(VmafModel *model, VmafModelCollection **collection, const char *option,
                    const char *value)
{
    VmafFeatureDictionary *dict = NULL;
    int err = set_option(&dict, option, value);
    if (err)
        return err;
    return collection ? vmaf_model_collection_feature_overload(model, collection, "adm", dict)
                      : vmaf_model_feature_overload(model, "adm", dict);
}

static void built_in_models(Outcome *outcome)
{
    VmafContext *vmaf = NULL;
    VmafModel *model = NULL, *base = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelCollectionScore figures;
    double score;
    VmafModelConfig cfg = {0}, bootstrap_cfg = {.name = "b"};
    STEP(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"));
    STEP(vmaf_model_collection_load(&base, &collection, &bootstrap_cfg, "vmaf_b_v0.6.3"));
    STEP(vmaf_init(&vmaf, (VmafConfiguration){0}));
    STEP(import_classic_features(vmaf));
    STEP(vmaf_score_at_index(vmaf, model, &score, 0));
    outcome_keep(outcome, score);
    STEP(vmaf_score_at_index(vmaf, base, &score, 0));
    outcome_keep(outcome, score);
    STEP(vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_MEAN, &figures, 0,
                                            0));
    keep_figures(outcome, &figures);
    STEP(vmaf_use_features_from_model(vmaf, model));
    STEP(vmaf_use_features_from_model_collection(vmaf, collection));
done:
    if (vmaf)
        vmaf_close(vmaf);
    vmaf_model_destroy(model);
    vmaf_model_destroy(base);
    vmaf_model_collection_destroy(collection);
}

static void models_from_files(Outcome *outcome)
{
    VmafContext *vmaf = NULL;
    VmafModel *model = NULL, *base = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelCollectionScore figures;
    double score;
    VmafModelConfig cfg = {0}, bootstrap_cfg = {.name = "b"};
    STEP(vmaf_model_load_from_path(&model, &cfg, model_path));
    STEP(vmaf_model_collection_load_from_path(&base, &collection, &bootstrap_cfg, collection_path));
    STEP(overload(model, NULL, "adm_enhn_gain_limit", "100"));
    STEP(overload(base, &collection, "adm_enhn_gain_limit", "100"));
    STEP(vmaf_init(&vmaf, (VmafConfiguration){0}));
    STEP(import_classic_features(vmaf));
    STEP(vmaf_score_at_index(vmaf, model, &score, 0));
    outcome_keep(outcome, score);
    STEP(vmaf_score_at_index_model_collection(vmaf, collection, &figures, 0));
    keep_figures(outcome, &figures);
    STEP(vmaf_write_output(vmaf, report_path, VMAF_OUTPUT_FORMAT_XML));
done:
    if (vmaf)
        vmaf_close(vmaf);
    vmaf_model_destroy(model);
    vmaf_model_destroy(base);
    vmaf_model_collection_destroy(collection);
}

/* The C library's files and the JSON parser do not always report why they failed. */
static bool is_honest(const Outcome *outcome)
{
    return outcome->err == -ENOMEM ||
           (outcome->err == -EINVAL && strstr(outcome->call, "load_from_path")) ||
           (outcome->err == -EBADMSG && strstr(outcome->call, "read_records_from"));
}

static unsigned step = 1; /* of the allocations, every so many fails */

static void run_with_every_failure(void (*scenario)(Outcome *))
{
    every_failure_run(scenario, is_honest, step);
}

CASE(built_in_models_report_failures)
{
    run_with_every_failure(built_in_models);
}

CASE(models_from_files_report_failures)
{
    run_with_every_failure(models_from_files);
}

CASE(serial_streams_report_failures)
{
    run_with_every_failure(serial_stream);
    run_with_every_failure(serial_stream_with_pool);
    run_with_every_failure(serial_group);
}

CASE(streams_with_workers_report_failures)
{
    run_with_every_failure(stream_with_workers);
    run_with_every_failure(stream_with_workers_and_pool);
    run_with_every_failure(group_with_workers);
}

CASE(parts_report_failures)
{
    run_with_every_failure(run_in_parts);
    run_with_every_failure(run_with_missing_records);
}

CASE(every_extractor_reports_failures)
{
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    for (unsigned e = 0; vmaf_extractor_info(e, &info) == 0; e++) {
        extractor = info.name;
        print_message("%s: ", extractor);
        run_with_every_failure(stream_of_one_extractor);
    }
}

static int write_model_files(void **state)
{
    model_path = temporary_path();
    collection_path = temporary_path();
    report_path = temporary_path();
    FILE *file = fopen(model_path, "w");
    if (!file || fprintf(file, SMALL_MODEL, "LIBSVMNUSVR") < 0 || fclose(file))
        return -1;
    file = fopen(collection_path, "w");
    if (!file)
        return -1;
    for (unsigned i = 0; i < 3; i++) {
        fprintf(file, "%s\"%u\": ", i ? ", " : "{", i);
        fprintf(file, SMALL_MODEL, "BOOTSTRAP_LIBSVMNUSVR");
    }
    fputs("}\n", file);
    return fclose(file);
}

static int remove_files(void **state)
{
    char *const paths[] = {model_path, collection_path, report_path};
    for (size_t i = 0; i < 3; i++) {
        unlink(paths[i]);
        free(paths[i]);
    }
    return 0;
}

CASES_SHARE(write_model_files, remove_files);

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    step = (unsigned)strtoul(argv[1], NULL, 10);
    return run_cases(argc - 1, argv + 1);
}
