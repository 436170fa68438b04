/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Columns of reports that are listed before there are scores, rows that are waited for, and reports
 * as lines of JSON. */
#include "api/api_support.h"
#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { N_FRAMES = 8, MAX_NAMES = 256 };

static const Shape large = {VMAF_PIX_FMT_YUV420P, 8, 256, 192};

/* Names of columns, or of the scores of a row. */
typedef struct Names {
    unsigned count;
    char text[MAX_NAMES][128];
    double value[MAX_NAMES];
} Names;

static void add_score(void *cookie, const char *name, double value)
{
    Names *names = cookie;
    assert_true(names->count < MAX_NAMES);
    names->value[names->count] = value;
    strcpy(names->text[names->count++], name);
}

static Names list(VmafContext *vmaf, int (*next)(VmafContext *, unsigned, VmafScoreInfo *))
{
    Names names = {0};
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    int err = 0;
    for (unsigned i = 0; !(err = next(vmaf, i, &info)); i++)
        add_score(&names, info.name, 0);
    assert_int_equal(err, -ERANGE);
    return names;
}

static void expect_same(const char *what, const Names *a, const Names *b)
{
    for (unsigned i = 0; i < a->count && i < b->count; i++) {
        if (strcmp(a->text[i], b->text[i]))
            fail_msg("%s: column %u is %s, not %s", what, i, b->text[i], a->text[i]);
    }
    if (a->count != b->count)
        fail_msg("%s: %u columns instead of %u", what, b->count, a->count);
}

/* One extractor, with its options of type bool as the bits say; or all with the defaults. */
static VmafContext *open_with(const char *extractor, unsigned bits)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    for (unsigned e = 0; !vmaf_extractor_info(e, &info); e++) {
        if (extractor && strcmp(info.name, extractor))
            continue;
        VmafFeatureDictionary *dict = NULL;
        VmafOptionInfo option = {.struct_size = sizeof(option)};
        for (unsigned o = 0; !vmaf_extractor_option_info(info.name, o, &option); o++) {
            if (option.type == VMAF_OPTION_TYPE_BOOL && (bits >> o & 1))
                assert_success(vmaf_feature_dictionary_set(
                    &dict, option.name, option.default_value != 0 ? "false" : "true"));
        }
        use(vmaf, info.name, dict);
    }
    return vmaf;
}

static void expect_promise_kept(const char *extractor, unsigned bits)
{
    char what[160];
    snprintf(what, sizeof(what), "%s %#x", extractor ? extractor : "all", bits);
    VmafContext *vmaf = open_with(extractor, bits);
    const Names before = list(vmaf, vmaf_report_column);
    assert_int_equal(list(vmaf, vmaf_score_info).count, 0);
    read_frames(vmaf, large, 2);
    const Names during = list(vmaf, vmaf_report_column);
    read_frame(vmaf, large, 2, 2);
    assert_success(flush(vmaf));
    const Names after = list(vmaf, vmaf_report_column), scores = list(vmaf, vmaf_score_info);
    expect_same(what, &scores, &after);
    expect_same(what, &scores, &before);
    expect_same(what, &scores, &during);
    assert_success(vmaf_close(vmaf));
}

CASE(columns_are_known_before_the_first_frame)
{
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    VmafOptionInfo option = {.struct_size = sizeof(option)};
    for (unsigned e = 0; !vmaf_extractor_info(e, &info); e++) {
        const char *name = info.name;
        expect_promise_kept(name, 0);
        for (unsigned o = 0; !vmaf_extractor_option_info(name, o, &option); o++) {
            if (option.type == VMAF_OPTION_TYPE_BOOL)
                expect_promise_kept(name, 1u << o);
        }
    }
    /* Figures of errors that only with chroma are there. */
    expect_promise_kept("psnr", ~0u);
    expect_promise_kept("float_motion", ~0u);
    expect_promise_kept(NULL, 0);
}

/* Listing has no effect on reports. */
CASE(listing_changes_nothing)
{
    char *reports[2];
    for (int listed = 0; listed < 2; listed++) {
        VmafContext *vmaf = open_with("float_motion", ~0u);
        use(vmaf, "psnr", NULL);
        if (listed)
            list(vmaf, vmaf_report_column);
        use(vmaf, "motion", NULL);
        if (listed)
            list(vmaf, vmaf_report_column);
        assert_success(vmaf_import_feature_score(vmaf, "mine", 1.5, 0));
        read_clip(vmaf, large, 3);
        reports[listed] = report_text(vmaf, VMAF_OUTPUT_FORMAT_XML);
        assert_success(vmaf_close(vmaf));
    }
    assert_string_equal(reports[0], reports[1]);
    free(reports[0]);
    free(reports[1]);
}

