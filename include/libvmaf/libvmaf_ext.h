/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_EXT_H
#define LIBVMAF_EXT_H

/*
 * Additions of this implementation to the interface of libvmaf 3. Nothing here is needed to use the
 * classic functions, and all of it works together with them. Errors are negative errno values.
 * The rules for threads are those of libvmaf.h.
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
    VMAF_OUTPUT_FORMAT_NDJSON = 16, /* lines of JSON: one for each frame, and a last one; they can
                                       be written while frames are scored, see
                                       vmaf_report_row_text */
    VMAF_OUTPUT_FORMAT_HTML = 17,   /* only the program vmaf writes it */
};

/**
 * vmaf_write_output with a printf format for every score, for example "%.17g".
 *
 * @param score_format  one conversion %[flags][width][.precision](e|f|g|a) of a double and nothing
 *                      else that starts with %; NULL prints as vmaf_write_output does
 * @return as vmaf_write_output; -EINVAL also for another score_format.
 */
int vmaf_write_output_with_format(VmafContext *vmaf, const char *output_path,
                                  enum VmafOutputFormat fmt, const char *score_format);

/**
 * The same report as a text.
 *
 * @param text  receives the report, to be released with free(); NULL on failure
 * @return as vmaf_write_output_with_format, without the errors of files.
 */
int vmaf_output_text(VmafContext *vmaf, char **text, enum VmafOutputFormat fmt,
                     const char *score_format);

/**
 * Add statistics to the pooled scores of JSON and XML reports, after harmonic_mean and over the
 * same frames: percentiles p0 to p100, median (p50), and stddev, the standard deviation of a
 * population. Percentiles are interpolated linearly between the neighbours in the sorted scores
 * (type 7 of Hyndman and Fan, Sample quantiles in statistical packages, 1996). Where a score is not
 * finite all of them are NaN, and null in JSON. Do not call it while a report is being written.
 *
 * @param vmaf        context; NULL: the list is only checked
 * @param statistics  names separated by commas, up to 32: "p1,p5,median,stddev"; NULL: none
 * @return 0; -EINVAL for a name that does not exist; -E2BIG for more than 32 names.
 */
int vmaf_report_statistics(VmafContext *vmaf, const char *statistics);

/**
 * One such statistic of the scores from index_low to index_high, both included. Waits for frames in
 * work. May be called from any thread.
 *
 * @param feature_name  key of a feature's score, or name of a model whose scores were requested
 * @param statistic     "p1", "median" and so on
 * @param value         receives the statistic, in the unit of the score; NaN if a score is not
 *                      finite
 * @return 0; -EINVAL, also for a missing score; -ENOMEM.
 */
int vmaf_feature_score_statistic(VmafContext *vmaf, const char *feature_name, const char *statistic,
                                 double *value, unsigned index_low, unsigned index_high);

/** The two names of a score. */
typedef struct VmafScoreInfo {
    size_t struct_size;
    const char *key;  /* for vmaf_feature_score_at_index and vmaf_feature_score_pooled */
    const char *name; /* the name in reports */
} VmafScoreInfo;

/**
 * Names of score number `index` of those stored so far, in the order of reports: scores of
 * features, and of models whose scores were requested. The texts are valid until the context is
 * closed. May be called from any thread.
 *
 * @return 0; -ERANGE past the last one; -EINVAL; -ENOMEM.
 */
int vmaf_score_info(VmafContext *vmaf, unsigned index, VmafScoreInfo *info);

/**
 * Names of column number `index` of the report, in the order of reports. The columns are the scores
 * that are stored and, until the flush, also those that the registered features will store with
 * their options; so they are known before the first score. Columns of a model are added with its
 * first requested score. Columns that depend on the pictures may be missing in the end, such as
 * chroma of pictures without chroma. The texts are valid until the context is closed. May be called
 * from any thread once all features are registered.
 *
 * @return 0; -ERANGE past the last one; -EINVAL; -ENOMEM.
 */
int vmaf_report_column(VmafContext *vmaf, unsigned index, VmafScoreInfo *info);

/**
 * Row of a frame: its scores in the order of reports. The call waits until the scores of all
 * features are known, which may depend on a few later frames. A model's score is among them if it
 * was requested for this frame before (vmaf_score_at_index), best after a first call with `score`
 * NULL. May be called from any thread, while another one reads pictures.
 *
 * @param index   frame number, as in vmaf_read_pictures
 * @param score   called for each score, with its name in reports, which is valid until the context
 *                is closed; NULL: the call only waits
 * @param cookie  passed to score
 *
 * @return 0; -EAGAIN if scores depend on frames that were not read yet, or on the flush; -EINVAL if
 *         the frame has no scores (subsampling) or was never read; -ENOMEM; the error of a feature
 *         or backend that failed at or before this frame.
 */
int vmaf_report_row(VmafContext *vmaf, unsigned index,
                    void (*score)(void *cookie, const char *name, double value), void *cookie);

/**
 * The same row as a line of an NDJSON report, with the numbers of a JSON report:
 * {"frameNum":0,"time":0.000000,"metrics":{"psnr_y":34.760779}} and a line feed.
 *
 * @param time  time of the frame in seconds; NaN: it is not known, and the line has none
 * @param text  receives the line, to be released with free(); "" if the frame has no scores; NULL
 *              on failure
 * @param score_format  as in vmaf_write_output_with_format
 *
 * @return as vmaf_report_row; -EINVAL also for another score_format.
 */
