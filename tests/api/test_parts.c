/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A run that is cut into parts and merged from its stored frames has the reports of the run at
 * once, byte for byte. */
#include <stdlib.h>
#include <string.h>

#include "api/stored_run.h"
#include "support/cases.h"

static const Shape all_features = {VMAF_PIX_FMT_YUV420P, 8, 332, 182};
static const Shape deep = {VMAF_PIX_FMT_YUV444P, 10, 332, 182};
/* All models take it: after resizing some need 80 samples of chroma. */
static const Shape all_models = {VMAF_PIX_FMT_YUV444P, 8, 332, 182};
static const Shape small = {VMAF_PIX_FMT_YUV420P, 8, 64, 48};

#ifdef VMAF_SANITIZED /* which makes it ten times slower */
enum { CUT_STEP = 5 };
#else
enum { CUT_STEP = 1 };
#endif

/* Cut before each of these frames; 0 ends the list. */
static void expect_merged(const Run *run, const unsigned cuts[], const char *expected)
{
    StoredRun stored = {0};
    unsigned from = 0;
    Run part = *run;
    for (; *cuts; cuts++) {
        run_part(&part, from, *cuts, &stored);
        part.n_threads = (part.n_threads + 1) % 3; /* parts are computed anyhow */
        from = *cuts;
    }
    run_part(&part, from, run->n_frames, &stored);
    char *merged = run_merge(run, &stored);
    assert_string_equal(merged, expected);
    free(merged);
    stored_run_clear(&stored);
}

static void expect_merged_as_at_once(const Run *run, const StoredRun *stored)
{
    char *expected = run_at_once(run), *merged = run_merge(run, stored);
    assert_string_equal(merged, expected);
    free(expected);
    free(merged);
}

static void expect_any_cut_to_merge(const Run *run)
{
    char *expected = run_at_once(run);
    for (unsigned cut = 1; cut < run->n_frames; cut += CUT_STEP) {
        const unsigned cuts[] = {cut, 0};
        expect_merged(run, cuts, expected);
    }
    free(expected);
}

static void use_every_extractor(VmafContext *vmaf)
{
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    for (unsigned e = 0; !vmaf_extractor_info(e, &info); e++)
        use(vmaf, info.name, NULL);
}

CASE(given_every_extractor_then_any_cut_merges)
{
    const Run run = {all_features, 12, 1, 0, use_every_extractor, NULL};
    expect_any_cut_to_merge(&run);
}

CASE(given_more_bits_and_full_chroma_then_cuts_merge)
{
    const Run run = {deep, 5, 1, 0, use_every_extractor, NULL};
    char *expected = run_at_once(&run);
    const unsigned cuts[] = {1, 3, 0};
    expect_merged(&run, cuts, expected);
    free(expected);
}

/* Features that look at neighbours or at the whole run, with the options that say how. */
static void use_temporal_features(VmafContext *vmaf)
{
    use(vmaf, "motion", NULL);
    use(vmaf, "motion", options("motion_five_frame_window", "true", NULL));
    use(vmaf, "motion", options("motion_moving_average", "true", NULL));
    use(vmaf, "motion", options("motion_max_val", "3", "debug", "true", NULL));
    use(vmaf, "motion",
        options("motion_five_frame_window", "true", "motion_moving_average", "true",
                "motion_blend_factor", "0.5", NULL));
    use(vmaf, "motion", options("motion_force_zero", "true", NULL));
    use(vmaf, "float_motion", NULL);
    use(vmaf, "float_motion", options("motion_max_val", "3", "debug", "true", NULL));
    use(vmaf, "float_motion", options("motion_add_uv", "true", "motion_add_scale1", "true", NULL));
    use(vmaf, "psnr", options("enable_apsnr", "true", "enable_mse", "true", NULL));
    use(vmaf, "speed_temporal", NULL);
}

CASE(given_temporal_features_then_any_cut_merges)
{
    const Run run = {all_features, 12, 0, 0, use_temporal_features, NULL};
    expect_any_cut_to_merge(&run);
}

CASE(given_parts_of_a_frame_each_then_they_merge)
{
    const Run run = {all_features, 12, 1, 0, use_temporal_features, NULL};
    const unsigned single[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0};
    const unsigned empty[] = {4, 4, 12, 12, 0};
    char *expected = run_at_once(&run);
    expect_merged(&run, single, expected);
    expect_merged(&run, empty, expected);
    free(expected);
}

CASE(given_subsampling_then_any_cut_merges)
{
    for (unsigned n_subsample = 1; n_subsample <= 3; n_subsample++) {
        const Run run = {all_features, 12, 1, n_subsample, use_temporal_features, NULL};
        char *expected = run_at_once(&run);
        for (unsigned cut = 1; cut < run.n_frames; cut += 2 * CUT_STEP) {
            const unsigned cuts[] = {cut, 0};
            expect_merged(&run, cuts, expected);
        }
        free(expected);
    }
}

static void use_sampled_features(VmafContext *vmaf)
{
    use(vmaf, "vif", NULL);
    use(vmaf, "adm", NULL);
}

