/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_EXTRACTOR_H
#define METRICS_FRAMEWORK_EXTRACTOR_H

/*
 * An extractor, the definition of a metric: options, outputs, and two functions with a record
 * between them.
 *
 *   accumulate   pixels of one frame -> record. Any thread, any order, any executor.
 *   finish       record -> scores. In the order of the frames, one frame at a time.
 *
 * Where a record takes long to finish there is a third one, so that frames do not wait for it:
 *
 *   condense     record -> what is finished instead. Any thread of the CPU, any order.
 *
 * An extractor is constant data. Everything else lives in a params (constants for one stream,
 * shared by all workers), in scratch memory (one per worker) and in the sequence state of an
 * instance.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/libvmaf_ext.h"
#include "metrics/framework/option.h"
#include "picture/picture.h"
#include "support/dictionary.h"
#include "support/log.h"

enum { FEATURE_MAX_HISTORY = 2 };

/* Planes as bits: Y, Cb, Cr. A picture without chroma has the first alone. */
enum { PLANE_Y = 1, PLANE_CB = 2, PLANE_CR = 4, PLANE_CHROMA = PLANE_CB | PLANE_CR };

/* Several distorted pictures are accumulated with one reference: what depends on it alone is kept
 * in the scratch memory with the first, and taken from there with the others. */
typedef enum ReferenceUse { REFERENCE_ALONE, REFERENCE_KEEP, REFERENCE_AGAIN } ReferenceUse;

/* Pixels of one frame and of its neighbours. */
typedef struct FrameInput {
    const VmafPicture *ref;
    const VmafPicture *dist;
    /* Pictures read one and two calls earlier; NULL before the start of the stream, and if the
     * extractor does not need them. */
    const VmafPicture *earlier_ref[FEATURE_MAX_HISTORY];
    const VmafPicture *earlier_dist[FEATURE_MAX_HISTORY];
    ReferenceUse use; /* ALONE unless the extractor has shared_rows */
} FrameInput;

/* Rows begin <= y < end of luma; the bands of a frame partition its rows. Each scale of a
 * multi-scale metric cuts its own rows at the same relative positions. */
typedef struct RowBand {
    unsigned begin, end;
} RowBand;

typedef struct FeatureNeeds {
    unsigned planes;       /* PLANE_* that are read */
    unsigned ref_history;  /* earlier reference pictures, 0 to 2 */
    unsigned dist_history; /* earlier distorted pictures, 0 to 2 */
} FeatureNeeds;

/* Sets of bit depths: all supported ones, and those that one of four factors maps to the 8-bit
 * range. */
enum {
    DEPTHS_8_TO_16 = 0x1ff00,
    DEPTHS_8_TO_12 = 0x1f00,
    DEPTHS_COMMON = 1 << 8 | 1 << 10 | 1 << 12 | 1 << 16,
};

/* Pictures that a metric accepts; zeros: any. */
typedef struct FeatureLimits {
    unsigned size;   /* minimum size of luma in each direction, in samples */
    unsigned depths; /* DEPTHS_* */
    bool chroma;     /* chroma planes are required */
} FeatureLimits;

/*
 * What a record consists of, for files, in which numbers have another byte order than on some
 * machines: numbers of `size` bytes, from byte `rest` on of `rest_size`. Zeros: 8 bytes each.
 */
typedef struct RecordNumbers {
    unsigned char size, rest_size;
    size_t rest; /* 0: there are no others */
} RecordNumbers;
#define RECORD_OF_F32                                                                              \
    {                                                                                              \
        .size = 4                                                                                  \
    }

/*
 * The record between the two functions. One with an identifier is defined in backend_records.h, and
 * backends may compute it; all others are private to their metric.
 */
typedef struct FeatureRecord {
    const char *id; /* NULL: private */
    unsigned version;
    /* In bytes; 0: only record_size knows. With an option that names files (OPTION_FILES) it is the
     * part that is stored. */
    size_t size;
    /* True if a frame pair can have this record, with samples that fill their bytes; bounds are
     * those of backend_records.h. With an identifier only. */
    bool (*is_possible)(const void *record, const void *options, const PictureFormat *format);
    bool is_bytes; /* of kind BYTES: its size depends on options and format; else of kind SUMS */
    RecordNumbers numbers;
} FeatureRecord;

/* What a record is condensed to. */
typedef struct CondensedRecord {
    size_t size; /* in bytes; all of them are determined by the record */
    /* True if it is a possible condensed record, which can be finished. */
    bool (*is_possible)(const void *condensed);
    RecordNumbers numbers;
} CondensedRecord;

enum {
    OUTPUT_PROVIDED = 1 << 0, /* models can find the extractor by this name; options show in keys */
    OUTPUT_LATE = 1 << 1,     /* in reports its column follows those of the per-frame scores */
};

typedef struct FeatureOutput {
    const char *name; /* base name */
    unsigned flags;
} FeatureOutput;

/* Outputs that are written only with an option of type bool. */
typedef struct OutputCondition {
    unsigned first, count; /* outputs */
    const char *option;
} OutputCondition;

