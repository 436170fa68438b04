/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encode/arguments.h"
#include "tune/encode/encode_request.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which frames ---- */

typedef enum Access {
    WHOLE,   /* all frames */
    ONE,     /* one window, found by its place */
    SEVERAL, /* windows found by their places, each an input of its own */
    COUNTED, /* windows found by counting frames from the start */
} Access;

static Access access_of(const EncodeRequest *request)
{
    const TuneSource *source = request->source;
    if (request->n_windows == 0)
        return WHOLE;
    if (source->filters.reach == MEDIA_REACH_ALL || (source->is_irregular && !source->is_raw))
        return COUNTED;
    return request->n_windows == 1 ? ONE : SEVERAL;
}

/* One window of a container with its other streams, for which it is a second input. */
static bool is_part(const EncodeRequest *request)
{
    return request->spec.streams == ENCODE_WITH_ALL_STREAMS && request->n_windows &&
           !request->source->is_raw;
}

/*
 * Seconds by which the first frame comes after the other streams begin, where frames are put at the
 * rate from 0 on. Then the source is a second input for the others, which begin earlier by that,
 * and the output is moved back by it. 0: the source is one input.
 */
static double shift_of(const EncodeRequest *request)
{
    const TuneSource *source = request->source;
    const bool is_shifted = request->spec.streams == ENCODE_WITH_ALL_STREAMS &&
                            !request->n_windows && !source->is_raw && !source->is_variable &&
                            source->first_frame_time >= 1e-6;
    return is_shifted ? source->first_frame_time : 0;
}

size_t encode_frames(const EncodeRequest *request)
{
    size_t frames = 0;
    for (size_t i = 0; i < request->n_windows; i++)
        frames += request->windows[i].frames;
    return frames;
}

/* -- what is read of the source for frames that its filters make -- */

static bool has_memory(const TuneSource *source)
{
    return source->filters.encode && source->filters.reach != MEDIA_REACH_FRAME;
}

/* The frame of the source that is read first for that one, with neighbours. *dropped: frames that
 * the filters make before it. */
static size_t first_read(const TuneSource *source, size_t frame, size_t *dropped)
{
    enum { LEAD = 8 };
    *dropped = 0;
    if (!has_memory(source))
        return frame;
    const size_t stored = frame / source->filters.per_frame;
    const size_t first = stored > LEAD ? stored - LEAD : 0;
    *dropped = frame - first * source->filters.per_frame;
    return first;
}

/*
 * A quarter of a frame early: behind the frame before, even where times are rounded. Half a frame
 * would be wrong where a tick is a whole frame: ffmpeg rounds the time to ticks, up or down. Whole
 * milliseconds where times are kept, so that they are rounded as if nothing had been sought.
 */
static double seek_seconds(const TuneSource *source, size_t frame)
{
    const FrameRate rate = source->stored_rate;
    const double seconds =
        source->first_frame_time + ((double)frame - 0.25) * rate.denominator / rate.numerator;
    return source->is_variable ? floor(seconds * 1000) / 1000 : seconds;
}

static void add_input_options(const TuneSource *source, ArgumentList *list)
{
    for (size_t i = 0; i < source->n_input_options; i++)
        arguments_add_setting(list, source->input_options[i]);
}

void encode_add_source(const TuneSource *source, ArgumentList *list)
{
    const FrameRate rate = source->stored_rate;
    if (source->is_sequence)
        arguments_option(list, "-framerate", "%d/%d", rate.numerator, rate.denominator);
    if (source->is_sequence && source->first_picture > 0)
        arguments_option(list, "-start_number", "%u", source->first_picture);
    add_input_options(source, list);
    if (source->ignores_errors)
        arguments_option(list, "-threads", "1");
    arguments_add(list, "-i");
    arguments_add_path(list, source->encoded_path);
}

static void add_input(const TuneSource *source, size_t frame, ArgumentList *list)
{
    const FrameRate rate = source->stored_rate;
    size_t dropped;
    const size_t first = first_read(source, frame, &dropped);
    if (source->is_raw) {
        arguments_option(list, "-f", "rawvideo");
        arguments_option(list, "-pix_fmt", "%s", source->pixel_format);
        arguments_option(list, "-s", "%ux%u", source->stored.width, source->stored.height);
        arguments_option(list, "-r", "%d/%d", rate.numerator, rate.denominator);
        if (first > 0)
            arguments_option(list, "-skip_initial_bytes", "%" PRId64,
                             (int64_t)first * source->raw_bytes);
    } else if (first > 0) {
        arguments_option(list, "-ss", "%.6f", seek_seconds(source, first));
    }
    encode_add_source(source, list);
}

