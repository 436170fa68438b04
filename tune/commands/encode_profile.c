/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune encode-profile: encodes a video as a result of another subcommand says. */
#include "tune/commands/commands.h"

#include "common/json.h"
#include "common/messages.h"
#include "tune/commands/profile.h"
#include "tune/measure/measurer.h"
#include "tune/rows/row.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"
#include "tune/session/session.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct EncodeResult {
    const TuneSource *source;
    const Encoder *encoder;
    const char *preset, *output;
    EncodeOutcome outcome;
    StreamFacts stream;
    bool is_verified;
    EncodeScores scores;
    double score; /* pooled */
    const char *pool;
    char model[256];
    bool is_calibrated;
} EncodeResult;

/* False: it was verified, and misses the target. */
static bool encode_result_reaches(const EncodeResult *result, const Profile *profile)
{
    return !result->is_verified || isnan(profile->target) || result->score >= profile->target;
}

static int put_encode(json_t *json, const EncodeResult *result, const Profile *profile)
{
    const EncodeOutcome *outcome = &result->outcome;
    const double seconds = outcome->wall_ms / 1000;
    int err = json_put_text(json, "src", result->source->path);
    err |= json_put_text(json, "output", result->output);
    err |= json_put_text(json, "encoder", result->encoder->name);
    err |= json_put_text(json, "encoder_version", outcome->encoder_version);
    err |= json_put_text(json, "preset", result->preset);
    err |= json_put(json, "crf", json_quality(profile->q));
    err |= json_put_text(json, "rate_control", outcome->rate_control);
    err |= json_put_integer(json, "encode_size_bytes", outcome->size);
    err |= json_put_integer(json, "stream_size_bytes", result->stream.bytes);
    err |= json_put_integer(json, "frames", result->stream.n_packets);
    err |=
        json_put_number(json, "bitrate_kbps", stream_kbps(&result->stream, result->source->rate));
    err |= json_put_number(json, "encode_time_ms", outcome->wall_ms);
    err |= json_put_number(json, "encode_speed_fps",
                           seconds > 0 ? (double)result->stream.n_packets / seconds : NAN);
    return err;
}

static int put_scores(json_t *json, const EncodeResult *result, const Profile *profile)
{
    int err = json_put_number(json, "vmaf_score", result->score);
    err |= json_put_text(json, "vmaf_model", result->model);
    err |= json_put_flag(json, "model_calibrated", result->is_calibrated);
    err |= json_put_text(json, "pool", result->pool);
    err |= json_put_text(json, "score_backend", result->scores.backend);
    err |= json_put_number(json, "score_time_ms", result->scores.ms);
    if (!isnan(profile->target))
        err |= json_put_flag(json, "target_met", encode_result_reaches(result, profile));
    return err;
}

/* A new reference; NULL without memory. */
static json_t *encode_result_to_json(const EncodeResult *result, const Profile *profile)
{
    json_t *json = json_object();
    int err = json_put_text(json, "schema", "vmaf-tune-encode-profile/v1");
    err |= put_encode(json, result, profile);
    err |= json_put_number(json, "expected_vmaf", profile->score);
    err |= json_put_number(json, "target_vmaf", profile->target);
    err |= json_put_flag(json, "verified", result->is_verified);
    if (result->is_verified)
        err |= put_scores(json, result, profile);
    return json_unless(err, json);
}

static void encode_result_print(const EncodeResult *result, const Profile *profile, FILE *out)
{
    print_line(out, "%s: %s %s %s %g, %.1f kbit/s, %.1f s", result->output, result->encoder->name,
               result->preset, result->encoder->quality_name, profile->q,
               stream_kbps(&result->stream, result->source->rate), result->outcome.wall_ms / 1000);
    if (!result->is_verified)
        return;
    char expected[48] = "", target[48] = "";
    if (!isnan(profile->score))
        snprintf(expected, sizeof expected, ", expected %.3f", profile->score);
    if (!isnan(profile->target))
        snprintf(target, sizeof target, ", target %g [%s]", profile->target,
                 encode_result_reaches(result, profile) ? "OK" : "UNMET");
    print_line(out, "VMAF %.3f%s%s", result->score, expected, target);
}

