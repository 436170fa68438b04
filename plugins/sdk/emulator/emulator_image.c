/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures that exist elsewhere: in memory (CUDA_POINTER), or in images that only copies can read
 * (METAL_TEXTURE). */
#include <errno.h>
#include <stdlib.h>

#include "emulator_internal.h"

void emulator_image_destroy(VmafDevice *device, VmafDeviceImage *image)
{
    for (uint32_t p = 0; image && p < image->n_planes; p++) {
        device->layer->buffer_destroy(device, image->buffers[p]);
    }
    free(image);
}

static uint32_t rows_of(const VmafBackendImport *picture, uint32_t plane)
{
    const bool halved = plane > 0 && picture->pixel_format == VMAF_BACKEND_PIXEL_420;
    return halved ? picture->height / 2 : picture->height;
}

static uint64_t row_of(const VmafBackendImport *picture, uint32_t plane)
{
    const bool halved = plane > 0 && picture->pixel_format != VMAF_BACKEND_PIXEL_444;
    const uint64_t samples = halved ? picture->width / 2 : picture->width;
    const bool pairs = plane > 0 && picture->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    return samples * (picture->depth > 8 ? 2 : 1) * (pairs ? 2 : 1);
}

static int wrap_plane(EmulatorImage *image, const VmafBackendImport *picture, uint32_t plane)
{
    const uint64_t stride = (uint64_t)picture->stride[plane];
    const uint64_t needed = stride * (rows_of(picture, plane) - 1) + row_of(picture, plane);
    image->head.stride[plane] = stride;
    if (picture->kind == VMAF_BACKEND_IMPORT_METAL_TEXTURE) {
        image->textures[plane] = (const EmulatorTexture *)(uintptr_t)picture->handles[plane];
        return image->textures[plane] ? 0 : -EINVAL;
    }
    EmulatorBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer) {
        return -ENOMEM;
    }
    buffer->head.memory = VMAF_MEMORY_DEVICE;
    buffer->head.size = picture->size ? picture->size : needed;
    buffer->head.address = picture->handles[plane];
    buffer->data = (void *)(uintptr_t)picture->handles[plane];
    image->head.buffers[plane] = &buffer->head;
    return buffer->data && buffer->head.size >= needed ? 0 : -EINVAL;
}

int emulator_image_import(VmafDevice *base, VmafDeviceImage **imported,
                          const VmafBackendImport *picture)
{
    *imported = NULL;
    EmulatorImage *image = calloc(1, sizeof(*image));
    if (!image) {
        return -ENOMEM;
    }
    const bool semiplanar = picture->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    int status = 0;
    for (uint32_t p = 0; p < (semiplanar ? 2u : 3u) && status == 0; p++) {
        if ((picture->planes >> p & 1) == 0) {
            break;
        }
        image->head.n_planes = p + 1;
        status = wrap_plane(image, picture, p);
    }
    if (status < 0) {
        emulator_image_destroy(base, &image->head);
        return status;
    }
    *imported = &image->head;
    return 0;
}

const unsigned char *emulator_copy_source(const VmafDeviceCopy *copy, uint64_t *stride)
{
    if (copy->image) {
        const EmulatorTexture *texture =
            ((const EmulatorImage *)copy->image)->textures[copy->image_plane];
        *stride = texture->stride;
        return texture->data;
    }
    *stride = copy->src_stride;
    return (const unsigned char *)((const EmulatorBuffer *)copy->src)->data + copy->src_offset;
}
