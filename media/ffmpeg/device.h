/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FFMPEG_DEVICE_H
#define MEDIA_FFMPEG_DEVICE_H

/* Devices that decode, and frames that are in their memory. */

#include "media/ffmpeg/ffmpeg_video.h"

/* Brings up the first kind of device that decodes this and is wanted; without one the processor
 * decodes. */
void device_open(MediaVideo *video, const AVCodec *codec);

/* The format of the samples, wherever they are. */
enum AVPixelFormat device_layout(const AVFrame *frame);
bool device_has(const AVFrame *frame);

/* A frame of the device becomes one in memory. 0; negative errno, and says why. */
int device_download(AVFrame **frame, Message *why);

/* Fills in whether frames like this can be given out where they are, and what they are there. */
void device_describe(const MediaVideo *video, const AVFrame *first, MediaDevice *device);

/* A frame of the decoder becomes one that may be kept for as long as its user wants. 0; negative
 * errno, and says why; the frame is gone then. */
int device_keep(MediaVideo *video, AVFrame **frame, Message *why);

/* See MediaModule. */
int device_fetch_rows(void *held, const MediaRows *rows, void *to, Message *why);

#endif
