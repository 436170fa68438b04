/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The kernels of PSNR against the scalar function of the library: all depths, sizes around the
 * edges of the tiles, three planes reduced on the device to one record, several frames in flight.
 */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "libvmaf/backend_records.h"
#include "metrics/psnr/psnr_internal.h"
#include "metrics/psnr/psnr_kernel.h"
#include "reduce/reduce_args.h"
#include "support/cases.h"

enum { PLANES = 3, SLOTS = 2, MAX_SIDE = 300, MAX_STRIDE = 640, SECTION = 256 };

typedef struct Frame {
    unsigned bpc, w[PLANES], h[PLANES];
    unsigned char pixels[2][PLANES][MAX_SIDE * MAX_STRIDE]; /* rows of `stride` bytes */
    unsigned stride;
} Frame;

enum Content { CONTENT_NOISE, CONTENT_OPPOSITE };

static void fill(Frame *frame, enum Content content, uint32_t seed)
{
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned p = 0; p < PLANES; p++) {
            for (size_t i = 0; i < sizeof(frame->pixels[side][p]) / 2; i++) {
                seed = seed * 1664525u + 1013904223u;
                const unsigned noise = seed >> 16 & ((1u << frame->bpc) - 1);
                const unsigned value = content == CONTENT_NOISE ? noise
                                       : side                   ? (1u << frame->bpc) - 1
                                                                : 0;
                if (frame->bpc == 8) {
                    frame->pixels[side][p][2 * i] = (unsigned char)value;
                    frame->pixels[side][p][2 * i + 1] = (unsigned char)(seed >> 24);
                } else {
                    const uint16_t sample = (uint16_t)value;
                    memcpy(&frame->pixels[side][p][2 * i], &sample, sizeof(sample));
                }
            }
        }
    }
}

static VmafRecordPsnr scalar_record(const Frame *frame)
{
    PsnrFunctions functions;
    VmafRecordPsnr record = {{0}};
    psnr_functions_fill_scalar(&functions, frame->bpc);
    for (unsigned p = 0; p < PLANES; p++) {
        for (unsigned y = 0; y < frame->h[p]; y++)
            record.sse[p] +=
                functions.row_sse(&frame->pixels[0][p][y * frame->stride],
                                  &frame->pixels[1][p][y * frame->stride], frame->w[p]);
    }
    return record;
}

/* One in-flight slot: the buffers of a frame pair, and the command list that computes it. */
typedef struct Slot {
    VmafDeviceBuffer *upload, *pixels, *partials, *sums_upload, *sums, *results, *download;
    VmafDeviceCommandList *list;
    VmafDeviceTicket ticket;
} Slot;

static uint64_t aligned(uint64_t size)
{
    return (size + SECTION - 1) / SECTION * SECTION;
}

static uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

static void slot_create(Slot *slot, Fixture *fixture, const Frame *frame)
{
    const VmafDeviceLayer *layer = fixture->layer;
    const uint64_t plane = aligned((uint64_t)MAX_SIDE * frame->stride);
    const uint32_t per_word = frame->bpc == 8 ? 4 : 2;
    const uint64_t section = SECTION / sizeof(uint64_t) * 8; /* partial sums of a plane, at most */

    slot->upload = fixture_buffer(fixture, VMAF_MEMORY_UPLOAD, 2 * PLANES * plane);
    slot->pixels = fixture_buffer(fixture, VMAF_MEMORY_DEVICE, 2 * PLANES * plane);
    slot->partials = fixture_buffer(fixture, VMAF_MEMORY_DEVICE, PLANES * section * 8);
    slot->sums_upload = fixture_buffer(fixture, VMAF_MEMORY_UPLOAD, PLANES * sizeof(partial_sum));
    slot->sums = fixture_buffer(fixture, VMAF_MEMORY_DEVICE, PLANES * sizeof(partial_sum));
    slot->results = fixture_buffer(fixture, VMAF_MEMORY_DEVICE, sizeof(VmafRecordPsnr));
    slot->download = fixture_buffer(fixture, VMAF_MEMORY_DOWNLOAD, sizeof(VmafRecordPsnr));

    const VmafDeviceCopy copies[] = {
        {.dst = slot->pixels, .src = slot->upload, .row_size = 2 * PLANES * plane, .rows = 1},
        {.dst = slot->sums,
         .src = slot->sums_upload,
         .row_size = PLANES * sizeof(partial_sum),
         .rows = 1},
    };
    assert_int_equal(layer->command_list_begin(fixture->device, &slot->list), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(vmaf_device_cmd_copy(slot->list, &copies[i]), 0);
    assert_int_equal(layer->cmd_timestamp(slot->list, 0), 0);
    assert_int_equal(layer->cmd_barrier(slot->list), 0);
    partial_sum *sums = slot->sums_upload->mapped;
    for (unsigned p = 0; p < PLANES; p++) {
        const psnr_sse_args args = {
            .w = (int32_t)frame->w[p],
            .h = (int32_t)frame->h[p],
            .ref_stride = (int32_t)frame->stride / 4,
            .dist_stride = (int32_t)frame->stride / 4,
        };
        VmafDeviceDispatch sse = {
            .bindings = {{slot->pixels, p * plane, plane},
                         {slot->pixels, (PLANES + p) * plane, plane},
                         {slot->partials, p * section * 8, section * 8}},
            .args = &args,
            .groups = {ceil_div(ceil_div(frame->w[p], per_word), PSNR_SSE_WORDS),
                       ceil_div(frame->h[p], PSNR_SSE_ROWS), 1},
        };
        const char *name = frame->bpc == 8 ? "psnr_sse_8" : "psnr_sse_16";
        assert_int_equal(layer->kernel_find(fixture->device, &sse.kernel, name), 0);
        assert_int_equal(vmaf_device_cmd_dispatch(slot->list, &sse), 0);
        sums[p] = (partial_sum){
            .first = (uint32_t)(p * section),
            .rows = sse.groups[0] * sse.groups[1],
            .row_stride = 1,
            .columns = 1,
            .result = p,
        };
    }
    const sum_partials_args first = {0};
    VmafDeviceDispatch sum = {
        .bindings = {{.buffer = slot->sums}, {.buffer = slot->partials}, {.buffer = slot->results}},
        .args = &first,
        .groups = {PLANES, 1, 1},
    };
    assert_int_equal(layer->kernel_find(fixture->device, &sum.kernel, "sum_partials"), 0);
    assert_int_equal(layer->cmd_barrier(slot->list), 0);
    assert_int_equal(vmaf_device_cmd_dispatch(slot->list, &sum), 0);
    assert_int_equal(layer->cmd_barrier(slot->list), 0);
    const VmafDeviceCopy back = {
        .dst = slot->download, .src = slot->results, .row_size = sizeof(VmafRecordPsnr), .rows = 1};
    assert_int_equal(vmaf_device_cmd_copy(slot->list, &back), 0);
    assert_int_equal(layer->cmd_timestamp(slot->list, 1), 0);
    assert_int_equal(layer->command_list_end(slot->list), 0);
}

static void slot_destroy(Slot *slot, Fixture *fixture)
{
    VmafDeviceBuffer *buffers[] = {slot->upload, slot->pixels,  slot->partials, slot->sums_upload,
                                   slot->sums,   slot->results, slot->download};
    fixture->layer->command_list_destroy(slot->list);
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        fixture->layer->buffer_destroy(fixture->device, buffers[i]);
}

static void slot_submit(Slot *slot, Fixture *fixture, const Frame *frame)
{
    const uint64_t plane = aligned((uint64_t)MAX_SIDE * frame->stride);
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned p = 0; p < PLANES; p++)
            memcpy((unsigned char *)slot->upload->mapped + (side * PLANES + p) * plane,
                   frame->pixels[side][p], (size_t)frame->h[p] * frame->stride);
    }
    assert_int_equal(fixture_submit(fixture, slot->list, &slot->ticket), 0);
}

