/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

/*
 * A report for people: one self-contained HTML page with plots, on one distorted video or on
 * several of one reference. The page is made of plain data; nothing is known here of options,
 * files or contexts. All texts may hold any bytes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The direction in which scores are worse. */
typedef enum HtmlSense {
    HTML_LOW_IS_BAD,
    HTML_HIGH_IS_BAD,
    HTML_NO_SENSE, /* describes what a video is like, not how good it is */
} HtmlSense;

/* Scores by frame: of a model, or of a feature. */
typedef struct HtmlSeries {
    const char *name;  /* as in other reports */
    const char *about; /* which model or feature it is; NULL: the name shows it */
    bool is_model;
    HtmlSense sense;
    size_t n;
    const uint32_t *frames;   /* of the scores, ascending; NULL: 0 to n - 1 */
    const double *scores;     /* may be infinite, or NaN */
    const double *low, *high; /* confidence interval of each score; NULL: none is known */
} HtmlSeries;

/* A row of a table: what was compared, and how. */
typedef struct HtmlFact {
    const char *label, *text;
} HtmlFact;

/* Rows of RGB without gaps. */
typedef struct HtmlImage {
    unsigned width, height;
    const uint8_t *rgb; /* NULL: there is none */
} HtmlImage;

/* One of the worst frames. */
typedef struct HtmlFrame {
    uint32_t frame;
    double score; /* of the lead series */
    HtmlImage reference, distorted, difference;
} HtmlFrame;

/* A distorted video. */
typedef struct HtmlVideo {
    const char *name;
    const char *error; /* why there are no scores; NULL: there are */
    size_t n_facts, n_notes, n_series, n_worst;
    const HtmlFact *facts;
    const char *const *notes;
    const HtmlSeries *series;
    size_t lead;            /* the series that the page is about, if there is any */
    const HtmlFrame *worst; /* worst first */
} HtmlVideo;

typedef struct HtmlPage {
    const char *reference; /* name of the video */
    const char *version;   /* of the library */
    double rate;           /* frames per second; 0: unknown */
    const double *times;   /* seconds of each frame, ascending; NULL: by the rate */
    size_t n_times;
    const char *score_format; /* printf format of one double; NULL: six decimals */
    const char *worst_note;   /* what readers of the worst frames should know, or NULL */
    size_t n_facts, n_notes, n_videos;
    const HtmlFact *facts; /* that hold for all videos */
    const char *const *notes;
    const HtmlVideo *videos;
} HtmlPage;

/* Prints the page, whatever the locale. 0; -ENOMEM; -EIO if the stream has an error. */
int html_page_print(const HtmlPage *page, FILE *out);

/* The series that a page should be about: the first model, else the first feature that
 * distinguishes better from worse, else the first. 0 if there is none. */
size_t html_lead_series(const HtmlSeries *series, size_t n);

/* Images are compressed: the build has zlib. Otherwise they should be smaller. */
bool html_images_are_compressed(void);

#endif
