/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The videos of a run: opened, matched to each other, noted. */
#include "input.h"

#include "common/messages.h"
#include "media/read_ahead.h"
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- opening -- */

bool input_is_media(const Run *run)
{
    if (run->stored)
        return run->stored->reference.is_media || run->stored->distorted.is_media;
    return run->reference->reader.media || run->distorted.media;
}

/* The number of the device that is to decode, as the backend of that name counts. */
static unsigned device_index(const Options *options)
{
    const char *decoder = options->input.hwaccel;
    const char *name = decoder && !strcmp(decoder, "auto") ? options->backend : decoder;
    const BackendWord *word = name ? backend_words_find(&options->backends, name) : NULL;
    return word && backend_word_names_device(word) ? (unsigned)word->device : 0;
}

static MediaSettings media_settings(const Options *options, const RunHost *host, const char *role)
{
    enum { MOST_THREADS = 16 }; /* more only cost memory */
    const unsigned cores = host->n_processors;
    const InputOptions *input = &options->input;
    return (MediaSettings){
        .stream = input_options_stream(input, !strcmp(role, "distorted")),
        .first_picture = input->first_picture,
        .hwaccel = input->hwaccel,
        .device = device_index(options),
        .ignore_errors = input->ignores_errors,
        .no_film_grain = input->no_film_grain && !strcmp(role, "distorted"),
        .threads = cores < MOST_THREADS ? cores : MOST_THREADS,
    };
}

/* Formats differ in how they say that a file is none of theirs; the first bytes say it better. */
static int start_media(const Options *options, const RunHost *host, VideoReader *reader,
                       const char *role, const char *seems)
{
    const MediaSettings settings = media_settings(options, host, role);
    const int err = video_reader_start_media(reader, &settings);
    if (!err)
        return STATUS_OK;
    const bool is_missing = err == -ENOENT && !reader->media && *seems;
    print_error("problem with %s file: %s: %s", role, reader->input.path,
                is_missing ? seems : reader->error.text);
    return err == -ENODATA ? STATUS_READ : STATUS_FAILURE;
}

int input_start(const Options *options, const RunHost *host, VideoReader *reader, const char *role)
{
    const bool wants_media =
        (options->input.is_media || options->input.finds_borders) && !options->raw;
    if (wants_media)
        return start_media(options, host, reader, role, "");
    const int err = video_reader_start_y4m(reader, options->quiet);
    if (err == -EPROTONOSUPPORT) {
        print_error("problem with %s file: %s: %s", role, reader->input.path, reader->error.text);
        return STATUS_FAILURE;
    }
    if (err != -ENOTSUP) {
        if (!err)
            return STATUS_OK;
        if (*reader->error.text) {
            print_error("%s", reader->error.text);
            print_error("Error parsing YUV4MPEG2 header.");
            print_error("Error opening y4m file.");
            print_error("Unknown file type.");
        }
        print_error("problem with %s file: %s", role, reader->input.path);
        return STATUS_FAILURE;
    }
    const Message seems = reader->error;
    return start_media(options, host, reader, role, seems.text);
}

/* -- borders -- */

static AutocropRange scored_range(const Options *options)
{
    const InputOptions *input = &options->input;
    const StartOption *start = &input->start;
    AutocropRange range = {
        .by_time = start->is_time || input->duration > 0 || input->pairs_by_time,
        .begin = start->is_time ? start->seconds : start->frame,
        .length = input->duration,
    };
    if (!range.by_time) {
        range.begin += options->skip_reference;
        range.length = options->frame_count;
    }
    return range;
}

static int find_borders(VideoReader *reader, Autocrop **of_reference, const Options *options)
{
    Message why;
    const AutocropRange range = scored_range(options);
    const double later = (double)options->skip_distorted - options->skip_reference;
    const bool is_reference = !*of_reference;
    const int err = is_reference ? autocrop_reference(of_reference, reader, &range, &why)
                                 : autocrop_distorted(*of_reference, reader, later, &why);
    if (!err)
        return STATUS_OK;
    print_error("problem with %s file: %s: %s", is_reference ? "reference" : "distorted",
                reader->input.path, why.text);
    return STATUS_FAILURE;
}

int input_find_borders(Run *run)
{
    Reference *reference = run->reference;
    if (!run->options->input.finds_borders)
        return STATUS_OK;
    int status = STATUS_OK;
    if (!reference->autocrop)
        status = find_borders(&reference->reader, &reference->autocrop, run->options);
    return status ? status : find_borders(&run->distorted, &reference->autocrop, run->options);
}

static bool has_auto_model(const Options *options)
{
    for (unsigned i = 0; i < options->n_models; i++) {
        if (options->models[i].is_auto)
            return true;
    }
    return false;
}

/* Scales to the model that fits the reference as it is. */
static int match_to_auto_model(const Options *options, VideoReader *reader, Message *why)
{
    MatchOptions match = options->input.match;
    match.width = match.height = 0;
    const int err = match_reference(reader, &match, why);
    if (err)
        return err;
    match = options->input.match;
    if (auto_model_is_4k(&reader->format)) {
        match.width = MODEL_4K_WIDTH;
        match.height = MODEL_4K_HEIGHT;
    }
    return match_reference(reader, &match, why);
}

