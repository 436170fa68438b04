/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/html/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/html/html_internal.h"
#include "common/html/parts.h"
#include "platform/text.h"

/* ---- Notes ---- */

static void put_note(FILE *out, const char *about, const char *note)
{
    fputs("<li>", out);
    if (about)
        html_put_element(out, "<b>", about, "</b>: ");
    html_put_text(out, note);
    fputs("</li>", out);
}

static void put_unusable(FILE *out, const char *about, const HtmlSeries *series,
                         const Statistics *statistics)
{
    const size_t n = statistics->n - statistics->n_finite;
    char text[200], count[HTML_NUMBER_SIZE], all[HTML_NUMBER_SIZE];
    if (!n)
        return;
    snprintf(text, sizeof(text), "%s of %s scores of %.60s %s not finite: its means are not either",
             html_count(count, n), html_count(all, statistics->n), series->name,
             n == 1 ? "is" : "are");
    put_note(out, about, text);
}

static void put_notes_of(FILE *out, const View *view, size_t v)
{
    const HtmlVideo *video = &view->page->videos[v];
    const char *about = view->page->n_videos > 1 ? video->name : NULL;
    if (video->error)
        put_note(out, about, video->error);
    for (size_t i = 0; i < video->n_notes; i++)
        put_note(out, about, video->notes[i]);
    for (size_t s = 0; s < video->n_series; s++)
        put_unusable(out, about, &video->series[s], &view->videos[v].statistics[s]);
}

static bool has_notes(const View *view)
{
    size_t n = view->page->n_notes;
    for (size_t v = 0; v < view->page->n_videos; v++) {
        const HtmlVideo *video = &view->page->videos[v];
        n += video->n_notes + (video->error != NULL);
        for (size_t s = 0; s < video->n_series; s++)
            n += view->videos[v].statistics[s].n - view->videos[v].statistics[s].n_finite;
    }
    return n;
}

static void put_notes(FILE *out, const View *view)
{
    if (!has_notes(view))
        return;
    fputs("<section class=\"notes\" aria-labelledby=\"notes\"><h2 id=\"notes\">Notes</h2><ul>",
          out);
    for (size_t i = 0; i < view->page->n_notes; i++)
        put_note(out, NULL, view->page->notes[i]);
    for (size_t v = 0; v < view->page->n_videos; v++)
        put_notes_of(out, view, v);
    fputs("</ul></section>\n", out);
}

/* ---- Headline ---- */

typedef struct PooledScore {
    const char *key, *name;
    double value;
    const char *unit; /* what is said below it, or NULL */
} PooledScore;

enum { N_POOLED = 4 };

static void pool_scores(PooledScore pooled[N_POOLED], const HtmlSeries *series,
                        const Statistics *statistics)
{
    const bool is_high = series->sense == HTML_HIGH_IS_BAD;
    const double worst = series->n ? series->scores[statistics->worst] : NAN;
    pooled[0] = (PooledScore){"mean", "mean", statistics->mean, NULL};
    pooled[1] = (PooledScore){"harmonic_mean", "harmonic mean", statistics->harmonic_mean,
                              "low scores weigh more"};
    pooled[2] =
        (PooledScore){"worst_1", "worst 1\xe2\x80\xaf%",
                      statistics_worst_percentile(statistics, series->sense, 1),
                      is_high ? "so many frames score above" : "so many frames score below"};
    pooled[3] =
        (PooledScore){is_high ? "max" : "min", is_high ? "maximum" : "minimum", worst, NULL};
}

/* Rounded for the eye; the attribute has what other reports have. */
static void put_pooled_score(FILE *out, const View *view, const Group *group,
                             const PooledScore *pooled)
{
    char number[HTML_NUMBER_SIZE];
    fprintf(out, "<span class=\"%s\" data-value=\"", pooled->key);
    html_put_score(out, view->page->score_format, pooled->value);
    fprintf(out, "\">%s</span>",
            html_number(number, pooled->value, view_decimals(group, pooled->value)));
}

