/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_FINISH_H
#define CORE_ENGINE_FINISH_H

#include "engine/context.h"

/* FrameRetire: turns the records of a frame into scores. `cookie` is the context. */
void finish_frame(void *cookie, const Frame *frame);
/* At the end of the stream: writes the scores that sequences have held back. 0, or the error, which
 * the context keeps. */
int finish_stream(VmafContext *context);

#endif