int vmaf_report_row_text(VmafContext *vmaf, unsigned index, double time, char **text,
                         const char *score_format);

/**
 * The last line of an NDJSON report: {"pooled_metrics":{...},"aggregate_metrics":{...}} with the
 * content that these have in JSON reports. Call it after the flush.
 *
 * @param text  receives the line, to be released with free()
 * @param score_format  as in vmaf_write_output_with_format
 *
 * @return 0; -EINVAL; -ENOMEM; the error of a feature that failed.
 */
int vmaf_report_end_text(VmafContext *vmaf, char **text, const char *score_format);

/* ---- Several distorted videos of one reference ---- */

/*
 * A group scores several distorted videos against one reference in one pass. Its members are
 * contexts; each has features, models, a backend, scores and reports of its own, which are the same
 * as without the group. The members share the worker threads of the group. On the CPU, work that
 * depends on the reference alone is done once for members that have the same features, options and
 * cpumask. The reference is uploaded once to a device that several members use.
 *
 * One thread at a time uses a group or configures, flushes and closes its members; other threads
 * may request scores meanwhile.
 */

typedef struct VmafGroup VmafGroup;

typedef struct VmafGroupConfiguration {
    size_t struct_size;
    unsigned n_threads; /* number of worker threads; 0: vmaf_group_read_pictures computes */
} VmafGroupConfiguration;

/**
 * Create a group without members.
 *
 * @param group  receives the group, to be released with vmaf_group_close
 * @return 0; -EINVAL; -ENOMEM.
 */
int vmaf_group_create(VmafGroup **group, const VmafGroupConfiguration *cfg);

/**
 * Make a context, which stays the caller's, the next member of a group. The n_threads that it was
 * opened with no longer matter. From now on vmaf_read_pictures takes no pictures for it (-EBUSY);
 * with both pictures NULL it flushes the member, as usual.
 *
 * @return 0; -EBUSY if the context is a member already, has read pictures or was flushed, or if the
 *         group has read pictures; -ENOMEM; -EINVAL.
 */
int vmaf_group_add(VmafGroup *group, VmafContext *vmaf);

/**
 * vmaf_read_pictures for all members: one reference picture and a distorted picture for each, from
 * one thread at a time. A member that fails does not stop the others.
 *
 * @param ref     reference picture; the group takes the reference to it if the call returns 0
 * @param dist    array of a distorted picture for each member, in the order in which the members
 *                were added. A structure that is all zero: the member reads nothing this time, for
 *                example since its video has ended
 * @param status  receives for each member what vmaf_read_pictures would return. Where it is 0 the
 *                member takes its distorted picture; otherwise the picture stays the caller's
 * @return 0; -EINVAL; -ENODEV in a process that was forked from the group's. After an error nothing
 *         was read or taken, and `status` is unchanged.
 */
int vmaf_group_read_pictures(VmafGroup *group, VmafPicture *ref, VmafPicture *dist, int *status,
                             unsigned index);

/**
 * Wait for the frames in work, and end the worker threads. The members keep their scores; they can
 * be flushed, queried and closed, but read no more pictures. A member that is closed before the
 * group releases all pictures at once, but its memory only when the group is closed.
 *
 * @return 0; -EINVAL.
 */
int vmaf_group_close(VmafGroup *group);

/* ---- Runs in parts ---- */

/*
 * A run can be cut between any two frames, and its parts scored by different contexts, processes or
 * machines, on different devices: the reports are the same, byte for byte, except for fps.
 *
 * A stored frame holds the records of the frame's features. Scores are finished from records, which
 * depends on the order of the frames and on where the stream begins and ends; so it is done where
 * all stored frames come together:
 *
 *   part:    vmaf_keep_records(only), the pairs before the part with vmaf_read_context, the pairs
 *            of the part with vmaf_read_pictures and their indices in the whole run, flush;
 *   merge:   the same features and models, vmaf_records_format, vmaf_read_records_from, all stored
 *            frames in the order of the run with vmaf_read_record, flush; then scores and reports;
 *   rescore: a merge with other models, other features of those that are stored, or with options
 *            that only finishing uses.
 *
 * After stored frames pictures may follow, as the rest of a run that was interrupted; the first of
 * them are rejected unless the pairs before them were read with vmaf_read_context. Stored frames
 * can be read only by the version of the library that made them. All these functions are called by
 * the thread that reads pictures.
 */

/**
 * Number of pairs before the first pair of a part that the registered features need. A part that
 * does not begin the run submits that many with vmaf_read_context, or as many as the run has.
 *
 * @param n_pairs  receives the number, 0 to 2
 * @return 0; -EINVAL.
 */
int vmaf_lead_in(VmafContext *vmaf, unsigned *n_pairs);

