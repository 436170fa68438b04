/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_RAW_YUV_H
#define MEDIA_RAW_YUV_H

#include "common/messages.h"
#include "media/input.h"

/* Raw planar video has no headers: a frame begins wherever a byte is left. As y4m_begin_frame. */
int raw_yuv_begin_frame(Input *input, Message *why);

#endif
