/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_EXT_H
#define LIBVMAF_EXT_H

/*
 * Additions of this implementation to the interface of libvmaf 3. Nothing here is needed to use the
 * classic functions, and all of it works together with them. Errors are negative errno values.
 *
 * The library fills in structures that start with struct_size up to the size that the caller states
 * there: set it to sizeof the structure.
 */

#include <stddef.h>
#include <stdint.h>

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reports ---- */

/** Formats beside those of enum VmafOutputFormat. */
enum {
    VMAF_OUTPUT_FORMAT_NDJSON = 16, /* lines of JSON: one for each frame, and a last one; can be
                                       written while frames are scored, see vmaf_report_row_text */
    VMAF_OUTPUT_FORMAT_HTML = 17,   /* the program vmaf alone */
};

/**
 * vmaf_write_output with a printf format for every score, for example "%.17g".
 *
 * @param score_format  one conversion %[flags][width][.precision](e|f|g|a) of a double and nothing
 *                      else that starts with %; NULL prints as vmaf_write_output does
 * @return as vmaf_write_output; -EINVAL for an unacceptable format.
 */
int vmaf_write_output_with_format(VmafContext *vmaf, const char *output_path,
                                  enum VmafOutputFormat fmt, const char *score_format);

/**
 * The same report as a text.
 *
 * @param text  receives it, to be released with free(); NULL on failure
 * @return as above, but for errors of files.
 */
int vmaf_output_text(VmafContext *vmaf, char **text, enum VmafOutputFormat fmt,
                     const char *score_format);

/**
 * More figures among the pooled ones of JSON and XML reports, after harmonic_mean and over the same
 * frames: percentiles p0 to p100, median (p50), and stddev, the standard deviation of a population.
 * Percentiles are interpolated linearly between the neighbours in the sorted scores (type 7 of
 * Hyndman and Fan, Sample quantiles in statistical packages, 1996). Where a score is not finite all
 * of them are NaN, and null in JSON. Not while a report is being written.
 *
 * @param vmaf        NULL: the list is only checked
 * @param statistics  names separated by commas, up to 32: "p1,p5,median,stddev"; NULL: none
 * @return 0; -EINVAL for a name that does not exist; -E2BIG for too many.
 */
int vmaf_report_statistics(VmafContext *vmaf, const char *statistics);

/**
 * One such figure of the scores of an interval, both ends included: of a feature, or of a model
 * whose scores were requested, by its name. Waits for frames in work. From any thread.
 *
 * @param statistic  "p1", "median" and so on
 * @param value      receives it; NaN if a score is not finite
 * @return 0; -EINVAL, also for a missing score; -ENOMEM.
 */
int vmaf_feature_score_statistic(VmafContext *vmaf, const char *feature_name, const char *statistic,
                                 double *value, unsigned index_low, unsigned index_high);

typedef struct VmafScoreInfo {
    size_t struct_size;
    const char *key;  /* for vmaf_feature_score_at_index and vmaf_feature_score_pooled */
    const char *name; /* in reports */
} VmafScoreInfo;

/**
 * Name of score number `index` of those stored so far, in the order of reports: scores of features,
 * and of models whose scores were requested. Texts are valid until the context is closed. From any
 * thread.
 *
 * @return 0; -ERANGE past the last one; -EINVAL; -ENOMEM.
 */
int vmaf_score_info(VmafContext *vmaf, unsigned index, VmafScoreInfo *info);

/**
 * Name of column number `index` of the report, also before there are scores: those that there are,
 * and until the flush those that the registered features will have with their options, in the order
 * of reports. Scores of models join with the first that is requested. What depends on the pictures
 * may not come in the end: chroma where there is none. Texts are valid until the context is closed.
 * From any thread once all features are registered.
 *
 * @return 0; -ERANGE past the last one; -EINVAL; -ENOMEM.
 */
int vmaf_report_column(VmafContext *vmaf, unsigned index, VmafScoreInfo *info);

/**
 * Row of a frame: its scores in the order of reports. Waits until those of all features are known,
 * which may depend on a few later frames. Scores of models are among them if they were requested
 * for this frame before (vmaf_score_at_index), best after a first call without `score`. From any
 * thread, while another one reads pictures.
 *
 * @param index   as in vmaf_read_pictures
 * @param score   called for each score, with its name in reports, which is valid until the context
 *                is closed; NULL: only waits
 * @param cookie  passed to score
 *
 * @return 0; -EAGAIN if scores depend on frames that were not read yet, or on the flush; -EINVAL if
 *         the frame has none (subsampling) or was never read; -ENOMEM; the error of a feature or
 *         backend that failed at or before this frame.
 */
int vmaf_report_row(VmafContext *vmaf, unsigned index,
                    void (*score)(void *cookie, const char *name, double value), void *cookie);

