/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_FUZZ_FUZZ_VIDEO_H
#define TESTS_FUZZ_FUZZ_VIDEO_H

#include "media/video_reader.h"

/*
 * Reads and skips frames of a started reader in turn, at most a few, into a buffer of exactly the
 * size that the reader asked for.
 */
void read_some_frames(VideoReader *reader, unsigned planes, unsigned output_depth);

#endif
