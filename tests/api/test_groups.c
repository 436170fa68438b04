/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A group scores each of its members as if it were alone. */
#include "api/api_support.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/context.h"
#include "support/cases.h"
#include "support/files.h"

static Shape shape = {VMAF_PIX_FMT_YUV420P, 8, 332, 182};

static unsigned bars;    /* rows at the top and at the bottom that repeat what is next to them */
static uint64_t cpumask; /* of all contexts */

enum { N_FRAMES = 5, MEMBERS_MAX = 20 };

/* Sanitizers make all of it ten to thirty times slower. They are spared kernels that differ in
 * their instructions alone, and half of the orders of closing; that of threads is spared what has
 * none. */
#ifdef __SANITIZE_THREAD__
enum { FIRST_COUNT = 2, ORDER_STEP = 2, KERNEL_KINDS = 1 };
#elif defined(VMAF_SANITIZED)
enum { FIRST_COUNT = 0, ORDER_STEP = 2, KERNEL_KINDS = 1 };
#else
enum { FIRST_COUNT = 0, ORDER_STEP = 1, KERNEL_KINDS = 3 };
#endif

/* Changes every so many samples, in a way that does not repeat from row to row. */
static void disturb(const VmafPicture *pic, unsigned first, unsigned step, unsigned salt)
{
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned y = 0; pic->data[p] && y < pic->h[p]; y++) {
            uint8_t *row = (uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
            for (unsigned x = first; x < pic->w[p]; x += step)
                row[pic->bpc > 8 ? 2 * x : x] ^= (uint8_t)(salt + y + (y * y >> 5));
        }
    }
}

static void draw_bars(const VmafPicture *pic)
{
    const size_t size = pic->w[0] * (pic->bpc > 8 ? sizeof(uint16_t) : sizeof(uint8_t));
    uint8_t *data = pic->data[0];
    for (unsigned y = 0; y < bars; y++) {
        const unsigned last = pic->h[0] - 1;
        memcpy(data + y * pic->stride[0], data + bars * pic->stride[0], size);
        memcpy(data + (last - y) * pic->stride[0], data + (last - bars) * pic->stride[0], size);
    }
}

static VmafPicture make_reference(Shape format, unsigned frame)
{
    VmafPicture pic = make_picture(format, false, frame);
    disturb(&pic, 0, 3, 0);
    draw_bars(&pic);
    return pic;
}

/* A distorted picture of its own for each encode, of which the odd ones have noise in bars. */
static VmafPicture make_encode(Shape format, unsigned encode, unsigned frame)
{
    VmafPicture pic = make_picture(format, true, frame);
    disturb(&pic, 0, 3, 0);
    disturb(&pic, encode, 5 + encode, encode);
    if (encode % 2 == 0)
        draw_bars(&pic);
    return pic;
}

static VmafContext *open_member(unsigned n_threads, unsigned n_subsample)
{
    VmafContext *vmaf;
    VmafConfiguration cfg = {
        .n_threads = n_threads, .n_subsample = n_subsample, .cpumask = cpumask};
    assert_success(vmaf_init(&vmaf, cfg));
    return vmaf;
}

typedef void (*Features)(VmafContext *vmaf);

static void all_extractors(VmafContext *vmaf)
{
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
        use(vmaf, info.name, NULL);
    use(vmaf, "motion", options("motion_five_frame_window", "true", NULL));
    use(vmaf, "vif", options("vif_enhn_gain_limit", "1", "debug", "true", NULL));
    use(vmaf, "adm", options("adm_enhn_gain_limit", "1", "debug", "true", NULL));
}

static void features_of(VmafContext *vmaf, const char *version)
{
    VmafModel *model = load_model(version);
    assert_success(vmaf_use_features_from_model(vmaf, model));
    vmaf_model_destroy(model);
}

static void default_model(VmafContext *vmaf)
{
    features_of(vmaf, "vmaf_v0.6.1");
}

/* The same features as the default model, with other options. */
static void neg_model(VmafContext *vmaf)
{
    features_of(vmaf, "vmaf_v0.6.1neg");
}

static void two_models(VmafContext *vmaf)
{
    features_of(vmaf, "vmaf_v0.6.1");
    features_of(vmaf, "vmaf_v0.6.1neg");
}

