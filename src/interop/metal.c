/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "libvmaf/libvmaf_metal.h"

#include "api/api.h"
#include "interop.h"

/* VmafMetalState is the public name of an InteropState. */
static const Vendor metal = {.backend = "metal", .title = "Metal"};

VMAF_API int vmaf_metal_available(void)
{
    return vendor_available(&metal);
}

VMAF_API int vmaf_metal_state_init(VmafMetalState **out, VmafMetalConfiguration cfg)
{
    if (out)
        *out = NULL;
    if (!out || cfg.device_index < -1 || cfg.flags)
        return vendor_rejection(&metal);
    const BackendDeviceRequest request = {.index = cfg.device_index};
    return interop_state_open((InteropState **)out, &metal, &request);
}

VMAF_API int vmaf_metal_state_init_external(VmafMetalState **out, VmafMetalExternalHandles handles)
{
    if (!out)
        return vendor_rejection(&metal);
    *out = NULL;
    BackendDeviceRequest request = {.index = -1};
    if (handles.device || handles.command_queue) {
        request.external = VMAF_BACKEND_EXTERNAL_METAL;
        request.n_handles = 2;
        request.handles[0] = handles.device;
        request.handles[1] = handles.command_queue;
    }
    return interop_state_open((InteropState **)out, &metal, &request);
}

VMAF_API int vmaf_metal_import_state(VmafContext *vmaf, VmafMetalState *state)
{
    return interop_state_import(vmaf, (InteropState *)state, &metal);
}

VMAF_API void vmaf_metal_state_free(VmafMetalState **state)
{
    if (!state)
        return;
    interop_state_free((InteropState *)*state);
    *state = NULL;
}

VMAF_API int vmaf_metal_list_devices(void)
{
    return vendor_list(&metal, NULL);
}

VMAF_API int vmaf_metal_picture_import(VmafMetalState *state, uintptr_t iosurface, unsigned plane,
                                       unsigned w, unsigned h, unsigned bpc, int is_ref,
                                       unsigned index)
{
    if (!iosurface || plane > 2)
        return vendor_rejection(&metal);
    const ImportedPlanes planes = {
        .w = w,
        .h = h,
        .bpc = bpc,
        .index = index,
        .is_ref = is_ref != 0,
        .planes = 1u << plane,
        .whole = PLANE_Y | PLANE_CHROMA,
        .kind = VMAF_BACKEND_IMPORT_IOSURFACE,
        .first_handle = 2 * plane,
        .n_handles = 2,
        .handles = {iosurface, plane},
    };
    return imports_add((InteropState *)state, &metal, &planes);
}

VMAF_API int vmaf_metal_wait_compute(VmafMetalState *state)
{
    return imports_wait((InteropState *)state, &metal);
}

VMAF_API int vmaf_metal_read_imported_pictures(VmafContext *vmaf, unsigned index)
{
    return imports_read(vmaf, &metal, index);
}