static void put_place(FILE *out, const View *view, uint32_t frame)
{
    char number[HTML_NUMBER_SIZE], time[HTML_NUMBER_SIZE];
    fprintf(out, "frame <span class=\"frame-number\" data-value=\"%u\">%s</span>", frame,
            html_count(number, frame));
    if (view->has_time)
        fprintf(out, " at %s", view_time_text(view, frame, time));
}

static void put_cards(FILE *out, const View *view, const Group *group)
{
    const HtmlSeries *series = view_series(view, group, 0);
    const Statistics *statistics = view_statistics(view, group, 0);
    PooledScore pooled[N_POOLED];
    pool_scores(pooled, series, statistics);
    fputs("<div class=\"figures\"><h3>", out);
    html_put_text(out, series->name);
    if (series->about)
        html_put_element(out, "<small>", series->about, "</small>");
    fputs("</h3><ul>", out);
    for (unsigned i = 0; i < N_POOLED; i++) {
        fprintf(out, "<li><span class=\"name\">%s</span>", pooled[i].name);
        put_pooled_score(out, view, group, &pooled[i]);
        fputs("<small>", out);
        if (i == 3)
            put_place(out, view, series_frame(series, statistics->worst));
        else if (pooled[i].unit)
            fputs(pooled[i].unit, out);
        else
            fprintf(out, "of %s frame%s", html_count((char[HTML_NUMBER_SIZE]){""}, series->n),
                    series->n == 1 ? "" : "s");
        fputs("</small></li>", out);
    }
    fputs("</ul></div>", out);
}

static void put_row(FILE *out, const View *view, const Group *group, size_t v)
{
    const HtmlSeries *series = view_series(view, group, v);
    fputs("<tr><th scope=\"row\">", out);
    put_sign(out, v);
    html_put_text(out, view->page->videos[v].name);
    fputs("</th>", out);
    if (!series || !series->n) {
        fputs("<td colspan=\"5\" class=\"none\">no scores</td></tr>", out);
        return;
    }
    const Statistics *statistics = view_statistics(view, group, v);
    PooledScore pooled[N_POOLED];
    pool_scores(pooled, series, statistics);
    for (unsigned i = 0; i < N_POOLED; i++) {
        fputs("<td>", out);
        put_pooled_score(out, view, group, &pooled[i]);
        fputs("</td>", out);
    }
    fputs("<td class=\"place\">", out);
    put_place(out, view, series_frame(series, statistics->worst));
    fputs("</td></tr>", out);
}

static void put_table(FILE *out, const View *view, const Group *group)
{
    const char *worst = group->sense == HTML_HIGH_IS_BAD ? "maximum" : "minimum";
    fputs("<div class=\"scroll\"><table class=\"numbers ladder\"><caption>", out);
    html_put_text(out, group->name);
    fprintf(out,
            "</caption><thead><tr><th scope=\"col\">video</th><th scope=\"col\">mean</th>"
            "<th scope=\"col\">harmonic mean</th><th scope=\"col\">worst 1\xe2\x80\xaf%%</th>"
            "<th scope=\"col\">%s</th><th scope=\"col\">which is at</th></tr></thead><tbody>",
            worst);
    for (size_t v = 0; v < view->page->n_videos; v++)
        put_row(out, view, group, v);
    fputs("</tbody></table></div>", out);
}

static void put_headline(FILE *out, const View *view)
{
    fputs("<section class=\"headline\" aria-labelledby=\"scores\"><h2 id=\"scores\">Scores</h2>",
          out);
    for (size_t g = 0; g < view->n_groups; g++) {
        const Group *group = &view->groups[g];
        if (!group->is_model && g != view->lead)
            continue;
        if (view->page->n_videos > 1)
            put_table(out, view, group);
        else if (view_series(view, group, 0)->n)
            put_cards(out, view, group);
    }
    if (!view->n_groups)
        fputs("<p class=\"none\">There are no scores.</p>", out);
    fputs("</section>\n", out);
}

