/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_CLI_CLIP_H
#define TESTS_CLI_CLIP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Small videos made by a formula: plane p, sample (x, y), frame f of the file has
 *   v = 7x + 13y + 5f + 31p, and in distorted clips, where (xy + f) mod 3 = 0, ((xy + f) mod 5) - 2
 *   more;
 * of 8 bits v & 255 is stored, of d bits (v (2^(d-8) + 1)) & (2^d - 1).
 */
typedef struct Clip {
    unsigned width, height;
    unsigned frames;
    const char *tag; /* Y4M chroma tag; NULL means 420jpeg; also of raw clips */
    bool distorted;
    bool raw;                 /* no headers */
    const char *header;       /* instead of the usual Y4M header line; line feed included */
    const char *frame_header; /* instead of "FRAME\n" */
    size_t cut;               /* bytes to leave out at the end */
} Clip;

/* The bytes of a clip, to be freed. *size receives their number. */
unsigned char *clip_make(const Clip *clip, size_t *size);

/* Writes a clip to a file. */
void clip_write(const Clip *clip, const char *path);
/* Writes ref.y4m, and the distorted one, which the clip is then, as dis.y4m; raw ones as .yuv. */
void clip_write_pair(Clip *clip);

#endif