static void psnr_before_a_model(VmafContext *vmaf)
{
    use(vmaf, "psnr", NULL);
    features_of(vmaf, "vmaf_float_v0.6.1");
    features_of(vmaf, "vmaf_4k_v0.6.1");
}

typedef struct Member {
    Features features;
    unsigned encode, subsample, n_frames;
} Member;

typedef struct Results {
    unsigned n;
    char *keys[256];
    double scores[256][N_FRAMES];
    char *report;
} Results;

/* What the context knows: scores with all digits, and its report. */
static Results results_of(VmafContext *vmaf)
{
    Results results = {0};
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    for (; !vmaf_score_info(vmaf, results.n, &info); results.n++) {
        assert_true(results.n < 256);
        results.keys[results.n] = strdup(info.key);
        for (unsigned i = 0; i < N_FRAMES; i++) {
            double *score = &results.scores[results.n][i];
            if (vmaf_feature_score_at_index(vmaf, info.key, score, i))
                *score = -12345;
        }
    }
    results.report = report_text(vmaf, VMAF_OUTPUT_FORMAT_XML);
    return results;
}

static void free_results(Results *results)
{
    for (unsigned k = 0; k < results->n; k++)
        free(results->keys[k]);
    free(results->report);
}

static void expect_equal_results(const Results *actual, const Results *expected)
{
    assert_true(expected->n > 0);
    assert_int_equal(actual->n, expected->n);
    for (unsigned k = 0; k < expected->n; k++) {
        assert_string_equal(actual->keys[k], expected->keys[k]);
        for (unsigned i = 0; i < N_FRAMES; i++)
            expect_equal(actual->keys[k], actual->scores[k][i], expected->scores[k][i], __FILE__,
                         __LINE__);
    }
    assert_string_equal(actual->report, expected->report);
}

static Results alone(const Member *member)
{
    VmafContext *vmaf = open_member(0, member->subsample);
    member->features(vmaf);
    for (unsigned i = 0; i < member->n_frames; i++) {
        VmafPicture ref = make_reference(shape, i);
        VmafPicture dist = make_encode(shape, member->encode, i);
        assert_success(vmaf_read_pictures(vmaf, &ref, &dist, i));
    }
    assert_success(flush(vmaf));
    Results results = results_of(vmaf);
    assert_success(vmaf_close(vmaf));
    return results;
}

static VmafGroup *open_group(unsigned n_threads)
{
    VmafGroup *group;
    const VmafGroupConfiguration cfg = {sizeof(cfg), n_threads};
    assert_success(vmaf_group_create(&group, &cfg));
    return group;
}

typedef struct Team {
    VmafGroup *group;
    const Member *members;
    unsigned n;
    VmafContext *contexts[MEMBERS_MAX];
} Team;

static Team open_team(const Member members[], unsigned n, unsigned n_threads)
{
    Team team = {.group = open_group(n_threads), .members = members, .n = n};
    for (unsigned m = 0; m < n; m++) {
        team.contexts[m] = open_member(m % 3, members[m].subsample);
        members[m].features(team.contexts[m]);
        assert_success(vmaf_group_add(team.group, team.contexts[m]));
    }
    return team;
}

/* Of all members that have frames left. */
static void read_group(const Team *team, unsigned frame)
{
    VmafPicture dist[MEMBERS_MAX] = {0}, ref = make_reference(shape, frame);
    int status[MEMBERS_MAX];
    memset(status, 0x55, sizeof(status));
    for (unsigned m = 0; m < team->n; m++)
        if (frame < team->members[m].n_frames)
            dist[m] = make_encode(shape, team->members[m].encode, frame);
    assert_success(vmaf_group_read_pictures(team->group, &ref, dist, status, frame));
    assert_null(ref.ref);
    for (unsigned m = 0; m < team->n; m++) {
        assert_int_equal(status[m], 0);
        assert_null(dist[m].ref);
    }
}

static void expect_members_as_alone(const Team *team, const Results expected[])
{
    for (unsigned m = 0; m < team->n; m++) {
        assert_success(flush(team->contexts[m]));
        Results results = results_of(team->contexts[m]);
        expect_equal_results(&results, &expected[m]);
        free_results(&results);
    }
}

