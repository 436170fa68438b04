/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "support/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/synth_internal.h"

static const char *const scene_names[] = {
    "flat", "gradient", "texture", "static", "edges", "grain",
    "dark", "cut",      "extreme", "noise",  "chirp", "chroma",
};

static const char *const distortion_names[] = {
    "identical", "blur",   "quant", "block", "noise",   "gain",     "fade",     "offset",
    "sharpen",   "freeze", "delay", "shift", "nearest", "bilinear", "hadamard", "negate",
};

static const char *const format_names[] = {"400", "420", "422", "444"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Largest side and strength: keep every product of the definitions well within 64 bits. */
enum { MAX_SIDE = 32768, MAX_STRENGTH = 1024 };

SynthClip synth_default(void)
{
    return (SynthClip){
        .strength = 2,
        .format = SYNTH_420,
        .depth = 8,
        .frames = 1,
        .seed = 1,
    };
}

static int parse_name(const char *text, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (!strcmp(text, names[i]))
            return (int)i;
    return -EINVAL;
}

static int parse_number(const char *text, unsigned long min, unsigned long max, unsigned long *out)
{
    char *end;
    if (*text < '0' || *text > '9')
        return -EINVAL;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (errno || *end || value < min || value > max)
        return -EINVAL;
    *out = value;
    return 0;
}

static int set_number(unsigned *member, const char *text, unsigned long min, unsigned long max)
{
    unsigned long value;
    const int err = parse_number(text, min, max, &value);
    if (!err)
        *member = (unsigned)value;
    return err;
}

static int set_size(SynthClip *clip, const char *text)
{
    char width[16];
    const char *x = strchr(text, 'x');
    if (!x || (size_t)(x - text) >= sizeof width)
        return -EINVAL;
    memcpy(width, text, (size_t)(x - text));
    width[x - text] = '\0';
    int err = set_number(&clip->width, width, 1, MAX_SIDE);
    if (!err)
        err = set_number(&clip->height, x + 1, 1, MAX_SIDE);
    return err;
}

int synth_set(SynthClip *clip, const char *name, const char *text)
{
    int choice;
    if (!strcmp(name, "scene")) {
        choice = parse_name(text, scene_names, COUNT(scene_names));
        if (choice >= 0)
            clip->scene = (enum SynthScene)choice;
    } else if (!strcmp(name, "distortion")) {
        choice = parse_name(text, distortion_names, COUNT(distortion_names));
        if (choice >= 0)
            clip->distortion = (enum SynthDistortion)choice;
    } else if (!strcmp(name, "format")) {
        choice = parse_name(text, format_names, COUNT(format_names));
        if (choice >= 0)
            clip->format = (enum SynthFormat)choice;
    } else if (!strcmp(name, "strength")) {
        choice = set_number(&clip->strength, text, 1, MAX_STRENGTH);
    } else if (!strcmp(name, "size")) {
        choice = set_size(clip, text);
    } else if (!strcmp(name, "depth")) {
        choice = set_number(&clip->depth, text, 8, 16);
    } else if (!strcmp(name, "frames")) {
        choice = set_number(&clip->frames, text, 0, 1000000);
    } else if (!strcmp(name, "seed")) {
        choice = set_number(&clip->seed, text, 0, UINT32_MAX);
    } else {
        return -ENOENT;
    }
    return choice < 0 ? choice : 0;
}

unsigned synth_planes(const SynthClip *clip)
{
    return clip->format == SYNTH_400 ? 1 : 3;
}

unsigned synth_shift_x(const SynthClip *clip, unsigned plane)
{
    return plane && (clip->format == SYNTH_420 || clip->format == SYNTH_422);
}

unsigned synth_shift_y(const SynthClip *clip, unsigned plane)
{
    return plane && clip->format == SYNTH_420;
}

unsigned synth_plane_width(const SynthClip *clip, unsigned plane)
{
    const unsigned shift = synth_shift_x(clip, plane);
    return (clip->width + shift) >> shift;
}

unsigned synth_plane_height(const SynthClip *clip, unsigned plane)
{
    const unsigned shift = synth_shift_y(clip, plane);
    return (clip->height + shift) >> shift;
}

static int is_valid(const SynthClip *clip)
{
    return clip->width >= 1 && clip->width <= MAX_SIDE && clip->height >= 1 &&
           clip->height <= MAX_SIDE && clip->strength >= 1 && clip->strength <= MAX_STRENGTH &&
           clip->depth >= 8 && clip->depth <= 16 &&
           (clip->distortion != SYNTH_DISTORT_QUANT || clip->strength + clip->depth - 8 <= 32);
}

int synth_plane(const SynthClip *clip, unsigned frame, unsigned plane, uint16_t *samples)
{
    if (!is_valid(clip) || frame >= clip->frames || plane >= synth_planes(clip))
        return -EINVAL;
    synth_scene(clip, synth_source_frame(clip, (int)frame), plane, samples);
    if (clip->distortion == SYNTH_DISTORT_IDENTICAL)
        return 0;
    return synth_distort(clip, (int)frame, plane, samples);
}

static int write_header(const SynthClip *clip, FILE *file)
{
    static const char *const tags_8[] = {"mono", "420jpeg", "422", "444"};
    static const char *const tags_deep[] = {"mono", "420p", "422p", "444p"};
    int n = fprintf(file, "YUV4MPEG2 W%u H%u F25:1 Ip A1:1 C", clip->width, clip->height);
    if (n >= 0)
        n = clip->depth == 8 ? fprintf(file, "%s\n", tags_8[clip->format])
                             : fprintf(file, "%s%u\n", tags_deep[clip->format], clip->depth);
    return n < 0 ? -EIO : 0;
}

static int write_samples(const SynthClip *clip, uint16_t *samples, size_t n, FILE *file)
{
    /* In place: byte i of the output never lies beyond sample i of the input. */
    unsigned char *bytes = (unsigned char *)samples;
    const size_t width = clip->depth > 8 ? 2 : 1;
    for (size_t i = 0; i < n; ++i) {
        const unsigned v = samples[i];
        bytes[i * width] = (unsigned char)v;
        if (width == 2)
            bytes[i * width + 1] = (unsigned char)(v >> 8);
    }
    return fwrite(bytes, width, n, file) == n ? 0 : -EIO;
}

int synth_write(const SynthClip *clip, enum SynthContainer container, FILE *file)
{
    if (!is_valid(clip))
        return -EINVAL;
    uint16_t *samples = malloc((size_t)clip->width * clip->height * sizeof *samples);
    if (!samples)
        return -ENOMEM;
    int err = container == SYNTH_Y4M ? write_header(clip, file) : 0;
    for (unsigned frame = 0; !err && frame < clip->frames; ++frame) {
        if (container == SYNTH_Y4M && fputs("FRAME\n", file) < 0)
            err = -EIO;
        for (unsigned plane = 0; !err && plane < synth_planes(clip); ++plane) {
            err = synth_plane(clip, frame, plane, samples);
            if (!err)
                err = write_samples(
                    clip, samples,
                    (size_t)synth_plane_width(clip, plane) * synth_plane_height(clip, plane), file);
        }
    }
    free(samples);
    return err;
}

int synth_write_memory(const SynthClip *clip, enum SynthContainer container, unsigned char **data,
                       size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    if (!file)
        return -ENOMEM;
    int err = synth_write(clip, container, file);
    if (fclose(file) && !err)
        err = -ENOMEM;
    if (err)
        free(text);
    else
        *data = (unsigned char *)text;
    return err;
}
