/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "command_line.h"

#include "catalogue.h"
#include "common/messages.h"
#include "completion.h"
#include "exit_status.h"
#include "help.h"
#include "option_table.h"
#include "output.h"
#include "presets.h"
#include "record_options.h"
#include "report_name.h"
#include "standard_output.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int invalid_argument(const OptionMatch *match, const char *expected, Message *why)
{
    char label[64];
    return message_set(why, -EINVAL, "Invalid argument \"%s\" for option %s; should be %s",
                       match->value, option_label(match->info, label, sizeof(label)), expected);
}

/* The whole text as a number in C notation: decimal, 0x..., leading-zero octal, with sign. */
static bool parse_number(const char *text, long long *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 0);
    return end != text && !*end && !errno;
}

static int take_number(const OptionMatch *match, unsigned *value, Message *why)
{
    const unsigned max = match->info->number;
    long long number;
    if (!parse_number(match->value, &number))
        return invalid_argument(match, "an integer", why);
    if (number < 0)
        return invalid_argument(match, "a non-negative integer", why);
    if (number > max) {
        char expected[48];
        snprintf(expected, sizeof(expected), "an integer up to %u", max);
        return invalid_argument(match, expected, why);
    }
    *value = (unsigned)number;
    return 0;
}

static int take_mask(const OptionMatch *match, uint32_t *mask, Message *why)
{
    long long number;
    if (!parse_number(match->value, &number))
        return invalid_argument(match, "an integer", why);
    *mask = (uint32_t)number;
    return 0;
}

static int take_bit_depth(Options *options, const OptionMatch *match, Message *why)
{
    long long number;
    if (!parse_number(match->value, &number) ||
        (number != 8 && number != 10 && number != 12 && number != 16))
        return invalid_argument(match, "a valid bitdepth (8/10/12/16)", why);
    options->bit_depth = (unsigned)number;
    return 0;
}

static int take_pixel_format(Options *options, const OptionMatch *match, Message *why)
{
    if (!strcmp(match->value, "420"))
        options->pixel_format = VMAF_PIX_FMT_YUV420P;
    else if (!strcmp(match->value, "422"))
        options->pixel_format = VMAF_PIX_FMT_YUV422P;
    else if (!strcmp(match->value, "444"))
        options->pixel_format = VMAF_PIX_FMT_YUV444P;
    else
        return invalid_argument(match, "a valid pixel format (420/422/444)", why);
    return 0;
}

static int take_pool(Options *options, const OptionMatch *match, Message *why)
{
    const int err = vmaf_report_statistics(NULL, match->value);
    options->statistics = match->value;
    if (err == -E2BIG)
        return invalid_argument(match, "a list of at most 32", why);
    if (err || !*match->value)
        return invalid_argument(match, "a list of p0 to p100, median and stddev", why);
    return 0;
}

static int take_precision(Options *options, const char *value, Message *why)
{
    if (!strcmp(value, "legacy")) {
        options->score_format[0] = '\0';
    } else if (!strcmp(value, "max") || !strcmp(value, "full")) {
        strcpy(options->score_format, "%.17g");
    } else {
        size_t digits = strspn(value, "0123456789");
        long number = digits && digits <= 2 && !value[digits] ? strtol(value, NULL, 10) : 0;
        if (number < 1 || number > 17) {
            return message_set(why, -EINVAL,
                               "--precision must be an integer 1..17, or one of: max, full, legacy "
                               "(got: %s)",
                               value);
        }
        snprintf(options->score_format, sizeof(options->score_format), "%%.%ldg", number);
    }
    return 0;
}

static int take_backend(Options *options, const char *value, Message *why)
{
    if (strcmp(value, "auto") && strcmp(value, "cpu") && !backend_exists(value)) {
        char known[128], installed[256];
        return message_set(
            why, -EINVAL,
            "Unknown --backend value '%s' (expected: auto|cpu|%s); installed here: %s", value,
            backend_list_known(known, sizeof(known)),
            backend_list_installed(installed, sizeof(installed)));
    }
    options->backend = value;
    return 0;
}

static int take_no_backend(Options *options, const OptionMatch *match, Message *why)
{
    BackendWord *word =
        backend_words_get(&options->backends, match->backend, strlen(match->backend));
    if (!word)
        return message_set(why, -EINVAL, "too many backends");
    word->excluded = true;
    return 0;
}

