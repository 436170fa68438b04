/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/hdr_values.h"

#include <math.h>
#include <stdio.h>

/* Units of the message of ST 2086 in HEVC (ITU-T H.265, D.3.28). */
static const double chromaticity_units = 50000, luminance_units = 10000;

static void print_integers(const MasteringDisplay *display, char *text, size_t size)
{
    const double *const points[] = {display->green, display->blue, display->red, display->white};
    long xy[4][2];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            xy[i][j] = lround(points[i][j] * chromaticity_units);
    snprintf(text, size, "G(%ld,%ld)B(%ld,%ld)R(%ld,%ld)WP(%ld,%ld)L(%ld,%ld)", xy[0][0], xy[0][1],
             xy[1][0], xy[1][1], xy[2][0], xy[2][1], xy[3][0], xy[3][1],
             lround(display->highest * luminance_units), lround(display->lowest * luminance_units));
}

/* "12.3456", or less of it; with a point in every locale. */
static void print_decimal(double value, int digits, char *text, size_t size)
{
    long long units = 1;
    for (int i = 0; i < digits; i++)
        units *= 10;
    const long long whole = llround(value * (double)units);
    snprintf(text, size, "%lld.%0*lld", whole / units, digits, whole % units);
}

static void print_decimals(const MasteringDisplay *display, char *text, size_t size)
{
    const double *const points[] = {display->green, display->blue, display->red, display->white};
    char xy[4][2][24], highest[24], lowest[24];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            print_decimal(points[i][j], 5, xy[i][j], sizeof(xy[i][j]));
    print_decimal(display->highest, 4, highest, sizeof(highest));
    print_decimal(display->lowest, 4, lowest, sizeof(lowest));
    snprintf(text, size, "G(%s,%s)B(%s,%s)R(%s,%s)WP(%s,%s)L(%s,%s)", xy[0][0], xy[0][1], xy[1][0],
             xy[1][1], xy[2][0], xy[2][1], xy[3][0], xy[3][1], highest, lowest);
}

/* Numbers are those of ITU-T H.273. */
void hdr_values(const HdrTags *tags, HdrTexts *texts, TemplateValues *values)
{
    const bool pq = tags->transfer == HDR_PQ;
    values->of[PLACE_TRANSFER] = pq ? "smpte2084" : "arib-std-b67";
    values->of[PLACE_TRANSFER_NUMBER] = pq ? "16" : "18";
    values->of[PLACE_MATRIX] = tags->constant_luminance ? "bt2020c" : "bt2020nc";
    values->of[PLACE_MATRIX_NUMBER] = tags->constant_luminance ? "10" : "9";
    values->of[PLACE_RANGE] = tags->full_range ? "pc" : "tv";
    values->of[PLACE_RANGE_WORD] = tags->full_range ? "full" : "limited";
    values->of[PLACE_RANGE_NUMBER] = tags->full_range ? "1" : "0";
    if (tags->mastering.known) {
        print_integers(&tags->mastering, texts->mastering_integers,
                       sizeof(texts->mastering_integers));
        print_decimals(&tags->mastering, texts->mastering_decimals,
                       sizeof(texts->mastering_decimals));
        values->of[PLACE_MASTERING_INTEGERS] = texts->mastering_integers;
        values->of[PLACE_MASTERING_DECIMALS] = texts->mastering_decimals;
    }
    if (tags->light.known) {
        snprintf(texts->light, sizeof(texts->light), "%d,%d", tags->light.maximum,
                 tags->light.frame_average);
        values->of[PLACE_LIGHT] = texts->light;
    }
}
