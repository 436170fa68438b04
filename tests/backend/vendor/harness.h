/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_BACKEND_VENDOR_HARNESS_H
#define TESTS_BACKEND_VENDOR_HARNESS_H

/* A made-up clip for tests of the vendor headers, and its scores as the CPU has them. */

#include <stdbool.h>
#include <stddef.h>

#include "backend/plugins/membuf.h"
#include "libvmaf/libvmaf_ext.h"

enum { CLIP_MAX_FRAMES = 32, CLIP_MAX_FEATURES = 6, CLIP_MAX_KEYS = 10 };

typedef struct Clip {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    unsigned n_frames, n_threads;
    const char *features[CLIP_MAX_FEATURES + 1]; /* end with NULL */
    const char *keys[CLIP_MAX_KEYS + 1];
} Clip;

/* The format in what describes pictures. */
#define CLIP_FORMAT(clip)                                                                          \
    .w = (clip)->w, .h = (clip)->h, .bpc = (clip)->bpc, .pix_fmt = (clip)->pix_fmt

typedef struct Scores {
    double values[CLIP_MAX_KEYS][CLIP_MAX_FRAMES];
} Scores;

/* psnr and motion, which the backends compute, and vif, which they do not. */
extern const Clip small_clip;
/* The same of luma alone. */
extern const Clip luma_clip;

/* The extension of a test backend. */
const MembufExtension *membuf_of(const char *backend);
/* Nothing of it is left. */
bool membuf_is_clean(const char *backend);

VmafContext *clip_context(const Clip *clip);
void clip_use_features(const Clip *clip, VmafContext *vmaf);
VmafPicture clip_picture(const Clip *clip); /* in host memory */
void clip_draw(const VmafPicture *pic, unsigned frame, bool distorted);
/* Writes one plane of a drawn picture to the device. */
void clip_write_plane(const Clip *clip, const char *backend, unsigned plane, uint64_t address,
                      ptrdiff_t stride, unsigned frame, bool distorted);
/* Fills a picture whose addresses are those of the device. */
void clip_write(const Clip *clip, const char *backend, const VmafPicture *pic, unsigned frame,
                bool distorted);

/* Hands over all frames, which are drawn in host memory, and flushes. */
void clip_read(const Clip *clip, VmafContext *vmaf);
/* All scores; the flush is done. */
void clip_ask(const Clip *clip, VmafContext *vmaf, Scores *scores);
/* Equal, bit for bit, to what the CPU computes of the same clip in host memory. */
bool clip_is_true(const Clip *clip, const Scores *scores);
/* All scores, of which there are no others. */
void clip_check(const Clip *clip, VmafContext *vmaf);
VmafBackendStatus clip_status(VmafContext *vmaf);
/* What computes a feature ("cpu", or a backend). */
const char *clip_backend_of(VmafContext *vmaf, const char *extractor);

#endif