/* Receives scores. Errors are sticky in the sink; the engine checks them. */
typedef struct FeatureSink FeatureSink;
void feature_sink_write(FeatureSink *sink, unsigned output, double value); /* this frame's index */
void feature_sink_write_at(FeatureSink *sink, unsigned output, unsigned index, double value);
void feature_sink_aggregate(FeatureSink *sink, const char *name, double value);

typedef struct FinishInput {
    void *state; /* of the instance; NULL if it has none */
    const void *options;
    const PictureFormat *format;
    /* The frame's record, condensed; NULL at the end of the stream. */
    const void *record;
    uint64_t position; /* number of the frame in the order of calls, from 0 */
    unsigned index;    /* index that the caller gave it */
    Reason *why;       /* receives what people should know of a failure; NULL: nobody asks */
} FinishInput;

enum {
    EXTRACTOR_EVERY_FRAME = 1 << 0,    /* sub-sampling does not skip frames */
    EXTRACTOR_REFERENCE_ONLY = 1 << 1, /* the record does not depend on distorted pictures */
    EXTRACTOR_BRIEF = 1 << 2,          /* to accumulate takes no longer than to read the samples */
};

typedef struct FeatureExtractor {
    const char *name;
    const char *summary; /* one line, for --list-features */
    unsigned flags;
    const FeatureOutput *outputs;      /* ends with a NULL name; index = `output` of the sink */
    const OutputCondition *conditions; /* of outputs; ends with an option NULL; NULL: none */
    const char *const *also_provides;  /* further names for models, or NULL; ends with NULL */
    const OptionSpec *options;         /* ends with a NULL name */
    size_t options_size;
    /* For extractors created at run time: stored at the start of every option struct, where their
     * functions find it. NULL for all others. */
    const void *origin;

    FeatureLimits limits;
    FeatureNeeds needs;
    FeatureRecord record;
    CondensedRecord condensed; /* zeros without `condense` */

    /* -- optional functions for what depends on options or on the stream -- */

    /* Checks values that only the extractor can judge, when the feature is requested. */
    int (*check_options)(const void *options, Reason *why);
    /* Checks limits beyond `limits`, when the first pair is read: 0 or -EINVAL with a reason that
     * names the extractor and states the limit. */
    int (*check_format)(const void *options, const PictureFormat *format, Reason *why);
    /* Used instead of `needs` and of the size of `record`. */
    FeatureNeeds (*needs_of)(const void *options);
    size_t (*record_size)(const void *options, const PictureFormat *format);

    /* -- accumulate; all NULL for an extractor that reads no pixels -- */

    /*
     * Constants for one stream. `variants` are the option structs of n requests that differ in
     * options marked OPTION_ACCUMULATE or OPTION_CONDENSE; work that they have in common is done
     * once. The option structs outlive the params. 0, -ENOMEM. Optional, as is the next: NULL then.
     */
    int (*params_create)(void **params, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags);
    int (*scratch_create)(void **scratch, const void *params);
    /* NULL allowed. Without a function, memory_free releases them. */
    void (*params_destroy)(void *params);
    void (*scratch_destroy)(void *scratch);
    /*
     * Adds the band's part of the frame to the record of each variant; records[i] NULL means that
     * variant i is not wanted. Records start zeroed. Extractors whose record does not merge receive
     * whole frames only. 0 or a negative errno.
     */
    int (*accumulate)(const void *params, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[]);
    /*
     * Rows, at most, of a band that several distorted pictures have in common with one reference:
     * it is accumulated with KEEP for the first, then with AGAIN for the others, of the same
     * variants. 0 if the extractor keeps nothing of a reference.
     */
    unsigned shared_rows;
    /* Adds one record to another; NULL if records of this metric do not merge. */
    void (*merge)(void *into, const void *from, size_t record_size);

    /*
     * Condenses the record of each variant in place, to no more bytes than it has; records[i] NULL
     * means that it is not there. Records of variants that differ in options marked
     * OPTION_CONDENSE alone are equal. They may hold anything that is possible for a record, and do
     * not merge. Optional.
     */
    void (*condense)(const void *params, void *scratch, void *const records[]);

    /* -- finish -- */

    size_t state_size; /* sequence state of an instance, zeroed at the start of a stream */
    /* For state that owns resources. Called also for a state that is still zeroed. Optional. */
    void (*state_destroy)(void *state);
    /* Called for every accumulated frame, in order. 0 or a negative errno. */
    int (*finish)(const FinishInput *input, FeatureSink *sink);
    /* Called once, at the end of the stream, if at least one frame was finished. Optional. */
    int (*flush)(const FinishInput *input, FeatureSink *sink);
    /* Position of the last frame on which output `output` of the frame at `position` depends. NULL:
     * the frame itself. */
    uint64_t (*determined_by)(const void *options, unsigned output, uint64_t position);
} FeatureExtractor;

/* -- its functions, or what applies if it has none -- */

/* What an extractor needs of pictures, the size of its record, and whether it accepts a format: 0,
 * or -EINVAL with a reason that names it. */
