/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_NAMES_H
#define CORE_BACKEND_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The backends that reports always list: in order of preference, with the spelling of their
 * names, what is special about them, and the environment variables that change which devices their
 * vendors' libraries find; a trailing asterisk stands for any rest of a name. Core and program name
 * no backend anywhere else. */
/* clang-format off */
#define BACKENDS_KNOWN_LIST(X) \
    X("cuda", "CUDA", BACKEND_NATIVE, "CUDA_*", "NVIDIA_VISIBLE_DEVICES") \
    X("sycl", "SYCL", BACKEND_NATIVE, "ONEAPI_*", "SYCL_*", "ZE_*", "ZES_*", "ZET_*") \
    X("hip", "HIP", BACKEND_NATIVE, "GPU_DEVICE_ORDINAL", "HIP_*", "HSA_*", "ROCR_*") \
    X("metal", "Metal", BACKEND_OF_APPLE, "MTL_*") \
    X("vulkan", "Vulkan", BACKEND_PORTABLE, "VK_*")

/* Pictures that live elsewhere, by VMAF_BACKEND_IMPORT_*: as documents and as messages say it. */
#define BACKEND_IMPORTS_LIST(X) \
    X(VMAF_BACKEND_IMPORT_CUDA_POINTER, "cuda_pointer", "a CUDA pointer") \
    X(VMAF_BACKEND_IMPORT_HIP_POINTER, "hip_pointer", "a HIP pointer") \
    X(VMAF_BACKEND_IMPORT_USM_POINTER, "usm_pointer", "a USM pointer") \
    X(VMAF_BACKEND_IMPORT_DMABUF, "dmabuf", "a dma-buf") \
    X(VMAF_BACKEND_IMPORT_VULKAN_IMAGE, "vulkan_image", "a Vulkan image") \
    X(VMAF_BACKEND_IMPORT_VA_SURFACE, "va_surface", "a VA surface") \
    X(VMAF_BACKEND_IMPORT_METAL_TEXTURE, "metal_texture", "a Metal texture") \
    X(VMAF_BACKEND_IMPORT_IOSURFACE, "iosurface", "an IOSurface") \
    X(VMAF_BACKEND_IMPORT_D3D11_TEXTURE, "d3d11_texture", "a D3D11 texture")
/* clang-format on */

typedef enum BackendTrait {
    BACKEND_NATIVE,
    BACKEND_OF_APPLE, /* native, and on no other systems */
    BACKEND_PORTABLE, /* comes after all native ones */
} BackendTrait;

#define BACKENDS_KNOWN_COUNT(name, title, trait, ...) +1
enum { BACKEND_NAME_SIZE = 17, BACKENDS_KNOWN = 0 BACKENDS_KNOWN_LIST(BACKENDS_KNOWN_COUNT) };

extern const char *const backend_known_names[BACKENDS_KNOWN];
extern const char *const backend_known_titles[BACKENDS_KNOWN];

/* The variables of all of them, and those of the dynamic loader; ends with NULL. */
extern const char *const backend_driver_variables[];

#define BACKEND_IMPORTS_COUNT(kind, name, text) +1
enum { IMPORT_KINDS = 0 BACKEND_IMPORTS_LIST(BACKEND_IMPORTS_COUNT) };
extern const char *const backend_import_names[IMPORT_KINDS]; /* "dmabuf" */
const char *backend_import_kind_name(uint32_t kind);         /* "a dma-buf" */

/* [a-z][a-z0-9]{1,15}, and not "cpu" or "auto". */
bool backend_name_is_valid(const char *name, size_t length);
bool backend_name_is_known(const char *name);
/* False for a known backend that only exists on other systems. */
bool backend_name_is_for_this_system(const char *name);
/* The known backend that a suffix of a feature name names ("psnr_cuda"), or any other valid name;
 * `stem` receives what is before the underscore. NULL if there is no such suffix. */
const char *backend_name_of_suffix(const char *feature, char *stem, size_t stem_size);

/*
 * Order of preference: cuda, sycl, hip, metal, other native ones by name, vulkan, other portable
 * ones by name. `class` is VMAF_BACKEND_CLASS_* and counts for names that are not known. Negative
 * if a comes before b.
 */
int backend_name_compare(const char *a, uint32_t class_a, const char *b, uint32_t class_b);
/* It is one of those that come before vulkan. */
bool backend_name_is_native(const char *name, uint32_t class);

#endif
