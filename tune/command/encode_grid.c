/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/command/encode_grid.h"

#include "common/json.h"
#include "tune/options/options.h"
#include "tune/output/corpus_rows.h"
#include "tune/search/search_plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) .target = offsetof(GridOptions, member)

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

GridOptions grid_options(void)
{
    return (GridOptions){
        .coarse_step = 10,
        .fine_radius = 5,
        .fine_step = 1,
        .target = NAN,
        .kbps = NAN,
    };
}

OptionGroup grid_option_group(GridOptions *options)
{
    return (OptionGroup){"Grid", grid_rows, sizeof grid_rows / sizeof *grid_rows, options};
}

/* -- encoders -- */

/* `preset` NULL: the encoder's default. A status. */
static int add_line(EncodeGrid *grid, const SessionEncoder *found, const char *preset)
{
    const Session *session = grid->session;
    const NumberList *qualities = &grid->options->qualities;
    GridLine *line = &grid->lines[grid->n_lines];
    SessionEncoder *encoder = &line->encoder; /* which the specification refers to */
    *encoder = *found;
    int status = session_check_preset(session, encoder->encoder, preset);
    for (size_t i = 0; i < qualities->n && !status; i++)
        status = session_check_quality(session, encoder, qualities->value[i]);
    line->spec = session_spec(session, encoder, preset);
    line->spec.stats =
        grid->options->encoder_stats && encoder->encoder->stats != ENCODER_STATS_NONE;
    line->spec.two_pass &= encoder->encoder->two_pass != TWO_PASS_NONE;
    line->qualities = session_quality_range(encoder);
    grid->n_lines++;
    return status;
}

static int add_encoder(EncodeGrid *grid, const char *name)
{
    const TextList *presets = &grid->options->presets;
    SessionEncoder encoder;
    Message why;
    const int err = session_try_encoder(grid->session, NULL, NULL, name, &encoder, &why);
    if (err == -ENOENT)
        progress_print(grid->session->progress, "vmaf-tune: %s is left out: %s", name, why.text);
    if (err)
        return err == -ENOENT ? 0 : session_fail(grid->session, err, why.text);
    int status = 0;
    for (size_t i = 0; i < (presets->n ? presets->n : 1) && !status; i++)
        status = add_line(grid, &encoder, presets->n ? presets->text[i] : NULL);
    return status;
}

/* Close it in either case. */
static int open_grid(EncodeGrid *grid, Session *session, const GridOptions *options)
{
    static char usual[] = "libx264";
    static char *usual_list[] = {usual};
    const TextList names =
        options->encoders.n ? options->encoders : (TextList){.text = usual_list, .n = 1};
    *grid = (EncodeGrid){.session = session, .options = options, .cells = json_object()};
    if (!session->options->sources.n)
        return command_fail(session->command, TUNE_USAGE, "no video: give SOURCE");
    if (!options->searches && options->coarse_to_fine == (options->qualities.n > 0))
        return command_fail(session->command, TUNE_USAGE,
                            "give --crf or --coarse-to-fine, one of them");
    grid->lines = calloc(names.n * (options->presets.n + 1), sizeof *grid->lines);
    if (!grid->lines)
        return session_fail(session, -ENOMEM, "out of memory");
    int status = 0;
    for (size_t i = 0; i < names.n && !status; i++)
        status = add_encoder(grid, names.text[i]);
    if (!status && !grid->n_lines)
        status = command_fail(session->command, TUNE_NO_RESULT, "no encoder works here");
    return status;
}

int encode_grid_add(EncodeGrid *grid, Row *row)
{
    char *name = row_is_usable(row) ? row_cell(row->json) : NULL;
    int err = row_is_usable(row) && !name ? -ENOMEM : 0;
    if (name)
        err = json_put_integer(grid->cells, name, (json_int_t)grid->table.n);
    free(name);
    return row_table_add(&grid->table, row) ? -ENOMEM : err;
}

/* -- a source -- */