/**
 * Remember a pair as a neighbour of those that follow: it is not scored and not counted, and has no
 * index. Call it in the order of the stream, before the first pair of vmaf_read_pictures. It is
 * allowed only where the stream does not begin with that pair: in a context that keeps records and
 * does not finish them, or after stored frames. Elsewhere the scores of the first frame would no
 * longer be those of a first frame.
 *
 * @param ref,dist  as in vmaf_read_pictures, with the same ownership
 * @return as vmaf_read_pictures; -EINVAL also where the stream begins; -EBUSY after the first pair,
 *         and in a group.
 */
int vmaf_read_context(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist);

/** The records of a frame. */
typedef struct VmafStoredFrame {
    size_t struct_size;
    unsigned index;   /* frame number, as in vmaf_read_pictures */
    const void *data; /* records as vmaf_records_layout describes them, with any alignment. NULL:
                         there are none, since subsampling leaves out the frame */
    size_t n_bytes;   /* size of data */
} VmafStoredFrame;

/**
 * State the format of the pictures before the first pair, after all features and models were
 * registered. From then on the layout is known, and stored frames can be read. In a context that
 * keeps records this starts what the first pair would start, such as a chosen backend.
 *
 * @param bpc  bit depth
 * @param w,h  luma size in samples
 * @return 0, also for the same format once more; -EINVAL for a format that a feature cannot take,
 *         with a message in the log, and for another format than before; -EBUSY after the flush;
 *         the error of a chosen backend; -ENOMEM.
 */
int vmaf_records_format(VmafContext *vmaf, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                        unsigned h);

/**
 * Layout of the data of a stored frame of this context, as JSON on one line:
 *
 *   {"bytes":376,"records":[{"feature":"vif","kind":"sums","record":"vif","version":1,
 *    "options":{"vif_skip_scale0":false},"offset":8,"size":128}, ...]}
 *
 * The first bytes are a set: bit k % 8 of byte k / 8 is 1 if the frame has record number k; the
 * bytes of a missing record are 0. "offset" and "size" are in bytes, numbers are little-endian. The
 * kinds are "sums" and "bytes", as in backend_records.h; "private", a format of the feature's own;
 * "condensed", what the feature has computed from its record; and "scores", finished by a backend,
 * a double for each output (NaN: there is none). "options" are those on which the record depends.
 * Files that a feature writes, such as heat maps, are not stored, and options that name files are
 * never among them.
 *
 * @param json  receives the text, to be released with free()
 * @return 0; -EINVAL before the format is known (vmaf_records_format, or the first pair); -ENOMEM.
 */
int vmaf_records_layout(VmafContext *vmaf, char **json);

/**
 * Pass the stored frame of each frame that has records to `keep`. Call it before the format is
 * known (vmaf_records_format, or the first pair).
 *
 * @param keep    called in the order of the frames, one call at a time, from any thread, but not
 *                for frames of vmaf_read_record. It must not call functions of the context. The
 *                library owns the frame, which is valid during the call. The callback returns 0; a
 *                negative errno is the error of the run, and a positive number makes it -EIO
 * @param cookie  passed to keep
 * @param only    0: scores are finished as usual; else there are no scores, models and reports
 * @return 0; -EBUSY once the format is known, and after the flush; -EINVAL.
 */
int vmaf_keep_records(VmafContext *vmaf, int (*keep)(void *cookie, const VmafStoredFrame *frame),
                      void *cookie, int only);

/**
 * State the layout of the stored frames that follow. Call it after vmaf_records_format, which
 * states the format of the pictures that they were made from, and again before frames of another
 * layout. Records that no feature of the context needs are skipped. A feature that writes files
 * cannot use records: it counts as missing, together with the option that names the files.
 *
 * @param layout   text of vmaf_records_layout; it is checked, and may be damaged
 * @param missing  receives the features whose records are missing, each with the options that
 *                 change the record and differ from their defaults ("adm:adm_csf_mode=1, ciede"),
 *                 to be released with free(), or NULL if there are none; may be NULL
 * @return 0; -ENOENT if records are missing, or of another kind than those of frames before, since
 *         a backend finishes all frames or none; -EBADMSG if the text is not a layout; -EINVAL;
 *         -EBUSY after the first pair or the flush, and in a group; -ENOMEM. After a failure no
 *         layout is set.
 */
int vmaf_read_records_from(VmafContext *vmaf, const char *layout, char **missing);

/**
 * Read the next frame of the stream, in place of vmaf_read_pictures. Its data stays the caller's
 * and is not used after the call.
 *
 * @return 0; -EBADMSG, with a message in the log, for data that no frame pair of the format can
 *         have, or of another size than that of the layout: nothing was read; -ENODATA (-ENOATTR on
 *         FreeBSD, which has no such number) if the frame lacks a record that is needed; -EINVAL,
 *         also for an index that was read before; -EBUSY after the first pair or the flush;
 *         -ENOMEM.
 */
int vmaf_read_record(VmafContext *vmaf, const VmafStoredFrame *frame);

/* ---- Models ---- */

/**
 * Load a model, or a collection, from the text of a model file.
 *
 * @param model             as in vmaf_model_load_from_path, or vmaf_model_collection_load_from_path
 * @param model_collection  receives the collection, or NULL for a single model
 * @param text              JSON of `size` bytes; it is not used after the call
 *
 * @return 0; -EINVAL for NULL arguments, or a text that is not a model; -ENOMEM.
 */
int vmaf_model_load_text(VmafModel **model, VmafModelCollection **model_collection,
                         VmafModelConfig *cfg, const char *text, size_t size);

