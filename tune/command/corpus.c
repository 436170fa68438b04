/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * vmaf-tune corpus: encodes of sources with several encoders, presets and qualities, as rows: all
 * of a grid, or a coarse one and then those around its best point.
 */
#include "tune/command/commands.h"

#include "common/json.h"
#include "common/messages.h"
#include "platform/file.h"
#include "platform/time.h"
#include "tune/options/options.h"
#include "tune/output/corpus_rows.h"
#include "tune/search/search_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Settings {
    TextList encoders, presets; /* none: libx264, and each encoder's default */
    NumberList qualities;
    bool coarse_to_fine, encoder_stats;
    int coarse_step, fine_radius, fine_step;
    double target; /* what coarse to fine looks for; NAN: the best score */
    const char *output;
    bool resumes, overwrites;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"output", "FILE",
     "where rows are written as they are made (corpus.jsonl); - is standard output",
     TEXT_AT(output), .short_name = 'o', .file = TUNE_FILE_WRITTEN},
    {"resume", NULL, "go on with that file: make only what it has not", FLAG_AT(resumes)},
    {"overwrite", NULL, "begin anew, though the file exists", FLAG_AT(overwrites)},
    {"target-vmaf", "X", "the score that --coarse-to-fine looks for (the best one)",
     NUMBER_AT(target, 0, 100)},
};

static const TuneOption grid_rows[] = {
    {"encoder", "NAMES", "FFmpeg's names of encoders (libx264)", NAMES_AT(encoders),
     .other_name = "codec", .short_name = 'e'},
    {"preset", "NAMES", "as in x264, whatever the encoder (medium)", NAMES_AT(presets)},
    {"quality", "LIST", "values of the quality knob", NUMBERS_AT(qualities, 0, 255),
     .other_name = "crf"},
    {"coarse-to-fine", NULL, "a coarse grid instead, and then the values around the best one",
     FLAG_AT(coarse_to_fine)},
    {"coarse-step", "N", "between the values of the coarse grid (10)",
     INTEGER_AT(coarse_step, 1, 255)},
    {"fine-radius", "N", "how far the fine grid goes to either side (5)",
     INTEGER_AT(fine_radius, 0, 255)},
    {"fine-step", "N", "between the values of the fine grid (1)", INTEGER_AT(fine_step, 1, 255)},
    {"encoder-stats", NULL, "keep what x264 and x265 tell of their frames (enc_internal_...)",
     FLAG_AT(encoder_stats)},
};

/* An encoder with a preset. */
typedef struct GridLine {
    SessionEncoder encoder;
    EncodeSpec spec; /* but for its quality */
    QualityRange qualities;
} GridLine;

typedef struct Corpus {
    Session *session;
    const Settings *settings;
    FILE *out; /* where rows are written */
    GridLine *lines;
    size_t n_lines;
    RowTable table;                   /* of this run, and rows that were there */
    json_t *cells;                    /* of rows that are usable: where they stand, by name */
    size_t n_made, n_failed, n_known; /* cells of this run */
} Corpus;

/* -- encoders -- */

/* `preset` NULL: the encoder's default. A status. */
static int add_line(Corpus *corpus, const SessionEncoder *found, const char *preset)
{
    const Session *session = corpus->session;
    const NumberList *qualities = &corpus->settings->qualities;
    GridLine *line = &corpus->lines[corpus->n_lines];
    SessionEncoder *encoder = &line->encoder; /* which the specification refers to */
    *encoder = *found;
    int status = session_check_preset(session, encoder->encoder, preset);
    for (size_t i = 0; i < qualities->n && !status; i++)
        status = session_check_quality(session, encoder, qualities->value[i]);
    line->spec = session_spec(session, encoder, preset);
    line->spec.stats = corpus->settings->encoder_stats && encoder->encoder->stats_file;
    line->spec.two_pass &= encoder->encoder->two_pass != TWO_PASS_NONE;
    line->qualities = session_quality_range(encoder);
    corpus->n_lines++;
    return status;
}

static int add_encoder(Corpus *corpus, const char *name)
{
    const TextList *presets = &corpus->settings->presets;
    SessionEncoder encoder;
    Message why;
    const int err = session_try_encoder(corpus->session, NULL, NULL, name, &encoder, &why);
    if (err == -ENOENT)
        progress_print(corpus->session->progress, "vmaf-tune: %s is left out: %s", name, why.text);
    if (err)
        return err == -ENOENT ? 0 : session_fail(corpus->session, err, why.text);
    int status = 0;
    for (size_t i = 0; i < (presets->n ? presets->n : 1) && !status; i++)
        status = add_line(corpus, &encoder, presets->n ? presets->text[i] : NULL);
    return status;
}