static int take_device(Options *options, const OptionMatch *match, const char *backend,
                       size_t length, const char *text, Message *why)
{
    long long number = ALL_DEVICES;
    const bool all = !strcmp(text, "all");
    if (!all && !parse_number(text, &number))
        return invalid_argument(match, "an integer or \"all\"", why);
    if (!all && (number < -1 || number > INT_MAX))
        return invalid_argument(match, "a non-negative integer, -1 for any device, or \"all\"",
                                why);
    BackendWord *word = backend_words_get(&options->backends, backend, length);
    if (!word)
        return message_set(why, -EINVAL, "too many backends");
    word->device_given = true;
    word->device = (int)number;
    return 0;
}

static int take_backend_device(Options *options, const OptionMatch *match, Message *why)
{
    const char *colon = strchr(match->value, ':');
    char name[BACKEND_NAME_SIZE];
    size_t length = colon ? (size_t)(colon - match->value) : 0;
    if (!colon || length >= sizeof(name))
        return invalid_argument(match, "NAME:N", why);
    memcpy(name, match->value, length);
    name[length] = '\0';
    if (!backend_exists(name)) {
        char known[128], expected[192];
        snprintf(expected, sizeof(expected), "NAME:N with NAME one of %s, or an installed backend",
                 backend_list_known(known, sizeof(known)));
        return invalid_argument(match, expected, why);
    }
    return take_device(options, match, name, length, colon + 1, why);
}

static int add_distorted(Options *options, const char *path, Message *why)
{
    if (options->n_distorted == MAX_DISTORTED)
        return message_set(why, -EINVAL, "at most %d distorted videos", MAX_DISTORTED);
    options->all_distorted[options->n_distorted++] = path;
    options->distorted = options->all_distorted[0];
    return 0;
}

static int add_model(Options *options, const char *text, Message *why)
{
    if (options->n_models == MAX_MODELS)
        return message_set(why, -EINVAL, "at most %d models", MAX_MODELS);
    int err = model_spec_parse(&options->models[options->n_models], text, why);
    if (!err)
        options->n_models++;
    return err;
}

static int add_feature(Options *options, const char *text, Message *why)
{
    if (options->n_features == MAX_FEATURES)
        return message_set(why, -EINVAL, "at most %d features", MAX_FEATURES);
    int err = feature_spec_parse(&options->features[options->n_features], text, why);
    if (!err)
        options->n_features++;
    return err;
}

/* A preset never adds columns beside those of a feature that was asked for before. */
static int add_preset_feature(Options *options, const char *text, Message *why)
{
    int err = add_feature(options, text, why);
    if (err)
        return err;
    FeatureSpec *added = &options->features[options->n_features - 1];
    for (unsigned i = 0; &options->features[i] < added; i++) {
        if (feature_spec_same_keys(&options->features[i], added)) {
            feature_spec_free(added);
            options->n_features--;
            break;
        }
    }
    return 0;
}

static int replace_feature(Options *options, const char *text, Message *why)
{
    FeatureSpec replacement;
    int err = feature_spec_parse(&replacement, text, why);
    if (err)
        return err;
    for (unsigned i = 0; i < options->n_features; i++) {
        if (!strcmp(options->features[i].name, replacement.name)) {
            feature_spec_free(&options->features[i]);
            options->features[i] = replacement;
            return 0;
        }
    }
    feature_spec_free(&replacement);
    return 0;
}

static int add_preset(Options *options, const Preset *preset, Message *why)
{
    int err = 0;
    for (unsigned i = 0; preset->models[i] && !err; i++)
        err = add_model(options, preset->models[i], why);
    for (unsigned i = 0; preset->features[i] && !err; i++)
        err = add_preset_feature(options, preset->features[i], why);
    if (!err && preset->replacement)
        err = replace_feature(options, preset->replacement, why);
    options->mixed_depths |= preset->mixed_depths;
    return err;
}

static int take_aom_ctc(Options *options, const char *version, Message *why)
{
    const Preset *preset = preset_aom_ctc(version);
    if (preset)
        return add_preset(options, preset, why);
    if (!strcmp(version, "proposed")) {
        return message_set(why, -EINVAL,
                           "--aom_ctc proposed is deprecated; use one of v1.0 to v7.0");
    }
    return message_set(why, -EINVAL, "--aom_ctc \"%s\" does not exist; use one of v1.0 to v7.0",
                       version);
}

