/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What functions on stored frames and on the pairs before a part promise, and what they refuse. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/stored_run.h"
#include "support/cases.h"

static const Shape small = {VMAF_PIX_FMT_YUV420P, 8, 64, 48};

static void use_some_features(VmafContext *vmaf)
{
    use(vmaf, "vif", NULL);
    use(vmaf, "motion", NULL);
    use(vmaf, "float_psnr", NULL);
}

static const Run some = {{VMAF_PIX_FMT_YUV420P, 8, 64, 48}, 4, 0, 0, use_some_features, NULL};

static VmafContext *open_merge(const Run *run, const char *layout)
{
    VmafContext *vmaf = run_open(run);
    assert_success(run_state_format(vmaf, run));
    assert_success(vmaf_read_records_from(vmaf, layout, NULL));
    return vmaf;
}

/* ---- what is stored ---- */

CASE(given_features_then_the_layout_says_what_is_where)
{
    StoredRun stored = {0};
    run_part(&some, 0, 1, &stored);
    assert_string_equal(
        stored.layout,
        "{\"bytes\":152,\"records\":["
        "{\"feature\":\"vif\",\"kind\":\"sums\",\"record\":\"vif\",\"version\":1,\"options\":"
        "{\"vif_enhn_gain_limit\":100.0,\"vif_skip_scale0\":false},"
        "\"offset\":8,\"size\":128},"
        "{\"feature\":\"motion\",\"kind\":\"sums\",\"record\":\"motion\",\"version\":1,"
        "\"options\":{\"motion_force_zero\":false,\"motion_five_frame_window\":false},"
        "\"offset\":136,\"size\":8},"
        "{\"feature\":\"float_psnr\",\"kind\":\"sums\",\"record\":\"float_psnr\",\"version\":1,"
        "\"options\":{},\"offset\":144,\"size\":8}]}");
    assert_int_equal(stored.n_bytes, 152);
    /* All three records are there. */
    const unsigned char *data = stored.data[0];
    assert_int_equal(data[0], 7);
    /* The squared differences of luma: a number in the order of the bytes of all platforms. */
    VmafPicture ref = make_picture(small, false, 0), dist = make_picture(small, true, 0);
    uint64_t expected = 0, actual = 0;
    for (unsigned y = 0; y < small.h; y++)
        for (unsigned x = 0; x < small.w; x++) {
            const int a = ((uint8_t *)ref.data[0])[(ptrdiff_t)y * ref.stride[0] + x];
            const int b = ((uint8_t *)dist.data[0])[(ptrdiff_t)y * dist.stride[0] + x];
            expected += (uint64_t)((a - b) * (a - b));
        }
    for (int i = 7; i >= 0; i--)
        actual = actual << 8 | data[144 + i];
    assert_int_equal(actual, expected);
    vmaf_picture_unref(&ref);
    vmaf_picture_unref(&dist);
    stored_run_clear(&stored);
}