CASE(chroma_that_is_not_there_has_no_column_in_the_end)
{
    const Shape mono = {VMAF_PIX_FMT_YUV400P, 8, 64, 64};
    VmafContext *vmaf = open_with_features(0, 0, "psnr", NULL);
    assert_int_equal(list(vmaf, vmaf_report_column).count, 3);
    if (!read_frame(vmaf, mono, 0, 0) && !flush(vmaf))
        assert_int_equal(list(vmaf, vmaf_report_column).count, list(vmaf, vmaf_score_info).count);
    assert_success(vmaf_close(vmaf));
}

CASE(a_row_is_known_when_no_later_frame_matters)
{
    for (unsigned threads = 0; threads < 4; threads += 3) {
        VmafContext *vmaf = open_with_features(threads, 0, "motion", NULL);
        use(vmaf, "psnr", options("enable_chroma", "false", NULL));
        assert_int_equal(vmaf_report_row(vmaf, 0, NULL, NULL), -EAGAIN);
        for (unsigned i = 0; i < N_FRAMES; i++) {
            assert_success(read_frame(vmaf, clip_f, i, i));
            Names row = {0};
            assert_int_equal(vmaf_report_row(vmaf, i, add_score, &row), -EAGAIN);
            assert_int_equal(row.count, 0);
            assert_int_equal(vmaf_report_row(vmaf, i + 1, NULL, NULL), -EAGAIN);
            if (!i)
                continue;
            assert_success(vmaf_report_row(vmaf, i - 1, add_score, &row));
            assert_int_equal(row.count, 4);
            assert_string_equal(row.text[0], "VMAF_integer_feature_motion_sad_score");
            assert_string_equal(row.text[1], "psnr_y");
            assert_string_equal(row.text[2], "integer_motion2");
            assert_string_equal(row.text[3], "integer_motion3");
            expect_score(row.value[2],
                         feature_score(vmaf, "VMAF_integer_feature_motion2_score", i - 1));
        }
        assert_success(flush(vmaf));
        assert_success(vmaf_report_row(vmaf, N_FRAMES - 1, NULL, NULL));
        assert_refused(vmaf_report_row(vmaf, N_FRAMES, NULL, NULL));
        assert_success(vmaf_close(vmaf));
    }
}

/* Frames of any index, with the neighbours that they were read with. */
CASE(positions_count_not_indices)
{
    VmafContext *vmaf = open_with_features(0, 0, "motion", NULL);
    assert_success(read_frame(vmaf, clip_f, 0, 70));
    assert_int_equal(vmaf_report_row(vmaf, 70, NULL, NULL), -EAGAIN);
    assert_success(read_frame(vmaf, clip_f, 1, 3));
    assert_success(vmaf_report_row(vmaf, 70, NULL, NULL));
    assert_int_equal(vmaf_report_row(vmaf, 3, NULL, NULL), -EAGAIN);
    assert_success(flush(vmaf));
    assert_success(vmaf_report_row(vmaf, 3, NULL, NULL));
    assert_success(vmaf_close(vmaf));
}

CASE(subsampling_leaves_rows_out)
{
    VmafContext *vmaf = open_with_features(2, 3, "psnr", "ciede", NULL);
    read_frames(vmaf, clip_f, N_FRAMES);
    for (unsigned i = 0; i < N_FRAMES; i++) {
        Names row = {0};
        assert_int_equal(vmaf_report_row(vmaf, i, add_score, &row), i % 3 ? -EINVAL : 0);
        assert_int_equal(row.count, i % 3 ? 0 : 4);
    }
    flush_and_close(vmaf);
}

static void expect_line(VmafContext *vmaf, double time, const char *score_format, const char *head)
{
    static const char *const keys[] = {"psnr_y", "psnr_cb", "psnr_cr"};
    char expected[512], *line;
    strcpy(expected, head);
    for (int i = 0; i < 3; i++) {
        char number[64];
        snprintf(number, sizeof(number), score_format ? score_format : "%.6f",
                 feature_score(vmaf, keys[i], 0));
        sprintf(expected + strlen(expected), ",\"%s\":%s", keys[i], number);
    }
    strcat(expected, "}}\n");
    assert_success(vmaf_report_row_text(vmaf, 0, time, &line, score_format));
    assert_string_equal(line, expected);
    free(line);
}