/* What is made of one source, in lines of an encoder and a preset each. */
typedef struct SourceGrid {
    EncodeGrid *grid;
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

static int append_encode(SourceGrid *made, const EncodeSpec *spec, json_t *plan)
{
    const size_t n = json_array_size(made->plans);
    EncodeSpec *more = realloc(made->specs, (n + 1) * sizeof *more);
    if (!more)
        return -ENOMEM;
    made->specs = more;
    more[n] = *spec;
    return json_array_append(made->plans, plan) ? -ENOMEM : 0;
}

/* Adds an encode unless there is one of its cell, or a row. 0; -ENOMEM. */
static int add_cell(SourceGrid *made, size_t line, double q)
{
    EncodeGrid *grid = made->grid;
    EncodeSpec spec = grid->lines[line].spec;
    spec.q = q;
    json_t *plan = encode_row_plan(grid->session, &made->source, &made->measurer, &spec);
    char *name = plan ? row_cell(plan) : NULL;
    int err = name ? 0 : -ENOMEM;
    if (name && !json_object_get(made->seen, name)) {
        const bool is_known = json_object_get(grid->cells, name);
        err = json_put_integer(made->seen, name, (json_int_t)line);
        if (!err && !is_known)
            err = append_encode(made, &spec, plan);
        grid->n_known += is_known;
    }
    json_decref(plan);
    free(name);
    return err;
}

static int add_qualities(SourceGrid *made, size_t line)
{
    const NumberList *qualities = &made->grid->options->qualities;
    int err = 0;
    for (size_t i = 0; i < qualities->n && !err; i++)
        err = add_cell(made, line, qualities->value[i]);
    return err;
}

/* -- coarse to fine, in the compression index -- */

static int add_indices(SourceGrid *made, size_t line, int first, int last, int step)
{
    const QualityRange *qualities = &made->grid->lines[line].qualities;
    int err = 0;
    for (int k = first; k <= last && k <= quality_last_index(qualities) && !err; k += step)
        err = add_cell(made, line, quality_value(qualities, k));
    return err;
}

/* From the best quality on; the best itself is not worth its size. */
static int add_coarse(SourceGrid *made, size_t line)
{
    const int step = made->grid->options->coarse_step;
    const int last = quality_last_index(&made->grid->lines[line].qualities);
    return add_indices(made, line, step < last ? step : 0, last, step);
}

/* What is measured of a line, by its index: the score, or how near the bitrate is to the one that
 * is wanted; NAN elsewhere. */
static void find_scores(const SourceGrid *made, size_t line, double *scores, int n)
{
    const EncodeGrid *grid = made->grid;
    const char *name;
    json_t *of_line;
    for (int k = 0; k < n; k++)
        scores[k] = NAN;
    json_object_foreach(made->seen, name, of_line)
    {
        const json_t *at = json_object_get(grid->cells, name);
        if (!at || json_integer_value(of_line) != (json_int_t)line)
            continue;
        const Row *row = &grid->table.rows[json_integer_value(at)];
        scores[quality_index(&grid->lines[line].qualities, row->crf)] =
            isnan(grid->options->kbps) ? row->vmaf_score
                                       : -fabs(log(row_kbps(row) / grid->options->kbps));
    }
}

/*
 * Around the most compressed one that reaches the target, unless nothing is more compressed; else
 * around the best one. That may end before the next coarse value, and the answer be between: then,
 * beyond it.
 */
static int add_fine(SourceGrid *made, size_t line)
{
    const GridOptions *options = made->grid->options;
    const int n = quality_last_index(&made->grid->lines[line].qualities) + 1;
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
    const Session *session = made->grid->session;
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
    EncodeGrid *grid = made->grid;
    Message why;
    Row row;
    int err = encode_row_put_shots(plan, &made->shots, made->source.rate);
    err |= encode_row_fill(grid->session, measured, plan);
    err |= row_from_json(&row, json_incref(plan), &why);
    if (!err && grid->out)
        err = row_write(&row, grid->out);
    if (!err)
        return encode_grid_add(grid, &row);
    row_free(&row);
    return err;
}

static bool take_encode(void *cookie, size_t index, MeasuredEncode *measured)
{
    SourceGrid *made = cookie;
    EncodeGrid *grid = made->grid;
    const EncodeSpec *spec = &made->specs[index];
    grid->n_made++;
    if (measured->error) {
        grid->n_failed++;
        progress_print(grid->session->progress, "vmaf-tune: %s %s %g: %s", spec->encoder->name,
                       spec->preset, spec->q, measured->why.text);
    }
    made->error = keep_row(made, json_array_get(made->plans, index), measured);
    return !made->error;
}

static int make_encodes(SourceGrid *made)
{
    const Session *session = made->grid->session;
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
            session_print_commands(made->grid->session, made->measurer.measurer, &made->specs[i]);
    return status;
}

/* Adds cells to each encoder and preset, and makes them. */
static int run_part(SourceGrid *made, int (*add)(SourceGrid *made, size_t line))
{
    const EncodeGrid *grid = made->grid;
    int err = 0;
    for (size_t line = 0; line < grid->n_lines && !err; line++)
        err = add(made, line);
    if (err)
        return session_fail(grid->session, err, strerror(-err));
    const int status = grid->session->options->dry_run ? print_encodes(made) : make_encodes(made);
    json_array_clear(made->plans);
    return status;
}

/* -- searching -- */

/* Makes rows of what a search has encoded. */
static int keep_searched(SourceGrid *made, size_t line, SearchRun *run)
{
    int err = 0;
    for (size_t i = 0; i < run->n_encodes && !err; i++) {
        err = add_cell(made, line, run->encodes[i].spec.q);
        if (!err && json_array_size(made->plans) && !take_encode(made, 0, &run->encodes[i]))
            err = made->error;
        json_array_clear(made->plans);
    }
    return err ? session_fail(made->grid->session, err, "a row could not be kept") : 0;
}

static int search_line(SourceGrid *made, size_t line)
{
    const EncodeGrid *grid = made->grid;
    Session *session = grid->session;
    SearchChoice choice = search_choice();
    SearchPlan plan;
    SearchRun run;
    choice.on_non_monotonic = NON_MONOTONIC_KEEP;
    int status =
        search_make_plan(session, &choice, &made->source, &grid->lines[line].encoder, &plan);
    if (status)
        return status;
    plan.spec = grid->lines[line].spec;
    search_set_target(&plan, &made->source, &choice, grid->options->target);
    if (session->options->dry_run)
        return session_print_example(session, made->measurer.measurer, &plan.spec);
    status = find_shots(made);
    if (status)
        return status;
    const int err = search_run(made->measurer.measurer, &plan, &run);
    status = err && measure_error_is_final(err) ? session_fail(session, err, run.why.text)
                                                : keep_searched(made, line, &run);
    search_run_free(&run);
    return status;
}

/* Reports what is not done of what was asked for. An encode that is rejected for its arguments
 * would end the whole grid: all are tried before. A status. */
static int check_requests(SourceGrid *made)
{
    const EncodeGrid *grid = made->grid;
    Message why;
    for (size_t i = 0; i < grid->n_lines; i++) {
        EncodeSpec spec = grid->lines[i].spec;
        const EncodeRequest request = {
            .encoder = spec.encoder,
            .hdr = made->measurer.is_hdr ? &made->measurer.hdr : NULL,
            .two_pass = grid->session->options->two_pass,
            .stats = grid->options->encoder_stats,
        };
        encode_warning(&request, &why);
        if (why.text[0] && (!i || spec.encoder != grid->lines[i - 1].spec.encoder))
            progress_print(grid->session->progress, "vmaf-tune: %s", why.text);
        spec.q = spec.encoder->default_q;
        char *lines = measure_command_lines(made->measurer.measurer, &spec, &why);
        free(lines);
        if (!lines)
            return session_fail(grid->session, -EINVAL, why.text);
    }
    return 0;
}

static int run_source(SourceGrid *made, const char *path)
{
    const EncodeGrid *grid = made->grid;
    const bool refines = grid->options->coarse_to_fine && !grid->session->options->dry_run;
    int status = session_open_source(grid->session, path, &made->source);
    if (!status)
        status = session_open_measurer(grid->session, &made->source, NULL, &made->measurer);
    if (status)
        return status;
    status = check_requests(made);
    if (grid->options->searches) {
        for (size_t line = 0; line < grid->n_lines && !status; line++)
            status = search_line(made, line);
        return status;
    }
    if (!status)
        status = run_part(made, grid->options->coarse_to_fine ? add_coarse : add_qualities);
    for (size_t n_seen = 0; refines && !status && n_seen < json_object_size(made->seen);
         made->is_again = true) {
        n_seen = json_object_size(made->seen);
        status = run_part(made, add_fine);
    }
    return status;
}

int encode_grid_run(EncodeGrid *grid)
{
    const TextList *paths = &grid->session->options->sources;
    int status = 0;
    for (size_t i = 0; i < paths->n && !status; i++) {
        SourceGrid made = {.grid = grid, .plans = json_array(), .seen = json_object()};
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

int encode_grid_work(const TuneCommand *command, const SessionOptions *options,
                     const GridOptions *wanted, int (*work)(EncodeGrid *grid, void *settings),
                     void *settings)
{
    Session session;
    EncodeGrid grid = {0};
    int status = session_open(&session, command, options, wanted->target);
    if (!status)
        status = open_grid(&grid, &session, wanted);
    if (!status)
        status = options->dry_run ? encode_grid_run(&grid) : work(&grid, settings);
    row_table_free(&grid.table);
    json_decref(grid.cells);
    free(grid.lines);
    session_close(&session);
    return status;
}