FeatureNeeds extractor_needs(const FeatureExtractor *extractor, const void *options,
                             enum VmafPixelFormat pix_fmt);
size_t extractor_record_size(const FeatureExtractor *extractor, const void *options,
                             const PictureFormat *format);
int extractor_check_format(const FeatureExtractor *extractor, const void *options,
                           const PictureFormat *format, Reason *why);

int extractor_params_create(const FeatureExtractor *extractor, void **params,
                            const PictureFormat *format, const void *const variants[],
                            unsigned n_variants, unsigned cpu_flags);
void extractor_params_destroy(const FeatureExtractor *extractor, void *params);
int extractor_scratch_create(const FeatureExtractor *extractor, void **scratch, const void *params);
void extractor_scratch_destroy(const FeatureExtractor *extractor, void *scratch);

/* merge for records that are arrays of 64-bit sums: member-wise, modulo 2^64. */
void record_merge_sums(void *into, const void *from, size_t record_size);

/*
 * Receives scores from finish functions. A receiver embeds this struct and fills in the functions,
 * which store an error in `status`; after an error nothing more is delivered.
 */
struct FeatureSink {
    int status; /* 0 or the first error */
    void (*write)(FeatureSink *sink, unsigned output, unsigned index, double value);
    void (*aggregate)(FeatureSink *sink, const char *name, double value);
    unsigned index; /* of the frame that is being finished */
};

/* -- the list of extractors -- */

/* Extractors of the core, in the order in which lists show them. NULL past the last. */
const FeatureExtractor *registry_get(unsigned index);
/* By exact name; NULL if there is none. */
const FeatureExtractor *registry_find(const char *name);
/* By the base name of a feature, as in models; NULL if no extractor provides it. */
const FeatureExtractor *registry_find_provider(const char *feature_name);

/* `null`: accepts every frame and computes nothing; for timing everything else. */
extern const FeatureExtractor null_extractor;

/* -- limits of pictures and of records -- */

/* Limits that several metrics have: 0, or -EINVAL with a reason that states the limit. The reason
 * begins with `metric`. */
int check_limits(const char *metric, const FeatureLimits *limits, const PictureFormat *format,
                 Reason *why);
/* At least `minimum` samples of luma in each direction. */
int check_minimum_size(const char *metric, const PictureFormat *format, unsigned minimum,
                       Reason *why);
/* Accepts any format with chroma planes. */
int check_has_chroma(const char *metric, const PictureFormat *format, Reason *why);

/* For the bounds of records; see FeatureRecord. */
static inline uint64_t n_samples_of(const PictureFormat *format, unsigned plane)
{
    return (uint64_t)format->w[plane] * format->h[plane];
}

/* The largest sample that memory can hold: one above the nominal depth is harmless, and no sign of
 * a broken backend. */
static inline uint64_t largest_sample(const PictureFormat *format)
{
    return format->bpc == 8 ? 255 : 65535;
}

static inline bool is_between(int64_t value, uint64_t limit)
{
    return value >= 0 && (uint64_t)value <= limit;
}

/* -- option tables, the values that they describe, and keys -- */

/*
 * Fills the option struct with defaults, then with the entries of the dictionary (NULL allowed).
 * String values point into the dictionary. Unknown names are passed to `unknown` if it is not
 * NULL, and otherwise ignored. -EINVAL with a reason for a value that is malformed or out of range.
 */
int options_parse(void *options, const OptionSpec *specs, const Dictionary *dict,
                  void (*unknown)(void *cookie, const char *name), void *cookie, Reason *why);

/* True if all options with any of the flags are equal in a and b; flags 0 means all options. */
bool options_equal(const void *a, const void *b, const OptionSpec *specs, unsigned flags);
bool option_is_default(const void *options, const OptionSpec *spec);
bool option_equal(const void *a, const void *b, const OptionSpec *spec);
/* Value of a bool (0 or 1), int or double, and of a string. */
double option_number(const void *options, const OptionSpec *spec);
const char *option_string(const void *options, const OptionSpec *spec);
/* The first option that is set and names files to write; NULL: there is none. */
const OptionSpec *option_that_names_files(const void *options, const OptionSpec *specs);
const OptionSpec *option_find(const OptionSpec *specs, const char *name);

enum { FEATURE_KEY_SIZE = 256 }; /* with the terminator; longer keys are cut */

/* Name under which reports show a key; the key itself if it has no alias. */
const char *feature_alias(const char *key);

/*
 * Key of a score: the base name, or, if OPTION_NAMED options differ from their defaults, its
 * alias with a suffix for each of them, sorted by long option name.
 */
void feature_key(char key[FEATURE_KEY_SIZE], const char *base_name, const OptionSpec *specs,
                 const void *options);

/*
 * The same for an instance that differs from another one only in options that do not appear in
 * keys: these are appended as _<option>_<value>, sorted by option name.
 */
void feature_key_distinct(char key[FEATURE_KEY_SIZE], const char *base_name,
                          const OptionSpec *specs, const void *options, const void *other_options);

#endif
