/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune encode, search and sample: one search, and what becomes of its answer. */
#include "tune/commands/commands.h"
#include "tune/commands/quality_command.h"
#include "tune/commands/report.h"

#include "common/json.h"
#include "platform/path.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"
#include "tune/session/quality_search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) .target = offsetof(QualitySettings, member)

static const TuneOption encode_rows[] = {
    {"output", "FILE", "the encode; its extension decides the container", TEXT_AT(output),
     .short_name = 'o', .file = TUNE_FILE_WRITTEN},
    {"overwrite", NULL, "write it though there is such a file", FLAG_AT(overwrites)},
    {"from", "FILE", "as this result says: JSON of search, bisect, compare and others; no search",
     TEXT_AT(from), .file = TUNE_FILE_READ, .other_name = "profile"},
    {"auto", NULL, "choose the size and the encoder, too", FLAG_AT(is_auto)},
    {"allow-codecs", "NAMES", "with --auto: encoders to choose from (libx264)",
     NAMES_AT(choice.codecs)},
    {"rungs", "HEIGHTS", "with --auto: heights to choose from (those of a ladder from 2160 on)",
     INTEGERS_AT(choice.heights, 16, 32768)},
    {"video-only", NULL, "leave out audio, subtitles and chapters", FLAG_AT(video_only)},
    {"no-verify", NULL, "do not score the encode of all of it", FLAG_AT(quality.no_verify)},
    {"json", NULL, "print JSON", FLAG_AT(json)},
    {"report", "FILE", "write it there, too: .json, .csv, .md or .html", TEXT_AT(report),
     .file = TUNE_FILE_TEXT, .other_name = "result"},
};

static const TuneOption search_rows[] = {
    {"per-shot", NULL, "search for a quality of each shot, too", FLAG_AT(per_shot)},
    {"verify", NULL, "encode all of it at the answer, as encode does, and correct the answer",
     FLAG_AT(quality.verifies)},
    {"from", "ROWS", "choose among rows of a corpus, and encode nothing", TEXT_AT(from),
     .file = TUNE_FILE_READ},
    {"json", NULL, "print JSON", FLAG_AT(json)},
    {"report", "FILE", "write it there, too: .json, .csv, .md or .html", TEXT_AT(report),
     .file = TUNE_FILE_TEXT},
};

/* -- the result -- */

/* "crf-search-done" and so on: a line for each encode, then one for the answer. */
static int print_lines(const QualitySearch *search)
{
    const TuneCommand *command = search->session->command;
    const FilmOutput nothing = {0};
    char kind[64];
    json_t *record = quality_record(search, &nothing), *one;
    json_t *measurements = json_object_get(record, "measurements");
    json_t *answer = json_object_get(record, "answer");
    size_t i;
    TextBuffer text;
    FILE *out = text_begin(&text);
    int err = record && out ? 0 : -ENOMEM;
    json_array_foreach(measurements, i, one)
    {
        err |= json_put_text(one, "type", "sample-encode-done");
        if (!err && !(err = json_document_print(one, 0, out)))
            fputc('\n', out);
    }
    snprintf(kind, sizeof kind, "%s-%s", command->name,
             json_is_true(json_object_get(answer, "reached")) ? "done" : "error");
    if (strcmp(command->name, "sample-encode")) {
        err |= json_put_text(answer, "type", kind);
        if (!err && !(err = json_document_print(answer, 0, out)))
            fputc('\n', out);
    }
    json_decref(record);
    return result_print(&text, command, NULL, err);
}

/* The shots beside what was found of the whole, if they were looked at. */
static json_t *record_of(const QualitySearch *search, const FilmOutput *output, const json_t *shots)
{
    json_t *json = quality_record(search, output);
    if (json && shots && json_object_set(json, "shots", (json_t *)shots))
        return json_unless(-ENOMEM, json);
    return json;
}

