/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/plan/compare_internal.h"

#include "platform/time.h"
#include "tune/command/commands.h"
#include "tune/command/report.h"
#include "tune/options/options.h"
#include "tune/options/output.h"
#include "tune/search/bd_rate.h"
#include "tune/search/goals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    SearchChoice search;
    Goals goals;
    TextList encoders, programs;
    const char *output, *report, *baseline;
    NumberList sweep;
    bool no_bisect, no_parallel, no_speed, json;
    int max_workers;
    int format; /* ReportForm; unknown: by the name of the output */
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"encoder", "A,B,...",
     "which ones, also repeated: NAME, NAME:preset=PRESET, NAME@VARIANT for builds of ffmpeg",
     NAMES_AT(encoders), .other_name = "encoders"},
    {"baseline", "A", "the one that BD-rates are told against (the first)", TEXT_AT(baseline)},
    {"preset", "NAME", "as in x264, for all encoders (medium)", TEXT_AT(search.preset)},
    {"crf-sweep", "Q,Q,...", "measure these instead of searching; needs --no-bisect",
     NUMBERS_AT(sweep, 0, 255)},
    {"no-bisect", NULL, "do not search: needs --crf-sweep", FLAG_AT(no_bisect)},
    {"encoder-ffmpeg-bin", "NAME=PROGRAM", "the ffmpeg of one of the encoders; repeat it for each",
     TEXTS_AT(programs)},
    {"no-parallel", NULL, "one encoder after the other, each with all --jobs",
     FLAG_AT(no_parallel)},
    {"max-workers", "N", "encoders at a time (as many as --jobs)", INTEGER_AT(max_workers, 1, 256)},
    {"no-speed", NULL, "leave out speeds that would take further encodes", FLAG_AT(no_speed)},
    {"format", NULL, "of the result (as the name of the file says, else markdown)",
     CHOICE_AT(format, "markdown|json|csv|html")},
    {"json", NULL, "JSON on standard output", FLAG_AT(json)},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
    {"report", "FILE", "also write it to a .json, .csv, .md or .html", TEXT_AT(report),
     .file = TUNE_FILE_TEXT},
};

/* -- who takes part -- */

static int check_settings(const Session *session, const Settings *settings)
{
    const TuneCommand *command = session->command;
    if (!settings->encoders.n)
        return command_fail(command, TUNE_USAGE,
                            "no encoders: give --encoders libx264,libx265,...");
    if (!command_check_output(command, settings->output) ||
        !command_check_output(command, settings->report))
        return TUNE_USAGE;
    if (settings->report && report_form_of(settings->report) == REPORT_UNKNOWN)
        return command_fail(command, TUNE_USAGE, "--report %s: expected .json, .csv, .md or .html",
                            settings->report);
    if (settings->no_bisect != (settings->sweep.n > 0))
        return command_fail(command, TUNE_USAGE, "--no-bisect and --crf-sweep belong together");
    for (size_t i = 0; i < settings->encoders.n; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(settings->encoders.text[i], settings->encoders.text[j]))
                return command_fail(command, TUNE_USAGE, "--encoders: %s is there twice",
                                    settings->encoders.text[i]);
    return 0;
}

/* Takes a token apart. 0; -EINVAL, -ENOMEM. */
static int read_token(const char *token, Contender *contender)
{
    const char *colon = strchr(token, ':');
    contender->token = token;
    contender->name = strndup(token, strcspn(token, "@:"));
    if (!contender->name)
        return message_set(&contender->why, -ENOMEM, "out of memory");
    if (colon && (strncmp(colon, ":preset=", 8) || strchr(colon + 1, ':')))
        return message_set(&contender->why, -EINVAL,
                           "--encoder %s: expected NAME or NAME:preset=PRESET", token);
    contender->preset = colon ? colon + 8 : NULL;
    return 0;
}

/* NAME=PROGRAM: the ffmpeg of the contenders with that name, or NAME@VARIANT. False: none has it.
 */
