/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "batch/batch_result.h"

#include "common/messages.h"

#include <errno.h>
#include <stdio.h>

static void put_text(const char *text)
{
    if (text)
        json_string_print(stdout, text);
    else
        fputs("null", stdout);
}

int batch_result_print(const BatchResult *result)
{
    printf("{\"line\":%llu,\"status\":%d,\"output\":", result->line, result->status);
    put_text(result->output);
    printf(",\"pooled_metrics\":%s,\"error\":",
           result->pooled_metrics ? result->pooled_metrics : "null");
    put_text(result->error);
    puts("}");
    return fflush(stdout) || ferror(stdout) ? -EIO : 0;
}
