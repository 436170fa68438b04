/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "text/json_string.h"

#include "text/utf8.h"

static void print_character(FILE *out, const char *text, size_t length)
{
    if (!length)
        fputs("\xef\xbf\xbd", out); /* U+FFFD */
    else if (*text == '"' || *text == '\\')
        fprintf(out, "\\%c", *text);
    else if ((unsigned char)*text < 0x20)
        fprintf(out, "\\u%04x", (unsigned)*text);
    else
        fwrite(text, 1, length, out);
}

void json_string_print(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        uint32_t code;
        const size_t length = utf8_character(text, &code);
        print_character(out, text, length);
        text += length ? length : 1;
    }
    fputc('"', out);
}