/* From the name of the program to the last input. */
static void add_inputs(const EncodeRequest *request, ArgumentList *list)
{
    static const char *const start[] = {"-y",        "-nostdin",   "-hide_banner",
                                        "-loglevel", "level+info", "-nostats",
                                        "-progress", "pipe:1",     NULL};
    const TuneSource *source = request->source;
    const Access access = access_of(request);
    const size_t n = access == ONE || access == SEVERAL ? request->n_windows : 1;
    arguments_add(list, request->spec.ffmpeg ? request->spec.ffmpeg : request->settings.ffmpeg);
    if (!request->is_plain)
        arguments_add_all(list, start);
    if (source->ignores_errors)
        arguments_option(list, "-max_error_rate", "1");
    for (size_t i = 0; i < n; i++)
        add_input(source, access == ONE || access == SEVERAL ? request->windows[i].first : 0, list);
    if (shift_of(request) > 0) {
        arguments_option(list, "-itsoffset", "%.6f", -shift_of(request));
        add_input(source, 0, list);
    }
    if (is_part(request)) {
        arguments_option(list, "-ss", "%.6f", source->part_begin);
        encode_add_source(source, list);
    }
}

/* ---- Filters ---- */

/* The user's filters. What they remember is to be the same as of the reference, which begins at
 * time 0 as well. Since FFmpeg 7.1, frames behind setpts have no rate, which decimate needs: fps
 * passes all that are counted at it. */
static void add_user_filters(const TuneSource *source, ArgumentList *chain)
{
    const FrameRate rate = source->stored_rate;
    if (!source->filters.encode)
        return;
    if (has_memory(source) && source->stored_varies)
        arguments_add(chain, "setpts=PTS-STARTPTS");
    else if (has_memory(source))
        arguments_print(chain, "settb=%d/%d,setpts=N,fps=%d/%d", rate.denominator, rate.numerator,
                        rate.numerator, rate.denominator);
    arguments_add(chain, source->filters.encode);
}

/* One window of what was sought, where filters need frames before it. */
static void add_trimming(const TuneSource *source, const SampleWindow *window, ArgumentList *chain)
{
    size_t dropped;
    (void)first_read(source, window->first, &dropped);
    if (dropped)
        arguments_print(chain, "trim=start_frame=%zu:end_frame=%zu", dropped,
                        dropped + window->frames);
    else
        arguments_print(chain, "trim=end_frame=%zu", window->frames);
}

/* [0:0]trim=end_frame=24[w0];[1:0]trim=end_frame=24[w1];[w0][w1]concat=n=2:v=1:a=0 */
static void add_concatenation(const EncodeRequest *request, ArgumentList *chain)
{
    ArgumentList parts = {0};
    for (size_t i = 0; i < request->n_windows; i++) {
        ArgumentList filters = {0};
        char input[48], output[32];
        snprintf(input, sizeof input, "[%zu:%u]", i, request->source->index);
        snprintf(output, sizeof output, "[w%zu];", i);
        add_user_filters(request->source, &filters);
        add_trimming(request->source, &request->windows[i], &filters);
        if (request->source->is_variable)
            arguments_add(&filters, "setpts=PTS-STARTPTS");
        arguments_take_list(&parts, input, &filters, ",", output);
    }
    for (size_t i = 0; i < request->n_windows; i++)
        arguments_print(&parts, "[w%zu]", i);
    arguments_print(&parts, "concat=n=%zu:v=1:a=0", request->n_windows);
    arguments_take_list(chain, "", &parts, "", "");
}

/* The windows alone, by number of frame. */
static void add_selection(const EncodeRequest *request, ArgumentList *chain)
{
    ArgumentList terms = {0};
    for (size_t i = 0; i < request->n_windows; i++) {
        const SampleWindow *window = &request->windows[i];
        arguments_print(&terms, "between(n,%zu,%zu)", window->first,
                        window->first + window->frames - 1);
    }
    arguments_take_list(chain, "select='", &terms, "+", "'");
}

