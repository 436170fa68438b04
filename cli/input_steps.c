/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input_steps.h"

#include "auto_model.h"
#include "common/messages.h"
#include "device_input.h"
#include "exit_status.h"
#include "shards/stored_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool input_is_media(const Run *run)
{
    if (run->stored)
        return run->stored->reference.is_media || run->stored->distorted.is_media;
    return run->reference->reader.media || run->distorted.media;
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
        .device = device_input_index(options),
        .ignore_errors = input->ignores_errors,
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
    say("problem with %s file: %s: %s", role, reader->input.path,
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
        say("problem with %s file: %s: %s", role, reader->input.path, reader->error.text);
        return STATUS_FAILURE;
    }
    if (err != -ENOTSUP) {
        if (err)
            say("problem with %s file: %s", role, reader->input.path);
        return err ? STATUS_FAILURE : STATUS_OK;
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
    say("problem with %s file: %s: %s", is_reference ? "reference" : "distorted",
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
    say("problem with reference file: %s: %s", reader->input.path, why.text);
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
    say("problem with distorted file: %s: %s", run->distorted.input.path, why.text);
    return STATUS_FAILURE;
}

/* -- notes -- */

static void say_notes(const Run *run, const Notes *notes, unsigned from)
{
    for (unsigned i = from; i < notes->count && !run->options->quiet; i++)
        say("%s%s", strncmp(notes->text[i], "warning: ", 9) ? "note: " : "", notes->text[i]);
}

void input_note_reference(Run *run, unsigned planes)
{
    Notes *notes = &run->reference->notes;
    const unsigned before = notes->count;
    match_note_video(&run->reference->reader, "reference", planes, notes);
    device_input_note(run, &run->reference->reader, "reference", notes);
    const VideoReader *reader = &run->reference->reader;
    if (has_auto_model(run->options))
        auto_model_note(&reader->format, notes);
    if (run->options->has_default_model && reader->media && auto_model_is_4k(&reader->format))
        notes_add(notes,
                  "the model was made for %dx%d, and %ux%u samples are scored: --model auto takes "
                  "the one for 4K",
                  MODEL_HD_WIDTH, MODEL_HD_HEIGHT, reader->format.width, reader->format.height);
    say_notes(run, notes, before);
}

void input_note_distorted(Run *run, unsigned planes)
{
    const unsigned before = run->notes.count;
    match_note_video(&run->distorted, "distorted", planes, &run->notes);
    device_input_note(run, &run->distorted, "distorted", &run->notes);
    device_input_note_pair(run, &run->notes);
    match_note_pair(&run->reference->reader, &run->distorted, planes,
                    run->options->input.pairs_by_time, &run->notes);
    say_notes(run, &run->notes, before);
}

/* -- where to begin -- */

int input_go_to_start(const Run *run, VideoReader *reader, const char *path)
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
    say("%s: %s", path, reader->error.text);
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
    say("problem with reference file: %s: %s", reference->input.path, why.text);
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
    say_notes(run, &run->notes, before);
}

/* -- the report -- */

static void print_member(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": ", key);
    json_string_print(out, text);
}

static void print_light(FILE *out, const MediaLight *light)
{
    if (light->has_display)
        fprintf(out,
                ", \"mastering_display\": {\"red\": [%.9g, %.9g], \"green\": [%.9g, %.9g], "
                "\"blue\": [%.9g, %.9g], \"white\": [%.9g, %.9g], \"luminance\": [%.9g, %.9g]}",
                light->red[0], light->red[1], light->green[0], light->green[1], light->blue[0],
                light->blue[1], light->white[0], light->white[1], light->min_luminance,
                light->max_luminance);
    if (light->has_content)
        fprintf(out, ", \"content_light\": {\"max\": %u, \"max_frame_average\": %u}",
                light->max_content, light->max_frame_average);
}

/* As --crop-ref and --crop-dist take it. */
static void print_crop(FILE *out, const MediaCrop *crop)
{
    if (crop->width)
        fprintf(out, ", \"crop\": \"%u:%u:%u:%u\"", crop->width, crop->height, crop->x, crop->y);
}

static void print_properties(FILE *out, const MediaProperties *told)
{
    fprintf(out, ", \"width\": %u, \"height\": %u", told->format.width, told->format.height);
    print_member(out, "pixel_format", told->stored_layout);
    fprintf(out, ", \"bit_depth\": %u", told->format.bit_depth);
    print_member(out, "range", told->range);
    print_member(out, "matrix", told->matrix);
    print_member(out, "primaries", told->primaries);
    print_member(out, "transfer", told->transfer);
    print_member(out, "container", told->container);
    print_member(out, "codec", told->codec);
    print_member(out, "profile", told->profile);
    if (told->level >= 0)
        fprintf(out, ", \"level\": %d", told->level);
    if (told->rate_den)
        fprintf(out, ", \"frame_rate\": \"%u/%u\"", told->rate_num, told->rate_den);
    if (told->aspect_den)
        fprintf(out, ", \"sample_aspect_ratio\": \"%u:%u\"", told->aspect_num, told->aspect_den);
    if (told->duration > 0)
        fprintf(out, ", \"duration\": %.6f", told->duration);
    if (told->rotation)
        fprintf(out, ", \"rotation\": %d", told->rotation);
    fprintf(out, ", \"interlaced\": %s", told->is_interlaced ? "true" : "false");
    print_light(out, &told->light);
    print_member(out, "decoder", told->decoder);
}

void input_print_members(FILE *out, const VideoReader *reader)
{
    if (reader->media) {
        print_properties(out, video_reader_properties(reader));
        print_crop(out, &reader->conversion.crop);
    } else {
        fprintf(out, ", \"width\": %u, \"height\": %u, \"bit_depth\": %u", reader->format.width,
                reader->format.height, reader->format.bit_depth);
        print_member(out, "container", reader->raw ? "raw" : "y4m");
    }
}

static void print_name(FILE *out, const char *name)
{
    fputs("{\"file\": ", out);
    json_string_print(out, name);
}

void input_print_json(FILE *out, const VideoReader *reader)
{
    print_name(out, reader->input.path);
    input_print_members(out, reader);
    fputc('}', out);
}

/* `stored` NULL: the video is open. */
static void print_video(FILE *out, const VideoReader *reader, const StoredVideo *stored)
{
    if (!stored) {
        input_print_json(out, reader);
        return;
    }
    print_name(out, stored->name);
    fprintf(out, "%s}", stored->report);
}

static void print_notes(FILE *out, const Notes *notes, bool *is_first)
{
    for (unsigned i = 0; i < notes->count; i++) {
        fputs(*is_first ? "" : ", ", out);
        *is_first = false;
        json_string_print(out, notes->text[i]);
    }
}

char *input_extend_report(const Run *run, char *report)
{
    char *text = NULL, *end = report ? strrchr(report, '}') : NULL;
    size_t size;
    bool is_first = true;
    FILE *out = end ? open_memstream(&text, &size) : NULL;
    if (!out)
        return report;
    while (end > report && (end[-1] == '\n' || end[-1] == ' '))
        end--;
    *end = '\0';
    fprintf(out, "%s,\n  \"input\": {\"reference\": ", report);
    print_video(out, &run->reference->reader, run->stored ? &run->stored->reference : NULL);
    fputs(",\n    \"distorted\": ", out);
    print_video(out, &run->distorted, run->stored ? &run->stored->distorted : NULL);
    fputs(",\n    \"notes\": [", out);
    print_notes(out, &run->reference->notes, &is_first);
    print_notes(out, &run->notes, &is_first);
    fputs("]}\n}\n", out);
    free(report);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}
