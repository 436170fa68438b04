/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "html/parts.h"
#include "html/png.h"

#include <errno.h>
#include <stdlib.h>

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

int put_worst_frames(FILE *out, const View *view)
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
