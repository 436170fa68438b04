/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_START_H
#define CORE_ENGINE_START_H

#include "engine/context.h"

/*
 * Starts what was not started yet of a context, when the format of its pictures is known: the list
 * of work, the queue, and the states of features; and with `executors` who scores pictures, also a
 * backend that was chosen. 0, or the error, logged and kept by the context.
 */
int context_start(VmafContext *context, const PictureFormat *format, bool executors);

#endif
