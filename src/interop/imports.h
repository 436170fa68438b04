/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef INTEROP_IMPORTS_H
#define INTEROP_IMPORTS_H

/*
 * Pictures that exist on the device already, handed over by handle: collected in pairs by index,
 * until both pictures of a pair are complete and it is read. The application owns them, and may use
 * them again after imports_wait.
 */

#include "interop_state.h"

/* Some planes of a picture; several calls for the same index and picture add up. */
typedef struct ImportedPlanes {
    unsigned w, h, bpc; /* of luma; the pixel format counts as 4:2:0 */
    unsigned index;
    bool is_ref;
    unsigned planes; /* that this call hands over */
    unsigned whole;  /* planes of a complete picture */
    uint32_t kind;   /* VMAF_BACKEND_IMPORT_* */
    unsigned first_handle, n_handles;
    uint64_t handles[VMAF_BACKEND_MAX_HANDLES];
} ImportedPlanes;

/* 0; -EINVAL for a format other than the first one's, a plane that was imported before, or more
 * pairs than can wait to be read; -ENOTSUP; -ENOMEM; -EIO; -ENOSYS. */
int imports_add(InteropState *state, const Vendor *vendor, const ImportedPlanes *planes);
/* See vmaf_read_pictures; -EINVAL unless both pictures are complete. Drops the pair. */
int imports_read(VmafContext *context, const Vendor *vendor, unsigned index);
/* Waits until nothing reads what was imported: pictures that are still needed are copied to host
 * memory. 0; -EIO, -ENOSYS, -EINVAL. */
int imports_wait(InteropState *state, const Vendor *vendor);
/* Drops pictures; the second, memory as well. */
void imports_leave_context(InteropState *state);
void imports_clear(InteropState *state);

/* A range of memory that the device maps. 0; -EINVAL, -ENOTSUP, -ENOMEM, -EIO, -ENOSYS. */
int imports_map(InteropState *state, const Vendor *vendor, const VmafBackendImport *memory,
                size_t size, void **address);
void imports_unmap(InteropState *state, void *address);

#endif
