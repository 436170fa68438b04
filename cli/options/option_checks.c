/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What options cannot be together, and what they mean together. */
#include "options_internal.h"

#include "common/messages.h"
#include "reports/reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"

/* -- runs that keep records: --shard, --keep-records, --resume -- */

/* Features that only a backend has, or that name the one which computes them: whoever finishes
 * records may have another one. */
static const char *find_pinned(const Options *options)
{
    char stem[64];
    for (unsigned i = 0; i < options->n_features; i++) {
        const char *name = options->features[i].name;
        if (!catalogue_has_extractor(name) && (backend_of_pinned_name(name, stem, sizeof(stem)) ||
                                               backend_of_own_feature(name, stem, sizeof(stem))))
            return name;
    }
    return NULL;
}

/* What neither a part of a run can do nor what goes on behind another one. */
static int check_part(const Options *options, const char *name, Message *why)
{
    const InputOptions *input = &options->input;
    if (!strcmp(options->reference, "-") || !strcmp(options->distorted, "-"))
        return message_set(why, -EINVAL, "%s needs files: standard input cannot be read in parts",
                           name);
    if (input->pairs_by_time)
        return message_set(why, -EINVAL, "%s goes without --sync time, which pairs whole files",
                           name);
    if (input->ignores_errors)
        return message_set(why, -EINVAL,
                           "%s goes without --errors ignore: frames behind damage have no number",
                           name);
    return 0;
}

static int check_shard(const Options *options, Message *why)
{
    if (options->keep_records || options->resume)
        return message_set(why, -EINVAL,
                           "--shard keeps records by itself: it goes without "
                           "--keep-records and --resume");
    if (options->n_outputs != 1)
        return message_set(why, -EINVAL, "--shard writes one file, which -o names");
    const char *path = options->outputs[0].path;
    if (options->format_given || output_kind_of_name(path))
        return message_set(why, -EINVAL,
                           "%s: a shard is no report: call it NAME.vmafs; vmaf merge makes the "
                           "reports",
                           path);
    if (options->statistics || options->score_format[0] || options->gates.count)
        return message_set(why, -EINVAL,
                           "--pool, --precision and --require are for vmaf merge, not for --shard");
    if (options->align == ALIGN_AUTO)
        return message_set(why, -EINVAL,
                           "--align auto would look at each shard anew: give the offset with "
                           "--frame_skip_ref or --frame_skip_dist");
    return check_part(options, "--shard", why);
}

static int check_resume(const Options *options, Message *why)
{
    if (options->keep_records)
        return message_set(why, -EINVAL, "--resume keeps records: it goes without --keep-records");
    if (options->input.duration > 0)
        return message_set(why, -EINVAL, "--resume goes without --duration: give --frames");
    return check_part(options, "--resume", why);
}

static int check_records(const Options *options, Message *why)
{
    if (!options->shard.is_given && !options->keep_records && !options->resume)
        return options->sha256 ? message_set(why, -EINVAL,
                                             "--sha256 goes into files of records: it goes with "
                                             "--shard, --keep-records or --resume")
                               : 0;
    const char *pinned = find_pinned(options);
    if (pinned)
        return message_set(why, -EINVAL,
                           "records of \"%s\" are of no use without its backend: name the feature "
                           "alone, and the backend with --backend",
                           pinned);
    if (options->n_distorted > 1)
        return message_set(why, -EINVAL, "records are kept of one distorted video");
    if (options->shard.is_given)
        return check_shard(options, why);
    return options->resume ? check_resume(options, why) : 0;
}

/* What features write to files, records do not have. */
static void print_files(const char *extractor, const char *option)
{
    if (catalogue_option_names_files(extractor, option))
        print_error(
            "warning: %s of %s has no effect: a shard writes its records alone, and they hold "
            "nothing of it",
            option, extractor);
}

static void print_all_files(const Options *options)
{
    for (unsigned i = 0; i < options->n_features; i++) {
        for (unsigned j = 0; j < options->features[i].n_options; j++)
            print_files(options->features[i].name, options->features[i].options[j].name);
    }
    for (unsigned i = 0; i < options->n_models; i++) {
        for (unsigned j = 0; j < options->models[i].n_overloads; j++)
            print_files(options->models[i].overloads[j].extractor,
                        options->models[i].overloads[j].option);
    }
}

/* Keeps the content of a model's file, if it is one that can be read twice. Without it the model is
 * loaded from its path, and what is wrong is said then. */
static void read_model_file(ModelSpec *spec)
{
    enum { LARGEST_FILE = 16 << 20 }; /* that the library reads */
    if (spec->path)
        (void)vmaf_file_load(spec->path, LARGEST_FILE, &spec->content, &spec->content_size);
}

/* Keeps what is in model files: they may be other ones when records are finished. */
static void prepare_records(Options *options)
{
    const bool keeps = options->shard.is_given || options->keep_records || options->resume;
    if (options->shard.is_given && !options->quiet)
        print_all_files(options);
    for (unsigned i = 0; i < options->n_models && keeps; i++)
        read_model_file(&options->models[i]);
}

/* -- reports -- */

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

/* A report and the video that it is about: -1 for all. */
typedef struct ReportName {
    char *path;
    int video;
} ReportName;

static int reject_equal_reports(const Options *options, const ReportName *first,
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
                return reject_equal_reports(options, &names[k], &names[i], why);
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
        if (report_name_has_place(output->path) || output_kind(output->format)->takes_several)
            continue;
        return message_set(why, -EINVAL,
                           "one report on several distorted videos has to be JSON; {} in its name "
                           "makes it one for each");
    }
    return check_report_names(options, why);
}

/* -- videos and frames -- */

static unsigned count_standard_inputs(const Options *options)
{
    unsigned n = !strcmp(options->reference, "-");
    for (unsigned i = 0; i < options->n_distorted; i++)
        n += !strcmp(options->all_distorted[i], "-");
    return n;
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

/* -- models, features and backends -- */

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

/* -- the whole -- */

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
        err = check_records(options, why);
    options->has_default_model = !options->n_models && !options->no_prediction;
    if (!err && options->has_default_model)
        err = option_add_model(options, "version=vmaf_v0.6.1", why);
    derive_scale(options);
    if (!err)
        err = command_line_check_defaults(options, why);
    if (!err)
        prepare_records(options);
    return err;
}

/* Checks the options of a subcommand that finishes stored records. */
int command_line_check_parts(Options *options, enum OptionPlace place, Message *why)
{
    set_formats(options);
    options->n_distorted = 1;
    if (!options->n_parts)
        return message_set(why, -EINVAL, "files of stored records are required");
    int err = check_reports(options, why);
    if (place == IN_MERGE || err)
        return err;
    if (!options->n_models && !options->no_prediction)
        err = option_add_model(options, "version=vmaf_v0.6.1", why);
    return err ? err : check_models_and_features(options, why);
}
