/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "picture/picture.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "picture/picture_pool.h"
#include "support/memory.h"

int picture_format_init(PictureFormat *format, enum VmafPixelFormat pix_fmt, unsigned bpc,
                        unsigned w, unsigned h)
{
    if (bpc < 8 || bpc > 16)
        return -EINVAL;

    unsigned chroma_w = w, chroma_h = h;
    switch (pix_fmt) {
    case VMAF_PIX_FMT_YUV420P:
        chroma_w = w / 2;
        chroma_h = h / 2;
        break;
    case VMAF_PIX_FMT_YUV422P:
        chroma_w = w / 2;
        break;
    case VMAF_PIX_FMT_YUV444P:
        break;
    case VMAF_PIX_FMT_YUV400P:
        chroma_w = chroma_h = 0;
        break;
    default:
        return -EINVAL;
    }
    *format = (PictureFormat){
        .pix_fmt = pix_fmt,
        .bpc = bpc,
        .w = {w, chroma_w, chroma_w},
        .h = {h, chroma_h, chroma_h},
    };
    return 0;
}

PictureFormat picture_format_of(const VmafPicture *pic)
{
    PictureFormat format = {.pix_fmt = pic->pix_fmt, .bpc = pic->bpc};
    memcpy(format.w, pic->w, sizeof(format.w));
    memcpy(format.h, pic->h, sizeof(format.h));
    return format;
}

bool picture_format_equal(const PictureFormat *a, const PictureFormat *b)
{
    return a->pix_fmt == b->pix_fmt && a->bpc == b->bpc && !memcmp(a->w, b->w, sizeof(a->w)) &&
           !memcmp(a->h, b->h, sizeof(a->h));
}

unsigned picture_format_planes(enum VmafPixelFormat pix_fmt)
{
    return pix_fmt == VMAF_PIX_FMT_YUV400P ? 1 : 3;
}

const char *picture_format_name(enum VmafPixelFormat pix_fmt)
{
    switch (pix_fmt) {
    case VMAF_PIX_FMT_YUV420P:
        return "4:2:0";
    case VMAF_PIX_FMT_YUV422P:
        return "4:2:2";
    case VMAF_PIX_FMT_YUV444P:
        return "4:4:4";
    case VMAF_PIX_FMT_YUV400P:
        return "4:0:0";
    default:
        return "unknown";
    }
}

struct VmafRef {
    atomic_uint count;
    atomic_uint is_kept; /* 1: yes. Not all processors exchange bytes */
    PictureRelease release;
    void (*kept)(void *cookie); /* optional */
    void *cookie;
    PictureBacking *backing; /* NULL: ordinary memory */
    PictureBlock *block;     /* NULL: unknown */
};

enum { STRIDE_SAMPLES = 32 };

static unsigned bytes_per_sample(unsigned bpc)
{
    return bpc > 8 ? 2 : 1;
}

bool picture_planes_layout(const PictureFormat *format, size_t offset[3], ptrdiff_t stride[3],
                           size_t *size)
{
    size_t total = 0;
    for (unsigned p = 0; p < 3; p++) {
        size_t row, plane;
        offset[p] = total;
        row = size_round_up(format->w[p], STRIDE_SAMPLES) * bytes_per_sample(format->bpc);
        if (row > PTRDIFF_MAX || !size_mul(row, format->h[p], &plane) ||
            !size_add(total, plane, &total))
            return false;
        stride[p] = (ptrdiff_t)row;
    }
    *size = total ? total : 1;
    return true;
}

void *picture_planes_alloc(const PictureFormat *format, void *data[3], ptrdiff_t stride[3])
{
    size_t offset[3], size;
    if (!picture_planes_layout(format, offset, stride, &size))
        return NULL;
    unsigned char *block = memory_alloc_zeroed(size, 1);
    if (!block)
        return NULL;
    unsigned planes = picture_format_planes(format->pix_fmt);
    for (unsigned p = 0; p < 3; p++)
        data[p] = p < planes ? block + offset[p] : NULL;
    return block;
}

/* Takes over `cookie` on success only. */
static int picture_init(VmafPicture *pic, const PictureFormat *format, void *const data[3],
                        const ptrdiff_t stride[3], PictureRelease release, void *cookie)
{
    VmafRef *ref = malloc(sizeof(*ref));
    if (!ref)
        return -ENOMEM;
    atomic_init(&ref->count, 1);
    atomic_init(&ref->is_kept, 0);
    ref->kept = NULL;
    ref->backing = NULL;
    ref->block = NULL;
    ref->release = release;
    ref->cookie = cookie;

    *pic = (VmafPicture){.pix_fmt = format->pix_fmt, .bpc = format->bpc, .ref = ref, .priv = ref};
    for (unsigned p = 0; p < 3; p++) {
        pic->w[p] = format->w[p];
        pic->h[p] = format->h[p];
        pic->stride[p] = stride[p];
        pic->data[p] = data[p];
    }
    return 0;
}

int picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                  unsigned h)
{
    PictureFormat format;
    int err = picture_format_init(&format, pix_fmt, bpc, w, h);
    if (err)
        return err;
    void *data[3];
    ptrdiff_t stride[3];
    void *block = picture_planes_alloc(&format, data, stride);
    if (!block)
        return -ENOMEM;
    err = picture_init(pic, &format, data, stride, memory_free, block);
    if (err)
        memory_free(block);
    return err;
}

