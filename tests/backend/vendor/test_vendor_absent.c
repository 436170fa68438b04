/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vendor headers where no plugin is installed. */
#include <errno.h>

#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/libvmaf_hip.h"
#include "libvmaf/libvmaf_metal.h"
#include "libvmaf/libvmaf_sycl.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "support/cases.h"

static int open_context(void **state)
{
    VmafContext *vmaf;
    const VmafConfiguration cfg = {.log_level = VMAF_LOG_LEVEL_NONE};
    int err = vmaf_init(&vmaf, cfg);
    *state = vmaf;
    return err;
}

static int close_context(void **state)
{
    return vmaf_close(*state);
}

#define WITH_CONTEXT(test) CASE_WITH(test, open_context, close_context)

WITH_CONTEXT(given_no_plugin_then_cuda_functions_say_so)
{
    VmafContext *vmaf = *state;
    VmafPicture pic;
    VmafCudaState *cuda = (VmafCudaState *)&pic;
    VmafCudaPictureConfiguration pictures = {
        .pic_params = {.w = 64, .h = 64, .bpc = 8, .pix_fmt = VMAF_PIX_FMT_YUV420P},
        .pic_prealloc_method = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE,
    };
    assert_int_equal(vmaf_cuda_state_init(&cuda, (VmafCudaConfiguration){NULL}), -ENOSYS);
    assert_null(cuda);
    cuda = (VmafCudaState *)&pic;
    assert_int_equal(vmaf_cuda_state_init(&cuda, (VmafCudaConfiguration){&pic}), -ENOSYS);
    assert_null(cuda);
    assert_int_equal(vmaf_cuda_state_init(NULL, (VmafCudaConfiguration){NULL}), -ENOSYS);
    assert_int_equal(vmaf_cuda_import_state(vmaf, NULL), -ENOSYS);
    assert_int_equal(vmaf_cuda_preallocate_pictures(vmaf, pictures), -ENOSYS);
    assert_int_equal(vmaf_cuda_fetch_preallocated_picture(vmaf, &pic), -ENOSYS);
    assert_int_equal(vmaf_cuda_state_free(NULL), 0);
}

WITH_CONTEXT(given_no_plugin_then_sycl_functions_say_so)
{
    VmafContext *vmaf = *state;
    VmafPicture pic;
    VmafSyclState *sycl = (VmafSyclState *)&pic;
    void *a, *b;
    char *text;
    VmafSyclPictureConfiguration pictures = {
        .pic_params = {.w = 64, .h = 64, .bpc = 8, .pix_fmt = VMAF_PIX_FMT_YUV420P},
        .pic_prealloc_method = VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE,
    };
    assert_int_equal(vmaf_sycl_state_init(&sycl, (VmafSyclConfiguration){.device_index = -1}),
                     -ENOSYS);
    assert_null(sycl);
    assert_int_equal(vmaf_sycl_import_state(vmaf, NULL), -ENOSYS);
    assert_int_equal(vmaf_sycl_list_devices(), -ENOSYS);
    assert_int_equal(vmaf_sycl_preallocate_pictures(vmaf, pictures), -ENOSYS);
    assert_int_equal(vmaf_sycl_picture_fetch(vmaf, &pic), -ENOSYS);
    assert_int_equal(vmaf_sycl_init_frame_buffers(vmaf, 64, 64, 8), -ENOSYS);
    assert_int_equal(vmaf_sycl_get_frame_buffers(vmaf, &a, &b), -ENOSYS);
    assert_int_equal(vmaf_read_pictures_sycl(vmaf, 0), -ENOSYS);
    assert_int_equal(vmaf_flush_sycl(vmaf), -ENOSYS);
    assert_int_equal(vmaf_sycl_wait_compute(vmaf), -ENOSYS);
    assert_int_equal(vmaf_sycl_dmabuf_import(NULL, 0, 64, &a), -ENOSYS);
    vmaf_sycl_dmabuf_free(NULL, NULL);
    assert_int_equal(vmaf_sycl_import_va_surface(NULL, &pic, 1, 1, 64, 64, 8), -ENOSYS);
    assert_int_equal(vmaf_sycl_upload_plane(NULL, &pic, 64, 1, 64, 64, 8), -ENOSYS);
    assert_int_equal(vmaf_sycl_profiling_enable(NULL), -ENOSYS);
    assert_int_equal(vmaf_sycl_profiling_get_string(NULL, &text), -ENOSYS);
    vmaf_sycl_profiling_disable(NULL);
    vmaf_sycl_profiling_print(NULL);
    vmaf_sycl_state_free(NULL);
    vmaf_sycl_state_free(&sycl);
}