CASE(a_line_is_a_row)
{
    VmafContext *vmaf = open_context(0, 0);
    char *line;
    use(vmaf, "psnr", options("enable_apsnr", "true", NULL));
    assert_success(vmaf_import_feature_score(vmaf, "a\"b", INFINITY, 0));
    assert_success(read_frame(vmaf, clip_f, 0, 0));
    expect_line(vmaf, 1.0 / 3, NULL,
                "{\"frameNum\":0,\"time\":0.333333,\"metrics\":{\"a\\\"b\":null");
    expect_line(vmaf, NAN, "%.3g", "{\"frameNum\":0,\"metrics\":{\"a\\\"b\":null");
    assert_refused(vmaf_report_row_text(vmaf, 0, NAN, &line, "%d"));
    assert_null(line);
    assert_int_equal(vmaf_report_row_text(vmaf, 1, NAN, &line, NULL), -EAGAIN);
    assert_null(line);
    assert_success(flush(vmaf));
    assert_success(vmaf_report_end_text(vmaf, &line, "%.3g"));
    assert_non_null(strstr(line, "{\"pooled_metrics\":{\"a\\\"b\":{\"min\":"));
    char expected[256], number[32];
    snprintf(number, sizeof(number), "%.3g", feature_score(vmaf, "psnr_y", 0));
    snprintf(expected, sizeof(expected),
             ",\"psnr_y\":{\"min\":%s,\"max\":%s,\"mean\":%s,\"harmonic_mean\":%s},\"psnr_cb\":{",
             number, number, number, number);
    assert_non_null(strstr(line, expected));
    snprintf(expected, sizeof(expected), "},\"aggregate_metrics\":{\"apsnr_y\":%s,", number);
    assert_non_null(strstr(line, expected));
    assert_string_equal(line + strlen(line) - 3, "}}\n");
    free(line);
    assert_success(vmaf_close(vmaf));
}

CASE(a_frame_without_scores_has_no_line)
{
    VmafContext *vmaf = open_context(0, 0);
    char *line;
    use(vmaf, "null", NULL);
    read_frames(vmaf, clip_f, 1);
    assert_success(vmaf_report_row_text(vmaf, 0, 0, &line, NULL));
    assert_non_null(line);
    assert_string_equal(line, "");
    free(line);
    assert_success(vmaf_close(vmaf));
}

/* The whole report is its lines. */
CASE(lines_make_the_report)
{
    VmafContext *vmaf = open_context(2, 2);
    VmafModel *model = load_model("vmaf_v0.6.1");
    char whole[16384] = "", *line;
    assert_success(vmaf_use_features_from_model(vmaf, model));
    assert_success(vmaf_report_statistics(vmaf, "p5,stddev"));
    read_clip(vmaf, clip_f, N_FRAMES);
    for (unsigned i = 0; i < N_FRAMES; i += 2) {
        model_score(vmaf, model, i);
        assert_success(vmaf_report_row_text(vmaf, i, NAN, &line, NULL));
        assert_non_null(strstr(line, ",\"vmaf\":"));
        strcat(whole, line);
        free(line);
    }
    assert_success(vmaf_report_end_text(vmaf, &line, NULL));
    assert_non_null(strstr(line, ",\"p5\":"));
    strcat(whole, line);
    free(line);
    assert_success(
        vmaf_output_text(vmaf, &line, (enum VmafOutputFormat)VMAF_OUTPUT_FORMAT_NDJSON, NULL));
    assert_string_equal(line, whole);
    free(line);
    close_with_model(vmaf, model);
}

/* Rows while another thread reads, and two that ask for the same model scores. */
typedef struct Follower {
    VmafContext *vmaf;
    VmafModel *model;
    atomic_uint *read; /* pairs; with the flush one more */
    char *text;
    pthread_t thread;
} Follower;

static void *follow(void *argument)
{
    Follower *follower = argument;
    follower->text = calloc(1, 1 << 16);
    for (unsigned i = 0; i < N_FRAMES; i++) {
        double score;
        char *line = NULL;
        int err;
        do {
            const unsigned read = atomic_load(follower->read);
            err = vmaf_report_row(follower->vmaf, i, NULL, NULL);
            while (err == -EAGAIN && atomic_load(follower->read) == read)
                ;
        } while (err == -EAGAIN);
        if (!err)
            err = vmaf_score_at_index(follower->vmaf, follower->model, &score, i);
        if (!err)
            err = vmaf_report_row_text(follower->vmaf, i, NAN, &line, "%.17g");
        if (err) {
            sprintf(follower->text, "error %d at frame %u", err, i);
            return NULL;
        }
        strcat(follower->text, line);
        free(line);
    }
    return NULL;
}