/* Matroska, which holds encodes of windows, counts milliseconds. */
static const char window_clock[] = "1/1000";

/* Times that are kept: windows follow each other at a frame's distance, and begin at 0. */
static void add_own_times(const EncodeRequest *request, Access access, ArgumentList *chain)
{
    const TuneSource *source = request->source;
    const long long distance_ms =
        llround(fmax(1, 1e3 * source->rate.denominator / source->rate.numerator));
    char behind[64];
    ArgumentList starts = {0};
    size_t frames = 0;
    if (access == WHOLE)
        return;
    arguments_print(chain, "settb=%s", window_clock);
    if (access == SEVERAL) /* which are joined so */
        return;
    if (request->n_windows == 1) {
        arguments_add(chain, "setpts=PTS-STARTPTS");
        return;
    }
    for (size_t i = 0; i + 1 < request->n_windows; i++) {
        frames += request->windows[i].frames;
        arguments_print(&starts, "eq(N,%zu)", frames);
    }
    snprintf(behind, sizeof behind, ",%lld,PTS-PREV_INPTS),0)'", distance_ms);
    arguments_take_list(chain, "setpts='if(N,PREV_OUTPTS+if(", &starts, "+", behind);
}

/*
 * Frames are counted at the exact rate, so that none is dropped or repeated, where their times are
 * those of the rate, but for rounding, or the user says so. Frames without a header have such times
 * already.
 */
static void add_times(const EncodeRequest *request, Access access, ArgumentList *chain)
{
    const TuneSource *source = request->source;
    if (source->is_variable)
        add_own_times(request, access, chain);
    else if (!source->is_raw || access == SEVERAL || access == COUNTED || has_memory(source))
        arguments_print(chain, "settb=%d/%d,setpts=N", source->rate.denominator,
                        source->rate.numerator);
}

static void add_clock(const TuneSource *source, Access access, ArgumentList *list)
{
    if (source->is_raw && !has_memory(source))
        return;
    if (!source->is_variable) {
        arguments_option(list, "-r", "%d/%d", source->rate.numerator, source->rate.denominator);
        return;
    }
    arguments_option(list, "-fps_mode", "passthrough");
    if (access == WHOLE)
        arguments_option(list, "-enc_time_base", "%d/%d", source->times.num, source->times.den);
    else
        arguments_option(list, "-enc_time_base", "%s", window_clock);
}

static const char *transfer_name(HdrTransfer hdr)
{
    return hdr == HDR_PQ ? "smpte2084" : "arib-std-b67";
}

static void make_chain(const EncodeRequest *request, Access access, ArgumentList *chain)
{
    const TuneSource *source = request->source;
    const char *upload = request->spec.encoder->upload_formats;
    if (access == SEVERAL)
        add_concatenation(request, chain);
    else
        add_user_filters(source, chain);
    if (access == COUNTED)
        add_selection(request, chain);
    else if (access == ONE && (has_memory(source) || is_part(request)))
        add_trimming(source, request->windows, chain);
    else if (access == WHOLE && has_memory(source) && source->first_frame_time >= 1e-6 &&
             source->is_variable) /* back to where the file has its first frame */
        arguments_print(chain, "setpts=PTS+%lld/(1000000*TB)",
                        llround(source->first_frame_time * 1e6));
    if (request->spec.width > 0)
        arguments_print(chain, "scale=%d:%d:flags=lanczos,setsar=1", request->spec.width,
                        request->spec.height);
    add_times(request, access, chain);
    if (request->settings.hdr &&
        request->spec.encoder->hdr_known) /* FFmpeg 9 has these of frames alone */
        arguments_print(chain, "setparams=color_primaries=bt2020:color_trc=%s",
                        transfer_name(request->settings.hdr));
    if (upload) /* the last of all: what is behind it is not in memory */
        arguments_print(chain, "format=%s,hwupload",
                        request->settings.pixel_format ? request->settings.pixel_format : upload);
}