static int take_nflx_ctc(Options *options, const char *version, Message *why)
{
    const Preset *preset = preset_nflx_ctc(version);
    if (preset)
        return add_preset(options, preset, why);
    return message_set(why, -EINVAL, "--nflx_ctc \"%s\" does not exist; use v1.0", version);
}

static int add_output(Options *options, const char *path, Message *why)
{
    if (options->n_outputs == MAX_OUTPUTS)
        return message_set(why, -EINVAL, "at most %d reports", MAX_OUTPUTS);
    /* A file of that name is written ./- */
    options->outputs[options->n_outputs++].path = strcmp(path, "-") ? path : "/dev/stdout";
    return 0;
}

/* An option names the format of a single output, and of those whose names do not. */
static void set_formats(Options *options)
{
    for (unsigned i = 0; i < options->n_outputs; i++) {
        Output *output = &options->outputs[i];
        const OutputKind *kind = output_kind_of_name(output->path);
        const bool by_name = kind && !(options->format_given && options->n_outputs == 1);
        output->format = by_name ? kind->format : options->format;
    }
}

static int take_align(Options *options, const OptionMatch *match, Message *why)
{
    static const char *const modes[] = {
        [ALIGN_OFF] = "off",
        [ALIGN_CHECK] = "check",
        [ALIGN_AUTO] = "auto",
        [ALIGN_STRICT] = "strict",
    };
    for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (!strcmp(match->value, modes[i])) {
            options->align = (enum AlignMode)i;
            return 0;
        }
    }
    return invalid_argument(match, "off, check, auto or strict", why);
}

static int take_input(Options *options, const OptionMatch *match, Message *why)
{
    const char *expected;
    if (!input_options_take(&options->input, match->info->name, match->value, &expected))
        return 0;
    return invalid_argument(match, expected, why);
}

static int take_shard(Options *options, const OptionMatch *match, Message *why)
{
    if (shard_option_parse(&options->shard, match->value))
        return 0;
    return invalid_argument(match, "I/N, with I from 0 to N-1, and N up to 1000000", why);
}

static int take_special(Options *options, const OptionMatch *match, Message *why)
{
    switch (match->info->kind) {
    case OPTION_INPUT:
        return take_input(options, match, why);
    case OPTION_DISTORTED:
        return add_distorted(options, match->value, why);
    case OPTION_PIXEL_FORMAT:
        return take_pixel_format(options, match, why);
    case OPTION_BIT_DEPTH:
        return take_bit_depth(options, match, why);
    case OPTION_ALIGN:
        return take_align(options, match, why);
    case OPTION_MODEL:
        return add_model(options, match->value, why);
    case OPTION_FEATURE:
        return add_feature(options, match->value, why);
    case OPTION_AOM_CTC:
        return take_aom_ctc(options, match->value, why);
    case OPTION_NFLX_CTC:
        return take_nflx_ctc(options, match->value, why);
    case OPTION_OUTPUT:
        return add_output(options, match->value, why);
    case OPTION_POOL:
        return take_pool(options, match, why);
    case OPTION_PRECISION:
        return take_precision(options, match->value, why);
    case OPTION_REQUIRE:
        return gates_parse(&options->gates, match->value, why);
    case OPTION_SHARD:
        return take_shard(options, match, why);
    case OPTION_BACKEND:
        return take_backend(options, match->value, why);
    case OPTION_BACKEND_DEVICE:
        return take_backend_device(options, match, why);
    case OPTION_NO_BACKEND:
        return take_no_backend(options, match, why);
    case OPTION_X_DEVICE:
        return take_device(options, match, match->backend, strlen(match->backend), match->value,
                           why);
    case OPTION_CAPABILITIES:
        options->task = TASK_CAPABILITIES;
        options->capabilities = match->value;
        return 0;
    default:
        return 0;
    }
}

