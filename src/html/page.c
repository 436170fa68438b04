/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "html/page.h"

#include "html/assets.h"
#include "html/parts.h"
#include "platform/text.h"

#include <errno.h>

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
    fputs("</h1><p>compared with <b>", out);
    html_put_text(out, page->reference);
    fputs("</b></p></header>\n<main>\n", out);
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
        fputs("<figure><figcaption>", out);
        html_put_text(out, group->name);
        fputs("</figcaption>", out);
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
        fputs("<figure><figcaption>", out);
        html_put_text(out, group->name);
        fputs("</figcaption>", out);
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
    fputs("<figure><figcaption>", out);
    html_put_text(out, view->groups[view->lead].name);
    fputs(", share of the frames</figcaption>", out);
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
    fputs("</main>\n<footer>libvmaf ", out);
    html_put_text(out, view->page->version);
    fputs("</footer>\n", out);
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
