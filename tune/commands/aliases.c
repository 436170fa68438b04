/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* encode, search and sample, and other names of them: defaults, options and formats. */
#include "tune/commands/commands.h"
#include "tune/commands/quality_command.h"
#include "tune/session/option_rows.h"

#include <string.h>

#define AT(member) .target = offsetof(QualitySettings, member)

/* Options of ab-av1's. */
static const TuneOption other_rows[] = {
    {"svt", "KEY=VALUE", "a parameter of SVT-AV1", TEXTS_AT(svt)},
    {"acodec", "NAME", "encode audio with it instead of copying it", TEXT_AT(audio_codec)},
    {"stdout-format", NULL, "of the result", CHOICE_AT(format, "human|document|json")},
};

/* A search on samples by its old name. */
static const TuneOption predict_rows[] = {
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
    {"format", NULL, "of the result (json)", CHOICE_AT(format, "text|json")},
};

typedef struct Alias {
    TuneCommand command;
    QualityKind kind;
    const char *encoder; /* NULL: the usual one */
    double vmaf;         /* if there is no goal; 0: the usual one */
    double most_percent; /* 0: any */
    QualityFormat format;
    bool makes_output;
    const TuneOption *rows;
    size_t n_rows;
} Alias;

static int run_alias(const TuneCommand *command, int argc, char **argv);

#define ALIAS_ROWS(table) .rows = (table), .n_rows = sizeof(table) / sizeof(*(table))

static const Alias aliases[] = {
    {
        {
            .name = "encode",
            .operands = "SOURCE",
            .summary = "make a video as small as it can be at a quality",
            .examples =
                "  vmaf-tune encode film.mkv -o small.mkv --encoder libsvtav1 --min-vmaf 95\n"
                "  vmaf-tune encode film.mkv -o small.mp4 --target vmaf=93 --target vmaf.p1=85\n",
            .run = run_alias,
        },
        .kind = ENCODES,
    },
    {
        {
            .name = "search",
            .operands = "SOURCE",
            .summary = "which quality would that be?",
            .examples =
                "  vmaf-tune search film.mkv --encoder libx265 --min-vmaf 95\n"
                "  vmaf-tune search film.mkv --target ssimulacra2=75 --samples none --json\n",
            .run = run_alias,
        },
        .kind = SEARCHES,
    },
    {
        {
            .name = "sample",
            .operands = "SOURCE",
            .summary = "what would a quality give: score, size, time",
            .examples = "  vmaf-tune sample film.mkv --encoder libx265 --quality 24\n",
            .run = run_alias,
        },
        .kind = SAMPLES,
    },
    {
        {
            .name = "predict",
            .operands = "SOURCE",
            .summary = "search on samples, or of each shot with --per-shot, as JSON",
            .examples = "  vmaf-tune predict --src film.mkv --codec libx265 --target-vmaf 93\n",
            .run = run_alias,
        },
        .kind = SEARCHES,
        .vmaf = 93,
        .format = QUALITY_JSON,
        ALIAS_ROWS(predict_rows),
    },
    {
        {
            .name = "crf-search",
            .operands = "SOURCE",
            .summary = "search with the defaults of ab-av1",
            .examples = "  vmaf-tune crf-search -i film.mkv --min-vmaf 95\n",
            .run = run_alias,
        },
        .kind = SEARCHES,
        .encoder = "libsvtav1",
        .vmaf = 95,
        .most_percent = 80,
        ALIAS_ROWS(other_rows),
    },
    {
        {
            .name = "auto-encode",
            .operands = "SOURCE",
            .summary = "encode with the defaults of ab-av1",
            .examples = "  vmaf-tune auto-encode -i film.mkv -o small.mkv --min-vmaf 95\n",
            .run = run_alias,
        },
        .kind = ENCODES,
        .encoder = "libsvtav1",
        .vmaf = 95,
        .most_percent = 80,
        .makes_output = true,
        ALIAS_ROWS(other_rows),
    },
    {
        {
            .name = "sample-encode",
            .operands = "SOURCE",
            .summary = "sample with the defaults of ab-av1",
            .examples = "  vmaf-tune sample-encode -i film.mkv --crf 32\n",
            .run = run_alias,
        },
        .kind = SAMPLES,
        .encoder = "libsvtav1",
        ALIAS_ROWS(other_rows),
    },
};

const TuneCommand *alias_command(size_t index)
{
    return index < sizeof aliases / sizeof *aliases ? &aliases[index].command : NULL;
}

static int run_alias(const TuneCommand *command, int argc, char **argv)
{
    const Alias *alias = aliases;
    while (&alias->command != command)
        alias++;
    QualitySettings settings = {
        .quality = quality_choice(),
        .kind = alias->kind,
        .format = alias->format,
        .makes_output = alias->makes_output,
    };
    if (alias->encoder)
        settings.quality.search.encoder = alias->encoder;
    if (alias->vmaf > 0)
        settings.quality.usual_vmaf = alias->vmaf;
    settings.quality.search.max_percent = alias->most_percent;
    const OptionGroup more = {command->name, alias->rows, alias->n_rows, &settings};
    return quality_command_run(command, &settings, alias->rows ? &more : NULL, argc, argv);
}