/**
 * The same row as a line of an NDJSON report, with the numbers of a JSON report:
 * {"frameNum":0,"time":0.000000,"metrics":{"psnr_y":34.760779}} and a line feed.
 *
 * @param time  of the frame in seconds; NaN: not known, the line has none
 * @param text  receives it, to be released with free(); "" if the frame has no scores; NULL on
 *              failure
 * @param score_format  as in vmaf_write_output_with_format
 *
 * @return as above; -EINVAL also for an unacceptable format.
 */
int vmaf_report_row_text(VmafContext *vmaf, unsigned index, double time, char **text,
                         const char *score_format);

/**
 * The last line of an NDJSON report: {"pooled_metrics":{...},"aggregate_metrics":{...}} with what
 * these are in JSON reports. After the flush.
 *
 * @return 0; -EINVAL; -ENOMEM; the error of a feature that failed.
 */
int vmaf_report_end_text(VmafContext *vmaf, char **text, const char *score_format);

/* ---- Several distorted videos of one reference ---- */

/*
 * A group scores several distorted videos against one reference in one pass. Its members are
 * contexts; each has features, models, a backend, scores and reports of its own, and they are those
 * that it would have alone. The members share the threads of the group, and on the CPU what depends
 * on the reference alone is computed once for those that have the same features, options and
 * cpumask. To a device that several of them use the reference is uploaded once.
 */

typedef struct VmafGroup VmafGroup;

typedef struct VmafGroupConfiguration {
    size_t struct_size;
    unsigned n_threads; /* worker threads; 0: the work is done in vmaf_group_read_pictures */
} VmafGroupConfiguration;

/** @param group  receives a group without members. @return 0; -EINVAL; -ENOMEM. */
int vmaf_group_create(VmafGroup **group, const VmafGroupConfiguration *cfg);

/**
 * Make a context, which stays the caller's, the next member of a group. The n_threads that it was
 * opened with do not matter any more. From now on vmaf_read_pictures takes no pictures for it
 * (-EBUSY); without pictures that function flushes the member, as ever.
 *
 * @return 0; -EBUSY if it is a member, has been read from or flushed, or the group has read
 *         pictures; -ENOMEM; -EINVAL.
 */
int vmaf_group_add(VmafGroup *group, VmafContext *vmaf);

/**
 * vmaf_read_pictures for all members: one reference picture and a distorted picture for each, from
 * one thread at a time. A member that fails does not stop the others.
 *
 * @param ref     taken over
 * @param dist    of each member, in the order in which they were added; all zero: the member reads
 *                nothing this time, for example since its video has ended. Taken over where status
 *                is 0
 * @param status  receives for each member what vmaf_read_pictures would return; the distorted
 *                picture stays the caller's if that is not 0
 * @return 0; -EINVAL; -ENODEV in a process that was forked from the group's. Then nothing was read
 *         or taken over, and `status` was left alone.
 */
int vmaf_group_read_pictures(VmafGroup *group, VmafPicture *ref, VmafPicture *dist, int *status,
                             unsigned index);

/**
 * Waits for the frames in work, and ends the threads. The members remain with their scores, to be
 * flushed, asked, and closed; they read no more pictures. A member that is closed before the group
 * lets go of all pictures at once, but of its memory only when the group is closed.
 *
 * @return 0; -EINVAL.
 */
int vmaf_group_close(VmafGroup *group);

/* ---- Runs in parts ---- */

/*
 * A run can be cut between any two frames, and its parts scored by different contexts, processes or
 * machines, on different devices: reports come out the same, byte for byte but for fps.
 *
 * What is kept of a frame, a stored frame, are the records of its features, from which scores are
 * finished. That depends on the order of the frames and on where the stream begins and ends, so it
 * is done where all stored frames come together:
 *
 *   part:    vmaf_keep_records(only), the pairs before the part with vmaf_read_context, the pairs
 *            of the part with vmaf_read_pictures and their indices in the whole run, flush;
 *   merge:   the same features and models, vmaf_records_format, vmaf_read_records_from, all stored
 *            frames in the order of the run with vmaf_read_record, flush; then scores and reports;
 *   rescore: a merge with other models, other features of those that are stored, or with options
 *            that only finishing uses.
 *
 * After stored frames pictures may follow, the rest of a run that was interrupted; the first of
 * them need the pairs before them, or are refused. Stored frames are those of the same version of
 * the library. All functions: by the thread that reads pictures.
 */

/**
 * How many pairs before the first of a part the registered features look at. A part that does not
 * begin the run hands over so many with vmaf_read_context, as far as the run has them.
 *
 * @param n_pairs  0 to 2
 * @return 0; -EINVAL.
 */
int vmaf_lead_in(VmafContext *vmaf, unsigned *n_pairs);

/**
 * Remember a pair as a neighbour of those that follow: it is not scored and not counted, and has no
 * index. In the order of the stream, before the first pair of vmaf_read_pictures. Only where no
 * stream begins with that pair: in a context that keeps records and does not finish them, or after
 * stored frames; scores of a first frame would be no longer those of a first frame.
 *
 * @param ref   as in vmaf_read_pictures, with the same ownership
 * @param dist  as in vmaf_read_pictures
 * @return as vmaf_read_pictures; -EINVAL also where a stream begins; -EBUSY after the first pair,
 *         and in a group.
 */
