/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Input: a byte that selects features and the bits of samples; then the text of a layout, up to a
 * zero byte, or nothing: then it is that of the context; then the data of frames. Whatever they
 * are, reading them and the report end.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/libvmaf_ext.h"

enum { MAX_LAYOUT = 1 << 16, MAX_FRAMES = 64, N_CHOICES = 8 };

/* Small pictures, but for the features that take none: memory is taken for some frames of records.
 * Seldom of 8 bits where there is ciede, which fills large tables for them. */
static int state_format(VmafContext *vmaf, unsigned which)
{
    const bool is_large = which % N_CHOICES == 4 || which % N_CHOICES == 5;
    const bool is_deep = which % N_CHOICES == 2 && which < 128;
    return vmaf_records_format(vmaf, VMAF_PIX_FMT_YUV420P, is_deep ? 10 : 8, is_large ? 332 : 44,
                               is_large ? 182 : 38);
}

static void use_features(VmafContext *vmaf, unsigned which)
{
    static const char *const features[N_CHOICES][3] = {
        {"vif", "adm", "motion"},
        {"float_vif", "float_adm", "float_motion"},
        {"psnr", "ciede", "float_moment"},
        {"float_ssim", "ssim", "psnr_hvs"},
        {"float_psnr", "float_ansnr", "speed_temporal"},
        {"speed_chroma", "ssimulacra2", "motion"},
        {"motion", "float_motion", "psnr"},
        {"vif", "null", "motion"},
    };
    for (int i = 0; i < 3; i++)
        (void)vmaf_use_feature(vmaf, features[which % N_CHOICES][i], NULL);
}

/* The text that the data begins with, if there is one. */
static char *take_text(const uint8_t **data, size_t *size)
{
    const size_t length = strnlen((const char *)*data, *size < MAX_LAYOUT ? *size : MAX_LAYOUT);
    char *text = length ? strndup((const char *)*data, length) : NULL;
    const size_t taken = length < *size ? length + 1 : length;
    *data += taken;
    *size -= taken;
    return text;
}

static size_t frame_bytes(const char *layout)
{
    const char *bytes = strstr(layout, "\"bytes\":");
    return bytes ? strtoul(bytes + 8, NULL, 10) : 0;
}

static void read_frames(VmafContext *vmaf, const uint8_t *data, size_t size, size_t n_bytes)
{
    if (!n_bytes || n_bytes > size)
        n_bytes = size;
    for (unsigned i = 0; i < MAX_FRAMES && size >= n_bytes; i++) {
        /* In memory of its own, whose end is watched. */
        uint8_t *copy = malloc(n_bytes + !n_bytes);
        if (!copy)
            return;
        memcpy(copy, data, n_bytes);
        const VmafStoredFrame frame = {sizeof(frame), i, copy, n_bytes};
        (void)vmaf_read_record(vmaf, &frame);
        free(copy);
        if (!n_bytes)
            return;
        data += n_bytes;
        size -= n_bytes;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    VmafContext *vmaf;
    char *missing = NULL, *report = NULL;
    if (!size || vmaf_init(&vmaf, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_NONE}))
        return 0;
    const unsigned which = *data++;
    size--;
    use_features(vmaf, which);
    if (state_format(vmaf, which))
        abort();
    char *layout = take_text(&data, &size);
    if (!layout && vmaf_records_layout(vmaf, &layout))
        abort();
    if (!vmaf_read_records_from(vmaf, layout, &missing))
        read_frames(vmaf, data, size, frame_bytes(layout));
    (void)vmaf_read_pictures(vmaf, NULL, NULL, 0);
    if (vmaf_output_text(vmaf, &report, VMAF_OUTPUT_FORMAT_JSON, NULL) == 0 && !report)
        abort();
    free(report);
    free(missing);
    free(layout);
    vmaf_close(vmaf);
    return 0;
}
