/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_Y4M_WRITER_H
#define TUNE_MEASURE_Y4M_WRITER_H

/* Pictures in a Y4M file, for a program that reads such files. */

#include "common/messages.h"
#include "tune/engine/sampling.h"

#include "libvmaf/picture.h"

#include <stdio.h>

typedef struct Y4mWriter {
    FILE *file;
    const char *path;
    FrameRate rate;
    size_t frames;
    unsigned char *row; /* of a deep picture, as bytes */
} Y4mWriter;

/* 0; negative errno and why. Close it in either case. */
int y4m_writer_open(Y4mWriter *writer, const char *path, FrameRate rate, Message *why);
/* All pictures have to look alike. 0; negative errno and why. */
int y4m_writer_add(Y4mWriter *writer, const VmafPicture *picture, Message *why);
/* 0; negative errno and why: not all could be written. */
int y4m_writer_close(Y4mWriter *writer, Message *why);

#endif
