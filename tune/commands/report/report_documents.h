/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_REPORT_REPORT_DOCUMENTS_H
#define TUNE_COMMANDS_REPORT_REPORT_DOCUMENTS_H

/* Results of other subcommands as subjects of a report. What a document lacks is left out. */

#include "tune/commands/report/report.h"

#include <jansson.h>

typedef enum DocumentKind {
    DOCUMENT_UNKNOWN,
    DOCUMENT_COMPARISON, /* of `compare` */
    DOCUMENT_LADDER,     /* of `ladder --format json` */
    DOCUMENT_SEARCH,     /* of `bisect` */
} DocumentKind;

DocumentKind document_kind(const json_t *json);

/* `target` stands in where the document has none; NAN: none. */
void report_add_document(Report *report, const json_t *json, DocumentKind kind, double target);

#endif
