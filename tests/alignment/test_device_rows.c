/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Signatures of frames on a device are those of the same frames in memory. */
#include "media/read_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

/* A frame "on a device": rows with gaps between them, high samples in the high bits. */
typedef struct DeviceFrame {
    unsigned width, height, sample_bytes;
    size_t pitch;
    unsigned char *luma;
    unsigned fetches;
} DeviceFrame;

static MediaProperties told;

static const MediaProperties *properties(const MediaVideo *video)
{
    return &told;
}

static int fetch_rows(void *held, const MediaRows *rows, void *to, Message *why)
{
    DeviceFrame *frame = held;
    frame->fetches++;
    assert_true(rows->count && rows->step);
    assert_int_equal(rows->bytes, (size_t)frame->width * frame->sample_bytes);
    for (unsigned i = 0; i < rows->count; i++) {
        const size_t y = rows->first + (size_t)i * rows->step;
        assert_true(y < frame->height);
        memcpy((unsigned char *)to + i * rows->bytes, frame->luma + y * frame->pitch, rows->bytes);
    }
    return 0;
}

static const MediaModule module = {.properties = properties, .fetch_rows = fetch_rows};

static unsigned level_at(unsigned x, unsigned y, unsigned depth)
{
    return (x * 2654435761u ^ y * 40503u * (x + 17)) >> 5 & ((1u << depth) - 1);
}

static void put(unsigned char *row, unsigned x, unsigned bytes, unsigned value)
{
    const uint16_t word = (uint16_t)value;
    if (bytes == 1)
        row[x] = (unsigned char)value;
    else
        memcpy(row + 2 * (size_t)x, &word, sizeof(word));
}

/* Fills both in; the shift is that of the samples on the device. */
static void paint(DeviceFrame *device, DeviceFrame *memory, unsigned depth, unsigned shift)
{
    for (unsigned y = 0; y < device->height; y++) {
        for (unsigned x = 0; x < device->width; x++) {
            const unsigned level = level_at(x, y, depth);
            put(device->luma + y * device->pitch, x, device->sample_bytes, level << shift);
            put(memory->luma + y * memory->pitch, x, memory->sample_bytes, level);
        }
    }
}

static void compare(unsigned width, unsigned height, unsigned depth, enum VmafImportLayout layout)
{
    const unsigned bytes = depth > 8 ? 2 : 1;
    const bool is_high = layout == VMAF_IMPORT_P010 || layout == VMAF_IMPORT_P016;
    const size_t pitch = (size_t)width * bytes + 38;
    DeviceFrame device = {width, height, bytes, pitch, test_malloc(pitch * height), 0};
    DeviceFrame memory = {width, height, bytes, pitch, test_malloc(pitch * height), 0};
    paint(&device, &memory, depth, is_high ? 16 - depth : 0);
    told.device.layout = layout;
    VideoReader reader = {
        .module = &module,
        .media = (MediaVideo *)&device,
        .format = {.width = width, .height = height, .bit_depth = depth},
    };
    FrameBuffer buffer = {.held = &device, .is_on_device = true};
    assert_int_equal(device_frames_take_signature(&reader, &buffer), 0);
    const VmafPicture picture = {
        .bpc = depth,
        .w = {width},
        .h = {height},
        .stride = {(ptrdiff_t)pitch},
        .data = {memory.luma},
    };
    Signature expected;
    signature_take(&picture, &expected);
    assert_memory_equal(&buffer.signature, &expected, sizeof(expected));
    if (height % 36 == 0 && height > 480)
        assert_int_equal(device.fetches, 1);
    test_free(device.luma);
    test_free(memory.luma);
}

CASE(signatures_are_those_of_memory)
{
    const unsigned heights[] = {1, 17, 97, 120, 288, 480, 481, 540, 600, 800, 804, 1080, 1634};
    for (size_t i = 0; i < sizeof(heights) / sizeof(heights[0]); i++) {
        compare(130, heights[i], 8, VMAF_IMPORT_NV12);
        compare(131, heights[i], 8, VMAF_IMPORT_PLANAR);
        compare(130, heights[i], 10, VMAF_IMPORT_P010);
        compare(130, heights[i], 12, VMAF_IMPORT_P016);
        compare(130, heights[i], 16, VMAF_IMPORT_P016);
        compare(131, heights[i], 10, VMAF_IMPORT_PLANAR);
    }
}
