/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The steps of a run up to the last frame, for one distorted video, and what it acquires. */
#include "run.h"

#include "common/messages.h"
#include "shards/shards.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/machine.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/time.h"

enum {
    READ_AHEAD = 2,   /* frames per file that wait for a scoring thread */
    FRAMES_HELD = 16, /* per file, what features may keep as earlier frames, and some reserve */
};

RunHost run_host_alone(void)
{
    return (RunHost){
        .terminal = vmaf_is_terminal(stderr),
        .shows_summary = true,
        .n_processors = vmaf_processors_usable(),
    };
}

int run_open(VideoReader *reader, bool *open, const char *path)
{
    const int err = video_reader_open(reader, path);
    *open = true;
    if (!err)
        return STATUS_OK;
    print_error("could not open file: %s (%s)", path, strerror(-err));
    return STATUS_FAILURE;
}

static int start_raw(const Options *options, VideoReader *reader)
{
    const VideoFormat format = {
        .pixel_format = options->pixel_format,
        .width = options->width,
        .height = options->height,
        .bit_depth = options->bit_depth,
    };
    return video_reader_start_raw(reader, &format);
}

/*
 * Bytes after the last whole frame usually mean that size or format are not those of the file. This
 * is reported at the start; if the run ends before these bytes, it is only a warning.
 */
static int check_raw_size(const Options *options, const VideoReader *reader, unsigned skip)
{
    const unsigned long long rest = video_reader_bytes_after_frames(reader);
    if (!rest)
        return STATUS_OK;
    const unsigned long long frames = video_reader_frames_left(reader);
    const bool is_reached = !options->frame_count || frames < 0ULL + skip + options->frame_count;
    if (is_reached || !options->quiet) {
        print_error(
            "%s%s: its size is no whole number of frames: %llu of %zu bytes each, and %llu bytes "
            "(%ux%u, %s, %u bits: is that what is in it?)",
            is_reached ? "" : "warning: ", reader->input.path, frames, reader->layout.frame_bytes,
            rest, reader->format.width, reader->format.height,
            video_format_name(reader->format.pixel_format), reader->format.bit_depth);
    }
    return is_reached ? STATUS_READ : STATUS_OK;
}

int run_check_raw(const Options *options, const VideoReader *reader, unsigned skip)
{
    if (!options->quiet && video_reader_begins_like_y4m(reader)) {
        print_error("warning: %s begins like a Y4M file, but -w, -h, -p and -b make it raw video",
                    reader->input.path);
    }
    return check_raw_size(options, reader, skip);
}

int run_start_input(const Run *run, VideoReader *reader, const char *role)
{
    if (!run->options->raw)
        return input_start(run->options, run->host, reader, role);
    const int err = start_raw(run->options, reader);
    if (err)
        print_error("problem with %s file: %s", role, reader->input.path);
    return err ? STATUS_FAILURE : STATUS_OK;
}

int run_compare_formats(Run *run)
{
    int status = input_find_borders(run);
    if (!status)
        status = input_match_reference(run);
    if (!status)
        status = input_match_distorted(run);
    if (status)
        return status;
    const unsigned problems =
        video_format_compare(&run->reference->reader.format, &run->distorted.format,
                             run->options->mixed_depths || input_is_media(run));
    if (problems) {
        print_error("videos are incompatible, %u problem%s.", problems, problems == 1 ? "" : "s");
        return STATUS_FAILURE;
    }
    return STATUS_OK;
}

int run_open_pair(Run *run)
{
    const Options *options = run->options;
    VideoReader *reference = &run->reference->reader;
    int status = run_open(reference, &run->reference->open, options->reference);
    if (!status)
        status = run_open(&run->distorted, &run->distorted_open, options->distorted);
    if (!status)
        status = run_start_input(run, reference, "reference");
    if (!status)
        status = run_start_input(run, &run->distorted, "distorted");
    if (!status && options->raw)
        status = run_check_raw(options, reference, options->skip_reference);
    if (!status && options->raw)
        status = run_check_raw(options, &run->distorted, options->skip_distorted);
    return status ? status : run_compare_formats(run);
}

/* -- the context -- */

