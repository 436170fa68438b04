/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/y4m_writer.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int cannot_write(const Y4mWriter *writer, int err, Message *why)
{
    return message_set(why, err, "cannot write %.300s: %s", writer->path, strerror(-err));
}

int y4m_writer_open(Y4mWriter *writer, const char *path, FrameRate rate, Message *why)
{
    *writer = (Y4mWriter){.path = path, .rate = rate, .file = fopen(path, "wb")};
    return writer->file ? 0 : cannot_write(writer, -errno, why);
}

static void write_header(Y4mWriter *writer, const VmafPicture *picture)
{
    static const char *const shallow[] = {"", "420jpeg", "422", "444", "mono"};
    static const char *const deep[] = {"", "420p", "422p", "444p", "mono"};
    const unsigned depth = picture->bpc;
    fprintf(writer->file, "YUV4MPEG2 W%u H%u F%d:%d Ip A0:0 C%s", picture->w[0], picture->h[0],
            writer->rate.numerator, writer->rate.denominator,
            (depth > 8 ? deep : shallow)[picture->pix_fmt]);
    if (depth > 8)
        fprintf(writer->file, "%u", depth);
    fputc('\n', writer->file);
}

/* Words of any machine become those of the format: the low byte first. */
static const void *as_bytes(Y4mWriter *writer, const uint16_t *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        writer->row[2 * i] = (unsigned char)(words[i] & 0xff);
        writer->row[2 * i + 1] = (unsigned char)(words[i] >> 8);
    }
    return writer->row;
}

static void write_plane(Y4mWriter *writer, const VmafPicture *picture, int plane)
{
    const char *row = picture->data[plane];
    const unsigned width = picture->w[plane];
    for (unsigned y = 0; y < picture->h[plane]; y++, row += picture->stride[plane])
        if (picture->bpc > 8)
            fwrite(as_bytes(writer, (const uint16_t *)(const void *)row, width), 2, width,
                   writer->file);
        else
            fwrite(row, 1, width, writer->file);
}

int y4m_writer_add(Y4mWriter *writer, const VmafPicture *picture, Message *why)
{
    if (!writer->row && !(writer->row = malloc(2 * (size_t)picture->w[0])))
        return message_set(why, -ENOMEM, "out of memory");
    if (!writer->frames)
        write_header(writer, picture);
    fputs("FRAME\n", writer->file);
    for (int plane = 0; plane < 3; plane++)
        if (picture->data[plane])
            write_plane(writer, picture, plane);
    writer->frames++;
    return ferror(writer->file) ? cannot_write(writer, -(errno ? errno : EIO), why) : 0;
}

int y4m_writer_close(Y4mWriter *writer, Message *why)
{
    int err = 0;
    if (writer->file && (ferror(writer->file) || fflush(writer->file)))
        err = -(errno ? errno : EIO);
    if (writer->file && fclose(writer->file) && !err)
        err = -(errno ? errno : EIO);
    if (err)
        cannot_write(writer, err, why);
    free(writer->row);
    *writer = (Y4mWriter){0};
    return err;
}