static int print(const QualitySearch *search, const QualitySettings *settings,
                 const FilmOutput *output, const json_t *shots)
{
    const TuneCommand *command = search->session->command;
    TextBuffer text;
    int status = 0;
    if (settings->print)
        return settings->print(search, settings, output);
    if (settings->report)
        status = report_write(command, settings->report, record_of(search, output, shots));
    if (status || (settings->report && settings->format == QUALITY_JSON))
        return status;
    if (settings->format == QUALITY_LINES)
        return print_lines(search);
    if (settings->json || settings->format == QUALITY_JSON)
        return result_print_json(command, NULL, record_of(search, output, shots));
    if (text_begin(&text))
        quality_print(search, output, text.out);
    return result_print(&text, command, NULL, 0);
}

static int conclude(const QualitySearch *search, const QualitySettings *settings,
                    const FilmOutput *output, const json_t *shots)
{
    bool is_film;
    Message why;
    progress_destroy(search->session->progress); /* whose line the result would follow */
    search->session->progress = NULL;
    const int status = print(search, settings, output, shots);
    if (status || quality_best(search, &is_film))
        return status;
    quality_explain(search, &why);
    return command_fail(search->session->command, TUNE_NO_RESULT, "%s", why.text);
}

/* -- encode -- */

/* film.mkv: film.missed.mkv; free. */
static char *missed_path(const char *path)
{
    const char *dot = strrchr(vmaf_path_name(path), '.');
    char *missed;
    return asprintf(&missed, "%.*s.missed%s", (int)(dot - path), path, dot) < 0 ? NULL : missed;
}

/* The encode appears at its place, or beside it if it misses the goal, or somebody took the place.
 */
static int deliver(QualitySearch *search, const QualitySettings *settings, const char *target,
                   FilmOutput *output, char *missed)
{
    const TuneCommand *command = search->session->command;
    const FilmEncode *answer = quality_answer(search), *nearest = quality_nearest(search);
    const FilmEncode *film = answer ? answer : nearest;
    const bool is_there = answer || settings->delivers_missed;
    char *real = NULL;
    if (!film)
        return 0;
    const bool is_taken = is_there && !command_check_video(command, search->source->path,
                                                           settings->output, settings->overwrites);
    output->left = is_there && !is_taken ? NULL : missed;
    int err = output->left ? vmaf_path_behind_links(missed, &real) : 0;
    if (!err && rename(film->encode->path, real ? real : target))
        err = -errno;
    free(real);
    if (err)
        return command_fail(command, TUNE_NO_RESULT, "cannot write %s: %s",
                            output->left ? missed : settings->output, strerror(-err));
    return is_taken ? command_fail(command, TUNE_NO_RESULT, "so the encode is %s", missed) : 0;
}

/* The command lines for the film, at the encoder's usual quality where it would be searched. */
static int print_film_commands(const QualitySearch *search, const QualitySettings *settings)
{
    EncodeSpec spec = search->plan.spec;
    const double quality = settings->quality.quality;
    Message why;
    spec.q = quality >= 0 ? quality : spec.encoder->default_q;
    spec.streams = search->streams;
    char *lines = measure_plain_commands(search->on_film.measurer, &spec, settings->output, &why);
    if (!lines)
        return session_fail(search->session, -EINVAL, why.text);
    fputs(lines, stdout);
    free(lines);
    return 0;
}

static int make(QualitySearch *search, const QualitySettings *settings, const char *target)
{
    FilmOutput output = {.path = settings->output};
    char *missed = missed_path(settings->output);
    const bool searches = settings->quality.quality < 0;
    int status = missed ? 0 : session_fail(search->session, -ENOMEM, "out of memory");
    if (!status && searches)
        status = quality_search_samples(search);
    const bool runs = !search->session->options->dry_run;
    if (!status)
        status = runs ? quality_search_films(search) : print_film_commands(search, settings);
    if (!status && runs) {
        status = deliver(search, settings, target, &output, missed);
        if (!status)
            status = conclude(search, settings, &output, NULL);
    }
    free(missed);
    return status;
}

