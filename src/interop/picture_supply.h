/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef INTEROP_PICTURE_SUPPLY_H
#define INTEROP_PICTURE_SUPPLY_H

/* Pictures for the application to fill: on the device, in host memory that the device reads, or in
 * ordinary memory. */

#include "interop_state.h"

typedef struct PictureSupplyParams {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    unsigned method; /* number in the vendor's header */
} PictureSupplyParams;

/* 0; -EINVAL, -EBUSY, -ENOTSUP, -ENOMEM, -EIO, -ENOSYS. */
int picture_supply_set_up(VmafContext *context, const Vendor *vendor,
                          const PictureSupplyParams *params);
/* Waits while all pictures of a ring are in use. 0; -EINVAL, -ENOMEM, -ENODEV, -EIO, -ENOSYS. */
int picture_supply_fetch(VmafContext *context, const Vendor *vendor, VmafPicture *pic);
void picture_supply_clear(InteropState *state);

#endif
