/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/session.h"

#include "common/json.h"
#include "platform/child.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/text.h"
#include "tune/encode/encode_request.h"
#include "tune/encode/scratch_folder.h"

#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- features of conditions: those that have their scores and that nobody named are added -- */

/* The last feature that has such a score, since those in integers, which models use, follow those
 * in floating point. Reports know a score by its alias if it has one. NULL: none. */
static const char *feature_with(const json_t *catalogue, const char *score)
{
    const char *found = NULL;
    const json_t *feature, *key;
    size_t i, k;
    json_array_foreach(json_object_get(catalogue, "features"), i, feature)
    {
        json_array_foreach(json_object_get(feature, "keys"), k, key)
        {
            const char *name = json_string_value(key);
            const char *alias = json_text_of(json_object_get(feature, "aliases"), name);
            if (!strcmp(score_plain_name(alias ? alias : name), score_plain_name(score)))
                found = json_text_of(feature, "name");
        }
    }
    return found;
}

static int add_feature_with(Session *session, const json_t *catalogue, const char *score,
                            Message *why)
{
    const TextList *said = &session->options->features;
    const char *feature = feature_with(catalogue, score);
    const size_t length = feature ? strlen(feature) : 0;
    /* Options of features and other programs may make scores that nobody knows here. */
    bool is_known = false, may_be = session->options->vmaf != NULL;
    for (size_t i = 0; i < said->n; i++) {
        const char *text = said->text[i];
        may_be |= strchr(text, '=') != NULL;
        is_known |= feature && !strncmp(text, feature, length) && strchr("=", text[length]);
    }
    for (size_t i = 0; i < session->n_features; i++)
        is_known |= feature && !strcmp(session->features[i], feature);
    if (!feature && !may_be)
        return message_set(why, -EINVAL, "no feature has a score \"%s\"", score);
    if (feature && !is_known)
        snprintf(session->features[session->n_features++], GATE_NAME_SIZE, "%s", feature);
    return 0;
}

/* Sets session->features. 0; -EINVAL: no feature has such a score; -ENOMEM; and why. */
static int find_features(Session *session, Message *why)
{
    char *text;
    if (session->gates.n == 1)
        return 0;
    int err = vmaf_capabilities_json(&text, VMAF_CAPABILITIES_NO_PROBE);
    if (err)
        return message_set(why, err, "%s", strerror(-err));
    json_t *catalogue = json_document_parse(text, strlen(text), why, &err);
    free(text);
    for (size_t i = 1; catalogue && i < session->gates.n && !err; i++) {
        const char *score = session->gates.gate[i].name;
        if (strncmp(score, "vmaf", 4)) /* else it is the model's */
            err = add_feature_with(session, catalogue, score, why);
    }
    json_decref(catalogue);
    return err;
}

/* -- interrupts and errors -- */

static atomic_bool interrupted;

const atomic_bool *const session_interrupt = &interrupted;
/* Drivers of some GPUs take long to start. */
const FfmpegLimits session_ffmpeg_limits = {.stop = &interrupted, .limit_ms = 120000};

void session_note_interrupts(void)
{
    vmaf_interrupts_note(&interrupted);
}

int session_fail(const Session *session, int error, const char *what)
{
    int status = TUNE_NO_RESULT;
    if (error == -ENODEV)
        status = TUNE_BACKEND;
    else if (error == -ECANCELED)
        status = TUNE_INTERRUPTED;
    else if (error == -EINVAL || error == -ENOENT)
        status = TUNE_USAGE;
    return command_fail(session->command, status, "%s", what);
}

/* -- opening -- */

static int open_cache(Session *session)
{
    const SessionOptions *options = session->options;
    const double bytes = options->cache_gib * 1024 * 1024 * 1024;
    Message why = {.text = ""};
    if (!options->no_cache && cache_open(&session->cache, options->cache_dir, (int64_t)bytes, &why))
        return command_fail(session->command, TUNE_USAGE, "%s", why.text);
    if (*why.text) /* it is only read */
        progress_print(session->progress, "vmaf-tune: %s", why.text);
    return 0;
}

static const char *work_folder(const Session *session)
{
    const SessionOptions *options = session->options;
    const char *named = getenv("VMAFTUNE_WORKDIR");
    if (options->work_dir || options->encode_dir)
        return options->work_dir ? options->work_dir : options->encode_dir;
    if (named && *named)
        return named;
    return session->cache ? cache_work_folder(session->cache) : vmaf_folder_temporary();
}