static int encode_beside(Session *session, const TuneSource *source,
                         const QualitySettings *settings, const char *target)
{
    ScratchFolder folder = {0};
    QualitySearch search;
    const bool runs = !session->options->dry_run;
    const int err = runs ? scratch_folder_make(&folder, target) : 0;
    const FilmPlace place = {
        .is_wanted = true,
        .folder = runs ? folder.path : ".",
        .extension = strrchr(settings->output, '.'),
        .streams = settings->video_only ? ENCODE_VIDEO_ONLY : ENCODE_WITH_ALL_STREAMS,
        .output = settings->output,
    };
    if (err)
        return command_fail(session->command, TUNE_USAGE, "cannot write %s: %s", settings->output,
                            strerror(-err));
    int status = quality_search_open(&search, session, source, &settings->quality, &place);
    if (!status)
        status = make(&search, settings, target);
    quality_search_close(&search);
    scratch_folder_remove(&folder);
    return status;
}

/* Tells that a result was found for another video. */
static void compare_profile(const Session *session, const TuneSource *source,
                            const Profile *profile)
{
    HdrTags tags;
    if (profile->has_hdr_arguments && !session_find_hdr(session, source, &tags))
        progress_print(session->progress, "vmaf-tune: %s is not HDR, and the profile is for HDR",
                       source->path);
    if (profile->sha256 && *source->sha256 && strcmp(profile->sha256, source->sha256) != 0)
        progress_print(session->progress,
                       "vmaf-tune: %s is not the video that the profile was made for",
                       source->path);
}

/* Neither place is the source's; that of what misses the goal may have an older one of those. */
static bool check_places(const Session *session, const TuneSource *source,
                         const QualitySettings *settings)
{
    char *missed = missed_path(settings->output);
    const bool are_good =
        command_check_video(session->command, source->path, settings->output,
                            settings->overwrites) &&
        (!missed || command_check_video(session->command, source->path, missed, true));
    free(missed);
    return are_good;
}

static int encode(Session *session, const TuneSource *source, const QualitySettings *settings)
{
    char *target = NULL;
    if (!check_places(session, source, settings))
        return TUNE_USAGE;
    if (settings->profile)
        compare_profile(session, source, settings->profile);
    Message why;
    const Encoder *encoder =
        encoder_find(&session->encoders, settings->quality.search.encoder, &why);
    if (!encoder)
        return command_fail(session->command, TUNE_USAGE, "%s", why.text);
    int status = 0;
    if (!session->options->dry_run)
        status = session_check_streams(session, source, encoder->name, settings->output,
                                       settings->video_only);
    if (status)
        return status;
    const int err = vmaf_path_behind_links(settings->output, &target);
    if (err)
        return command_fail(session->command, TUNE_USAGE, "cannot write %s: %s", settings->output,
                            strerror(-err));
    status = encode_beside(session, source, settings, target);
    free(target);
    return status;
}

/* -- search and sample -- */

static int search(Session *session, const TuneSource *source, const QualitySettings *settings)
{
    QualitySearch found;
    json_t *shots = NULL;
    const FilmOutput nothing = {0};
    const SessionOptions *options = session->options;
    /* Older names print no commands, and keep what they encode in the cache. */
    const FilmPlace place = {
        .is_wanted = !settings->print || settings->quality.verifies,
        .folder = options->keeps_encodes || settings->print ? NULL : session->scratch.path,
        .extension = ".mkv",
        .streams = ENCODE_VIDEO_ONLY,
        .output = settings->print ? NULL : QUALITY_OUTPUT,
    };
    const bool shows_film = options->dry_run && place.output;
    int status = quality_search_open(&found, session, source, &settings->quality, &place);
    if (!status)
        status = quality_search_samples(&found);
    if (!status && settings->per_shot)
        status = quality_search_shots(&found, &shots);
    if (!status && (shows_film || (settings->quality.verifies && found.samples.n)))
        status = quality_search_films(&found);
    if (!status && !options->dry_run)
        status = conclude(&found, settings, &nothing, shots);
    json_decref(shots);
    quality_search_close(&found);
    return status;
}

