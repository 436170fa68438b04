/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "api/stored_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the first frames; later ones go on from the last. */
static const unsigned scenes[] = {0, 1, 4, 9, 11, 11, 11, 11, 3, 20, 21, 2};
enum { N_SCENES = sizeof(scenes) / sizeof(scenes[0]) };

static unsigned scene_of(unsigned index)
{
    return index < N_SCENES ? scenes[index] : scenes[N_SCENES - 1] + index * index;
}

int stored_run_add(void *cookie, const VmafStoredFrame *frame)
{
    StoredRun *stored = cookie;
    const unsigned number = stored->n_kept++;
    if (stored->answer && number == stored->answer_at)
        return stored->answer;
    assert_true(frame->index < RUN_FRAMES_MAX);
    assert_null(stored->data[frame->index]);
    assert_true(frame->struct_size == sizeof(*frame));
    void *copy = malloc(frame->n_bytes);
    assert_non_null(copy);
    memcpy(copy, frame->data, frame->n_bytes);
    stored->data[frame->index] = copy;
    stored->in_order = number == 0 || (stored->in_order && frame->index > stored->last_index);
    stored->last_index = frame->index;
    stored->n_bytes = frame->n_bytes;
    return 0;
}

void stored_run_clear(StoredRun *stored)
{
    for (unsigned i = 0; i < RUN_FRAMES_MAX; i++)
        free(stored->data[i]);
    free(stored->layout);
    *stored = (StoredRun){0};
}

VmafContext *run_open(const Run *run)
{
    VmafContext *vmaf = open_context(run->n_threads, run->n_subsample);
    run->use_features(vmaf);
    return vmaf;
}

VmafContext *run_open_keeping(const Run *run, StoredRun *stored, int only)
{
    VmafContext *vmaf = run_open(run);
    assert_success(vmaf_keep_records(vmaf, stored_run_add, stored, only));
    return vmaf;
}

int run_read_context(VmafContext *vmaf, const Run *run, unsigned index)
{
    VmafPicture ref = make_picture(run->shape, false, scene_of(index));
    VmafPicture dist = make_picture(run->shape, true, scene_of(index));
    const int err = vmaf_read_context(vmaf, &ref, &dist);
    if (err) {
        assert_success(vmaf_picture_unref(&ref));
        assert_success(vmaf_picture_unref(&dist));
    }
    return err;
}

void run_read(VmafContext *vmaf, const Run *run, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        assert_success(read_frame(vmaf, run->shape, scene_of(i), i));
}

void run_read_part(VmafContext *vmaf, const Run *run, unsigned from, unsigned to)
{
    unsigned lead_in;
    assert_success(vmaf_lead_in(vmaf, &lead_in));
    for (unsigned i = from > lead_in ? from - lead_in : 0; i < from; i++)
        assert_success(run_read_context(vmaf, run, i));
    run_read(vmaf, run, from, to);
}

int run_state_format(VmafContext *vmaf, const Run *run)
{
    return vmaf_records_format(vmaf, run->shape.pix_fmt, run->shape.bpc, run->shape.w,
                               run->shape.h);
}

int run_feed(VmafContext *vmaf, const StoredRun *stored, unsigned from, unsigned to)
{
    int err = 0;
    for (unsigned i = from; i < to && !err; i++) {
        const VmafStoredFrame frame = {sizeof(frame), i, stored->data[i],
                                       stored->data[i] ? stored->n_bytes : 0};
        err = vmaf_read_record(vmaf, &frame);
    }
    return err;
}

static void append(char **text, char *more)
{
    char *longer;
    assert_true(asprintf(&longer, "%s%s\n", *text ? *text : "", more) > 0);
    free(*text);
    free(more);
    *text = longer;
}

char *run_reports(VmafContext *vmaf, const Run *run)
{
    static const int formats[] = {VMAF_OUTPUT_FORMAT_JSON, VMAF_OUTPUT_FORMAT_XML,
                                  VMAF_OUTPUT_FORMAT_CSV, VMAF_OUTPUT_FORMAT_SUB,
                                  VMAF_OUTPUT_FORMAT_NDJSON};
    char *text = NULL, *digits;
    if (run->score)
        run->score(vmaf, run->n_frames);
    assert_success(vmaf_report_statistics(vmaf, "p5,median,stddev"));
    for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++)
        append(&text, report_text(vmaf, (enum VmafOutputFormat)formats[f]));
    assert_success(vmaf_output_text(vmaf, &digits, VMAF_OUTPUT_FORMAT_CSV, "%.17g"));
    append(&text, digits);
    return text;
}

char *run_end(VmafContext *vmaf, const Run *run)
{
    assert_success(flush(vmaf));
    char *text = run_reports(vmaf, run);
    assert_success(vmaf_close(vmaf));
    return text;
}

char *run_at_once(const Run *run)
{
    VmafContext *vmaf = run_open(run);
    run_read(vmaf, run, 0, run->n_frames);
    return run_end(vmaf, run);
}

void run_part(const Run *run, unsigned from, unsigned to, StoredRun *stored)
{
    VmafContext *vmaf = run_open_keeping(run, stored, 1);
    char *layout;
    assert_success(run_state_format(vmaf, run));
    assert_success(vmaf_records_layout(vmaf, &layout));
    if (stored->layout)
        assert_string_equal(layout, stored->layout);
    free(stored->layout);
    stored->layout = layout;
    run_read_part(vmaf, run, from, to);
    flush_and_close(vmaf);
}

char *run_merge(const Run *run, const StoredRun *stored)
{
    VmafContext *vmaf = run_open(run);
    char *missing;
    assert_success(run_state_format(vmaf, run));
    assert_success(vmaf_read_records_from(vmaf, stored->layout, &missing));
    assert_null(missing);
    assert_success(run_feed(vmaf, stored, 0, run->n_frames));
    return run_end(vmaf, run);
}
