/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune encode, search and sample: one search, and what becomes of its answer. */
#include "tune/commands/commands.h"

#include "platform/path.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"
#include "tune/session/quality_search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum QualityCommand { ENCODES, SEARCHES, SAMPLES } QualityCommand;

typedef struct Settings {
    QualityChoice quality;
    QualityCommand what;
    const char *output, *report;
    bool overwrites, video_only, json;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption encode_rows[] = {
    {"output", "FILE", "the encode; its extension decides the container", TEXT_AT(output),
     .short_name = 'o', .file = TUNE_FILE_WRITTEN},
    {"overwrite", NULL, "write it though there is such a file", FLAG_AT(overwrites)},
    {"video-only", NULL, "leave out audio, subtitles and chapters", FLAG_AT(video_only)},
    {"no-verify", NULL, "do not score the encode of all of it", FLAG_AT(quality.no_verify)},
    {"json", NULL, "print JSON", FLAG_AT(json)},
    {"report", "FILE", "write the JSON there, too", TEXT_AT(report), .file = TUNE_FILE_TEXT},
};

static const TuneOption search_rows[] = {
    {"verify", NULL, "encode all of it at the answer, as encode does, and correct the answer",
     FLAG_AT(quality.verifies)},
    {"json", NULL, "print JSON", FLAG_AT(json)},
    {"report", "FILE", "write the JSON there, too", TEXT_AT(report), .file = TUNE_FILE_TEXT},
};

/* -- the result -- */

static int print(const QualitySearch *search, const Settings *settings, const FilmOutput *output)
{
    const TuneCommand *command = search->session->command;
    TextBuffer text;
    int status = 0;
    if (settings->report)
        status = result_print_json(command, settings->report, quality_record(search, output));
    if (status)
        return status;
    if (settings->json)
        return result_print_json(command, NULL, quality_record(search, output));
    if (text_begin(&text))
        quality_print(search, output, text.out);
    return result_print(&text, command, NULL, 0);
}

static int conclude(const QualitySearch *search, const Settings *settings, const FilmOutput *output)
{
    bool is_film;
    Message why;
    const int status = print(search, settings, output);
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

/* The encode appears at its place, or beside it if it misses the goal. */
static int deliver(QualitySearch *search, const char *target, FilmOutput *output, char *missed)
{
    const FilmEncode *answer = quality_answer(search), *nearest = quality_nearest(search);
    const FilmEncode *film = answer ? answer : nearest;
    char *real = NULL;
    if (!film)
        return 0;
    output->left = answer ? NULL : missed;
    int err = answer ? 0 : vmaf_path_behind_links(missed, &real);
    if (!err && rename(film->encode->path, answer ? target : real))
        err = -errno;
    free(real);
    return err ? command_fail(search->session->command, TUNE_NO_RESULT, "cannot write %s: %s",
                              answer ? target : missed, strerror(-err))
               : 0;
}

static int make(QualitySearch *search, const Settings *settings, const char *target)
{
    FilmOutput output = {.path = settings->output};
    char *missed = missed_path(settings->output);
    const bool searches = settings->quality.quality < 0;
    int status = missed ? 0 : session_fail(search->session, -ENOMEM, "out of memory");
    if (!status && searches)
        status = quality_search_samples(search);
    if (!status)
        status = quality_search_films(search);
    if (!status && !search->session->options->dry_run) {
        status = deliver(search, target, &output, missed);
        if (!status)
            status = conclude(search, settings, &output);
    }
    free(missed);
    return status;
}

static int encode_beside(Session *session, const TuneSource *source, const Settings *settings,
                         const char *target)
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

static int encode(Session *session, const TuneSource *source, const Settings *settings)
{
    char *target = NULL;
    if (!command_check_video(session->command, source->path, settings->output,
                             settings->overwrites))
        return TUNE_USAGE;
    int status = 0;
    if (!session->options->dry_run)
        status = session_check_streams(session, source, settings->quality.search.encoder,
                                       settings->output, settings->video_only);
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

static int search(Session *session, const TuneSource *source, const Settings *settings)
{
    QualitySearch found;
    const FilmOutput nothing = {0};
    const SessionOptions *options = session->options;
    const FilmPlace place = {
        .is_wanted = true,
        .folder = options->keeps_encodes ? NULL : session->scratch.path,
        .extension = ".mkv",
        .streams = ENCODE_VIDEO_ONLY,
    };
    int status = quality_search_open(&found, session, source, &settings->quality, &place);
    if (!status)
        status = quality_search_samples(&found);
    if (!status && settings->quality.verifies && found.samples.n)
        status = quality_search_films(&found);
    if (!status && !options->dry_run)
        status = conclude(&found, settings, &nothing);
    quality_search_close(&found);
    return status;
}

static int work(Session *session, const TuneSource *source, void *cookie)
{
    const Settings *settings = cookie;
    return settings->what == ENCODES ? encode(session, source, settings)
                                     : search(session, source, settings);
}

/* -- the commands -- */

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    Settings *settings = cookie;
    const char *name = settings->output ? vmaf_path_name(settings->output) : "";
    const char *dot = strrchr(name, '.');
    if (settings->what == ENCODES && !settings->output)
        return command_fail(command, TUNE_USAGE, "where to? Give --output FILE");
    if (settings->what == ENCODES && (!dot || dot == name || !dot[1]))
        return command_fail(
            command, TUNE_USAGE,
            "%s: the output needs an extension such as .mkv, which tells its format",
            settings->output);
    if (settings->what == SAMPLES && settings->quality.quality < 0)
        return command_fail(command, TUNE_USAGE, "which quality? Give --quality Q");
    const int status = quality_prepare(command, &settings->quality, options);
    return status ? status : session_run(command, options, NAN, work, settings);
}

static int run(const TuneCommand *command, QualityCommand what, int argc, char **argv)
{
    Settings settings = {.quality = quality_choice(), .what = what};
    const bool encodes = what == ENCODES;
    OptionGroup groups[1 + QUALITY_GROUPS] = {
        {"Result", encodes ? encode_rows : search_rows,
         encodes ? sizeof encode_rows / sizeof *encode_rows
                 : sizeof search_rows / sizeof *search_rows,
         &settings},
    };
    quality_option_groups(&settings.quality, groups + 1);
    return session_command(command, argc, argv, groups, 1 + QUALITY_GROUPS, begin, &settings);
}

static int run_encode(const TuneCommand *command, int argc, char **argv)
{
    return run(command, ENCODES, argc, argv);
}

static int run_search(const TuneCommand *command, int argc, char **argv)
{
    return run(command, SEARCHES, argc, argv);
}

static int run_sample(const TuneCommand *command, int argc, char **argv)
{
    return run(command, SAMPLES, argc, argv);
}

const TuneCommand encode_command_of_tune = {
    .name = "encode",
    .operands = "SOURCE",
    .summary = "make a video as small as it can be at a quality",
    .examples = "  vmaf-tune encode film.mkv -o small.mkv --encoder libsvtav1 --min-vmaf 95\n"
                "  vmaf-tune encode film.mkv -o small.mp4 --target vmaf=93 --target vmaf.p1=85\n",
    .run = run_encode,
};

const TuneCommand search_command = {
    .name = "search",
    .operands = "SOURCE",
    .summary = "which quality would that be?",
    .examples = "  vmaf-tune search film.mkv --encoder libx265 --min-vmaf 95\n"
                "  vmaf-tune search film.mkv --target ssimulacra2=75 --samples none --json\n",
    .run = run_search,
};

const TuneCommand sample_command = {
    .name = "sample",
    .operands = "SOURCE",
    .summary = "what would a quality give: score, size, time",
    .examples = "  vmaf-tune sample film.mkv --encoder libx265 --quality 24\n",
    .run = run_sample,
};
