/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune encode, search and sample: one search, and what becomes of its answer. */
#include "tune/command/quality_command.h"
#include "tune/command/report.h"

#include "common/json.h"
#include "platform/path.h"
#include "tune/options/options.h"
#include "tune/options/output.h"
#include "tune/search/quality_search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))
#define AT(member)  .target = offsetof(QualitySettings, member)

/* What all have that may make videos stands first. */
static const TuneOption encode_rows[] = {
    {"allow-codecs", "NAMES", "of --auto: encoders to choose from (libx264)",
     NAMES_AT(choice.codecs)},
    {"rungs", "HEIGHTS",
     "of --auto: heights to choose from (the source's; of 2160 lines and more also 1440, 1080, "
     "720, 540)",
     INTEGERS_AT(choice.heights, 16, 32768)},
    {"video-only", NULL, "leave out audio, subtitles and chapters", FLAG_AT(video_only)},
    {"output", "FILE", "the encode; its extension decides the container", TEXT_AT(output),
     .short_name = 'o', .file = TUNE_FILE_WRITTEN},
    {"overwrite", NULL, "write it though there is such a file", FLAG_AT(overwrites)},
    {"from", "FILE", "as this result says: JSON of search, bisect, compare and others; no search",
     TEXT_AT(from), .file = TUNE_FILE_READ, .other_name = "profile"},
    {"auto", NULL, "choose the size and the encoder, too", FLAG_AT(is_auto)},
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
     .file = TUNE_FILE_READ, .other_name = "from-corpus"},
    {"json", NULL, "print JSON", FLAG_AT(json)},
    {"report", "FILE", "write it there, too: .json, .csv, .md or .html", TEXT_AT(report),
     .file = TUNE_FILE_TEXT},
};

/* -- the result -- */

/* "crf-search-done" and so on: a line for each encode, then one for the answer if that is more. */
static int print_lines(const TuneCommand *command, bool has_answer, json_t *record)
{
    json_t *measurements = json_object_get(record, "measurements");
    json_t *answer = json_object_get(record, "answer");
    const size_t n = json_array_size(measurements);
    char kind[64];
    TextBuffer text;
    FILE *out = text_begin(&text);
    int err = record && out ? 0 : -ENOMEM;
    snprintf(kind, sizeof kind, "%s-%s", command->name,
             json_is_true(json_object_get(answer, "reached")) ? "done" : "error");
    for (size_t i = 0; i < n + has_answer && !err; i++) {
        json_t *one = i < n ? json_array_get(measurements, i) : answer;
        err = json_put_text(one, "type", i < n ? "sample-encode-done" : kind);
        if (!err && !(err = json_document_print(one, 0, out)))
            fputc('\n', out);
    }
    json_decref(record);
    return result_print(&text, command, NULL, err);
}

static int print(const QualitySearch *search, const QualitySettings *settings,
                 const FilmOutput *output)
{
    const TuneCommand *command = search->session->command;
    const bool is_old = settings->record != NULL;
    json_t *json = is_old ? settings->record(search) : quality_record(search, output);
    TextBuffer text;
    if (settings->format == QUALITY_JSON ||
        (is_old && (settings->json || report_form_of(settings->report) == REPORT_HTML)))
        return report_file_write(command, settings->report, json);
    int status = 0;
    if (settings->report && !is_old)
        status = report_file_write(command, settings->report, json_incref(json));
    if (!status && settings->format == QUALITY_LINES)
        return print_lines(command, settings->kind != SAMPLES, json);
    if (!status && settings->json)
        return result_print_json(command, NULL, json);
    json_decref(json);
    if (status)
        return status;
    if (text_begin(&text))
        (settings->print ? settings->print : quality_print)(search, output, text.out);
    return result_print(&text, command, is_old ? settings->report : NULL, 0);
}

static int conclude(const QualitySearch *search, const QualitySettings *settings,
                    const FilmOutput *output)
{
    const TuneCommand *command = search->session->command;
    bool is_film;
    Message why;
    progress_destroy(search->session->progress); /* whose line the result would follow */
    search->session->progress = NULL;
    const int status = print(search, settings, output);
    if (status)
        return status;
    if (!quality_best(search, &is_film)) {
        quality_explain(search, &why);
        return command_fail(command, TUNE_NO_RESULT, "%s", why.text);
    }
    const FastEstimate found =
        settings->tolerance < INFINITY ? fast_estimate(search) : (FastEstimate){0};
    if (found.gap > settings->tolerance)
        return command_fail(command, TUNE_DISAGREES,
                            "samples said VMAF %.3f, the whole video has %.3f: more than %g apart",
                            found.vmaf, found.film_vmaf, settings->tolerance);
    return 0;
}