static void close_members(const Team *team)
{
    for (unsigned m = 0; m < team->n; m++)
        assert_success(vmaf_close(team->contexts[m]));
}

/* The group may be closed first, in the middle, or last. */
static void expect_group_as_alone(const Member members[], unsigned n, unsigned n_threads,
                                  const Results expected[])
{
    for (unsigned order = n_threads / 2 % ORDER_STEP; order < 3; order += ORDER_STEP) {
        Team team = open_team(members, n, n_threads);
        for (unsigned i = 0; i < N_FRAMES; i++)
            read_group(&team, i);
        if (order == 0)
            assert_success(vmaf_group_close(team.group));
        expect_members_as_alone(&team, expected);
        if (order == 1)
            assert_success(vmaf_group_close(team.group));
        close_members(&team);
        if (order == 2)
            assert_success(vmaf_group_close(team.group));
    }
}

static void expect_as_alone(const Member members[], unsigned n)
{
    static const unsigned thread_counts[] = {0, 1, 2, 4};
    Results expected[MEMBERS_MAX];
    for (unsigned m = 0; m < n; m++)
        expected[m] = alone(&members[m]);
    for (size_t t = FIRST_COUNT; t < sizeof(thread_counts) / sizeof(thread_counts[0]); t++)
        expect_group_as_alone(members, n, thread_counts[t], expected);
    for (unsigned m = 0; m < n; m++)
        free_results(&expected[m]);
}

CASE(members_are_scored_as_alone)
{
    const Member members[] = {
        {default_model, 0, 0, N_FRAMES},
        {default_model, 1, 0, N_FRAMES},
        {default_model, 2, 0, N_FRAMES},
    };
    expect_as_alone(members, 3);
}

CASE(all_features_are_scored_as_alone)
{
    const Member members[] = {
        {all_extractors, 0, 0, 3},
        {all_extractors, 1, 0, 3},
        {all_extractors, 3, 0, 2},
    };
    Results expected[3];
    for (unsigned m = 0; m < 3; m++)
        expected[m] = alone(&members[m]);
    for (unsigned n_threads = FIRST_COUNT; n_threads <= 2; n_threads += 2)
        expect_group_as_alone(members, 3, n_threads, expected);
    for (unsigned m = 0; m < 3; m++)
        free_results(&expected[m]);
}

CASE(different_members_are_scored_as_alone)
{
    const Member members[] = {
        {default_model, 0, 0, N_FRAMES},       {two_models, 1, 0, N_FRAMES},
        {psnr_before_a_model, 2, 0, 4},        {default_model, 3, 2, N_FRAMES},
        {two_models, 4, 3, N_FRAMES},          {default_model, 5, 0, 1},
        {psnr_before_a_model, 2, 2, N_FRAMES}, {neg_model, 0, 0, N_FRAMES},
    };
    expect_as_alone(members, 8);
}

/* Depths, and sizes around what kernels and bands of rows take at a time. */
CASE(pictures_of_any_kind_are_scored_as_alone)
{
    static const Shape shapes[] = {
        {VMAF_PIX_FMT_YUV420P, 10, 166, 131}, {VMAF_PIX_FMT_YUV422P, 12, 65, 257},
        {VMAF_PIX_FMT_YUV444P, 16, 48, 384},  {VMAF_PIX_FMT_YUV420P, 8, 33, 130},
        {VMAF_PIX_FMT_YUV420P, 8, 32, 129},   {VMAF_PIX_FMT_YUV420P, 8, 95, 32},
        {VMAF_PIX_FMT_YUV420P, 8, 40, 660},
    };
    const Member members[] = {
        {two_models, 0, 0, 3},
        {two_models, 1, 0, 3},
        {two_models, 2, 2, 3},
    };
    const Shape usual = shape;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        shape = shapes[i];
        expect_as_alone(members, 3);
    }
    shape = usual;
}

/* Rows that repeat in the reference repeat in some of the distorted pictures only, and in what is
 * kept of the reference with each of them: the first member that offers a frame has its turn.
 * The last frame has one member, with which nothing is kept. */