static int open_context(Run *run)
{
    const Options *options = run->options;
    const unsigned threads = options->threads_given ? options->threads : run->host->n_processors;
    run->n_threads = threads > 1 ? threads : 0;
    const VmafConfiguration config = {
        .log_level = options->quiet ? VMAF_LOG_LEVEL_ERROR : VMAF_LOG_LEVEL_INFO,
        .n_threads = run->n_threads,
        .n_subsample = options->subsample,
        .cpumask = options->cpumask,
        .gpumask = run->stored ? UINT64_MAX : options->gpumask, /* there are no pixels */
    };
    const int err = vmaf_init(&run->vmaf, config);
    if (err) {
        print_error("problem initialising with %u threads: %s", threads, strerror(-err));
        return STATUS_FAILURE;
    }
    vmaf_report_statistics(run->vmaf, options->statistics);
    if (run->stored)
        return STATUS_OK;
    vmaf_keep_last_pair(run->vmaf); /* there are FRAMES_HELD for that */
    if (html_report_watch(run)) {
        print_error("out of memory");
        return STATUS_FAILURE;
    }
    return STATUS_OK;
}

static int create_context(Run *run)
{
    int status = open_context(run);
    if (run->stored)
        return status;
    if (!status && !device_input_choose_backend(run)) {
        vmaf_close(run->vmaf);
        run->vmaf = NULL;
        status = open_context(run);
    }
    return status || run->chose_backend
               ? status
               : backend_choice_apply(run->options, run->vmaf, run->host->devices);
}

static int load_models(Run *run)
{
    const char *version = auto_model_version(&run->reference->reader.format);
    for (unsigned i = 0; i < run->options->n_models; i++) {
        if (loaded_model_load(&run->models[i], &run->options->models[i], version, run->host->models,
                              run->vmaf))
            return STATUS_FAILURE;
        run->n_models++;
    }
    return STATUS_OK;
}

static int reject_feature(const Run *run, const FeatureSpec *spec, int err)
{
    char stem[64];
    const char *backend = backend_of_pinned_name(spec->name, stem, sizeof(stem));
    if (!backend)
        backend = backend_of_own_feature(spec->name, stem, sizeof(stem));
    if (backend && err == -ENODEV)
        return backend_choice_reject_pinned(run->options, spec->name, backend);
    print_error("problem loading feature extractor: %s%s", spec->name, if_out_of_memory(err));
    if (err != -ENOMEM && !catalogue_has_extractor(spec->name)) {
        const char *nearest = catalogue_suggest_extractor(spec->name);
        if (nearest)
            print_error("did you mean \"%s\"?", nearest);
    }
    return STATUS_FAILURE;
}

static int load_features(Run *run)
{
    for (unsigned i = 0; i < run->options->n_features; i++) {
        const FeatureSpec *spec = &run->options->features[i];
        VmafFeatureDictionary *dictionary;
        int err = feature_spec_dictionary(spec, &dictionary);
        if (!err)
            err = vmaf_use_feature(run->vmaf, spec->name, dictionary);
        if (err) {
            if (dictionary)
                vmaf_feature_dictionary_free(&dictionary);
            return reject_feature(run, spec, err);
        }
    }
    return STATUS_OK;
}

/* Better to say this now than after an hour of scoring. */
static int check_output(const Run *run)
{
    for (unsigned i = 0; i < run->options->n_outputs; i++) {
        const char *path = run->options->outputs[i].path;
        const int err = vmaf_path_check_output(path);
        if (!err)
            continue;
        print_error("could not open file: %s (%s)", path, strerror(-err));
        return STATUS_FAILURE;
    }
    return STATUS_OK;
}

int run_prepare(Run *run)
{
    int status = create_context(run);
    if (!status)
        status = load_models(run);
    if (!status)
        status = load_features(run);
    if (!status)
        status = records_prepare(run);
    if (!status)
        status = run_check_gates(run);
    return status ? status : check_output(run);
}

/* -- reading -- */

unsigned run_depth(const Run *run)
{
    return match_depth(&run->reference->reader, &run->distorted);
}

static unsigned planes_needed(const Run *run)
{
    enum { LUMA = 1, ALL = 7 };
    unsigned planes;
    if (run->worst || /* which are shown in colour */
        vmaf_planes_needed(run->vmaf, run->reference->reader.format.pixel_format, &planes))
        return ALL;
    return run->line_up.mode == ALIGN_OFF ? planes : planes | LUMA;
}