static bool take_program(Comparison *comparison, const char *text)
{
    const size_t length = strcspn(text, "=");
    bool is_taken = false;
    for (size_t i = 0; i < comparison->n && text[length] && text[length + 1]; i++) {
        Contender *contender = &comparison->contenders[i];
        if (strcspn(contender->token, ":") != length || strncmp(contender->token, text, length))
            continue;
        contender->ffmpeg = text + length + 1;
        is_taken = true;
    }
    return is_taken;
}

/* The program and the encoder. 0; -ECANCELED, -ENOMEM, or -EINVAL for one that nobody knows; else
 * it may be that it is not usable, and why. */
static int try_contender(Session *session, Contender *contender)
{
    int err = 0;
    if (!encoder_find(&session->encoders, contender->name, &contender->why))
        return -EINVAL;
    if (contender->ffmpeg)
        err = ffmpeg_describe(contender->ffmpeg, &session_ffmpeg_limits, &contender->described,
                              &contender->why);
    if (!err)
        err = session_try_encoder(session, contender->ffmpeg, &contender->described,
                                  contender->name, &contender->encoder, &contender->why);
    contender->is_usable = !err;
    return err == -ECANCELED || err == -ENOMEM ? err : 0;
}

static int find_contenders(Session *session, const Settings *settings, Comparison *comparison)
{
    const TextList *tokens = &settings->encoders, *programs = &settings->programs;
    const char *baseline = settings->baseline;
    int status = check_settings(session, settings);
    if (status)
        return status;
    comparison->contenders = calloc(tokens->n, sizeof(*comparison->contenders));
    if (!comparison->contenders)
        return session_fail(session, -ENOMEM, "out of memory");
    for (; comparison->n < tokens->n && !status; comparison->n++) {
        Contender *contender = &comparison->contenders[comparison->n];
        const int err = read_token(tokens->text[comparison->n], contender);
        status = err ? session_fail(session, err, contender->why.text) : 0;
    }
    for (size_t i = 0; i < programs->n && !status; i++)
        if (!take_program(comparison, programs->text[i]))
            status = command_fail(session->command, TUNE_USAGE,
                                  "--encoder-ffmpeg-bin %s: expected NAME=PROGRAM with a name of "
                                  "--encoders",
                                  programs->text[i]);
    for (size_t i = 0; i < comparison->n && !status; i++) {
        Contender *contender = &comparison->contenders[i];
        const int err = try_contender(session, contender);
        status = err ? session_fail(session, err, contender->why.text) : 0;
        if (baseline && !strcmp(contender->token, baseline))
            comparison->baseline = i;
    }
    if (!status && baseline && strcmp(tokens->text[comparison->baseline], baseline) != 0)
        status = command_fail(session->command, TUNE_USAGE, "--baseline %s is none of the encoders",
                              baseline);
    return status;
}

static void free_comparison(Comparison *comparison)
{
    for (size_t i = 0; i < comparison->n; i++) {
        search_group_free(&comparison->contenders[i].group);
        ffmpeg_description_free(&comparison->contenders[i].described);
        free(comparison->contenders[i].name);
        free(comparison->contenders[i].speeds);
    }
    free(comparison->contenders);
}

/* -- what is to be done -- */

/* A range for all encoders is cut to what each of them has. */
static SearchChoice choice_for(const SearchChoice *choice, const Contender *contender)
{
    const Encoder *encoder = contender->encoder.encoder;
    SearchChoice own = *choice;
    if (contender->preset)
        own.preset = contender->preset;
    if (own.lowest < encoder->qualities.lowest && own.lowest >= 0)
        own.lowest = encoder->qualities.lowest;
    if (own.highest > encoder->qualities.highest)
        own.highest = encoder->qualities.highest;
    return own;
}