CASE(bars_are_scored_as_alone)
{
    static const uint64_t masks[3] = {0, 48, 63}; /* the fastest kernels, AVX2, and plain C */
    const Member orders[][3] = {
        {{two_models, 0, 0, 3}, {two_models, 1, 0, 2}, {two_models, 2, 0, 2}},
        {{two_models, 1, 0, 2}, {two_models, 2, 0, 2}, {two_models, 3, 0, 3}},
    };
    const Shape usual = shape;
    bars = 90;
    for (size_t i = 0; i < 2 * KERNEL_KINDS; i++) {
        cpumask = masks[i / 2];
        shape = (Shape){VMAF_PIX_FMT_YUV420P, i % 2 ? 10 : 8, 150, 390};
        for (size_t order = 0; order < 2; order++)
            expect_as_alone(orders[order], 3);
    }
    shape = usual;
    cpumask = 0;
    bars = 0;
}

/* More than are done at a time. */
CASE(many_members_are_scored_as_alone)
{
    Member members[MEMBERS_MAX];
    for (unsigned m = 0; m < MEMBERS_MAX; m++)
        members[m] = (Member){default_model, m, 0, 3};
    Results expected[MEMBERS_MAX];
    for (unsigned m = 0; m < MEMBERS_MAX; m++)
        expected[m] = alone(&members[m]);
    expect_group_as_alone(members, MEMBERS_MAX, 2, expected);
    for (unsigned m = 0; m < MEMBERS_MAX; m++)
        free_results(&expected[m]);
}

/* Units of all members but the first are done with those of the first. */
CASE(the_same_work_is_done_together)
{
    const Member members[] = {
        {default_model, 0, 0, N_FRAMES},
        {default_model, 1, 0, N_FRAMES},
        {default_model, 2, 0, N_FRAMES},
        {two_models, 3, 0, N_FRAMES}, /* motion alone is the same */
        {default_model, 4, 2, N_FRAMES},
    };
    enum { UNITS = 3, SAMPLED = 2 };
    const uint64_t together = 2 * UNITS * N_FRAMES + N_FRAMES /* motion of two models */ +
                              N_FRAMES + SAMPLED * ((N_FRAMES + 1) / 2);
    for (unsigned n_threads = 0; n_threads <= 4; n_threads += 2) {
        Team team = open_team(members, 5, n_threads);
        for (unsigned i = 0; i < N_FRAMES; i++)
            read_group(&team, i);
        for (unsigned m = 0; m < team.n; m++)
            assert_success(flush(team.contexts[m]));
        assert_int_equal(cpu_pool_shared_count(team.contexts[0]->group_workers), together);
        close_members(&team);
        assert_success(vmaf_group_close(team.group));
    }
}

/* What a member cannot read stays the caller's, and the others go on; so does it, if it can. */
static void read_with_a_misfit(const Team *team, unsigned misfit, unsigned frame, int expected)
{
    static const Shape smaller = {VMAF_PIX_FMT_YUV420P, 8, 320, 182};
    VmafPicture dist[MEMBERS_MAX] = {0}, ref = make_reference(shape, frame);
    int status[MEMBERS_MAX];
    for (unsigned m = 0; m < team->n; m++)
        dist[m] = make_encode(m == misfit ? smaller : shape, team->members[m].encode, frame);
    assert_success(vmaf_group_read_pictures(team->group, &ref, dist, status, frame));
    for (unsigned m = 0; m < team->n; m++) {
        assert_int_equal(status[m], m == misfit ? expected : 0);
        assert_int_equal(dist[m].ref != NULL, m == misfit);
    }
    assert_success(vmaf_picture_unref(&dist[misfit]));
}

/* Each would be released, and there is but one. */
CASE(members_cannot_have_copies_of_one_structure)
{
    const Member members[] = {{default_model, 0, 0, N_FRAMES}, {default_model, 1, 0, N_FRAMES}};
    for (unsigned n_threads = 0; n_threads <= 2; n_threads += 2) {
        Team team = open_team(members, 2, n_threads);
        VmafPicture dist[2] = {make_encode(shape, 0, 0)}, ref = make_reference(shape, 0);
        int status[2];
        dist[1] = dist[0];
        assert_success(vmaf_group_read_pictures(team.group, &ref, dist, status, 0));
        assert_int_equal(status[0], 0);
        assert_int_equal(status[1], -EINVAL);
        close_members(&team);
        assert_success(vmaf_group_close(team.group));
    }
}