static int add_encoders(Corpus *corpus)
{
    static char x264[] = "libx264";
    static char *usual[] = {x264};
    const Settings *settings = corpus->settings;
    const TextList names = settings->encoders.n ? settings->encoders : (TextList){usual, 1};
    int status = 0;
    corpus->lines = calloc(names.n * (settings->presets.n + 1), sizeof *corpus->lines);
    if (!corpus->lines)
        return session_fail(corpus->session, -ENOMEM, "out of memory");
    for (size_t i = 0; i < names.n && !status; i++)
        status = add_encoder(corpus, names.text[i]);
    if (!status && !corpus->n_lines)
        status = command_fail(corpus->session->command, TUNE_NO_RESULT, "no encoder works here");
    return status;
}

/* -- rows -- */

/* Adds a row, which it takes: its cell is not made again unless it failed. 0; -ENOMEM. */
static int add_row(Corpus *corpus, Row *row)
{
    char *name = row_is_usable(row) ? row_cell(row->json) : NULL;
    int err = row_is_usable(row) && !name ? -ENOMEM : 0;
    if (name)
        err = json_put_integer(corpus->cells, name, (json_int_t)corpus->table.n);
    free(name);
    return row_table_add(&corpus->table, row) ? -ENOMEM : err;
}

/* -- a source -- */

/* What is made of one source, in lines of an encoder and a preset each. */
typedef struct SourceGrid {
    Corpus *corpus;
    TuneSource source;
    SessionMeasurer measurer;
    SourceShots shots;
    bool knows_shots; /* they were sought */
    /* Encodes that are to be made, and what rows have of them before. */
    EncodeSpec *specs;
    json_t *plans;
    json_t *seen;  /* names of cells that are there, or are made: their lines */
    bool is_again; /* the fine grid was made */
    int error;     /* of keeping a row */
} SourceGrid;

/* Adds an encode unless there is one of its cell, or a row. 0; -ENOMEM. */
static int add_cell(SourceGrid *made, size_t line, double q)
{
    Corpus *corpus = made->corpus;
    const size_t n = json_array_size(made->plans);
    EncodeSpec spec = corpus->lines[line].spec;
    spec.q = q;
    json_t *plan = encode_row_plan(corpus->session, &made->source, &made->measurer, &spec);
    char *name = plan ? row_cell(plan) : NULL;
    const bool is_new = name && !json_object_get(made->seen, name);
    const bool is_known = is_new && json_object_get(corpus->cells, name);
    int err = name ? 0 : -ENOMEM;
    if (is_new)
        err = json_put_integer(made->seen, name, (json_int_t)line);
    corpus->n_known += is_known;
    if (!err && is_new && !is_known) {
        EncodeSpec *more = realloc(made->specs, (n + 1) * sizeof *more);
        made->specs = more ? more : made->specs;
        if (more)
            more[n] = spec;
        err = more && !json_array_append(made->plans, plan) ? 0 : -ENOMEM;
    }
    json_decref(plan);
    free(name);
    return err;
}

static int add_qualities(SourceGrid *made, size_t line)
{
    const NumberList *qualities = &made->corpus->settings->qualities;
    int err = 0;
    for (size_t i = 0; i < qualities->n && !err; i++)
        err = add_cell(made, line, qualities->value[i]);
    return err;
}

/* -- coarse to fine, in the compression index -- */

static int add_indices(SourceGrid *made, size_t line, int first, int last, int step)
{
    const QualityRange *qualities = &made->corpus->lines[line].qualities;
    int err = 0;
    for (int k = first; k <= last && k <= quality_last_index(qualities) && !err; k += step)
        err = add_cell(made, line, quality_value(qualities, k));
    return err;
}

/* From the best quality on; the best itself is not worth its size. */
static int add_coarse(SourceGrid *made, size_t line)
{
    const int step = made->corpus->settings->coarse_step;
    const int last = quality_last_index(&made->corpus->lines[line].qualities);
    return add_indices(made, line, step < last ? step : 0, last, step);
}