static int open_scratch(Session *session)
{
    const char *folder = work_folder(session);
    char *beside = text_printed("%s/" SCRATCH_OF_RUN, folder);
    int err = beside ? vmaf_folder_make(folder) : -ENOMEM;
    if (!err)
        err = scratch_folder_make(&session->scratch, beside);
    free(beside);
    return err ? command_fail(
                     session->command, TUNE_USAGE,
                     "no folder for temporary files can be made in %s: %s (--work-dir names "
                     "another place)",
                     folder, strerror(-err))
               : 0;
}

double session_target(const SessionOptions *options, double said, double usual)
{
    if (!isnan(said))
        return said;
    return options->require.n ? NAN : usual;
}

int session_gates(const TuneCommand *command, const SessionOptions *options, double target,
                  TuneGates *gates)
{
    Message why;
    int err = 0;
    *gates = (TuneGates){.n = 1};
    gates->gate[0] = (TuneGate){.name = "vmaf", .pool = (ScorePool)options->pool, .target = target};
    for (size_t i = 0; i < options->require.n && !err; i++)
        err = tune_gates_parse(gates, options->require.text[i], &why);
    for (size_t i = 0; i < options->targets.n && !err; i++)
        err = tune_gates_parse_target(gates, options->targets.text[i], &why);
    if (!err)
        err = tune_gates_check(gates, &why);
    return err ? command_fail(command, TUNE_USAGE, "%s", why.text) : 0;
}

static int read_gates(Session *session, double target)
{
    Message why;
    const int status = session_gates(session->command, session->options, target, &session->gates);
    const int err = status ? 0 : find_features(session, &why);
    return err ? session_fail(session, err, why.text) : status;
}

/* "48": 48 frames; "2.5s": seconds, which are negative. False: neither. */
static bool keyint_parse(const char *text, double *keyint)
{
    char *end;
    const double value = strtod(text, &end);
    const bool is_seconds = *end == 's' && !end[1];
    *keyint = is_seconds ? -value : value;
    return end != text && value > 0 && value < 1e6 &&
           (is_seconds || (!*end && value == floor(value)));
}

static int check_options(Session *session)
{
    const SessionOptions *options = session->options;
    const int forced =
        options->auto_hdr + options->force_sdr + options->force_pq + options->force_hlg;
    if (forced > 1)
        return command_fail(session->command, TUNE_USAGE,
                            "--auto-hdr, --force-sdr, --force-hdr-pq and --force-hdr-hlg exclude "
                            "each other");
    if (options->keyint && !keyint_parse(options->keyint, &session->keyint))
        return command_fail(session->command, TUNE_USAGE,
                            "--keyint is to be a number of frames, or of seconds with an s, not "
                            "\"%s\"",
                            options->keyint);
    const OtherStreams others = {.audio = options->source.audio, .subs = options->source.subs};
    Message why;
    if (other_streams_check(&others, &why))
        return command_fail(session->command, TUNE_USAGE, "%s", why.text);
    if (options->keeps_encodes && !options->encode_dir)
        return command_fail(session->command, TUNE_USAGE,
                            "--keep-encodes needs a folder: --encode-dir");
    return 0;
}

/* Another program that scores, by its own version. */
static int open_score_program(Session *session)
{
    const SessionOptions *options = session->options;
    Message why;
    if (!options->vmaf)
        return 0;
    const int err =
        score_program_version(options->vmaf, &interrupted, session->score_version, &why);
    session->score_program = (ScoreProgram){
        .path = options->vmaf,
        .version = session->score_version,
        .limit_ms = options->step_timeout > 0 ? (int64_t)(options->step_timeout * 1000) : 0,
    };
    return err ? command_fail(session->command, err == -ECANCELED ? TUNE_INTERRUPTED : TUNE_USAGE,
                              "%s", why.text)
               : 0;
}