static void slot_check(Slot *slot, Fixture *fixture, const VmafRecordPsnr *expected)
{
    uint64_t times[2];
    VmafRecordPsnr record;
    assert_int_equal(fixture_wait(fixture, slot->ticket, UINT64_MAX), 0);
    memcpy(&record, slot->download->mapped, sizeof(record));
    for (unsigned p = 0; p < PLANES; p++)
        assert_int_equal(record.sse[p], expected->sse[p]);
    assert_int_equal(fixture->layer->timestamps(slot->list, times, 2), 0);
    assert_true(times[0] <= times[1]);
}

/* More frames than slots, each in flight while the next is filled in. */
static void check_frames(Fixture *fixture, Frame *frame)
{
    enum { FRAMES = 3 };
    Slot slots[SLOTS];
    VmafRecordPsnr expected[FRAMES];
    for (unsigned s = 0; s < SLOTS; s++)
        slot_create(&slots[s], fixture, frame);
    for (unsigned f = 0; f < FRAMES; f++) {
        Slot *slot = &slots[f % SLOTS];
        if (f >= SLOTS)
            slot_check(slot, fixture, &expected[f - SLOTS]);
        fill(frame, f == 1 ? CONTENT_OPPOSITE : CONTENT_NOISE, f + 1);
        expected[f] = scalar_record(frame);
        slot_submit(slot, fixture, frame);
    }
    for (unsigned f = FRAMES - SLOTS; f < FRAMES; f++)
        slot_check(&slots[f % SLOTS], fixture, &expected[f]);
    for (unsigned s = 0; s < SLOTS; s++)
        slot_destroy(&slots[s], fixture);
}

CASE(given_any_depth_the_record_equals_the_scalar_one)
{
    Frame *frame = calloc(1, sizeof(*frame));
    assert_non_null(frame);
    for (unsigned bpc = 8; bpc <= 16; bpc++) {
        Fixture fixture;
        fixture_open_order(&fixture, bpc);
        *frame = (Frame){.bpc = bpc, .w = {131, 66, 65}, .h = {67, 34, 1}, .stride = MAX_STRIDE};
        check_frames(&fixture, frame);
        fixture_close(&fixture);
    }
    free(frame);
}

CASE(given_sizes_around_tile_edges_the_record_equals_the_scalar_one)
{
    static const unsigned heights[] = {1, 7, 63, 64, 65, 127, 128, 129, 191, 193};
    static const unsigned widths[] = {1, 2, 3, 5, 63, 64, 65, 127, 128, 129, 191, 255, 256, 257};
    const unsigned n_heights = sizeof(heights) / sizeof(heights[0]);
    const unsigned n_widths = sizeof(widths) / sizeof(widths[0]);
    Frame *frame = calloc(1, sizeof(*frame));
    assert_non_null(frame);
    for (unsigned i = 0; i < n_widths; i++) {
        Fixture fixture;
        fixture_open_order(&fixture, i);
        *frame = (Frame){.bpc = i & 1 ? 10 : 8, .stride = MAX_STRIDE};
        for (unsigned p = 0; p < PLANES; p++) {
            frame->w[p] = widths[(i + p) % n_widths];
            frame->h[p] = heights[(i + 3 * p) % n_heights];
        }
        check_frames(&fixture, frame);
        fixture_close(&fixture);
    }
    free(frame);
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    return run_cases(argc, argv);
}
