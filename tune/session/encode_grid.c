/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/session/encode_grid.h"

#include "tune/engine/choice.h"
#include "tune/measure/source_shots.h"
#include "tune/session/corpus_rows.h"
#include "tune/session/option_rows.h"
#include "tune/session/search.h"

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
        .coarse_step = COARSE_DEFAULT_STEP,
        .fine_radius = FINE_DEFAULT_RADIUS,
        .fine_step = FINE_DEFAULT_STEP,
        .target = NAN,
        .kbps = NAN,
    };
}

OptionGroup grid_option_group(GridOptions *options)
{
    return (OptionGroup){"Grid", grid_rows, sizeof grid_rows / sizeof *grid_rows, options};
}

/* -- encoders -- */

static int add_encoder(EncodeGrid *grid, const char *name)
{
    SessionEncoder *encoder = &grid->encoders[grid->n_encoders];
    Message why;
    const int err = session_try_encoder(grid->session, NULL, NULL, name, encoder, &why);
    if (err == -ENOENT) {
        progress_print(grid->session->progress, "vmaf-tune: %s is left out: %s", name, why.text);
        return 0;
    }
    if (err)
        return session_fail(grid->session, err, why.text);
    int status = 0;
    for (size_t i = 0; i < grid->options->qualities.n && !status; i++)
        status = session_check_quality(grid->session, encoder, grid->options->qualities.value[i]);
    grid->n_encoders++;
    return status;
}

static int check_quality(const EncodeGrid *grid, const Encoder *encoder, double q)
{
    if (q >= encoder->qualities.lowest && q <= encoder->qualities.highest)
        return 0;
    return command_fail(grid->session->command, TUNE_USAGE, "%s has %s from %d to %d, not %g",
                        encoder->name, encoder->quality_name, encoder->qualities.lowest,
                        encoder->qualities.highest, q);
}

static int check_encoder(const EncodeGrid *grid, const char *name)
{
    const GridOptions *options = grid->options;
    Message why;
    const Encoder *encoder = encoder_find(&grid->session->encoders, name, &why);
    if (!encoder)
        return command_fail(grid->session->command, TUNE_USAGE, "%s", why.text);
    int status = 0;
    for (size_t i = 0; i < options->presets.n && !status; i++)
        status = session_check_preset(grid->session, encoder, options->presets.text[i]);
    for (size_t i = 0; i < options->qualities.n && !status; i++)
        status = check_quality(grid, encoder, options->qualities.value[i]);
    return status;
}

static int check_options(const EncodeGrid *grid)
{
    const TuneCommand *command = grid->session->command;
    if (!grid->session->options->sources.n)
        return command_fail(command, TUNE_USAGE, "no video: give SOURCE");
    if (!grid->options->searches &&
        grid->options->coarse_to_fine == (grid->options->qualities.n > 0))
        return command_fail(command, TUNE_USAGE, "give --crf or --coarse-to-fine, one of them");
    return 0;
}

int encode_grid_open(EncodeGrid *grid, Session *session, const GridOptions *options)
{
    static char usual[] = "libx264";
    static char *usual_list[] = {usual};
    const TextList names =
        options->encoders.n ? options->encoders : (TextList){.text = usual_list, .n = 1};
    *grid = (EncodeGrid){.session = session, .options = options};
    int status = check_options(grid);
    for (size_t i = 0; i < names.n && !status; i++)
        status = check_encoder(grid, names.text[i]);
    if (status)
        return status;
    grid->encoders = calloc(names.n, sizeof *grid->encoders);
    if (!grid->encoders)
        return session_fail(session, -ENOMEM, "out of memory");
    for (size_t i = 0; i < names.n && !status; i++)
        status = add_encoder(grid, names.text[i]);
    if (!status && !grid->n_encoders)
        status = command_fail(session->command, TUNE_NO_RESULT, "no encoder works here");
    return status;
}