CASE(given_features_then_the_lead_in_is_what_they_look_at)
{
    static const struct {
        const char *feature, *option;
        unsigned n_pairs;
    } cases[] = {
        {"vif", NULL, 0},          {"psnr", NULL, 0},
        {"motion", NULL, 1},       {"motion", "motion_five_frame_window", 2},
        {"float_motion", NULL, 1}, {"speed_temporal", NULL, 1},
        {"speed_chroma", NULL, 0}, {"motion", "motion_force_zero", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned n_pairs = 99;
        VmafContext *vmaf = open_context(0, 0);
        use(vmaf, cases[i].feature,
            cases[i].option ? options(cases[i].option, "true", NULL) : NULL);
        assert_success(vmaf_lead_in(vmaf, &n_pairs));
        assert_int_equal(n_pairs, cases[i].n_pairs);
        assert_success(vmaf_close(vmaf));
    }
    assert_refused(vmaf_lead_in(NULL, NULL));
}

CASE(given_a_part_without_frames_then_there_is_a_layout_alone)
{
    StoredRun empty = {0}, whole = {0};
    run_part(&some, 4, 4, &empty);
    run_part(&some, 0, 4, &whole);
    assert_int_equal(empty.n_kept, 0);
    assert_string_equal(empty.layout, whole.layout);
    stored_run_clear(&empty);
    stored_run_clear(&whole);
}

CASE(given_frames_that_are_only_kept_then_there_are_no_scores)
{
    double score;
    StoredRun stored = {0};
    VmafContext *vmaf = run_open_keeping(&some, &stored, 1);
    VmafScoreInfo info = {.struct_size = sizeof(info)};
    run_read(vmaf, &some, 0, 2);
    assert_success(flush(vmaf));
    assert_refused(vmaf_feature_score_at_index(vmaf, "float_psnr", &score, 0));
    assert_int_equal(vmaf_score_info(vmaf, 0, &info), -ERANGE);
    assert_int_equal(stored.n_kept, 2);
    assert_success(vmaf_close(vmaf));
    stored_run_clear(&stored);
}

/* Pairs that equal the one before have the records of that one. */
CASE(given_still_frames_then_their_records_are_kept)
{
    StoredRun stored = {0};
    VmafContext *vmaf = run_open_keeping(&some, &stored, 1);
    for (unsigned i = 0; i < 6; i++)
        assert_success(read_frame(vmaf, small, 5, i));
    flush_and_close(vmaf);
    assert_int_equal(stored.n_kept, 6);
    for (unsigned i = 1; i < 6; i++)
        assert_memory_equal(stored.data[i], stored.data[0], stored.n_bytes);
    stored_run_clear(&stored);
}

/* ---- the order of calls ---- */

CASE(given_calls_at_the_wrong_time_then_they_are_refused)
{
    StoredRun stored = {0};
    char *layout = (char *)&stored;
    run_part(&some, 0, 4, &stored);
    VmafContext *vmaf = run_open(&some);
    const VmafStoredFrame frame = {sizeof(frame), 0, stored.data[0], stored.n_bytes};

    /* Before the format is known. */
    assert_refused(vmaf_records_layout(vmaf, &layout));
    assert_null(layout);
    assert_refused(vmaf_read_records_from(vmaf, stored.layout, NULL));
    assert_refused(vmaf_read_record(vmaf, &frame));
    assert_success(run_state_format(vmaf, &some));
    assert_success(run_state_format(vmaf, &some));
    assert_refused(vmaf_records_format(vmaf, small.pix_fmt, small.bpc, small.w, small.h + 1));
    assert_int_equal(vmaf_keep_records(vmaf, stored_run_add, &stored, 1), -EBUSY);
    /* Before the layout is. */
    assert_refused(vmaf_read_record(vmaf, &frame));
    assert_success(vmaf_read_records_from(vmaf, stored.layout, NULL));
    assert_success(vmaf_read_record(vmaf, &frame));
    assert_refused(vmaf_use_feature(vmaf, "psnr", NULL));
    /* The first picture has neighbours, which have to come first. */
    assert_refused(read_frame(vmaf, small, 1, 1));
    assert_success(run_read_context(vmaf, &some, 0));
    assert_int_equal(vmaf_read_record(vmaf, &frame), -EBUSY);
    run_read(vmaf, &some, 1, 2);
    const VmafStoredFrame later = {sizeof(later), 2, stored.data[2], stored.n_bytes};
    assert_int_equal(vmaf_read_record(vmaf, &later), -EBUSY);
    assert_int_equal(vmaf_read_records_from(vmaf, stored.layout, NULL), -EBUSY);
    assert_int_equal(run_read_context(vmaf, &some, 1), -EBUSY);
    assert_success(run_state_format(vmaf, &some));
    /* After the flush. */
    assert_success(flush(vmaf));
    assert_int_equal(vmaf_read_record(vmaf, &later), -EBUSY);
    assert_int_equal(run_state_format(vmaf, &some), -EBUSY);
    assert_int_equal(vmaf_keep_records(vmaf, stored_run_add, &stored, 1), -EBUSY);
    assert_refused(run_read_context(vmaf, &some, 1));
    assert_success(vmaf_close(vmaf));
    stored_run_clear(&stored);
}

CASE(given_invalid_arguments_then_they_are_refused)
{
    VmafContext *vmaf = run_open(&some);
    VmafPicture none = {0};
    VmafStoredFrame frame = {sizeof(frame) - 1, 0, NULL, 0};
    char *text;
    assert_refused(vmaf_keep_records(vmaf, NULL, NULL, 1));
    assert_refused(vmaf_keep_records(NULL, stored_run_add, NULL, 1));
    assert_refused(vmaf_records_format(vmaf, VMAF_PIX_FMT_UNKNOWN, 8, 64, 48));
    assert_refused(vmaf_records_format(vmaf, VMAF_PIX_FMT_YUV420P, 7, 64, 48));
    assert_refused(vmaf_records_format(NULL, VMAF_PIX_FMT_YUV420P, 8, 64, 48));
    assert_refused(vmaf_records_layout(vmaf, NULL));
    assert_refused(vmaf_records_layout(NULL, &text));
    assert_refused(vmaf_read_records_from(NULL, "{}", &text));
    assert_refused(vmaf_read_records_from(vmaf, NULL, &text));
    assert_refused(vmaf_read_record(vmaf, NULL));
    assert_refused(vmaf_read_record(vmaf, &frame));
    assert_refused(vmaf_read_context(vmaf, NULL, &none));
    assert_refused(vmaf_read_context(vmaf, &none, NULL));
    assert_refused(vmaf_read_context(NULL, &none, &none));
    /* Too small for the features: also later. */
    assert_refused(vmaf_records_format(vmaf, VMAF_PIX_FMT_YUV420P, 8, 4, 4));
    assert_refused(run_state_format(vmaf, &some));
    assert_success(vmaf_close(vmaf));
}

/* ---- pairs before a part ---- */

CASE(given_a_stream_that_begins_then_it_has_no_pairs_before_it)
{
    StoredRun stored = {0};
    VmafContext *vmaf = run_open(&some);
    assert_refused(run_read_context(vmaf, &some, 0));
    run_read(vmaf, &some, 0, 1);
    assert_int_equal(run_read_context(vmaf, &some, 0), -EBUSY);
    assert_success(vmaf_close(vmaf));

    vmaf = run_open_keeping(&some, &stored, 0); /* and finishes them */
    assert_refused(run_read_context(vmaf, &some, 0));
    assert_success(vmaf_close(vmaf));
    stored_run_clear(&stored);
}

CASE(given_pairs_before_a_part_that_do_not_fit_then_they_are_refused)
{
    StoredRun stored = {0};
    VmafContext *vmaf = run_open_keeping(&some, &stored, 1);
    VmafPicture ref = make_picture(small, false, 0), dist = make_picture(tiny, true, 0);
    assert_refused(vmaf_read_context(vmaf, &ref, &dist));
    vmaf_picture_unref(&dist);
    dist = make_picture(small, true, 0);
    assert_success(vmaf_read_context(vmaf, &ref, &dist));
    assert_null(ref.ref); /* taken over */
    assert_null(dist.ref);
    /* Pictures of the part have the same format. */
    assert_refused(read_frame(vmaf, tiny, 1, 1));
    run_read(vmaf, &some, 1, 2);
    flush_and_close(vmaf);
    assert_int_equal(stored.n_kept, 1);
    stored_run_clear(&stored);
}

/* More than the features look at do no harm. */
CASE(given_more_pairs_than_needed_then_the_last_ones_count)
{
    StoredRun few = {0}, many = {0};
    run_part(&some, 3, 4, &few);
    VmafContext *vmaf = run_open_keeping(&some, &many, 1);
    for (unsigned i = 0; i < 3; i++)
        assert_success(run_read_context(vmaf, &some, i));
    run_read(vmaf, &some, 3, 4);
    flush_and_close(vmaf);
    assert_memory_equal(many.data[3], few.data[3], few.n_bytes);
    stored_run_clear(&few);
    stored_run_clear(&many);
}

static void count_release(void *cookie)
{
    ++*(unsigned *)cookie;
}

static VmafPicture wrap(const VmafPicture *pic, unsigned *n_released)
{
    VmafPicture wrapped;
    assert_success(vmaf_picture_wrap(&wrapped, pic->pix_fmt, pic->bpc, pic->w[0], pic->h[0],
                                     pic->data, pic->stride, count_release, n_released));
    return wrapped;
}

/* Pictures in the caller's memory are given back when no frame looks at them any more: the
 * reference of motion's neighbour stays, the distorted picture does not. */
CASE(given_borrowed_pictures_before_a_part_then_they_are_given_back)
{
    StoredRun stored = {0}, expected = {0};
    unsigned n_released[2] = {0, 0};
    VmafPicture ref = make_picture(small, false, 0), dist = make_picture(small, true, 0);
    VmafPicture borrowed[2] = {wrap(&ref, &n_released[0]), wrap(&dist, &n_released[1])};
    VmafContext *vmaf = run_open_keeping(&some, &stored, 1);
    assert_success(vmaf_read_context(vmaf, &borrowed[0], &borrowed[1]));
    assert_int_equal(n_released[0], 0);
    assert_int_equal(n_released[1], 1);
    run_read(vmaf, &some, 1, 2);
    assert_int_equal(n_released[0], 1);
    flush_and_close(vmaf);
    run_part(&some, 1, 2, &expected);
    assert_memory_equal(stored.data[1], expected.data[1], expected.n_bytes);
    stored_run_clear(&stored);
    stored_run_clear(&expected);
    vmaf_picture_unref(&ref);
    vmaf_picture_unref(&dist);
}

/* ---- failures ---- */

static void expect_run_to_fail(int answer, int error)
{
    for (int only = 0; only < 2; only++) {
        for (unsigned n_threads = 0; n_threads < 2; n_threads++) {
            StoredRun stored = {.answer = answer, .answer_at = 1};
            Run run = some;
            run.n_threads = n_threads;
            VmafContext *vmaf = run_open_keeping(&run, &stored, only);
            for (unsigned i = 0; i < run.n_frames; i++)
                (void)read_frame(vmaf, small, i, i);
            assert_int_equal(flush(vmaf), error);
            assert_int_equal(stored.n_kept, 2);
            assert_success(vmaf_close(vmaf));
            stored_run_clear(&stored);
        }
    }
}

CASE(given_a_frame_that_is_not_kept_then_the_run_fails_with_that_error)
{
    expect_run_to_fail(-ENOSPC, -ENOSPC);
    expect_run_to_fail(1, -EIO);
}

CASE(given_a_damaged_frame_then_it_is_not_read)
{
    StoredRun stored = {0};
    run_part(&some, 0, 4, &stored);
    char *expected = run_at_once(&some);
    VmafContext *vmaf = open_merge(&some, stored.layout);
    unsigned char *damaged = malloc(stored.n_bytes);
    assert_non_null(damaged);

    assert_success(run_feed(vmaf, &stored, 0, 2));
    VmafStoredFrame frame = {sizeof(frame), 2, damaged, stored.n_bytes};
    for (unsigned record = 0; record < 3; record++) {
        static const size_t top_byte_at[] = {8 + 7, 136 + 7, 144 + 7};
        /* Not there. */
        memcpy(damaged, stored.data[2], stored.n_bytes);
        damaged[0] &= (unsigned char)~(1u << record);
        assert_int_equal(vmaf_read_record(vmaf, &frame), -ENODATA);
        /* A sum beyond all bounds. */
        memcpy(damaged, stored.data[2], stored.n_bytes);
        damaged[top_byte_at[record]] ^= 0xff;
        assert_int_equal(vmaf_read_record(vmaf, &frame), -EBADMSG);
    }
    /* Too short, too long, nothing, and a number that was there before. */
    memcpy(damaged, stored.data[2], stored.n_bytes);
    for (size_t n = 0; n < stored.n_bytes; n++) {
        frame.n_bytes = n;
        assert_int_equal(vmaf_read_record(vmaf, &frame), -EBADMSG);
    }
    frame.n_bytes = stored.n_bytes + 1;
    assert_int_equal(vmaf_read_record(vmaf, &frame), -EBADMSG);
    frame = (VmafStoredFrame){sizeof(frame), 2, NULL, 0};
    assert_int_equal(vmaf_read_record(vmaf, &frame), -ENODATA);
    frame = (VmafStoredFrame){sizeof(frame), 1, damaged, stored.n_bytes};
    assert_refused(vmaf_read_record(vmaf, &frame));

    /* Whatever was rejected has left no trace. */
    assert_success(run_feed(vmaf, &stored, 2, 4));
    char *merged = run_end(vmaf, &some);
    assert_string_equal(merged, expected);
    free(merged);
    free(expected);
    free(damaged);
    stored_run_clear(&stored);
}

/* Data stands anywhere in a file. */
CASE(given_data_that_is_not_aligned_then_it_is_read)
{
    StoredRun stored = {0};
    run_part(&some, 0, 1, &stored);
    VmafContext *vmaf = open_merge(&some, stored.layout);
    unsigned char *shifted = malloc(stored.n_bytes + 1);
    assert_non_null(shifted);
    memcpy(shifted + 1, stored.data[0], stored.n_bytes);
    const VmafStoredFrame frame = {sizeof(frame), 0, shifted + 1, stored.n_bytes};
    assert_success(vmaf_read_record(vmaf, &frame));
    free(shifted);
    flush_and_close(vmaf);
    stored_run_clear(&stored);
}

static int read_layout(const char *layout)
{
    VmafContext *vmaf = run_open(&some);
    assert_success(run_state_format(vmaf, &some));
    const int err = vmaf_read_records_from(vmaf, layout, NULL);
    assert_success(vmaf_close(vmaf));
    return err;
}

CASE(given_a_damaged_layout_then_it_is_refused)
{
    static const char *const broken[] = {
        "",
        "null",
        "[]",
        "{}",
        "{\"bytes\":8}",
        "{\"records\":[]}",
        "{\"bytes\":-8,\"records\":[]}",
        "{\"bytes\":1e3,\"records\":[]}",
        "{\"bytes\":99999999999,\"records\":[]}",
        "{\"bytes\":8,\"records\":{}}",
        "{\"bytes\":8,\"records\":[1]}",
        "{\"bytes\":0,\"records\":[{}]}",
        /* In the set of records; past the end; past it by a sum that overflows. */
        "{\"bytes\":16,\"records\":[{\"feature\":\"motion\",\"kind\":\"sums\",\"options\":{},"
        "\"offset\":7,\"size\":8}]}",
        "{\"bytes\":16,\"records\":[{\"feature\":\"motion\",\"kind\":\"sums\",\"options\":{},"
        "\"offset\":9,\"size\":8}]}",
        "{\"bytes\":16,\"records\":[{\"feature\":\"motion\",\"kind\":\"sums\",\"options\":{},"
        "\"offset\":16,\"size\":9223372036854775807}]}",
        "{\"bytes\":4,\"records\":[{\"feature\":\"motion\",\"kind\":\"sums\",\"options\":{},"
        "\"offset\":4,\"size\":0}]}",
    };
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
        assert_int_equal(read_layout(broken[i]), -EBADMSG);
    assert_int_equal(read_layout("{\"bytes\":0,\"records\":[]}"), -ENOENT);

    StoredRun stored = {0};
    run_part(&some, 0, 1, &stored);
    assert_success(read_layout(stored.layout));
    for (size_t length = strlen(stored.layout); length-- > 0;) {
        char *cut = strndup(stored.layout, length);
        assert_non_null(cut);
        assert_int_equal(read_layout(cut), -EBADMSG);
        free(cut);
    }
    stored_run_clear(&stored);
}

/* Another version or size of a record, another option, or another kind: it is not the same record.
 */
CASE(given_a_layout_that_says_otherwise_then_the_record_is_missing)
{
    static const char *const changes[][2] = {
        {"\"record\":\"motion\"", "\"record\":\"notion\""},
        {"\"feature\":\"motion\"", "\"feature\":\"notion\""},
        {"\"record\":\"motion\",\"version\":1", "\"record\":\"motion\",\"version\":2"},
        {"\"record\":\"motion\",\"version\":1", "\"record\":\"motion\",\"version\":0"},
        {"\"offset\":136,\"size\":8", "\"offset\":136,\"size\":7"},
        {"\"motion_five_frame_window\":false", "\"motion_five_frame_window\":true"},
        {"\"motion_five_frame_window\":false", "\"motion_five_frame_window\":0"},
        {"\"motion_five_frame_window\":false", "\"motion_four_frame_window\":false"},
        {"\"vif_enhn_gain_limit\":100.0", "\"vif_enhn_gain_limit\":100.1"},
        {"\"feature\":\"motion\",\"kind\":\"sums\"", "\"feature\":\"motion\",\"kind\":\"bytes\""},
    };
    StoredRun stored = {0};
    run_part(&some, 0, 1, &stored);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        char *changed, *place = strstr(stored.layout, changes[i][0]);
        assert_non_null(place);
        assert_true(asprintf(&changed, "%.*s%s%s", (int)(place - stored.layout), stored.layout,
                             changes[i][1], place + strlen(changes[i][0])) > 0);
        assert_int_equal(read_layout(changed), -ENOENT);
        free(changed);
    }
    stored_run_clear(&stored);
}