/* Nothing is kept of the frames that are left out, but they count. */
CASE(given_features_of_sampled_frames_alone_then_the_others_have_no_records)
{
    const Run run = {small, 12, 0, 3, use_sampled_features, NULL};
    StoredRun stored = {0};
    run_part(&run, 0, 5, &stored);
    run_part(&run, 5, 12, &stored);
    assert_int_equal(stored.n_kept, 4);
    for (unsigned i = 0; i < run.n_frames; i++)
        assert_int_equal(stored.data[i] != NULL, i % 3 == 0);
    expect_merged_as_at_once(&run, &stored);
    stored_run_clear(&stored);
}

CASE(given_a_stream_of_few_frames_then_it_merges)
{
    for (unsigned n = 1; n <= 3; n++) {
        const Run run = {all_features, n, 0, 0, use_temporal_features, NULL};
        StoredRun stored = {0};
        for (unsigned i = 0; i < n; i++)
            run_part(&run, i, i + 1, &stored);
        expect_merged_as_at_once(&run, &stored);
        stored_run_clear(&stored);
    }
}

/* ---- models ---- */

enum { MODELS_MAX = 32 };
static VmafModel *models[MODELS_MAX];
static VmafModelCollection *collections[MODELS_MAX];
static unsigned n_models;

static int load_models(void **state)
{
    VmafBuiltinModelInfo info = {.struct_size = sizeof(info)};
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++) {
        VmafModelConfig cfg = {.name = (char *)info.name};
        assert_true(n_models < MODELS_MAX);
        if (info.is_collection)
            assert_success(vmaf_model_collection_load(&models[n_models], &collections[n_models],
                                                      &cfg, info.name));
        else
            assert_success(vmaf_model_load(&models[n_models], &cfg, info.name));
        n_models++;
    }
    return n_models ? 0 : -1;
}

static int free_models(void **state)
{
    for (unsigned i = 0; i < n_models; i++) {
        vmaf_model_destroy(models[i]);
        vmaf_model_collection_destroy(collections[i]);
    }
    return 0;
}

static void use_model(VmafContext *vmaf, unsigned number)
{
    assert_success(vmaf_use_features_from_model(vmaf, models[number]));
    if (collections[number])
        assert_success(vmaf_use_features_from_model_collection(vmaf, collections[number]));
}

static void score_model(VmafContext *vmaf, unsigned number, unsigned n_frames)
{
    double score;
    VmafModelCollectionScore bootstrap;
    assert_success(
        vmaf_score_pooled(vmaf, models[number], VMAF_POOL_METHOD_MEAN, &score, 0, n_frames - 1));
    if (collections[number])
        assert_success(vmaf_score_pooled_model_collection(
            vmaf, collections[number], VMAF_POOL_METHOD_MEAN, &bootstrap, 0, n_frames - 1));
}

static void use_every_model(VmafContext *vmaf)
{
    for (unsigned i = 0; i < n_models; i++)
        use_model(vmaf, i);
}

static void score_every_model(VmafContext *vmaf, unsigned n_frames)
{
    for (unsigned i = 0; i < n_models; i++)
        score_model(vmaf, i, n_frames);
}

CASE(given_every_built_in_model_then_any_cut_merges)
{
    const Run run = {all_models, 12, 1, 0, use_every_model, score_every_model};
    expect_any_cut_to_merge(&run);
}

/* ---- rescoring ---- */

static unsigned model_number;

static void use_one_model(VmafContext *vmaf)
{
    use_model(vmaf, model_number);
}

static void score_one_model(VmafContext *vmaf, unsigned n_frames)
{
    score_model(vmaf, model_number, n_frames);
}

CASE(given_records_of_every_model_then_each_alone_is_rescored)
{
    const Run all = {all_models, 6, 1, 0, use_every_model, NULL};
    StoredRun stored = {0};
    run_part(&all, 0, 2, &stored);
    run_part(&all, 2, 6, &stored);
    for (model_number = 0; model_number < n_models; model_number++) {
        const Run one = {all_models, 6, 0, 0, use_one_model, score_one_model};
        expect_merged_as_at_once(&one, &stored);
    }
    stored_run_clear(&stored);
}

static void use_plain_motion(VmafContext *vmaf)
{
    use(vmaf, "psnr", NULL);
    use(vmaf, "motion", NULL);
}

static void use_motion_finished_otherwise(VmafContext *vmaf)
{
    use(vmaf, "motion", options("motion_max_val", "2", "motion_moving_average", "true", NULL));
}

static void use_motion_of_other_records(VmafContext *vmaf)
{
    use(vmaf, "motion", options("motion_five_frame_window", "true", NULL));
    use(vmaf, "psnr", NULL);
    use(vmaf, "float_motion", options("motion_add_uv", "true", "motion_max_val", "2.5", NULL));
    use(vmaf, "vif", NULL);
}

CASE(given_options_of_finishing_then_they_may_change)
{
    const Run kept = {small, 12, 0, 0, use_plain_motion, NULL};
    const Run other = {small, 12, 0, 0, use_motion_finished_otherwise, NULL};
    StoredRun stored = {0};
    run_part(&kept, 0, 12, &stored);
    expect_merged_as_at_once(&other, &stored);
    stored_run_clear(&stored);
}