/* Filters, and which video. */
static void add_filters(const EncodeRequest *request, ArgumentList *list)
{
    const Access access = access_of(request);
    ArgumentList chain = {0};
    make_chain(request, access, &chain);
    if (access == SEVERAL) { /* the output of the last filter gets a name */
        arguments_add(list, "-filter_complex");
        arguments_take_list(list, "", &chain, ",", "[v]");
        arguments_option(list, "-map", "[v]");
    } else {
        if (chain.n > 0 || chain.error) {
            arguments_add(list, "-vf");
            arguments_take_list(list, "", &chain, ",", "");
        }
        arguments_option(list, "-map", "0:%u", request->source->index);
    }
    if (access != WHOLE && !is_part(request)) /* it would end the other streams, too */
        arguments_option(list, "-frames:v", "%zu", encode_frames(request));
    add_clock(request->source, access, list);
}

int encode_passes(const EncodeSpec *spec)
{
    return spec->two_pass && spec->encoder->two_pass != TWO_PASS_NONE ? 2 : 1;
}

void encode_rate_control(const EncodeSpec *spec, char name[RATE_CONTROL_SIZE])
{
    static const char *const suffixes[] = {
        [TWO_PASS_NONE] = "", [TWO_PASS_NATIVE] = "_2pass", [TWO_PASS_ANCHORED] = "2pass"};
    snprintf(name, RATE_CONTROL_SIZE, "%s%s", spec->encoder->quality_name,
             spec->two_pass ? suffixes[spec->encoder->two_pass] : "");
}

/* ---- Colours of HDR, as arguments of encoders say them ---- */

/* In units of 1 / xy and 1 / cd of cd/m2, with so many digits behind the point. */
static void add_display(ArgumentList *values, const char *name, const MediaLight *light, double xy,
                        int xy_digits, double cd, int cd_digits)
{
    const double *const points[] = {light->green, light->blue, light->red, light->white};
    static const char *const names[] = {"G", "B", "R", "WP"};
    ArgumentList parts = {0};
    for (int i = 0; i < 4; i++)
        arguments_print(&parts, "%s(%.*f,%.*f)", names[i], xy_digits, points[i][0] * xy, xy_digits,
                        points[i][1] * xy);
    arguments_print(&parts, "L(%.*f,%.*f)", cd_digits, light->max_luminance * cd, cd_digits,
                    light->min_luminance * cd);
    arguments_take_list(values, name, &parts, "", "");
}

int encode_hdr_arguments(const Encoder *encoder, const TuneSource *source, HdrTransfer hdr,
                         ArgumentList *list)
{
    const bool is_pq = hdr == HDR_PQ, is_full = !strcmp(source->range, "full");
    const bool is_constant = !strcmp(source->matrix, "bt2020c"); /* luminance */
    const MediaLight *light = &source->light;
    ArgumentList values = {0};
    /* Numbers are those of ITU-T H.273. */
    arguments_print(&values, "transfer=%s", transfer_name(hdr));
    arguments_print(&values, "transfer_number=%d", is_pq ? 16 : 18);
    arguments_print(&values, "matrix=%s", is_constant ? "bt2020c" : "bt2020nc");
    arguments_print(&values, "matrix_number=%d", is_constant ? 10 : 9);
    arguments_print(&values, "range=%s", is_full ? "pc" : "tv");
    arguments_print(&values, "range_word=%s", is_full ? "full" : "limited");
    arguments_print(&values, "range_number=%d", is_full);
    encoder_add(encoder, "hdr.arguments", &values, list);
    if (is_pq)
        encoder_add(encoder, "hdr.pq", &values, list);
    if (light->has_display) {
        /* Units of the message of ST 2086 in HEVC (ITU-T H.265, D.3.28). */
        add_display(&values, "mastering_integers=", light, 50000, 0, 10000, 0);
        add_display(&values, "mastering_decimals=", light, 1, 5, 1, 4);
        encoder_add(encoder, "hdr.mastering_display", &values, list);
    }
    if (light->has_content) {
        arguments_print(&values, "light=%u,%u", light->max_content, light->max_frame_average);
        encoder_add(encoder, "hdr.content_light", &values, list);
    }
    arguments_free(&values);
    return list->error;
}

