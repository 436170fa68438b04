/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_MEDIA_MODULE_H
#define MEDIA_MEDIA_MODULE_H

#include "media/module_interface.h"

/*
 * The module that decodes media files, loaded when it is first asked for, for good. 0; -ENOENT if
 * it is not installed; another negative errno if it is no good here. Then `why` says so, and what
 * to do. From any thread.
 */
int media_module_load(const MediaModule **module, Message *why);

/* "auto", or a kind of device that decodes, as a constant; NULL: it is none. */
const char *media_decoder_name(const char *name);

#endif
