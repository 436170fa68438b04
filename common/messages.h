/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef COMMON_MESSAGES_H
#define COMMON_MESSAGES_H

/* What programs say to people: messages about errors, lines on a terminal, rows of help,
 * guesses of what was meant, and texts. */

#include <stdio.h>

/* ---- Messages ---- */

/* Why something failed, for the person who started the program. */
typedef struct Message {
    char text[512];
} Message;

/* Stores the text (cut off if too long) and returns `error`, so that callers fail in one line. */
int message_set(Message *message, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts the path of a file before the message, which is about something in it. Returns `error`. */
int message_about_file(Message *message, int error, const char *path);

/* ": out of memory" for -ENOMEM, which is worth saying where other errors have said why; else "".
 */
const char *if_out_of_memory(int error);

/* ---- Lines ---- */

/*
 * Lines for people. They quote paths, names and headers of files, which can hold any bytes. Bytes
 * that a terminal would interpret as a command, or that are not UTF-8, are shown as \x1b and the
 * like, so that a line is always one line of readable text. Backslashes are not changed.
 */

/* One line on stderr, or on any stream; the line feed is added. */
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From now on what the calling thread says on stderr is also collected there, separated by "; ";
 * NULL: not any longer. */
void print_error_also_to(Message *message);

/* From now on lines that the calling thread says begin with that text, which is kept, and ": ";
 * what is collected does not. NULL: not any longer. */
void print_about(const char *subject);

/* ---- Help ---- */

/* Prints to stdout what a row is about, and words from `column` on, in lines of up to 80
 * characters. They begin below a name that leaves no room. */
void print_help_row(const char *name, int column, const char *words);

/* ---- Guesses ---- */

/*
 * The name that was probably meant. Start with { .wanted = text }, offer every valid name, ask for
 * the result.
 */
typedef struct Suggestion {
    const char *wanted;
    const char *best; /* nearest name offered so far */
    unsigned distance;
} Suggestion;

/* `candidate` must live as long as the suggestion. */
void suggestion_offer(Suggestion *suggestion, const char *candidate);

/* The same for another way to write a name. */
void suggestion_offer_as(Suggestion *suggestion, const char *written, const char *candidate);

/* The nearest name, or NULL if none is near enough to be a slip of the pen. */
const char *suggestion_result(const Suggestion *suggestion);

/* Insertions, deletions, replacements and swaps of neighbours that turn one text into another. */
unsigned edit_distance(const char *a, const char *b);

/* ---- Texts in memory ---- */

/* What is printed into memory first, so that it is complete or not at all. */
typedef struct TextBuffer {
    FILE *out;
    char *text;
    size_t size;
} TextBuffer;

/* Where to print. NULL without memory, which text_end reports. */
FILE *text_begin(TextBuffer *buffer);

/* The text, to be freed; NULL without memory, or given up because of `err`. */
char *text_end(TextBuffer *buffer, int err);

/* A text that is made as printf makes one, to be freed; NULL without memory. */
char *text_printed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes a text the content of a file, which is complete or as it was. 0; negative errno. */
int text_write(const char *path, const char *text);

/* ---- Texts that must be UTF-8: bytes that are not, as names of files may have, become U+FFFD ----
 */

/* A copy of a text, to be freed; NULL without memory. */
char *text_mended(const char *text);

/* Prints a text as a JSON string, quotation marks included; NULL: null. */
void json_string_print(FILE *out, const char *text);

#endif
