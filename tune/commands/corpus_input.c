/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/corpus_input.h"

#include "common/messages.h"

#include <errno.h>

bool corpus_load(const TuneCommand *command, const char *path, RowTable *table, int *status)
{
    Message why;
    const int err = rows_load(table, path, &why);
    if (err) {
        row_table_free(table);
        *status =
            command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text);
        return false;
    }
    if (table->is_torn)
        say("vmaf-tune %s: %s: the last line is cut off, and left out", command->name, path);
    return true;
}
