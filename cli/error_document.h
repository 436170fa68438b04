/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_ERROR_DOCUMENT_H
#define CLI_ERROR_DOCUMENT_H

#include <stdbool.h>

/* Why a run with an explicit backend failed, for programs that read the JSON report. */
typedef struct ErrorDocument {
    const char *error;   /* "plugin not found" and so on */
    const char *backend; /* what was asked for */
    int error_number;    /* negative errno of the backend; 0 if it was never reached */
    bool during_run;
    unsigned frame;     /* index at which it failed; with during_run */
    const char *detail; /* one line for people, or NULL */
} ErrorDocument;

/* Writes the document where the report would have been, see output_file.h. 0; negative errno. */
int error_document_write(const ErrorDocument *document, const char *path);

#endif