typedef struct Settings {
    const char *profile, *output, *result;
    bool video_only, verifies, overwrites, json;
    ProfileChoice choice;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"profile", "FILE", "JSON of recommend, bisect, compare or fast, or a row of a corpus",
     TEXT_AT(profile), .file = TUNE_FILE_READ},
    {"output", "FILE", "the encode; its extension decides the container", TEXT_AT(output),
     .short_name = 'o', .file = TUNE_FILE_WRITTEN},
    {"overwrite", NULL, "write it though there is such a file", FLAG_AT(overwrites)},
    {"video-only", NULL, "leave out audio, subtitles and chapters", FLAG_AT(video_only)},
    {"verify", NULL, "score the encode; exit status 1 if it misses the target", FLAG_AT(verifies)},
    {"encoder", "NAME", "of several results, the one of this encoder", TEXT_AT(choice.encoder),
     .other_name = "codec"},
    {"preset", "NAME", "the one of this preset", TEXT_AT(choice.preset)},
    {"crf", "Q", "the one of this quality", NUMBER_AT(choice.q, 0, 255)},
    {"target-vmaf", "X", "the one for this target", NUMBER_AT(choice.target, 0, 0)},
    {"json", NULL, "print JSON", FLAG_AT(json)},
    {"result", "FILE", "print there", TEXT_AT(result), .file = TUNE_FILE_TEXT},
};

/* -- the encode -- */

typedef struct Reporter {
    ProgressTask *task;
    size_t total;
    bool may_differ; /* the number of frames */
    EncodeResult *result;
} Reporter;

static void report(void *cookie, const EncodeProgress *progress)
{
    const Reporter *reporter = cookie;
    static const char *const does[] = {"encoding", "encoding (1 of 2)", "encoding (2 of 2)"};
    progress_advance(reporter->task, does[progress->passes > 1 ? progress->pass : 0],
                     progress->frames, reporter->total);
}

static int check(void *cookie, const char *path, Message *why)
{
    const Reporter *reporter = cookie;
    const MeasuredPart whole = {0};
    return measure_examine_encode(reporter->result->source, &whole, reporter->may_differ, path,
                                  &reporter->result->stream, why);
}

/* What the profile's encode was given, then what the user adds. FFmpeg copies chapters unless it is
 * told not to. */
static const char **all_extra(const Profile *profile, const SessionOptions *options,
                              bool video_only, size_t *n)
{
    const char **all = calloc(profile->n_extra + options->extra.n + 2, sizeof *all);
    *n = 0;
    if (all && video_only) {
        all[(*n)++] = "-map_chapters";
        all[(*n)++] = "-1";
    }
    for (size_t i = 0; all && i < profile->n_extra; i++)
        all[(*n)++] = profile->extra[i];
    for (size_t i = 0; all && i < options->extra.n; i++)
        all[(*n)++] = options->extra.text[i];
    return all;
}

static int print_commands(const Session *session, const EncodeRequest *request)
{
    const int passes = encode_passes(request);
    Message why;
    for (int number = 1; number <= passes; number++) {
        const EncodePass pass = {.number = passes > 1 ? number : 0, .log = "passlog"};
        ArgumentList command;
        if (encode_command(request, &pass, &command, &why))
            return session_fail(session, -EINVAL, why.text);
        char *line = arguments_shell_line(&command);
        arguments_free(&command);
        if (!line)
            return session_fail(session, -ENOMEM, "out of memory");
        puts(line);
        free(line);
    }
    return 0;
}

