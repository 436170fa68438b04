/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint32_t plane_width(const Format *f, unsigned plane)
{
    return plane && f->pixel_format != VMAF_BACKEND_PIXEL_444 ? f->width / 2 : f->width;
}

static uint32_t plane_height(const Format *f, unsigned plane)
{
    return plane && f->pixel_format == VMAF_BACKEND_PIXEL_420 ? f->height / 2 : f->height;
}

size_t test_plane_size(const Format *format, unsigned plane)
{
    return (size_t)plane_width(format, plane) * plane_height(format, plane) *
           (format->depth > 8 ? 2 : 1);
}

/* A sample of a moving texture with some noise; the distorted texture is coarser. */
static uint32_t sample(const Format *format, unsigned frame, bool distorted, bool noise,
                       unsigned plane, uint32_t x, uint32_t y)
{
    uint32_t h = x * 374761393u + y * 668265263u + frame * 2246822519u + plane * 3266489917u;
    h = (h ^ h >> 13) * 1274126177u;
    h ^= h >> 16;
    if (noise)
        return h & 0xffff;
    const uint32_t ramp = (5 * x + 3 * y + 11 * frame + 60 * plane) % 256;
    uint32_t value = (ramp << (format->depth - 8)) + (h & ((1u << (format->depth - 4)) - 1));
    const uint32_t largest = (1u << format->depth) - 1;
    value = value < largest ? value : largest;
    return distorted ? value & ~((1u << (format->depth - 5)) - 1) : value;
}

TestPicture test_picture(const Format *format, unsigned frame, bool distorted, bool noise,
                         Layout layout)
{
    const unsigned n_planes = format->pixel_format == VMAF_BACKEND_PIXEL_400 ? 1 : 3;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = format->depth > 8 ? 2 : 1;
    size_t planes_size = 0, rows[3] = {0}, room[3] = {0};
    for (unsigned p = 0; p < n_planes; p++) {
        /* There is an odd number of bytes between rows, so that words are not aligned. */
        rows[p] = plane_width(format, p) * bytes + (layout == LAYOUT_BOTTOM_UP ? 7 : 0);
        room[p] = (rows[p] * plane_height(format, p) + page - 1) / page * page;
        planes_size += room[p] + page;
    }
    TestPicture picture = {.size = planes_size + page};
    picture.view.struct_size = sizeof(picture.view);
    picture.mapping = mmap(NULL, picture.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (picture.mapping == MAP_FAILED) {
        perror("vmaf-backend-check");
        _exit(2);
    }
    unsigned char *start = (unsigned char *)picture.mapping + page;
    for (unsigned p = 0; p < n_planes; p++) {
        const uint32_t w = plane_width(format, p), h = plane_height(format, p);
        /* The last sample of a tight plane, the first of one that is bottom up, is at the edge. */
        const size_t used = w && h ? rows[p] * (h - 1) + w * bytes : 0;
        unsigned char *first = layout == LAYOUT_TIGHT ? start + room[p] - used : start;
        mprotect(start, room[p], PROT_READ | PROT_WRITE);
        for (uint32_t y = 0; y < h; y++) {
            const uint32_t row = layout == LAYOUT_TIGHT ? y : h - 1 - y;
            for (uint32_t x = 0; x < w; x++) {
                const uint32_t v = sample(format, frame, distorted, noise, p, x, y);
                const uint16_t word = (uint16_t)v;
                if (bytes == 1)
                    first[row * rows[p] + x] = (unsigned char)v;
                else
                    memcpy(first + row * rows[p] + x * 2, &word, 2);
            }
        }
        mprotect(start, room[p], PROT_READ);
        picture.view.data[p] = layout == LAYOUT_TIGHT || !h ? first : first + (h - 1) * rows[p];
        picture.view.stride[p] = layout == LAYOUT_TIGHT ? (int64_t)rows[p] : -(int64_t)rows[p];
        start += room[p] + page;
    }
    return picture;
}

void test_picture_forbid(TestPicture *picture)
{
    if (picture->mapping)
        mprotect(picture->mapping, picture->size, PROT_NONE);
}

void test_picture_free(TestPicture *picture)
{
    if (picture->mapping)
        munmap(picture->mapping, picture->size);
    picture->mapping = NULL;
}