static int take_option(Options *options, const OptionMatch *match, Message *why)
{
    const OptionInfo *info = match->info;
    void *target = (char *)options + info->target;
    if (info->given)
        *(bool *)((char *)options + info->given) = true;
    switch (info->kind) {
    case OPTION_FLAG:
        *(bool *)target = true;
        return 0;
    case OPTION_TEXT:
        *(const char **)target = match->value;
        return 0;
    case OPTION_NUMBER:
        return take_number(match, target, why);
    case OPTION_MASK:
        return take_mask(match, target, why);
    case OPTION_CONSTANT:
        memcpy(target, &info->number, sizeof(info->number));
        return 0;
    default:
        return take_special(options, match, why);
    }
}

static unsigned count_standard_inputs(const Options *options)
{
    unsigned n = !strcmp(options->reference, "-");
    for (unsigned i = 0; i < options->n_distorted; i++)
        n += !strcmp(options->all_distorted[i], "-");
    return n;
}

/* A report and the video that it is about: -1 for all. */
typedef struct ReportName {
    char *path;
    int video;
} ReportName;

static int refuse_equal_reports(const Options *options, const ReportName *first,
                                const ReportName *second, Message *why)
{
    if (first->video == second->video || first->video < 0 || second->video < 0)
        return message_set(why, -EINVAL, "two reports have the same name: %s", first->path);
    return message_set(why, -EINVAL, "%s and %s would have the same report: %s",
                       options->all_distorted[first->video], options->all_distorted[second->video],
                       first->path);
}

static int compare_names(const Options *options, const ReportName names[], unsigned n, Message *why)
{
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < i; k++) {
            if (!strcmp(names[k].path, names[i].path))
                return refuse_equal_reports(options, &names[k], &names[i], why);
        }
    }
    return 0;
}

/* The names of an output, one for each video if there is a place for it. False if memory runs out.
 */
static bool add_names(const Options *options, const Output *output, ReportName names[], unsigned *n)
{
    const bool each = options->n_distorted > 1 && report_name_has_place(output->path);
    for (unsigned i = 0; i < (each ? options->n_distorted : 1); i++) {
        ReportName *name = &names[(*n)++];
        name->video = each ? (int)i : -1;
        name->path =
            each ? report_name_make(output->path, options->all_distorted[i]) : strdup(output->path);
        if (!name->path)
            return false;
    }
    return true;
}

static int check_report_names(const Options *options, Message *why)
{
    ReportName *names =
        calloc((size_t)options->n_outputs * options->n_distorted + 1, sizeof(*names));
    bool made = names != NULL;
    unsigned n = 0;
    for (unsigned i = 0; i < options->n_outputs && made; i++)
        made = add_names(options, &options->outputs[i], names, &n);
    int err = made ? compare_names(options, names, n, why) : -ENOMEM;
    if (err == -ENOMEM)
        message_set(why, err, "out of memory");
    for (unsigned i = 0; i < n; i++)
        free(names[i].path);
    free(names);
    return err;
}

/* Where the reports go. */
static int check_reports(const Options *options, Message *why)
{
    for (unsigned i = 0; i < options->n_outputs && options->n_distorted > 1; i++) {
        const Output *output = &options->outputs[i];
        if (report_name_has_place(output->path) || output_kind(output->format)->write_all)
            continue;
        return message_set(why, -EINVAL,
                           "one report on several distorted videos has to be JSON; {} in its name "
                           "makes it one for each");
    }
    return check_report_names(options, why);
}

static int check_inputs(const Options *options, Message *why)
{
    if (options->align == ALIGN_AUTO && options->n_distorted > 1) {
        return message_set(why, -EINVAL,
                           "--align auto is for one distorted video; several share the frames of "
                           "the reference");
    }
    if (!options->reference)
        return message_set(why, -EINVAL, "a reference file is required: -r/--reference");
    if (!options->distorted)
        return message_set(why, -EINVAL, "a distorted file is required: -d/--distorted");
    if (count_standard_inputs(options) > 1)
        return message_set(why, -EINVAL, "only one of the %s files can be standard input",
                           options->n_distorted == 1 ? "two" : "video");
    if (options->raw && !(options->width && options->height && options->bit_depth &&
                          options->pixel_format != VMAF_PIX_FMT_UNKNOWN)) {
        return message_set(why, -EINVAL,
                           "raw input needs all of -w/--width, -h/--height, -p/--pixel_format and "
                           "-b/--bitdepth");
    }
    return 0;
}