int vmaf_read_context(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist);

typedef struct VmafStoredFrame {
    size_t struct_size;
    unsigned index;   /* as in vmaf_read_pictures */
    const void *data; /* records as vmaf_records_layout says; no alignment is needed. NULL: none,
                         the frame is one that subsampling leaves out */
    size_t n_bytes;
} VmafStoredFrame;

/**
 * State the format of the pictures before the first pair, after all features and models: with it
 * the layout is known, and stored frames can be read. In a context that keeps records this starts
 * what the first pair would start, such as a chosen backend.
 *
 * @return 0, also for the same format once more; -EINVAL for a format that a feature cannot take,
 *         logged, and for another one than before; -EBUSY after the flush; or the error of a chosen
 *         backend; -ENOMEM.
 */
int vmaf_records_format(VmafContext *vmaf, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                        unsigned h);

/**
 * What is where in the data of a stored frame of this context. JSON on one line:
 *
 *   {"bytes":376,"records":[{"feature":"vif","kind":"sums","record":"vif","version":1,
 *    "options":{"vif_skip_scale0":false},"offset":8,"size":128}, ...]}
 *
 * The first bytes are a set: bit k % 8 of byte k / 8 says whether the frame has record number k,
 * and one that is missing is zeroed. Numbers are little-endian. Kinds: "sums" and "bytes" as in
 * backend_records.h, "private" of the feature, "condensed" what the feature has made of its record,
 * "scores" finished by a backend, a double for each output (NaN: none). Options are those on which
 * the record depends. What a feature writes to files, such as heat maps, is not stored: options
 * that name files are none of them.
 *
 * @param json  receives the text, to be released with free()
 * @return 0; -EINVAL before the format is known (vmaf_records_format, or the first pair); -ENOMEM.
 */
int vmaf_records_layout(VmafContext *vmaf, char **json);

/**
 * Let `keep` have the stored frame of each frame that has records. Before the format is known.
 *
 * @param keep    called in the order of the frames, one call at a time, from any thread; must not
 *                call functions of the context. The frame is valid during the call. Not for frames
 *                of vmaf_read_record. A negative errno that it returns is the error of the run,
 *                a positive number is -EIO
 * @param cookie  passed to keep
 * @param only    0: scores are finished as usual; else there are no scores, models and reports
 * @return 0; -EBUSY once the format is known, and after the flush; -EINVAL.
 */
int vmaf_keep_records(VmafContext *vmaf, int (*keep)(void *cookie, const VmafStoredFrame *frame),
                      void *cookie, int only);

/**
 * Say what the stored frames are like that follow. After vmaf_records_format, which states the
 * format that they were made of; once more for frames of another layout. What no feature of the
 * context needs is skipped. Records serve no feature that writes files, whose option is then
 * missing: the layout decides nothing about files.
 *
 * @param layout   text of vmaf_records_layout; it may be damaged
 * @param missing  receives features whose records are missing, with the options that shape them
 *                 where they are not the defaults, "adm:adm_csf_mode=1, ciede", to be released with
 *                 free(); NULL where none is; NULL: not wanted
 * @return 0; -ENOENT if records are missing, or of another kind than those of frames before: a
 *         backend finishes all frames, or none; -EBADMSG if it is no layout; -EINVAL; -EBUSY after
 *         the first pair or the flush, and in a group; -ENOMEM. After a failure there is no
 *         layout.
 */
int vmaf_read_records_from(VmafContext *vmaf, const char *layout, char **missing);

/**
 * The next frame of the stream, in place of vmaf_read_pictures. Its data is not used after the
 * call.
 *
 * @return 0; -EBADMSG, logged, for data that no frame pair of the format can have, or of another
 *         size than that of the layout: nothing was read; -ENODATA (-ENOATTR on FreeBSD, which has
 *         no such number) if a record is wanted of the frame that it does not have; -EINVAL, also
 *         for an index that was read before; -EBUSY after the first pair or the flush; -ENOMEM.
 */
int vmaf_read_record(VmafContext *vmaf, const VmafStoredFrame *frame);

/* ---- Models ---- */

/**
 * Load a model, or a collection, from the text of a model file, wherever it was kept.
 *
 * @param model             as in vmaf_model_load_from_path, or vmaf_model_collection_load_from_path
 * @param model_collection  receives NULL for a single model
 * @param text              `size` bytes, JSON
 *
 * @return 0; -EINVAL for NULL arguments, or a text that is no model; -ENOMEM.
 */
int vmaf_model_load_text(VmafModel **model, VmafModelCollection **model_collection,
                         VmafModelConfig *cfg, const char *text, size_t size);

/* ---- Pictures in the caller's memory ---- */