static int run_encode(Session *session, const EncodeRequest *request, EncodeResult *result)
{
    const SessionOptions *options = session->options;
    Message why;
    Reporter reporter = {progress_begin(session->progress, request->encoder->name),
                         result->source->frames, options->allows_frame_mismatch, result};
    const EncodeControl control = {
        .stop = session_interrupt,
        .limit_ms = options->step_timeout > 0 ? (int64_t)(options->step_timeout * 1000) : 0,
        .on_progress = report,
        .check = check,
        .cookie = &reporter,
    };
    encode_warning(request, &why);
    if (why.text[0])
        progress_print(session->progress, "vmaf-tune: %s", why.text);
    const int err = encode_run(request, &control, &result->outcome, &why);
    progress_end(reporter.task, true);
    return err ? session_fail(session, err, why.text) : 0;
}

/* -- the score -- */

static int score(Session *session, EncodeResult *result)
{
    SessionMeasurer measurer;
    PooledScores pooled;
    Message why;
    int status = session_open_measurer_of(session, result->source, NULL, 0, &measurer);
    if (status)
        return status;
    int err = measurer_score_file(measurer.measurer, result->output, &result->scores, &why);
    const ScoreSeries *series = err ? NULL : encode_scores_find(&result->scores, "vmaf");
    if (!err && !series)
        err = message_set(&why, -EINVAL, "there is no score of that model");
    if (!err && (err = pool_scores(series->values, result->scores.frames, &pooled)))
        message_set(&why, err, "the scores cannot be pooled");
    if (err) {
        status = session_fail(session, err, why.text);
    } else {
        const ScorePool pool = (ScorePool)session->options->pool;
        result->is_verified = true;
        result->score = pooled_score(&pooled, pool);
        result->pool = score_pool_name(pool);
        snprintf(result->model, sizeof result->model, "%s", measurer.model);
        result->is_calibrated = measurer.is_calibrated;
    }
    session_close_measurer(&measurer);
    return status;
}

/* -- the result -- */

static int print(const Session *session, const Settings *settings, const EncodeResult *result,
                 const Profile *profile)
{
    TextBuffer text;
    if (settings->json)
        return result_print_json(session->command, settings->result,
                                 encode_result_to_json(result, profile));
    if (text_begin(&text))
        encode_result_print(result, profile, text.out);
    return result_print(&text, session->command, settings->result, 0);
}

/* -- all together -- */

static int encode(Session *session, const Settings *settings, const Profile *profile,
                  const SessionEncoder *encoder, EncodeResult *result)
{
    const SessionOptions *options = session->options;
    HdrTags tags;
    const bool is_hdr = session_find_hdr(session, result->source, &tags);
    size_t n_extra;
    const char **extra = all_extra(profile, options, settings->video_only, &n_extra);
    if (!extra)
        return session_fail(session, -ENOMEM, "out of memory");
    if (profile->has_hdr_arguments && !is_hdr)
        progress_print(session->progress, "vmaf-tune: %s is not HDR, and the profile is for HDR",
                       result->source->path);
    const EncodeRequest request = {
        .ffmpeg = options->ffmpeg,
        .encoder = encoder->encoder,
        .preset = profile->preset,
        .q = profile->q,
        .source = measure_encode_source(result->source),
        .hdr = is_hdr && !profile->has_hdr_arguments ? &tags : NULL,
        .two_pass = profile->two_pass || options->two_pass,
        .threads = options->ffmpeg_threads,
        .extra = extra,
        .n_extra = n_extra,
        .streams = settings->video_only ? ENCODE_VIDEO_ONLY : ENCODE_WITH_ALL_STREAMS,
        .output = settings->output,
    };
    const int status = options->dry_run ? print_commands(session, &request)
                                        : run_encode(session, &request, result);
    free(extra);
    return status;
}

