/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_VIDEO_DECODER_TYPES_H
#define TESTS_EMULATION_CUDA_VIDEO_DECODER_TYPES_H

/* The part of NVIDIA's interface for decoding (cuviddec.h) that the emulated decoder reads, in our
 * own words, so that no header of NVIDIA's is needed. */
#include "driver_types.h"

typedef struct VideoDecoder *VideoDecoderHandle;

/* Formats of surfaces. */
enum { SURFACE_NV12, SURFACE_P016, SURFACE_444, SURFACE_444_WORDS };

/* CUVIDDECODECAPS */
typedef struct VideoDecoderAbility {
    uint32_t codec, chroma, depth_minus_8;
    uint32_t reserved[3];
    uint8_t is_supported, n_decoders;
    uint16_t formats; /* bits */
    uint32_t max_width, max_height, max_blocks;
    uint16_t min_width, min_height;
    uint8_t has_histogram, histogram_depth;
    uint16_t histogram_bins;
    uint32_t reserved_too[10];
} VideoDecoderAbility;

typedef struct VideoArea {
    int16_t left, top, right, bottom;
} VideoArea;

/* CUVIDDECODECREATEINFO */
typedef struct VideoDecoderParams {
    unsigned long width, height, n_decode_surfaces;
    uint32_t codec, chroma;
    unsigned long flags, depth_minus_8, intra_only, max_width, max_height, reserved;
    VideoArea display;
    uint32_t format, deinterlace;
    unsigned long target_width, target_height, n_output_surfaces;
    void *lock;
    VideoArea target;
    unsigned long has_histogram, reserved_too[4];
} VideoDecoderParams;

/* CUVIDPICPARAMS, without what codecs add. */
typedef struct CodedPicture {
    int32_t width_in_blocks, height_in_blocks, index, is_field, is_bottom, is_second;
    uint32_t size;
    const uint8_t *data;
    uint32_t n_slices;
    const uint32_t *slices;
    int32_t is_reference, is_intra;
} CodedPicture;

/* CUVIDPROCPARAMS */
typedef struct SurfaceRequest {
    int32_t is_progressive, second_field, top_first, unpaired;
    uint32_t reserved_flags, reserved_zero;
    uint64_t raw_input;
    uint32_t raw_input_pitch, raw_input_format;
    uint64_t raw_output;
    uint32_t raw_output_pitch, reserved;
    CudaStream stream;
} SurfaceRequest;

#endif
