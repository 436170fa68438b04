/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/options/output.h"

#include "common/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- results -- */

int result_print(TextBuffer *result, const TuneCommand *command, const char *path, int err)
{
    char *text = text_end(result, err);
    const int status = text ? command_print(command, path, text)
                            : command_fail(command, TUNE_NO_RESULT, "out of memory");
    free(text);
    return status;
}

int result_print_json(const TuneCommand *command, const char *path, json_t *json)
{
    TextBuffer result;
    FILE *out = text_begin(&result);
    const int err = json && out ? json_document_print(json, 2, out) : -ENOMEM;
    if (out)
        fputc('\n', out);
    json_decref(json);
    return result_print(&result, command, path, err);
}

/* -- cells -- */

static const char dash[] = "\xe2\x80\x94";

void markdown_text(FILE *out, const char *text)
{
    if (!text || !*text)
        fputs(dash, out);
    for (; text && *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '|' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '&')
            fputs("&amp;", out);
        else if (c == '\r' && text[1] == '\n')
            continue;
        else if (c < 0x20 || c == 0x7f)
            fputc(' ', out);
        else
            fputc(c, out);
    }
}

void csv_text(FILE *out, const char *text)
{
    if (!text)
        return;
    if (!strpbrk(text, "\",\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
