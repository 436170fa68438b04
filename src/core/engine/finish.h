/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_FINISH_H
#define CORE_ENGINE_FINISH_H

#include "engine/context.h"

/* FrameRetire: turns the records of a frame into scores. `cookie` is the context. */
void finish_frame(void *cookie, const Frame *frame);
/* At the end of the stream: what sequences still owe. 0 or the error, which sticks. */
int finish_stream(VmafContext *context);

#endif
