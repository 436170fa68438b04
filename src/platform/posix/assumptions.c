/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the whole tree takes for granted of the compiler and its settings. */
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <sys/types.h>

static_assert(FLT_EVAL_METHOD == 0, "scores need operations that round to the type of operands");
static_assert(sizeof(off_t) == 8, "files may be larger than 2 GiB: -D_FILE_OFFSET_BITS=64");
static_assert(CHAR_BIT == 8 && sizeof(int) == 4, "samples and records are made of these");