static int check_models_and_features(const Options *options, Message *why)
{
    for (unsigned i = 0; i < options->n_models; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (!strcmp(options->models[i].name, options->models[j].name)) {
                return message_set(why, -EINVAL,
                                   "each model should be uniquely named; there are two called "
                                   "\"%s\" (name one with name=...)",
                                   options->models[i].name);
            }
        }
    }
    for (unsigned i = 0; i < options->n_models; i++) {
        int err = model_spec_check(&options->models[i], why);
        if (err)
            return err;
    }
    for (unsigned i = 0; i < options->n_features; i++) {
        int err = feature_spec_check(&options->features[i], why);
        if (err)
            return err;
    }
    return 0;
}

static int check_backend(const Options *options, Message *why)
{
    const BackendWord *word =
        options->backend ? backend_words_find(&options->backends, options->backend) : NULL;
    if (word && word->excluded) {
        return message_set(why, -EINVAL, "--backend %s and --no_%s contradict each other",
                           options->backend, options->backend);
    }
    for (unsigned i = 0; i < options->backends.count; i++) {
        word = &options->backends.words[i];
        if (word->excluded && backend_word_names_device(word)) {
            return message_set(why, -EINVAL, "--no_%s and device %d of it contradict each other",
                               word->name, word->device);
        }
    }
    return 0;
}

/* Rejects options that raw video cannot have, or that exclude each other. */
static int check_frames(const Options *options, Message *why)
{
    const InputOptions *input = &options->input;
    if (input->frames_given && options->frame_count_given)
        return message_set(why, -EINVAL, "--frames and --frame_cnt say the same: give one of them");
    if (input->duration > 0 && (input->frames_given || options->frame_count_given))
        return message_set(why, -EINVAL, "--duration and a number of frames: give one of them");
    if (input->pairs_by_time && (input->start.is_given || options->skip_reference ||
                                 options->skip_distorted || input->duration > 0))
        return message_set(why, -EINVAL,
                           "--sync time pairs whole files: it goes without --start, --duration, "
                           "--frame_skip_ref and --frame_skip_dist");
    if (input->finds_borders &&
        (input->match.crop_reference.width || input->match.crop_distorted.width))
        return message_set(why, -EINVAL,
                           "--autocrop and --crop-ref or --crop-dist: give one of them");
    if (options->raw && (input->is_media || input->finds_borders))
        return message_set(why, -EINVAL,
                           "raw video has no times, and is neither scaled nor cropped");
    return 0;
}

/* Two plain words are the videos, if no option names one. */
static int take_words(Options *options, const OptionScanner *scanner, Message *why)
{
    if (!scanner->n_words)
        return 0;
    if (scanner->n_words != 2 || options->reference || options->distorted)
        return option_stray_word(scanner->words[0], why);
    options->reference = scanner->words[0];
    return add_distorted(options, scanner->words[1], why);
}

/* The size that a model was made for, if that is asked for. */
static void derive_scale(Options *options)
{
    bool is_4k = false;
    for (unsigned i = 0; i < options->n_models; i++) {
        const char *name = options->models[i].version;
        is_4k |= name && strstr(name, "4k");
    }
    if (!options->input.scales_to_model)
        return;
    options->input.match.width = is_4k ? MODEL_4K_WIDTH : MODEL_HD_WIDTH;
    options->input.match.height = is_4k ? MODEL_4K_HEIGHT : MODEL_HD_HEIGHT;
}

int command_line_check_defaults(const Options *options, Message *why)
{
    const int err = check_models_and_features(options, why);
    return err ? err : check_backend(options, why);
}

int command_line_check(Options *options, Message *why)
{
    if (options->task != TASK_SCORE)
        return check_backend(options, why);
    set_formats(options);
    int err = check_inputs(options, why);
    if (!err)
        err = check_frames(options, why);
    if (!err)
        err = check_reports(options, why);
    if (!err)
        err = record_options_check(options, why);
    options->has_default_model = !options->n_models && !options->no_prediction;
    if (!err && options->has_default_model)
        err = add_model(options, "version=vmaf_v0.6.1", why);
    derive_scale(options);
    if (!err)
        err = command_line_check_defaults(options, why);
    if (!err)
        record_options_prepare(options);
    return err;
}