static void put_legend(FILE *out, const View *view)
{
    if (view->page->n_videos < 2)
        return;
    fputs("<ul class=\"legend\">", out);
    for (size_t v = 0; v < view->page->n_videos; v++) {
        fputs("<li>", out);
        put_sign(out, v);
        html_put_text(out, view->page->videos[v].name);
        fputs("</li>", out);
    }
    fputs("</ul>", out);
}

/* ---- Pooled scores ---- */

static void put_pooled_row(FILE *out, const View *view, const Group *group, size_t v)
{
    const Statistics *statistics = view_statistics(view, group, v);
    const double values[] = {statistics->min, statistics->max, statistics->mean,
                             statistics->harmonic_mean, statistics->deviation};
    static const char *const keys[] = {"min", "max", "mean", "harmonic_mean", "stddev"};
    html_put_element(out, "<tr><th scope=\"row\">", group->name, "</th>");
    for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        fprintf(out, "<td data-pool=\"%s\">", keys[i]);
        html_put_score(out, view->page->score_format, values[i]);
        fputs("</td>", out);
    }
    fputs("</tr>", out);
}

static void put_pooled_table(FILE *out, const View *view, size_t v)
{
    fputs("<div class=\"scroll\"><table class=\"numbers pooled\"><caption>", out);
    html_put_text(out, view->page->n_videos > 1 ? view->page->videos[v].name
                                                : "Over all frames, as in the other reports");
    fputs(
        "</caption><thead><tr><th scope=\"col\">score</th><th scope=\"col\">min</th>"
        "<th scope=\"col\">max</th><th scope=\"col\">mean</th><th scope=\"col\">harmonic mean</th>"
        "<th scope=\"col\">deviation</th></tr></thead><tbody>",
        out);
    for (size_t g = 0; g < view->n_groups; g++) {
        if (view_series(view, &view->groups[g], v))
            put_pooled_row(out, view, &view->groups[g], v);
    }
    fputs("</tbody></table></div>", out);
}

static void put_pooled_scores(FILE *out, const View *view)
{
    if (!view->n_groups)
        return;
    fputs("<section aria-labelledby=\"pooled\"><h2 id=\"pooled\">All scores</h2>", out);
    for (size_t v = 0; v < view->page->n_videos; v++) {
        if (view->page->videos[v].n_series)
            put_pooled_table(out, view, v);
    }
    fputs("</section>\n", out);
}

/* ---- What was compared ---- */

static void put_fact_rows(FILE *out, const HtmlFact *facts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        html_put_element(out, "<dt>", facts[i].label, "</dt><dd>");
        html_put_text(out, facts[i].text);
        fputs("</dd>", out);
    }
}

static void put_facts(FILE *out, const View *view)
{
    const HtmlPage *page = view->page;
    fputs("<section aria-labelledby=\"compared\"><h2 id=\"compared\">What was compared</h2>"
          "<dl class=\"facts\">",
          out);
    put_fact_rows(out, page->facts, page->n_facts);
    if (page->n_videos == 1)
        put_fact_rows(out, page->videos[0].facts, page->videos[0].n_facts);
    fputs("</dl>", out);
    for (size_t v = 0; v < page->n_videos && page->n_videos > 1; v++) {
        fputs("<h3>", out);
        put_sign(out, v);
        html_put_text(out, page->videos[v].name);
        fputs("</h3><dl class=\"facts\">", out);
        put_fact_rows(out, page->videos[v].facts, page->videos[v].n_facts);
        fputs("</dl>", out);
    }
    fputs("</section>\n", out);
}

static int put_image(FILE *out, const HtmlImage *image, const char *what, uint32_t frame)
{
    size_t size;
    if (!image->rgb) {
        fputs("<span class=\"none\">no picture</span>", out);
        return 0;
    }
    unsigned char *png = png_encode(image, &size);
    if (!png)
        return -ENOMEM;
    fprintf(out,
            "<img width=\"%u\" height=\"%u\" alt=\"%s, frame %u\" src=\"data:image/png;base64,",
            image->width, image->height, what, frame);
    base64_print(out, png, size);
    fputs("\">", out);
    free(png);
    return 0;
}

