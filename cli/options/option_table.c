/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The table of options, and how words of a command line are found in it. */
#include "options_internal.h"

#include "common/messages.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* The offset of a member of Options, which has to have that type. */
#define MEMBER(type, member)                                                                       \
    (offsetof(Options, member) + 0 * sizeof(&((Options *)NULL)->member == (type *)NULL))
#define FLAG(member) .kind = OPTION_FLAG, .target = MEMBER(bool, member)
#define TEXT(member) .kind = OPTION_TEXT, .target = MEMBER(const char *, member)
#define NUMBER(member, most)                                                                       \
    .kind = OPTION_NUMBER, .target = MEMBER(unsigned, member), .number = (most)
#define MASK(member) .kind = OPTION_MASK, .target = MEMBER(uint32_t, member)
#define CONSTANT(member, value)                                                                    \
    .kind = OPTION_CONSTANT, .target = offsetof(Options, member), .number = (value)
#define CHOICE(member) .kind = OPTION_CHOICE, .target = offsetof(Options, member)
#define FORMAT(name)   CONSTANT(format, VMAF_OUTPUT_FORMAT_##name), GIVES(format_given)
#define GIVES(member)  .given = MEMBER(bool, member)
_Static_assert(sizeof(enum Task) == sizeof(unsigned) && sizeof(MediaScaler) == sizeof(unsigned),
               "enums are stored as unsigned");

enum { MAX_THREADS = 4096, MAX_JOBS = 1024 };

/* Options of reports and of who waits for them are those of all that makes reports. */
enum { FINISHES = IN_MERGE | IN_RESCORE };
#define OF_MODELS      .also_in = IN_RESCORE
#define OF_REPORTS     .also_in = FINISHES
#define ONLY_IN(place) .not_in = IN_RUN | IN_BATCH | IN_LINE, .also_in = (place)

/*
 * Rows with NAME in their name stand for one row of every backend: of the known ones when options
 * are listed, of any other that is installed when they are looked up. TITLE is the backend's name
 * as people write it.
 */