static void maps_that_cannot_be_written(VmafContext *vmaf)
{
    VmafFeatureDictionary *options = NULL;
    assert_success(vmaf_feature_dictionary_set(&options, "heatmaps_path", "/dev/null/maps"));
    assert_success(vmaf_use_feature(vmaf, "cambi", options));
}

/* Without threads a frame is done when it was read, and so is known whether it failed. */
CASE(without_threads_a_failure_is_the_members_at_once)
{
    static const Shape large = {VMAF_PIX_FMT_YUV420P, 8, 320, 240};
    const Member members[] = {{default_model, 0, 0, 2}, {maps_that_cannot_be_written, 1, 0, 2}};
    Team team = open_team(members, 2, 0);
    for (unsigned i = 0; i < 2; i++) {
        VmafPicture dist[2] = {make_encode(large, 0, i), make_encode(large, 1, i)};
        VmafPicture ref = make_reference(large, i);
        int status[2];
        assert_success(vmaf_group_read_pictures(team.group, &ref, dist, status, i));
        assert_int_equal(status[0], 0);
        assert_int_equal(status[1], -EINVAL);
        assert_null(dist[0].ref);
        assert_success(vmaf_picture_unref(&dist[1]));
    }
    assert_success(flush(team.contexts[0]));
    assert_int_equal(flush(team.contexts[1]), -EINVAL);
    close_members(&team);
    assert_success(vmaf_group_close(team.group));
}

CASE(a_member_that_fails_stops_no_other)
{
    const Member members[] = {
        {default_model, 0, 0, N_FRAMES},
        {default_model, 1, 0, N_FRAMES},
        {two_models, 2, 0, N_FRAMES},
    };
    Results expected[3];
    for (unsigned m = 0; m < 3; m++)
        expected[m] = alone(&members[m]);
    for (unsigned n_threads = 0; n_threads <= 2; n_threads++) {
        for (unsigned misfit = 0; misfit < 3; misfit++) {
            Team team = open_team(members, 3, n_threads);
            for (unsigned i = 0; i < N_FRAMES; i++) {
                if (i == misfit)
                    read_with_a_misfit(&team, misfit, i, -EINVAL);
                else
                    read_group(&team, i);
            }
            for (unsigned m = 0; m < 3; m++) {
                assert_success(flush(team.contexts[m]));
                Results results = results_of(team.contexts[m]);
                if (m != misfit)
                    expect_equal_results(&results, &expected[m]);
                else
                    assert_false(has_feature_score(team.contexts[m], results.keys[0], misfit));
                free_results(&results);
            }
            close_members(&team);
            assert_success(vmaf_group_close(team.group));
        }
    }
    for (unsigned m = 0; m < 3; m++)
        free_results(&expected[m]);
}

static unsigned n_released;

static void count_release(void *cookie)
{
    __atomic_fetch_add(&n_released, 1, __ATOMIC_SEQ_CST);
}

/* A member that is closed early gives up its pictures, and the others go on. */
CASE(a_member_may_be_closed_before_the_end)
{
    const Member members[] = {
        {default_model, 0, 0, N_FRAMES},
        {default_model, 1, 0, N_FRAMES},
    };
    Results expected = alone(&members[1]);
    for (unsigned n_threads = 0; n_threads <= 2; n_threads++) {
        Team team = open_team(members, 2, n_threads);
        uint8_t *samples = calloc(1, (size_t)shape.w * shape.h * 3);
        n_released = 0;
        for (unsigned i = 0; i < N_FRAMES; i++) {
            VmafPicture dist[2], ref = make_reference(shape, i);
            void *const data[3] = {samples, samples, samples};
            const ptrdiff_t stride[3] = {shape.w, shape.w, shape.w};
            int status[2];
            assert_success(vmaf_picture_wrap(&dist[0], shape.pix_fmt, 8, shape.w, shape.h, data,
                                             stride, count_release, NULL));
            dist[1] = make_encode(shape, 1, i);
            assert_success(vmaf_group_read_pictures(team.group, &ref, dist, status, i));
            assert_int_equal(status[0], i > 2 ? -EINVAL : 0);
            assert_int_equal(status[1], 0);
            if (i > 2)
                assert_success(vmaf_picture_unref(&dist[0]));
            if (i == 2) {
                assert_success(vmaf_close(team.contexts[0]));
                assert_int_equal(n_released, 3);
            }
        }
        free(samples);
        assert_success(flush(team.contexts[1]));
        Results results = results_of(team.contexts[1]);
        expect_equal_results(&results, &expected);
        free_results(&results);
        assert_success(vmaf_group_close(team.group));
        assert_success(vmaf_close(team.contexts[1]));
    }
    free_results(&expected);
}

