/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_NOTES_H
#define MEDIA_NOTES_H

/* What was done to videos before they were scored, and what is strange about them: sentences for
 * people. */
typedef struct Notes {
    char **text;
    unsigned count;
} Notes;

/* Without memory the note is lost. */
void notes_add(Notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_free(Notes *notes);

#endif
