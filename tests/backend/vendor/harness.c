/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/vendor/harness.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cases.h"

const Clip small_clip = {
    .w = 96,
    .h = 64,
    .bpc = 8,
    .pix_fmt = VMAF_PIX_FMT_YUV420P,
    .n_frames = 12,
    .features = {"psnr", "motion", "vif"},
    .keys = {"psnr_y", "psnr_cb", "VMAF_integer_feature_motion2_score",
             "VMAF_integer_feature_vif_scale0_score"},
};

const Clip luma_clip = {
    .w = 90, /* rows that are no multiple of anything */
    .h = 64,
    .bpc = 8,
    .pix_fmt = VMAF_PIX_FMT_YUV420P,
    .n_frames = 12,
    .features = {"motion", "vif"},
    .keys = {"VMAF_integer_feature_motion2_score", "VMAF_integer_feature_vif_scale0_score",
             "VMAF_integer_feature_vif_scale3_score"},
};

static void require(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "the test itself fails: %s\n", what);
    abort();
}

const MembufExtension *membuf_of(const char *backend)
{
    char folders[4096], path[5000];
    snprintf(folders, sizeof(folders), "%s", getenv("VMAF_BACKEND_PATH"));
    for (char *rest = folders, *folder; (folder = strsep(&rest, ":"));) {
        snprintf(path, sizeof(path), "%s/libvmaf-backend-%s.so", folder, backend);
        if (access(path, R_OK))
            continue;
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        require(library != NULL, path);
        VmafBackendEntry entry;
        *(void **)&entry = dlsym(library, VMAF_BACKEND_ENTRY_SYMBOL);
        require(entry != NULL, "entry");
        return entry()->get_extension(MEMBUF_EXTENSION, 1);
    }
    require(0, "there is no such backend");
    return NULL;
}

bool membuf_is_clean(const char *backend)
{
    const MembufExtension *device = membuf_of(backend);
    return device->n_buffers() == 0 && device->n_allocations() == 0;
}

VmafContext *clip_context(const Clip *clip)
{
    VmafContext *vmaf;
    const VmafConfiguration cfg = {
        .log_level = getenv("VMAF_TEST_LOG") ? VMAF_LOG_LEVEL_DEBUG : VMAF_LOG_LEVEL_NONE,
        .n_threads = clip->n_threads,
    };
    require(!vmaf_init(&vmaf, cfg), "vmaf_init");
    return vmaf;
}

void clip_use_features(const Clip *clip, VmafContext *vmaf)
{
    for (unsigned i = 0; clip->features[i]; i++) {
        VmafFeatureDictionary *options = NULL;
        char name[64], *colon;
        snprintf(name, sizeof(name), "%s", clip->features[i]);
        if ((colon = strchr(name, ':'))) { /* a switch that is to be on */
            *colon = '\0';
            require(!vmaf_feature_dictionary_set(&options, colon + 1, "true"), "option");
        }
        require(!vmaf_use_feature(vmaf, name, options), name);
    }
}

VmafPicture clip_picture(const Clip *clip)
{
    VmafPicture pic;
    require(!vmaf_picture_alloc(&pic, clip->pix_fmt, clip->bpc, clip->w, clip->h), "picture");
    return pic;
}

void clip_draw(const VmafPicture *pic, unsigned frame, bool distorted)
{
    const uint32_t largest = (1u << pic->bpc) - 1;
    for (unsigned p = 0; p < 3 && pic->data[p]; p++) {
        for (unsigned y = 0; y < pic->h[p]; y++) {
            uint8_t *row = (uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++) {
                uint32_t h = x * 374761393u + y * 668265263u + frame * 2246822519u + p * 97u;
                h = (h ^ h >> 13) * 1274126177u;
                uint32_t v = (3 * x + 5 * y + 11 * frame + 60 * p) << (pic->bpc - 8);
                v = (v & largest) ^ (h >> 16 & largest >> 4);
                if (distorted)
                    v &= ~(largest >> 5) | (frame & 3);
                if (pic->bpc == 8)
                    row[x] = (uint8_t)v;
                else
                    ((uint16_t *)(void *)row)[x] = (uint16_t)v;
            }
        }
    }
}