/* Numbers that are not bounded are what they are: scores, and what a feature keeps for itself. */
CASE(given_any_bytes_then_reading_them_ends)
{
    static const Shape shape = {VMAF_PIX_FMT_YUV420P, 8, 332, 182};
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    for (unsigned e = 0; !vmaf_extractor_info(e, &info); e++) {
        VmafContext *vmaf = open_context(0, 0);
        char *layout, *report;
        use(vmaf, info.name, NULL);
        assert_success(vmaf_records_format(vmaf, shape.pix_fmt, shape.bpc, shape.w, shape.h));
        assert_success(vmaf_records_layout(vmaf, &layout));
        assert_success(vmaf_read_records_from(vmaf, layout, NULL));
        const size_t n_bytes = (size_t)strtoul(strstr(layout, "\"bytes\":") + 8, NULL, 10);
        unsigned char *data = malloc(n_bytes + 1);
        assert_non_null(data);
        unsigned n_read = 0;
        uint32_t random = 12345;
        for (unsigned i = 0; i < 200; i++) {
            for (size_t b = 0; b < n_bytes; b++) {
                random = random * 1664525 + 1013904223;
                /* Mostly small numbers, or all bits, so that some of them are possible. */
                const unsigned char byte = (unsigned char)(random >> 24);
                data[b] = i % 4 == 0                ? byte
                          : i % 4 == 1              ? (unsigned char)(i / 4 % 2 ? 0xff : 0)
                          : b % 8 < (i / 4) % 8 + 1 ? byte
                                                    : 0;
            }
            data[0] = 1;
            const VmafStoredFrame frame = {sizeof(frame), n_read, data, n_bytes};
            const int err = vmaf_read_record(vmaf, &frame);
            assert_true(err == 0 || err == -EBADMSG);
            n_read += !err;
        }
        if (n_read)
            assert_success(flush(vmaf));
        assert_success(vmaf_output_text(vmaf, &report, VMAF_OUTPUT_FORMAT_JSON, NULL));
        free(report);
        free(data);
        free(layout);
        assert_success(vmaf_close(vmaf));
    }
}

