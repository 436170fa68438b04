/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_API_API_SUPPORT_H
#define TESTS_API_API_SUPPORT_H

/*
 * Shared by the tests of the public interface: a clip from a formula, contexts that score it, and
 * assertions that print what they saw. Public headers only.
 */

#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_ext.h"
#include "support/cases.h"

/* Size, format and bit depth of pictures. */
typedef struct Shape {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, w, h;
} Shape;

/* The clip of the known scores: 96x64, 4:2:0, 8 bit. */
extern const Shape clip_f;
/* The smallest shape that all features of the classic models accept. */
extern const Shape tiny;

enum { CLIP_F_FRAMES = 5 };

/*
 * Sample (x, y) of plane p in frame f: 7x + 13y + 5f + 31p, and in the distorted picture every
 * third sample or so moved by up to two, all modulo the number of code values.
 */
void fill_picture(VmafPicture *pic, bool distorted, unsigned frame);

/* Fails the test if there is no memory. */
VmafPicture make_picture(Shape shape, bool distorted, unsigned frame);
/* Makes both pictures of a frame and hands them over; releases them if they are rejected. */
int read_frame(VmafContext *vmaf, Shape shape, unsigned frame, unsigned index);
/* Frames 0 to n-1; fails the test if one is rejected. */
void read_frames(VmafContext *vmaf, Shape shape, unsigned n);
int flush(VmafContext *vmaf);
/* The same frames and the flush, which has to succeed. */
void read_clip(VmafContext *vmaf, Shape shape, unsigned n);

/* Opens a context that logs nothing. */
VmafContext *open_context(unsigned n_threads, unsigned n_subsample);
/* The same with features, up to NULL, with their default options. */
VmafContext *open_with_features(unsigned n_threads, unsigned n_subsample, const char *feature, ...)
    __attribute__((sentinel));
/* The same with the features of a model. */
VmafContext *open_with_model(unsigned n_threads, unsigned n_subsample, VmafModel *model);
void flush_and_close(VmafContext *vmaf);
/* The model is destroyed first. */
void close_with_model(VmafContext *vmaf, VmafModel *model);
VmafModel *load_model(const char *version);

/* Option dictionary from name, value, name, value, ..., NULL. */
VmafFeatureDictionary *options(const char *name, ...);
/* vmaf_use_feature that must succeed. */
void use(VmafContext *vmaf, const char *feature, VmafFeatureDictionary *dict);

double feature_score(VmafContext *vmaf, const char *key, unsigned index);
double model_score(VmafContext *vmaf, VmafModel *model, unsigned index);
bool has_feature_score(VmafContext *vmaf, const char *key, unsigned index);

/* Equal to the last bit; prints 17 digits if not. */
void expect_equal(const char *what, double actual, double expected, const char *file, int line);
#define expect_score(actual, expected) expect_equal(#actual, actual, expected, __FILE__, __LINE__)

#define assert_success(call) assert_int_equal(call, 0)
#define assert_refused(call) assert_int_equal(call, -22 /* EINVAL */)

/* The report as text, with its frame rate, which differs from run to run, replaced; to be freed. */
char *report_text(VmafContext *vmaf, enum VmafOutputFormat format);
/* A file name that nothing else uses, to be freed; the file does not exist. */
char *temporary_path(void);

#endif