/**
 * Make a picture of planes that the caller owns; nothing is copied.
 *
 * @param pic      filled in with one reference
 * @param w,h      luma size; chroma is rounded down as in vmaf_picture_alloc
 * @param data     first sample of each plane; a NULL plane is allowed where no registered feature
 *                 needs it (vmaf_planes_needed). Samples of more than 8 bits are aligned to 2 bytes
 * @param stride   bytes from row to row of each plane
 * @param release  called once, from any thread, when the last reference is dropped, also within a
 *                 call of the context and within vmaf_close: it must not call functions of the
 *                 context; may be NULL
 * @param cookie   passed to release
 *
 * @return 0; -EINVAL for a bad format, depth, stride or alignment; -ENOMEM. On failure release is
 *         not called.
 */
int vmaf_picture_wrap(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                      unsigned h, void *const data[3], const ptrdiff_t stride[3],
                      void (*release)(void *cookie), void *cookie);

/**
 * Make a further reference of a picture: the same samples, which stay until all references are
 * dropped with vmaf_picture_unref. For a program that wants to look at a picture after the context
 * has taken it over.
 *
 * @param copy  filled in
 * @return 0; -EINVAL for a picture without reference; -ENOTSUP for one on a device, whose samples
 *         cannot be read here.
 */
int vmaf_picture_share(VmafPicture *copy, const VmafPicture *pic);

/**
 * Let the context keep both pictures of the last pair until the next one is read, also those of
 * vmaf_picture_wrap. It does so with pictures of vmaf_picture_alloc anyway, and never with those of
 * a pool or of a device. A pair that equals the one before, sample by sample, then gets its records
 * from there, which takes as long as to compare them. Before the first pair; a program with few
 * buffers needs one more for each side.
 *
 * @return 0; -EINVAL, also after the first pair.
 */
int vmaf_keep_last_pair(VmafContext *vmaf);

typedef struct VmafFrameMemory VmafFrameMemory;

/**
 * Memory for frames that is used again and again, such as that of a reader. Devices of backends
 * read pictures in it without a copy by the processor, if they can; otherwise it is ordinary
 * memory. The same is true of pictures from vmaf_preallocate_pictures. vmaf_picture_alloc makes
 * memory that is used once, which would cost more to announce to a device than to copy.
 *
 * @param memory   receives the memory, zeroed, in whole pages. Belongs to the caller
 * @param address  receives where it begins
 * @return 0; -ENOMEM; -EINVAL.
 */
int vmaf_frame_memory_alloc(VmafFrameMemory **memory, size_t size, void **address);

/** After all pictures in it were released; before or after vmaf_close. NULL is allowed. */
void vmaf_frame_memory_free(VmafFrameMemory *memory);

/**
 * Says that the planes of a picture of vmaf_picture_wrap are in this memory. Before the picture is
 * read; the memory stays until it was released.
 *
 * @return 0; -EINVAL, also if its first sample is elsewhere.
 */
int vmaf_picture_in_frame_memory(const VmafPicture *pic, VmafFrameMemory *memory);

/**
 * Which planes the registered features read: bit 0 luma, bit 1 Cb, bit 2 Cr. The content of other
 * planes does not matter, so a reader can skip them.
 *
 * @param pix_fmt  format of the pictures to come
 * @return 0; -EINVAL.
 */
int vmaf_planes_needed(VmafContext *vmaf, enum VmafPixelFormat pix_fmt, unsigned *planes);

/* ---- Pictures on a device ---- */

/** What a picture is, and its handles. */
enum VmafImportKind {
    VMAF_IMPORT_CUDA_POINTER = 0,  /* CUdeviceptr of Y, Cb, Cr */
    VMAF_IMPORT_HIP_POINTER = 1,   /* hipDeviceptr_t of Y, Cb, Cr */
    VMAF_IMPORT_USM_POINTER = 2,   /* unified shared memory of Level Zero or SYCL: Y, Cb, Cr */
    VMAF_IMPORT_DMABUF = 3,        /* no handles: the members about objects */
    VMAF_IMPORT_VULKAN_IMAGE = 4,  /* VkImage, VkFormat, VkImageLayout */
    VMAF_IMPORT_VA_SURFACE = 5,    /* VADisplay, VASurfaceID */
    VMAF_IMPORT_METAL_TEXTURE = 6, /* MTLTexture of Y, Cb, Cr */
    VMAF_IMPORT_IOSURFACE = 7,     /* IOSurfaceRef and plane of it, of Y, of Cb, of Cr */
    VMAF_IMPORT_D3D11_TEXTURE = 8, /* ID3D11Device, ID3D11Texture2D, subresource */
};

/** Where the samples are. Interleaved: the second plane holds Cb and Cr in turn. */
enum VmafImportLayout {
    VMAF_IMPORT_PLANAR = 0,
    VMAF_IMPORT_NV12 = 1, /* interleaved bytes */
    VMAF_IMPORT_P010 = 2, /* interleaved words, the value in the highest `bpc` bits */
    VMAF_IMPORT_P016 = 3, /* the same: P010, P012 and P016 differ in `bpc` alone */
};

