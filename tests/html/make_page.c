/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A page of made-up scores on standard output: make_page FRAMES SERIES VIDEOS [hostile] */
#include "common/html/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char hostile[] =
    "\"'><script>alert(1)</script><img src=\"http://x/\">&amp;\xff\xc3\x01\n.y4m";

/* Ten frames of noise, the worst that there is to compress. */
static void make_worst(HtmlFrame worst[10], uint8_t *noise, size_t size)
{
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        noise[i] = (uint8_t)(128 + (state >> 28));
    }
    for (uint32_t i = 0; i < 10; i++) {
        const HtmlImage image = {256, 144, noise};
        worst[i] = (HtmlFrame){i * 30, 50 + i, image, image, image};
    }
}

static void make_scores(double *scores, size_t n, unsigned seed, int is_hostile)
{
    for (size_t i = 0; i < n; i++)
        scores[i] = 80 + 10 * sin((double)i / 5000 + seed) + 5 * sin((double)i * (seed + 1)) +
                    (i % 90000 > 88000 ? -30 : 0);
    if (is_hostile && n > 3) {
        scores[1] = NAN;
        scores[2] = INFINITY;
        scores[3] = -INFINITY;
    }
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 1;
    const size_t n = strtoul(argv[1], NULL, 10), n_series = strtoul(argv[2], NULL, 10);
    const size_t n_videos = strtoul(argv[3], NULL, 10), bytes = 256 * 144 * 3;
    const int is_hostile = argc > 4;
    HtmlVideo *videos = calloc(n_videos, sizeof(*videos));
    HtmlSeries *series = calloc(n_videos * n_series + 1, sizeof(*series));
    char(*names)[32] = calloc(n_series + 1, sizeof(*names));
    uint8_t *noise = malloc(bytes);
    HtmlFrame worst[10];
    const char *const notes[] = {is_hostile ? hostile : "A note."};
    const HtmlFact facts[] = {{"Reference", is_hostile ? hostile : "reference.y4m"}};
    if (!videos || !series || !names || !noise)
        return 1;
    make_worst(worst, noise, bytes);
    for (size_t v = 0; v < n_videos; v++) {
        videos[v] = (HtmlVideo){.name = is_hostile ? hostile : "distorted.y4m",
                                .n_notes = 1,
                                .notes = notes,
                                .n_facts = 1,
                                .facts = facts,
                                .n_series = n_series,
                                .series = &series[v * n_series],
                                .n_worst = n_series && n ? 10 / n_videos : 0,
                                .worst = worst};
        for (size_t s = 0; s < n_series; s++) {
            double *scores = malloc((n + 1) * sizeof(*scores));
            if (!scores)
                return 1;
            make_scores(scores, n, (unsigned)(v * n_series + s), is_hostile);
            snprintf(names[s], sizeof(names[s]), s ? "feature_%zu" : "vmaf", s);
            series[v * n_series + s] = (HtmlSeries){.name = is_hostile && s ? hostile : names[s],
                                                    .is_model = !s,
                                                    .n = n,
                                                    .scores = scores};
        }
    }
    const HtmlPage page = {.reference = facts[0].text,
                           .version = "9.8.7",
                           .rate = 25,
                           .n_facts = 1,
                           .facts = facts,
                           .n_notes = 1,
                           .notes = notes,
                           .n_videos = n_videos,
                           .videos = videos};
    const int failed = html_page_print(&page, stdout) || fflush(stdout);
    for (size_t i = 0; i < n_videos * n_series; i++)
        free((void *)series[i].scores);
    free(noise);
    free(names);
    free(series);
    free(videos);
    return failed;
}
