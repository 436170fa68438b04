/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_REGISTERED_MEMORY_H
#define CORE_BACKEND_REGISTERED_MEMORY_H

/*
 * Blocks of picture memory that are registered with a device: once, when the first picture in a
 * block is submitted, until the block is freed or the device is closed, whichever comes first. If a
 * device cannot do it, or fails, nothing is different but the speed. Nothing is called of a plugin
 * that was given up.
 */

#include "backend/backend_device.h"
#include "picture/picture_block.h"

/* True if the device reads registered host memory, by its abilities and its plugin's functions. */
bool registered_memory_pays(const BackendDevice *device);
/* Registers a block, which may be NULL. By a thread that may call the plugin, and holds a picture
 * in the block. */
void registered_memory_add(BackendDevice *device, PictureBlock *block);
/* Unregisters all memory of the device, which has no other users any more. Calls the plugin. */
void registered_memory_clear(BackendDevice *device);

#endif
