/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/report/report_input.h"

#include "common/messages.h"
#include "platform/file.h"
#include "tune/commands/report/report_corpus.h"
#include "tune/commands/report/report_documents.h"
#include "tune/rows/json_document.h"
#include "tune/rows/row_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_rows(Report *report, const char *text, size_t size, double target, Message *message)
{
    RowTable table;
    int err = rows_parse(&table, text, size, message);
    if (table.is_torn)
        say("vmaf-tune report: the last line of the rows is cut off, and left out");
    if (!err && !table.n)
        err = message_set(message, -EINVAL, "there is no row");
    if (!err)
        report_add_corpus(report, table.rows, table.n, target);
    row_table_free(&table);
    return err;
}

static int add_text(Report *report, const char *text, size_t size, const ReportTargets *targets,
                    Message *message)
{
    int err;
    Message why;
    json_t *json = json_document_parse(text, size, &why, &err);
    if (err == -ENOMEM)
        return message_set(message, err, "out of memory");
    const DocumentKind kind = document_kind(json);
    if (kind != DOCUMENT_UNKNOWN) {
        report_add_document(report, json, kind, targets->documents);
        err = 0;
    } else if (json && !json_is_object(json)) {
        err = message_set(message, -EINVAL,
                          "expected rows, or a result of compare, ladder or "
                          "bisect");
    } else {
        err = add_rows(report, text, size, targets->rows, message);
    }
    json_decref(json);
    return err;
}

int report_add_file(Report *report, const char *path, const ReportTargets *targets,
                    Message *message)
{
    char *text;
    size_t size;
    int err = vmaf_file_load(path, ROWS_MAX_BYTES, &text, &size);
    if (err)
        return message_set(message, err, "%.300s: %s", path, strerror(-err));
    err = add_text(report, text, size, targets, message);
    free(text);
    if (err) {
        const Message why = *message;
        message_set(message, err, "%.200s: %.300s", path, why.text);
    }
    return err;
}