static int work(Session *session, const TuneSource *source, void *cookie)
{
    QualitySettings *settings = cookie;
    if (settings->is_auto && !session->options->dry_run) {
        const int status = auto_choose(session, source, &settings->choice, &settings->quality);
        if (status)
            return status;
    }
    return settings->kind == ENCODES ? encode(session, source, settings)
                                     : search(session, source, settings);
}

/* -- the commands -- */

static int append(TextList *list, const char *format, const char *text)
{
    char **grown = realloc(list->text, (list->n + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    list->text = grown;
    if (asprintf(&grown[list->n], format, text) < 0)
        return -ENOMEM;
    list->n++;
    return 0;
}

int leave_out_chapters(TextList *extra)
{
    const int err = append(extra, "%s", "-map_chapters");
    return err ? err : append(extra, "%s", "-1");
}

/* What other names have as options of their own. */
static int add_arguments(QualitySettings *settings, SessionOptions *options)
{
    int err = 0;
    if (settings->audio_codec) {
        snprintf(settings->audio, sizeof settings->audio, "-c:a %s", settings->audio_codec);
        options->audio = settings->audio;
    }
    if (settings->video_only)
        err = leave_out_chapters(&options->extra);
    for (size_t i = 0; i < settings->svt.n && !err; i++)
        err = append(&options->enc, "svtav1-params=%s", settings->svt.text[i]);
    return err;
}

/* film.libsvtav1.mkv beside film.mov. */
static char *usual_output(const QualitySettings *settings, const SessionOptions *options)
{
    const char *path = options->sources.n ? options->sources.text[0] : "video";
    const char *dot = strrchr(vmaf_path_name(path), '.');
    const int stem = dot ? (int)(dot - path) : (int)strlen(path);
    char *made;
    return asprintf(&made, "%.*s.%s.mkv", stem, path, settings->quality.search.encoder) < 0 ? NULL
                                                                                            : made;
}

static int start(const TuneCommand *command, SessionOptions *options, QualitySettings *settings)
{
    const char *name = settings->output ? vmaf_path_name(settings->output) : "";
    const char *dot = strrchr(name, '.');
    if (settings->kind != ENCODES && settings->output)
        settings->report = settings->output;
    if (settings->kind == ENCODES && !settings->output)
        return command_fail(command, TUNE_USAGE, "where to? Give --output FILE");
    if (settings->kind == ENCODES && (!dot || dot == name || !dot[1]))
        return command_fail(
            command, TUNE_USAGE,
            "%s: the output needs an extension such as .mkv, which tells its format",
            settings->output);
    if (settings->kind == SAMPLES && settings->quality.quality < 0)
        return command_fail(command, TUNE_USAGE, "which quality? Give --quality Q");
    if (add_arguments(settings, options))
        return command_fail(command, TUNE_NO_RESULT, "out of memory");
    double target;
    const int status = quality_prepare(command, &settings->quality, options, &target);
    if (!status && settings->from && settings->kind != ENCODES)
        return rows_search(command, settings, options, target);
    return status ? status : session_run(command, options, target, work, settings);
}

/* The quality of the profile, and what else its encode was given; its target is a gate. */
static int follow(const Profile *profile, QualitySettings *settings, SessionOptions *options)
{
    QualityChoice *quality = &settings->quality;
    ScorePool pool;
    int err = 0;
    quality->search.encoder = profile->encoder;
    quality->search.preset = profile->preset;
    quality->quality = profile->q;
    if (!quality->targets.n && isnan(quality->min_vmaf))
        quality->min_vmaf = profile->target;
    options->two_pass |= profile->two_pass;
    if (!options->ffmpeg_threads)
        options->ffmpeg_threads = profile->threads;
    quality->any_threads |= !profile->threads; /* as those commands have it */
    if (!options->model)
        options->model = profile->model;
    if (profile->pool && !options->pool && score_pool_named(profile->pool, &pool))
        options->pool = (int)pool;
    if (!options->sources.n && profile->source)
        err = append(&options->sources, "%s", profile->source);
    if (options->sources.n && profile->source &&
        !strcmp(options->sources.text[0], profile->source)) {
        options->stream = options->stream < 0 ? profile->stream : options->stream;
        if (!options->first_picture)
            options->first_picture = profile->first_picture;
        if (profile->ignores_errors)
            options->errors = ERRORS_IGNORE;
    }
    for (size_t i = 0; i < profile->n_extra && !err; i++)
        err = append(&options->extra, "%s", profile->extra[i]);
    return err;
}

/* Reads, of several results, the one that the options name, be it for another source. */
static int load_profile(const TuneCommand *command, const SessionOptions *options,
                        const QualitySettings *settings, Profile *profile)
{
    const QualityChoice *quality = &settings->quality;
    ProfileChoice choice = {
        .encoder = quality->search.encoder,
        .preset = quality->search.preset,
        .source = options->sources.n ? options->sources.text[0] : NULL,
        .target = quality->min_vmaf,
        .q = quality->quality,
    };
    Message why;
    int err = profile_load(profile, settings->from, &choice, &why);
    if (err == -ENODATA) {
        profile_free(profile);
        choice.source = NULL;
        choice.target = NAN;
        err = profile_load(profile, settings->from, &choice, &why);
    }
    return err ? command_fail(command, err == -ENODATA ? TUNE_NO_RESULT : TUNE_USAGE, "%s",
                              why.text)
               : 0;
}

static int start_from(const TuneCommand *command, SessionOptions *options,
                      QualitySettings *settings)
{
    Profile profile;
    int status = load_profile(command, options, settings, &profile);
    settings->profile = &profile;
    options->no_cache |= settings->needs_profile; /* it is made once, and is measured itself */
    if (!status && follow(&profile, settings, options))
        status = command_fail(command, TUNE_NO_RESULT, "out of memory");
    if (!status && !options->sources.n)
        status = command_fail(command, TUNE_USAGE, "the profile names no video: give SOURCE");
    if (!status)
        status = start(command, options, settings);
    settings->profile = NULL;
    profile_free(&profile);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    QualitySettings *settings = cookie;
    char *made = NULL;
    if (settings->needs_profile && (!settings->from || !settings->output))
        return command_fail(command, TUNE_USAGE, "--profile FILE and --output FILE are needed");
    settings->choice.budget = INFINITY;
    const bool searches_encoder = settings->is_auto && !options->dry_run;
    if (!settings->from && !searches_encoder && !settings->quality.search.encoder)
        settings->quality.search.encoder = search_choice().encoder;
    if (settings->makes_output && !settings->output)
        settings->output = made = usual_output(settings, options);
    const int status = settings->from && settings->kind == ENCODES
                           ? start_from(command, options, settings)
                           : start(command, options, settings);
    free(made);
    return status;
}

int quality_command_run(const TuneCommand *command, QualitySettings *settings,
                        const OptionGroup *more, int argc, char **argv)
{
    const bool encodes = settings->kind == ENCODES;
    QualityHelp help;
    OptionGroup groups[2 + QUALITY_GROUPS] = {
        {"Result", encodes ? encode_rows : search_rows,
         encodes ? sizeof encode_rows / sizeof *encode_rows
                 : sizeof search_rows / sizeof *search_rows,
         settings},
    };
    quality_option_groups(&settings->quality, &help, groups + 1);
    if (more)
        groups[1 + QUALITY_GROUPS] = *more;
    return session_command(command, argc, argv, groups, 1 + QUALITY_GROUPS + (more != NULL), begin,
                           settings);
}