static int put_frame(FILE *out, const View *view, size_t v, const HtmlFrame *frame)
{
    const HtmlVideo *video = &view->page->videos[v];
    const HtmlImage *const images[] = {&frame->reference, &frame->distorted, &frame->difference};
    static const char *const names[] = {"Reference", "Distorted", "Difference"};
    char number[HTML_NUMBER_SIZE], time[HTML_NUMBER_SIZE];
    fputs("<tr><th scope=\"row\">", out);
    if (view->page->n_videos > 1) {
        put_sign(out, v);
        html_put_text(out, video->name);
        fputs("<br>", out);
    }
    fprintf(out, "frame <span class=\"frame-number\" data-value=\"%u\">%s</span>", frame->frame,
            html_count(number, frame->frame));
    if (view->has_time)
        fprintf(out, "<br><small>%s</small>", view_time_text(view, frame->frame, time));
    fputs("</th><td class=\"score\"><span data-value=\"", out);
    html_put_score(out, view->page->score_format, frame->score);
    fprintf(
        out, "\">%s</span></td>",
        html_number(number, frame->score, view_decimals(&view->groups[view->lead], frame->score)));
    int err = 0;
    for (unsigned i = 0; i < 3 && !err; i++) {
        fprintf(out, "<td class=\"picture\" data-name=\"%s\">", names[i]);
        err = put_image(out, images[i], names[i], frame->frame);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
    return err;
}

static int put_worst_frames(FILE *out, const View *view)
{
    const HtmlPage *page = view->page;
    size_t n = 0;
    int err = 0;
    for (size_t v = 0; v < page->n_videos; v++)
        n += page->videos[v].n_worst;
    if (!n)
        return 0;
    fputs("<section aria-labelledby=\"worst\"><h2 id=\"worst\">Worst frames</h2><p class=\"hint\">"
          "By ",
          out);
    html_put_text(out, view->groups[view->lead].name);
    fputs(". Of frames that are close together only the worst is shown.", out);
    if (page->worst_note) {
        fputc(' ', out);
        html_put_text(out, page->worst_note);
    }
    fputs(
        "</p><table class=\"worst\"><thead><tr><th scope=\"col\">frame</th><th scope=\"col\">score"
        "</th><th scope=\"col\">reference</th><th scope=\"col\">distorted</th>"
        "<th scope=\"col\">difference</th></tr></thead><tbody>\n",
        out);
    for (size_t v = 0; v < page->n_videos; v++) {
        for (size_t i = 0; i < page->videos[v].n_worst && !err; i++)
            err = put_frame(out, view, v, &page->videos[v].worst[i]);
    }
    fputs("</tbody></table></section>\n", out);
    return err;
}

size_t html_lead_series(const HtmlSeries *series, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (series[i].is_model)
            return i;
    }
    for (size_t i = 0; i < n; i++) {
        if (series[i].sense != HTML_NO_SENSE)
            return i;
    }
    return 0;
}

static void put_title(FILE *out, const HtmlPage *page)
{
    if (page->n_videos == 1)
        html_put_text(out, page->videos[0].name);
    else
        fprintf(out, "%zu videos", page->n_videos);
}

/* Nothing is loaded from anywhere, and nothing could be. */
static void put_head(FILE *out, const HtmlPage *page)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>",
          out);
    put_title(out, page);
    fputs(" \xe2\x80\x93 video quality</title>\n<style>\n", out);
    fwrite(html_style_sheet, 1, html_style_sheet_size, out);
    fputs("</style>\n</head>\n<body>\n", out);
}

static void put_header(FILE *out, const HtmlPage *page)
{
    fputs("<header><p class=\"kind\">Video quality</p><h1>", out);
    put_title(out, page);
    html_put_element(out, "</h1><p>compared with <b>", page->reference,
                     "</b></p></header>\n<main>\n");
}

