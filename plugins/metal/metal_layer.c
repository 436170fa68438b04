/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The layer: opening devices, memory, pictures of the application, kernels. Calls on a thread stand
 * in an autorelease pool. */
#include <errno.h>
#include <stdlib.h>

#include "image_planes.h"
#include "metal_internal.h"

static const char no_device[] = "there is no GPU that Metal knows";

const char *metal_words(MetalObject error)
{
    const MetalObject text = error ? metal_description(error) : NULL;
    const char *words = text ? metal_utf8(text) : NULL;
    return words ? words : "no reason";
}

/* -- devices -- */

static int metal_enumerate(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                           size_t reason_size)
{
    *count = 0;
    return vmaf_stream_report(metal_find_devices(), no_device, infos, capacity, count, reason,
                              reason_size);
}

static int open_own(MetalDevice *device, const char *id)
{
    VmafStreamCandidate candidate;
    const int err =
        vmaf_stream_choose(&device->head, metal_find_devices(), id, no_device, &candidate);
    if (err)
        return err;
    device->device = metal_new_device(&candidate);
    return device->device ? 0 : vmaf_stream_fail(&device->head, -ENODEV, "the device is gone");
}

static int borrow(MetalDevice *device, const MetalExternal *external,
                  VmafStreamCandidate *candidate)
{
    const MetalObject queue = (MetalObject)(uintptr_t)external->command_queue;
    MetalObject lent = (MetalObject)(uintptr_t)external->device;
    if (!lent && queue)
        lent = metal_device_of(queue);
    if (!lent)
        return vmaf_stream_fail(&device->head, -EINVAL, "the device is missing");
    if (queue && metal_device_of(queue) != lent)
        return vmaf_stream_fail(&device->head, -EINVAL, "the queue is another device's");
    metal_describe_device(lent, candidate);
    device->device = metal_retain(lent);
    device->queue = queue ? metal_retain(queue) : NULL;
    return 0;
}

static int set_up(MetalDevice *device, const VmafDeviceOpenParams *params)
{
    VmafStreamCandidate candidate = {.handle = 0};
    device->head.borrowed = params->external != NULL;
    const int err = params->external ? borrow(device, params->external, &candidate)
                                     : open_own(device, params->id);
    if (err)
        return err;
    device->head.is_open = true;
    vmaf_mutex_init(&device->lock);
    if (!params->external)
        return 0;
    vmaf_stream_identify(&candidate.info, 0);
    return vmaf_stream_adopt(&device->head, &candidate);
}

static void metal_close(VmafDevice *base)
{
    MetalDevice *device = (MetalDevice *)base;
    if (device->head.is_open) {
        void *pool = objc_autoreleasePoolPush();
        MetalKernel *kernel;
        size_t next = 0;
        while ((kernel = (MetalKernel *)vmaf_stream_next_loaded(&device->head, &next)))
            metal_release(kernel->pipeline);
        if (device->queue)
            metal_release(device->queue);
        metal_release(device->device);
        objc_autoreleasePoolPop(pool);
        vmaf_mutex_destroy(&device->lock);
    }
    vmaf_stream_device_free(&device->head);
}

static int metal_open(VmafDevice **opened, const VmafDeviceOpenParams *params, char *reason,
                      size_t reason_size)
{
    MetalDevice *device =
        vmaf_stream_device_new(&vmaf_metal_layer, sizeof(*device), sizeof(MetalKernel), params);
    void *pool = objc_autoreleasePoolPush();
    const int err = device ? set_up(device, params) : -ENOMEM;
    objc_autoreleasePoolPop(pool);
    return vmaf_stream_opened((VmafStreamDevice *)device, err, opened, reason, reason_size);
}

/* -- memory -- */

/* Fills in mapped and address. */
static int allocate(const MetalDevice *device, VmafStreamBuffer *buffer, void *host_memory)
{
    const bool is_mapped = buffer->head.memory != VMAF_MEMORY_DEVICE;
    const MetalUInteger options = is_mapped ? METAL_STORAGE_SHARED : METAL_STORAGE_PRIVATE;
    const MetalObject created =
        host_memory
            ? metal_new_buffer_around(device->device, host_memory, buffer->head.size, options, NULL)
            : metal_new_buffer(device->device, buffer->head.size, options);
    /* Memory of the host is also declined for what it is: mapped in parts, or protected. */
    if (!created)
        return host_memory ? -ENOTSUP : -ENOMEM;
    buffer->address = (uintptr_t)created;
    buffer->head.mapped = is_mapped ? metal_contents(created) : NULL;
    return 0;
}

static int metal_buffer_create(VmafDevice *base, VmafDeviceBuffer **created,
                               const VmafDeviceBufferParams *params)
{
    MetalDevice *device = (MetalDevice *)base;
    VmafStreamBuffer *buffer;
    *created = NULL;
    int err = vmaf_stream_buffer_new(&device->head, params, &buffer);
    if (err)
        return err;
    void *pool = objc_autoreleasePoolPush();
    err = allocate(device, buffer, params->host_memory);
    objc_autoreleasePoolPop(pool);
    if (!err) {
        *created = &buffer->head;
        return 0;
    }
    free(buffer);
    return err == -ENOMEM ? vmaf_stream_no_memory(&device->head, params) : err;
}

static void metal_buffer_destroy(VmafDevice *device, VmafDeviceBuffer *buffer)
{
    (void)device;
    if (buffer) {
        void *pool = objc_autoreleasePoolPush();
        metal_release(metal_buffer_of(buffer));
        objc_autoreleasePoolPop(pool);
    }
    free(buffer);
}