static int start_reading(const Run *run, VideoReader *reader, unsigned skip, ReadAhead **ahead)
{
    unsigned limit = run->options->frame_count;
    const int status = records_begin_elsewhere(run)
                           ? records_go_to_start(run, reader, &skip, &limit)
                           : input_go_to_start(run, reader);
    if (status)
        return status;
    if (!reader->media && !records_begin_elsewhere(run))
        skip += run->options->input.start.frame;
    const ReadAheadConfig config = {
        .depth = READ_AHEAD,
        .max_buffers =
            READ_AHEAD + 2 * run->n_threads + FRAMES_HELD + worst_frames_capacity(run->worst),
        .n_scorers = run->n_threads,
        .n_processors = run->host->n_processors,
        .skip = skip,
        .limit = limit,
        .wanted_planes = planes_needed(run),
        .output_depth = run_depth(run),
        .vmaf = run->vmaf,
        .takes_signatures = run->line_up.mode != ALIGN_OFF,
        .never_maps = run->host->driver_hangs != NULL,
    };
    if (!config.never_maps)
        vmaf_file_window_guard("Error reading YUV frame data.\nproblem reading pictures\n",
                               STATUS_READ);
    const int err = read_ahead_start(ahead, reader, &config);
    if (!err)
        return STATUS_OK;
    print_error("problem starting to read: %s",
                reader->media ? reader->error.text : strerror(-err));
    return STATUS_FAILURE;
}

int run_start_line_up(Run *run)
{
    const Options *options = run->options;
    VideoReader *reference = &run->reference->reader;
    const enum AlignMode mode =
        line_up_mode(options, input_is_media(run), run->host->terminal && !options->shard.is_given);
    const bool can_apply = mode != ALIGN_AUTO && options->n_distorted == 1 &&
                           reference->input.source.is_file && run->distorted.input.source.is_file;
    int status = line_up_start(&run->line_up, mode, can_apply);
    if (!status && mode == ALIGN_AUTO)
        status = look_ahead(run);
    return status;
}

int run_report_line_up(Run *run)
{
    const Options *options = run->options;
    const char *name = options->n_distorted > 1 ? options->distorted : "the distorted video";
    const int status = line_up_report(&run->line_up, name, options->quiet, &run->notes);
    run->out_of_line = status != STATUS_OK;
    return status;
}

int run_end_line_up(Run *run)
{
    if (records_is_shard(run))
        return STATUS_OK;
    return line_up_end(&run->line_up) ? run_report_line_up(run) : STATUS_OK;
}

int run_read_reference(Run *run)
{
    const unsigned skip = run->options->skip_reference + run->line_up_skip.reference;
    frame_clock_start(&run->reference->clock, input_frame_rate(&run->reference->reader.format),
                      skip + run->options->input.start.frame);
    input_note_reference(run, planes_needed(run));
    return start_reading(run, &run->reference->reader, skip, &run->reference->ahead);
}

int run_read_distorted(Run *run)
{
    run->started = vmaf_steady_ns();
    input_note_distorted(run, planes_needed(run));
    const int status = input_pair_by_time(run);
    if (status)
        return status;
    return start_reading(run, &run->distorted,
                         run->options->skip_distorted + run->line_up_skip.distorted,
                         &run->distorted_ahead);
}

/* Frames of a video from where scoring begins on, for as long as it goes on; 0: not known. */
static unsigned long long frames_behind(const Run *run, const VideoReader *reader,
                                        unsigned long long skip)
{
    const InputOptions *input = &run->options->input;
    const double rate = input_frame_rate(&reader->format);
    unsigned long long frames = video_reader_frames_left(reader);
    if (input->start.is_given)
        skip += input->start.is_time ? (unsigned long long)(input->start.seconds * rate)
                                     : input->start.frame;
    frames -= skip < frames ? skip : frames;
    const unsigned long long most = (unsigned long long)(input->duration * rate + 0.5);
    return most && (!frames || most < frames) ? most : frames;
}

unsigned long long run_expected_frames(const Run *run)
{
    const Options *options = run->options;
    const unsigned skip_reference = options->skip_reference + run->line_up_skip.reference;
    const unsigned skip_distorted = options->skip_distorted + run->line_up_skip.distorted;
    const unsigned long long reference =
        frames_behind(run, &run->reference->reader, skip_reference);
    const unsigned long long distorted = frames_behind(run, &run->distorted, skip_distorted);
    unsigned long long frames = reference;
    if (records_is_shard(run))
        return records_end(run) - run->frames;
    if (!reference || (distorted && distorted < reference))
        frames = distorted;
    if (options->frame_count && (!frames || options->frame_count < frames))
        frames = options->frame_count;
    return frames - (run->progress_from < frames ? run->progress_from : frames);
}