static int put_large_plots(FILE *out, const View *view)
{
    int err = 0;
    fputs("<section aria-labelledby=\"time\"><h2 id=\"time\">Score over time</h2>", out);
    put_legend(out, view);
    for (size_t g = 0; g < view->n_groups && !err; g++) {
        const Group *group = &view->groups[g];
        if (!group->is_model && g != view->lead)
            continue;
        html_put_element(out, "<figure><figcaption>", group->name, "</figcaption>");
        err = put_time_plot(out, view, group, true);
        fputs("</figure>", out);
    }
    size_t n_scenes = 0;
    for (size_t v = 0; v < view->page->n_videos; v++)
        n_scenes += view->videos[v].scenes.n;
    if (n_scenes)
        fprintf(out,
                "<p class=\"hint\">%s: scenes of low score, whose mean over a second is worse than "
                "the median by %s.</p>",
                view->page->n_videos > 1 ? "Bars at the bottom, a row for each video"
                                         : "<svg class=\"shade\" viewBox=\"0 0 1 1\" "
                                           "aria-hidden=\"true\"></svg>Shaded",
                view->groups[view->lead].is_model ? "more than 6" : "1.5 standard deviations");
    fputs("<p class=\"hint script\">Drag across a plot to look closer; a double click, or Escape, "
          "shows everything again.</p></section>\n",
          out);
    return err;
}

static int put_small_plots(FILE *out, const View *view)
{
    size_t n = 0;
    int err = 0;
    for (size_t g = 0; g < view->n_groups; g++)
        n += !view->groups[g].is_model && g != view->lead;
    if (!n)
        return 0;
    fputs("<section aria-labelledby=\"features\"><h2 id=\"features\">Features over time</h2>"
          "<div class=\"small\">",
          out);
    for (size_t g = 0; g < view->n_groups && !err; g++) {
        const Group *group = &view->groups[g];
        if (group->is_model || g == view->lead)
            continue;
        html_put_element(out, "<figure><figcaption>", group->name, "</figcaption>");
        err = put_time_plot(out, view, group, false);
        fputs("</figure>\n", out);
    }
    fputs("</div></section>\n", out);
    return err;
}

static int put_distribution(FILE *out, const View *view)
{
    fputs("<section aria-labelledby=\"spread\"><h2 id=\"spread\">How often which score</h2>", out);
    put_legend(out, view);
    html_put_element(out, "<figure><figcaption>", view->groups[view->lead].name,
                     ", share of the frames</figcaption>");
    const int err = put_histogram(out, view, &view->groups[view->lead]);
    fputs("</figure></section>\n", out);
    return err;
}

static int put_body(FILE *out, const View *view)
{
    int err = 0;
    put_header(out, view->page);
    put_headline(out, view);
    put_notes(out, view);
    if (view->n_groups) {
        err = put_large_plots(out, view);
        if (!err)
            err = put_distribution(out, view);
        if (!err)
            err = put_worst_frames(out, view);
        if (!err)
            err = put_small_plots(out, view);
    }
    put_pooled_scores(out, view);
    put_facts(out, view);
    html_put_element(out, "</main>\n<footer>libvmaf ", view->page->version, "</footer>\n");
    if (!err)
        err = put_script_data(out, view);
    fputs("<script>\n", out);
    fwrite(html_script, 1, html_script_size, out);
    fputs("</script>\n</body>\n</html>\n", out);
    return err;
}

int html_page_print(const HtmlPage *page, FILE *out)
{
    VmafCLocaleScope locale;
    View view;
    int err = vmaf_c_locale_enter(&locale);
    if (!err)
        err = view_create(&view, page);
    if (!err) {
        put_head(out, page);
        err = put_body(out, &view);
        view_free(&view);
    }
    vmaf_c_locale_leave(&locale);
    return !err && ferror(out) ? -EIO : err;
}