const char *encode_default_pixel_format(const Encoder *encoder, const char *of_source)
{
    static const char *const deeper[][2] = {
        {"yuv420p", "yuv420p10le"},  {"yuvj420p", "yuv420p10le"}, {"nv12", "yuv420p10le"},
        {"yuv422p", "yuv422p10le"},  {"yuvj422p", "yuv422p10le"}, {"yuv444p", "yuv444p10le"},
        {"yuvj444p", "yuv444p10le"},
    };
    if (!encoder->pixel_format || !*of_source || strcmp(encoder->pixel_format, "deeper") != 0)
        return *of_source ? encoder->pixel_format : NULL;
    for (size_t i = 0; i < sizeof(deeper) / sizeof(deeper[0]); i++)
        if (!strcmp(of_source, deeper[i][0]))
            return deeper[i][1];
    return NULL;
}

/* ---- The command line ---- */

/* A command line that is being made. */
typedef struct Builder {
    const EncodeRequest *request;
    const EncodePass *pass;
    ArgumentList *list;
    ArgumentList values; /* of placeholders */
} Builder;

static void add_arguments(Builder *builder, const char *key)
{
    encoder_add(builder->request->spec.encoder, key, &builder->values, builder->list);
}

static int prepare_values(Builder *builder, Message *message)
{
    const EncodeRequest *request = builder->request;
    const EncodePass *pass = builder->pass;
    ArgumentList *values = &builder->values;
    if (pass->kbps > 0 && !pass->is_key)
        arguments_print(values, "kbps=%.0f", fmax(1, pass->kbps));
    else
        arguments_add(values, "kbps=KBPS");
    arguments_print(values, "log=%s", pass->log && !pass->is_key ? pass->log : "LOG");
    arguments_print(values, "rate=%d/%d", request->source->rate.numerator,
                    request->source->rate.denominator);
    arguments_print(values, "grain=%d", request->settings.film_grain);
    return encoder_values(request->spec.encoder, request->spec.preset, request->spec.q, values,
                          message);
}

static void add_streams(const Builder *builder, bool discards)
{
    static const char *const none[] = {"-an", "-sn", "-dn", NULL};
    const EncodeRequest *request = builder->request;
    const bool takes_part = is_part(request);
    const char *const rest[] = {"-dn",           "-map_metadata",        "0",
                                "-map_chapters", takes_part ? "1" : "0", NULL};
    const double shift = shift_of(request);
    if (request->spec.streams == ENCODE_VIDEO_ONLY || discards) {
        arguments_add_all(builder->list, none);
        return;
    }
    other_streams_keep(&request->source->others, shift > 0 || takes_part, request->output,
                       builder->list);
    if (takes_part) {
        arguments_option(builder->list, "-copypriorss", "0");
        arguments_option(builder->list, "-t", "%.6f", request->source->part_seconds);
    }
    arguments_add_all(builder->list, rest);
    if (shift > 0)
        arguments_option(builder->list, "-output_ts_offset", "%.6f", shift);
}

static void add_pixel_format(const Builder *builder)
{
    const EncodeRequest *request = builder->request;
    const char *format = request->settings.pixel_format;
    if (!format && request->settings.hdr)
        format = request->spec.encoder->hdr_pixel_format;
    if (!format)
        format = encode_default_pixel_format(request->spec.encoder, request->source->pixel_format);
    if (format && !request->spec.encoder->upload_formats) /* the filter that uploads has it */
        arguments_option(builder->list, "-pix_fmt", "%s", format);
}

static void add_quality(Builder *builder)
{
    const EncodeRequest *request = builder->request;
    const int pass = builder->pass->number;
    const bool has_bitrate = pass == 2 && request->spec.encoder->two_pass == TWO_PASS_ANCHORED;
    add_arguments(builder, "arguments");
    add_arguments(builder, has_bitrate
                               ? "bitrate"
                               : encoder_quality_key(request->spec.encoder, request->spec.q));
    if (pass > 0)
        add_arguments(builder, pass == 1 ? "two_pass.first" : "two_pass.second");
    else if (request->spec.stats)
        add_arguments(builder, "stats.arguments");
}