int session_open(Session *session, const TuneCommand *command, const SessionOptions *options,
                 double target)
{
    Message why;
    *session = (Session){.command = command, .options = options};
    session->progress = progress_create(options->is_quiet);
    snprintf(session->score_version, SCORE_VERSION_SIZE, "%s", vmaf_version());
    session_note_interrupts();
    int status = check_options(session);
    if (!status)
        status = read_gates(session, target);
    if (!status && options->features.n + session->n_features > SCORER_MAX_FEATURES)
        status = command_fail(command, TUNE_USAGE, "at most %d features", SCORER_MAX_FEATURES);
    if (status)
        return status;
    if (encoder_table_open(&session->encoders, options->adapters, &why))
        return command_fail(command, TUNE_USAGE, "%s", why.text);
    int err = ffmpeg_describe(options->ffmpeg, &session_ffmpeg_limits, &session->ffmpeg, &why);
    if (!err && options->source.filter)
        err = ffmpeg_check_filters(options->ffmpeg, options->source.filter, &session_ffmpeg_limits,
                                   &why);
    if (err == -ECANCELED)
        return session_fail(session, err, "interrupted");
    if (err)
        return command_fail(command, TUNE_USAGE, "%s", why.text);
    if (options->dry_run)
        return 0;
    status = open_score_program(session);
    if (!status)
        status = open_cache(session);
    return status ? status : open_scratch(session);
}

void session_close(Session *session)
{
    progress_destroy(session->progress);
    scratch_folder_remove(&session->scratch);
    cache_close(session->cache);
    ffmpeg_description_free(&session->ffmpeg);
    encoder_table_close(&session->encoders);
    *session = (Session){0};
}

/* -- sources and encoders -- */

int session_open_source(Session *session, const char *path, TuneSource *source)
{
    const SessionOptions *options = session->options;
    Message why;
    char *copy = NULL;
    if (session->command->takes_all && (options->source.start > 0 || options->source.length > 0))
        return command_fail(session->command, TUNE_USAGE,
                            "--start and --length: it takes all of a video");
    if (session->scratch.path &&
        asprintf(&copy, "%s/source-%u.y4m", session->scratch.path, session->n_sources++) < 0)
        return command_fail(session->command, TUNE_USAGE, "out of memory");
    SourceOptions about = options->source;
    about.path = path;
    about.raw_options = "--force-raw --width N --height N --pix-fmt NAME";
    about.copy = copy;
    about.ignores_errors = options->errors == ERRORS_IGNORE;
    about.no_hash |= options->dry_run;
    about.input_options = (const char *const *)options->enc_input.text;
    about.n_input_options = options->enc_input.n;
    const int err = source_open(source, &about, &why);
    free(copy);
    if (err)
        return command_fail(session->command, TUNE_USAGE, "%s", why.text);
    if (about.stream > source->stream) /* of files that have no streams */
        return command_fail(session->command, TUNE_USAGE,
                            "%s: there is no video stream %d; it has 1", path, about.stream);
    session->has_eight_bits |= source->format.bit_depth == 8;
    video_filters_explain(&source->filters, &why);
    if (why.text[0])
        progress_print(session->progress, "vmaf-tune: %s: %s", path, why.text);
    if (source->is_interlaced)
        progress_print(
            session->progress,
            "vmaf-tune: %s: it is interlaced, and encodes are progressive: deinterlace it "
            "first (--vfilter bwdif)",
            path);
    return 0;
}

int session_run(const TuneCommand *command, const SessionOptions *options, double target,
                int (*work)(Session *session, const TuneSource *source, void *settings),
                void *settings)
{
    const TextList *sources = &options->sources;
    Session session = {0};
    TuneSource source = {0};
    int status = session_open(&session, command, options, target);
    if (!status && sources->n != 1)
        status = command_fail(command, TUNE_USAGE,
                              sources->n ? "there is to be one SOURCE" : "no video: give SOURCE");
    if (!status)
        status = session_open_source(&session, sources->text[0], &source);
    if (!status)
        status = work(&session, &source, settings);
    source_close(&source);
    session_close(&session);
    return status;
}

static void note_depth(Session *session, const Encoder *encoder)
{
    const char *format = encode_default_pixel_format(encoder, "yuv420p");
    if (!format || !session->has_eight_bits || session->has_said_depth ||
        session->options->pixel_format_out || session->options->is_quiet)
        return;
    session->has_said_depth = true;
    progress_print(session->progress,
                   "vmaf-tune: %s: 8 bits are encoded as 10 (--pix-format yuv420p: they are not)",
                   encoder->name);
}

