/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_EXT_H
#define LIBVMAF_EXT_H

/*
 * Additions of this implementation to the interface of libvmaf 3. Nothing here is needed to use
 * the classic functions, and all of it works beside them. Errors are negative errno values.
 *
 * Structures that start with struct_size are filled in by the library up to the size that the
 * caller states there: set it to sizeof the structure.
 */

#include <stddef.h>

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reports ---- */

/**
 * vmaf_write_output with a printf format for every score, for example "%.17g".
 *
 * @param score_format  one conversion %[flags][width][.precision](e|f|g|a) of a double and nothing
 *                      else that starts with %; NULL prints as vmaf_write_output does
 * @return as vmaf_write_output; -EINVAL for an unacceptable format.
 */
int vmaf_write_output_with_format(VmafContext *vmaf, const char *output_path,
                                  enum VmafOutputFormat fmt, const char *score_format);

/* ---- Pictures in the caller's memory ---- */

/**
 * Make a picture of planes that the caller owns; nothing is copied.
 *
 * @param pic      filled in with one reference
 * @param w, h     luma size; chroma is rounded down as in vmaf_picture_alloc
 * @param data     first sample of each plane; a NULL plane is allowed where no registered feature
 *                 needs it (vmaf_planes_needed). Samples of more than 8 bits are aligned to 2 bytes
 * @param stride   bytes from row to row of each plane
 * @param release  called once, from any thread, when the last reference is dropped; may be NULL
 * @param cookie   passed to release
 *
 * @return 0; -EINVAL for a bad format, depth, stride or alignment; -ENOMEM. On failure release is
 *         not called.
 */
int vmaf_picture_wrap(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                      unsigned h, void *const data[3], const ptrdiff_t stride[3],
                      void (*release)(void *cookie), void *cookie);

/**
 * Which planes the registered features read: bit 0 luma, bit 1 Cb, bit 2 Cr. Planes that are not
 * needed may hold anything, so a reader can skip them.
 *
 * @param pix_fmt  format of the pictures to come
 * @return 0; -EINVAL.
 */
int vmaf_planes_needed(VmafContext *vmaf, enum VmafPixelFormat pix_fmt, unsigned *planes);

/* ---- Backends ---- */

/**
 * Choose what computes the features, before the first picture. Without this call it is "auto".
 *
 * @param name    "cpu", "auto", or the name of a backend, which is then used strictly
 * @param device  ordinal of the device in that backend's enumeration, or -1 for its first
 *
 * @return 0; -ENODEV if the backend or the device is not available; -EBUSY after the first
 *         picture; -EINVAL.
 */
int vmaf_backend_select(VmafContext *vmaf, const char *name, int device);

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
