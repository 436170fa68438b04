/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/session.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- HDR -- */

HdrTransfer session_find_hdr(const Session *session, const TuneSource *source)
{
    const SessionOptions *options = session->options;
    const bool is_pq = options->force_pq || !strcmp(source->transfer, "smpte2084");
    const bool is_hlg = options->force_hlg || !strcmp(source->transfer, "arib-std-b67");
    const bool is_forced = options->force_pq || options->force_hlg;
    if (options->force_sdr || (!is_pq && !is_hlg))
        return HDR_NONE;
    if (!is_forced && strcmp(source->primaries, "bt2020")) {
        progress_warn(session->progress,
                      "vmaf-tune: %s: its transfer is %s, but its primaries are %s: taken for "
                      "SDR (--force-hdr-pq, --force-hdr-hlg)",
                      source->path, source->transfer, source->primaries);
        return HDR_NONE;
    }
    return options->force_hlg || (is_hlg && !options->force_pq) ? HDR_HLG : HDR_PQ;
}

/* -- windows -- */

int session_choose_windows(const TuneSource *source, double seconds, size_t n,
                           SampleWindow **chosen, Message *why)
{
    SampleWindow *windows = *chosen = calloc(n, sizeof(*windows));
    if (!windows)
        return message_set(why, -ENOMEM, "out of memory");
    const int found = sample_by_time(source->frames, source->rate, seconds, n, windows);
    if (found < 0)
        return message_set(why, found, "no part of the video could be chosen");
    for (int i = 0; i < found; i++)
        windows[i].first += source->part.first;
    return found;
}

/* Finds those that the options ask for. 0; negative errno and why. */
static int take_windows(const Session *session, const TuneSource *source, SessionMeasurer *measurer,
                        MeasuredPart *part, Message *why)
{
    const double seconds = session->options->sample_seconds;
    const size_t n = (size_t)session->options->sample_windows;
    if (!(seconds > 0) || seconds >= source->seconds)
        return 0;
    const int chosen = session_choose_windows(source, seconds, n, &measurer->windows, why);
    if (chosen < 0)
        return chosen;
    part->windows = measurer->windows;
    part->n_windows = (size_t)chosen;
    const int length = snprintf(measurer->clip_mode, sizeof measurer->clip_mode, "sample_%.0fs",
                                nearbyint(seconds));
    if (chosen > 1)
        snprintf(measurer->clip_mode + length, sizeof measurer->clip_mode - (size_t)length,
                 "_in_%d", chosen);
    return 0;
}

/* -- opening -- */

enum { HEIGHT_4K = 2160 };

static void choose_model(const Session *session, const TuneSource *source,
                         SessionMeasurer *measurer)
{
    const SessionOptions *options = session->options;
    const bool is_4k = !options->no_resolution_aware && source->format.height >= HEIGHT_4K;
    VideoFormat asked;
    snprintf(measurer->model, sizeof measurer->model, "%s",
             options->model ? options->model
             : is_4k        ? "vmaf_4k_v0.6.1"
                            : "vmaf_v0.6.1");
    measurer->is_calibrated = measurer->hdr == HDR_NONE;
    if (measurer->hdr)
        progress_warn(session->progress,
                      "vmaf-tune: %s is HDR, and model %s was made for SDR: its scores can be "
                      "compared with each other, but mean less",
                      source->path, measurer->model);
    if (measurer->hdr && source->format.bit_depth > 8 && options->pixel_format_out &&
        pixel_format_parse(options->pixel_format_out, &asked) && asked.bit_depth == 8)
        progress_warn(session->progress,
                      "vmaf-tune: %s is HDR, and --pix-format %s has 8 bits, which show bands",
                      source->path, options->pixel_format_out);
    if (options->film_grain > 0)
        progress_warn(session->progress,
                      "vmaf-tune: %s: encodes are scored without the film grain that decoders make",
                      source->path);
}