/** An object to wait for or to signal. */
enum VmafSyncKind {
    VMAF_SYNC_NONE = 0,
    VMAF_SYNC_CUDA_STREAM = 1, /* wait: for what was queued there before the picture is read;
                                  signal: what is queued there later waits. 0: the legacy stream */
    VMAF_SYNC_CUDA_EVENT = 2,
    VMAF_SYNC_HIP_STREAM = 3,
    VMAF_SYNC_HIP_EVENT = 4,
    VMAF_SYNC_VULKAN_TIMELINE = 5, /* VkSemaphore, and the value */
    VMAF_SYNC_FILE = 6,            /* descriptor of a sync file of Linux; wait only */
    VMAF_SYNC_ZE_EVENT = 7,
    VMAF_SYNC_METAL_EVENT = 8, /* MTLSharedEvent, and the value */
    VMAF_SYNC_D3D11_FENCE = 9, /* ID3D11Fence, and the value */
};

typedef struct VmafSync {
    enum VmafSyncKind kind;
    uint64_t handle, value;
} VmafSync;

enum { VMAF_IMPORT_HANDLES = 8, VMAF_IMPORT_OBJECTS = 4 };

typedef struct VmafPictureImport {
    size_t struct_size;
    enum VmafImportKind kind;
    enum VmafImportLayout layout;
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, w, h; /* of luma; chroma is rounded down as in vmaf_picture_alloc */
    unsigned planes; /* bit 0 luma, bits 1 and 2 chroma: those that exist; 0: all of the format */
    unsigned n_handles;
    uint64_t handles[VMAF_IMPORT_HANDLES]; /* as the kind says; 0 for planes that do not exist */
    ptrdiff_t stride[3];                   /* pointers: bytes from row to row of each plane */
    uint64_t
        size; /* pointers: bytes that are there from each address on; 0: those of the picture */
    /* DMABUF. The descriptors stay the caller's. */
    uint32_t fourcc;   /* DRM_FORMAT_*; 0: as layout, format and depth say */
    uint64_t modifier; /* DRM_FORMAT_MOD_* */
    unsigned n_objects;
    int object[VMAF_IMPORT_OBJECTS];
    uint64_t object_size[VMAF_IMPORT_OBJECTS];
    unsigned plane_object[VMAF_IMPORT_OBJECTS];
    uint64_t plane_offset[VMAF_IMPORT_OBJECTS];
    VmafSync wait, signal;
    void (*release)(void *cookie); /* may be NULL */
    void *cookie;
} VmafPictureImport;

/**
 * Make a picture of one that is on a device already; nothing is copied. The backend of the context
 * must have been chosen by name (vmaf_backend_select, vmaf_cuda_import_state and the like), and
 * both pictures of a pair are to be on its device. They may be read before what they wait for has
 * happened. The caller keeps the picture behind it alive and unchanged until it is released.
 *
 * @param pic  filled in with one reference. When the last one is dropped, `signal` is signalled,
 * and then `release` is called, from any thread: in vmaf_read_pictures at the earliest, and never
 * if the backend hangs and may still read the picture (pictures_kept)
 *
 * @return 0; -ENOTSUP if there is no such backend, or it does not take this kind, layout or
 *         synchronisation; -EINVAL; -ENOMEM; -ENODEV; -EIO. The log and the reason of
 *         vmaf_backend_status say why. On failure nothing is signalled and release is not called.
 */
int vmaf_picture_import(VmafContext *vmaf, VmafPicture *pic, const VmafPictureImport *import);

/* ---- Backends ---- */

/*
 * Backends are plugins (docs/backends.md). The default of a context is "auto": the CPU begins, and
 * backends join in the background once about a second of scoring is likely to be left: every
 * hardware device, once, by the first backend in the order cuda, sycl, hip, metal, other native
 * ones, vulkan, other portable ones. Scores do not depend on them. The environment variable
 * VMAF_BACKEND names a backend for programs that choose none. VmafConfiguration.gpumask other than
 * 0 excludes them all.
 *
 * Texts from these functions are valid until the context is closed, those from functions without a
 * context until the process ends.
 */

/** Whether a backend can be used, and if not, why. */
enum VmafAvailability {
    VMAF_AVAILABILITY_USABLE = 0,
    VMAF_AVAILABILITY_PLUGIN_NOT_FOUND = 1,
    VMAF_AVAILABILITY_PLUGIN_LOAD_ERROR = 2,
    VMAF_AVAILABILITY_ABI_MISMATCH = 3,
    VMAF_AVAILABILITY_DRIVER_MISSING = 4,
    VMAF_AVAILABILITY_NO_DEVICE = 5,
    VMAF_AVAILABILITY_INIT_FAILED = 6,
    VMAF_AVAILABILITY_DISABLED = 7,       /* excluded by the caller */
    VMAF_AVAILABILITY_UNSUPPORTED_OS = 8, /* exists on other systems only */
    VMAF_AVAILABILITY_NOT_ASKED = 9,
};