/* True if a contender can take part; else why not. */
static bool can_take_part(const Settings *settings, const Encoder *encoder, const SearchChoice *own,
                          Message *why)
{
    const QualityRange *range = &encoder->qualities;
    for (size_t i = 0; i < settings->sweep.n; i++) {
        const double q = settings->sweep.value[i];
        if (q < range->lowest || q > range->highest)
            return message_set(why, false, "%s has %s from %d to %d, so %g cannot be measured",
                               encoder->name, encoder->quality_name, range->lowest, range->highest,
                               q);
    }
    if (own->lowest > range->highest || (own->highest >= 0 && own->lowest > own->highest))
        return message_set(why, false, "%s has %s from %d to %d, nothing of which is searched",
                           encoder->name, encoder->quality_name, range->lowest, range->highest);
    return encoder_find_preset(encoder, own->preset, why) != NULL;
}

/* A contender that cannot take part is excluded, and its reason kept. */
static int plan_contender(const Session *session, const Settings *settings,
                          const Comparison *comparison, Contender *contender)
{
    const SearchChoice own = choice_for(&settings->search, contender);
    SearchGroup *group = &contender->group;
    contender->is_usable =
        can_take_part(settings, contender->encoder.encoder, &own, &contender->why);
    if (!contender->is_usable)
        return 0;
    *group = (SearchGroup){
        .choice = &settings->search,
        .targets = comparison->targets,
        .n_targets = comparison->n_targets,
        .sweep = settings->sweep.value,
        .n_sweep = settings->sweep.n,
    };
    const int status =
        search_make_plan(session, &own, comparison->video, &contender->encoder, &group->plan);
    if (status)
        return status;
    group->plan.spec.ffmpeg = contender->ffmpeg;
    group->plan.spec.ffmpeg_version = contender->ffmpeg ? contender->described.line : NULL;
    contender->speeds = calloc(comparison->n_targets, sizeof(*contender->speeds));
    for (size_t t = 0; contender->speeds && t < comparison->n_targets; t++)
        contender->speeds[t] = NAN;
    return !contender->speeds || search_group_prepare(group)
               ? session_fail(session, -ENOMEM, "out of memory")
               : 0;
}

static int plan_all(const Session *session, const Settings *settings, Comparison *comparison)
{
    const SearchChoice *choice = &settings->search;
    int status = 0;
    if (choice->lowest >= 0 && choice->highest >= 0 && choice->lowest > choice->highest)
        return command_fail(session->command, TUNE_USAGE, "--crf-min %g is above --crf-max %g",
                            choice->lowest, choice->highest);
    for (size_t i = 0; i < comparison->n && !status; i++)
        if (comparison->contenders[i].is_usable)
            status = plan_contender(session, settings, comparison, &comparison->contenders[i]);
    return status;
}

static int dry_run(const Session *session, const Comparison *comparison)
{
    int status = 0;
    for (size_t i = 0; i < comparison->n && !status; i++)
        if (comparison->contenders[i].is_usable)
            status = search_group_print_commands(session, comparison->measurer->measurer,
                                                 &comparison->contenders[i].group);
    return status;
}

/* -- doing it -- */

/* Groups side by side, as they are run. */
static int run_groups(const Settings *settings, Comparison *comparison, Message *why)
{
    SearchGroup *groups = calloc(comparison->n, sizeof(*groups));
    size_t n = 0;
    if (!groups)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < comparison->n; i++)
        if (comparison->contenders[i].is_usable)
            groups[n++] = comparison->contenders[i].group;
    const int at_once = settings->no_parallel ? 1 : settings->max_workers;
    const int err = search_groups_run(comparison->measurer->measurer, groups, n, at_once, why);
    free(groups); /* what they point to is the contenders' */
    return err;
}

/* Takes no reference. */
static int print_as(const Session *session, json_t *found, ReportForm form, const char *path)
{
    TextBuffer text;
    if (!found || form == REPORT_JSON || form == REPORT_HTML)
        return report_form_write(session->command, path, form, json_incref(found));
    FILE *out = text_begin(&text);
    const int err = !out ? -ENOMEM
                    : form == REPORT_CSV
                        ? compare_print_csv(found, out)
                        : compare_print_markdown(found, &session->gates.gate[0], out);
    return result_print(&text, session->command, path, err);
}

