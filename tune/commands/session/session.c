/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/session/session.h"

#include "tune/commands/session/condition_features.h"

#include "platform/path.h"
#include "platform/process.h"

#include "libvmaf/libvmaf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool interrupted;

bool session_is_interrupted(void)
{
    return atomic_load(&interrupted);
}

const atomic_bool *session_interrupt(void)
{
    return &interrupted;
}

/* Drivers of some GPUs take long to start. */
static const FfmpegLimits ffmpeg_limits = {.stop = &interrupted, .limit_ms = 120000};

const FfmpegLimits *session_ffmpeg_limits(void)
{
    return &ffmpeg_limits;
}

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
    Message why;
    if (options->no_cache || options->dry_run)
        return 0;
    const double bytes = options->cache_gib * 1024 * 1024 * 1024;
    if (cache_open(&session->cache, options->cache_dir, (int64_t)bytes, &why))
        return command_fail(session->command, TUNE_USAGE, "%s", why.text);
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
    char *beside = NULL;
    if (session->options->dry_run)
        return 0;
    int err = vmaf_folder_make(folder);
    if (!err && asprintf(&beside, "%s/" SCRATCH_OF_RUN, folder) < 0)
        err = -ENOMEM;
    if (!err)
        err = scratch_folder_make(&session->scratch, beside);
    if (!err)
        free(beside);
    return err ? command_fail(
                     session->command, TUNE_USAGE,
                     "no folder for temporary files can be made in %s: %s (--workdir names "
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

static int read_gates(Session *session, double target)
{
    Message why;
    session->gates = (TuneGates){.n = 1};
    session->gates.gate[0] =
        (TuneGate){.name = "vmaf", .pool = (ScorePool)session->options->pool, .target = target};
    for (size_t i = 0; i < session->options->require.n; i++)
        if (tune_gates_parse(&session->gates, session->options->require.text[i], &why))
            return command_fail(session->command, TUNE_USAGE, "%s", why.text);
    if (tune_gates_check(&session->gates, &why))
        return command_fail(session->command, TUNE_USAGE, "%s", why.text);
    const int err = session_find_features(session, &why);
    return err ? session_fail(session, err, why.text) : 0;
}

static int check_options(const Session *session)
{
    const SessionOptions *options = session->options;
    const int forced =
        options->auto_hdr + options->force_sdr + options->force_pq + options->force_hlg;
    if (forced > 1)
        return command_fail(session->command, TUNE_USAGE,
                            "--auto-hdr, --force-sdr, --force-hdr-pq and --force-hdr-hlg exclude "
                            "each other");
    if (options->keeps_encodes && !options->encode_dir)
        return command_fail(session->command, TUNE_USAGE,
                            "--keep-encodes needs a folder: --encode-dir");
    if (options->ffprobe)
        progress_say(session->progress, "vmaf-tune: --ffprobe-bin is not needed, and not used");
    return 0;
}

/* Another program that scores, by its own version. */
static int open_score_program(Session *session)
{
    const SessionOptions *options = session->options;
    Message why;
    if (!options->vmaf || options->dry_run)
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

const char *session_score_version(const Session *session)
{
    return session->score_program.path ? session->score_version : vmaf_version();
}

int session_open(Session *session, const TuneCommand *command, const SessionOptions *options,
                 double target)
{
    Message why;
    *session = (Session){.command = command, .options = options};
    session->progress = progress_create(options->is_quiet);
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
    const int err = ffmpeg_describe(options->ffmpeg, &ffmpeg_limits, &session->ffmpeg, &why);
    if (err)
        return command_fail(command, err == -ECANCELED ? TUNE_INTERRUPTED : TUNE_USAGE, "%s",
                            why.text);
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
    if (session->scratch.path &&
        asprintf(&copy, "%s/source-%u.y4m", session->scratch.path, session->n_sources++) < 0)
        return command_fail(session->command, TUNE_USAGE, "out of memory");
    const SourceOptions about = {
        .path = path,
        .copy = copy,
        .width = options->width,
        .height = options->height,
        .pixel_format = options->pixel_format,
        .frame_rate = options->frame_rate,
        .duration = options->duration,
        .stream = options->stream,
        .first_picture = (unsigned)options->first_picture,
        .ignores_errors = options->errors == ERRORS_IGNORE,
        .force_raw = options->force_raw,
        .no_hash = options->no_source_hash || options->dry_run,
    };
    const int err = source_open(source, &about, &why);
    free(copy);
    if (err)
        return command_fail(session->command, TUNE_USAGE, "%s", why.text);
    if (source->is_interlaced)
        progress_say(session->progress,
                     "vmaf-tune: %s: it is interlaced, and encodes are progressive: deinterlace it "
                     "first",
                     path);
    return 0;
}

int session_only_source(Session *session, TuneSource *source)
{
    const TextList *sources = &session->options->sources;
    *source = (TuneSource){0};
    if (sources->n != 1)
        return command_fail(session->command, TUNE_USAGE,
                            sources->n ? "there is to be one --src" : "no video: give --src FILE");
    return session_open_source(session, sources->text[0], source);
}

int session_try_encoder(Session *session, const char *name, SessionEncoder *found, Message *why)
{
    return session_try_encoder_of(session, NULL, &session->ffmpeg, name, found, why);
}

int session_try_encoder_of(Session *session, const char *ffmpeg,
                           const FfmpegDescription *description, const char *name,
                           SessionEncoder *found, Message *why)
{
    found->encoder = encoder_find(&session->encoders, name, why);
    if (!found->encoder)
        return -EINVAL;
    if (session->options->dry_run)
        return 0;
    const int err = encoder_probe(ffmpeg ? ffmpeg : session->options->ffmpeg, description,
                                  found->encoder, &ffmpeg_limits, &found->availability);
    if (err)
        return message_set(why, err, "%s", err == -ECANCELED ? "interrupted" : "out of memory");
    if (!found->availability.usable) {
        *why = found->availability.reason;
        return -ENOENT;
    }
    return 0;
}

int session_find_encoder(Session *session, const char *name, SessionEncoder *encoder)
{
    Message why;
    const int err = session_try_encoder(session, name, encoder, &why);
    return err ? session_fail(session, err, why.text) : 0;
}

Knob session_knob(const SessionEncoder *encoder)
{
    return encoder->availability.usable ? encoder->availability.knob : encoder->encoder->knob;
}

int session_check_preset(const Session *session, const Encoder *encoder, const char *preset)
{
    Message why;
    if (encoder_find_preset(encoder, preset, &why))
        return 0;
    return command_fail(session->command, TUNE_USAGE, "%s", why.text);
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
