/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "option_table.h"

#include "suggest.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const OptionInfo table[] = {
    {OPTION_REFERENCE, 'r', false, "reference", "FILE", "reference video, Y4M or raw; - is stdin"},
    {OPTION_DISTORTED, 'd', false, "distorted", "FILE", "distorted video, Y4M or raw; - is stdin"},

    {OPTION_WIDTH, 'w', false, "width", "N", "width in samples"},
    {OPTION_HEIGHT, 'h', false, "height", "N", "height in rows"},
    {OPTION_PIXEL_FORMAT, 'p', false, "pixel_format", "FORMAT", "420, 422 or 444"},
    {OPTION_BIT_DEPTH, 'b', false, "bitdepth", "N", "8, 10, 12 or 16"},

    {OPTION_FRAME_COUNT, 0, false, "frame_cnt", "N", "stop after N frames [0: all]"},
    {OPTION_FRAME_SKIP_REF, 0, false, "frame_skip_ref", "N", "skip N reference frames first [0]"},
    {OPTION_FRAME_SKIP_DIST, 0, false, "frame_skip_dist", "N", "skip N distorted frames first [0]"},
    {OPTION_SUBSAMPLE, 0, false, "subsample", "N", "score every N-th frame only [0: all]"},

    {OPTION_MODEL, 'm', false, "model", "MODEL",
     "model, up to 32 times [version=vmaf_v0.6.1], see below"},
    {OPTION_FEATURE, 0, false, "feature", "FEATURE", "extra feature, up to 32 times, see below"},
    {OPTION_NO_PREDICTION, 'n', false, "no_prediction", NULL,
     "no default model and no model scores"},
    {OPTION_AOM_CTC, 0, false, "aom_ctc", "VERSION", "AOM test conditions, v1.0 to v7.0"},
    {OPTION_NFLX_CTC, 0, false, "nflx_ctc", "VERSION", "Netflix test conditions, v1.0"},

    {OPTION_OUTPUT, 'o', false, "output", "FILE", "write the report there [no report]"},
    {OPTION_XML, 0, false, "xml", NULL, "report as XML [default]"},
    {OPTION_JSON, 0, false, "json", NULL, "report as JSON"},
    {OPTION_CSV, 0, false, "csv", NULL, "report as CSV"},
    {OPTION_SUB, 0, false, "sub", NULL, "report as subtitles"},
    {OPTION_PRECISION, 0, true, "precision", "P",
     "digits of scores: 1 to 17, max, full or legacy [legacy]"},
    {OPTION_QUIET, 'q', false, "quiet", NULL, "no progress and no warnings"},

    {OPTION_THREADS, 0, false, "threads", "N", "worker threads, 0 and 1: none [all usable cores]"},
    {OPTION_CPUMASK, 0, false, "cpumask", "BITS",
     "switch off 1 SSE2, 2 SSSE3, 4 SSE4.1, 8 AVX2, 16/32 AVX-512 [0]"},

    {OPTION_BACKEND, 0, true, "backend", "NAME", "auto|cpu|cuda|sycl|hip|vulkan|metal [auto]"},
    {OPTION_BACKEND_DEVICE, 0, true, "backend-device", "NAME:N", "device N of backend NAME"},
    {OPTION_GPUMASK, 0, false, "gpumask", "BITS",
     "not 0: GPUs only for features pinned to one [0]"},
    {OPTION_NO_BACKEND, 0, true, "no_cuda", NULL, "auto does not try CUDA"},
    {OPTION_NO_BACKEND, 0, true, "no_sycl", NULL, "auto does not try SYCL"},
    {OPTION_NO_BACKEND, 0, true, "no_hip", NULL, "auto does not try HIP"},
    {OPTION_NO_BACKEND, 0, true, "no_metal", NULL, "auto does not try Metal"},
    {OPTION_NO_BACKEND, 0, true, "no_vulkan", NULL, "auto does not try Vulkan"},
    {OPTION_X_DEVICE, 0, true, "cuda_device", "N", "as --backend-device cuda:N"},
    {OPTION_X_DEVICE, 0, true, "sycl_device", "N", "as --backend-device sycl:N"},
    {OPTION_X_DEVICE, 0, true, "hip_device", "N", "as --backend-device hip:N"},
    {OPTION_X_DEVICE, 0, true, "metal_device", "N", "as --backend-device metal:N"},
    {OPTION_X_DEVICE, 0, true, "vulkan_device", "N", "as --backend-device vulkan:N"},

    {OPTION_LIST_MODELS, 0, true, "list-models", NULL, "print the built-in models"},
    {OPTION_LIST_FEATURES, 0, true, "list-features", NULL, "print the features and their options"},
    {OPTION_LIST_BACKENDS, 0, true, "list-backends", NULL,
     "print the backends and their devices, with --json as JSON"},
    {OPTION_CAPABILITIES, 0, true, "capabilities", "[=FILE]",
     "print all that this installation can do as JSON"},
    {OPTION_HELP, 0, true, "help", NULL, "print this help (-h is the height)"},
    {OPTION_VERSION, 'v', false, "version", NULL, "print the version"},

    {OPTION_IGNORED, 'c', false, NULL, "ANY", NULL},
};

