/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Input: the 8 bytes of a score, then a format for scores, as hosts pass or --precision selects. An
 * accepted format prints the score as text of limited size.
 */
#include "fuzz.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUT = 256 };

static void check_text(const char *text, size_t length)
{
    if (length >= NUMBER_TEXT_SIZE || strlen(text) != length)
        abort();
    /* The text contains nothing that a report would have to escape. */
    for (size_t i = 0; i < length; i++) {
        if (!strchr("+-.0123456789abcdefghinptx ", text[i]))
            abort();
    }
}

/* 17 significant digits are read back as the same number. */
static void check_round_trip(double score)
{
    char text[NUMBER_TEXT_SIZE];
    check_text(text, number_print(text, score, "%.17g"));
    if (isfinite(score) && strtod(text, NULL) != score)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double score;
    if (size < sizeof(score) || size > MAX_INPUT)
        return 0;
    memcpy(&score, data, sizeof(score));
    char format[MAX_INPUT + 1];
    memcpy(format, data + sizeof(score), size - sizeof(score));
    format[size - sizeof(score)] = '\0';

    char text[NUMBER_TEXT_SIZE];
    check_text(text, number_print(text, score, NULL));
    check_round_trip(score);
    if (report_check_score_format(format) == 0)
        check_text(text, number_print(text, score, format));
    return 0;
}