/* Checks the options of a subcommand that finishes stored records. */
static int check_parts(Options *options, enum OptionPlace place, Message *why)
{
    set_formats(options);
    options->n_distorted = 1;
    if (!options->n_parts)
        return message_set(why, -EINVAL, "files of stored records are required");
    int err = check_reports(options, why);
    if (place == IN_MERGE || err)
        return err;
    if (!options->n_models && !options->no_prediction)
        err = add_model(options, "version=vmaf_v0.6.1", why);
    return err ? err : check_models_and_features(options, why);
}

/* Help on what stands behind the option, if something does. */
static int answer_help(const OptionScanner *scanner, const OptionMatch *match,
                       enum OptionPlace place, Message *why)
{
    const char *topic = match->value;
    if (!topic && scanner->next < scanner->argc && scanner->argv[scanner->next][0] != '-')
        topic = scanner->argv[scanner->next];
    if (!topic && (place == IN_MERGE || place == IN_RESCORE))
        topic = "parts";
    if (!topic && place == IN_BATCH)
        topic = "batch";
    if (topic && *topic)
        return help_print_topic(topic, stdout, why);
    help_print(stdout);
    return 0;
}

/* Options that print something and end the program, whatever stands after them. 1; 0: it is none of
 * them; -EINVAL. */
static int answer(const OptionScanner *scanner, const OptionMatch *match, enum OptionPlace place,
                  Message *why)
{
    int err = 0;
    switch (match->info->kind) {
    case OPTION_HELP:
        err = answer_help(scanner, match, place, why);
        break;
    case OPTION_VERSION:
        say("%s", vmaf_version());
        break;
    case OPTION_LIST_MODELS:
        catalogue_print_models(stdout);
        break;
    case OPTION_LIST_FEATURES:
        catalogue_print_features(stdout);
        catalogue_print_plugin_features(stdout);
        break;
    case OPTION_COMPLETION:
        if (completion_print(match->value, stdout))
            err = invalid_argument(match, "bash, zsh or fish", why);
        break;
    default:
        return 0;
    }
    return err ? err : 1;
}

int command_line_take(Options *options, OptionScanner *scanner, enum OptionPlace place,
                      Message *why)
{
    OptionMatch match;
    int found;
    while ((found = option_scan(scanner, &match, why)) > 0) {
        int err = option_check_place(match.info, place, why);
        if (!err)
            err = answer(scanner, &match, place, why);
        if (!err)
            err = take_option(options, &match, why);
        if (err)
            return err;
    }
    return found;
}

/* What became of it: false, unless there is something to run. */
static bool conclude(int found, const Message *why, int *status)
{
    if (!found)
        return true;
    *status = found > 0 ? standard_output_finish() : STATUS_USAGE;
    if (found > 0)
        return false;
    if (found == -ENOMEM)
        *status = STATUS_FAILURE;
    else
        help_print_usage(stderr);
    say("%s", why->text);
    return false;
}

bool command_line_parse(Options *options, int argc, char **argv, int *status)
{
    *options = (Options){.format = VMAF_OUTPUT_FORMAT_XML};
    OptionScanner scanner = {.argc = argc, .argv = argv, .next = 1};
    Message why = {""};
    int found = command_line_take(options, &scanner, IN_RUN, &why);
    if (!found)
        found = take_words(options, &scanner, &why);
    if (!found)
        found = command_line_check(options, &why);
    return conclude(found, &why, status);
}

bool command_line_parse_parts(Options *options, enum OptionPlace place, int argc, char **argv,
                              int *status)
{
    *options = (Options){.format = VMAF_OUTPUT_FORMAT_XML};
    options->parts = calloc((size_t)argc + 1, sizeof(*options->parts));
    OptionScanner scanner = {.argc = argc, .argv = argv, .list = options->parts};
    Message why = {"out of memory"};
    int found = options->parts ? command_line_take(options, &scanner, place, &why) : -ENOMEM;
    options->n_parts = scanner.n_words;
    if (!found)
        found = check_parts(options, place, &why);
    return conclude(found, &why, status);
}

void command_line_free(Options *options)
{
    for (unsigned i = 0; i < options->n_models; i++)
        model_spec_free(&options->models[i]);
    for (unsigned i = 0; i < options->n_features; i++)
        feature_spec_free(&options->features[i]);
    free(options->parts);
}