CASE(rows_can_be_followed_from_threads)
{
    for (unsigned threads = 0; threads < 4; threads += 3) {
        atomic_uint read = 0;
        VmafModel *model = load_model("vmaf_v0.6.1");
        VmafContext *vmaf = open_with_model(threads, 0, model);
        Follower followers[2];
        for (int k = 0; k < 2; k++) {
            followers[k] = (Follower){.vmaf = vmaf, .model = model, .read = &read};
            assert_success(pthread_create(&followers[k].thread, NULL, follow, &followers[k]));
        }
        for (unsigned i = 0; i < N_FRAMES; i++) {
            assert_success(read_frame(vmaf, clip_f, i, i));
            atomic_fetch_add(&read, 1);
        }
        assert_success(flush(vmaf));
        atomic_fetch_add(&read, 1);
        for (int k = 0; k < 2; k++)
            assert_success(pthread_join(followers[k].thread, NULL));
        char *whole;
        assert_success(vmaf_output_text(vmaf, &whole,
                                        (enum VmafOutputFormat)VMAF_OUTPUT_FORMAT_NDJSON, "%.17g"));
        for (int k = 0; k < 2; k++) {
            const size_t length = strlen(followers[k].text);
            if (strncmp(whole, followers[k].text, length) ||
                strncmp(whole + length, "{\"pooled_metrics\"", 17))
                fail_msg("%u threads:\n%s\n%s", threads, followers[k].text, whole);
            free(followers[k].text);
        }
        free(whole);
        close_with_model(vmaf, model);
    }
}

/* Four threads begin with each frame at the same time. */
typedef struct Asker {
    VmafContext *vmaf;
    VmafModel *model;
    atomic_uint *arrived;
    unsigned n_frames;
    int err;
    pthread_t thread;
} Asker;

enum { N_ASKERS = 4 };

static void *ask_together(void *argument)
{
    Asker *asker = argument;
    for (unsigned i = 0; i < asker->n_frames; i++) {
        double score;
        atomic_fetch_add(asker->arrived, 1);
        while (atomic_load(asker->arrived) < N_ASKERS * (i + 1))
            sched_yield();
        const int err = vmaf_score_at_index(asker->vmaf, asker->model, &score, i);
        if (err)
            asker->err = err;
    }
    return NULL;
}

CASE(a_model_can_be_asked_from_several_threads)
{
    atomic_uint arrived = 0;
    enum { N = 400 };
    VmafModel *model = load_model("vmaf_v0.6.1");
    VmafContext *vmaf = open_with_model(0, 0, model);
    read_clip(vmaf, tiny, N);
    Asker askers[N_ASKERS];
    for (int k = 0; k < N_ASKERS; k++) {
        askers[k] = (Asker){.vmaf = vmaf, .model = model, .arrived = &arrived, .n_frames = N};
        assert_success(pthread_create(&askers[k].thread, NULL, ask_together, &askers[k]));
    }
    for (int k = 0; k < N_ASKERS; k++) {
        assert_success(pthread_join(askers[k].thread, NULL));
        assert_success(askers[k].err);
    }
    close_with_model(vmaf, model);
}

CASE(after_a_failure_the_error)
{
    VmafContext *vmaf = open_context(0, 0);
    char *line;
    use(vmaf, "psnr", NULL);
    assert_success(read_frame(vmaf, clip_f, 0, 0));
    /* A score that is there already makes the feature fail at this frame. */
    assert_success(vmaf_import_feature_score(vmaf, "psnr_cb", 1, 1));
    assert_true(read_frame(vmaf, clip_f, 1, 1) != 0);
    assert_success(vmaf_report_row(vmaf, 0, NULL, NULL));
    assert_refused(vmaf_report_row(vmaf, 1, NULL, NULL));
    assert_refused(vmaf_report_row(vmaf, 2, NULL, NULL));
    assert_refused(vmaf_report_end_text(vmaf, &line, NULL));
    assert_null(line);
    assert_success(vmaf_close(vmaf));
}

CASE(arguments_are_checked)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    char *line;
    assert_refused(vmaf_report_column(NULL, 0, &info));
    assert_refused(vmaf_report_column(vmaf, 0, NULL));
    assert_refused(vmaf_report_row(NULL, 0, NULL, NULL));
    assert_refused(vmaf_report_row_text(NULL, 0, 0, &line, NULL));
    assert_refused(vmaf_report_row_text(vmaf, 0, 0, NULL, NULL));
    assert_refused(vmaf_report_end_text(NULL, &line, NULL));
    assert_refused(vmaf_report_end_text(vmaf, NULL, NULL));
    assert_success(vmaf_close(vmaf));
}
