/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_H
#define LIBVMAF_H

/*
 * Full-reference video quality: score a distorted video against its reference.
 *
 * Usual order of calls:
 *
 *   vmaf_init
 *   vmaf_model_load, vmaf_use_features_from_model, vmaf_use_feature
 *   { vmaf_picture_alloc x 2, fill, vmaf_read_pictures } for every frame
 *   vmaf_read_pictures(NULL, NULL, 0)
 *   vmaf_score_pooled, vmaf_feature_score_at_index, vmaf_write_output, ...
 *   vmaf_model_destroy, vmaf_close
 *
 * Errors: functions that return int return 0 on success, or a negative errno value (-EINVAL,
 * -ENOMEM, ...). A NULL pointer where an object is needed is -EINVAL.
 *
 * Threads: one thread at a time configures a context, reads pictures, flushes and closes.
 * Meanwhile other threads may request scores and reports. Different contexts are independent. Each
 * context keeps its own log level and CPU mask; functions without a context, such as those that
 * load models, use the log level of the latest vmaf_init.
 *
 * Names and texts that the caller passes are copied.
 */

#include <stdint.h>
#include <stdio.h>

#include "libvmaf/feature.h"
#include "libvmaf/model.h"
#include "libvmaf/picture.h"
#include "libvmaf/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Least important messages that the library writes to stderr. */
enum VmafLogLevel {
    VMAF_LOG_LEVEL_NONE = 0,
    VMAF_LOG_LEVEL_ERROR = 1,
    VMAF_LOG_LEVEL_WARNING = 2,
    VMAF_LOG_LEVEL_INFO = 3,
    VMAF_LOG_LEVEL_DEBUG = 4,
};

/** Formats of reports; libvmaf_ext.h has more. */
enum VmafOutputFormat {
    VMAF_OUTPUT_FORMAT_NONE = 0, /* not a format: -EINVAL */
    VMAF_OUTPUT_FORMAT_XML = 1,
    VMAF_OUTPUT_FORMAT_JSON = 2,
    VMAF_OUTPUT_FORMAT_CSV = 3,
    VMAF_OUTPUT_FORMAT_SUB = 4, /* subtitles */
};

/** How the scores of several frames become one number. */
enum VmafPoolingMethod {
    VMAF_POOL_METHOD_UNKNOWN = 0, /* not a method: -EINVAL */
    VMAF_POOL_METHOD_MIN = 1,
    VMAF_POOL_METHOD_MAX = 2,
    VMAF_POOL_METHOD_MEAN = 3,          /* arithmetic mean */
    VMAF_POOL_METHOD_HARMONIC_MEAN = 4, /* that of score + 1, less 1: a score of 0 takes part */
    VMAF_POOL_METHOD_NB = 5,            /* number of the enumerators before it */
};

/** Settings of a context. */
typedef struct VmafConfiguration {
    enum VmafLogLevel log_level;
    unsigned n_threads;   /* number of worker threads, at most 4096 (larger values count as 4096);
                             0: the calling thread computes */
    unsigned n_subsample; /* score only frames whose index is divisible by it; 0, 1: all frames */
    uint64_t cpumask;     /* set of instruction sets that must not be used; see docs/cli.md */
    uint64_t gpumask;     /* not 0: no GPU backends, except for features pinned to one */
} VmafConfiguration;

/** One comparison of a distorted video with its reference. */
typedef struct VmafContext VmafContext;

/**
 * Create a context.
 *
 * @param vmaf  receives the context, which the caller releases with vmaf_close; NULL on failure
 * @param cfg   settings, copied
 *
 * @return 0; -EINVAL if vmaf is NULL; -ENOMEM.
 */
int vmaf_init(VmafContext **vmaf, VmafConfiguration cfg);

/**
 * Register all features that a model needs. Call it before the first picture. The model stays the
 * caller's; it must exist as long as its scores are requested, but may be destroyed before
 * vmaf_close.
 *
 * @return 0; -EINVAL for a feature that this library does not have, for an option out of range, and
 *         after the first picture; -ENOMEM.
 */
int vmaf_use_features_from_model(VmafContext *vmaf, VmafModel *model);

/** As vmaf_use_features_from_model, for all members of a collection. */
int vmaf_use_features_from_model_collection(VmafContext *vmaf,
                                            VmafModelCollection *model_collection);

/**
 * Register a feature extractor by name. Call it before the first picture.
 *
 * @param feature_name  name of the extractor, for example "psnr"; "vif_cuda" pins it to the backend
 *                      cuda
 * @param opts_dict     options, or NULL for the defaults; the context takes ownership on success,
 *                      the caller keeps it on failure
 *
 * Registering an extractor again with equal options has no effect. If it differs from a registered
 * one only in options that do not appear in the names of scores, the differing options are appended
 * to its keys. docs/metrics has a page for each extractor: its method and source, options and keys.
 *
 * @return 0; -EINVAL for an unknown extractor, an unacceptable value (unknown options are ignored
 *         with a warning), and after the first picture; -ENODEV for a backend that cannot be used;
 *         -ENOMEM.
 */
int vmaf_use_feature(VmafContext *vmaf, const char *feature_name, VmafFeatureDictionary *opts_dict);

/**
 * Store a score that was computed elsewhere, under any key; it takes part in prediction, pooling
 * and reports like the library's own. Reports escape characters that their format cannot hold in a
 * name.
 *
 * @param feature_name  key of the score
 * @param index         frame number
 *
 * @return 0; -EINVAL if the key already has a score at this index; -ENOMEM.
 */
