/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/engine/fake_buffers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Planes one after the other, rows without gaps. */
typedef struct FakeBuffer {
    VmafBackendBufferParams params;
    uint32_t w[3], h[3], sample;
    uint8_t *content[3];
    atomic_uint n_readers;
} FakeBuffer;

void fake_wait_for_release(void)
{
    atomic_fetch_add(&fake_settings()->n_hanging, 1);
    while (!atomic_load(&fake_settings()->release))
        usleep(20000); /* so rarely that it is not taken for work */
    atomic_fetch_sub(&fake_settings()->n_hanging, 1);
}

static bool has(const FakeBuffer *buffer, unsigned plane)
{
    return buffer->params.planes >> plane & 1;
}

static size_t row_size(const FakeBuffer *buffer, unsigned plane)
{
    return (size_t)buffer->w[plane] * buffer->sample;
}

int32_t fake_buffer_create(VmafBackendDevice *device, const VmafBackendBufferParams *params,
                           VmafBackendBuffer **buffer)
{
    (void)device;
    if (params->kind != VMAF_BACKEND_BUFFER_UPLOADED)
        return VMAF_BACKEND_NOT_SUPPORTED;
    if (fake_settings()->refuse_buffers)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    FakeBuffer *made = calloc(1, sizeof(*made));
    if (!made)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    made->params = *params;
    made->sample = params->depth > 8 ? 2 : 1;
    for (unsigned p = 0; p < 3; p++) {
        const bool narrow = p && params->pixel_format != VMAF_BACKEND_PIXEL_444;
        const bool low = p && params->pixel_format == VMAF_BACKEND_PIXEL_420;
        made->w[p] = params->width >> narrow;
        made->h[p] = params->height >> low;
        if (has(made, p))
            made->content[p] = calloc(made->h[p], row_size(made, p));
    }
    atomic_fetch_add(&fake_settings()->n_buffers, 1);
    atomic_fetch_add(&fake_settings()->n_buffers_made, 1);
    *buffer = (VmafBackendBuffer *)made;
    return VMAF_BACKEND_OK;
}

int32_t fake_buffer_info(const VmafBackendBuffer *buffer, VmafBackendBufferInfo *info)
{
    const FakeBuffer *mine = (const FakeBuffer *)buffer;
    *info = (VmafBackendBufferInfo){.struct_size = sizeof(*info), .kind = mine->params.kind};
    return VMAF_BACKEND_OK;
}

/* Nobody needs it. */
int32_t fake_buffer_download(VmafBackendBuffer *buffer, void *const data[3],
                             const int64_t stride[3])
{
    (void)buffer;
    (void)data;
    (void)stride;
    return VMAF_BACKEND_NOT_SUPPORTED;
}

static void expect_unread(FakeBuffer *buffer)
{
    if (atomic_load(&buffer->n_readers))
        atomic_fetch_add(&fake_settings()->n_buffers_misused, 1);
}

int32_t fake_buffer_upload(VmafBackendBuffer *buffer, const void *const data[3],
                           const int64_t stride[3])
{
    FakeBuffer *mine = (FakeBuffer *)buffer;
    FakeSettings *settings = fake_settings();
    const unsigned n = atomic_fetch_add(&settings->n_uploads, 1);
    if (settings->lose_device_in_upload)
        return VMAF_BACKEND_DEVICE_LOST;
    if (settings->n_good_uploads && n >= settings->n_good_uploads)
        return VMAF_BACKEND_FAILED;
    if (settings->hang_upload)
        fake_wait_for_release();
    expect_unread(mine);
    for (unsigned p = 0; p < 3; p++) {
        if (!data[p] || !has(mine, p))
            continue;
        atomic_fetch_add(&settings->n_planes_uploaded, 1);
        for (uint32_t y = 0; y < mine->h[p]; y++)
            memcpy(mine->content[p] + y * row_size(mine, p),
                   (const uint8_t *)data[p] + (int64_t)y * stride[p], row_size(mine, p));
    }
    return VMAF_BACKEND_OK;
}

void fake_buffer_release(VmafBackendBuffer *buffer)
{
    FakeBuffer *mine = (FakeBuffer *)buffer;
    expect_unread(mine);
    for (unsigned p = 0; p < 3; p++)
        free(mine->content[p]);
    free(mine);
    atomic_fetch_sub(&fake_settings()->n_buffers, 1);
}

VmafBackendPicture fake_buffer_picture(const VmafBackendPicture *picture)
{
    VmafBackendPicture on_host = *picture;
    const FakeBuffer *mine = (const FakeBuffer *)picture->buffer;
    for (unsigned p = 0; p < 3 && mine; p++) {
        on_host.data[p] = mine->content[p];
        on_host.stride[p] = (int64_t)row_size(mine, p);
    }
    return on_host;
}

void fake_buffer_enter(VmafBackendBuffer *buffer)
{
    if (buffer)
        atomic_fetch_add(&((FakeBuffer *)buffer)->n_readers, 1);
}

void fake_buffer_leave(VmafBackendBuffer *buffer)
{
    if (buffer)
        atomic_fetch_sub(&((FakeBuffer *)buffer)->n_readers, 1);
}