static const OptionInfo table[] = {
    {"reference", 'r', "FILE", "reference video; - is stdin", TEXT(reference), .group = "input",
     .not_in = IN_BATCH | IN_LINE},
    {"distorted", 'd', "FILE", "distorted video, up to 64 times; - is stdin",
     .kind = OPTION_DISTORTED, .not_in = IN_BATCH | IN_LINE},

    {"width", 'w', "N", "width in samples", NUMBER(width, UINT_MAX), GIVES(raw), .group = "raw"},
    {"height", 'h', "N", "height in rows", NUMBER(height, UINT_MAX), GIVES(raw)},
    {"pixel_format", 'p', "FORMAT", "420, 422 or 444", .values = "420|422|444",
     .kind = OPTION_PIXEL_FORMAT, GIVES(raw)},
    {"bitdepth", 'b', "N", "8, 10, 12 or 16", .values = "8|10|12|16", .kind = OPTION_BIT_DEPTH,
     GIVES(raw)},

    {"scale", 0, "WxH", "size of both, or model, or none [that of the reference]",
     .values = "model|none", .kind = OPTION_INPUT, .added = true, .group = "media"},
    {"scaler", 0, "NAME", "bicubic, lanczos, bilinear or spline [bicubic]",
     .values = "bicubic|lanczos|bilinear|spline", CHOICE(input.match.scaler), .added = true},
    {"crop-ref", 0, "W:H:X:Y", "part of the reference that is scored", .kind = OPTION_INPUT,
     .added = true},
    {"crop-dist", 0, "W:H:X:Y", "part of the distorted video that is scored", .kind = OPTION_INPUT,
     .added = true},
    {"autocrop", 0, NULL, "leave out constant borders, which both are searched for",
     FLAG(input.finds_borders), .added = true},
    {"stream", 0, "N", "number of the video stream, from 0 [as ffmpeg chooses]",
     NUMBER(input.stream, INT_MAX), GIVES(input.stream_given), .added = true},
    {"stream-ref", 0, "N", "number of the video stream of the reference",
     NUMBER(input.reference_stream, INT_MAX), GIVES(input.reference_stream_given), .added = true},
    {"stream-dist", 0, "N", "number of the video stream of the distorted video",
     NUMBER(input.distorted_stream, INT_MAX), GIVES(input.distorted_stream_given), .added = true},
    {"start-number", 0, "N", "number of the first picture of frame_%04d.png [the lowest]",
     NUMBER(input.first_picture, INT_MAX), .added = true},
    {"sync", 0, "WHAT", "pair frames by their number (frame) or time [frame]",
     .values = "frame|time", .kind = OPTION_INPUT, .added = true},
    {"errors", 0, "WHAT", "stop at damaged frames, or ignore [stop]", .values = "stop|ignore",
     .kind = OPTION_INPUT, .added = true},
    {"hwaccel", 0, "NAME", "none|auto|cuda|vaapi|vulkan|videotoolbox [none]",
     .values = "none|auto|cuda|vaapi|vulkan|videotoolbox", .kind = OPTION_INPUT, .added = true},
    {"no-film-grain", 0, NULL, "the distorted video is decoded without the grain that it describes",
     FLAG(input.no_film_grain), .added = true},

    {"start", 0, "WHERE", "frame (250) or time (10s, 0:01:02) where both begin",
     .kind = OPTION_INPUT, .added = true, .group = "frames"},
    {"duration", 0, "TIME", "stop after that time", .kind = OPTION_INPUT, .added = true},
    {"frames", 0, "N", "stop after N frames [0: all]", NUMBER(frame_count, UINT_MAX),
     GIVES(input.frames_given), .added = true},
    {"frame_cnt", 0, "N", "as --frames", NUMBER(frame_count, UINT_MAX), GIVES(frame_count_given)},
    {"frame_skip_ref", 0, "N", "skip N reference frames first [0]",
     NUMBER(skip_reference, UINT_MAX)},
    {"frame_skip_dist", 0, "N", "skip N distorted frames first [0]",
     NUMBER(skip_distorted, UINT_MAX)},
    {"subsample", 0, "N", "score every N-th frame only [0: all]", NUMBER(subsample, UINT_MAX)},

    {"align", 0, "MODE", "do frames show the same? off, check, auto, strict", CHOICE(align),
     .values = "off|check|auto|strict", GIVES(align_given), .group = "alignment", .added = true},

    {"model", 'm', "MODEL", "model, up to 32 times [version=vmaf_v0.6.1]", .kind = OPTION_MODEL,
     .group = "models", OF_MODELS},
    {"feature", 0, "FEATURE", "extra feature, up to 32 times", .kind = OPTION_FEATURE, OF_MODELS},
    {"no_prediction", 'n', NULL, "no default model and no model scores", FLAG(no_prediction),
     OF_MODELS},
    {"aom_ctc", 0, "VERSION", "AOM test conditions, v1.0 to v7.0",
     .values = "v1.0|v2.0|v3.0|v4.0|v5.0|v6.0|v7.0", .kind = OPTION_AOM_CTC, OF_MODELS},
    {"nflx_ctc", 0, "VERSION", "Netflix test conditions, v1.0", .values = "v1.0",
     .kind = OPTION_NFLX_CTC, OF_MODELS},

    {"output", 'o', "FILE", "write a report there, up to 16 times [no report]",
     .kind = OPTION_OUTPUT, .group = "reports", .not_in = IN_BATCH, OF_REPORTS},
    {"xml", 0, NULL, "it is XML [by the name of the file, else XML]", FORMAT(XML), OF_REPORTS},
    {"json", 0, NULL, "it is JSON", FORMAT(JSON), OF_REPORTS},
    {"csv", 0, NULL, "it is CSV", FORMAT(CSV), OF_REPORTS},
    {"sub", 0, NULL, "it is subtitles", FORMAT(SUB), OF_REPORTS},
    {"ndjson", 0, NULL, "it is lines of JSON, written while frames are scored", FORMAT(NDJSON),
     .added = true, OF_REPORTS},
    {"overwrite", 0, NULL, "replace any file that exists, but never one that is read",
     FLAG(overwrites), .added = true, OF_REPORTS},
    {"pool", 0, "LIST", "more pooled values: p0 to p100, median, stddev, with commas",
     .values = "p1|p5|p10|p25|median|stddev", .kind = OPTION_POOL, .added = true, OF_REPORTS},
    {"precision", 0, "P", "digits of scores: 1 to 17, max, full or legacy [legacy]",
     .values = "legacy|max|full", .kind = OPTION_PRECISION, .added = true, OF_REPORTS},
    {"quiet", 'q', NULL, "no progress and no warnings", FLAG(quiet), OF_REPORTS},
    {"require", 0, "LIST", "status 3 unless so: vmaf.mean>=93,vmaf.p1>=80", .kind = OPTION_REQUIRE,
     .added = true, OF_REPORTS},

    {"shard", 0, "I/N", "score part I (from 0) of N equal ones; -o names its file",
     .kind = OPTION_SHARD, .group = "parts", .added = true, .not_in = IN_BATCH},
    {"keep-records", 0, "FILE", "keep what scores are finished from, for vmaf rescore",
     TEXT(keep_records), .added = true, .not_in = IN_BATCH},
    {"resume", 0, "FILE", "the same, and go on where that file ends", TEXT(resume), .added = true,
     .not_in = IN_BATCH},
    {"sha256", 0, NULL, "tell videos apart by their content, too: reads both to their ends",
     FLAG(sha256), .added = true, .not_in = IN_BATCH},
    {"info", 0, NULL, "print what is in the files (vmaf merge)", FLAG(info), .added = true,
     ONLY_IN(IN_MERGE)},
    {"all", 0, NULL, "every feature that is stored (vmaf rescore)", FLAG(all_features),
     .added = true, ONLY_IN(IN_RESCORE)},

    {"threads", 0, "N", "worker threads, 0 and 1: none [all usable cores]",
     NUMBER(threads, MAX_THREADS), GIVES(threads_given), .group = "speed", OF_REPORTS},
    {"cpumask", 0, "BITS", "switch off 1 SSE2, 2 SSSE3, 4 SSE4.1, 8 AVX2, 16/32 AVX-512 [0]",
     MASK(cpumask)},

    /* Programs look for this list. */
    {"backend", 0, "NAME", "auto|cpu|cuda|sycl|hip|vulkan|metal [auto]", .kind = OPTION_BACKEND,
     .group = "backends", .added = true},
    {"backend-device", 0, "NAME:N", "device N of backend NAME, or \"all\"",
     .kind = OPTION_BACKEND_DEVICE, .added = true},
    {"gpumask", 0, "BITS", "not 0: GPUs only for features pinned to one [0]", MASK(gpumask)},
    {"no_NAME", 0, NULL, "auto does not try TITLE", .kind = OPTION_NO_BACKEND, .added = true},
    {"NAME_device", 0, "N", "as --backend-device NAME:N", .kind = OPTION_X_DEVICE, .added = true},

    {"jobs", 0, "N", "pairs that are scored at a time; they share the cores [1]",
     NUMBER(jobs, MAX_JOBS), .group = "batch", .added = true, .not_in = IN_RUN | IN_LINE},

    {"list-models", 0, NULL, "print the built-in models", .kind = OPTION_LIST_MODELS,
     .group = "information", .added = true, .not_in = IN_LINE},
    {"list-features", 0, NULL, "print the features and their options", .kind = OPTION_LIST_FEATURES,
     .added = true, .not_in = IN_LINE},
    {"list-backends", 0, NULL, "print the backends and their devices, with --json as JSON",
     CONSTANT(task, TASK_LIST_BACKENDS), .added = true, .not_in = IN_BATCH | IN_LINE},
    {"capabilities", 0, "[=FILE]", "print all that this installation can do as JSON",
     .kind = OPTION_CAPABILITIES, .added = true, .not_in = IN_BATCH | IN_LINE},
    {"completion", 0, "SHELL", "print completions for bash, zsh or fish", .values = "bash|zsh|fish",
     .kind = OPTION_COMPLETION, .added = true, .not_in = IN_LINE},
    {"help", 0, "[=TOPIC]",
     "print help, on a group of options, an option, or all (-h is the height)", .kind = OPTION_HELP,
     .added = true, .not_in = IN_LINE, OF_REPORTS},
    {"version", 'v', NULL, "print the version", .kind = OPTION_VERSION, .not_in = IN_LINE,
     OF_REPORTS},

    {NULL, 'c', "ANY", NULL, .kind = OPTION_IGNORED},
};
enum { TABLE_SIZE = sizeof(table) / sizeof(table[0]) };