/* Frames in work are finished when the group is closed. */
CASE(scores_remain_after_the_group)
{
    const Member members[] = {{default_model, 0, 0, N_FRAMES}, {default_model, 1, 0, N_FRAMES}};
    Team team = open_team(members, 2, 2);
    for (unsigned i = 0; i < N_FRAMES; i++)
        read_group(&team, i);
    assert_success(vmaf_group_close(team.group));
    for (unsigned m = 0; m < 2; m++) {
        VmafPicture ref = make_reference(shape, 9), dist = make_picture(shape, true, 9);
        (void)feature_score(team.contexts[m], "VMAF_integer_feature_vif_scale0_score",
                            N_FRAMES - 1);
        assert_int_equal(vmaf_read_pictures(team.contexts[m], &ref, &dist, 9), -EBUSY);
        assert_success(vmaf_picture_unref(&ref));
        assert_success(vmaf_picture_unref(&dist));
    }
    close_members(&team);
}

/* Also those that the features of a member that is closed would have needed later. */
CASE(closed_members_give_up_the_reference)
{
    const Member members[] = {{default_model, 0, 0, 3}, {default_model, 1, 0, 3}};
    for (unsigned n_threads = 0; n_threads <= 2; n_threads += 2) {
        Team team = open_team(members, 2, n_threads);
        uint8_t *samples = calloc(1, (size_t)shape.w * shape.h);
        n_released = 0;
        for (unsigned i = 0; i < 3; i++) {
            void *const data[3] = {samples, samples, samples};
            const ptrdiff_t stride[3] = {shape.w, shape.w, shape.w};
            VmafPicture ref, dist[2] = {make_encode(shape, 0, i), make_encode(shape, 1, i)};
            int status[2];
            assert_success(vmaf_picture_wrap(&ref, shape.pix_fmt, 8, shape.w, shape.h, data, stride,
                                             count_release, NULL));
            assert_success(vmaf_group_read_pictures(team.group, &ref, dist, status, i));
        }
        close_members(&team);
        assert_int_equal(n_released, 3);
        free(samples);
        assert_success(vmaf_group_close(team.group));
    }
}

CASE(scores_can_be_asked_for_meanwhile)
{
    const Member members[] = {{default_model, 0, 0, N_FRAMES}, {default_model, 1, 0, N_FRAMES}};
    for (unsigned n_threads = 0; n_threads <= 3; n_threads++) {
        Team team = open_team(members, 2, n_threads);
        VmafModel *model = load_model("vmaf_v0.6.1");
        for (unsigned i = 0; i < N_FRAMES; i++) {
            read_group(&team, i);
            for (unsigned m = 0; m < 2 && i; m++)
                assert_true(model_score(team.contexts[m], model, i - 1) >= 0);
        }
        vmaf_model_destroy(model);
        close_members(&team);
        assert_success(vmaf_group_close(team.group));
    }
}

CASE(reports_are_to_be_had_as_texts)
{
    VmafContext *vmaf = open_context(0, 0);
    char *path = temporary_path(), *text = path;
    use(vmaf, "psnr", NULL);
    read_frames(vmaf, clip_f, 800); /* more than a buffer of reports */
    assert_success(flush(vmaf));
    for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++) {
        static const char *const formats[] = {NULL, "%.17g"};
        for (int i = 0; i < 2; i++) {
            assert_success(vmaf_write_output_with_format(vmaf, path, (enum VmafOutputFormat)format,
                                                         formats[i]));
            assert_success(
                vmaf_output_text(vmaf, &text, (enum VmafOutputFormat)format, formats[i]));
            char *file = file_content(path);
            assert_string_equal(text, file);
            free(file);
            free(text);
        }
    }
    remove(path);
    free(path);
    assert_refused(vmaf_output_text(NULL, &text, VMAF_OUTPUT_FORMAT_XML, NULL));
    assert_refused(vmaf_output_text(vmaf, NULL, VMAF_OUTPUT_FORMAT_XML, NULL));
    assert_refused(vmaf_output_text(vmaf, &text, VMAF_OUTPUT_FORMAT_XML, "%d"));
    assert_refused(vmaf_output_text(vmaf, &text, VMAF_OUTPUT_FORMAT_NONE, NULL));
    assert_null(text);
    assert_success(vmaf_close(vmaf));
}

