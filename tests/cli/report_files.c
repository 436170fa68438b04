/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report_files.h"
#include "support/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *without_rate(char *report)
{
    char *fps = report ? strstr(report, "fps") : NULL;
    char *end = fps ? strchr(fps, '\n') : NULL;
    if (end)
        memmove(fps, end, strlen(end) + 1);
    return report;
}

char *take_report(const char *path)
{
    char *report = without_rate(file_content(path));
    if (!report)
        fail_msg("no report %s was written", path);
    remove(path);
    return report;
}

void expect_equal_reports(const char *path, const char *expected)
{
    char *a = take_report(path), *b = take_report(expected);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

void expect_status(Run run, int status, const char *says)
{
    if (run.status != status || !strstr(run.err, says) || run.out[0])
        fail_msg("status %d, expected %d and \"%s\"; said:\n%s%s", run.status, status, says,
                 run.out, run.err);
    if (!*says)
        assert_string_equal(run.err, "");
    run_free(&run);
}