/* The options of backends that are not in the table. */
static const OptionInfo no_other_backend = {OPTION_NO_BACKEND, 0, true, "no_NAME", NULL, NULL};
static const OptionInfo other_device = {OPTION_X_DEVICE, 0, true, "NAME_device", "N", NULL};

enum { TABLE_SIZE = sizeof(table) / sizeof(table[0]) };

/* Where help starts a new group. */
static const struct {
    enum OptionId first;
    const char *title;
} groups[] = {
    {OPTION_REFERENCE, "Input"},
    {OPTION_WIDTH, "Raw input (any of these makes both files raw; then all four are needed)"},
    {OPTION_FRAME_COUNT, "Frames"},
    {OPTION_MODEL, "What is computed"},
    {OPTION_OUTPUT, "Output"},
    {OPTION_THREADS, "Speed"},
    {OPTION_BACKEND, "Where it is computed"},
    {OPTION_LIST_MODELS, "Information"},
};
enum { N_GROUPS = sizeof(groups) / sizeof(groups[0]) };

/* Closest name among all, whatever kind of dash or underscore it was written with. */
static const char *suggest_option(const char *name)
{
    Suggestion suggestion = {.wanted = name};
    for (int i = 0; i < TABLE_SIZE; i++) {
        if (table[i].name)
            suggestion_offer(&suggestion, table[i].name);
    }
    return suggestion_result(&suggestion);
}

static int unknown_option(const char *argument, const char *name, Message *why)
{
    const char *nearest = suggest_option(name);
    if (nearest) {
        return message_set(why, -EINVAL, "unrecognized option '%s'; did you mean '--%s'?", argument,
                           nearest);
    }
    return message_set(why, -EINVAL, "unrecognized option '%s'", argument);
}

/* The backend in --no_NAME or --NAME_device; false if the name is none of these. */
static bool find_backend(const char *name, size_t length, enum OptionId id,
                         char backend[BACKEND_NAME_SIZE])
{
    static const char prefix[] = "no_", suffix[] = "_device";
    const size_t n_prefix = sizeof(prefix) - 1, n_suffix = sizeof(suffix) - 1;
    size_t extra = id == OPTION_NO_BACKEND ? n_prefix : n_suffix;
    if (length <= extra || length - extra >= BACKEND_NAME_SIZE)
        return false;
    if (id == OPTION_NO_BACKEND ? strncmp(name, prefix, n_prefix) != 0
                                : strncmp(name + length - n_suffix, suffix, n_suffix) != 0)
        return false;
    memcpy(backend, id == OPTION_NO_BACKEND ? name + n_prefix : name, length - extra);
    backend[length - extra] = '\0';
    return true;
}

/* An option of a backend that is installed, but not in the table. */
static const OptionInfo *find_other_backend(const char *name, size_t length)
{
    static const OptionInfo *const infos[] = {&no_other_backend, &other_device};
    char backend[BACKEND_NAME_SIZE];
    for (int i = 0; i < 2; i++) {
        if (find_backend(name, length, infos[i]->id, backend) && backend_exists(backend))
            return infos[i];
    }
    return NULL;
}

/*
 * Looks a long name up: exactly, else as a beginning. A beginning that was unambiguous in libvmaf
 * stays so, whatever options were added since.
 */