/* ---- Pictures in the caller's memory ---- */

/**
 * Make a picture of planes that the caller owns; nothing is copied. The samples must not change
 * until the picture is released.
 *
 * @param pic      filled in with one reference
 * @param w,h      luma size in samples; chroma is rounded down as in vmaf_picture_alloc
 * @param data     first sample of each plane; a plane may be NULL if no registered feature needs it
 *                 (vmaf_planes_needed). Samples of more than 8 bits are aligned to 2 bytes
 * @param stride   bytes from row to row of each plane; may be negative
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
 * Make another reference to a picture, for a program that reads a picture after the context has
 * taken it. The samples are the same; they stay until all references are dropped with
 * vmaf_picture_unref.
 *
 * @param copy  filled in with the new reference
 * @return 0; -EINVAL for a picture without a reference; -ENOTSUP for a picture on a device, whose
 *         samples the program cannot read.
 */
int vmaf_picture_share(VmafPicture *copy, const VmafPicture *pic);

/**
 * Let the context keep both pictures of the last pair until the next pair is read, also if they are
 * from vmaf_picture_wrap. It always keeps pictures of vmaf_picture_alloc, and never those of a pool
 * or of a device. A pair that equals the one before, sample by sample, then gets the same records,
 * in the time that the comparison takes. Call it before the first pair. A program with few buffers
 * needs one more for each side.
 *
 * @return 0; -EINVAL, also after the first pair.
 */
int vmaf_keep_last_pair(VmafContext *vmaf);

typedef struct VmafFrameMemory VmafFrameMemory;

/**
 * Allocate memory for frames that is used again and again, such as the buffers of a reader. Devices
 * that can read pictures there directly do so, without a copy by the processor; otherwise it is
 * ordinary memory. The same is true of pictures from vmaf_preallocate_pictures. Pictures of
 * vmaf_picture_alloc are used once: to register them with a device would cost more than a copy.
 *
 * @param memory   receives the memory, to be released with vmaf_frame_memory_free
 * @param size     bytes; the memory is zeroed and consists of whole pages
 * @param address  receives the address of its first byte
 * @return 0; -ENOMEM; -EINVAL.
 */
int vmaf_frame_memory_alloc(VmafFrameMemory **memory, size_t size, void **address);

/**
 * Free frame memory, after all pictures in it were released, before or after vmaf_close. NULL is
 * allowed.
 */
void vmaf_frame_memory_free(VmafFrameMemory *memory);

/**
 * Declare that the planes of a picture of vmaf_picture_wrap are in this memory. Call it before the
 * picture is read. The memory must stay until the picture is released.
 *
 * @return 0; -EINVAL, also if the first sample of the picture is elsewhere.
 */
int vmaf_picture_in_frame_memory(const VmafPicture *pic, VmafFrameMemory *memory);

/**
 * Planes that the registered features read. The content of other planes does not matter, so a
 * reader can skip them.
 *
 * @param pix_fmt  format of the pictures to come
 * @param planes   receives a set: bit 0 luma, bit 1 Cb, bit 2 Cr
 * @return 0; -EINVAL.
 */
int vmaf_planes_needed(VmafContext *vmaf, enum VmafPixelFormat pix_fmt, unsigned *planes);

/* ---- Pictures on a device ---- */

/** Kind of an imported picture, with the members of `handles`. */
enum VmafImportKind {
    VMAF_IMPORT_CUDA_POINTER = 0,  /* CUdeviceptr of Y, Cb, Cr */
    VMAF_IMPORT_HIP_POINTER = 1,   /* hipDeviceptr_t of Y, Cb, Cr */
    VMAF_IMPORT_USM_POINTER = 2,   /* unified shared memory of Level Zero or SYCL: Y, Cb, Cr */
    VMAF_IMPORT_DMABUF = 3,        /* no handles, but the members from fourcc to plane_offset */
    VMAF_IMPORT_VULKAN_IMAGE = 4,  /* VkImage, VkFormat, VkImageLayout */
    VMAF_IMPORT_VA_SURFACE = 5,    /* VADisplay, VASurfaceID */
    VMAF_IMPORT_METAL_TEXTURE = 6, /* MTLTexture of Y, Cb, Cr */
    VMAF_IMPORT_IOSURFACE = 7,     /* IOSurfaceRef and number of its plane, of Y, of Cb, of Cr */
    VMAF_IMPORT_D3D11_TEXTURE = 8, /* ID3D11Device, ID3D11Texture2D, subresource */
};

/** How samples lie in memory. Interleaved: the second plane holds Cb and Cr in turn. */
enum VmafImportLayout {
    VMAF_IMPORT_PLANAR = 0,
    VMAF_IMPORT_NV12 = 1, /* interleaved bytes */
    VMAF_IMPORT_P010 = 2, /* interleaved words, the value in the highest `bpc` bits */
    VMAF_IMPORT_P016 = 3, /* the same: P010, P012 and P016 differ in `bpc` alone */
};