/**
 * Choose what computes the features. Call before the first picture.
 *
 * "cpu": the CPU only. "auto": the default, but backends are started at once. Any other name:
 * that backend, strictly: this call opens its device, the CPU computes what it declines, and if it
 * fails later, reads and the flush return an error. Of several devices the last has to fail for
 * that; the others compute the frames of one that is lost.
 *
 * @param device  index in the backend's own enumeration; -1: the first that is not software, or
 *                else the first; -2: all that are not software, or else all. All of them compute
 *                the same features: one that computes fewer than the others is left out, and so is
 *                one that does not start, with a warning. With "auto" and "cpu" it must be -1
 *
 * @return 0; -ENODEV if the plugin, driver or device is missing or does not work, -EINVAL for a
 *         device out of range (vmaf_backend_status says which and why); -EBUSY after the first
 *         picture or if another backend was chosen; -EINVAL.
 */
int vmaf_backend_select(VmafContext *vmaf, const char *name, int device);

/**
 * Make a backend a candidate of "auto", with a device: its index, or -1 or -2 as above, which both
 * mean all. After the first call only the backends named in such calls are candidates; software
 * devices count as well. Before the first picture.
 *
 * @return 0; -EBUSY after the first picture; -EINVAL; -ENOMEM.
 */
int vmaf_backend_consider(VmafContext *vmaf, const char *name, int device);

/** Exclude a backend from the candidates of "auto". Before the first picture. @return as above. */
int vmaf_backend_exclude(VmafContext *vmaf, const char *name);

typedef struct VmafBackendTuning {
    size_t struct_size;
    unsigned join_after; /* "auto": number of frames handed over before a backend is started; 0:
                            start it when about a second of scoring is likely to be left, judged by
                            the waiting frames and the time spent so far */
    unsigned frames_in_flight; /* wanted from a backend; 0: 4 */
    unsigned time_limit;       /* ms for a frame's records and for opening; 0: 10000, and 60000 for
                                  opening, since drivers compile kernels then; starts again while
                                  the call consumes processor time, at most ten times */
    unsigned reserved;         /* 0; was padding in earlier versions */
    unsigned spot_check; /* interval of a backend's frames that the CPU computes as well to compare;
                            1: all frames, whatever the cost; VMAF_SPOT_CHECK_OFF; 0: the value of
                            VMAF_BACKEND_SPOT_CHECK (where 0 is off), else 128 */
} VmafBackendTuning;

/* For measurements: wrong scores of a backend that passes its self-test then go unnoticed. */
#define VMAF_SPOT_CHECK_OFF 0xffffffffu

/** Before the first picture. @return 0; -EBUSY after it; -EINVAL. */
int vmaf_backend_tune(VmafContext *vmaf, const VmafBackendTuning *tuning);

enum VmafBackendPhase {
    VMAF_BACKEND_PHASE_CPU = 0,      /* the CPU alone: by choice, or because nothing else is left */
    VMAF_BACKEND_PHASE_WAITING = 1,  /* "auto": not enough frames yet */
    VMAF_BACKEND_PHASE_STARTING = 2, /* being started */
    VMAF_BACKEND_PHASE_ACTIVE = 3,   /* takes part */
    VMAF_BACKEND_PHASE_FAILED = 4,   /* a backend that was chosen by name has failed */
};

typedef struct VmafBackendStatus {
    size_t struct_size;
    enum VmafBackendPhase phase;
    enum VmafAvailability availability; /* of the backend `name` */
    int error;                          /* negative errno of the last failure, or 0 */
    unsigned frame;                     /* index at which an active backend failed; else 0 */
    int failed_active;                  /* 1: it had been active */
    int device_index;                   /* -1: none */
    const char *name;                   /* chosen by name, or active, or failed last; "cpu" */
    const char *device;                 /* name of the device, or NULL */
    const char *reason;                 /* of the failure, or NULL */
    /* 1: a spot check has found wrong results of the backend `name`. The run has failed with -EIO,
     * also with "auto", and no scores are available: the pixels of possibly wrong frames are gone.
     * A new context that excludes the backend can score the same video. */
    int spot_check_failed;
    unsigned spot_checks;          /* frames that were checked */
    unsigned spot_check_downloads; /* pictures copied from a device for them alone */
    int reads_frame_memory;        /* 1: the device reads frame memory (vmaf_frame_memory_alloc)
                                      directly; frames elsewhere are copied by the processor */
    unsigned frames_in_flight;     /* that the active backend takes at a time: fewer than it was
                                      asked for if it has no memory for more */
    unsigned downloads; /* pictures copied from a device because the CPU, or a backend on another
                           device, computes a feature; those of spot checks are not among them */
    uint64_t frames;    /* whose features are computed so far */
    uint64_t frames_by_backend; /* of these, those of which a backend has computed any */
    int starting; /* 1: "auto" is still bringing devices up, on a thread of its own, also while
                     others are active already */
    int hangs;    /* 1: a call into the driver of a device has not returned in time, also if others
                     went on. Such a thread may make drivers crash when the program ends normally */
} VmafBackendStatus;