static int make(Session *session, const Settings *settings, const Profile *profile,
                const TuneSource *source)
{
    SessionEncoder encoder;
    EncodeResult result = {.source = source, .output = settings->output};
    int status = session_find_encoder(session, profile->encoder, &encoder);
    if (!status)
        status = session_check_preset(session, encoder.encoder, profile->preset);
    if (status)
        return status;
    result.encoder = encoder.encoder;
    result.preset = profile->preset ? profile->preset : encoder.encoder->default_preset;
    if (profile->sha256 && *source->sha256 && strcmp(profile->sha256, source->sha256) != 0)
        progress_print(session->progress,
                       "vmaf-tune: %s is not the video that the profile was made for",
                       source->path);
    if (!session->options->dry_run)
        status = session_check_streams(session, source, encoder.encoder->name, settings->output,
                                       settings->video_only);
    if (!status)
        status = encode(session, settings, profile, &encoder, &result);
    if (!status && !session->options->dry_run) {
        if (settings->verifies)
            status = score(session, &result);
        if (!status)
            status = print(session, settings, &result, profile);
        if (!status && !encode_result_reaches(&result, profile))
            status = command_fail(session->command, TUNE_NO_RESULT, "VMAF %.3f misses %g",
                                  result.score, profile->target);
    }
    encode_scores_free(&result.scores);
    stream_free(&result.stream);
    return status;
}

/* The score is to be comparable with the profile's: its model and pooling unless others are named,
 * and of the same file the same video. */
static void follow_profile(const Profile *profile, const char *path, SessionOptions *options)
{
    ScorePool pool;
    if (profile->model && !options->model)
        options->model = profile->model;
    if (profile->pool && !options->pool && score_pool_named(profile->pool, &pool))
        options->pool = (int)pool;
    if (profile->source && !strcmp(path, profile->source)) {
        if (options->stream < 0)
            options->stream = profile->stream;
        if (!options->first_picture)
            options->first_picture = profile->first_picture;
        if (profile->ignores_errors)
            options->errors = ERRORS_IGNORE;
    }
    options->no_cache = true;
    options->sample_seconds = 0;
}

static int run_profile(const TuneCommand *command, const Settings *settings,
                       SessionOptions *options, const Profile *profile)
{
    const char *path = options->sources.n ? options->sources.text[0] : profile->source;
    Session session;
    TuneSource source = {0};
    if (!path)
        return command_fail(command, TUNE_USAGE, "the profile names no video: give --src FILE");
    if (!command_check_video(command, path, settings->output, settings->overwrites))
        return TUNE_USAGE;
    follow_profile(profile, path, options);
    int status = session_open(&session, command, options, NAN);
    if (!status)
        status = session_open_source(&session, path, &source);
    if (!status)
        status = make(&session, settings, profile, &source);
    source_close(&source);
    session_close(&session);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    Settings *settings = cookie;
    Profile profile;
    Message why;
    if (!settings->profile || !settings->output)
        return command_fail(command, TUNE_USAGE, "--profile FILE and --output FILE are needed");
    if (options->sources.n > 1)
        return command_fail(command, TUNE_USAGE, "there is to be one --src");
    if (options->sources.n)
        settings->choice.source = options->sources.text[0];
    int err = profile_load(&profile, settings->profile, &settings->choice, &why);
    if (err == -ENODATA && settings->choice.source) {
        /* It may be meant for another video. */
        profile_free(&profile);
        settings->choice.source = NULL;
        err = profile_load(&profile, settings->profile, &settings->choice, &why);
    }
    const int status =
        err ? command_fail(command, err == -ENODATA ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text)
            : run_profile(command, settings, options, &profile);
    profile_free(&profile);
    return status;
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.choice = {.target = NAN, .q = -1}};
    const OptionGroup group = {"Encode", rows, sizeof rows / sizeof *rows, &settings};
    return session_command(command, argc, argv, &group, 1, begin, &settings);
}

const TuneCommand encode_profile_command = {
    .name = "encode-profile",
    .operands = "",
    .summary = "encode a video as recommend, bisect or compare have found",
    .examples = "  vmaf-tune encode-profile --profile bisect.json --src film.mkv -o film.h264.mkv\n"
                "  vmaf-tune encode-profile --profile row.json -o film.mp4 --video-only --verify\n",
    .run = run_command,
};