static MeasureOptions measure_options(const Session *session, const TuneSource *source,
                                      SessionMeasurer *measurer)
{
    const SessionOptions *options = session->options;
    const double gib = 1024.0 * 1024 * 1024;
    MeasureOptions measure = {
        .encode =
            {
                .ffmpeg = options->ffmpeg,
                .threads = options->ffmpeg_threads,
                .extra = (const char *const *)options->extra.text,
                .n_extra = options->extra.n,
                .options = (const char *const *)options->enc.text,
                .n_options = options->enc.n,
                .pixel_format = options->pixel_format_out,
                .keyint = session->keyint,
                .film_grain = options->film_grain > 0 ? options->film_grain : 0,
                .hdr = measurer->hdr,
            },
        .ffmpeg_version = session->ffmpeg.line,
        .encode_dir = options->keeps_encodes ? options->encode_dir : NULL,
        .work_dir = session->scratch.path ? session->scratch.path : options->work_dir,
        .cache = *source->sha256 ? session->cache : NULL,
        .jobs = options->jobs,
        .encode_limit_ms = options->step_timeout > 0 ? (int64_t)(options->step_timeout * 1000) : 0,
        .reference_memory = (size_t)(options->memory_gib * gib),
        .stop = session_interrupt,
        .progress = session->progress,
    };
    measure.score = (ScoreOptions){
        .model = measurer->model,
        .n_features = options->features.n + session->n_features,
        .backend = options->backend,
        .threads = options->score_threads,
        .allows_frame_mismatch = options->allows_frame_mismatch,
        .no_film_grain = options->film_grain > 0,
        .program = session->score_program.path ? &session->score_program : NULL,
    };
    for (size_t i = 0; i < options->features.n; i++)
        measure.score.features[i] = options->features.text[i];
    for (size_t i = 0; i < session->n_features; i++)
        measure.score.features[options->features.n + i] = session->features[i];
    return measure;
}

int session_open_measurer(Session *session, const TuneSource *source, const MeasuredPart *film,
                          SessionMeasurer *measurer)
{
    MeasuredPart part = film ? *film : (MeasuredPart){0};
    Message why;
    *measurer = (SessionMeasurer){.clip_mode = "full"};
    if (source->part.frames)
        snprintf(measurer->clip_mode, sizeof measurer->clip_mode, "part_%zu+%zu",
                 source->part.first, source->part.frames);
    int err = film ? 0 : take_windows(session, source, measurer, &part, &why);
    if (err)
        return session_fail(session, err, why.text);
    measurer->hdr = session_find_hdr(session, source);
    choose_model(session, source, measurer);
    MeasureOptions options = measure_options(session, source, measurer);
    err = measurer_open(&measurer->measurer, source, &part, &options, &why);
    return err ? session_fail(session, err, why.text) : 0;
}

void session_close_measurer(SessionMeasurer *measurer)
{
    measurer_close(measurer->measurer);
    free(measurer->windows);
    *measurer = (SessionMeasurer){0};
}

int session_print_commands(const Session *session, Measurer *measurer, const EncodeSpec *spec)
{
    Message why;
    char *lines = measure_command_lines(measurer, spec, NULL, &why);
    if (!lines)
        return session_fail(session, -EINVAL, why.text);
    fputs(lines, stdout);
    free(lines);
    return TUNE_OK;
}

int session_print_example(const Session *session, Measurer *measurer, const EncodeSpec *spec)
{
    EncodeSpec example = *spec;
    example.q = spec->encoder->default_q;
    return session_print_commands(session, measurer, &example);
}

int session_find_shots(const Session *session, const TuneSource *source, SourceShots *found,
                       Message *why)
{
    const ShotOptions options = {
        .kind = SHOTS_BY_CONTENT,
        .threshold = -1,
        .min_frames = SHOT_DEFAULT_MIN_FRAMES,
        .join_below = SHOT_ENCODED_MIN_FRAMES,
    };
    return source_shots_find(source, &options, session_interrupt, session->progress, found, why);
}