/* -- encode -- */

/* film.mkv: film.missed.mkv; free. */
static char *missed_path(const char *path)
{
    const char *dot = strrchr(vmaf_path_name(path), '.');
    char *missed;
    return asprintf(&missed, "%.*s.missed%s", (int)(dot - path), path, dot) < 0 ? NULL : missed;
}

int place_video(const QualitySearch *search, const char *from, const char *to, bool overwrites)
{
    const TuneCommand *command = search->session->command;
    char *real = NULL;
    if (!command_check_video(command, search->source->path, to, overwrites))
        return TUNE_USAGE;
    int err = vmaf_path_behind_links(to, &real);
    if (!err && rename(from, real ? real : to))
        err = -errno;
    free(real);
    return err ? command_fail(command, TUNE_NO_RESULT, "cannot write %s: %s", to, strerror(-err))
               : 0;
}

/* The encode appears at its place, or beside it if it misses the goal, or somebody took the place.
 */
static int deliver(QualitySearch *search, const QualitySettings *settings, FilmOutput *output,
                   char *missed)
{
    const TuneCommand *command = search->session->command;
    const FilmEncode *answer = quality_answer(search), *nearest = quality_nearest(search);
    const FilmEncode *film = answer ? answer : nearest;
    if (!film)
        return 0;
    const bool is_taken = answer && !command_check_video(command, search->source->path,
                                                         settings->output, settings->overwrites);
    output->left = answer && !is_taken ? NULL : missed;
    const int status =
        place_video(search, film->encode->path, output->left ? missed : settings->output, true);
    return !status && is_taken
               ? command_fail(command, TUNE_NO_RESULT, "so the encode is %s", missed)
               : status;
}

/* Searches, encodes if that is wanted, and prints. A status. */
static int run(Session *session, const TuneSource *source, const QualitySettings *settings,
               const FilmPlace *place, char *missed)
{
    const QualityChoice *quality = &settings->quality;
    const bool encodes = settings->kind == ENCODES, runs = !session->options->dry_run;
    QualitySearch search;
    FilmOutput output = {.path = encodes ? settings->output : NULL};
    int status = quality_search_open(&search, session, source, quality, place);
    if (!status && (!encodes || quality->quality < 0))
        status = quality_search_samples(&search);
    if (!status && settings->per_shot)
        status = quality_search_shots(&search);
    if (!status && (encodes || (!runs && place->output) || (quality->verifies && search.samples.n)))
        status = quality_search_films(&search);
    if (!status && encodes && runs)
        status = deliver(&search, settings, &output, missed);
    if (!status && runs)
        status = conclude(&search, settings, &output);
    quality_search_close(&search);
    return status;
}

/* In a folder beside the output. */
static int encode_beside(Session *session, const TuneSource *source,
                         const QualitySettings *settings, char *missed)
{
    ScratchFolder folder = {0};
    char *target = NULL;
    int err = vmaf_path_behind_links(settings->output, &target);
    if (!err && !session->options->dry_run)
        err = scratch_folder_make(&folder, target);
    free(target);
    const FilmPlace place = {
        .is_wanted = true,
        .folder = folder.path ? folder.path : ".",
        .extension = strrchr(settings->output, '.'),
        .streams = settings->video_only ? ENCODE_VIDEO_ONLY : ENCODE_WITH_ALL_STREAMS,
        .output = settings->output,
    };
    if (err)
        return command_fail(session->command, TUNE_USAGE, "cannot write %s: %s", settings->output,
                            strerror(-err));
    const int status = run(session, source, settings, &place, missed);
    scratch_folder_remove(&folder);
    return status;
}

static int encode(Session *session, const TuneSource *source, const QualitySettings *settings)
{
    const TuneCommand *command = session->command;
    char *missed = missed_path(settings->output);
    Message why;
    /* Neither place is the source's; that of what misses the goal may have an older one of those.
     */
    const bool are_free =
        missed &&
        command_check_video(command, source->path, settings->output, settings->overwrites) &&
        command_check_video(command, source->path, missed, true);
    int status = are_free ? 0 : TUNE_USAGE;
    if (!status && settings->profile)
        profile_compare(session, source, settings);
    const Encoder *encoder =
        encoder_find(&session->encoders, settings->quality.search.encoder, &why);
    if (!status && !encoder)
        status = command_fail(command, TUNE_USAGE, "%s", why.text);
    if (!status)
        status = session_check_streams(session, source, encoder->name, settings->output,
                                       settings->video_only);
    if (!status)
        status = encode_beside(session, source, settings, missed);
    free(missed);
    return status;
}

