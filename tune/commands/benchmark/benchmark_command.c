/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/benchmark/benchmark_command.h"

#include "common/messages.h"
#include "tune/commands/benchmark/benchmark_report.h"
#include "tune/commands/corpus_input.h"

#include <errno.h>
#include <stdlib.h>

enum Format { FORMAT_MARKDOWN, FORMAT_JSON, FORMAT_CSV };

typedef struct Settings {
    const char *corpus, *baseline, *output;
    double target;
    int format;
} Settings;

#define OPTION(option_type, option_name, option_argument, option_help, member, ...)                \
    {                                                                                              \
        .name = (option_name), .argument = (option_argument), .help = (option_help),               \
        .type = (option_type), .target = offsetof(Settings, member), __VA_ARGS__                   \
    }

static const TuneOption rows[] = {
    OPTION(TUNE_TEXT, "from-corpus", "FILE", "the rows (needed)", corpus, .file = TUNE_FILE_READ),
    OPTION(TUNE_NUMBER, "target-vmaf", "X", "the score to be reached (92)", target, .highest = 100),
    OPTION(TUNE_TEXT, "baseline-encoder", "NAME",
           "compare bitrates with this encoder's; default: the cheapest", baseline),
    OPTION(TUNE_CHOICE, "format", NULL, "how to print it (markdown)", format,
           .values = "markdown|json|csv"),
    OPTION(TUNE_TEXT, "output", "FILE", "write the result to a file", output,
           .file = TUNE_FILE_TEXT),
};

static int print(const TuneCommand *command, const Settings *settings, const Benchmark *benchmark)
{
    char *text = NULL;
    size_t size;
    int err = 0;
    FILE *out = open_memstream(&text, &size);
    if (out && settings->format == FORMAT_JSON)
        err = benchmark_print_json(benchmark, out);
    else if (out && settings->format == FORMAT_CSV)
        benchmark_print_csv(benchmark, out);
    else if (out)
        benchmark_print_markdown(benchmark, out);
    const int status = !out || fclose(out) || err
                           ? command_fail(command, TUNE_NO_RESULT, "out of memory")
                           : command_print(command, settings->output, text);
    free(text);
    return status;
}

static int run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.target = 92};
    const OptionGroup group = {"Options", rows, sizeof(rows) / sizeof(rows[0]), &settings};
    int status;
    if (!command_parse_options(command, &group, 1, argc, argv, &status))
        return status;
    if (!settings.corpus)
        return command_fail(command, TUNE_USAGE, "--from-corpus FILE is needed");
    RowTable table;
    if (!corpus_load(command, settings.corpus, &table, &status))
        return status;
    Benchmark benchmark;
    Message why;
    const BenchmarkOptions options = {settings.target, settings.baseline};
    const int err = benchmark_make(&benchmark, table.rows, table.n, &options, &why);
    if (err) {
        status =
            command_fail(command, err == -EINVAL ? TUNE_USAGE : TUNE_NO_RESULT, "%s", why.text);
    } else {
        if (benchmark.n_skipped)
            say("vmaf-tune benchmark: %zu of %zu rows failed, or lack score or bitrate",
                benchmark.n_skipped, table.n);
        status = print(command, &settings, &benchmark);
        benchmark_free(&benchmark);
    }
    row_table_free(&table);
    return status;
}

const TuneCommand benchmark_command = {
    .name = "benchmark",
    .operands = "",
    .summary = "which encoder of a corpus needs least for a quality",
    .examples = "  vmaf-tune benchmark --from-corpus corpus.jsonl --target-vmaf 93\n",
    .run = run,
};
