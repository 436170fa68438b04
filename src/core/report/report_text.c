/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdio.h>
#include <string.h>

#include "platform/text.h"
#include "report/report_writers.h"

/* U+FFFD in UTF-8: replaces what a format cannot hold. */
#define REPLACEMENT "\xef\xbf\xbd"

/* A character of a text: its code point and its bytes; length 0: an invalid byte. */
typedef struct Character {
    uint32_t code;
    const char *bytes;
    size_t length;
} Character;

static bool next_character(const char **text, Character *character)
{
    if (!**text)
        return false;
    *character = (Character){.bytes = *text};
    character->length = vmaf_utf8_length(*text, VMAF_UTF8_MAX, &character->code);
    *text += character->length ? character->length : 1;
    return true;
}

/* True if a text needs no escaping at all, as nearly all names. */
static bool is_plain(const char *text)
{
    /* strspn() would make a table of so many characters at each call. */
    while (vmaf_ascii_is_alnum(*text) || *text == '_' || *text == '.' || *text == '-')
        text++;
    return !*text;
}

static void put_or_replace(VmafAtomicFile *file, const Character *c, bool keep)
{
    if (keep && c->length)
        vmaf_atomic_file_write(file, c->bytes, c->length);
    else
        vmaf_atomic_file_puts(file, REPLACEMENT);
}

void report_put_json_string(VmafAtomicFile *file, const char *text)
{
    Character c;
    vmaf_atomic_file_puts(file, "\"");
    if (is_plain(text)) {
        vmaf_atomic_file_puts(file, text);
        text = "";
    }
    while (next_character(&text, &c)) {
        char escaped[8];
        if (c.code == '"' || c.code == '\\')
            snprintf(escaped, sizeof(escaped), "\\%c", (char)c.code);
        else if (c.length && c.code < 0x20)
            snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned)c.code);
        else
            *escaped = '\0';
        if (*escaped)
            vmaf_atomic_file_puts(file, escaped);
        else
            put_or_replace(file, &c, true);
    }
    vmaf_atomic_file_puts(file, "\"");
}

void report_put_xml_value(VmafAtomicFile *file, const char *text)
{
    Character c;
    if (is_plain(text)) {
        vmaf_atomic_file_puts(file, text);
        return;
    }
    while (next_character(&text, &c)) {
        char reference[16];
        if (c.length && (c.code == '\t' || c.code == '\n' || c.code == '\r' || c.code == '"' ||
                         c.code == '&' || c.code == '<' || c.code == '>')) {
            snprintf(reference, sizeof(reference), "&#%u;", (unsigned)c.code);
            vmaf_atomic_file_puts(file, reference);
        } else {
            put_or_replace(file, &c, c.code >= 0x20 && c.code != 0xfffe && c.code != 0xffff);
        }
    }
}

static bool is_letter(uint32_t code)
{
    return (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z') || code == '_';
}

static bool may_follow(uint32_t code)
{
    return is_letter(code) || (code >= '0' && code <= '9') || code == '-' || code == '.';
}

/* True if an underscore would read as the start of an escape. */
static bool starts_escape(const char *text)
{
    if (text[0] != '_' || text[1] != 'x')
        return false;
    size_t digits = strspn(text + 2, "0123456789ABCDEF");
    return digits >= 4 && text[2 + digits] == '_';
}

void report_put_xml_name(VmafAtomicFile *file, const char *text)
{
    /* Names that XML reserves, and the attribute that every frame has. */
    bool is_reserved = vmaf_ascii_begins_alike(text, "xml", 3) || !strcmp(text, "frameNum");
    if (is_plain(text) && is_letter((unsigned char)*text) && !is_reserved && !strstr(text, "_x")) {
        vmaf_atomic_file_puts(file, text);
        return;
    }
    if (!*text)
        vmaf_atomic_file_puts(file, "_x0000_");
    Character c;
    bool first = true;
    while (next_character(&text, &c)) {
        bool keep = c.length && (first ? is_letter(c.code) && !is_reserved : may_follow(c.code)) &&
                    !starts_escape(c.bytes);
        char escaped[16];
        /* An invalid byte gets the code of half a surrogate pair, which no valid text contains. */
        uint32_t code = c.length ? c.code : 0xdc00u + (unsigned char)*c.bytes;
        snprintf(escaped, sizeof(escaped), "_x%04X_", (unsigned)code);
        if (keep)
            vmaf_atomic_file_write(file, c.bytes, c.length);
        else
            vmaf_atomic_file_puts(file, escaped);
        first = false;
    }
}

void report_put_line_text(VmafAtomicFile *file, const char *text)
{
    Character c;
    if (is_plain(text)) {
        vmaf_atomic_file_puts(file, text);
        return;
    }
    while (next_character(&text, &c))
        put_or_replace(file, &c, vmaf_utf8_is_printable(c.code));
}

void report_put_csv_field(VmafAtomicFile *file, const char *text)
{
    if (!strpbrk(text, ",\"")) {
        report_put_line_text(file, text);
        return;
    }
    Character c;
    vmaf_atomic_file_puts(file, "\"");
    while (next_character(&text, &c)) {
        if (c.code == '"')
            vmaf_atomic_file_puts(file, "\"");
        put_or_replace(file, &c, vmaf_utf8_is_printable(c.code));
    }
    vmaf_atomic_file_puts(file, "\"");
}