static void add_keyframes(Builder *builder)
{
    const Keyframes *keyframes = &builder->request->spec.keyframes;
    const FrameRate rate = builder->request->source->rate;
    const double keyint = builder->request->settings.keyint;
    const double frames = keyint < 0 ? -keyint * rate.numerator / rate.denominator : keyint;
    ArgumentList *list = builder->list, times = {0};
    if (keyframes->interval > 0 || keyint != 0)
        arguments_option(list, "-g", "%d",
                         keyframes->interval > 0 ? keyframes->interval
                                                 : (int)fmin(fmax(1, round(frames)), INT_MAX));
    if (keyframes->n_forced == 0)
        return;
    for (size_t i = 0; i < keyframes->n_forced; i++)
        arguments_print(&times, "%.6f", keyframes->forced[i]);
    arguments_add(list, "-force_key_frames");
    arguments_take_list(list, "", &times, ",", "");
    add_arguments(builder, "forced_keyframes");
}

/* What the output of people says of how it was made: the arguments from number `first` on. */
static void add_tags(const Builder *builder, size_t first)
{
    const EncodeRequest *request = builder->request;
    ArgumentList *list = builder->list;
    char *settings = NULL;
    if (request->spec.streams == ENCODE_VIDEO_ONLY || list->error)
        return;
    if (!builder->pass->is_key && !request->is_plain) {
        const ArgumentList said = {.items = list->items + first, .n = list->n - first};
        settings = arguments_line(&said, " ", QUOTES_NEVER);
    }
    output_add_tags(request->output, request->spec.encoder->codec, settings, list);
    free(settings);
}

static void add_encode(Builder *builder)
{
    const EncodeRequest *request = builder->request;
    const EncodeSettings *settings = &request->settings;
    const bool discards = builder->pass->number == 1;
    ArgumentList *list = builder->list;
    add_filters(request, list);
    add_streams(builder, discards);
    const size_t first = list->n;
    add_pixel_format(builder);
    add_quality(builder);
    add_keyframes(builder);
    if (request->source->is_variable)
        add_arguments(builder, "variable_rate");
    if (settings->hdr)
        (void)encode_hdr_arguments(request->spec.encoder, request->source, settings->hdr, list);
    if (settings->film_grain > 0)
        add_arguments(builder, "film_grain");
    if (settings->threads > 0)
        arguments_option(list, "-threads", "%d", settings->threads);
    for (size_t i = 0; i < settings->n_options; i++)
        arguments_add_setting(list, settings->options[i]);
    for (size_t i = 0; i < settings->n_extra; i++)
        arguments_add(list, settings->extra[i]);
    if (discards)
        arguments_option(list, "-f", "null");
    else
        add_tags(builder, first);
    if (builder->pass->is_key)
        return;
    if (discards)
        arguments_add(list, "-");
    else
        arguments_add_path(list, builder->pass->output ? builder->pass->output : request->output);
}

static int build(Builder *builder, Message *message)
{
    const EncodeRequest *request = builder->request;
    ArgumentList *list = builder->list;
    int err = encode_check(request, message);
    if (!err)
        err = prepare_values(builder, message);
    if (err)
        return err;
    if (!builder->pass->is_key)
        add_inputs(request, list);
    else if (request->source->ignores_errors) /* as one thread decodes them */
        arguments_option(list, "-max_error_rate", "1");
    if (builder->pass->is_key)
        add_input_options(request->source, list);
    add_encode(builder);
    if (request->spec.encoder->parameters_option)
        arguments_merge(list, request->spec.encoder->parameters_option);
    if (list->error == -ENOMEM)
        return message_set(message, -ENOMEM, "out of memory");
    if (list->error)
        return message_set(message, list->error,
                           "%s: its row of the table of encoders asks for what is not known here",
                           request->spec.encoder->name);
    return 0;
}

int encode_command(const EncodeRequest *request, const EncodePass *pass, ArgumentList *command,
                   Message *message)
{
    *command = (ArgumentList){0};
    Builder builder = {.request = request, .pass = pass, .list = command};
    const int err = build(&builder, message);
    arguments_free(&builder.values);
    if (err)
        arguments_free(command);
    return err;
}

int encode_key_arguments(const EncodeRequest *request, ArgumentList *arguments, Message *message)
{
    const int passes = encode_passes(&request->spec);
    int err = 0;
    for (int i = 1; i <= passes && !err; i++) {
        const EncodePass pass = {.number = passes > 1 ? i : 0, .is_key = true};
        ArgumentList command;
        err = encode_command(request, &pass, &command, message);
        if (!err)
            arguments_add_all(arguments, (const char *const *)command.items);
        arguments_free(&command);
    }
    return err;
}