/* `pattern` with NAME or TITLE replaced. */
static void put_name(char *text, size_t size, const char *pattern, const char *name,
                     const char *title)
{
    const char *at = strstr(pattern, "NAME");
    const bool titled = !at;
    if (titled)
        at = strstr(pattern, "TITLE");
    snprintf(text, size, "%.*s%s%s", (int)(at - pattern), pattern, titled ? title : name,
             at + strlen(titled ? "TITLE" : "NAME"));
}

static bool is_pattern(const OptionInfo *info)
{
    return info->kind == OPTION_NO_BACKEND || info->kind == OPTION_X_DEVICE;
}

/* The table with the rows of the known backends. */
enum { MAX_KNOWN_BACKENDS = 16, MAX_ROWS = TABLE_SIZE + 2 * MAX_KNOWN_BACKENDS };
static struct {
    unsigned count;
    OptionInfo rows[MAX_ROWS];
    char names[MAX_ROWS][32], helps[MAX_ROWS][64];
} all;

static void add_known_backends(const OptionInfo *pattern)
{
    const char *name, *title;
    for (unsigned i = 0; i < MAX_KNOWN_BACKENDS && (name = vmaf_backend_known(i, &title)); i++) {
        const unsigned row = all.count++;
        put_name(all.names[row], sizeof(all.names[row]), pattern->name, name, title);
        put_name(all.helps[row], sizeof(all.helps[row]), pattern->help, name, title);
        all.rows[row] = *pattern;
        all.rows[row].name = all.names[row];
        all.rows[row].help = all.helps[row];
        all.rows[row].backend = name;
    }
}

