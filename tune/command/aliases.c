/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* encode, search and sample, and other names of them: defaults, options and formats. */
#include "tune/command/commands.h"
#include "tune/command/quality_command.h"
#include "tune/options/options.h"

#include <math.h>
#include <string.h>

#define AT(member) .target = offsetof(QualitySettings, member)

/* Options of ab-av1's. */
static const TuneOption other_rows[] = {
    {"svt", "KEY=VALUE", "a parameter of SVT-AV1", TEXTS_AT(svt)},
    {"acodec", "NAME", "encode audio with it instead of copying it", TEXT_AT(audio_codec)},
    {"stdout-format", NULL, "of the result", CHOICE_AT(format, "human|document|json")},
};

/* Options of older names: recommend has the first two, others those from the second one on, and
 * the last is of those that compare samples with the film. */
static const TuneOption old_rows[] = {
    {"target-bitrate", "KBPS", "of rows: the bitrate nearest to this one instead",
     NUMBER_AT(kbps, 1e-3, 1e12)},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
    {"format", NULL, "of the result", CHOICE_AT(format, "text|json")},
    {"proxy-tolerance", "D", "how far samples and video may differ ({any})",
     NUMBER_AT(tolerance, 0, 100)},
};

static const TuneOption auto_rows[] = {
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
    {"max-budget-bitrate", "KBPS", "what it should not exceed ({8000})",
     NUMBER_AT(choice.budget, 1, 1e9)},
    {"execute", NULL, "encode the winner, and measure it", FLAG_AT(executes)},
    {"execute-all", NULL, "encode all cells", FLAG_AT(executes_all)},
    {"runs-dir", "FOLDER", "for these encodes and tune_results.jsonl ({runs})", TEXT_AT(runs_dir)},
};

/* An encode as a result says. */
static const TuneOption profile_rows[] = {
    {"verify", NULL, "score the encode; exit status 1 if it misses the target",
     FLAG_OFF_AT(quality.no_verify)},
};

typedef struct Alias {
    TuneCommand command;
    QualitySettings settings; /* but for `quality`, to which this is what is not as usual: */
    const char *encoder;
    double vmaf;         /* if there is no goal; 0: the usual one; NAN: it has to be given */
    double most_percent; /* 0: any */
    bool is_old;         /* threads as the encoder chooses, and whole qualities */
    bool is_brief;       /* few encodes of few seconds */
    bool is_whole;       /* no samples */
    bool is_strict;      /* ends if scores do not fall with the quality */
    bool verifies;
    const TuneOption *rows;
    size_t n_rows;
} Alias;

static int run_alias(const TuneCommand *command, int argc, char **argv);

#define COMMAND(called, is, typed)                                                                 \
    {                                                                                              \
        .name = (called), .operands = "SOURCE", .summary = (is), .examples = (typed),              \
        .run = run_alias                                                                           \
    }
#define ALIAS_ROWS(table) .rows = (table), .n_rows = sizeof(table) / sizeof(*(table))