/* What is measured of a line, by its index; NAN elsewhere. */
static void find_scores(const SourceGrid *made, size_t line, double *scores, int n)
{
    const Corpus *corpus = made->corpus;
    const char *name;
    json_t *of_line;
    for (int k = 0; k < n; k++)
        scores[k] = NAN;
    json_object_foreach(made->seen, name, of_line)
    {
        const json_t *at = json_object_get(corpus->cells, name);
        if (!at || json_integer_value(of_line) != (json_int_t)line)
            continue;
        const Row *row = &corpus->table.rows[json_integer_value(at)];
        scores[quality_index(&corpus->lines[line].qualities, row->crf)] = row->vmaf_score;
    }
}

/*
 * Around the most compressed one that reaches the target, unless nothing is more compressed; else
 * around the best one. That may end before the next coarse value, and the answer be between: then,
 * beyond it.
 */
static int add_fine(SourceGrid *made, size_t line)
{
    const Settings *options = made->corpus->settings;
    const int n = quality_last_index(&made->corpus->lines[line].qualities) + 1;
    double *scores = calloc((size_t)n, sizeof *scores);
    int at = -1, next;
    if (!scores)
        return -ENOMEM;
    find_scores(made, line, scores, n);
    for (int k = 0; k < n; k++)
        if (scores[k] >= options->target)
            at = k;
    const bool is_met = at >= 0;
    for (int k = 0; k < n && !is_met; k++)
        if (!isnan(scores[k]) && (at < 0 || scores[k] >= scores[at]))
            at = k;
    for (next = at + 1; next < n && isnan(scores[next]);)
        next++;
    free(scores);
    if (at < 0 || (is_met ? next == n : made->is_again))
        return 0;
    int first = at + options->fine_step, last = at + options->fine_radius;
    if (made->is_again)
        last = last < next ? last : next - 1;
    else
        for (first = at - options->fine_radius; first < 1;) /* as above */
            first += options->fine_step;
    return add_indices(made, line, first, last, options->fine_step);
}

/* -- running -- */

/* Shots are sought when the first encode of the source is needed. */
static int find_shots(SourceGrid *made)
{
    const Session *session = made->corpus->session;
    Message why;
    if (made->knows_shots)
        return 0;
    made->knows_shots = true;
    const int err = session_find_shots(session, &made->source, &made->shots, &why);
    if (err == -ECANCELED)
        return session_fail(session, err, why.text);
    if (err) {
        source_shots_free(&made->shots);
        progress_print(session->progress, "vmaf-tune: %s: shots cannot be told: %s",
                       made->source.path, why.text);
    }
    return 0;
}

static int keep_row(SourceGrid *made, json_t *plan, const MeasuredEncode *measured)
{
    Corpus *corpus = made->corpus;
    Message why;
    Row row;
    int err = encode_row_put_shots(plan, &made->shots, made->source.rate);
    err |= encode_row_fill(corpus->session, measured, plan);
    err |= row_from_json(&row, json_incref(plan), &why);
    if (!err)
        err = row_write(&row, corpus->out);
    if (!err)
        return add_row(corpus, &row);
    row_free(&row);
    return err;
}

static bool take_encode(void *cookie, size_t index, MeasuredEncode *measured)
{
    SourceGrid *made = cookie;
    Corpus *corpus = made->corpus;
    const EncodeSpec *spec = &made->specs[index];
    corpus->n_made++;
    if (measured->error) {
        corpus->n_failed++;
        progress_print(corpus->session->progress, "vmaf-tune: %s %s %g: %s", spec->encoder->name,
                       spec->preset, spec->q, measured->why.text);
    }
    made->error = keep_row(made, json_array_get(made->plans, index), measured);
    return !made->error;
}

static int make_encodes(SourceGrid *made)
{
    const Session *session = made->corpus->session;
    const size_t n = json_array_size(made->plans);
    Message why;
    const int status = n ? find_shots(made) : 0;
    if (status)
        return status;
    progress_expect(session->progress, n);
    const int err = grid_run(made->measurer.measurer, made->specs, n, take_encode, made, &why);
    if (made->error)
        return command_fail(session->command, TUNE_NO_RESULT, "a row could not be written: %s",
                            strerror(-made->error));
    return err ? session_fail(session, err, why.text) : 0;
}

static int print_encodes(const SourceGrid *made)
{
    int status = 0;
    for (size_t i = 0; i < json_array_size(made->plans) && !status; i++)
        status =
            session_print_commands(made->corpus->session, made->measurer.measurer, &made->specs[i]);
    return status;
}