static int conclude(const Session *session, const Settings *settings, const Comparison *comparison)
{
    json_t *found = compare_record(comparison);
    const bool both = settings->json && settings->output;
    bool has_answer = false;
    const json_t *row;
    size_t i;
    ReportForm form = (ReportForm)settings->format;
    if (form == REPORT_UNKNOWN)
        form = report_form_of(settings->output);
    if (form == REPORT_UNKNOWN)
        form = settings->json && !both ? REPORT_JSON : REPORT_MARKDOWN;
    int status = print_as(session, found, form, settings->output);
    if (!status && both)
        status = print_as(session, found, REPORT_JSON, NULL);
    if (!status && settings->report)
        status = print_as(session, found, report_form_of(settings->report), settings->report);
    json_array_foreach(json_object_get(found, "rows"), i, row) has_answer |=
        json_is_true(json_object_get(row, "ok"));
    if (!status && !has_answer)
        status = command_fail(session->command, TUNE_NO_RESULT, "no encoder reaches a target");
    json_decref(found);
    return status;
}

static int compare(Session *session, const Settings *settings, Comparison *comparison)
{
    Message why;
    const int64_t start = vmaf_steady_ms();
    int err = run_groups(settings, comparison, &why);
    comparison->source_kbps = compare_source_kbps(comparison->video, comparison->measurer);
    if (!err && compare_measure_speeds(session, comparison, !settings->no_speed))
        err = message_set(&why, -ECANCELED, "interrupted");
    comparison->wall_ms = (double)(vmaf_steady_ms() - start);
    const int status = conclude(session, settings, comparison);
    return err ? session_fail(session, err, why.text) : status;
}

static int run_session(Session *session, const TuneSource *source, void *cookie)
{
    const Settings *settings = cookie;
    SessionMeasurer measurer = {0};
    Comparison comparison = {
        .targets = settings->goals.values.value,
        .n_targets = settings->goals.values.n,
        .preset = settings->search.preset,
        .video = source,
        .options = session->options,
        .measurer = &measurer,
        .gates = &session->gates,
        .has_deltas =
            settings->goals.values.n >= BD_MIN_POINTS || settings->sweep.n >= BD_MIN_POINTS,
    };
    goals_lead(&settings->goals, &session->gates);
    int status = find_contenders(session, settings, &comparison);
    if (!status)
        status = plan_all(session, settings, &comparison);
    if (!status)
        status = session_open_measurer(session, source, NULL, &measurer);
    if (!status && session->options->dry_run)
        status = dry_run(session, &comparison);
    else if (!status)
        status = compare(session, settings, &comparison);
    free_comparison(&comparison);
    session_close_measurer(&measurer);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    Settings *settings = cookie;
    double score = options->require.n ? NAN : 92;
    const NumberList usual = {&score, 1};
    return goals_run(&settings->goals, command, options, &usual, run_session, settings);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.search = search_choice(), .format = REPORT_UNKNOWN};
    const OptionGroup groups[] = {
        goals_option_group(&settings.goals),
        {"Compare", rows, sizeof rows / sizeof *rows, &settings},
        search_option_group(&settings.search),
    };
    return session_command(command, argc, argv, groups, 3, begin, &settings);
}

const TuneCommand compare_command = {
    .name = "compare",
    .operands = "SOURCE",
    .summary = "which encoder needs least for a score",
    .examples = "  vmaf-tune compare film.mkv --encoders libx264,libx265,libsvtav1 -j 3\n"
                "  vmaf-tune compare film.mkv --encoder libx265 --encoder "
                "libx265:preset=slow --target vmaf=80,85,90,95 -o page.html\n",
    .run = run_command,
};