/** Kind of an object to wait for or to signal. */
enum VmafSyncKind {
    VMAF_SYNC_NONE = 0,
    VMAF_SYNC_CUDA_STREAM = 1,     /* wait: for work that was queued there before the picture is
                                      read; signal: work that is queued there later waits. 0: the
                                      legacy stream */
    VMAF_SYNC_CUDA_EVENT = 2,      /* an event that has been recorded */
    VMAF_SYNC_HIP_STREAM = 3,      /* as CUDA_STREAM */
    VMAF_SYNC_HIP_EVENT = 4,       /* as CUDA_EVENT */
    VMAF_SYNC_VULKAN_TIMELINE = 5, /* VkSemaphore, and the value to reach */
    VMAF_SYNC_FILE = 6,            /* descriptor of a sync file of Linux; wait only */
    VMAF_SYNC_ZE_EVENT = 7,        /* ze_event_handle_t */
    VMAF_SYNC_METAL_EVENT = 8,     /* MTLSharedEvent, and the value to reach */
    VMAF_SYNC_D3D11_FENCE = 9,     /* ID3D11Fence, and the value to reach */
};

typedef struct VmafSync {
    enum VmafSyncKind kind;
    uint64_t handle, value; /* value: only for kinds that have one */
} VmafSync;

enum { VMAF_IMPORT_HANDLES = 8, VMAF_IMPORT_OBJECTS = 4 };

/** A picture on a device, for vmaf_picture_import. */
typedef struct VmafPictureImport {
    size_t struct_size;
    enum VmafImportKind kind;
    enum VmafImportLayout layout;
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, w, h; /* bit depth, and luma size in samples; chroma is rounded down as in
                           vmaf_picture_alloc */
    unsigned planes;    /* set of the planes that exist: bit 0 luma, bits 1 and 2 chroma; 0: all
                           planes of the format */
    unsigned n_handles;
    uint64_t handles[VMAF_IMPORT_HANDLES]; /* see `kind`; 0 for planes that do not exist */
    ptrdiff_t stride[3];                   /* for pointers: bytes from row to row of each plane */
    uint64_t size; /* for pointers: bytes of memory from each address on; 0: as many as the picture
                      needs */
    /* For DMABUF. The caller keeps the descriptors. */
    uint32_t fourcc;   /* DRM_FORMAT_*; 0: it follows from layout, format and depth */
    uint64_t modifier; /* DRM_FORMAT_MOD_* */
    unsigned n_objects;
    int object[VMAF_IMPORT_OBJECTS];            /* file descriptors */
    uint64_t object_size[VMAF_IMPORT_OBJECTS];  /* bytes */
    unsigned plane_object[VMAF_IMPORT_OBJECTS]; /* index of the object that holds each plane */
    uint64_t plane_offset[VMAF_IMPORT_OBJECTS]; /* bytes */
    VmafSync wait, signal;         /* waited for before the picture is read; signalled afterwards */
    void (*release)(void *cookie); /* called when the picture is free; may be NULL */
    void *cookie;                  /* passed to release */
} VmafPictureImport;

/**
 * Make a VmafPicture of a picture that is on a device already; nothing is copied. The backend of
 * the context must have been chosen by name (vmaf_backend_select, vmaf_cuda_import_state and the
 * like), and both pictures of a pair must be on its device. vmaf_read_pictures may be called before
 * the event that `wait` names has happened. The caller keeps the imported picture alive and
 * unchanged until it is released.
 *
 * @param pic  filled in with one reference. When the last reference is dropped, `signal` is
 *             signalled, and then `release` is called, from any thread: in vmaf_read_pictures at
 *             the earliest, and never if the backend hangs and may still read the picture
 *             (pictures_kept of VmafBackendEvent)
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
 * context until the process ends. The library owns them.
 */

/** Usable, or the reason why a backend cannot be used. */
enum VmafAvailability {
    VMAF_AVAILABILITY_USABLE = 0,
    VMAF_AVAILABILITY_PLUGIN_NOT_FOUND = 1,
    VMAF_AVAILABILITY_PLUGIN_LOAD_ERROR = 2,
    VMAF_AVAILABILITY_ABI_MISMATCH = 3,   /* built for another major version of the interface */
    VMAF_AVAILABILITY_DRIVER_MISSING = 4, /* the vendor's driver is not installed */
    VMAF_AVAILABILITY_NO_DEVICE = 5,
    VMAF_AVAILABILITY_INIT_FAILED = 6,    /* a device or a session could not be opened */
    VMAF_AVAILABILITY_DISABLED = 7,       /* excluded by the caller */
    VMAF_AVAILABILITY_UNSUPPORTED_OS = 8, /* the backend exists on other systems only */
    VMAF_AVAILABILITY_NOT_ASKED = 9,      /* not probed */
};

/**
 * Choose what computes the features. Call it before the first picture.
 *
 * @param name    "cpu": the CPU only. "auto": the default, but backends are started at once. Any
 *                other name: that backend, strictly. Then this call opens its device, the CPU
 *                computes the features that the backend declines, and if the backend fails later,
 *                reads and the flush return an error. With several devices that happens when the
 *                last one fails; the others compute the frames of one that is lost
 * @param device  index in the backend's own enumeration; -1: the first that is not software, or
 *                else the first; -2: all that are not software, or else all. All of them compute
 *                the same features: a device that computes fewer than the others is left out, and
 *                so is one that does not start, with a warning. It must be -1 with "auto" and "cpu"
 *
 * @return 0; -ENODEV if the plugin, driver or device is missing or does not work, -EINVAL for a
 *         device out of range (vmaf_backend_status says which and why); -EBUSY after the first
 *         picture or if another backend was chosen; -EINVAL.
 */