int input_match_reference(const Run *run)
{
    Message why;
    VideoReader *reader = &run->reference->reader;
    const Options *options = run->options;
    const bool follows = options->input.scales_to_model && has_auto_model(options);
    const int err = follows ? match_to_auto_model(options, reader, &why)
                            : match_reference(reader, &options->input.match, &why);
    if (!err)
        return STATUS_OK;
    print_error("problem with reference file: %s: %s", reader->input.path, why.text);
    return STATUS_FAILURE;
}

/* A Y4M file that would have to be converted is read as a media file. */
static int become_media(Run *run)
{
    video_reader_unread_header(&run->distorted);
    return start_media(run->options, run->host, &run->distorted, "distorted", "");
}

int input_match_distorted(Run *run)
{
    Message why;
    int status = STATUS_OK;
    if (match_needs_media(&run->distorted, &run->reference->reader))
        status = become_media(run);
    VideoReader *reference = &run->reference->reader;
    reference->conversion.rgb_matrix = match_rgb_matrix(&run->distorted);
    if (status || !match_distorted(&run->distorted, reference, &run->options->input.match, &why))
        return status;
    print_error("problem with distorted file: %s: %s", run->distorted.input.path, why.text);
    return STATUS_FAILURE;
}

/* -- notes -- */

/* Notes who decodes a video, and where its frames go. */
static void note_decoder(const Run *run, const VideoReader *reader, const char *role, Notes *notes)
{
    const char *wanted = run->options->input.hwaccel;
    if (!wanted || !reader->media)
        return;
    const char *decoder = video_reader_properties(reader)->decoder;
    if (!strcmp(decoder, "software"))
        notes_add(notes, "no device decodes the %s video (--hwaccel %s): the processor does", role,
                  wanted);
    else if (reader->stays_on_device)
        notes_add(notes, "the %s video is decoded by %s and scored on that device", role, decoder);
    else
        notes_add(notes, "the %s video is decoded by %s and fetched from the device", role,
                  decoder);
}

static void print_notes(const Run *run, const Notes *notes, unsigned from)
{
    for (unsigned i = from; i < notes->count && !run->options->quiet; i++)
        print_error("%s%s", strncmp(notes->text[i], "warning: ", 9) ? "note: " : "",
                    notes->text[i]);
}

void input_note_reference(Run *run, unsigned planes)
{
    Notes *notes = &run->reference->notes;
    const unsigned before = notes->count;
    match_note_video(&run->reference->reader, "reference", planes, notes);
    note_decoder(run, &run->reference->reader, "reference", notes);
    const VideoReader *reader = &run->reference->reader;
    if (has_auto_model(run->options))
        auto_model_note(&reader->format, notes);
    if (run->options->has_default_model && reader->media && auto_model_is_4k(&reader->format))
        notes_add(notes,
                  "the model was made for %dx%d, and %ux%u samples are scored: --model auto takes "
                  "the one for 4K",
                  MODEL_HD_WIDTH, MODEL_HD_HEIGHT, reader->format.width, reader->format.height);
    print_notes(run, notes, before);
}

void input_note_distorted(Run *run, unsigned planes)
{
    const unsigned before = run->notes.count;
    match_note_video(&run->distorted, "distorted", planes, &run->notes);
    note_decoder(run, &run->distorted, "distorted", &run->notes);
    if (run->options->input.no_film_grain && run->distorted.media)
        notes_add(&run->notes, "the distorted video is decoded without film grain");
    if (*run->why_fetched.text)
        notes_add(&run->notes, "frames cannot be scored where they are decoded: %s",
                  run->why_fetched.text);
    match_note_pair(&run->reference->reader, &run->distorted, planes,
                    run->options->input.pairs_by_time, &run->notes);
    print_notes(run, &run->notes, before);
}

/* -- where to begin -- */

int input_go_to_start(const Run *run, VideoReader *reader)
{
    const StartOption *start = &run->options->input.start;
    if (reader->media && run->options->input.duration > 0)
        reader->duration = run->options->input.duration;
    if (!start->is_given || !reader->media)
        return STATUS_OK;
    const int more = start->is_time ? video_reader_skip_to_time(reader, start->seconds)
                                    : video_reader_skip_to(reader, start->frame);
    if (more >= 0)
        return STATUS_OK;
    print_error("%s: %s", reader->input.path, reader->error.text);
    return STATUS_READ;
}

int input_pair_by_time(Run *run)
{
    if (!run->options->input.pairs_by_time)
        return STATUS_OK;
    Message why;
    VideoReader *reference = &run->reference->reader;
    if (!frame_times_create(&run->distorted.times, reference->module, reference->media, &why))
        return STATUS_OK;
    print_error("problem with reference file: %s: %s", reference->input.path, why.text);
    return STATUS_FAILURE;
}

/* -- the end -- */

static void note_errors(const VideoReader *reader, const char *role, Notes *notes)
{
    const unsigned long long errors =
        reader->media ? reader->module->errors_ignored(reader->media) : 0;
    if (errors)
        notes_add(notes, "warning: %llu errors of the %s video were ignored", errors, role);
}