/* Adds cells to each encoder and preset, and makes them. */
static int run_part(SourceGrid *made, int (*add)(SourceGrid *made, size_t line))
{
    const Corpus *corpus = made->corpus;
    int err = 0;
    for (size_t line = 0; line < corpus->n_lines && !err; line++)
        err = add(made, line);
    if (err)
        return session_fail(corpus->session, err, strerror(-err));
    const int status = corpus->session->options->dry_run ? print_encodes(made) : make_encodes(made);
    json_array_clear(made->plans);
    return status;
}

/* Reports what is not done of what was asked for. An encode that is rejected for its arguments
 * would end the whole grid: all are tried before. A status. */
static int check_requests(SourceGrid *made)
{
    const Corpus *corpus = made->corpus;
    Message why;
    for (size_t i = 0; i < corpus->n_lines; i++) {
        EncodeSpec spec = corpus->lines[i].spec;
        const EncodeSpec asked = {
            .encoder = spec.encoder,
            .two_pass = corpus->session->options->two_pass,
            .stats = corpus->settings->encoder_stats,
        };
        encode_warning(&asked, made->measurer.hdr != HDR_NONE, &why);
        if (why.text[0] && (!i || spec.encoder != corpus->lines[i - 1].spec.encoder))
            progress_print(corpus->session->progress, "vmaf-tune: %s", why.text);
        spec.q = spec.encoder->default_q;
        char *lines = measure_command_lines(made->measurer.measurer, &spec, NULL, &why);
        free(lines);
        if (!lines)
            return session_fail(corpus->session, -EINVAL, why.text);
    }
    return 0;
}

static int run_source(SourceGrid *made, const char *path)
{
    const Corpus *corpus = made->corpus;
    const bool refines = corpus->settings->coarse_to_fine && !corpus->session->options->dry_run;
    int status = session_open_source(corpus->session, path, &made->source);
    if (!status)
        status = session_open_measurer(corpus->session, &made->source, NULL, &made->measurer);
    if (status)
        return status;
    status = check_requests(made);
    if (!status)
        status = run_part(made, corpus->settings->coarse_to_fine ? add_coarse : add_qualities);
    for (size_t n_seen = 0; refines && !status && n_seen < json_object_size(made->seen);
         made->is_again = true) {
        n_seen = json_object_size(made->seen);
        status = run_part(made, add_fine);
    }
    return status;
}

static int run_sources(Corpus *corpus)
{
    const TextList *paths = &corpus->session->options->sources;
    int status = 0;
    for (size_t i = 0; i < paths->n && !status; i++) {
        SourceGrid made = {.corpus = corpus, .plans = json_array(), .seen = json_object()};
        status = run_source(&made, paths->text[i]);
        free(made.specs);
        json_decref(made.plans);
        json_decref(made.seen);
        source_shots_free(&made.shots);
        session_close_measurer(&made.measurer);
        source_close(&made.source);
    }
    return status;
}

/* -- the file -- */

static bool is_standard_output(const Settings *settings)
{
    return !strcmp(settings->output, "-");
}

/* One program at a time writes rows, so that the next one sees them. Where files cannot be locked,
 * nobody waits. A status. */
static int lock_rows(const TuneCommand *command, const char *path, VmafFile *lock)
{
    enum { LOOK_NS = 50000000 };
    VmafFileStatus status;
    if (!vmaf_file_status_at(path, &status) && status.kind != VMAF_FILE_REGULAR)
        return 0;
    FILE *file = fopen(path, "ab");
    if (!file || fclose(file) || vmaf_file_open(lock, path))
        return command_fail(command, TUNE_USAGE, "%s: %s", path, strerror(errno));
    for (bool waits = false; vmaf_file_lock(lock) == -EAGAIN; waits = true) {
        if (!waits)
            print_error("vmaf-tune %s: another program writes %s: waiting", command->name, path);
        if (atomic_load(session_interrupt))
            return command_fail(command, TUNE_INTERRUPTED, "interrupted");
        vmaf_sleep_ns(LOOK_NS);
    }
    return 0;
}

