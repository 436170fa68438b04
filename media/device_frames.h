/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_DEVICE_FRAMES_H
#define MEDIA_DEVICE_FRAMES_H

/* Frames that are scored on the device that has decoded them. */

#include "media/video_reader.h"

#include "libvmaf/libvmaf.h"

/* Are the frames of this video, as they come from its decoder, pictures of that depth? Then
 * reader->stays_on_device may be set before video_reader_prepare; else `why` says what is to be
 * done to them, such as "is scaled". */
bool device_frames_can_stay(const VideoReader *reader, unsigned output_depth, Message *why);

/* Makes a picture of a buffer with such a frame, which the picture releases. 0; negative errno: it
 * does not. By the thread that reads pictures of the context. */
int device_frames_import(const VideoReader *reader, VmafContext *vmaf, FrameBuffer *buffer,
                         VmafPicture *picture);

/* Fills in the signature of such a frame. 0; negative errno with reader->error. */
int device_frames_take_signature(VideoReader *reader, FrameBuffer *buffer);

#endif
