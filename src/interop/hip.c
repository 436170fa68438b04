/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "libvmaf/libvmaf_hip.h"

#include "api/api.h"
#include "interop.h"

/* VmafHipState is the public name of an InteropState. */
static const Vendor hip = {.backend = "hip", .title = "HIP"};

VMAF_API int vmaf_hip_available(void)
{
    return vendor_available(&hip);
}

VMAF_API int vmaf_hip_state_init(VmafHipState **out, VmafHipConfiguration cfg)
{
    if (out)
        *out = NULL;
    if (!out || cfg.device_index < -1 || cfg.flags)
        return vendor_rejection(&hip);
    const BackendDeviceRequest request = {.index = cfg.device_index};
    return interop_state_open((InteropState **)out, &hip, &request);
}

VMAF_API int vmaf_hip_import_state(VmafContext *vmaf, VmafHipState *state)
{
    return interop_state_import(vmaf, (InteropState *)state, &hip);
}

VMAF_API void vmaf_hip_state_free(VmafHipState **state)
{
    if (!state)
        return;
    interop_state_free((InteropState *)*state);
    *state = NULL;
}

VMAF_API int vmaf_hip_list_devices(void)
{
    return vendor_list(&hip, NULL);
}