WITH_CONTEXT(given_no_plugin_then_hip_functions_say_so)
{
    VmafHipState *hip = (VmafHipState *)state;
    assert_int_equal(vmaf_hip_available(), 0);
    assert_int_equal(vmaf_hip_state_init(&hip, (VmafHipConfiguration){.device_index = -1}),
                     -ENOSYS);
    assert_null(hip);
    assert_int_equal(vmaf_hip_import_state(*state, NULL), -ENOSYS);
    assert_int_equal(vmaf_hip_list_devices(), -ENOSYS);
    vmaf_hip_state_free(NULL);
    vmaf_hip_state_free(&hip);
}

WITH_CONTEXT(given_no_plugin_then_vulkan_functions_say_so)
{
    VmafContext *vmaf = *state;
    VmafPicture pic;
    VmafVulkanState *vulkan = (VmafVulkanState *)&pic;
    const VmafVulkanConfiguration best = {.device_index = -1}, first = {.device_index = 0};
    VmafVulkanPictureConfiguration pictures = {
        .pic_params = {.w = 64, .h = 64, .bpc = 8, .pix_fmt = VMAF_PIX_FMT_YUV420P},
        .pic_prealloc_method = VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_DEVICE,
    };
    assert_int_equal(vmaf_vulkan_available(), 0);
    assert_int_equal(vmaf_vulkan_state_init(&vulkan, best), -ENOSYS);
    assert_null(vulkan);
    assert_int_equal(vmaf_vulkan_state_init(&vulkan, first), -ENOSYS);
    const VmafVulkanExternalHandles handles = {1, 2, 3, 4, 0, 0};
    vulkan = (VmafVulkanState *)&pic;
    assert_int_equal(vmaf_vulkan_state_init_external(&vulkan, handles), -ENOSYS);
    assert_null(vulkan);
    assert_int_equal(vmaf_vulkan_state_max_outstanding_frames(NULL), 0);
    assert_int_equal(vmaf_vulkan_import_state(vmaf, NULL), -ENOSYS);
    assert_int_equal(vmaf_vulkan_preallocate_pictures(vmaf, pictures), -ENOSYS);
    assert_int_equal(vmaf_vulkan_picture_fetch(vmaf, &pic), -ENOSYS);
    assert_int_equal(vmaf_vulkan_list_devices(), -ENOSYS);
    assert_int_equal(vmaf_vulkan_import_image(NULL, 1, 2, 3, 0, 0, 64, 64, 8, 1, 0), -ENOSYS);
    assert_int_equal(vmaf_vulkan_wait_compute(NULL), -ENOSYS);
    assert_int_equal(vmaf_vulkan_read_imported_pictures(vmaf, 0), -ENOSYS);
    vmaf_vulkan_state_free(NULL);
    vmaf_vulkan_state_free(&vulkan);
}

WITH_CONTEXT(given_no_plugin_then_metal_functions_say_so)
{
    VmafMetalState *metal = (VmafMetalState *)state;
    assert_int_equal(vmaf_metal_available(), 0);
    assert_int_equal(vmaf_metal_state_init(&metal, (VmafMetalConfiguration){.device_index = -1}),
                     -ENOSYS);
    assert_null(metal);
    metal = (VmafMetalState *)state;
    assert_int_equal(vmaf_metal_state_init_external(&metal, (VmafMetalExternalHandles){0, 0}),
                     -ENOSYS);
    assert_null(metal);
    assert_int_equal(vmaf_metal_import_state(*state, NULL), -ENOSYS);
    assert_int_equal(vmaf_metal_list_devices(), -ENOSYS);
    assert_int_equal(vmaf_metal_picture_import(NULL, 1, 0, 64, 64, 8, 1, 0), -ENOSYS);
    assert_int_equal(vmaf_metal_wait_compute(NULL), -ENOSYS);
    assert_int_equal(vmaf_metal_read_imported_pictures(*state, 0), -ENOSYS);
    vmaf_metal_state_free(NULL);
    vmaf_metal_state_free(&metal);
}
