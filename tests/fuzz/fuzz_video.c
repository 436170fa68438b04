/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "fuzz_video.h"

#include <stdlib.h>

enum { MAX_FRAMES = 6, MAX_BUFFER = 1 << 16 };

void read_some_frames(VideoReader *reader, unsigned planes, unsigned output_depth)
{
    if (output_depth < reader->format.bit_depth)
        output_depth = reader->format.bit_depth;
    if (video_reader_prepare(reader, planes, output_depth, 64))
        return;
    (void)video_reader_frames_left(reader);
    for (unsigned i = 0; i < MAX_FRAMES && video_reader_next(reader) > 0; i++) {
        int err;
        if (i % 3 == 2 || reader->buffer_bytes > MAX_BUFFER) {
            err = video_reader_skip(reader);
        } else {
            void *buffer = aligned_alloc(64, reader->buffer_bytes ? reader->buffer_bytes : 64);
            if (!buffer)
                break;
            err = video_reader_read(reader, buffer);
            free(buffer);
        }
        if (err)
            break;
    }
}