CASE(wrong_calls_are_refused)
{
    VmafGroup *group, *other = open_group(0);
    VmafGroupConfiguration cfg = {sizeof(cfg), 0};
    VmafPicture dist[1] = {0}, ref = make_reference(shape, 0), none = {0};
    int status[1] = {7};
    assert_refused(vmaf_group_create(NULL, &cfg));
    assert_refused(vmaf_group_create(&group, NULL));
    cfg.struct_size = sizeof(size_t);
    assert_refused(vmaf_group_create(&group, &cfg));
    group = open_group(0);
    VmafContext *vmaf = open_context(0, 0), *late = open_context(0, 0);
    assert_refused(vmaf_group_add(NULL, vmaf));
    assert_refused(vmaf_group_add(group, NULL));
    assert_success(vmaf_group_add(group, vmaf));
    assert_int_equal(vmaf_group_add(group, vmaf), -EBUSY);
    assert_int_equal(vmaf_group_add(other, vmaf), -EBUSY);
    use(vmaf, "psnr", NULL); /* features may follow */
    VmafPicture earlier[2] = {make_reference(shape, 0), make_reference(shape, 0)};
    assert_int_equal(vmaf_read_context(vmaf, &earlier[0], &earlier[1]), -EBUSY);
    for (int i = 0; i < 2; i++)
        assert_success(vmaf_picture_unref(&earlier[i]));
    assert_refused(vmaf_group_read_pictures(NULL, &ref, dist, status, 0));
    assert_refused(vmaf_group_read_pictures(group, NULL, dist, status, 0));
    assert_refused(vmaf_group_read_pictures(group, &none, dist, status, 0));
    assert_refused(vmaf_group_read_pictures(group, &ref, NULL, status, 0));
    assert_refused(vmaf_group_read_pictures(group, &ref, dist, NULL, 0));
    assert_non_null(ref.ref);
    assert_int_equal(status[0], 7);
    assert_success(vmaf_group_read_pictures(group, &ref, dist, status, 0)); /* nobody reads */
    assert_int_equal(status[0], 0);
    assert_null(ref.ref);
    assert_int_equal(vmaf_group_add(group, late), -EBUSY);
    assert_success(read_frame(late, shape, 0, 0));
    assert_int_equal(vmaf_group_add(other, late), -EBUSY);
    assert_refused(vmaf_group_close(NULL));
    assert_success(vmaf_group_close(group));
    assert_success(vmaf_group_close(other));
    assert_success(vmaf_close(vmaf));
    assert_success(vmaf_close(late));
}

/* An index that a member has had is rejected for that member alone. */
CASE(indices_are_those_of_the_member)
{
    const Member members[] = {{default_model, 0, 0, 1}, {default_model, 1, 0, 2}};
    Team team = open_team(members, 2, 1);
    read_group(&team, 0);
    VmafPicture dist[2] = {{.ref = NULL}, make_encode(shape, 1, 1)};
    VmafPicture ref = make_reference(shape, 1);
    int status[2];
    assert_success(vmaf_group_read_pictures(team.group, &ref, dist, status, 1));
    dist[0] = make_encode(shape, 0, 1);
    dist[1] = make_encode(shape, 1, 1);
    ref = make_reference(shape, 1);
    assert_success(vmaf_group_read_pictures(team.group, &ref, dist, status, 1));
    assert_int_equal(status[0], 0);
    assert_refused(status[1]);
    assert_success(vmaf_picture_unref(&dist[1]));
    close_members(&team);
    assert_success(vmaf_group_close(team.group));
}
