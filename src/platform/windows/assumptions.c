/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the whole tree takes for granted of the compiler and its settings. */
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <stdio.h>

static_assert(FLT_EVAL_METHOD == 0, "scores need operations that round to the type of operands");
static_assert(CHAR_BIT == 8 && sizeof(int) == 4, "samples and records are made of these");
static_assert(sizeof(void *) == 8, "pictures and files are larger than 32 bits can say");
#if !defined(__USE_MINGW_ANSI_STDIO) || !__USE_MINGW_ANSI_STDIO
#error "formats are those of C11, which the C runtime of Windows does not know"
#endif