CASE(given_options_of_the_record_then_missing_features_are_named)
{
    const Run kept = {small, 2, 0, 0, use_plain_motion, NULL};
    const Run other = {small, 2, 0, 0, use_motion_of_other_records, NULL};
    StoredRun stored = {0};
    run_part(&kept, 0, 2, &stored);
    VmafContext *vmaf = run_open(&other);
    char *missing;
    assert_success(run_state_format(vmaf, &other));
    assert_int_equal(vmaf_read_records_from(vmaf, stored.layout, &missing), -2 /* ENOENT */);
    assert_string_equal(missing, "motion:motion_five_frame_window=true, "
                                 "float_motion:motion_add_uv=true, vif");
    free(missing);
    assert_int_equal(vmaf_read_records_from(vmaf, stored.layout, NULL), -2 /* ENOENT */);
    /* And nothing can be read in that layout. */
    assert_refused(run_feed(vmaf, &stored, 0, 1));
    assert_success(vmaf_close(vmaf));
    stored_run_clear(&stored);
}

/* ---- beside scores ---- */

static void expect_same_frames(const StoredRun *a, const StoredRun *b, unsigned n)
{
    assert_string_equal(a->layout, b->layout);
    assert_int_equal(a->n_bytes, b->n_bytes);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(a->data[i] != NULL, b->data[i] != NULL);
        if (a->data[i])
            assert_memory_equal(a->data[i], b->data[i], a->n_bytes);
    }
}

static char *run_and_keep(const Run *run, StoredRun *stored)
{
    VmafContext *vmaf = run_open_keeping(run, stored, 0);
    run_read(vmaf, run, 0, run->n_frames);
    assert_success(flush(vmaf));
    assert_success(vmaf_records_layout(vmaf, &stored->layout));
    char *text = run_reports(vmaf, run);
    assert_success(vmaf_close(vmaf));
    return text;
}

CASE(given_records_beside_scores_then_both_are_as_alone)
{
    for (unsigned n_threads = 0; n_threads < 4; n_threads++) {
        const Run run = {all_features, 12, n_threads, 2, use_every_extractor, NULL};
        StoredRun beside = {0}, parts = {0};
        char *kept = run_and_keep(&run, &beside), *expected = run_at_once(&run);
        assert_string_equal(kept, expected);
        assert_true(beside.in_order);
        run_part(&run, 0, 3, &parts);
        run_part(&run, 3, 12, &parts);
        expect_same_frames(&beside, &parts, run.n_frames);
        stored_run_clear(&beside);
        stored_run_clear(&parts);
        free(kept);
        free(expected);
    }
}

/* The rest of a run that was interrupted, in the context that has read the stored frames. */
CASE(given_stored_frames_then_pictures_go_on_from_there)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads++) {
        const Run run = {all_features, 12, n_threads, 3, use_temporal_features, NULL};
        StoredRun whole = {0};
        char *expected = run_and_keep(&run, &whole);
        for (unsigned cut = 1; cut < run.n_frames; cut += 3) {
            StoredRun rest = {0};
            VmafContext *vmaf = run_open_keeping(&run, &rest, 0);
            assert_success(run_state_format(vmaf, &run));
            assert_success(vmaf_read_records_from(vmaf, whole.layout, NULL));
            assert_success(run_feed(vmaf, &whole, 0, cut));
            run_read_part(vmaf, &run, cut, run.n_frames);
            char *resumed = run_end(vmaf, &run);
            assert_string_equal(resumed, expected);
            assert_int_equal(rest.n_kept, run.n_frames - cut);
            for (unsigned i = cut; i < run.n_frames; i++)
                assert_memory_equal(rest.data[i], whole.data[i], whole.n_bytes);
            free(resumed);
            stored_run_clear(&rest);
        }
        stored_run_clear(&whole);
        free(expected);
    }
}

/* Parts that were made by more than the merge needs: each has its own layout. */
CASE(given_parts_of_several_layouts_then_each_is_read_in_its_own)
{
    const Run more = {all_features, 12, 0, 0, use_temporal_features, NULL};
    const Run wanted = {all_features, 12, 0, 0, use_plain_motion, NULL};
    StoredRun first = {0}, second = {0};
    run_part(&more, 0, 5, &first);
    run_part(&wanted, 5, 12, &second);
    assert_string_not_equal(first.layout, second.layout);
    VmafContext *vmaf = run_open(&wanted);
    assert_success(run_state_format(vmaf, &wanted));
    assert_success(vmaf_read_records_from(vmaf, first.layout, NULL));
    assert_success(run_feed(vmaf, &first, 0, 5));
    assert_success(vmaf_read_records_from(vmaf, second.layout, NULL));
    assert_success(run_feed(vmaf, &second, 5, 12));
    char *merged = run_end(vmaf, &wanted), *expected = run_at_once(&wanted);
    assert_string_equal(merged, expected);
    free(merged);
    free(expected);
    stored_run_clear(&first);
    stored_run_clear(&second);
}

CASES_SHARE(load_models, free_models);