/* Number of rows; makes them when it is called first. */
static unsigned count_rows(void)
{
    if (all.count)
        return all.count;
    for (int i = 0; i < TABLE_SIZE; i++) {
        if (is_pattern(&table[i]))
            add_known_backends(&table[i]);
        else
            all.rows[all.count++] = table[i];
    }
    return all.count;
}

const OptionInfo *option_row(unsigned index)
{
    return index < count_rows() ? &all.rows[index] : NULL;
}

/* Closest name among all, whatever kind of dash or underscore it was written with. */
static const char *suggest_option(const char *name)
{
    Suggestion suggestion = {.wanted = name};
    for (unsigned i = 0; i < count_rows(); i++) {
        if (all.rows[i].name)
            suggestion_offer(&suggestion, all.rows[i].name);
    }
    return suggestion_result(&suggestion);
}

static int unknown_option(const char *argument, const char *name, Message *why)
{
    const char *nearest = suggest_option(name);
    return message_set(why, -EINVAL, "unrecognized option '%s'%s%s%s", argument,
                       nearest ? "; did you mean '--" : "", nearest ? nearest : "",
                       nearest ? "'?" : "");
}

/* What stands for NAME in a name that is like the pattern's; false if it is not like it. */
static bool match_pattern(const OptionInfo *pattern, const char *name, size_t length,
                          char backend[BACKEND_NAME_SIZE])
{
    const char *at = strstr(pattern->name, "NAME"), *suffix = at + strlen("NAME");
    const size_t before = (size_t)(at - pattern->name), after = strlen(suffix);
    if (length <= before + after || length - before - after >= BACKEND_NAME_SIZE ||
        memcmp(name, pattern->name, before) != 0 ||
        memcmp(name + length - after, suffix, after) != 0)
        return false;
    memcpy(backend, name + before, length - before - after);
    backend[length - before - after] = '\0';
    return true;
}

/* An option of a backend that is installed, but not known. */
static const OptionInfo *find_other_backend(const char *name, size_t length,
                                            char backend[BACKEND_NAME_SIZE])
{
    for (int i = 0; i < TABLE_SIZE; i++) {
        if (is_pattern(&table[i]) && match_pattern(&table[i], name, length, backend) &&
            backend_exists(backend))
            return &table[i];
    }
    return NULL;
}

/*
 * Looks a long name up: exactly, else as a beginning. A beginning that was unambiguous in libvmaf
 * stays so, whatever options were added since.
 */