int vmaf_backend_select(VmafContext *vmaf, const char *name, int device);

/**
 * Make a backend a candidate of "auto". After the first call only the backends named in such calls
 * are candidates; software devices count as well. Call it before the first picture.
 *
 * @param device  index of a device; -1, -2: all devices
 * @return 0; -EBUSY after the first picture; -EINVAL; -ENOMEM.
 */
int vmaf_backend_consider(VmafContext *vmaf, const char *name, int device);

/**
 * Exclude a backend from the candidates of "auto". Call it before the first picture.
 *
 * @return as vmaf_backend_consider.
 */
int vmaf_backend_exclude(VmafContext *vmaf, const char *name);

/** Settings of backends. Zero in a member after struct_size is its default. */
typedef struct VmafBackendTuning {
    size_t struct_size;
    unsigned join_after; /* "auto": number of frames that are read before a backend is started; 0:
                            start it when about a second of scoring is likely to be left, estimated
                            from the waiting frames and the time spent so far */
    unsigned frames_in_flight; /* number of frames that a backend shall work on at a time; 0: 4 */
    unsigned time_limit;       /* milliseconds for a frame's records and for opening; 0: 10000, and
                                  60000 for opening, since drivers compile kernels then. The limit
                                  starts again while the call consumes processor time, at most ten
                                  times */
    unsigned reserved;         /* 0; was padding in earlier versions */
    unsigned spot_check; /* n: the CPU computes one in n of a backend's frames as well and compares
                            the records; 1: all frames, whatever the cost; VMAF_SPOT_CHECK_OFF:
                            none; 0: the value of the environment variable VMAF_BACKEND_SPOT_CHECK
                            (where 0 means none), or 128 if it is not set */
} VmafBackendTuning;

/** No spot checks, for measurements: a backend that computes wrong scores although it has passed
 * its self-test is not noticed. */
#define VMAF_SPOT_CHECK_OFF 0xffffffffu

/**
 * Change the settings of backends. Call it before the first picture.
 *
 * @param tuning  settings, copied
 * @return 0; -EBUSY after the first picture; -EINVAL.
 */
int vmaf_backend_tune(VmafContext *vmaf, const VmafBackendTuning *tuning);

/** State of a context's backend, or of one of its devices. */
enum VmafBackendPhase {
    VMAF_BACKEND_PHASE_CPU = 0,      /* the CPU alone: by choice, or because nothing else is left */
    VMAF_BACKEND_PHASE_WAITING = 1,  /* "auto": there are not enough frames yet */
    VMAF_BACKEND_PHASE_STARTING = 2, /* the backend is being started */
    VMAF_BACKEND_PHASE_ACTIVE = 3,   /* the backend computes features */
    VMAF_BACKEND_PHASE_FAILED = 4,   /* a backend that was chosen by name has failed */
};

typedef struct VmafBackendStatus {
    size_t struct_size;
    enum VmafBackendPhase phase;
    enum VmafAvailability availability; /* availability of the backend `name` */
    int error;                          /* negative errno of the last failure, or 0 */
    unsigned frame;                     /* index at which an active backend failed; else 0 */
    int failed_active;                  /* 1: the backend that failed had been active */
    int device_index;                   /* -1: none */
    const char *name;                   /* backend chosen by name, or active, or failed last; else
                                           "cpu" */
    const char *device;                 /* name of the device, or NULL */
    const char *reason;                 /* reason of the failure, or NULL */
    /* 1: a spot check has found wrong results of the backend `name`. The run has failed with -EIO,
     * also with "auto", and no scores are available: the pixels of possibly wrong frames are gone.
     * A new context that excludes the backend can score the same video. */
    int spot_check_failed;
    unsigned spot_checks;          /* number of frames that were checked */
    unsigned spot_check_downloads; /* number of pictures copied from a device for checks alone */
    int reads_frame_memory;        /* 1: the device reads frame memory (vmaf_frame_memory_alloc)
                                      directly; frames elsewhere are copied by the processor */
    unsigned frames_in_flight;     /* number of frames that the active backend takes at a time:
                                      fewer than wanted if it has no memory for more */
    unsigned downloads; /* number of pictures copied from a device because the CPU, or a backend on
                           another device, computes a feature; without those of spot checks */
    uint64_t frames;    /* number of frames whose features are computed so far */
    uint64_t frames_by_backend; /* number of these of which a backend has computed any feature */
    int starting; /* 1: "auto" is still starting devices, on a thread of its own, also while others
                     are active already */
    int hangs;    /* 1: a call into the driver of a device has not returned in time, also if others
                     went on. Such a thread may make drivers crash when the program ends normally */
} VmafBackendStatus;

/**
 * State of the context's backend at the moment of the call. May be called from any thread.
 *
 * @return 0; -EINVAL.
 */
int vmaf_backend_status(VmafContext *vmaf, VmafBackendStatus *status);

