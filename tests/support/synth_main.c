/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The program `synth`: writes synthetic video files. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/synth.h"

static const char usage[] =
    "usage: synth --scene SCENE --size WxH --output FILE [options]\n"
    "\n"
    "Writes a synthetic video. Two runs that differ only in --distortion and --strength make a\n"
    "reference and a distorted clip.\n"
    "\n"
    "  --scene       flat gradient texture static edges grain dark cut extreme noise chirp chroma\n"
    "  --size        luma size, for example 576x324\n"
    "  --output      Y4M file, or raw samples if the name ends in .yuv\n"
    "  --distortion  identical blur quant block noise gain fade offset sharpen freeze delay shift\n"
    "                nearest bilinear hadamard negate                     (default identical)\n"
    "  --strength    1 or more, of the distortion                         (default 2)\n"
    "  --format      400, 420, 422 or 444                                 (default 420)\n"
    "  --depth       bits per sample, 8 to 16                             (default 8)\n"
    "  --frames      number of frames                                     (default 1)\n"
    "  --seed        variant of the scene                                 (default 1)\n"
    "  --raw         raw samples whatever the name\n";

static int ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static int complain(const char *message, const char *what)
{
    fprintf(stderr, "synth: %s%s\n\n%s", message, what, usage);
    return 1;
}

static int write_file(const SynthClip *clip, enum SynthContainer container, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "synth: %s: %s\n", path, strerror(errno));
        return 1;
    }
    int err = synth_write(clip, container, file);
    if (fclose(file) && !err)
        err = -EIO;
    if (err) {
        fprintf(stderr, "synth: %s: %s\n", path, strerror(-err));
        remove(path);
    }
    return err != 0;
}

int main(int argc, char **argv)
{
    SynthClip clip = synth_default();
    const char *output = NULL;
    int raw = 0, has_scene = 0;
    for (int i = 1; i < argc; ++i) {
        const char *name = argv[i];
        if (!strcmp(name, "--help")) {
            fputs(usage, stdout);
            return 0;
        }
        if (!strcmp(name, "--raw")) {
            raw = 1;
            continue;
        }
        if (strncmp(name, "--", 2))
            return complain("not an option: ", name);
        if (++i == argc)
            return complain("value missing: ", name);
        if (!strcmp(name, "--output")) {
            output = argv[i];
            continue;
        }
        const int err = synth_set(&clip, name + 2, argv[i]);
        if (err)
            return complain(err == -ENOENT ? "unknown option: " : "unacceptable value: ",
                            err == -ENOENT ? name : argv[i]);
        has_scene |= !strcmp(name, "--scene");
    }
    if (!has_scene || !clip.width || !output)
        return complain("--scene, --size and --output are needed", "");
    if (ends_in(output, ".yuv"))
        raw = 1;
    return write_file(&clip, raw ? SYNTH_RAW : SYNTH_Y4M, output);
}
