/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: pictures and pools of pictures. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api/api.h"
#include "engine/context.h"
#include "libvmaf/libvmaf_ext.h"
#include "picture/picture.h"
#include "picture/picture_pool.h"

VMAF_API int vmaf_picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc,
                                unsigned w, unsigned h)
{
    if (!pic)
        return -EINVAL;
    return picture_alloc(pic, pix_fmt, bpc, w, h);
}

VMAF_API int vmaf_picture_unref(VmafPicture *pic)
{
    return picture_unref(pic);
}

VMAF_API int vmaf_picture_wrap(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc,
                               unsigned w, unsigned h, void *const data[3],
                               const ptrdiff_t stride[3], void (*release)(void *cookie),
                               void *cookie)
{
    PictureFormat format;
    if (!pic || !data || !stride || picture_format_init(&format, pix_fmt, bpc, w, h))
        return -EINVAL;
    return picture_wrap(pic, &format, data, stride, release, cookie);
}

VMAF_API int vmaf_picture_share(VmafPicture *copy, const VmafPicture *pic)
{
    if (!copy || !pic || !pic->ref)
        return -EINVAL;
    const PictureBacking *backing = picture_backing(pic);
    if (backing && backing->memory == PICTURE_DEVICE)
        return -ENOTSUP;
    *copy = picture_ref(pic);
    return 0;
}

/* VmafFrameMemory is the public name of a PictureBlock. */

VMAF_API int vmaf_frame_memory_alloc(VmafFrameMemory **memory, size_t size, void **address)
{
    if (!memory || !address || !size)
        return -EINVAL;
    PictureBlock *block = picture_block_create(size);
    *memory = (VmafFrameMemory *)block;
    *address = block ? block->address : NULL;
    return block ? 0 : -ENOMEM;
}

VMAF_API void vmaf_frame_memory_free(VmafFrameMemory *memory)
{
    picture_block_destroy((PictureBlock *)memory);
}

static bool is_inside(const PictureBlock *block, const void *address)
{
    const uintptr_t begin = (uintptr_t)block->address, at = (uintptr_t)address;
    return at >= begin && at - begin < block->size;
}

VMAF_API int vmaf_picture_in_frame_memory(const VmafPicture *pic, VmafFrameMemory *memory)
{
    PictureBlock *block = (PictureBlock *)memory;
    if (!pic || !pic->ref || !block)
        return -EINVAL;
    for (unsigned p = 0; p < 3; p++) {
        if (pic->data[p] && !is_inside(block, pic->data[p]))
            return -EINVAL;
    }
    picture_set_block(pic, block);
    return 0;
}

/* ---- pictures on a device ---- */

/* The public numbers are those of the interface of backends. */
_Static_assert((int)VMAF_IMPORT_CUDA_POINTER == (int)VMAF_BACKEND_IMPORT_CUDA_POINTER &&
                   (int)VMAF_IMPORT_DMABUF == (int)VMAF_BACKEND_IMPORT_DMABUF &&
                   (int)VMAF_IMPORT_D3D11_TEXTURE == (int)VMAF_BACKEND_IMPORT_D3D11_TEXTURE &&
                   (int)VMAF_SYNC_CUDA_EVENT == (int)VMAF_BACKEND_SYNC_CUDA_EVENT &&
                   (int)VMAF_SYNC_D3D11_FENCE == (int)VMAF_BACKEND_SYNC_D3D11_FENCE &&
                   VMAF_IMPORT_HANDLES == VMAF_BACKEND_MAX_HANDLES &&
                   (int)VMAF_IMPORT_OBJECTS == (int)VMAF_BACKEND_MAX_OBJECTS,
               "import");

static unsigned planes_of_format(enum VmafPixelFormat pix_fmt)
{
    return pix_fmt == VMAF_PIX_FMT_YUV400P ? PLANE_Y : PLANE_Y | PLANE_CHROMA;
}

static bool is_sync(const VmafSync *sync)
{
    return (int)sync->kind >= VMAF_SYNC_NONE && sync->kind <= VMAF_SYNC_D3D11_FENCE;
}