void encode_grid_close(EncodeGrid *grid)
{
    for (size_t i = 0; i < grid->n_rows; i++)
        row_free(&grid->rows[i]);
    free(grid->rows);
    free(grid->keys);
    free(grid->encoders);
    *grid = (EncodeGrid){0};
}

/* -- rows -- */

static int add_row(EncodeGrid *grid, Row *row, const char *key)
{
    if (grid->n_rows == grid->capacity) {
        const size_t capacity = grid->capacity ? 2 * grid->capacity : 64;
        Row *rows = realloc(grid->rows, capacity * sizeof(*rows));
        grid->rows = rows ? rows : grid->rows;
        char(*keys)[ROW_CELL_KEY_SIZE] =
            rows ? realloc(grid->keys, capacity * sizeof(*keys)) : NULL;
        grid->keys = keys ? keys : grid->keys;
        if (!keys)
            return -ENOMEM;
        grid->capacity = capacity;
    }
    memcpy(grid->keys[grid->n_rows], key, sizeof(*grid->keys));
    grid->rows[grid->n_rows++] = *row;
    row_init(row);
    return 0;
}

int encode_grid_add(EncodeGrid *grid, Row *row)
{
    char key[ROW_CELL_KEY_SIZE];
    const int err = row_cell_key(row, key);
    return err ? err : add_row(grid, row, key);
}

static const Row *find_row(const EncodeGrid *grid, const char *key)
{
    for (size_t i = 0; i < grid->n_rows; i++)
        if (!strcmp(grid->keys[i], key) && row_is_usable(&grid->rows[i]))
            return &grid->rows[i];
    return NULL;
}

/* -- a source -- */

/* An encode that is wanted. */
typedef struct Cell {
    EncodeSpec spec;
    Row row; /* what is known before; empty once it is made */
    char key[ROW_CELL_KEY_SIZE];
    size_t line; /* which encoder and preset */
} Cell;

/* What is made of one source. */
typedef struct SourceGrid {
    EncodeGrid *grid;
    TuneSource source;
    SessionMeasurer measurer;
    ShotStatistics shots;
    bool knows_shots, has_shots; /* they were sought; and found */
    Cell *cells;
    size_t n, capacity;
    size_t *wanted; /* cells of those that run now */
    int error;      /* of keeping a row */
} SourceGrid;

static size_t lines_of(const EncodeGrid *grid)
{
    return grid->n_encoders * (grid->options->presets.n ? grid->options->presets.n : 1);
}

static const SessionEncoder *encoder_of(const EncodeGrid *grid, size_t line)
{
    return &grid->encoders[line / (lines_of(grid) / grid->n_encoders)];
}

static EncodeSpec spec_of(const EncodeGrid *grid, size_t line)
{
    const TextList *presets = &grid->options->presets;
    const SessionEncoder *encoder = encoder_of(grid, line);
    const char *preset = presets->n ? presets->text[line % presets->n] : NULL;
    EncodeSpec spec = session_spec(grid->session, encoder, preset);
    spec.stats = grid->options->encoder_stats && encoder->encoder->stats != ENCODER_STATS_NONE;
    spec.two_pass = spec.two_pass && encoder->encoder->two_pass != TWO_PASS_NONE;
    return spec;
}

static bool has_cell(const SourceGrid *made, const char *key)
{
    for (size_t i = 0; i < made->n; i++)
        if (!strcmp(made->cells[i].key, key))
            return true;
    return false;
}