static int find_long(const char *argument, const char *name, size_t length, OptionMatch *match,
                     Message *why)
{
    const OptionInfo *candidate[2] = {NULL, NULL}; /* of libvmaf, added */
    unsigned count[2] = {0, 0};
    for (unsigned i = 0; i < count_rows(); i++) {
        const OptionInfo *row = &all.rows[i];
        if (!row->name || strncmp(row->name, name, length))
            continue;
        if (!row->name[length]) {
            match->info = row;
            return 0;
        }
        candidate[row->added] = row;
        count[row->added]++;
    }
    int kind = count[0] == 0;
    if (length && count[kind] == 1) {
        match->info = candidate[kind];
        return 0;
    }
    if (length && count[kind] > 1)
        return message_set(why, -EINVAL, "option '%s' is ambiguous", argument);
    match->info = find_other_backend(name, length, match->backend);
    if (match->info)
        return 0;

    char plain[64];
    if (length >= sizeof(plain))
        length = sizeof(plain) - 1;
    memcpy(plain, name, length);
    plain[length] = '\0';
    return unknown_option(argument, plain, why);
}

static int missing_argument(const char *label, Message *why)
{
    return message_set(why, -EINVAL, "option '%s' requires an argument", label);
}

static int scan_long(OptionScanner *scanner, OptionMatch *match, Message *why)
{
    const char *argument = scanner->argv[scanner->next++];
    const char *name = argument + 2;
    size_t length = strcspn(name, "=");
    int err = find_long(argument, name, length, match, why);
    if (err)
        return err;

    match->value = name[length] ? name + length + 1 : NULL;
    if (match->info->backend)
        snprintf(match->backend, sizeof(match->backend), "%s", match->info->backend);
    if (!match->info->argument) {
        if (match->value) {
            return message_set(why, -EINVAL, "option '--%s' does not take an argument",
                               match->info->name);
        }
    } else if (!match->value && match->info->argument[0] != '[') {
        if (scanner->next >= scanner->argc)
            return missing_argument(argument, why);
        match->value = scanner->argv[scanner->next++];
    }
    return 1;
}

static int scan_short(OptionScanner *scanner, OptionMatch *match, Message *why)
{
    char letter = *scanner->cluster++;
    match->info = NULL;
    for (unsigned i = 0; i < count_rows() && !match->info; i++) {
        if (all.rows[i].short_name == letter)
            match->info = &all.rows[i];
    }
    if (!match->info) {
        const char *whole = scanner->argv[scanner->next - 1];
        if (whole[2]) /* -threads for --threads, most likely */
            return unknown_option(whole, whole + 1, why);
        return message_set(why, -EINVAL, "unrecognized option '-%c'", letter);
    }
    match->value = NULL;
    if (!match->info->argument)
        return 1;
    if (*scanner->cluster) {
        match->value = scanner->cluster;
    } else if (scanner->next < scanner->argc) {
        match->value = scanner->argv[scanner->next++];
    } else {
        const char label[] = {'-', letter, '\0'};
        return missing_argument(label, why);
    }
    scanner->cluster = NULL;
    return 1;
}

int option_stray_word(const char *word, Message *why)
{
    return message_set(why, -EINVAL,
                       "unexpected argument '%s'; files follow -r and -d, and what belongs to a "
                       "feature or model is joined to it: --feature NAME=OPTION=VALUE:OPTION=VALUE",
                       word);
}

static int take_word(OptionScanner *scanner, const char *word, Message *why)
{
    if (!scanner->list && scanner->n_words == 2)
        return option_stray_word(word, why);
    (scanner->list ? scanner->list : scanner->words)[scanner->n_words++] = word;
    return 0;
}

int option_scan(OptionScanner *scanner, OptionMatch *match, Message *why)
{
    if (scanner->cluster && *scanner->cluster)
        return scan_short(scanner, match, why);
    if (scanner->next >= scanner->argc)
        return 0;
    const char *argument = scanner->argv[scanner->next];
    if (argument[0] != '-' || !argument[1]) {
        const int err = take_word(scanner, argument, why);
        if (err)
            return err;
        scanner->next++;
        return option_scan(scanner, match, why);
    }
    if (argument[1] != '-') {
        scanner->cluster = argument + 1;
        scanner->next++;
        return scan_short(scanner, match, why);
    }
    if (argument[2])
        return scan_long(scanner, match, why);
    while (++scanner->next < scanner->argc) { /* "--": only words follow */
        const int err = take_word(scanner, scanner->argv[scanner->next], why);
        if (err)
            return err;
    }
    return 0;
}

const char *option_label(const OptionInfo *info, char *buffer, size_t size)
{
    if (info->short_name)
        snprintf(buffer, size, "-%c/--%s", info->short_name, info->name);
    else
        snprintf(buffer, size, "--%s", info->name);
    return buffer;
}