static const Alias aliases[] = {
    {COMMAND("encode", "make a video as small as it can be at a quality",
             "  vmaf-tune encode film.mkv -o small.mkv --encoder libsvtav1 --min-vmaf 95\n"
             "  vmaf-tune encode film.mkv -o small.mp4 --target vmaf=93 --target vmaf.p1=85\n"),
     .settings.kind = ENCODES},
    {COMMAND("search", "which quality would that be?",
             "  vmaf-tune search film.mkv --encoder libx265 --min-vmaf 95\n"
             "  vmaf-tune search film.mkv --target ssimulacra2=75 --samples none --json\n"),
     .settings.kind = SEARCHES},
    {COMMAND("sample", "what would a quality give: score, size, time",
             "  vmaf-tune sample film.mkv --encoder libx265 --quality 24\n"),
     .settings.kind = SAMPLES},
    {COMMAND("predict", "search on samples, or of each shot with --per-shot, as JSON",
             "  vmaf-tune predict film.mkv --encoder libx265 --target-vmaf 93\n"),
     .settings.kind = SEARCHES, .vmaf = 93, .settings.format = QUALITY_JSON, .rows = old_rows + 1,
     .n_rows = 2},
    {COMMAND("bisect", "the strongest compression that still reaches a score",
             "  vmaf-tune bisect film.mkv --encoder libsvtav1 --target-vmaf 93\n"
             "  vmaf-tune bisect film.mkv --require vmaf.p1>=80 --format json\n"),
     .settings.kind = SEARCHES, .vmaf = 92, .settings.record = bisect_record, .is_old = true,
     .is_whole = true, .is_strict = true, .rows = old_rows + 1, .n_rows = 2},
    {COMMAND("recommend", "which quality to encode with: of a video, or of a corpus",
             "  vmaf-tune recommend film.mkv --target-vmaf 93 --preset slow\n"
             "  vmaf-tune recommend --from-corpus corpus.jsonl --target-vmaf 93\n"
             "  vmaf-tune recommend --from-corpus corpus.jsonl --target-bitrate 2500 --json\n"),
     .settings.kind = SEARCHES, .vmaf = 92, .settings.record = recommend_record,
     .settings.print = recommend_print, .settings.recommends = true, .is_old = true,
     .is_whole = true, .rows = old_rows, .n_rows = 2},
    {COMMAND("fast", "a quality from a few encodes of samples, verified on the whole video",
             "  vmaf-tune fast film.mkv --target-vmaf 93\n"
             "  vmaf-tune fast film.mkv --target-vmaf 95 --format text\n"),
     .settings.kind = SEARCHES, .vmaf = NAN, .settings.format = QUALITY_JSON,
     .settings.record = fast_record, .is_old = true, .is_brief = true, .verifies = true,
     .rows = old_rows + 1, .n_rows = 3},
    {COMMAND("auto", "the size, encoder and quality that reach a score most cheaply",
             "  vmaf-tune auto film.mkv --allow-codecs libx265,libsvtav1 --execute\n"
             "  vmaf-tune auto film.mkv --rungs 1080,720 --max-budget-bitrate 3000\n"),
     .settings.kind = CHOOSES, .vmaf = 93, .is_old = true, .is_brief = true, ALIAS_ROWS(auto_rows)},
    {COMMAND("encode-profile", "encode a video as recommend, bisect or compare have found",
             "  vmaf-tune encode-profile --profile bisect.json film.mkv -o film.h264.mkv\n"
             "  vmaf-tune encode-profile --profile row.json -o film.mp4 --video-only --verify\n"),
     .settings.kind = ENCODES, .settings.needs_profile = true, .is_old = true,
     ALIAS_ROWS(profile_rows)},
    {COMMAND("crf-search", "search with the defaults of ab-av1",
             "  vmaf-tune crf-search -i film.mkv --min-vmaf 95\n"),
     .settings.kind = SEARCHES, .encoder = "libsvtav1", .most_percent = 80, ALIAS_ROWS(other_rows)},
    {COMMAND("auto-encode", "encode with the defaults of ab-av1",
             "  vmaf-tune auto-encode -i film.mkv -o small.mkv --min-vmaf 95\n"),
     .settings.kind = ENCODES, .encoder = "libsvtav1", .most_percent = 80,
     .settings.makes_output = true, ALIAS_ROWS(other_rows)},
    {COMMAND("sample-encode", "sample with the defaults of ab-av1",
             "  vmaf-tune sample-encode -i film.mkv --crf 32\n"),
     .settings.kind = SAMPLES, .encoder = "libsvtav1", ALIAS_ROWS(other_rows)},
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
    QualitySettings settings = alias->settings;
    const bool chooses = settings.kind == CHOOSES;
    settings.quality = quality_choice();
    settings.choice.budget = chooses ? 8000 : INFINITY;
    settings.kbps = NAN;
    settings.tolerance = alias->verifies ? 1.5 : INFINITY;
    settings.runs_dir = "runs";
    QualityChoice *quality = &settings.quality;
    quality->verifies = quality->is_thorough = alias->verifies;
    quality->any_threads = alias->is_old;
    quality->no_verify = settings.needs_profile;
    quality->search.quality_step = alias->is_old && !settings.needs_profile;
    quality->search.encoder = alias->encoder;
    quality->search.max_percent = alias->most_percent;
    if (alias->vmaf != 0)
        quality->usual_vmaf = alias->vmaf;
    if (chooses) /* the first condition that cells are compared by, always */
        quality->min_vmaf = alias->vmaf;
    if (alias->is_whole)
        quality->samples = "none";
    if (alias->is_strict)
        quality->search.on_non_monotonic = NON_MONOTONIC_FAIL;
    if (alias->is_brief) {
        quality->search.max_iterations = 6;
        quality->time_budget = 300;
        quality->chunk_seconds = 5;
    }
    const OptionGroup more = {command->name, alias->rows, alias->n_rows, &settings};
    return quality_command_run(command, &settings, alias->rows ? &more : NULL, argc, argv);
}
