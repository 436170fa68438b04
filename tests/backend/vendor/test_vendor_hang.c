/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A driver that never returns from copying a picture. */
#include <errno.h>
#include <unistd.h>

#include "backend/registry.h"
#include "backend/vendor/harness.h"
#include "libvmaf/libvmaf_cuda.h"
#include "support/cases.h"

enum { LIMIT_MS = 200, HANGS_AT = 3 };

/* The plugin is not used again in this process, so this is one test. */
CASE(given_a_download_that_hangs_then_the_run_fails_and_everything_ends)
{
    Clip clip = small_clip;
    clip.n_threads = 2;
    const MembufExtension *device = membuf_of("cuda");
    VmafCudaState *cuda;
    VmafCudaPictureConfiguration cfg = {
        .pic_params = {CLIP_FORMAT(&clip)},
        .pic_prealloc_method = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE,
    };
    backend_registry_set_time_limit(LIMIT_MS);
    alarm(1800);
    assert_int_equal(vmaf_cuda_state_init(&cuda, (VmafCudaConfiguration){NULL}), 0);
    VmafContext *vmaf = clip_context(&clip);
    assert_int_equal(vmaf_cuda_import_state(vmaf, cuda), 0);
    assert_int_equal(vmaf_cuda_preallocate_pictures(vmaf, cfg), 0);
    clip_use_features(&clip, vmaf);

    int err = 0;
    for (unsigned f = 0; f < clip.n_frames && !err; f++) {
        VmafPicture pics[2] = {{0}};
        if (f == HANGS_AT)
            device->hang_in_download(1);
        for (int i = 0; i < 2 && !err; i++) { /* rather than waiting for ever */
            err = vmaf_cuda_fetch_preallocated_picture(vmaf, &pics[i]);
            if (!err)
                clip_write(&clip, "cuda", &pics[i], f, i == 1);
        }
        if (!err)
            err = vmaf_read_pictures(vmaf, &pics[0], &pics[1], f);
        vmaf_picture_unref(&pics[0]);
        vmaf_picture_unref(&pics[1]);
    }
    assert_true(err < 0);
    assert_true(vmaf_read_pictures(vmaf, NULL, NULL, 0) < 0);

    VmafCudaState *again;
    assert_true(vmaf_cuda_state_init(&again, (VmafCudaConfiguration){NULL}) < 0);
    assert_null(again);
    assert_int_equal(vmaf_close(vmaf), 0);
    assert_int_equal(vmaf_cuda_state_free(cuda), 0);
    device->hang_in_download(0); /* it returns after all, to memory that is still there */
}