int session_try_encoder(Session *session, const char *ffmpeg, const FfmpegDescription *description,
                        const char *name, SessionEncoder *found, Message *why)
{
    *found = (SessionEncoder){.encoder = encoder_find(&session->encoders, name, why)};
    if (!found->encoder)
        return -EINVAL;
    if (session->options->dry_run)
        return 0;
    const int err = encoder_probe(ffmpeg ? ffmpeg : session->options->ffmpeg,
                                  ffmpeg ? description : &session->ffmpeg, found->encoder,
                                  &session_ffmpeg_limits, &found->availability);
    if (err)
        return message_set(why, err, "%s", err == -ECANCELED ? "interrupted" : "out of memory");
    if (!found->availability.usable) {
        *why = found->availability.reason;
        return -ENOENT;
    }
    note_depth(session, found->encoder);
    return 0;
}

int session_find_encoder(Session *session, const char *name, SessionEncoder *encoder)
{
    Message why;
    const int err = session_try_encoder(session, NULL, NULL, name, encoder, &why);
    return err ? session_fail(session, err, why.text) : 0;
}

QualityRange session_quality_range(const SessionEncoder *encoder)
{
    QualityRange qualities = encoder->availability.usable ? encoder->availability.qualities
                                                          : encoder->encoder->qualities;
    qualities.per_unit = 1;
    return qualities;
}

/* Steps of a unit: those of the encoder that is there, or of the table if nothing is run. */
static int find_steps(const Session *session, SessionEncoder *encoder, int *steps)
{
    EncoderAvailability *availability = &encoder->availability;
    *steps = encoder->encoder->steps;
    if (*steps == 1 || !availability->usable)
        return 0;
    const int err = availability->qualities.per_unit
                        ? 0
                        : encoder_find_steps(session->options->ffmpeg, encoder->encoder,
                                             &session_ffmpeg_limits, availability);
    *steps = availability->qualities.per_unit;
    return err ? session_fail(session, err, "the encoder could not be asked for its steps") : 0;
}

static int reject_steps(const Session *session, const SessionEncoder *encoder, int steps,
                        double wanted, const char *what)
{
    const QualityRange qualities = session_quality_range(encoder);
    return command_fail(
        session->command, TUNE_USAGE, "%s has %s from %d to %d in steps of %g (%s %s), not %s%g",
        encoder->encoder->name, encoder->encoder->quality_name, qualities.lowest, qualities.highest,
        1.0 / steps, encoder->availability.usable ? "asked:" : "by the table of encoders, row",
        encoder->availability.usable ? encoder->availability.version
                                     : encoder->encoder->row_version,
        what, wanted);
}

int session_quality_steps(const Session *session, SessionEncoder *encoder, double step,
                          QualityRange *qualities)
{
    int steps = 1;
    *qualities = session_quality_range(encoder);
    if (step == 1)
        return 0;
    const int status = find_steps(session, encoder, &steps);
    if (status)
        return status;
    qualities->per_unit = steps;
    if (step > 0) {
        qualities->per_unit = (int)lround(1 / step);
        if (fabs(qualities->per_unit * step - 1) > 1e-6 || steps % qualities->per_unit)
            return reject_steps(session, encoder, steps, step, "of ");
    }
    return 0;
}

int session_check_quality(const Session *session, SessionEncoder *encoder, double q)
{
    const QualityRange qualities = session_quality_range(encoder);
    const bool is_inside = q >= qualities.lowest && q <= qualities.highest;
    int steps;
    if (is_inside && quality_is_step(q, 1))
        return 0;
    const int status = find_steps(session, encoder, &steps);
    if (status || (is_inside && quality_is_step(q, steps)))
        return status;
    return reject_steps(session, encoder, steps, q, "");
}

int session_check_preset(const Session *session, const Encoder *encoder, const char *preset)
{
    Message why;
    const char *value = encoder_find_preset(encoder, preset, &why);
    if (!value)
        return command_fail(session->command, TUNE_USAGE, "%s", why.text);
    if (preset && strcmp(value, preset) != 0)
        progress_print(session->progress, "vmaf-tune: preset %s is %s of %s", preset, value,
                       encoder->name);
    return 0;
}

EncodeSpec session_spec(const Session *session, const SessionEncoder *encoder, const char *preset)
{
    return (EncodeSpec){
        .encoder = encoder->encoder,
        .encoder_version = encoder->availability.version,
        .preset = preset ? preset : encoder->encoder->default_preset,
        .two_pass = session->options->two_pass,
    };
}

/* -- the streams of an output -- */

/* ffmpeg may hang when it has said that it cannot write the header (5.1 with SVT-AV1). */
enum { TRIAL_LIMIT_MS = 15000 };

