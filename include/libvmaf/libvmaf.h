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
 * All functions that return int return 0, or a negative errno value (-EINVAL, -ENOMEM, ...); a NULL
 * pointer where an object is needed is -EINVAL. A context is used by one thread at a time;
 * different contexts are independent, except that log level and CPU mask are those of the context
 * created last (each context keeps its own copy).
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

enum VmafLogLevel {
    VMAF_LOG_LEVEL_NONE = 0,
    VMAF_LOG_LEVEL_ERROR = 1,
    VMAF_LOG_LEVEL_WARNING = 2,
    VMAF_LOG_LEVEL_INFO = 3,
    VMAF_LOG_LEVEL_DEBUG = 4,
};

enum VmafOutputFormat {
    VMAF_OUTPUT_FORMAT_NONE = 0,
    VMAF_OUTPUT_FORMAT_XML = 1,
    VMAF_OUTPUT_FORMAT_JSON = 2,
    VMAF_OUTPUT_FORMAT_CSV = 3,
    VMAF_OUTPUT_FORMAT_SUB = 4,
};

enum VmafPoolingMethod {
    VMAF_POOL_METHOD_UNKNOWN = 0,
    VMAF_POOL_METHOD_MIN = 1,
    VMAF_POOL_METHOD_MAX = 2,
    VMAF_POOL_METHOD_MEAN = 3,
    VMAF_POOL_METHOD_HARMONIC_MEAN = 4,
    VMAF_POOL_METHOD_NB = 5,
};

typedef struct VmafConfiguration {
    enum VmafLogLevel log_level;
    unsigned n_threads;   /* worker threads; 0 computes in the calling thread; above 4096: 4096 */
    unsigned n_subsample; /* score every n-th frame; 0 and 1 score all */
    uint64_t cpumask;     /* instruction sets that must not be used; see docs/cli.md */
    uint64_t gpumask;     /* not zero: no GPU backends, except for features pinned to one */
} VmafConfiguration;

typedef struct VmafContext VmafContext;

/**
 * Create a context.
 *
 * @param vmaf  receives the context, to be released with vmaf_close; NULL on failure
 * @return 0; -EINVAL if vmaf is NULL; -ENOMEM.
 */
int vmaf_init(VmafContext **vmaf, VmafConfiguration cfg);

/**
 * Register all features that a model needs. Before the first picture. The model must exist as long
 * as scores are requested, but may be destroyed before vmaf_close.
 *
 * @return 0; -EINVAL for a feature that does not exist here, an option out of range, and after the
 *         first picture; -ENOMEM.
 */
int vmaf_use_features_from_model(VmafContext *vmaf, VmafModel *model);

/** As vmaf_use_features_from_model, for all members of a collection. */
int vmaf_use_features_from_model_collection(VmafContext *vmaf,
                                            VmafModelCollection *model_collection);

/**
 * Register a feature extractor by name. Before the first picture.
 *
 * @param feature_name  extractor, for example "psnr"; "vif_cuda" pins it to the backend cuda
 * @param opts_dict     options, or NULL; handed over on success, left to the caller on failure
 *
 * Registering an instance again with equal options has no effect. If an instance differs from a
 * registered one only in options that do not appear in the names of scores, its keys have the
 * differing options appended.
 *
 * @return 0; -EINVAL for an unknown extractor, an unacceptable value (unknown options are ignored
 *         with a warning), and after the first picture; -ENODEV for a backend that cannot be used;
 *         -ENOMEM.
 */
int vmaf_use_feature(VmafContext *vmaf, const char *feature_name, VmafFeatureDictionary *opts_dict);

/**
 * Store a score that was computed elsewhere, under any key; it takes part in prediction, pooling
 * and reports like the library's own. Reports escape what their format cannot hold in a name.
 *
 * @return 0; -EINVAL if the key has a score at this index; -ENOMEM.
 */
int vmaf_import_feature_score(VmafContext *vmaf, const char *feature_name, double value,
                              unsigned index);

/**
 * Hand over a pair of pictures, or, with both NULL, end the stream (flush).
 *
 * @param ref,dist   pictures of equal size, format and bit depth, also equal to those of the first
 *                   pair; a copy of a structure is no second picture. On success the context
 *                   takes the references and zeroes the structures; on failure they stay the
 *                   caller's
 * @param index      frame number under which the scores are stored; each once, in any order.
 *                   Temporal features take neighbours in the order of the calls
 *
 * May block until a worker is free. With n_threads > 0 an error of an earlier frame may be
 * returned by a later call, or by the flush.
 *
 * @return 0; -EINVAL for an unacceptable pair (the context goes on) or a feature that cannot
 *         score such pictures (reads and flush then keep returning the error), and for any call
 *         after the flush; -ENOMEM; -ENODEV, -EIO and so on if a backend that was chosen by name
 *         fails.
 */
