/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Long streams need no more memory than short ones except for scores: 8 bytes and some bookkeeping
 * each. Measures anonymous memory, after a warm-up.
 */
#include "api/api_support.h"
#include "support/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef VMAF_SANITIZED
#define MEMORY_IS_INSTRUMENTED 1
#else
#define MEMORY_IS_INSTRUMENTED 0
#endif

enum {
    WARM_UP = 2000,
    N_FRAMES = 20000,
    /* adm, vif and motion store 14 scores, psnr 3, the context the frame's index, all in arrays
       that grow by doubling: less than 250 bytes. A picture would be 6144. */
    BYTES_PER_FRAME = 300,
};

static const Shape shape = {VMAF_PIX_FMT_YUV420P, 8, 64, 64};

/* Resident anonymous memory of the process, in bytes. */
static long anonymous_memory(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    if (!file)
        return -1;
    char line[256];
    long kilobytes = -1;
    while (kilobytes < 0 && fgets(line, sizeof(line), file))
        (void)sscanf(line, "Anonymous: %ld kB", &kilobytes);
    fclose(file);
    return kilobytes < 0 ? -1 : 1024 * kilobytes;
}

static VmafContext *open_stream(unsigned n_threads)
{
    VmafContext *vmaf = open_with_features(n_threads, 0, "adm", "vif", "motion", "psnr", NULL);
    return vmaf;
}

static void expect_scores_alone(const char *what, unsigned n_threads, long before)
{
    const long growth = anonymous_memory() - before;
    const long limit = (long)BYTES_PER_FRAME * (N_FRAMES - WARM_UP);
    print_message("%u threads, %s: %ld bytes per frame\n", n_threads, what,
                  growth / (N_FRAMES - WARM_UP));
    if (growth > limit)
        fail_msg("memory grew by %ld bytes, more than %ld", growth, limit);
}

static void stream(unsigned n_threads, bool pooled)
{
    VmafContext *vmaf = open_stream(n_threads);
    if (pooled)
        assert_success(vmaf_preallocate_pictures(
            vmaf, (VmafPictureConfiguration){{shape.w, shape.h, shape.bpc, shape.pix_fmt}, 9}));
    long before = 0;
    for (unsigned i = 0; i < N_FRAMES; i++) {
        VmafPicture pair[2];
        for (unsigned k = 0; k < 2; k++) {
            if (pooled)
                assert_success(vmaf_fetch_preallocated_picture(vmaf, &pair[k]));
            else
                assert_success(
                    vmaf_picture_alloc(&pair[k], shape.pix_fmt, shape.bpc, shape.w, shape.h));
            memset(pair[k].data[0], (int)(i + 3 * k), 64 * 64);
        }
        assert_success(vmaf_read_pictures(vmaf, &pair[0], &pair[1], i));
        if (i == WARM_UP)
            before = anonymous_memory();
    }
    assert_success(flush(vmaf));
    expect_scores_alone(pooled ? "pool" : "fresh pictures", n_threads, before);
    assert_success(vmaf_close(vmaf));
}

/* Of one frame. */
typedef struct Stored {
    size_t n_bytes;
    unsigned char data[1024];
} Stored;

static int keep(void *cookie, const VmafStoredFrame *frame)
{
    Stored *stored = cookie;
    assert_true(frame->n_bytes <= sizeof(stored->data));
    memcpy(stored->data, frame->data, frame->n_bytes);
    stored->n_bytes = frame->n_bytes;
    return 0;
}

/* A merge of many parts. */
static void stored_stream(void)
{
    Stored stored;
    char *layout;
    VmafContext *vmaf = open_stream(0);
    assert_success(vmaf_keep_records(vmaf, keep, &stored, 1));
    assert_success(read_frame(vmaf, shape, 0, 0));
    assert_success(flush(vmaf));
    assert_success(vmaf_records_layout(vmaf, &layout));
    assert_success(vmaf_close(vmaf));

    vmaf = open_stream(0);
    assert_success(vmaf_records_format(vmaf, shape.pix_fmt, shape.bpc, shape.w, shape.h));
    assert_success(vmaf_read_records_from(vmaf, layout, NULL));
    long before = 0;
    for (unsigned i = 0; i < N_FRAMES; i++) {
        const VmafStoredFrame frame = {sizeof(frame), i, stored.data, stored.n_bytes};
        assert_success(vmaf_read_record(vmaf, &frame));
        if (i == WARM_UP)
            before = anonymous_memory();
    }
    assert_success(flush(vmaf));
    expect_scores_alone("stored frames", 0, before);
    assert_success(vmaf_close(vmaf));
    free(layout);
}

CASE(memory_does_not_grow_in_the_calling_thread)
{
    if (anonymous_memory() < 0 || MEMORY_IS_INSTRUMENTED)
        skip();
    stream(0, false);
}

CASE(memory_does_not_grow_with_workers_and_a_pool)
{
    if (anonymous_memory() < 0 || MEMORY_IS_INSTRUMENTED)
        skip();
    stream(2, true);
}

CASE(memory_does_not_grow_with_stored_frames)
{
    if (anonymous_memory() < 0 || MEMORY_IS_INSTRUMENTED)
        skip();
    stored_stream();
}
