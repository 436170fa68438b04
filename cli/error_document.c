/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "error_document.h"

#include "common/messages.h"
#include "exit_status.h"
#include "output_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void print_document(const ErrorDocument *document, FILE *out)
{
    fputs("{\"error\": ", out);
    json_string_print(out, document->error);
    fputs(", \"backend_requested\": ", out);
    json_string_print(out, document->backend);
    /* The name of the decision record is a constant that readers of the document look for. */
    fprintf(out, ", \"errno\": %d, \"adr\": \"ADR-0498\", \"exit_code\": %d",
            document->error_number, STATUS_BACKEND);
    if (document->during_run)
        fprintf(out, ", \"frame\": %u", document->frame);
    if (document->detail) {
        fputs(", \"detail\": ", out);
        json_string_print(out, document->detail);
    }
    fputs("}\n", out);
}

int error_document_write(const ErrorDocument *document, const char *path)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return -ENOMEM;
    print_document(document, out);
    int err = fclose(out) ? -ENOMEM : output_file_write(path, text);
    free(text);
    return err;
}