/** State of the context's backend. @return 0; -EINVAL. */
int vmaf_backend_status(VmafContext *vmaf, VmafBackendStatus *status);

/** Why a feature is computed where it is. */
enum VmafPlacement {
    VMAF_PLACEMENT_UNDECIDED = 0, /* before the first picture, or no backend has been active */
    VMAF_PLACEMENT_BACKEND = 1,
    VMAF_PLACEMENT_NOT_COMPUTED = 2,                      /* the backend does not compute it */
    VMAF_PLACEMENT_NO_TWIN = VMAF_PLACEMENT_NOT_COMPUTED, /* its former name */
    VMAF_PLACEMENT_NOT_EXACT = 3, /* only within a bound, which "auto" does not accept */
    VMAF_PLACEMENT_OPTION = 4,    /* it cannot honour the option `option` */
    VMAF_PLACEMENT_FORMAT = 5,    /* it cannot take pictures of this size, depth or format */
    VMAF_PLACEMENT_MASKED = 6,    /* gpumask */
    VMAF_PLACEMENT_DECLINED = 7,  /* it declined for the reason `reason` */
    VMAF_PLACEMENT_SELF_TEST = 8, /* its records differed from the CPU's in the self-test */
};

typedef struct VmafFeaturePlacement {
    size_t struct_size;
    const char *extractor; /* as registered, without a suffix */
    const char *backend;   /* that computes it; "cpu" */
    enum VmafPlacement placement;
    const char *option; /* or NULL */
    const char *reason; /* or NULL */
} VmafFeaturePlacement;

/** Registered feature number `index`. @return 0; -ERANGE past the last one; -EINVAL. */
int vmaf_feature_placement(VmafContext *vmaf, unsigned index, VmafFeaturePlacement *placement);

typedef struct VmafBackendEvent {
    size_t struct_size;
    const char *backend;
    unsigned frame; /* index of the oldest frame that was affected */
    const char *reason;
    unsigned pictures_kept; /* pictures that a hanging backend may still read: their release
                               functions are never called */
    int device_index;       /* of the device that was lost; -1: the application's own */
    const char *device;     /* its name, or NULL */
} VmafBackendEvent;

/** Loss of a device during the run, in order. @return 0; -ERANGE past the last one; -EINVAL. */
int vmaf_backend_event(VmafContext *vmaf, unsigned index, VmafBackendEvent *event);

typedef struct VmafBackendDeviceUse {
    size_t struct_size;
    const char *backend;
    int device_index;            /* as in vmaf_backend_device_info; -1: the application's own */
    const char *device;          /* its name, or NULL */
    enum VmafBackendPhase phase; /* STARTING, ACTIVE; FAILED: it was lost, or left out; CPU: there
                                    is nothing that it computes, or it has finished */
    const char *reason;          /* of the failure, or NULL */
    unsigned frames_in_flight;   /* that it takes at a time; 0 before it is active */
    uint64_t frames;             /* of which it has computed anything */
} VmafBackendDeviceUse;

/**
 * Device number `index` of those that take part in the run, or were chosen by name, or did so, in
 * the order in which they joined. A context uses each device once, by one backend. From any thread.
 *
 * @return 0; -ERANGE past the last one; -EINVAL; -ENODEV in a process that was forked meanwhile.
 */
int vmaf_backend_device_use(VmafContext *vmaf, unsigned index, VmafBackendDeviceUse *use);

/**
 * Name of known backend number `index`, in native-first order. Programs may offer known backends
 * and lists include them, installed or not. Searches for nothing, loads nothing.
 *
 * @param title  receives the name as people write it ("CUDA"); NULL: not wanted
 * @return the name; NULL past the last one, with `title` left alone.
 */
const char *vmaf_backend_known(unsigned index, const char **title);

typedef struct VmafBackendInfo {
    size_t struct_size;
    const char *name;
    const char *path;        /* of the plugin's file; NULL: none was found, or it is the CPU */
    const char *version;     /* of the plugin; NULL: not loaded */
    const char *description; /* NULL: not loaded */
    enum VmafAvailability availability;
    int error;          /* negative errno of the failure, or 0 */
    const char *reason; /* why it is not usable, for people; or NULL */
    unsigned n_devices;
    unsigned n_unusable_devices; /* that cannot be opened: numbered after the others */
} VmafBackendInfo;

/**
 * Backend number `index`: the CPU, then the known backends in native-first order, then everything
 * else in the search path, including refused files.
 *
 * @param probe  0: nothing is loaded; else plugins are loaded and their devices enumerated, in a
 *               helper process first, which may take seconds
 * @return 0; -ERANGE past the last one; -EINVAL; -ENOMEM.
 */
int vmaf_backend_info(unsigned index, int probe, VmafBackendInfo *info);