static void note_pairs(const VideoReader *distorted, Notes *notes)
{
    unsigned long long repeated, unused;
    frame_times_count(distorted->times, &repeated, &unused);
    notes_add(notes,
              "frames are paired by their time: %llu of the distorted video were used again, %llu "
              "not at all",
              repeated, unused);
}

static void note_counts(Run *run, Notes *notes)
{
    const Options *options = run->options;
    if (run->distorted.times)
        return note_pairs(&run->distorted, notes);
    if (options->frame_count || options->skip_reference || options->skip_distorted ||
        options->input.start.is_given || options->input.duration > 0)
        return;
    const unsigned long long reference = video_reader_count(&run->reference->reader);
    const unsigned long long distorted = video_reader_count(&run->distorted);
    if (reference && distorted && reference != distorted)
        notes_add(notes,
                  "warning: the reference has %llu frames, the distorted video %llu: %u pairs "
                  "were scored",
                  reference, distorted, run->frames);
}

void input_note_end(Run *run)
{
    if (!input_is_media(run))
        return;
    const unsigned before = run->notes.count;
    note_errors(&run->reference->reader, "reference", &run->notes);
    note_errors(&run->distorted, "distorted", &run->notes);
    note_counts(run, &run->notes);
    print_notes(run, &run->notes, before);
}

/* -- frames on a device -- */

/* The device of the frames; NULL: the processor decodes, or nothing scores frames there. */
static const MediaDevice *device_of(const VideoReader *reader)
{
    const MediaDevice *device = reader->media ? &video_reader_properties(reader)->device : NULL;
    return device && device->backend ? device : NULL;
}

static bool can_stay(const Run *run, const VideoReader *reader, const char *role, Message *why)
{
    Message obstacle;
    if (device_frames_can_stay(reader, run_depth(run), &obstacle))
        return true;
    message_set(why, 0, "the %s video %s", role, obstacle.text);
    return false;
}

/* Whatever the backend is. */
static bool can_both_stay(const Run *run, Message *why)
{
    const VideoReader *reference = &run->reference->reader;
    if (run->options->n_distorted > 1)
        message_set(why, 0, "there are several distorted videos");
    else if (run->worst)
        message_set(why, 0, "a page shows some of them");
    else
        return can_stay(run, reference, "reference", why) &&
               can_stay(run, &run->distorted, "distorted", why);
    return false;
}

bool device_input_choose_backend(Run *run)
{
    Message unused;
    const MediaDevice *device = device_of(&run->reference->reader);
    if (!device || !can_both_stay(run, &unused) || !run_can_read_again(run) ||
        output_is_wanted(run->options, VMAF_OUTPUT_FORMAT_NDJSON) || /* cannot be taken back */
        !backend_choice_is_free(run->options, device->backend))
        return true;
    if (vmaf_backend_select(run->vmaf, device->backend, (int)device->index))
        return false;
    run->chose_backend = true;
    return true;
}

/* Is it chosen by name? Only then is there a device for pictures. */
static bool is_chosen(const Run *run, const char *backend)
{
    const char *named = run->options->backend;
    return run->chose_backend || (named && !strcmp(named, backend));
}

void device_input_decide(Run *run)
{
    VideoReader *reference = &run->reference->reader, *distorted = &run->distorted;
    const MediaDevice *device = device_of(reference) ? device_of(reference) : device_of(distorted);
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    VmafBackendDeviceUse second = {.struct_size = sizeof(second)};
    Message *why = &run->why_fetched;
    if (!device || !is_chosen(run, device->backend) || vmaf_backend_status(run->vmaf, &status))
        return;
    if (status.device_index != (int)device->index)
        message_set(why, 0, "device %d scores, device %u decodes", status.device_index,
                    device->index);
    else if (!vmaf_backend_device_use(run->vmaf, 1, &second))
        message_set(why, 0, "several devices score");
    else if (!backend_choice_uses_all(device->backend))
        message_set(why, 0, "there are devices that cannot score, so it may be another one");
    else if (can_both_stay(run, why))
        reference->stays_on_device = distorted->stays_on_device = true;
}

static bool is_of_device(int err)
{
    return err == -EIO || err == -ENODEV;
}

int device_input_failed(Run *run, int reference, int distorted)
{
    if (!run->distorted.stays_on_device || (!is_of_device(reference) && !is_of_device(distorted)))
        return STATUS_OK;
    if (run->chose_backend) {
        snprintf(run->distrusted, sizeof(run->distrusted), "%s",
                 device_of(&run->distorted)->backend);
        return STATUS_READ;
    }
    (void)vmaf_read_pictures(run->vmaf, NULL, NULL, 0); /* so that the library notices, too */
    return backend_choice_failed(run->options, run->vmaf);
}

void device_input_give_up(const Run *run, Options *options)
{
    if (!run->distorted.stays_on_device)
        return;
    print_error("vmaf: the processor decodes, not --hwaccel %s", options->input.hwaccel);
    options->input.hwaccel = NULL;
}