int vmaf_read_pictures(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist, unsigned index);

/**
 * Score of a model at one frame. Available as soon as the frames that determine it have been handed
 * over: waits for work in progress on them, but not for later frames.
 *
 * @param score  receives it; undefined after a failure
 *
 * @return 0; -EINVAL if a feature score is missing; -ENOMEM.
 */
int vmaf_score_at_index(VmafContext *vmaf, VmafModel *model, double *score, unsigned index);

/** Score of a collection at one frame, with its confidence interval; otherwise as above. */
int vmaf_score_at_index_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                         VmafModelCollectionScore *score, unsigned index);

/**
 * Score of a feature at one frame.
 *
 * @param feature_name  exact key of the score ("VMAF_integer_feature_adm2_score"), not its name in
 *                      reports; docs/metrics lists both
 * @return 0; -EINVAL if there is no such score.
 */
int vmaf_feature_score_at_index(VmafContext *vmaf, const char *feature_name, double *score,
                                unsigned index);

/**
 * Score of a model, pooled over the frames index_low to index_high, both included. With
 * n_subsample = n > 1 only indices divisible by n take part.
 *
 * @return 0; -EINVAL for index_low > index_high, an unknown method, a missing score, or if no index
 *         takes part; -ENOMEM.
 */
int vmaf_score_pooled(VmafContext *vmaf, VmafModel *model, enum VmafPoolingMethod pool_method,
                      double *score, unsigned index_low, unsigned index_high);

/** Like vmaf_score_pooled: each of the four values of a collection is pooled separately. */
int vmaf_score_pooled_model_collection(VmafContext *vmaf, VmafModelCollection *model_collection,
                                       enum VmafPoolingMethod pool_method,
                                       VmafModelCollectionScore *score, unsigned index_low,
                                       unsigned index_high);

/** Score of a feature, pooled; as vmaf_score_pooled, key as in vmaf_feature_score_at_index. */
int vmaf_feature_score_pooled(VmafContext *vmaf, const char *feature_name,
                              enum VmafPoolingMethod pool_method, double *score, unsigned index_low,
                              unsigned index_high);

/**
 * Write all scores to a file. The file appears complete or not at all.
 *
 * @return 0; -EINVAL for an unknown format or a path that cannot be opened (with a message on
 *         stderr); -EIO or another errno value if writing fails; the error of a feature that failed
 *         (nothing is written).
 */
int vmaf_write_output(VmafContext *vmaf, const char *output_path, enum VmafOutputFormat fmt);

typedef struct VmafPictureConfiguration {
    struct {
        unsigned w, h; /* luma size in samples */
        unsigned bpc;  /* bit depth, 8 to 16 */
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    unsigned pic_cnt; /* pictures in the pool */
} VmafPictureConfiguration;

/**
 * Create the context's pool of reusable pictures.
 *
 * With n_threads 0 and both pictures of a pair from the pool, 4 pictures suffice, or 5 if
 * speed_temporal runs together with motion with its five-frame window; with threads, 2 * (n_threads
 * + 1) + 1 keep all workers busy.
 *
 * @return 0; -EINVAL for a zero size or count, a bad depth or format; -EBUSY if the context has a
 *         pool; -ENOMEM.
 */
int vmaf_preallocate_pictures(VmafContext *vmaf, VmafPictureConfiguration cfg);

/**
 * Take a picture from the pool; blocks until one is free. Its samples are undefined. Released like
 * any picture: by vmaf_read_pictures or vmaf_picture_unref.
 *
 * @return 0; -EINVAL without a pool.
 */
int vmaf_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

/**
 * Release the context and everything that it holds. Waits for work in progress, up to three seconds
 * for a backend that is still starting, but not for pictures that the caller still holds: they stay
 * valid until released. Does not flush, does not touch models.
 *
 * @return 0; -EINVAL.
 */
int vmaf_close(VmafContext *vmaf);

/** Version of the library, as printed in reports. */
const char *vmaf_version(void);

#ifdef __cplusplus
}
#endif

#endif