static int add_cell(SourceGrid *made, size_t line, double q)
{
    if (made->n == made->capacity) {
        const size_t capacity = made->capacity ? 2 * made->capacity : 32;
        Cell *more = realloc(made->cells, capacity * sizeof *more);
        if (!more)
            return -ENOMEM;
        made->cells = more;
        made->capacity = capacity;
    }
    Cell *cell = &made->cells[made->n];
    *cell = (Cell){.spec = spec_of(made->grid, line), .line = line};
    cell->spec.q = q;
    int err = encode_row_plan(made->grid->session, &made->source, &made->measurer, &cell->spec,
                              &cell->row);
    if (!err)
        err = row_cell_key(&cell->row, cell->key);
    if (err || has_cell(made, cell->key))
        row_free(&cell->row);
    else
        made->n++;
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

/* From the best quality on; the best itself is not worth its size. */
static IndexGrid coarse_grid(const EncodeGrid *grid, const QualityRange *qualities)
{
    const int step = grid->options->coarse_step, last = quality_last_index(qualities);
    return (IndexGrid){.first = step < last ? step : 0, .last = last, .step = step};
}

/* The nearer to the bitrate that is wanted, the higher. */
static double score_of(const GridOptions *options, const Row *row)
{
    return isnan(options->kbps) ? row->vmaf_score : -fabs(log(row_kbps(row) / options->kbps));
}

static size_t points_of(const SourceGrid *made, size_t line, EncodePoint *points)
{
    size_t n = 0;
    for (size_t i = 0; i < made->n; i++) {
        const Cell *cell = &made->cells[i];
        const Row *row = cell->line == line ? find_row(made->grid, cell->key) : NULL;
        if (row)
            points[n++] =
                (EncodePoint){.q = cell->spec.q, .score = score_of(made->grid->options, row)};
    }
    return n;
}

/* Indices that follow from what is measured; k has room for all there are. Their number. */
typedef int ChooseIndices(const EncodeGrid *grid, const QualityRange *qualities,
                          const EncodePoint *points, size_t n, int *k);

static int add_chosen(SourceGrid *made, size_t line, ChooseIndices *choose)
{
    const QualityRange qualities = session_quality_range(encoder_of(made->grid, line));
    int *k = calloc((size_t)quality_last_index(&qualities) + 1, sizeof *k);
    EncodePoint *points = calloc(made->n + 1, sizeof *points);
    int err = k && points ? 0 : -ENOMEM;
    if (!err) {
        const size_t n_points = points_of(made, line, points);
        const int n = choose(made->grid, &qualities, points, n_points, k);
        for (int i = 0; i < n && !err; i++)
            err = add_cell(made, line, quality_value(&qualities, k[i]));
    }
    free(points);
    free(k);
    return err;
}

static int choose_coarse(const EncodeGrid *grid, const QualityRange *qualities,
                         const EncodePoint *points, size_t n, int *k)
{
    const IndexGrid coarse = coarse_grid(grid, qualities);
    (void)points, (void)n;
    return grid_values(&coarse, k);
}

static int choose_fine(const EncodeGrid *grid, const QualityRange *qualities,
                       const EncodePoint *points, size_t n, int *k)
{
    const GridOptions *options = grid->options;
    const FineGrid fine = {options->fine_radius, options->fine_step};
    /* Coarse points are multiples of the step: what is below the first of them counts as well. */
    IndexGrid coarse = coarse_grid(grid, qualities);
    coarse.first = 0;
    return fine_values(qualities, &coarse, &fine, points, n, options->target, k);
}

/* The fine grid may end before the next coarse point: the answer may be between. */
static int choose_gap(const EncodeGrid *grid, const QualityRange *qualities,
                      const EncodePoint *points, size_t n, int *k)
{
    const double target = grid->options->target;
    int next = quality_last_index(qualities) + 1, count = 0;
    const Choice best = choose_most_compressed(qualities, points, n, target);
    if (isnan(target) || best.status != CHOICE_MET)
        return 0;
    const int at = quality_index(qualities, points[best.index].q);
    for (size_t i = 0; i < n; i++) {
        const int index = quality_index(qualities, points[i].q);
        if (index > at && index < next)
            next = index;
    }
    if (next > quality_last_index(qualities))
        return 0;
    for (int index = at + grid->options->fine_step; index < next; index += grid->options->fine_step)
        k[count++] = index;
    return count;
}

/* -- running -- */

/* Shots are sought when the first encode of the source is needed. */
static int find_shots(SourceGrid *made)
{
    const Session *session = made->grid->session;
    SourceShots found;
    Message why;
    if (made->knows_shots)
        return 0;
    const int err = session_find_shots(session, &made->source, &found, &why);
    made->knows_shots = true;
    made->has_shots = !err;
    if (!err)
        made->shots = shot_statistics(found.shots, found.n, made->source.rate);
    source_shots_free(&found);
    if (err == -ECANCELED)
        return session_fail(session, err, why.text);
    if (err)
        progress_print(session->progress, "vmaf-tune: %s: shots cannot be told: %s",
                       made->source.path, why.text);
    return 0;
}

static int keep_row(SourceGrid *made, Cell *cell, const MeasuredEncode *measured)
{
    EncodeGrid *grid = made->grid;
    encode_row_put_shots(&cell->row, made->has_shots ? &made->shots : NULL);
    int err = encode_row_fill(grid->session, measured, &cell->row);
    if (!err && grid->writer)
        err = row_writer_add(grid->writer, &cell->row);
    return err ? err : add_row(grid, &cell->row, cell->key);
}

static bool keep_encode(SourceGrid *made, Cell *cell, const MeasuredEncode *measured)
{
    made->grid->n_made++;
    if (measured->error) {
        made->grid->n_failed++;
        progress_print(made->grid->session->progress, "vmaf-tune: %s %s %g: %s",
                       cell->spec.encoder->name, cell->spec.preset, cell->spec.q,
                       measured->why.text);
    }
    made->error = keep_row(made, cell, measured);
    return !made->error;
}

static bool take_encode(void *cookie, size_t index, MeasuredEncode *measured)
{
    SourceGrid *made = cookie;
    return keep_encode(made, &made->cells[made->wanted[index]], measured);
}

static int run_specs(SourceGrid *made, const EncodeSpec *specs, size_t n)
{
    const Session *session = made->grid->session;
    Message why;
    int status = n ? find_shots(made) : 0;
    if (status)
        return status;
    progress_expect(session->progress, n);
    const int err = grid_run(made->measurer.measurer, specs, n, take_encode, made, &why);
    if (made->error)
        return command_fail(session->command, TUNE_NO_RESULT, "a row could not be written: %s",
                            strerror(-made->error));
    return err ? session_fail(session, err, why.text) : 0;
}

/* Makes cells from `first` on that are not there. */
static int run_cells(SourceGrid *made, size_t first)
{
    EncodeGrid *grid = made->grid;
    EncodeSpec *specs = calloc(made->n + 1, sizeof *specs);
    made->wanted = calloc(made->n + 1, sizeof *made->wanted);
    size_t n = 0;
    for (size_t i = first; i < made->n && specs && made->wanted; i++) {
        if (find_row(grid, made->cells[i].key)) {
            grid->n_known++;
            continue;
        }
        specs[n] = made->cells[i].spec;
        made->wanted[n++] = i;
    }
    const int status = specs && made->wanted
                           ? run_specs(made, specs, n)
                           : session_fail(grid->session, -ENOMEM, "out of memory");
    free(made->wanted);
    free(specs);
    made->wanted = NULL;
    return status;
}

static int print_cells(const SourceGrid *made)
{
    int status = 0;
    for (size_t i = 0; i < made->n && !status; i++)
        status = session_print_commands(made->grid->session, made->measurer.measurer,
                                        &made->cells[i].spec);
    return status;
}

/* Adds cells to each encoder and preset, those that are chosen or, without `choose`, those that the
 * user names; and makes them. */
static int run_part(SourceGrid *made, ChooseIndices *choose)
{
    const EncodeGrid *grid = made->grid;
    const size_t first = made->n;
    int err = 0;
    for (size_t line = 0; line < lines_of(grid) && !err; line++)
        err = choose ? add_chosen(made, line, choose) : add_qualities(made, line);
    if (err)
        return session_fail(grid->session, err, strerror(-err));
    return grid->session->options->dry_run ? print_cells(made) : run_cells(made, first);
}

/* -- searching -- */

/* Makes cells of what a search has encoded. 0; negative errno. */
static int keep_searched(SourceGrid *made, size_t line, const SearchRun *run)
{
    for (size_t i = 0; i < run->n_encodes; i++) {
        const size_t before = made->n;
        const int err = add_cell(made, line, run->encodes[i].spec.q);
        if (err)
            return err;
        if (made->n > before && !keep_encode(made, &made->cells[before], &run->encodes[i]))
            return made->error;
    }
    return 0;
}

static int search_line(SourceGrid *made, size_t line)
{
    const EncodeGrid *grid = made->grid;
    Session *session = grid->session;
    SearchChoice choice = search_choice();
    SearchPlan plan;
    SearchRun run;
    choice.on_non_monotonic = NON_MONOTONIC_KEEP;
    int status = search_make_plan(session, &choice, &made->source, encoder_of(grid, line), &plan);
    if (status)
        return status;
    plan.spec = spec_of(grid, line);
    search_set_target(&plan, &made->source, &choice, grid->options->target);
    if (session->options->dry_run)
        return session_print_example(session, made->measurer.measurer, &plan.spec);
    const int err = search_run(made->measurer.measurer, &plan, &run);
    if (err && measure_error_is_final(err))
        status = session_fail(session, err, run.why.text);
    else if (keep_searched(made, line, &run))
        status = session_fail(session, -ENOMEM, "a row could not be kept");
    search_run_free(&run);
    return status;
}

static int search_lines(SourceGrid *made)
{
    int status = made->grid->session->options->dry_run ? 0 : find_shots(made);
    for (size_t line = 0; line < lines_of(made->grid) && !status; line++)
        status = search_line(made, line);
    return status;
}

/* What is not done of what was asked for. */
static void warn(SourceGrid *made)
{
    const EncodeGrid *grid = made->grid;
    for (size_t i = 0; i < grid->n_encoders; i++) {
        Message warning;
        const EncodeRequest request = {
            .encoder = grid->encoders[i].encoder,
            .hdr = made->measurer.is_hdr ? &made->measurer.hdr : NULL,
            .two_pass = grid->session->options->two_pass,
            .stats = grid->options->encoder_stats,
        };
        encode_warning(&request, &warning);
        if (warning.text[0])
            progress_print(grid->session->progress, "vmaf-tune: %s", warning.text);
    }
}

/* An encode that is rejected for its arguments would end the whole grid: all are tried before. */
static int check_requests(SourceGrid *made)
{
    const EncodeGrid *grid = made->grid;
    Message why;
    for (size_t line = 0; line < lines_of(grid); line++) {
        EncodeSpec spec = spec_of(grid, line);
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
    int status = session_open_source(grid->session, path, &made->source);
    if (!status)
        status = session_open_measurer(grid->session, &made->source, &made->measurer);
    if (status)
        return status;
    warn(made);
    status = check_requests(made);
    if (grid->options->searches)
        return status ? status : search_lines(made);
    if (!status)
        status = run_part(made, grid->options->coarse_to_fine ? choose_coarse : NULL);
    const bool refines = grid->options->coarse_to_fine && !grid->session->options->dry_run;
    if (!status && refines)
        status = run_part(made, choose_fine);
    if (!status && refines)
        status = run_part(made, choose_gap);
    return status;
}

int encode_grid_run(EncodeGrid *grid)
{
    const TextList *paths = &grid->session->options->sources;
    int status = 0;
    for (size_t i = 0; i < paths->n && !status; i++) {
        SourceGrid made = {.grid = grid};
        status = run_source(&made, paths->text[i]);
        for (size_t c = 0; c < made.n; c++)
            row_free(&made.cells[c].row);
        free(made.cells);
        session_close_measurer(&made.measurer);
        source_close(&made.source);
    }
    return status;
}
