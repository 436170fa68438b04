/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_BACKEND_ENGINE_FAKE_BUFFERS_H
#define TESTS_BACKEND_ENGINE_FAKE_BUFFERS_H

/* The buffers of a fake backend, which are there for uploads alone. */

#include "backend/engine/fake.h"
#include "libvmaf/backend.h"

FakeSettings *fake_settings(void);
/* As long as the test wants what hangs to hang. */
void fake_wait_for_release(void);

int32_t fake_buffer_create(VmafBackendDevice *device, const VmafBackendBufferParams *params,
                           VmafBackendBuffer **buffer);
int32_t fake_buffer_info(const VmafBackendBuffer *buffer, VmafBackendBufferInfo *info);
int32_t fake_buffer_download(VmafBackendBuffer *buffer, void *const data[3],
                             const int64_t stride[3]);
int32_t fake_buffer_upload(VmafBackendBuffer *buffer, const void *const data[3],
                           const int64_t stride[3]);
void fake_buffer_release(VmafBackendBuffer *buffer);

/* The picture with the pixels of its buffer, if it has one. */
VmafBackendPicture fake_buffer_picture(const VmafBackendPicture *picture);
/* Around the time in which a frame may read it; NULL allowed. */
void fake_buffer_enter(VmafBackendBuffer *buffer);
void fake_buffer_leave(VmafBackendBuffer *buffer);

#endif
