/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune corpus: rows of encodes of many sources, encoders, presets and qualities. */
#include "tune/command/commands.h"

#include "common/messages.h"
#include "platform/file.h"
#include "platform/time.h"
#include "tune/command/encode_grid.h"
#include "tune/options/options.h"
#include "tune/output/corpus_rows.h"

#include <errno.h>
#include <string.h>

typedef struct Settings {
    GridOptions grid;
    const char *output;
    bool resumes, overwrites;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"output", "FILE",
     "where rows are written as they are made (corpus.jsonl); - is standard output",
     TEXT_AT(output), .short_name = 'o', .file = TUNE_FILE_WRITTEN},
    {"resume", NULL, "go on with that file: make only what it has not", FLAG_AT(resumes)},
    {"overwrite", NULL, "begin anew, though the file exists", FLAG_AT(overwrites)},
    {"target-vmaf", "X", "the score that --coarse-to-fine looks for (the best one)",
     NUMBER_AT(grid.target, 0, 100)},
};

static bool is_standard_output(const Settings *settings)
{
    return !strcmp(settings->output, "-");
}

/* -- the file -- */

/* Is the open file still the one of that name? */
static bool is_at(const VmafFile *file, const char *path)
{
    VmafFileStatus opened, there;
    return !vmaf_file_status(file, &opened) && !vmaf_file_status_at(path, &there) &&
           vmaf_file_is_same(&opened, &there);
}

/* Waits until no other program has it. False: it was interrupted. Where files cannot be locked,
 * nobody waits. */
static bool wait_for_lock(const TuneCommand *command, const char *path, const VmafFile *file)
{
    enum { LOOK_NS = 50000000 };
    bool is_reported = false;
    while (vmaf_file_lock(file) == -EAGAIN) {
        if (!is_reported)
            print_error("vmaf-tune %s: another program writes %s: waiting", command->name, path);
        is_reported = true;
        if (atomic_load(session_interrupt))
            return false;
        vmaf_sleep_ns(LOOK_NS);
    }
    return true;
}

/* One program at a time writes rows, so that the next one sees them. A status. */
static int lock_rows(const TuneCommand *command, const char *path, VmafFile *lock)
{
    VmafFileStatus status;
    do {
        vmaf_file_close(lock);
        if (!vmaf_file_status_at(path, &status) && status.kind != VMAF_FILE_REGULAR)
            return 0;
        FILE *file = fopen(path, "ab");
        if (!file || fclose(file) || vmaf_file_open(lock, path))
            return command_fail(command, TUNE_USAGE, "%s: %s", path, strerror(errno));
        if (!wait_for_lock(command, path, lock))
            return command_fail(command, TUNE_INTERRUPTED, "interrupted");
    } while (!is_at(lock, path));
    return 0;
}

/* Takes the rows over that are there, and opens the file behind them. A status. */
static int resume(const TuneCommand *command, const char *path, EncodeGrid *grid)
{
    RowTable table;
    Message why;
    int status = corpus_load(command, path, &table);
    if (!status && !(grid->out = rows_open(path, &table, &why)))
        status = command_fail(command, TUNE_USAGE, "%s", why.text);
    for (size_t i = 0; i < table.n && !status; i++) {
        Row row = table.rows[i];
        table.rows[i] = (Row){0};
        if (encode_grid_add(grid, &row))
            status = command_fail(command, TUNE_NO_RESULT, "out of memory");
    }
    row_table_free(&table);
    return status;
}

static int check_exists(const TuneCommand *command, const Settings *settings)
{
    VmafFileStatus file;
    if (settings->resumes || settings->overwrites || vmaf_file_status_at(settings->output, &file) ||
        file.size <= 0)
        return 0;
    return command_fail(command, TUNE_USAGE,
                        "%s exists: --resume goes on with it, --overwrite begins anew",
                        settings->output);
}

static int open_output(const TuneCommand *command, const Settings *settings, EncodeGrid *grid,
                       VmafFile *lock)
{
    const char *path = settings->output;
    Message why;
    if (is_standard_output(settings)) {
        grid->out = stdout;
        return 0;
    }
    int status = check_exists(command, settings);
    if (!status)
        status = lock_rows(command, path, lock);
    if (!status) /* another program may have made it meanwhile */
        status = check_exists(command, settings);
    if (status || settings->resumes)
        return status ? status : resume(command, path, grid);
    grid->out = rows_open(path, NULL, &why);
    return grid->out ? 0 : command_fail(command, TUNE_USAGE, "%s", why.text);
}

/* -- running -- */

static void sum_up(const EncodeGrid *grid, const Settings *settings)
{
    print_error("vmaf-tune corpus: %s: %zu encode%s measured, %zu there already, %zu failed",
                is_standard_output(settings) ? "rows" : settings->output,
                grid->n_made - grid->n_failed, grid->n_made - grid->n_failed == 1 ? "" : "s",
                grid->n_known, grid->n_failed);
}

static int make_rows(EncodeGrid *grid, void *cookie)
{
    const Settings *settings = cookie;
    const TuneCommand *command = grid->session->command;
    VmafFile lock = VMAF_FILE_NONE;
    int status = open_output(command, settings, grid, &lock);
    if (!status) {
        status = encode_grid_run(grid);
        if (!grid->session->options->is_quiet)
            sum_up(grid, settings);
        if (!status && grid->n_made + grid->n_known <= grid->n_failed)
            status = command_fail(command, TUNE_NO_RESULT, "all encodes failed");
    }
    if (grid->out && fclose(grid->out) && !status)
        status = command_fail(command, TUNE_NO_RESULT, "%s could not be written", settings->output);
    vmaf_file_close(&lock);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    Settings *settings = cookie;
    if (settings->resumes && settings->overwrites)
        return command_fail(command, TUNE_USAGE, "--resume and --overwrite exclude each other");
    if (settings->resumes && is_standard_output(settings))
        return command_fail(command, TUNE_USAGE, "--resume needs a file");
    return encode_grid_work(command, options, &settings->grid, make_rows, settings);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.grid = grid_options(), .output = "corpus.jsonl"};
    const OptionGroup groups[] = {
        {"Corpus", rows, sizeof rows / sizeof *rows, &settings},
        grid_option_group(&settings.grid),
    };
    return session_command(command, argc, argv, groups, 2, begin, &settings);
}

const TuneCommand corpus_command = {
    .name = "corpus",
    .operands = "SOURCE...",
    .summary = "rows of encodes: all encoders, presets and qualities of a grid",
    .examples = "  vmaf-tune corpus film.mkv --encoder libx264,libsvtav1 --crf 20,26,32,38\n"
                "  vmaf-tune corpus film.mkv --coarse-to-fine --target-vmaf 93 --resume\n",
    .run = run_command,
};
