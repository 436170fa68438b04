/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_BUFFER_H
#define VMAF_SDK_BUFFER_H

#include "plan.h"

/*
 * The buffers of backend.h: pictures in host memory that the driver provides, of kind PINNED. A
 * session copies from them as from any host memory.
 */

int32_t vmaf_buffer_create(VmafDevice *device, const VmafBackendBufferParams *params,
                           struct VmafBackendBuffer **buffer);
int32_t vmaf_buffer_info(const struct VmafBackendBuffer *buffer, VmafBackendBufferInfo *info);
int32_t vmaf_buffer_download(struct VmafBackendBuffer *buffer, void *const data[3],
                             const int64_t stride[3]);
int32_t vmaf_buffer_upload(struct VmafBackendBuffer *buffer, const void *const data[3],
                           const int64_t stride[3]);
void vmaf_buffer_release(struct VmafBackendBuffer *buffer);

/* Describes its planes as a picture in host memory; false if its pictures are not those of the
 * plan. */
bool vmaf_buffer_view(const struct VmafBackendBuffer *buffer, const struct VmafBackendPlan *plan,
                      VmafBackendPicture *picture);

#endif
