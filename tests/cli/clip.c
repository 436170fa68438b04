/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "clip.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Growing {
    unsigned char *bytes;
    size_t size, capacity;
} Growing;

static void die(const char *what)
{
    fprintf(stderr, "cannot make a test clip: %s\n", what);
    abort();
}

static void append(Growing *to, const void *bytes, size_t size)
{
    if (!size)
        return;
    if (to->size + size > to->capacity) {
        to->capacity = 2 * (to->size + size);
        to->bytes = realloc(to->bytes, to->capacity);
        if (!to->bytes)
            die("out of memory");
    }
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static unsigned depth_of(const char *tag)
{
    const char *p = strchr(tag, 'p');
    unsigned depth = p ? (unsigned)atoi(p + 1) : 0;
    return depth ? depth : 8; /* "420jpeg" has a p as well */
}

static unsigned planes_of(const char *tag)
{
    return !strcmp(tag, "mono") ? 1 : !strcmp(tag, "444alpha") ? 4 : 3;
}

static void append_plane(Growing *to, const Clip *clip, const char *tag, unsigned p, unsigned f)
{
    bool chroma = p == 1 || p == 2;
    unsigned w = clip->width, h = clip->height, depth = depth_of(tag);
    if (chroma && !strncmp(tag, "411", 3))
        w = (w + 3) / 4;
    else if (chroma && strncmp(tag, "444", 3))
        w = (w + 1) / 2;
    if (chroma && !strncmp(tag, "420", 3))
        h = (h + 1) / 2;
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++) {
            int v = (int)(7 * x + 13 * y + 5 * f + 31 * p);
            if (clip->distorted && (x * y + f) % 3 == 0)
                v += (int)((x * y + f) % 5) - 2;
            uint32_t sample = depth > 8 ? (uint32_t)v * ((1u << (depth - 8)) + 1) : (uint32_t)v;
            sample &= (1u << depth) - 1;
            const unsigned char bytes[2] = {(unsigned char)sample, (unsigned char)(sample >> 8)};
            append(to, bytes, depth > 8 ? 2 : 1);
        }
    }
}

unsigned char *clip_make(const Clip *clip, size_t *size)
{
    const char *tag = clip->tag ? clip->tag : "420jpeg";
    const char *frame_header = clip->frame_header ? clip->frame_header : "FRAME\n";
    Growing made = {0};
    if (!clip->raw) {
        char usual[128];
        snprintf(usual, sizeof(usual), "YUV4MPEG2 W%u H%u F25:1 Ip A1:1 C%s\n", clip->width,
                 clip->height, tag);
        const char *header = clip->header ? clip->header : usual;
        append(&made, header, strlen(header));
    }
    for (unsigned f = 0; f < clip->frames; f++) {
        if (!clip->raw)
            append(&made, frame_header, strlen(frame_header));
        for (unsigned p = 0; p < planes_of(tag); p++)
            append_plane(&made, clip, tag, p, f);
    }
    *size = made.size - (clip->cut < made.size ? clip->cut : made.size);
    return made.bytes;
}

void clip_write(const Clip *clip, const char *path)
{
    size_t size;
    unsigned char *bytes = clip_make(clip, &size);
    FILE *file = fopen(path, "wb");
    if (!file || (size && fwrite(bytes, 1, size, file) != size) || fclose(file))
        die(path);
    free(bytes);
}

void clip_write_pair(Clip *clip)
{
    clip->distorted = false;
    clip_write(clip, clip->raw ? "ref.yuv" : "ref.y4m");
    clip->distorted = true;
    clip_write(clip, clip->raw ? "dis.yuv" : "dis.y4m");
}
