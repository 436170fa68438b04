/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/ffmpeg_progress.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* "23.98", in every locale. */
static double read_decimal(const char *text)
{
    double result = 0, unit = 1;
    for (bool behind_point = false; (*text >= '0' && *text <= '9') || *text == '.'; text++) {
        if (*text == '.') {
            if (behind_point)
                break;
            behind_point = true;
            continue;
        }
        result = 10 * result + (*text - '0');
        unit *= behind_point ? 10 : 1;
    }
    return result / unit;
}

static bool grow(unsigned long long *most, unsigned long long value)
{
    const bool grows = value > *most;
    if (grows)
        *most = value;
    return grows;
}

static void take_line(FfmpegProgress *progress, ProgressNews *news)
{
    progress->line[progress->used] = '\0';
    progress->used = 0;
    char *value = strchr(progress->line, '=');
    if (!value)
        return;
    *value++ = '\0';
    value += strspn(value, " ");
    const char *key = progress->line;
    if (!strcmp(key, "frame")) {
        progress->frames = strtoull(value, NULL, 10);
        news->advanced |= grow(&progress->most_frames, progress->frames);
    } else if (!strcmp(key, "fps")) {
        progress->fps = read_decimal(value);
    } else if (!strcmp(key, "total_size")) {
        news->advanced |= grow(&progress->most_bytes, strtoull(value, NULL, 10));
    } else if (!strcmp(key, "progress")) {
        progress->ended = !strcmp(value, "end");
        news->reported = true;
        news->advanced |= progress->ended;
    }
}

ProgressNews ffmpeg_progress_add(FfmpegProgress *progress, const char *text, size_t size)
{
    ProgressNews news = {false, false};
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n')
            take_line(progress, &news);
        else if (progress->used < sizeof(progress->line) - 1 && text[i] != '\r')
            progress->line[progress->used++] = text[i];
    }
    return news;
}