/* Takes the rows over that are there, and opens the file behind them. A status. */
static int resume(const TuneCommand *command, const char *path, Corpus *corpus)
{
    RowTable table;
    Message why;
    int status = corpus_load(command, path, &table);
    if (!status && !(corpus->out = rows_open(path, &table, &why)))
        status = command_fail(command, TUNE_USAGE, "%s", why.text);
    for (size_t i = 0; i < table.n && !status; i++) {
        Row row = table.rows[i];
        table.rows[i] = (Row){0};
        if (add_row(corpus, &row))
            status = command_fail(command, TUNE_NO_RESULT, "out of memory");
    }
    row_table_free(&table);
    return status;
}

static int open_output(Corpus *corpus, VmafFile *lock)
{
    const TuneCommand *command = corpus->session->command;
    const Settings *settings = corpus->settings;
    const char *path = settings->output;
    VmafFileStatus file;
    Message why;
    if (is_standard_output(settings)) {
        corpus->out = stdout;
        return 0;
    }
    const int status = lock_rows(command, path, lock);
    if (status || settings->resumes)
        return status ? status : resume(command, path, corpus);
    if (!settings->overwrites && !vmaf_file_status_at(path, &file) && file.size > 0)
        return command_fail(command, TUNE_USAGE,
                            "%s exists: --resume goes on with it, --overwrite begins anew", path);
    corpus->out = rows_open(path, NULL, &why);
    return corpus->out ? 0 : command_fail(command, TUNE_USAGE, "%s", why.text);
}

/* -- the command -- */

static void sum_up(const Corpus *corpus)
{
    const Settings *settings = corpus->settings;
    print_error(
        "vmaf-tune corpus: %s: %zu encode%s measured, %zu there already, %zu failed",
        is_standard_output(settings) ? "rows" : settings->output, corpus->n_made - corpus->n_failed,
        corpus->n_made - corpus->n_failed == 1 ? "" : "s", corpus->n_known, corpus->n_failed);
}

static int make_rows(Corpus *corpus)
{
    const TuneCommand *command = corpus->session->command;
    VmafFile lock = VMAF_FILE_NONE;
    int status = open_output(corpus, &lock);
    if (!status) {
        status = run_sources(corpus);
        if (!corpus->session->options->is_quiet)
            sum_up(corpus);
        if (!status && corpus->n_made + corpus->n_known <= corpus->n_failed)
            status = command_fail(command, TUNE_NO_RESULT, "all encodes failed");
    }
    if (corpus->out && fclose(corpus->out) && !status)
        status = command_fail(command, TUNE_NO_RESULT, "%s could not be written",
                              corpus->settings->output);
    vmaf_file_close(&lock);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    const Settings *settings = cookie;
    Session session;
    Corpus corpus = {.session = &session, .settings = settings};
    if (settings->resumes && settings->overwrites)
        return command_fail(command, TUNE_USAGE, "--resume and --overwrite exclude each other");
    if (settings->resumes && is_standard_output(settings))
        return command_fail(command, TUNE_USAGE, "--resume needs a file");
    if (!options->sources.n)
        return command_fail(command, TUNE_USAGE, "no video: give SOURCE");
    if (settings->coarse_to_fine == (settings->qualities.n > 0))
        return command_fail(command, TUNE_USAGE, "give --crf or --coarse-to-fine, one of them");
    corpus.cells = json_object();
    int status = session_open(&session, command, options, settings->target);
    if (!status)
        status = add_encoders(&corpus);
    if (!status)
        status = options->dry_run ? run_sources(&corpus) : make_rows(&corpus);
    row_table_free(&corpus.table);
    json_decref(corpus.cells);
    free(corpus.lines);
    session_close(&session);
    return status;
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {
        .coarse_step = 10,
        .fine_radius = 5,
        .fine_step = 1,
        .target = NAN,
        .output = "corpus.jsonl",
    };
    const OptionGroup groups[] = {
        {"Corpus", rows, sizeof rows / sizeof *rows, &settings},
        {"Grid", grid_rows, sizeof grid_rows / sizeof *grid_rows, &settings},
    };
    return session_command(command, argc, argv, groups, 2, begin, &settings);
}

const TuneCommand corpus_command = {
    .name = "corpus",
    .operands = "SOURCE...",
    .summary = "rows of encodes: all encoders, presets and qualities of a grid",
    .examples = "  vmaf-tune corpus film.mkv --encoder libx264,libsvtav1 --crf 20,26,32,38\n"
                "  vmaf-tune corpus film.mkv --coarse-to-fine --target-vmaf 93 --resume\n",
    .run = run_command,
};
