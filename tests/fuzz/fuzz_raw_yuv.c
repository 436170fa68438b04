/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Input: 8 bytes that describe the file (pixel format, bit depth, width and height in two bytes
 * each, wanted planes, output depth), then the file.
 */
#include "fuzz.h"
#include "fuzz_video.h"

enum { PREFIX = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < PREFIX)
        return 0;
    VideoFormat format = {
        .pixel_format = (enum VmafPixelFormat)(data[0] % 5),
        .bit_depth = data[1] % 20,
        .width = data[2] + 256u * data[3],
        .height = data[4] + 256u * data[5],
    };
    if (format.pixel_format == VMAF_PIX_FMT_UNKNOWN)
        return 0; /* the command line rejects it */

    MemoryFile file;
    memory_file_open(&file, data + PREFIX, size - PREFIX);
    VideoReader reader;
    if (video_reader_open(&reader, file.path) == 0 && video_reader_start_raw(&reader, &format) == 0)
        read_some_frames(&reader, data[6] % 8, data[7] % 17);
    video_reader_close(&reader);
    memory_file_close(&file);
    return 0;
}