int vmaf_import_feature_score(VmafContext *vmaf, const char *feature_name, double value,
                              unsigned index);

/**
 * Submit a pair of pictures, or, with both NULL, end the stream (flush). The flush waits for all
 * work and completes the scores of the last frames.
 *
 * @param ref,dist   reference and distorted picture, of equal size, format and bit depth, which are
 *                   also those of the first pair; a copy of a structure is not a second picture. On
 *                   success the context takes the references and zeroes the structures; on failure
 *                   they stay the caller's
 * @param index      frame number under which the scores are stored. Each number may be used once,
 *                   in any order. Temporal features take neighbours in the order of the calls
 *
 * The call may block until a worker is free. With n_threads > 0 an error of an earlier frame may be
 * returned by a later call, or by the flush.
 *
 * @return 0; -EINVAL if the pair is rejected (the context goes on without it), if a feature cannot
 *         score such pictures (later reads and the flush then keep returning the error), and for
 *         any call after the flush; -ENOMEM; -ENODEV, -EIO and so on if a backend that was chosen
 *         by name fails.
 */
int vmaf_read_pictures(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist, unsigned index);

/**
 * Score of a model at one frame. It is available as soon as the frames that determine it have been
 * read: the call waits for work in progress on them, but not for frames that were not read yet.
 *
 * @param score  receives the score; undefined after a failure
 *
 * @return 0; -EINVAL if a feature score is missing; -ENOMEM.
 */
int vmaf_score_at_index(VmafContext *vmaf, VmafModel *model, double *score, unsigned index);

/** As vmaf_score_at_index, for a collection: its score with its confidence interval. */
int vmaf_score_at_index_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                         VmafModelCollectionScore *score, unsigned index);

/**
 * Score of a feature at one frame; waits as vmaf_score_at_index does.
 *
 * @param feature_name  exact key of the score ("VMAF_integer_feature_adm2_score"), not its name in
 *                      reports; docs/metrics lists both
 * @return 0; -EINVAL if there is no such score.
 */
int vmaf_feature_score_at_index(VmafContext *vmaf, const char *feature_name, double *score,
                                unsigned index);

/**
 * Score of a model, pooled over the frames index_low to index_high, both included. With
 * n_subsample = n > 1 only indices divisible by n take part. The score is computed for frames for
 * which it was not requested before.
 *
 * @return 0; -EINVAL for index_low > index_high, an unknown method, a missing score, or if no index
 *         takes part; -ENOMEM.
 */
int vmaf_score_pooled(VmafContext *vmaf, VmafModel *model, enum VmafPoolingMethod pool_method,
                      double *score, unsigned index_low, unsigned index_high);

/** As vmaf_score_pooled, for a collection: each of its four values is pooled separately. */
int vmaf_score_pooled_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                       enum VmafPoolingMethod pool_method,
                                       VmafModelCollectionScore *score, unsigned index_low,
                                       unsigned index_high);

/** As vmaf_score_pooled, for a feature, with its key as in vmaf_feature_score_at_index. */
int vmaf_feature_score_pooled(VmafContext *vmaf, const char *feature_name,
                              enum VmafPoolingMethod pool_method, double *score, unsigned index_low,
                              unsigned index_high);

/**
 * Write a report with all scores to a file. The file appears complete or not at all.
 *
 * @return 0; -EINVAL for an unknown format or a path that cannot be opened (with a message on
 *         stderr); -EIO or another errno value if writing fails; the error of a feature that failed
 *         (nothing is written).
 */
int vmaf_write_output(VmafContext *vmaf, const char *output_path, enum VmafOutputFormat fmt);

/** A pool of pictures and the pictures in it. */
typedef struct VmafPictureConfiguration {
    struct {
        unsigned w, h; /* width and height of luma in samples */
        unsigned bpc;  /* bit depth, 8 to 16 */
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    unsigned pic_cnt; /* number of pictures in the pool */
} VmafPictureConfiguration;

/**
 * Create the context's pool of reusable pictures.
 *
 * If both pictures of a pair come from the pool, 4 pictures are enough with n_threads 0, or 5 if
 * speed_temporal runs together with motion with its five-frame window. With worker threads,
 * 2 * (n_threads + 1) + 1 pictures keep all workers busy. With fewer, a fetch can wait for ever.
 *
 * @return 0; -EINVAL for a zero size or count, a bad depth or format; -EBUSY if the context has a
 *         pool; -ENOMEM.
 */
int vmaf_preallocate_pictures(VmafContext *vmaf, VmafPictureConfiguration cfg);

/**
 * Take a picture from the pool; blocks until one is free. Its samples are undefined. The picture
 * returns to the pool like any picture is released: by vmaf_read_pictures or vmaf_picture_unref.
 *
 * @return 0; -EINVAL without a pool.
 */
int vmaf_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

/**
 * Release the context and everything that it holds. The call waits for work in progress, and up to
 * three seconds for a backend that is still starting. It does not wait for pictures that the caller
 * still holds, which stay valid until they are released. It neither flushes nor releases models. No
 * function may be called with the context afterwards.
 *
 * @return 0; -EINVAL.
 */
int vmaf_close(VmafContext *vmaf);

/** Version of the library, as printed in reports. The text lives as long as the library. */
const char *vmaf_version(void);

#ifdef __cplusplus
}
#endif

#endif