/** Where a feature is computed, or why the backend does not compute it. */
enum VmafPlacement {
    VMAF_PLACEMENT_UNDECIDED = 0,    /* before the first picture, or no backend has been active */
    VMAF_PLACEMENT_BACKEND = 1,      /* the backend computes it */
    VMAF_PLACEMENT_NOT_COMPUTED = 2, /* the backend does not compute it */
    VMAF_PLACEMENT_NO_TWIN = VMAF_PLACEMENT_NOT_COMPUTED, /* its former name */
    VMAF_PLACEMENT_NOT_EXACT = 3, /* only within a bound, which "auto" does not accept */
    VMAF_PLACEMENT_OPTION = 4,    /* the backend cannot honour the option `option` */
    VMAF_PLACEMENT_FORMAT = 5,    /* it cannot take pictures of this size, depth or format */
    VMAF_PLACEMENT_MASKED = 6,    /* gpumask excludes it */
    VMAF_PLACEMENT_DECLINED = 7,  /* the backend declined it for the reason `reason` */
    VMAF_PLACEMENT_SELF_TEST = 8, /* its records differed from the CPU's in the self-test */
};

typedef struct VmafFeaturePlacement {
    size_t struct_size;
    const char *extractor; /* as registered, without a suffix */
    const char *backend;   /* name of the backend that computes it, or "cpu" */
    enum VmafPlacement placement;
    const char *option; /* the option of PLACEMENT_OPTION, or NULL */
    const char *reason; /* text for people, or NULL */
} VmafFeaturePlacement;

/**
 * Placement of registered feature number `index`.
 *
 * @return 0; -ERANGE past the last one; -EINVAL.
 */
int vmaf_feature_placement(VmafContext *vmaf, unsigned index, VmafFeaturePlacement *placement);

/** Loss of a device during the run. */
typedef struct VmafBackendEvent {
    size_t struct_size;
    const char *backend;
    unsigned frame;         /* index of the oldest frame that was affected */
    const char *reason;     /* text for people */
    unsigned pictures_kept; /* number of pictures that a hanging backend may still read: their
                               release functions are never called */
    int device_index;       /* index of the device that was lost; -1: the application's own */
    const char *device;     /* its name, or NULL */
} VmafBackendEvent;

/**
 * Event number `index`, in the order in which devices were lost.
 *
 * @return 0; -ERANGE past the last one; -EINVAL.
 */
int vmaf_backend_event(VmafContext *vmaf, unsigned index, VmafBackendEvent *event);

typedef struct VmafBackendDeviceUse {
    size_t struct_size;
    const char *backend;
    int device_index;            /* as in vmaf_backend_device_info; -1: the application's own */
    const char *device;          /* its name, or NULL */
    enum VmafBackendPhase phase; /* STARTING, ACTIVE; FAILED: the device was lost, or left out; CPU:
                                    it has nothing to compute, or has finished */
    const char *reason;          /* reason of the failure, or NULL */
    unsigned frames_in_flight; /* number of frames that it takes at a time; 0 until it is active */
    uint64_t frames;           /* number of frames of which it has computed anything */
} VmafBackendDeviceUse;

/**
 * Device number `index` of those that take part in the run, have taken part, or were chosen by
 * name, in the order in which they joined. A context uses each device once, by one backend. May be
 * called from any thread.
 *
 * @return 0; -ERANGE past the last one; -EINVAL; -ENODEV in a process that was forked meanwhile.
 */
int vmaf_backend_device_use(VmafContext *vmaf, unsigned index, VmafBackendDeviceUse *use);

/**
 * Name of known backend number `index`, in native-first order. Programs may offer known backends,
 * and lists include them, installed or not. The function searches for nothing and loads nothing.
 *
 * @param title  receives the name as people write it ("CUDA"); may be NULL
 * @return the name; NULL past the last one, and then `title` is unchanged.
 */
const char *vmaf_backend_known(unsigned index, const char **title);

typedef struct VmafBackendInfo {
    size_t struct_size;
    const char *name;
    const char *path;        /* path of the plugin; NULL: none was found, or it is the CPU */
    const char *version;     /* version of the plugin; NULL: it is not loaded */
    const char *description; /* one line; NULL: the plugin is not loaded */
    enum VmafAvailability availability;
    int error;          /* negative errno of the failure, or 0 */
    const char *reason; /* why it is not usable, for people; or NULL */
    unsigned n_devices;
    unsigned n_unusable_devices; /* number of devices that cannot be opened, numbered after those */
} VmafBackendInfo;

/**
 * Backend number `index`: the CPU, then the known backends in native-first order, then everything
 * else in the search path, including files that were rejected.
 *
 * @param probe  0: nothing is loaded; else plugins are loaded and their devices enumerated, in a
 *               helper process first, which may take seconds
 * @return 0; -ERANGE past the last one; -EINVAL; -ENOMEM.
 */
int vmaf_backend_info(unsigned index, int probe, VmafBackendInfo *info);

enum VmafComputeDeviceKind {
    VMAF_COMPUTE_DEVICE_UNKNOWN = 0,
    VMAF_COMPUTE_DEVICE_DISCRETE = 1,   /* a GPU with memory of its own */
    VMAF_COMPUTE_DEVICE_INTEGRATED = 2, /* a GPU that shares the processor's memory */
    VMAF_COMPUTE_DEVICE_VIRTUAL = 3,
    VMAF_COMPUTE_DEVICE_SOFTWARE = 4, /* the CPU behind the API of a device */
};

