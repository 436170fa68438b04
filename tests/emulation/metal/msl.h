/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_MSL_H
#define TESTS_EMULATION_METAL_MSL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What the text of a library in the Metal shading language says of its kernels. The text is one
 * that the preprocessor has been through, but for #include of Metal's own headers.
 */

enum { MSL_MAX_BUFFERS = 31, MSL_NAME_SIZE = 64, MSL_ERROR_SIZE = 256 };

typedef struct MslBuffer {
    bool is_bound;   /* there is a parameter with [[buffer(n)]] */
    bool is_written; /* device memory that is not const */
    bool is_constant;
} MslBuffer;

typedef struct MslKernel {
    char name[MSL_NAME_SIZE];
    unsigned long max_threads; /* of a group; 0: it is not said */
    MslBuffer buffers[MSL_MAX_BUFFERS];
} MslKernel;

typedef struct MslText {
    MslKernel *kernels;
    size_t n_kernels;
} MslText;

/* False, and why a compiler would refuse the text. */
bool msl_read(MslText *text, const char *source, char error[MSL_ERROR_SIZE]);
void msl_free(MslText *text);

#endif
