/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures of a page as PNG files in Base64. */
#include <stdlib.h>
#include <string.h>

#include "common/html/html_internal.h"

#ifdef HTML_HAS_ZLIB
#include <zlib.h>
#endif

enum { PIXEL = 3, FILTER_UP = 2, FILTER_PAETH = 4 };

/* ---- Checksums and streams of zlib, also where there is no zlib ---- */

#ifdef HTML_HAS_ZLIB

uint32_t checksum_crc32(uint32_t crc, const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(crc, bytes, size);
}

static size_t stream_bound(size_t size)
{
    return compressBound((uLong)size);
}

/* Size of the stream; 0 if memory runs out. */
static size_t stream_write(unsigned char *stream, size_t room, const unsigned char *bytes,
                           size_t size)
{
    enum { LEVEL = 6 };
    uLongf written = (uLongf)room;
    return compress2(stream, &written, bytes, (uLong)size, LEVEL) == Z_OK ? (size_t)written : 0;
}

#else

uint32_t checksum_crc32(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

enum { STORED_BLOCK = 65535, BLOCK_HEADER = 5, STREAM_HEADER = 2, CHECKSUM = 4 };

/* RFC 1950. */
static uint32_t adler_of(const unsigned char *bytes, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static size_t stream_bound(size_t size)
{
    return STREAM_HEADER + (size / STORED_BLOCK + 1) * BLOCK_HEADER + size + CHECKSUM;
}

/* Stored blocks, RFC 1951. */
static size_t stream_write(unsigned char *stream, size_t room, const unsigned char *bytes,
                           size_t size)
{
    unsigned char *end = stream;
    (void)room;
    *end++ = 0x78;
    *end++ = 0x01;
    for (size_t at = 0, n; at < size || !at; at += n) {
        n = size - at < STORED_BLOCK ? size - at : STORED_BLOCK;
        *end++ = at + n == size; /* the last */
        *end++ = (unsigned char)n;
        *end++ = (unsigned char)(n >> 8);
        *end++ = (unsigned char)~n;
        *end++ = (unsigned char)(~n >> 8);
        end = mempcpy(end, bytes + at, n);
    }
    const uint32_t checksum = adler_of(bytes, size);
    for (int shift = 24; shift >= 0; shift -= 8)
        *end++ = (unsigned char)(checksum >> shift);
    return (size_t)(end - stream);
}

#endif

bool html_images_are_compressed(void)
{
#ifdef HTML_HAS_ZLIB
    return true;
#else
    return false;
#endif
}

/* ---- Filters ---- */

static int paeth(int left, int up, int corner)
{
    const int estimate = left + up - corner;
    const int a = abs(estimate - left), b = abs(estimate - up), c = abs(estimate - corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

/* The row after its kind of filter; smooth pictures become small numbers. `above` may be NULL. */
static void filter_row(unsigned char *out, const uint8_t *row, const uint8_t *above, size_t bytes)
{
    *out++ = above ? FILTER_PAETH : FILTER_UP;
    for (size_t i = 0; i < bytes; i++) {
        const int left = i >= PIXEL ? row[i - PIXEL] : 0, up = above ? above[i] : 0;
        const int corner = above && i >= PIXEL ? above[i - PIXEL] : 0;
        out[i] = (unsigned char)(row[i] - (above ? paeth(left, up, corner) : 0));
    }
}

/* ---- The file ---- */

static unsigned char *put_number(unsigned char *end, size_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *end++ = (unsigned char)(number >> shift);
    return end;
}

/* The data of a chunk are in place behind room for its head. Returns the end of the chunk. */
static unsigned char *close_chunk(unsigned char *chunk, const char *type, size_t size)
{
    put_number(chunk, size);
    memcpy(chunk + 4, type, 4);
    return put_number(chunk + 8 + size, checksum_crc32(0, chunk + 4, size + 4));
}

enum { CHUNK_HEAD = 8, CHUNK = 12, IHDR = 13, SIGNATURE = 8 };

static unsigned char *put_file(unsigned char *file, const HtmlImage *image,
                               const unsigned char *rows, size_t size)
{
    static const unsigned char signature[SIGNATURE] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const unsigned char kind[] = {8, 2, 0, 0, 0}; /* bits, RGB, and no other ways */
    unsigned char *end = mempcpy(file, signature, SIGNATURE);
    unsigned char *header = put_number(put_number(end + CHUNK_HEAD, image->width), image->height);
    memcpy(header, kind, sizeof(kind));
    end = close_chunk(end, "IHDR", IHDR);
    const size_t stream = stream_write(end + CHUNK_HEAD, stream_bound(size), rows, size);
    if (!stream)
        return NULL;
    end = close_chunk(end, "IDAT", stream);
    return close_chunk(end, "IEND", 0);
}

unsigned char *png_encode(const HtmlImage *image, size_t *size)
{
    const size_t row = (size_t)image->width * PIXEL, all = (row + 1) * image->height;
    unsigned char *rows = malloc(all);
    unsigned char *file = malloc(SIGNATURE + 3 * CHUNK + IHDR + stream_bound(all));
    unsigned char *end = NULL;
    for (unsigned y = 0; rows && file && y < image->height; y++) {
        const uint8_t *here = image->rgb + y * row;
        filter_row(rows + y * (row + 1), here, y ? here - row : NULL, row);
    }
    if (rows && file)
        end = put_file(file, image, rows, all);
    free(rows);
    if (end) {
        *size = (size_t)(end - file);
        return file;
    }
    free(file);
    return NULL;
}

void base64_print(FILE *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char line[256]; /* characters one by one would take longer to write than to make */
    size_t n = 0;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        line[n++] = digits[group >> 18];
        line[n++] = digits[group >> 12 & 63];
        line[n++] = left > 1 ? digits[group >> 6 & 63] : '=';
        line[n++] = left > 2 ? digits[group & 63] : '=';
        if (n == sizeof(line) || left <= 3) {
            fwrite(line, 1, n, out);
            n = 0;
        }
    }
}