/* One frame, encoded somehow, with what else the output keeps. Of a size that all encoders take:
 * the source's may be one that only filters or the pixel format make possible. */
static void make_trial(const Session *session, const TuneSource *source, const char *encoder,
                       const char *output, bool video_only, ArgumentList *command)
{
    static const char *const little[] = {"-frames:v", "1", "-t", "0.1", "-c:v"};
    Message why;
    const Encoder *known = encoder_find(&session->encoders, encoder, &why);
    ffmpeg_begin(session->options->ffmpeg, command);
    encode_add_source(source, command);
    arguments_option(command, "-map", "0:%u", source->index);
    if (!video_only)
        other_streams_keep(&source->others, 0, output, command);
    if (known && known->upload_formats)
        arguments_option(command, "-vf", "scale=256:256,format=%s,hwupload", known->upload_formats);
    else
        arguments_option(command, "-vf", "scale=256:256");
    for (size_t i = 0; i < sizeof little / sizeof *little; i++)
        arguments_add(command, little[i]);
    arguments_add(command, known ? known->name : encoder);
    arguments_add_path(command, output);
}

static int try_output(const Session *session, const TuneSource *source, const char *encoder,
                      const char *output, bool video_only, const char *trial)
{
    ArgumentList command = {0};
    Message said;
    make_trial(session, source, encoder, trial, video_only, &command);
    const FfmpegLimits limits = {.limit_ms = TRIAL_LIMIT_MS, .stop = session_interrupt};
    const int err = ffmpeg_run(&command, &limits, &said);
    arguments_free(&command);
    /* One that is slow and has not complained tells nothing of the container. */
    if (err == -ETIMEDOUT)
        return 0;
    if (err != -EIO)
        return err ? session_fail(session, err, said.text) : 0;
    return command_fail(session->command, TUNE_USAGE,
                        "%s cannot hold the streams of the source (another --output, such as "
                        ".mkv, or --video-only?): %s",
                        output, said.text);
}

/* Its metadata of frames get lost, and Matroska files would say nevertheless that they have it. */
static int check_dolby_vision(const Session *session, const TuneSource *source, const char *output,
                              const char *dot)
{
    if (!source->dolby_vision)
        return 0;
    if (!source->has_plain_base)
        return command_fail(session->command, TUNE_USAGE,
                            "%s has Dolby Vision of profile %d, which encoders here lose, and "
                            "without it its colours are wrong",
                            source->path, source->dolby_vision);
    if (vmaf_ascii_alike(dot, ".mkv") || vmaf_ascii_alike(dot, ".webm"))
        return command_fail(session->command, TUNE_USAGE,
                            "%s has Dolby Vision of profile %d, which encoders here lose, and a %s "
                            "file would still claim it: --output FILE.mp4 has the picture below it",
                            source->path, source->dolby_vision, dot);
    progress_print(session->progress, "vmaf-tune: %s: left out: Dolby Vision of profile %d", output,
                   source->dolby_vision);
    return 0;
}

static bool keeps_subtitles(const OtherStreams *others)
{
    bool has_any = false;
    for (size_t i = 0; i < others->n; i++)
        has_any |= others->stream[i].kind == MEDIA_TEXT || others->stream[i].kind == MEDIA_BITMAP;
    return has_any && !(others->subs && !strcmp(others->subs, "none"));
}

int session_check_streams(const Session *session, const TuneSource *source, const char *encoder,
                          const char *output, bool video_only)
{
    const char *last = strrchr(vmaf_path_name(output), '.'), *dot = last ? last : "";
    char *trial = NULL;
    Message left_out;
    if (source->is_raw || session->options->dry_run)
        return 0;
    if (check_dolby_vision(session, source, output, dot))
        return TUNE_USAGE;
    other_streams_explain(&source->others, output, &left_out);
    if (!video_only && left_out.text[0])
        progress_print(session->progress, "vmaf-tune: %s: %s", output, left_out.text);
    if (!video_only && source->part.frames && keeps_subtitles(&source->others))
        progress_print(session->progress,
                       "vmaf-tune: %s: subtitles that begin before the part are left out, and the "
                       "last may end after it",
                       output);
    if (asprintf(&trial, "%s/trial%s", session->scratch.path, dot) < 0)
        return session_fail(session, -ENOMEM, "out of memory");
    const int status = try_output(session, source, encoder, output, video_only, trial);
    remove(trial);
    free(trial);
    return status;
}