void clip_write_plane(const Clip *clip, const char *backend, unsigned plane, uint64_t address,
                      ptrdiff_t stride, unsigned frame, bool distorted)
{
    const MembufExtension *device = membuf_of(backend);
    VmafPicture drawn = clip_picture(clip);
    clip_draw(&drawn, frame, distorted);
    const size_t row = (size_t)drawn.w[plane] * (drawn.bpc > 8 ? 2 : 1);
    for (unsigned y = 0; y < drawn.h[plane]; y++) {
        const uint8_t *source = (const uint8_t *)drawn.data[plane] + y * drawn.stride[plane];
        require(!device->write(address + (uint64_t)(y * stride), source, row), "device memory");
    }
    vmaf_picture_unref(&drawn);
}

void clip_write(const Clip *clip, const char *backend, const VmafPicture *pic, unsigned frame,
                bool distorted)
{
    for (unsigned p = 0; p < 3 && pic->data[p]; p++)
        clip_write_plane(clip, backend, p, (uint64_t)(uintptr_t)pic->data[p], pic->stride[p], frame,
                         distorted);
}

void clip_read(const Clip *clip, VmafContext *vmaf)
{
    for (unsigned f = 0; f < clip->n_frames; f++) {
        VmafPicture ref = clip_picture(clip), dist = clip_picture(clip);
        clip_draw(&ref, f, false);
        clip_draw(&dist, f, true);
        assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, f), 0);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
}

void clip_ask(const Clip *clip, VmafContext *vmaf, Scores *scores)
{
    memset(scores, 0, sizeof(*scores));
    for (unsigned k = 0; clip->keys[k]; k++) {
        for (unsigned f = 0; f < clip->n_frames; f++) {
            double *score = &scores->values[k][f];
            if (vmaf_feature_score_at_index(vmaf, clip->keys[k], score, f))
                *score = -1; /* no score is negative */
        }
    }
}

bool clip_is_true(const Clip *clip, const Scores *scores)
{
    Clip serial = *clip;
    serial.n_threads = 0;
    VmafContext *vmaf = clip_context(&serial);
    require(!vmaf_backend_select(vmaf, "cpu", -1), "cpu");
    clip_use_features(clip, vmaf);
    clip_read(clip, vmaf);
    Scores truth;
    clip_ask(clip, vmaf, &truth);
    vmaf_close(vmaf);
    for (unsigned k = 0; clip->keys[k]; k++) {
        for (unsigned f = 0; f < clip->n_frames; f++) {
            require(truth.values[k][f] >= 0, clip->keys[k]);
            if (!memcmp(&truth.values[k][f], &scores->values[k][f], sizeof(double)))
                continue;
            fprintf(stderr, "%s of frame %u: %.17g, not %.17g\n", clip->keys[k], f,
                    scores->values[k][f], truth.values[k][f]);
            return false;
        }
    }
    return true;
}

void clip_check(const Clip *clip, VmafContext *vmaf)
{
    Scores scores;
    clip_ask(clip, vmaf, &scores);
    assert_true(clip_is_true(clip, &scores));
}

VmafBackendStatus clip_status(VmafContext *vmaf)
{
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    assert_int_equal(vmaf_backend_status(vmaf, &status), 0);
    return status;
}

const char *clip_backend_of(VmafContext *vmaf, const char *extractor)
{
    VmafFeaturePlacement placement = {.struct_size = sizeof(placement)};
    for (unsigned i = 0; !vmaf_feature_placement(vmaf, i, &placement); i++) {
        if (!strcmp(placement.extractor, extractor))
            return placement.backend;
    }
    return "";
}
