/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_SHARED_UPLOAD_H
#define CORE_BACKEND_SESSION_SHARED_UPLOAD_H

/*
 * Pictures that several sessions on the same device read are uploaded once: into a buffer of the
 * device that all of them read. Sharing only saves time. Where a backend does not offer such
 * buffers, memory runs out, or an upload fails, each session is handed the picture in host memory.
 *
 * Readers are counted by device. Buffers are used again as long as a device has readers, and hold
 * the device open only as long as it has some, or pictures are in use.
 */

#include "backend/backend_device.h"
#include "picture/picture.h"
#include "picture/picture_companion.h"

/* The buffers, and who reads them. Any thread. */
typedef struct SharedUploads SharedUploads;
/* One reference. 0, -ENOMEM. */
int shared_uploads_create(SharedUploads **uploads);
SharedUploads *shared_uploads_ref(SharedUploads *uploads);
void shared_uploads_unref(SharedUploads *uploads); /* NULL allowed */

/* A reader of these planes begins; it ends with the same arguments, before the device is released.
 * False: it is not counted, and does not end. */
bool shared_uploads_begin_reading(SharedUploads *uploads, BackendDevice *device, unsigned planes);
void shared_uploads_end_reading(SharedUploads *uploads, const BackendDevice *device,
                                unsigned planes);

/*
 * For the next picture, on as many devices as it is read on: one reference. With the last one the
 * buffers may be used for another picture, so a reader holds one until its device has read the
 * picture. NULL: nothing would be shared now, or memory is out.
 */
PictureCompanion *shared_upload_create(SharedUploads *uploads);

/*
 * The buffer with the picture, which is uploaded if that has not been done yet; waits if another
 * thread is at it. `pic` is readable on the host and always the same. Calls the plugin: from inside
 * a call of the session that reads these planes. NULL: it is to be read in host memory.
 */
VmafBackendBuffer *shared_upload_fetch(PictureCompanion *upload, BackendDevice *device,
                                       unsigned planes, const VmafPicture *pic);

#endif
