/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "golden/golden.h"
#include "support/sha256.h"
#include "support/synth_json.h"

static const char frame_line[] = "FRAME\n";

static void set_geometry(GoldenClip *clip, const SynthClip *synth, size_t size)
{
    static const enum VmafPixelFormat formats[] = {
        [SYNTH_400] = VMAF_PIX_FMT_YUV400P,
        [SYNTH_420] = VMAF_PIX_FMT_YUV420P,
        [SYNTH_422] = VMAF_PIX_FMT_YUV422P,
        [SYNTH_444] = VMAF_PIX_FMT_YUV444P,
    };
    clip->format = formats[synth->format];
    clip->depth = synth->depth;
    clip->frames = synth->frames;
    for (unsigned p = 0; p < synth_planes(synth); ++p) {
        clip->width[p] = synth_plane_width(synth, p);
        clip->height[p] = synth_plane_height(synth, p);
    }
    const unsigned char *end = memchr(clip->file, '\n', size);
    clip->header_size = (size_t)(end - clip->file) + 1;
    clip->frame_size = (size - clip->header_size) / clip->frames;
}

int golden_clip_make(GoldenClip *clip, const json_t *description)
{
    SynthClip synth;
    size_t size;
    char hex[SHA256_HEX_SIZE];
    memset(clip, 0, sizeof *clip);
    const char *sha256 = json_string_value(json_object_get(description, "sha256"));
    int err = synth_from_json(&synth, json_object_get(description, "synth"));
    if (err || !sha256 || !synth.frames)
        return -EINVAL;
    err = synth_write_memory(&synth, SYNTH_Y4M, &clip->file, &size);
    if (err)
        return err;
    sha256_hex(clip->file, size, hex);
    if (strcmp(hex, sha256)) {
        golden_clip_release(clip);
        return -EINVAL;
    }
    set_geometry(clip, &synth, size);
    return 0;
}

void golden_clip_release(GoldenClip *clip)
{
    free(clip->file);
    memset(clip, 0, sizeof *clip);
}

static void copy_row(unsigned char *to, const unsigned char *from, unsigned width, unsigned depth)
{
    if (depth == 8) {
        memcpy(to, from, width);
        return;
    }
    for (unsigned x = 0; x < width; ++x) {
        const uint16_t v = (uint16_t)(from[2 * x] | from[2 * x + 1] << 8);
        memcpy(to + 2 * x, &v, sizeof v);
    }
}

int golden_clip_picture(const GoldenClip *clip, unsigned frame, VmafPicture *picture)
{
    const int err =
        vmaf_picture_alloc(picture, clip->format, clip->depth, clip->width[0], clip->height[0]);
    if (err)
        return err;
    const size_t sample_size = clip->depth > 8 ? 2 : 1;
    const unsigned char *from =
        clip->file + clip->header_size + frame * clip->frame_size + strlen(frame_line);
    for (unsigned p = 0; p < 3; ++p)
        for (unsigned y = 0; y < clip->height[p]; ++y) {
            if (y < picture->h[p])
                copy_row((unsigned char *)picture->data[p] + (ptrdiff_t)y * picture->stride[p],
                         from, picture->w[p], clip->depth);
            from += clip->width[p] * sample_size;
        }
    return 0;
}
