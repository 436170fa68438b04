/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Input: a Y4M file. */
#include "fuzz.h"
#include "fuzz_video.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* All planes as they are, luma and alpha-less chroma raised to 16 bits, luma only. */
    static const struct {
        unsigned planes, output_depth;
    } ways[] = {{7, 8}, {7, 16}, {1, 10}, {6, 8}, {0, 8}};

    /* The size of the input selects one of them. */
    const size_t i = size % (sizeof(ways) / sizeof(ways[0]));
    MemoryFile file;
    memory_file_open(&file, data, size);
    VideoReader reader;
    if (video_reader_open(&reader, file.path) == 0 && video_reader_start_y4m(&reader, true) == 0)
        read_some_frames(&reader, ways[i].planes, ways[i].output_depth);
    video_reader_close(&reader);
    memory_file_close(&file);
    return 0;
}