typedef struct VmafComputeDevice {
    size_t struct_size;
    const char *id; /* stable across processes: UUID or PCI address */
    const char *name, *vendor, *driver;
    enum VmafComputeDeviceKind kind;
    uint64_t memory_bytes;
    const char *unusable; /* why it cannot be opened; NULL: it can */
    /* Backend and index of the same hardware in a backend that comes earlier in native-first order
     * and can use it; NULL and -1: none is known. */
    const char *same_as;
    int same_as_index;
    /* The following members are 0 or NULL where the backend does not know them. */
    unsigned compute_units;
    unsigned copy_engines; /* number of engines that copy while the device computes */
    unsigned subgroup_size;
    unsigned group_memory; /* bytes of memory that a work-group shares */
    const char *pci;       /* PCI address, "0000:01:00.0" */
    int has_uuid, has_luid;
    uint8_t uuid[16], luid[8];
} VmafComputeDevice;

typedef struct VmafBackendFeatureInfo {
    size_t struct_size;
    const char *name; /* name of one of libvmaf's features, which <name>_<backend> pins to the
                         backend, or of one of the backend's own, which is <backend>_<name> */
    const char *help; /* own features: one line; else NULL */
    int is_own;       /* 1: a feature of the backend's own */
} VmafBackendFeatureInfo;

/**
 * Feature number `index` of a backend, whose plugin is loaded by this call.
 *
 * @return 0; -ERANGE past the last one; -ENODEV; -EINVAL.
 */
int vmaf_backend_feature_info(const char *backend, unsigned index, VmafBackendFeatureInfo *info);

/**
 * Device number `index` of a backend, which is probed by this call. Devices that cannot be opened
 * follow the others, for callers whose structure has the member `unusable`.
 *
 * @return 0; -ERANGE past the last one; -ENODEV; -EINVAL.
 */
int vmaf_backend_device_info(const char *backend, unsigned index, VmafComputeDevice *info);

enum { VMAF_CAPABILITIES_NO_PROBE = 1 }; /* flag: load no plugin */

/**
 * Everything that this library and its plugins can do, as one JSON document
 * (docs/capabilities.schema.json).
 *
 * @param out       receives the text, to be released with free()
 * @param flags     0, or VMAF_CAPABILITIES_*
 * @return 0; -ENOMEM; -EINVAL. It never fails because of a plugin or a device.
 */
int vmaf_capabilities_json(char **out, unsigned flags);

/**
 * The same, but without loading some plugins, which are listed as disabled.
 *
 * @param only      the only backend that may be loaded; NULL: all may
 * @param excluded  names of backends that are not loaded, ended by NULL; NULL: none
 * @return as vmaf_capabilities_json.
 */
int vmaf_capabilities_json_of(char **out, unsigned flags, const char *only,
                              const char *const excluded[]);

/* ---- What this library contains ---- */

/** Type of an option's value, which is always given as text. */
enum VmafOptionType {
    VMAF_OPTION_TYPE_BOOL = 0,   /* "true" or "false" */
    VMAF_OPTION_TYPE_INT = 1,    /* decimal integer */
    VMAF_OPTION_TYPE_DOUBLE = 2, /* number */
    VMAF_OPTION_TYPE_STRING = 3,
};

/** A feature extractor. The texts live as long as the library. */
typedef struct VmafExtractorInfo {
    size_t struct_size;
    const char *name;    /* name for vmaf_use_feature */
    const char *summary; /* one line */
    unsigned n_options;  /* number of options, for vmaf_extractor_option_info */
} VmafExtractorInfo;

/** An option of an extractor. The texts live as long as the library. */
typedef struct VmafOptionInfo {
    size_t struct_size;
    const char *name;
    const char *alias; /* short name that appears in keys; NULL if the option never appears there */
    const char *help;  /* one line */
    enum VmafOptionType type;
    double default_value;       /* for bool (0 or 1), int and double */
    const char *default_string; /* for string; may be NULL */
    double min, max;            /* range of int and double, both ends included */
    int names_files;            /* for string: 1 if it names files that are written */
} VmafOptionInfo;

/** A built-in model or collection. The text lives as long as the library. */
typedef struct VmafBuiltinModelInfo {
    size_t struct_size;
    const char *name;  /* version for vmaf_model_load or vmaf_model_collection_load */
    int is_collection; /* 1: it has to be loaded with vmaf_model_collection_load */
} VmafBuiltinModelInfo;

/** Feature extractor number `index`. @return 0; -ERANGE past the last one; -EINVAL. */
int vmaf_extractor_info(unsigned index, VmafExtractorInfo *info);

/** Option number `index` of the extractor of that name. @return 0; -ERANGE past the last one;
 * -EINVAL. */
int vmaf_extractor_option_info(const char *extractor, unsigned index, VmafOptionInfo *info);

/** Built-in model number `index`. @return 0; -ERANGE past the last one; -EINVAL. */
int vmaf_builtin_model_info(unsigned index, VmafBuiltinModelInfo *info);

#ifdef __cplusplus
}
#endif

#endif
