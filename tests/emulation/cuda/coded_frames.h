/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_CODED_FRAMES_H
#define TESTS_EMULATION_CUDA_CODED_FRAMES_H

/* What the emulated decoder of videos knows: the frames of a few files, by their coded bytes. */
#include <libavutil/frame.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the files that VMAF_EMULATED_NVDEC names, "a.mp4:b.mkv", once. 0; -1 and a text on the
 * standard error. */
int coded_frames_load(void);

/* The frame of the picture that ends with this slice, without its start code; NULL: it is in none
 * of the files. */
const AVFrame *coded_frames_find(const uint8_t *slice, size_t size);

#endif
