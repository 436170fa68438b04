/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Buffers, and pictures of the application as textures, of which the copies are raw bytes. */
#include <errno.h>

#include "image_planes.h"
#include "metal_internal.h"

int metal_memory_create(VmafStreamDevice *base, VmafStreamBuffer *buffer,
                        const VmafDeviceBufferParams *params)
{
    const MetalObject device = ((MetalDevice *)base)->device;
    const bool is_mapped = params->memory != VMAF_MEMORY_DEVICE;
    const MetalUInteger options = is_mapped ? METAL_STORAGE_SHARED : METAL_STORAGE_PRIVATE;
    const MetalObject created =
        params->host_memory
            ? metal_new_buffer_around(device, params->host_memory, params->size, options, NULL)
            : metal_new_buffer(device, params->size, options);
    /* Memory of the host is also refused for what it is: mapped in parts, or protected. */
    if (!created)
        return params->host_memory ? -ENOTSUP : -ENOMEM;
    buffer->address = (uintptr_t)created;
    buffer->head.mapped = is_mapped ? metal_contents(created) : NULL;
    return 0;
}

void metal_memory_destroy(VmafStreamDevice *device, VmafStreamBuffer *buffer)
{
    (void)device;
    metal_release(metal_buffer_of(buffer));
}

/* -- pictures -- */

/* Bytes; 0 for formats that hold no samples of pictures. */
static uint32_t texel_size_of(MetalUInteger format)
{
    switch (format) {
    case METAL_R8_UNORM:
    case METAL_R8_UINT:
        return 1;
    case METAL_R16_UNORM:
    case METAL_R16_UINT:
    case METAL_RG8_UNORM:
    case METAL_RG8_UINT:
        return 2;
    case METAL_RG16_UNORM:
    case METAL_RG16_UINT:
        return 4;
    default:
        return 0;
    }
}

static uint32_t texel_size_of_plane(const VmafBackendImport *picture, uint32_t plane)
{
    const bool pairs = plane && picture->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    return (picture->depth > 8 ? 2 : 1) * (pairs ? 2 : 1);
}

static MetalUInteger format_of_plane(const VmafBackendImport *picture, uint32_t plane)
{
    const bool pairs = plane && picture->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    if (picture->depth > 8)
        return pairs ? METAL_RG16_UNORM : METAL_R16_UNORM;
    return pairs ? METAL_RG8_UNORM : METAL_R8_UNORM;
}

static MetalObject handle(const VmafBackendImport *picture, uint32_t index)
{
    return index < picture->n_handles ? (MetalObject)(uintptr_t)picture->handles[index] : NULL;
}

/* Makes a texture of a plane of a surface. */
static int take_surface(MetalDevice *device, const VmafBackendImport *picture, uint32_t plane,
                        MetalObject *texture)
{
    const MetalObject surface = handle(picture, 2 * plane);
    const size_t number = (uintptr_t)handle(picture, 2 * plane + 1);
    if (!surface)
        return vmaf_stream_fail(&device->head, -EINVAL, "plane %u has no IOSurface", plane);
    const size_t count = IOSurfaceGetPlaneCount(surface);
    if (number >= (count ? count : 1))
        return vmaf_stream_fail(&device->head, -EINVAL, "the IOSurface has no plane %zu", number);
    if (IOSurfaceGetBytesPerElementOfPlane(surface, number) != texel_size_of_plane(picture, plane))
        return vmaf_stream_fail(&device->head, -EINVAL,
                                "plane %zu of the IOSurface holds other samples", number);
    const MetalObject descriptor = metal_texture_descriptor(
        objc_getClass("MTLTextureDescriptor"), format_of_plane(picture, plane),
        IOSurfaceGetWidthOfPlane(surface, number), IOSurfaceGetHeightOfPlane(surface, number), 0);
    *texture = metal_new_texture_of(device->device, descriptor, surface, number);
    return *texture ? 0
                    : vmaf_stream_fail(&device->head, -ENOTSUP,
                                       "plane %zu of the IOSurface is no texture", number);
}

static int take_texture(MetalDevice *device, const VmafBackendImport *picture, uint32_t plane,
                        MetalObject *texture)
{
    const MetalObject given = handle(picture, plane);
    if (!given)
        return vmaf_stream_fail(&device->head, -EINVAL, "plane %u has no texture", plane);
    if (metal_device_of(given) != device->device)
        return vmaf_stream_fail(&device->head, -EINVAL, "the texture is another device's");
    *texture = metal_retain(given);
    return 0;
}

/* 0 if copies of the plane stay within the texture. */
static int check_texture(MetalDevice *device, MetalObject texture, const VmafImagePlane *plane,
                         uint32_t texel_size)
{
    if (metal_texture_type(texture) != METAL_TEXTURE_2D ||
        texel_size_of(metal_pixel_format(texture)) != texel_size)
        return vmaf_stream_fail(&device->head, -ENOTSUP, "textures of type %lu and format %lu",
                                metal_texture_type(texture), metal_pixel_format(texture));
    if (metal_width(texture) * texel_size < plane->row_size || metal_height(texture) < plane->rows)
        return vmaf_stream_fail(&device->head, -EINVAL, "a texture is smaller than the picture");
    return 0;
}

static int import_plane(MetalDevice *device, MetalImage *image, const VmafBackendImport *picture,
                        uint32_t p)
{
    const VmafImagePlane plane = vmaf_image_extent(picture, p);
    if (!plane.is_present)
        return 0;
    int err = picture->kind == VMAF_BACKEND_IMPORT_IOSURFACE
                  ? take_surface(device, picture, p, &image->textures[p])
                  : take_texture(device, picture, p, &image->textures[p]);
    image->texel_size[p] = texel_size_of_plane(picture, p);
    return err ? err : check_texture(device, image->textures[p], &plane, image->texel_size[p]);
}

int metal_image_import(VmafStreamDevice *device, VmafStreamImage *image,
                       const VmafBackendImport *picture)
{
    int err = 0;
    for (uint32_t p = 0; p < image->head.n_planes && !err; p++)
        err = import_plane((MetalDevice *)device, (MetalImage *)image, picture, p);
    if (err)
        metal_image_release(device, image);
    return err;
}

void metal_image_release(VmafStreamDevice *device, VmafStreamImage *released)
{
    const MetalImage *image = (const MetalImage *)released;
    (void)device;
    for (uint32_t p = 0; p < 3; p++) {
        if (image->textures[p])
            metal_release(image->textures[p]);
    }
}
