/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_PICTURE_UNPACK_ARGS_H
#define KERNELS_PICTURE_UNPACK_ARGS_H

#include "dialect/types.h"

struct unpack_args {
    i32 w, h;                   /* of the plane, in samples */
    i32 raw_stride, out_stride; /* of a row, in samples */
    i32 step, first;            /* of a row's samples of this plane among all samples of the row */
    i32 shift;                  /* bits below the value */
};
KERNEL_STRUCT(unpack_args)

#endif