bool picture_stride_fits(const PictureFormat *format, unsigned plane, ptrdiff_t stride)
{
    const size_t sample = bytes_per_sample(format->bpc);
    const size_t distance = stride < 0 ? 0 - (size_t)stride : (size_t)stride;
    return distance >= format->w[plane] * sample && distance % sample == 0;
}

static void release_nothing(void *cookie)
{
    (void)cookie;
}

int picture_wrap(VmafPicture *pic, const PictureFormat *format, void *const data[3],
                 const ptrdiff_t stride[3], PictureRelease release, void *cookie)
{
    void *planes[3] = {0};
    ptrdiff_t strides[3] = {0};
    size_t sample = bytes_per_sample(format->bpc);
    for (unsigned p = 0; p < picture_format_planes(format->pix_fmt); p++) {
        if (!data[p])
            continue;
        if (!picture_stride_fits(format, p, stride[p]) || (uintptr_t)data[p] % sample)
            return -EINVAL;
        planes[p] = data[p];
        strides[p] = stride[p];
    }
    return picture_init(pic, format, planes, strides, release ? release : release_nothing, cookie);
}

VmafPicture picture_ref(const VmafPicture *pic)
{
    if (pic->ref)
        atomic_fetch_add_explicit(&pic->ref->count, 1, memory_order_relaxed);
    return *pic;
}

int picture_unref(VmafPicture *pic)
{
    if (!pic || !pic->ref)
        return -EINVAL;
    VmafRef *ref = pic->ref;
    *pic = (VmafPicture){0};
    if (atomic_fetch_sub_explicit(&ref->count, 1, memory_order_acq_rel) == 1) {
        ref->release(ref->cookie);
        free(ref);
    }
    return 0;
}

bool picture_keep(const VmafPicture *pic)
{
    if (!pic->ref || atomic_exchange(&pic->ref->is_kept, 1))
        return false;
    picture_ref(pic);
    if (pic->ref->kept)
        pic->ref->kept(pic->ref->cookie);
    return true;
}

void picture_on_keep(const VmafPicture *pic, void (*kept)(void *cookie))
{
    pic->ref->kept = kept;
}

void picture_set_block(const VmafPicture *pic, PictureBlock *block)
{
    pic->ref->block = block;
}

PictureBlock *picture_block(const VmafPicture *pic)
{
    return pic->ref ? pic->ref->block : NULL;
}

void picture_set_backing(const VmafPicture *pic, PictureBacking *backing)
{
    pic->ref->backing = backing;
}

PictureBacking *picture_backing(const VmafPicture *pic)
{
    return pic->ref ? pic->ref->backing : NULL;
}

int picture_on_host(const VmafPicture *pic, VmafPicture *view)
{
    PictureBacking *backing = picture_backing(pic);
    *view = *pic;
    if (!backing || backing->memory != PICTURE_DEVICE)
        return 0;
    return backing->to_host(backing, view->data, view->stride);
}

void picture_want_planes(const VmafPicture *pic, unsigned planes)
{
    PictureBacking *backing = picture_backing(pic);
    if (!backing || backing->memory != PICTURE_DEVICE)
        return;
    const unsigned before = atomic_fetch_or(&backing->wanted, planes);
    if (before && (planes & ~before)) /* of another context, with other features */
        atomic_store(&backing->on_host, false);
}

bool picture_is_pooled(const VmafPicture *pic)
{
    return pic->ref && pic->ref->kept;
}

bool picture_is_plain(const VmafPicture *pic)
{
    return pic->ref && pic->ref->release == memory_free && !pic->ref->backing;
}

bool picture_is_last(const VmafPicture *pic)
{
    return pic->ref && atomic_load_explicit(&pic->ref->count, memory_order_acquire) == 1;
}

bool picture_is_copy(const VmafPicture *a, const VmafPicture *b)
{
    return a != b && a->ref == b->ref && picture_is_last(a);
}

/* Each pass looks at one row in so many. Passes go from row to row in steps that have no factor in
 * common with that. */
enum { PASSES = 16, STEP = 5, FIRST = PASSES / 2 };

static const unsigned char *row_of(const VmafPicture *pic, unsigned plane, unsigned y)
{
    return (const unsigned char *)pic->data[plane] + (ptrdiff_t)y * pic->stride[plane];
}

static bool rows_equal(const VmafPicture *a, const VmafPicture *b, unsigned plane, unsigned first)
{
    const size_t size = a->w[plane] * (a->bpc > 8 ? sizeof(uint16_t) : sizeof(uint8_t));
    for (unsigned y = first; y < a->h[plane]; y += PASSES)
        if (memcmp(row_of(a, plane, y), row_of(b, plane, y), size) != 0)
            return false;
    return true;
}

static bool in_same_memory(const VmafPicture *a, const VmafPicture *b, unsigned planes)
{
    for (unsigned p = 0; p < 3; p++)
        if (planes >> p & 1 && a->data[p] == b->data[p])
            return true;
    return false;
}

bool picture_pairs_equal(const VmafPicture a[2], const VmafPicture b[2], unsigned planes)
{
    for (int i = 0; i < 2; i++)
        if (in_same_memory(&a[i], &b[i], planes))
            return false;
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (unsigned p = 0; p < 3; p++)
            for (int i = 0; i < 2 && planes >> p & 1; i++)
                if (!rows_equal(&a[i], &b[i], p, (FIRST + pass * STEP) % PASSES))
                    return false;
    return true;
}