/* ---- groups ---- */

CASE(given_a_member_of_a_group_then_it_keeps_records_but_reads_none)
{
    StoredRun stored[2] = {{0}, {0}}, alone = {0};
    VmafGroup *group;
    const VmafGroupConfiguration cfg = {sizeof(cfg), 1};
    VmafContext *members[2];
    assert_success(vmaf_group_create(&group, &cfg));
    for (unsigned m = 0; m < 2; m++) {
        members[m] = run_open_keeping(&some, &stored[m], 1);
        assert_success(vmaf_group_add(group, members[m]));
        assert_int_equal(run_read_context(members[m], &some, 0), -EBUSY);
    }
    assert_success(run_state_format(members[0], &some));
    assert_int_equal(vmaf_read_records_from(members[0], "{}", NULL), -EBUSY);
    for (unsigned i = 0; i < some.n_frames; i++) {
        VmafPicture ref = make_picture(small, false, i), dist[2];
        int status[2];
        for (unsigned m = 0; m < 2; m++)
            dist[m] = make_picture(small, true, i);
        assert_success(vmaf_group_read_pictures(group, &ref, dist, status, i));
        assert_int_equal(status[0] | status[1], 0);
    }
    for (unsigned m = 0; m < 2; m++)
        assert_success(flush(members[m]));
    VmafContext *vmaf = run_open_keeping(&some, &alone, 1);
    for (unsigned i = 0; i < some.n_frames; i++)
        assert_success(read_frame(vmaf, small, i, i));
    flush_and_close(vmaf);
    for (unsigned m = 0; m < 2; m++) {
        assert_int_equal(stored[m].n_kept, some.n_frames);
        for (unsigned i = 0; i < some.n_frames; i++)
            assert_memory_equal(stored[m].data[i], alone.data[i], alone.n_bytes);
        assert_success(vmaf_close(members[m]));
        stored_run_clear(&stored[m]);
    }
    vmaf_group_close(group);
    stored_run_clear(&alone);
}
