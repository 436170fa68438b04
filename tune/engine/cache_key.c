/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/cache_key.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void add_text(Sha256 *hash, const char *text)
{
    sha256_add(hash, text, strlen(text));
}

static int add_quoted(Sha256 *hash, const char *text)
{
    char escaped[8];
    if (!text)
        return -EINVAL;
    add_text(hash, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            snprintf(escaped, sizeof(escaped), "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned)*text);
        else
            snprintf(escaped, sizeof(escaped), "%c", *text);
        add_text(hash, escaped);
    }
    add_text(hash, "\"");
    return 0;
}

static int add_value(Sha256 *hash, const KeyField *field)
{
    char number[32];
    int err = 0;
    if (field->kind == KEY_TEXT)
        return add_quoted(hash, field->text);
    if (field->kind == KEY_INTEGER) {
        snprintf(number, sizeof(number), "%lld", field->integer);
        add_text(hash, number);
        return 0;
    }
    add_text(hash, "[");
    for (size_t i = 0; i < field->n && !err; i++) {
        add_text(hash, i ? "," : "");
        err = add_quoted(hash, field->list[i]);
    }
    add_text(hash, "]");
    return err;
}

int key_of_fields(const KeyField *fields, size_t n, char key[SHA256_TEXT_SIZE])
{
    Sha256 hash;
    int err = 0;
    sha256_start(&hash);
    add_text(&hash, "{");
    for (size_t i = 0; i < n && !err; i++) {
        add_text(&hash, i ? "," : "");
        add_quoted(&hash, fields[i].name);
        add_text(&hash, ":");
        err = add_value(&hash, &fields[i]);
    }
    add_text(&hash, "}");
    sha256_text(&hash, key);
    return err;
}
