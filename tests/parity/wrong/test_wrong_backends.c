/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The self-test must refuse every variant of variants.txt at each depth at which it is wrong, and
 * must accept the right kernels. The first argument is the metric.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/scoring.h"
#include "support/cases.h"

typedef struct Variant {
    int number;
    const char *metric, *depths, *what;
} Variant;

#define WRONG_VARIANT(number, metric, depths, what) {number, metric, depths, what},
static const Variant variants[] = {
#include "wrong_list.h"
};
enum { N_VARIANTS = sizeof(variants) / sizeof(variants[0]) };

/* What is scored for a metric of the list, if that is more than its name, and pictures that it
 * takes. */
static const struct {
    const char *metric;
    ScoringFeature feature;
    unsigned width, height;
    const char *method;
} others[] = {
    /* With this option it runs all its kernels. */
    {"float_motion", {"float_motion", "motion_add_scale1", "true"}, 64, 48, NULL},
    {"cambi", {.name = "cambi"}, 232, 48, NULL},
    {"float_ms_ssim", {.name = "float_ms_ssim"}, 192, 176, NULL},
    {"speed_chroma", {.name = "speed_chroma"}, 176, 160, NULL},
    {"speed_temporal", {.name = "speed_temporal"}, 96, 80, NULL},
    {"speed_resized", {"speed_chroma", "speed_prescale", "0.6"}, 288, 272, "bilinear"},
};

/* Scores with a variant of a metric's kernels: sizes are odd at 8 bits, even above. */
static ScoringResult try_out(const char *metric, int number, unsigned depth)
{
    static ScoringResult result;
    char text[16];
    snprintf(text, sizeof(text), "%d", number);
    setenv("VMAF_TEST_WRONG", text, 1);
    const unsigned odd = depth == 8;
    unsigned width = 64, height = 48;
    const char *method = NULL;
    ScoringFeature feature = {.name = metric};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(others[i].metric, metric))
            continue;
        width = others[i].width;
        height = others[i].height;
        feature = others[i].feature;
        method = others[i].method;
    }
    const ScoringRun run = {
        .backend = "wrongdevice",
        .width = width + odd,
        .height = height + odd,
        .depth = depth,
        .pixel_format = VMAF_PIX_FMT_YUV420P,
        .n_frames = 1,
        .features = {feature},
        .method = method,
    };
    scoring_run(&run, &result);
    return result;
}

static bool has_depth(const Variant *variant, unsigned depth)
{
    char padded[32], wanted[16];
    snprintf(padded, sizeof(padded), " %s ", variant->depths);
    snprintf(wanted, sizeof(wanted), " %u ", depth);
    return strstr(padded, wanted) != NULL;
}

/* Metrics that do not take a depth have no variant for it. */
static bool is_taken(const char *metric, unsigned depth)
{
    for (unsigned i = 0; i < N_VARIANTS; i++) {
        if (!strcmp(variants[i].metric, metric) && has_depth(&variants[i], depth))
            return true;
    }
    return false;
}

static unsigned check_right(const char *metric, unsigned depth)
{
    const ScoringResult result = try_out(metric, 0, depth);
    if (!result.error && result.placement[0] == VMAF_PLACEMENT_BACKEND)
        return 0;
    printf("%s, %u bits: the right kernels are refused (%s)\n", metric, depth, result.reason);
    return 1;
}

static unsigned check_variant(const Variant *variant, unsigned depth)
{
    const ScoringResult result = try_out(variant->metric, variant->number, depth);
    if (!result.error && result.placement[0] == VMAF_PLACEMENT_SELF_TEST)
        return 0;
    printf("passes: %d, %s at %u bits, %s (error %d, placement %d, %s)\n", variant->number,
           variant->metric, depth, variant->what, result.error, (int)result.placement[0],
           result.reason);
    return 1;
}

int main(int argc, char **argv)
{
    static const unsigned depths[] = {8, 10, 16};
    unsigned known = 0, failures = 0;
    if (argc < 2)
        return 2;
    const char *metric = argv[1];
    select_cases(argc - 1, argv + 1);
    for (unsigned d = 0; d < 3; d++) {
        char name[64];
        snprintf(name, sizeof(name), "right_%u_bits", depths[d]);
        if (is_taken(metric, depths[d]) && case_is_selected(name))
            failures += check_right(metric, depths[d]);
        for (unsigned i = 0; i < N_VARIANTS; i++) {
            const Variant *variant = &variants[i];
            if (strcmp(variant->metric, metric) || !has_depth(variant, depths[d]))
                continue;
            known++;
            snprintf(name, sizeof(name), "wrong_%d_%u_bits", variant->number, depths[d]);
            if (case_is_selected(name))
                failures += check_variant(variant, depths[d]);
        }
    }
    printf("%s: %u wrong variants, %u passed or failed otherwise\n", metric, known, failures);
    return end_cases(!known + (int)failures);
}
