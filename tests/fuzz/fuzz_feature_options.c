/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Input: lines "extractor:option=value:option=value". Each requests a feature; if any is accepted,
 * two small frames are scored and a report is made, for one of sixteen input sizes. Only the first
 * lines count, so that seeds can be filled up to such a size.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_ext.h"

enum { MAX_INPUT = 2048, MAX_FEATURES = 2, SIDE = 18, FRAMES = 2 };

/* Splits at the first `separator`: returns the text before it; *rest: what follows, or NULL. */
static char *split(char *text, char separator, char **rest)
{
    *rest = strchr(text, separator);
    if (*rest)
        *(*rest)++ = '\0';
    return text;
}

static int use_feature(VmafContext *vmaf, char *line)
{
    char *rest;
    const char *extractor = split(line, ':', &rest);
    VmafFeatureDictionary *dict = NULL;
    while (rest) {
        char *value;
        const char *name = split(rest, ':', &rest);
        split((char *)(uintptr_t)name, '=', &value);
        if (value && vmaf_feature_dictionary_set(&dict, name, value))
            abort();
    }
    int err = vmaf_use_feature(vmaf, extractor, dict);
    if (err)
        vmaf_feature_dictionary_free(&dict);
    return err;
}

static void score_frame(VmafContext *vmaf, enum VmafPixelFormat format, unsigned index)
{
    VmafPicture pair[2];
    for (unsigned k = 0; k < 2; k++) {
        if (vmaf_picture_alloc(&pair[k], format, 8, SIDE, SIDE))
            abort();
        unsigned char *luma = pair[k].data[0];
        for (unsigned y = 0; y < SIDE; y++) {
            for (unsigned x = 0; x < SIDE; x++)
                luma[(ptrdiff_t)y * pair[k].stride[0] + x] =
                    (unsigned char)(7 * x + 13 * y + 5 * index + (k ? x * y % 5 : 0));
        }
    }
    if (vmaf_read_pictures(vmaf, &pair[0], &pair[1], index)) {
        for (unsigned k = 0; k < 2; k++)
            vmaf_picture_unref(&pair[k]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[MAX_INPUT + 1];
    if (size > MAX_INPUT)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (strstr(text, "path"))
        return 0; /* options that name files must not get random names */

    VmafContext *vmaf;
    if (vmaf_init(&vmaf, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_NONE}))
        abort();
    unsigned n_accepted = 0;
    char *rest = text;
    for (unsigned i = 0; rest && i < MAX_FEATURES; i++) {
        char *line = split(rest, '\n', &rest);
        n_accepted += use_feature(vmaf, line) == 0;
    }
    unsigned planes;
    if (vmaf_planes_needed(vmaf, VMAF_PIX_FMT_YUV444P, &planes) || planes > 7)
        abort();
    /* Pixels take most of the time, but most bugs would be in parsing: score few inputs. */
    if (n_accepted && size % 16 == 1) {
        char *report;
        for (unsigned i = 0; i < FRAMES; i++)
            score_frame(vmaf, size % 32 == 1 ? VMAF_PIX_FMT_YUV420P : VMAF_PIX_FMT_YUV444P, i);
        vmaf_read_pictures(vmaf, NULL, NULL, 0);
        if (!vmaf_output_text(vmaf, &report, VMAF_OUTPUT_FORMAT_JSON, NULL))
            free(report);
    }
    vmaf_close(vmaf);
    return 0;
}
