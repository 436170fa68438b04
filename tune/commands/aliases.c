/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* encode, search and sample, and other names of them: defaults, options and formats. */
#include "tune/commands/commands.h"
#include "tune/commands/quality_command.h"
#include "tune/session/option_rows.h"

#include <string.h>

#define FAST_TOLERANCE 1.5

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

/* A search on all of it by its old name. */
static const TuneOption bisect_rows[] = {
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
    {"format", NULL, "of the result", CHOICE_AT(format, "text|json")},
    {"max-iterations", "N", "encodes at most (as many as are needed)",
     INTEGER_AT(quality.search.max_iterations, 1, 1000)},
    {"vmaf-tolerance", "D", "good enough: reached, and better by no more than this (0)",
     NUMBER_AT(quality.search.tolerance, 0, 100)},
    {"strategy", NULL, "how the next encode is chosen (interpolate)",
     CHOICE_AT(quality.search.strategy, "interpolate|bisect")},
};

/* A search on samples that are one encode, which is verified, by its old name. */
static const TuneOption fast_rows[] = {
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
    {"format", NULL, "of the result (json)", CHOICE_AT(format, "text|json")},
    {"proxy-tolerance", "D", "how far samples and video may differ (1.5)",
     NUMBER_AT(tolerance, 0, 100)},
    {"n-trials", "N", "encodes of samples at most (6)",
     INTEGER_AT(quality.search.n_trials, 1, 256)},
    {"time-budget-s", "S", "begin no further encode of samples after so long (300; 0: no limit)",
     NUMBER_AT(quality.search.time_budget, 0, 1e9)},
    {"sample-chunk-seconds", "S",
     "of the video in three samples together (5); --sample-windows makes more of them",
     NUMBER_AT(quality.search.chunk_seconds, 0.001, 1e9)},
};

/* An encode as a result says. */
static const TuneOption profile_rows[] = {
    {"verify", NULL, "score the encode; exit status 1 if it misses the target",
     FLAG_OFF_AT(quality.no_verify)},
};

typedef struct Alias {
    TuneCommand command;
    QualityKind kind;
    const char *encoder; /* NULL: the usual one */
    double vmaf;         /* if there is no goal; 0: the usual one; NAN: it has to be given */
    double most_percent; /* 0: any */
    QualityFormat format;
    QualityPrint *print;
    bool makes_output, needs_profile;
    bool any_threads; /* as the encoder chooses */
    bool is_whole;    /* the search goes by whole qualities */
    const char *samples;
    OnNonMonotonic on_non_monotonic;
    bool is_joined, verifies;
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
            .examples = "  vmaf-tune predict film.mkv --encoder libx265 --target-vmaf 93\n",
            .run = run_alias,
        },
        .kind = SEARCHES,
        .vmaf = 93,
        .format = QUALITY_JSON,
        ALIAS_ROWS(predict_rows),
    },
    {
        {
            .name = "bisect",
            .operands = "SOURCE",
            .summary = "the strongest compression that still reaches a score",
            .examples = "  vmaf-tune bisect film.mkv --encoder libsvtav1 --target-vmaf 93\n"
                        "  vmaf-tune bisect film.mkv --require vmaf.p1>=80 --format json\n",
            .run = run_alias,
        },
        .kind = SEARCHES,
        .vmaf = 92,
        .print = print_bisect,
        .any_threads = true,
        .is_whole = true,
        .samples = "none",
        .on_non_monotonic = NON_MONOTONIC_FAIL,
        ALIAS_ROWS(bisect_rows),
    },
    {
        {
            .name = "fast",
            .operands = "SOURCE",
            .summary = "a quality from a few encodes of samples, verified on the whole video",
            .examples = "  vmaf-tune fast film.mkv --target-vmaf 93\n"
                        "  vmaf-tune fast film.mkv --target-vmaf 95 --sample-by shots "
                        "--format text\n",
            .run = run_alias,
        },
        .kind = SEARCHES,
        .vmaf = NAN,
        .format = QUALITY_JSON,
        .print = print_fast,
        .any_threads = true,
        .is_whole = true,
        .is_joined = true,
        .verifies = true,
        ALIAS_ROWS(fast_rows),
    },
    {
        {
            .name = "encode-profile",
            .operands = "SOURCE",
            .summary = "encode a video as recommend, bisect or compare have found",
            .examples =
                "  vmaf-tune encode-profile --profile bisect.json film.mkv -o film.h264.mkv\n"
                "  vmaf-tune encode-profile --profile row.json -o film.mp4 --video-only "
                "--verify\n",
            .run = run_alias,
        },
        .kind = ENCODES,
        .print = print_profile_encode,
        .needs_profile = true,
        .any_threads = true,
        ALIAS_ROWS(profile_rows),
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
    while (strcmp(alias->command.name, command->name) != 0)
        alias++;
    QualitySettings settings = {
        .quality = quality_choice(),
        .kind = alias->kind,
        .format = alias->format,
        .print = alias->print,
        .makes_output = alias->makes_output,
        .needs_profile = alias->needs_profile,
        .delivers_missed = alias->needs_profile,
    };
    settings.tolerance = FAST_TOLERANCE;
    settings.quality.samples = alias->samples;
    settings.quality.is_joined = alias->is_joined;
    settings.quality.verifies = settings.quality.is_thorough = alias->verifies;
    if (alias->samples)
        settings.quality.search.on_non_monotonic = alias->on_non_monotonic;
    settings.quality.search.encoder = alias->encoder;
    settings.quality.any_threads = alias->any_threads;
    settings.quality.search.quality_step = alias->is_whole;
    settings.quality.no_verify = alias->needs_profile;
    if (alias->vmaf != 0)
        settings.quality.usual_vmaf = alias->vmaf;
    settings.quality.search.max_percent = alias->most_percent;
    const OptionGroup more = {command->name, alias->rows, alias->n_rows, &settings};
    return quality_command_run(command, &settings, alias->rows ? &more : NULL, argc, argv);
}