/* -- search and sample -- */

static int search(Session *session, const TuneSource *source, const QualitySettings *settings)
{
    /* Older names print no commands, and keep what they encode in the cache. */
    const bool is_old = settings->record != NULL;
    const FilmPlace place = {
        .is_wanted = !is_old || settings->quality.verifies,
        .folder = session->options->keeps_encodes || is_old ? NULL : session->scratch.path,
        .extension = ".mkv",
        .streams = ENCODE_VIDEO_ONLY,
        .output = is_old ? NULL : QUALITY_OUTPUT,
    };
    return run(session, source, settings, &place, NULL);
}

static int work(Session *session, const TuneSource *source, void *cookie)
{
    QualitySettings *settings = cookie;
    if (settings->is_auto && !session->options->dry_run) {
        const int status = auto_choose(session, source, settings);
        if (status)
            return status;
    }
    if (settings->kind == CHOOSES)
        return auto_run(session, source, settings);
    return settings->kind == ENCODES ? encode(session, source, settings)
                                     : search(session, source, settings);
}

/* -- the commands -- */

/* What other names have as options of their own. ffmpeg keeps chapters even of a video alone. */
static int add_arguments(QualitySettings *settings, SessionOptions *options)
{
    static const char *const no_chapters[] = {"-map_chapters", "-1"};
    int err = 0;
    if (settings->audio_codec) {
        snprintf(settings->audio, sizeof settings->audio, "-c:a %s", settings->audio_codec);
        options->source.audio = settings->audio;
    }
    for (size_t i = 0; settings->video_only && i < COUNT(no_chapters); i++)
        err |= text_list_add(&options->extra, "%s", no_chapters[i]);
    for (size_t i = 0; i < settings->svt.n; i++)
        err |= text_list_add(&options->enc, "svtav1-params=%s", settings->svt.text[i]);
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
    if (settings->kind == CHOOSES && options->dry_run)
        return command_fail(command, TUNE_USAGE, "there is no --dry-run of it");
    if (settings->kind == SAMPLES && settings->quality.quality < 0)
        return command_fail(command, TUNE_USAGE, "which quality? Give --quality Q");
    if (add_arguments(settings, options))
        return command_fail(command, TUNE_NO_RESULT, "out of memory");
    double target;
    QualityChoice *quality = &settings->quality;
    if (!isnan(settings->kbps) && (!settings->from || !isnan(quality->min_vmaf)))
        return command_fail(command, TUNE_USAGE,
                            "--target-bitrate chooses rows of --from-corpus (which corpus makes), "
                            "and excludes --target-vmaf");
    if (settings->recommends && isnan(quality->min_vmaf)) /* beside other conditions, too */
        quality->min_vmaf = quality->usual_vmaf;
    const int status = quality_prepare(command, quality, options, &target);
    if (!status && settings->from && settings->kind != ENCODES)
        return rows_search(command, settings, options, target);
    return status ? status : session_run(command, options, target, work, settings);
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    QualitySettings *settings = cookie;
    char *made = NULL;
    int status = 0;
    if (settings->needs_profile && (!settings->from || !settings->output))
        return command_fail(command, TUNE_USAGE, "--profile FILE and --output FILE are needed");
    const bool searches_encoder =
        settings->kind == CHOOSES || (settings->is_auto && !options->dry_run);
    if (!settings->from && !searches_encoder && !settings->quality.search.encoder)
        settings->quality.search.encoder = search_choice().encoder;
    if (settings->makes_output && !settings->output)
        settings->output = made = usual_output(settings, options);
    if (settings->from && settings->kind == ENCODES)
        status = profile_follow(command, settings, options);
    if (!status)
        status = start(command, options, settings);
    json_decref(settings->profile);
    free(made);
    return status;
}

int quality_command_run(const TuneCommand *command, QualitySettings *settings,
                        const OptionGroup *more, int argc, char **argv)
{
    enum { OF_VIDEOS = 3 };
    OptionGroup groups[2 + QUALITY_GROUPS] = {
        {"Result", search_rows, COUNT(search_rows), settings}};
    if (settings->kind == ENCODES)
        groups[0] = (OptionGroup){"Result", encode_rows, COUNT(encode_rows), settings};
    else if (settings->kind == CHOOSES)
        groups[0] = (OptionGroup){"Result", encode_rows, OF_VIDEOS, settings};
    quality_option_groups(&settings->quality, groups + 1);
    if (more)
        groups[1 + QUALITY_GROUPS] = *more;
    return session_command(command, argc, argv, groups, 1 + QUALITY_GROUPS + (more != NULL), begin,
                           settings);
}