void run_count_shares(Run *run, ProgressShares *shares)
{
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    if (!run->vmaf || vmaf_backend_status(run->vmaf, &status))
        return;
    shares->by_cpu += status.frames - status.frames_by_backend;
    shares->by_backend += status.frames_by_backend;
    if (backend_choice_count_devices(run->vmaf, run->devices_label))
        shares->backend = run->devices_label;
}

void run_signatures(const Run *run, const Taken *reference, const Taken *distorted,
                    Signature signatures[2])
{
    const Signature *first = read_ahead_signature(run->reference->ahead);
    const Signature *second = read_ahead_signature(run->distorted_ahead);
    if (first && second) {
        signatures[0] = *first;
        signatures[1] = *second;
    } else {
        signature_take(&reference->picture, &signatures[0]);
        signature_take(&distorted->picture, &signatures[1]);
    }
}

bool run_look_at_pair(Run *run, const Taken *reference, const Taken *distorted)
{
    Signature signatures[2];
    if (records_is_shard(run) || /* whoever puts the shards together looks */
        run->line_up.mode == ALIGN_OFF)
        return false;
    run_signatures(run, reference, distorted, signatures);
    return line_up_add(&run->line_up, &signatures[0], &signatures[1]);
}

void run_release_frame(Taken *taken)
{
    if (taken->status > 0)
        vmaf_picture_unref(&taken->picture);
}

static void print_unreadable(const Taken *taken, const char *path, unsigned long long frame)
{
    if (taken->status >= 0)
        return;
    print_error("%s", taken->why.text);
    print_error("%s: frame %llu cannot be read", path, frame);
}

int run_finish_reading(Run *run, const Taken *reference, const Taken *distorted)
{
    const Options *options = run->options;
    const int status = device_input_failed(run, reference->status, distorted->status);
    if (status)
        return status;
    print_unreadable(reference, options->reference,
                     0ULL + options->skip_reference + run->line_up_skip.reference + run->frames);
    print_unreadable(distorted, options->distorted,
                     0ULL + options->skip_distorted + run->line_up_skip.distorted + run->frames);
    if (!reference->status && !distorted->status)
        return STATUS_OK;
    if (reference->status >= 0 && distorted->status >= 0) {
        bool reference_ended = !reference->status;
        run->ended_first = reference_ended ? "reference" : "distorted";
        print_error("\"%s\" ended before \"%s\".",
                    reference_ended ? options->reference : options->distorted,
                    reference_ended ? options->distorted : options->reference);
        return STATUS_OK;
    }
    print_error("problem reading pictures");
    return STATUS_READ;
}

void run_replace_lost_frames(Run *run)
{
    VmafBackendEvent event = {.struct_size = sizeof(event)};
    while (!vmaf_backend_event(run->vmaf, run->events, &event)) {
        run->events++;
        read_ahead_allow_more(run->reference->ahead, event.pictures_kept);
        read_ahead_allow_more(run->distorted_ahead, event.pictures_kept);
    }
}

bool run_is_stopped(const Run *run)
{
    return run->host->stop && atomic_load(run->host->stop);
}

/* -- the end -- */

void run_end_live(Run *run)
{
    live_report_close(run->live, run->said.text);
    run->live = NULL;
}

void run_stop(Run *run)
{
    records_judge(run);
    run_end_live(run);
    worst_frames_destroy(run->worst);
    run->worst = NULL;
    read_ahead_stop(run->distorted_ahead);
    line_up_free(&run->line_up);
    for (unsigned i = 0; i < run->n_models; i++)
        loaded_model_free(&run->models[i]);
}

void run_close(Run *run)
{
    if (run->vmaf)
        open_devices_keep(run->host->devices, run->vmaf);
    /* Closing waits for frames in work, so after it no picture refers to the pools. */
    if (run->vmaf)
        vmaf_close(run->vmaf);
    records_close(run);
    read_ahead_destroy(run->distorted_ahead);
    if (run->distorted_open)
        video_reader_close(&run->distorted);
    notes_free(&run->notes);
}

void run_abandon(Run *run)
{
    open_devices_keep(run->host->devices, run->vmaf);
    read_ahead_stop(run->reference->ahead);
    read_ahead_stop(run->distorted_ahead);
    line_up_free(&run->line_up);
}

void run_close_reference(Reference *reference)
{
    read_ahead_destroy(reference->ahead);
    if (reference->open)
        video_reader_close(&reference->reader);
    autocrop_destroy(reference->autocrop);
    notes_free(&reference->notes);
    frame_clock_free(&reference->clock);
}

bool run_can_read_again(const Run *run)
{
    return run->reference->reader.input.source.is_file && run->distorted.input.source.is_file;
}