/* -- pictures of the application: textures, of which the copies are raw bytes -- */

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

static void metal_image_destroy(VmafDevice *device, VmafDeviceImage *destroyed)
{
    const MetalImage *image = (const MetalImage *)destroyed;
    void *pool = objc_autoreleasePoolPush();
    (void)device;
    for (uint32_t p = 0; image && p < 3; p++) {
        if (image->textures[p])
            metal_release(image->textures[p]);
    }
    objc_autoreleasePoolPop(pool);
    free(destroyed);
}

static int metal_image_import(VmafDevice *base, VmafDeviceImage **imported,
                              const VmafBackendImport *picture)
{
    MetalDevice *device = (MetalDevice *)base;
    VmafStreamImage *image;
    *imported = NULL;
    int err = vmaf_stream_image_new(&device->head, picture, sizeof(MetalImage), &image);
    if (err)
        return err;
    void *pool = objc_autoreleasePoolPush();
    for (uint32_t p = 0; p < image->head.n_planes && !err; p++)
        err = import_plane(device, (MetalImage *)image, picture, p);
    objc_autoreleasePoolPop(pool);
    if (err)
        metal_image_destroy(base, &image->head);
    else
        *imported = &image->head;
    return err;
}

/* -- kernels are source text; the system compiles it, and keeps what it made -- */

/* Owned by the caller. Floating point as written: no contraction, no reordering. */
static MetalObject new_options(void)
{
    const MetalObject options = metal_init(metal_alloc(objc_getClass("MTLCompileOptions")));
    if (!options)
        return NULL;
    metal_set_fast_math(options, 0);
    if (metal_responds_to(options, sel_registerName("setMathMode:")))
        metal_set_math_mode(options, METAL_MATH_MODE_SAFE);
    metal_set_language_version(options, METAL_LANGUAGE_2_3);
    return options;
}

static MetalObject string_of(const char *text)
{
    return metal_string(objc_getClass("NSString"), text);
}

/* The kernel as a function, owned by the caller. */
static int compile(MetalDevice *device, const VmafKernel *source, MetalObject *function)
{
    MetalObject error = NULL;
    const MetalObject text = string_of(source->codes[0].code);
    const MetalObject options = new_options();
    if (!text || !options)
        return vmaf_layer_state_failed(&device->head.state, -ENOMEM, "a kernel", "");
    const MetalObject library = metal_new_library(device->device, text, options, &error);
    metal_release(options);
    if (!library)
        return vmaf_stream_fail(&device->head, -EIO, "the kernel %s does not compile: %s",
                                source->name, metal_words(error));
    *function = metal_new_function(library, string_of(source->name));
    metal_release(library);
    return *function ? 0
                     : vmaf_stream_fail(&device->head, -EIO, "the kernel %s is not in its text",
                                        source->name);
}

static int load(MetalDevice *device, MetalKernel *kernel)
{
    const VmafKernel *source = kernel->head.head.kernel;
    MetalObject function, error = NULL;
    const int err = compile(device, source, &function);
    if (err)
        return err;
    kernel->pipeline = metal_new_pipeline(device->device, function, &error);
    metal_release(function);
    if (!kernel->pipeline)
        return vmaf_stream_fail(&device->head, -EIO, "the kernel %s has no pipeline: %s",
                                source->name, metal_words(error));
    const MetalUInteger lanes = (MetalUInteger)source->lanes[0] * source->lanes[1];
    if (metal_max_threads(kernel->pipeline) >= lanes)
        return 0;
    metal_release(kernel->pipeline);
    return vmaf_stream_fail(&device->head, -ENOTSUP, "the kernel %s cannot run with %lu lanes",
                            source->name, lanes);
}

static int metal_kernel_find(VmafDevice *base, const VmafDeviceKernel **found, const char *name)
{
    MetalDevice *device = (MetalDevice *)base;
    VmafStreamKernel *kernel;
    bool loads;
    int err = vmaf_stream_kernel_find(&device->head, name, &kernel, &loads);
    if (!err && loads) {
        void *pool = objc_autoreleasePoolPush();
        err = load(device, (MetalKernel *)kernel);
        objc_autoreleasePoolPop(pool);
        vmaf_stream_kernel_loaded(&device->head, kernel, err);
    }
    if (!err)
        *found = &kernel->head;
    return err;
}

const VmafDeviceLayer vmaf_metal_layer = {
    .name = "metal",
    .enumerate = metal_enumerate,
    .open = metal_open,
    .close = metal_close,
    .buffer_create = metal_buffer_create,
    .buffer_destroy = metal_buffer_destroy,
    .image_import = metal_image_import,
    .image_destroy = metal_image_destroy,
    .kernel_find = metal_kernel_find,
    .command_list_begin = metal_command_list_begin,
    .cmd_copy = vmaf_stream_cmd_copy,
    .cmd_dispatch = vmaf_stream_cmd_dispatch,
    .cmd_barrier = vmaf_stream_cmd_barrier,
    .cmd_timestamp = vmaf_stream_cmd_timestamp,
    .command_list_end = metal_command_list_end,
    .command_list_destroy = metal_command_list_destroy,
    .queue_create = metal_queue_create,
    .queue_destroy = metal_queue_destroy,
    .submit = metal_submit,
    .wait = metal_wait,
    .timestamps = metal_timestamps,
    .copy_times = metal_copy_times,
    .last_error = vmaf_stream_last_error,
};