static bool is_valid(const VmafPictureImport *import)
{
    const bool interleaved = import->layout != VMAF_IMPORT_PLANAR;
    const bool deep = import->layout == VMAF_IMPORT_P010 || import->layout == VMAF_IMPORT_P016;
    if ((unsigned)import->layout > VMAF_IMPORT_P016 || import->n_handles > VMAF_IMPORT_HANDLES ||
        import->n_objects > VMAF_IMPORT_OBJECTS || !is_sync(&import->wait) ||
        !is_sync(&import->signal) || import->signal.kind == VMAF_SYNC_FILE)
        return false;
    for (unsigned i = 0; i < VMAF_IMPORT_OBJECTS; i++) {
        if (import->n_objects && import->plane_object[i] >= import->n_objects)
            return false;
    }
    if (import->planes & ~planes_of_format(import->pix_fmt))
        return false;
    return !interleaved || deep == (import->bpc > 8);
}

static VmafBackendSync sync_of(const VmafSync *sync)
{
    return (VmafBackendSync){
        .kind = (uint32_t)sync->kind, .handle = sync->handle, .value = sync->value};
}

static PictureImport import_of(const VmafPictureImport *all, const PictureFormat *format)
{
    PictureImport import = {
        .format = *format,
        .planes = all->planes ? all->planes : planes_of_format(all->pix_fmt),
        .source = {.kind = (uint32_t)all->kind,
                   .n_handles = all->n_handles,
                   .size = all->size,
                   .n_objects = all->n_objects,
                   .fourcc = all->fourcc,
                   .modifier = all->modifier},
        .wait = sync_of(&all->wait),
        .signal = sync_of(&all->signal),
        .release = all->release,
        .cookie = all->cookie,
    };
    VmafBackendImport *source = &import.source;
    if (all->layout != VMAF_IMPORT_PLANAR)
        source->layout = VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    if (all->layout == VMAF_IMPORT_P010 || all->layout == VMAF_IMPORT_P016)
        source->shift = 16 - all->bpc;
    memcpy(source->handles, all->handles, sizeof(source->handles));
    for (unsigned p = 0; p < 3; p++)
        source->stride[p] = all->stride[p];
    if (all->kind == VMAF_IMPORT_VULKAN_IMAGE && all->wait.kind == VMAF_SYNC_VULKAN_TIMELINE) {
        /* The handles of such an image have had room for its semaphore since version 1.0 of the
         * interface. */
        source->handles[3] = all->wait.handle;
        source->handles[4] = all->wait.value;
        source->n_handles = 5;
        import.wait = (VmafBackendSync){0};
    }
    for (unsigned i = 0; i < all->n_objects; i++) {
        source->object[i] = (uint64_t)all->object[i];
        source->object_size[i] = all->object_size[i];
    }
    for (unsigned i = 0; i < VMAF_IMPORT_OBJECTS; i++) {
        source->plane_object[i] = all->plane_object[i];
        source->plane_offset[i] = all->plane_offset[i];
    }
    return import;
}

VMAF_API int vmaf_picture_import(VmafContext *vmaf, VmafPicture *pic,
                                 const VmafPictureImport *import)
{
    VmafPictureImport all = {0};
    PictureFormat format;
    if (!vmaf || !pic || !import || import->struct_size < offsetof(VmafPictureImport, fourcc))
        return -EINVAL;
    memcpy(&all, import, import->struct_size < sizeof(all) ? import->struct_size : sizeof(all));
    if (!is_valid(&all) || picture_format_init(&format, all.pix_fmt, all.bpc, all.w, all.h))
        return -EINVAL;
    const PictureImport wanted = import_of(&all, &format);
    return context_import_picture(vmaf, pic, &wanted);
}

/* ---- pools ---- */

VMAF_API int vmaf_preallocate_pictures(VmafContext *vmaf, VmafPictureConfiguration cfg)
{
    PictureFormat format;
    if (!vmaf || !cfg.pic_params.w || !cfg.pic_params.h || !cfg.pic_cnt ||
        picture_format_init(&format, cfg.pic_params.pix_fmt, cfg.pic_params.bpc, cfg.pic_params.w,
                            cfg.pic_params.h))
        return -EINVAL;
    if (vmaf->pool)
        return -EBUSY;
    return picture_pool_create(&vmaf->pool, &format, cfg.pic_cnt);
}

VMAF_API int vmaf_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    if (!vmaf || !pic || !vmaf->pool)
        return -EINVAL;
    TRACE_CALL(vmaf->trace, "fetch a picture");
    return picture_pool_fetch(vmaf->pool, pic);
}
