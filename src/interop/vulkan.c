/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "libvmaf/libvmaf_vulkan.h"

#include <string.h>

#include "api/api.h"
#include "interop.h"

enum { FRAMES_DEFAULT = 4, FRAMES_MAX = 8 };

static const PictureMethod methods[] = {
    [VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_NONE] = METHOD_NONE,
    [VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_HOST] = METHOD_HOST,
    [VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_DEVICE] = METHOD_DEVICE,
};

/* VmafVulkanState is the public name of an InteropState. The API has no addresses of device memory,
 * so pictures that the application fills are in host memory that the device reads. */
static const Vendor vulkan = {
    .backend = "vulkan",
    .title = "Vulkan",
    .ring_size = 2,
    .ring_memory = VMAF_BACKEND_BUFFER_PINNED,
    .has_stream_picture = true,
    .methods = methods,
    .n_methods = sizeof(methods) / sizeof(methods[0]),
};

static unsigned frames_within_limits(unsigned wanted)
{
    const unsigned frames = wanted ? wanted : FRAMES_DEFAULT;
    return frames < FRAMES_MAX ? frames : FRAMES_MAX;
}

VMAF_API int vmaf_vulkan_available(void)
{
    return vendor_available(&vulkan);
}

VMAF_API int vmaf_vulkan_state_init(VmafVulkanState **out, VmafVulkanConfiguration cfg)
{
    if (out)
        *out = NULL;
    if (!out || cfg.device_index < -1)
        return vendor_rejection(&vulkan);
    InteropState *state;
    const BackendDeviceRequest request = {
        .index = cfg.device_index,
        .flags = cfg.enable_validation ? VMAF_BACKEND_DEVICE_FLAG_VALIDATION : 0,
    };
    int err = request.index < 0 ? interop_state_open_best(&state, &vulkan, request.flags)
                                : interop_state_open(&state, &vulkan, &request);
    if (err)
        return err;
    state->frames_in_flight = frames_within_limits(cfg.max_outstanding_frames);
    *out = (VmafVulkanState *)state;
    return 0;
}

static bool are_handles(const VmafVulkanExternalHandles *handles)
{
    return handles->instance && handles->physical_device && handles->device && handles->queue;
}

static int open_external(VmafVulkanState **out, const VmafVulkanBorrowedDevice *device)
{
    InteropState *state;
    const VmafVulkanExternalHandles *handles = &device->handles;
    const BackendDeviceRequest request = {
        .external = VMAF_BACKEND_EXTERNAL_VULKAN,
        .n_handles = 6,
        .handles = {handles->instance, handles->physical_device, handles->device, handles->queue,
                    handles->queue_family_index, handles->api_version},
        .lock = device->lock,
        .unlock = device->unlock,
        .lock_cookie = device->cookie,
        .enabled_features = device->enabled_features,
        .enabled_extensions = device->enabled_extensions,
        .n_enabled_extensions = device->n_enabled_extensions,
    };
    int err = interop_state_open(&state, &vulkan, &request);
    if (err)
        return err;
    state->frames_in_flight = frames_within_limits(device->max_outstanding_frames);
    *out = (VmafVulkanState *)state;
    return 0;
}

VMAF_API int vmaf_vulkan_state_init_external(VmafVulkanState **out,
                                             VmafVulkanExternalHandles handles)
{
    if (out)
        *out = NULL;
    if (!out || !are_handles(&handles))
        return vendor_rejection(&vulkan);
    const VmafVulkanBorrowedDevice device = {.handles = handles};
    return open_external(out, &device);
}

VMAF_API int vmaf_vulkan_state_init_borrowed(VmafVulkanState **out,
                                             const VmafVulkanBorrowedDevice *device)
{
    VmafVulkanBorrowedDevice all = {0};
    if (out)
        *out = NULL;
    if (!out || !device || device->struct_size < offsetof(VmafVulkanBorrowedDevice, lock))
        return vendor_rejection(&vulkan);
    memcpy(&all, device, device->struct_size < sizeof(all) ? device->struct_size : sizeof(all));
    if (!are_handles(&all.handles) || !all.lock != !all.unlock ||
        (all.n_enabled_extensions && !all.enabled_extensions))
        return vendor_rejection(&vulkan);
    return open_external(out, &all);
}

VMAF_API unsigned vmaf_vulkan_state_max_outstanding_frames(const VmafVulkanState *state)
{
    return state ? ((const InteropState *)state)->frames_in_flight : 0;
}

VMAF_API int vmaf_vulkan_import_state(VmafContext *vmaf, VmafVulkanState *state)
{
    return interop_state_import(vmaf, (InteropState *)state, &vulkan);
}

VMAF_API void vmaf_vulkan_state_free(VmafVulkanState **state)
{
    if (!state)
        return;
    interop_state_free((InteropState *)*state);
    *state = NULL;
}

VMAF_API int vmaf_vulkan_list_devices(void)
{
    return vendor_list(&vulkan, NULL);
}

VMAF_API int vmaf_vulkan_preallocate_pictures(VmafContext *vmaf, VmafVulkanPictureConfiguration cfg)
{
    const PictureSupplyParams params = {
        .w = cfg.pic_params.w,
        .h = cfg.pic_params.h,
        .bpc = cfg.pic_params.bpc,
        .pix_fmt = cfg.pic_params.pix_fmt,
        .method = (unsigned)cfg.pic_prealloc_method,
    };
    return picture_supply_set_up(vmaf, &vulkan, &params);
}

VMAF_API int vmaf_vulkan_picture_fetch(VmafContext *vmaf, VmafPicture *pic)
{
    return picture_supply_fetch(vmaf, &vulkan, pic);
}

VMAF_API int vmaf_vulkan_import_image(VmafVulkanState *state, uintptr_t vk_image,
                                      uint32_t vk_format, uint32_t vk_layout,
                                      uintptr_t vk_semaphore, uint64_t vk_semaphore_value,
                                      unsigned w, unsigned h, unsigned bpc, int is_ref,
                                      unsigned index)
{
    if (!vk_image)
        return vendor_rejection(&vulkan);
    const ImportedPlanes luma = {
        .w = w,
        .h = h,
        .bpc = bpc,
        .index = index,
        .is_ref = is_ref != 0,
        .planes = PLANE_Y,
        .whole = PLANE_Y,
        .kind = VMAF_BACKEND_IMPORT_VULKAN_IMAGE,
        .n_handles = 5,
        .handles = {vk_image, vk_format, vk_layout, vk_semaphore, vk_semaphore_value},
    };
    return imports_add((InteropState *)state, &vulkan, &luma);
}

VMAF_API int vmaf_vulkan_wait_compute(VmafVulkanState *state)
{
    return imports_wait((InteropState *)state, &vulkan);
}

VMAF_API int vmaf_vulkan_read_imported_pictures(VmafContext *vmaf, unsigned index)
{
    return imports_read(vmaf, &vulkan, index);
}