static int find_long(const char *argument, const char *name, size_t length,
                     const OptionInfo **found, Message *why)
{
    const OptionInfo *candidate[2] = {NULL, NULL}; /* of libvmaf, added */
    unsigned count[2] = {0, 0};
    for (int i = 0; i < TABLE_SIZE; i++) {
        if (!table[i].name || strncmp(table[i].name, name, length))
            continue;
        if (!table[i].name[length]) {
            *found = &table[i];
            return 0;
        }
        candidate[table[i].added] = &table[i];
        count[table[i].added]++;
    }
    int kind = count[0] == 0;
    if (length && count[kind] == 1) {
        *found = candidate[kind];
        return 0;
    }
    if (length && count[kind] > 1)
        return message_set(why, -EINVAL, "option '%s' is ambiguous", argument);
    *found = find_other_backend(name, length);
    if (*found)
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
    int err = find_long(argument, name, length, &match->info, why);
    if (err)
        return err;

    match->value = name[length] ? name + length + 1 : NULL;
    if (match->info->id == OPTION_NO_BACKEND || match->info->id == OPTION_X_DEVICE) {
        /* The table's names may have been abbreviated. */
        bool listed = match->info != &no_other_backend && match->info != &other_device;
        const char *full = listed ? match->info->name : name;
        find_backend(full, listed ? strlen(full) : length, match->info->id, match->backend);
    }
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
    for (int i = 0; i < TABLE_SIZE && !match->info; i++) {
        if (table[i].short_name == letter)
            match->info = &table[i];
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

/* Most likely a piece of what the option before it was to have, or a forgotten -r or -d. */
static int stray_word(const char *word, Message *why)
{
    return message_set(why, -EINVAL,
                       "unexpected argument '%s'; files follow -r and -d, and what belongs to a "
                       "feature or model is joined to it: --feature NAME=OPTION=VALUE:OPTION=VALUE",
                       word);
}

int option_scan(OptionScanner *scanner, OptionMatch *match, Message *why)
{
    if (scanner->cluster && *scanner->cluster)
        return scan_short(scanner, match, why);
    if (scanner->next >= scanner->argc)
        return 0;
    const char *argument = scanner->argv[scanner->next];
    if (argument[0] != '-' || !argument[1])
        return stray_word(argument, why);
    if (argument[1] != '-') {
        scanner->cluster = argument + 1;
        scanner->next++;
        return scan_short(scanner, match, why);
    }
    if (argument[2])
        return scan_long(scanner, match, why);
    const char *after = scanner->next + 1 < scanner->argc ? scanner->argv[scanner->next + 1] : NULL;
    return after ? stray_word(after, why) : 0;
}

const char *option_label(const OptionInfo *info, char *buffer, size_t size)
{
    if (info->short_name)
        snprintf(buffer, size, "-%c/--%s", info->short_name, info->name);
    else
        snprintf(buffer, size, "--%s", info->name);
    return buffer;
}

static const char usage[] = "Usage: vmaf -r REFERENCE -d DISTORTED [options]";

void option_print_usage(FILE *out)
{
    fprintf(out, "%s; see --help\n", usage);
}

void option_print_summary(FILE *out)
{
    fprintf(out, "%s\n", usage);
    int group = 0;
    for (int i = 0; i < TABLE_SIZE; i++) {
        const OptionInfo *info = &table[i];
        if (!info->help)
            continue;
        if (group < N_GROUPS && info->id == groups[group].first)
            fprintf(out, "\n%s:\n", groups[group++].title);
        char left[64];
        snprintf(left, sizeof(left), "%c%c%c --%s%s%s", info->short_name ? '-' : ' ',
                 info->short_name ? info->short_name : ' ', info->short_name ? ',' : ' ',
                 info->name, info->argument && info->argument[0] != '[' ? " " : "",
                 info->argument ? info->argument : "");
        fprintf(out, "  %-30s %s\n", left, info->help);
    }
}

void option_print_help(FILE *out)
{
    fputs("vmaf compares a distorted video with its reference and scores how good it looks.\n\n",
          out);
    option_print_summary(out);
    fputs("\n"
          "MODEL is a list of items separated by colons:\n"
          "  version=NAME              built-in model (--list-models)\n"
          "  path=FILE                 model file\n"
          "  name=TEXT                 name of the score in the report [vmaf]\n"
          "  disable_clip              do not clip the score to the model's range\n"
          "  enable_transform          apply the model's score transform (phone model)\n"
          "  FEATURE.OPTION=VALUE      change an option of a feature that the model uses\n"
          "\n"
          "FEATURE is NAME or NAME=OPTION=VALUE:OPTION=VALUE... (--list-features).\n"
          "\n"
          "Examples:\n"
          "  vmaf -r original.y4m -d encoded.y4m --json -o scores.json\n"
          "      default model, scores of every frame as JSON\n"
          "  vmaf -r a.yuv -d b.yuv -w 1920 -h 1080 -p 420 -b 8 -o scores.xml\n"
          "      raw video\n"
          "  ffmpeg -i encoded.mp4 -f yuv4mpegpipe - | vmaf -r original.y4m -d - --csv -o s.csv\n"
          "      decode on the fly\n"
          "  vmaf -r a.y4m -d b.y4m -m version=vmaf_v0.6.1neg:name=neg --feature psnr -o s.xml\n"
          "      another model, and PSNR\n"
          "  vmaf -r a.y4m -d b.y4m -n --feature psnr=enable_chroma=false --csv -o s.csv\n"
          "      one feature alone\n"
          "\n"
          "Exit status: 0 success, 1 wrong usage, 100 the backend that was asked for is not\n"
          "available, 234 frames could not be read or scored, 255 anything else.\n",
          out);
}
