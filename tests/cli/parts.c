/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "parts.h"

#include "report_files.h"
#include "support/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const extensions[] = {"xml", "json", "csv", "sub", "ndjson"};
enum { N_EXTENSIONS = 5, MAX_WORDS = 512, LINE = 16384 };

static Run run_line(char *line)
{
    const char *words[MAX_WORDS + 1];
    unsigned n = 0;
    for (char *word = strtok(line, " "); word && n < MAX_WORDS; word = strtok(NULL, " "))
        words[n++] = word;
    words[n] = NULL;
    return program_run_fed(":", words);
}

Run run_words(const char *format, ...)
{
    static char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    assert_true(length > 0 && length < LINE);
    return run_line(line);
}

void do_words(const char *format, ...)
{
    static char line[LINE], said[LINE];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    assert_true(length > 0 && length < LINE);
    strcpy(said, line);
    Run run = run_line(line);
    if (run.status || run.out[0])
        fail_msg("vmaf %s: status %d\n%s%s", said, run.status, run.out, run.err);
    run_free(&run);
}

void make_shards(const char *run, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        do_words("%s --shard %u/%u -o part-%u.vmafs --threads %u", run, i, n, i, i % 4);
}

const char *part_names(unsigned n)
{
    static char names[LINE];
    size_t used = 0;
    names[0] = '\0';
    for (unsigned i = n; i-- && used < sizeof(names);)
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%spart-%u.vmafs",
                                 used ? " " : "", i);
    assert_true(used < sizeof(names));
    return names;
}

void remove_shards(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof(name), "part-%u.vmafs", i);
        remove(name);
    }
}

void expect_rejection(const char *files, const char *says)
{
    const unsigned before = file_count();
    expect_status(run_words("merge %s -o other.json -o other.ndjson", files), 234, says);
    assert_int_equal(file_count(), before);
}

static const char *outputs_of(const char *name)
{
    static char outputs[256];
    size_t used = 0;
    for (unsigned i = 0; i < N_EXTENSIONS; i++)
        used += (size_t)snprintf(outputs + used, sizeof(outputs) - used, "%s-o %s.%s", i ? " " : "",
                                 name, extensions[i]);
    return outputs;
}

void score_whole(const char *run)
{
    do_words("%s %s --threads 2", run, outputs_of("whole"));
}

static void expect_same(const char *extension)
{
    char whole[32], other[32];
    snprintf(whole, sizeof(whole), "whole.%s", extension);
    snprintf(other, sizeof(other), "other.%s", extension);
    char *a = without_rate(file_content(whole)), *b = take_report(other);
    assert_non_null(a);
    if (strcmp(a, b) != 0)
        fail_msg("%s differs:\n%s\n-- and --\n%s", extension, a, b);
    free(a);
    free(b);
}

void expect_whole(const char *command, const char *files, const char *options)
{
    do_words("%s %s %s %s", command, files, outputs_of("other"), options);
    for (unsigned i = 0; i < N_EXTENSIONS; i++)
        expect_same(extensions[i]);
}

void remove_whole(void)
{
    for (unsigned i = 0; i < N_EXTENSIONS; i++) {
        char name[32];
        snprintf(name, sizeof(name), "whole.%s", extensions[i]);
        remove(name);
    }
}

void expect_same_in_shards(const char *run, unsigned n)
{
    score_whole(run);
    make_shards(run, n);
    expect_whole("merge", part_names(n), "");
    remove_shards(n);
    remove_whole();
}
