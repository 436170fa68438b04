/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_image.h"

#include "support/memory.h"

SsimImage ssim_image_of_picture(const VmafPicture *pic)
{
    return (SsimImage){pic->data[0], pic->stride[0], pic->w[0], pic->h[0], pic->bpc};
}

size_t ssim_row_size(unsigned w)
{
    return size_round_up((size_t)w + SSIM_PADDING, SSIM_PADDING);
}

SsimImage ssim_image_of_plane(const float *plane, unsigned w, unsigned h)
{
    return (SsimImage){plane, (ptrdiff_t)(ssim_row_size(w) * sizeof(float)), w, h, 0};
}

const float *ssim_image_row(const SsimImage *image, const SsimKernels *kernels, unsigned y,
                            float *buffer)
{
    const void *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    if (!image->bpc)
        return row;
    const float factor = 1.0f / (float)(1u << (image->bpc - 8));
    if (image->bpc == 8)
        kernels->load_bytes(buffer, row, image->w, factor);
    else
        kernels->load_words(buffer, row, image->w, factor);
    return buffer;
}