enum VmafComputeDeviceKind {
    VMAF_COMPUTE_DEVICE_UNKNOWN = 0,
    VMAF_COMPUTE_DEVICE_DISCRETE = 1,
    VMAF_COMPUTE_DEVICE_INTEGRATED = 2,
    VMAF_COMPUTE_DEVICE_VIRTUAL = 3,
    VMAF_COMPUTE_DEVICE_SOFTWARE = 4,
};

typedef struct VmafComputeDevice {
    size_t struct_size;
    const char *id; /* stable: UUID or PCI address */
    const char *name, *vendor, *driver;
    enum VmafComputeDeviceKind kind;
    uint64_t memory_bytes;
    const char *unusable; /* why it cannot be opened; NULL: it can */
    /* The same hardware, of a backend that comes earlier in native-first order and can use it;
     * NULL, -1: none is known. */
    const char *same_as;
    int same_as_index;
    /* 0 and NULL where the backend does not know. */
    unsigned compute_units;
    unsigned copy_engines; /* that work while it computes */
    unsigned subgroup_size;
    unsigned group_memory; /* bytes of a work-group */
    const char *pci;       /* address, "0000:01:00.0" */
    int has_uuid, has_luid;
    uint8_t uuid[16], luid[8];
} VmafComputeDevice;

typedef struct VmafBackendFeatureInfo {
    size_t struct_size;
    const char *name; /* of libvmaf's feature, or of one of the backend's own: pinned to the backend
                         they are called <name>_<backend> and <backend>_<name> */
    const char *help; /* of an own feature, one line; else NULL */
    int is_own;       /* 1: an own feature */
} VmafBackendFeatureInfo;

/** Feature number `index` of a backend, whose plugin is loaded. @return 0; -ERANGE; -ENODEV;
 * -EINVAL. */
int vmaf_backend_feature_info(const char *backend, unsigned index, VmafBackendFeatureInfo *info);

/**
 * Device number `index` of a backend, which is probed. Those that cannot be opened follow the
 * others, for callers whose structure has the member `unusable`.
 *
 * @return 0; -ERANGE; -ENODEV; -EINVAL.
 */
int vmaf_backend_device_info(const char *backend, unsigned index, VmafComputeDevice *info);

enum { VMAF_CAPABILITIES_NO_PROBE = 1 }; /* load no plugin */

/**
 * Everything that this library and its plugins can do, as one JSON document
 * (docs/capabilities.schema.json).
 *
 * @param out       receives the text, to be released with free()
 * @param flags     VMAF_CAPABILITIES_*
 * @return 0; -ENOMEM; -EINVAL. Never fails because of a plugin or a device.
 */
int vmaf_capabilities_json(char **out, unsigned flags);

/**
 * The same, but without loading some plugins, which appear as disabled.
 *
 * @param only      NULL, or the only backend that may be loaded
 * @param excluded  names, ends with NULL; NULL: none
 */
int vmaf_capabilities_json_of(char **out, unsigned flags, const char *only,
                              const char *const excluded[]);

/* ---- What this library contains ---- */

enum VmafOptionType {
    VMAF_OPTION_TYPE_BOOL = 0,   /* "true" or "false" */
    VMAF_OPTION_TYPE_INT = 1,    /* decimal integer */
    VMAF_OPTION_TYPE_DOUBLE = 2, /* number */
    VMAF_OPTION_TYPE_STRING = 3,
};

typedef struct VmafExtractorInfo {
    size_t struct_size;
    const char *name;    /* name for vmaf_use_feature */
    const char *summary; /* one line */
    unsigned n_options;
} VmafExtractorInfo;

typedef struct VmafOptionInfo {
    size_t struct_size;
    const char *name;
    const char *alias; /* short name that appears in keys; NULL if the option never does */
    const char *help;  /* one line */
    enum VmafOptionType type;
    double default_value;       /* of bool (0 or 1), int and double */
    const char *default_string; /* of string; may be NULL */
    double min, max;            /* range of int and double, inclusive */
    int names_files;            /* 1: of string; it names files that are written */
} VmafOptionInfo;

typedef struct VmafBuiltinModelInfo {
    size_t struct_size;
    const char *name;  /* version for vmaf_model_load or vmaf_model_collection_load */
    int is_collection; /* 1: to be loaded with vmaf_model_collection_load */
} VmafBuiltinModelInfo;

/** Feature extractor number `index`. @return 0; -ERANGE past the last one; -EINVAL. */
int vmaf_extractor_info(unsigned index, VmafExtractorInfo *info);

/** Option number `index` of an extractor. @return 0; -ERANGE past the last one; -EINVAL. */
int vmaf_extractor_option_info(const char *extractor, unsigned index, VmafOptionInfo *info);

/** Built-in model number `index`. @return 0; -ERANGE past the last one; -EINVAL. */
int vmaf_builtin_model_info(unsigned index, VmafBuiltinModelInfo *info);

#ifdef __cplusplus
}
#endif

#endif
