/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/search/quality_search.h"

#include "common/json.h"
#include "platform/machine.h"
#include "platform/time.h"
#include "tune/measure/row.h"
#include "tune/options/options.h"
#include "tune/search/bd_rate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_SECONDS 20.0
#define SAMPLE_EVERY   720.0

/* Samples that are so much of a film are no less work than all of it. */
#define MOST_SAMPLED 0.85
/* What a further encode of a whole film has to save. */
#define WORTH_AN_ENCODE 0.03

enum { FEWEST_SAMPLES = 3, MOST_THREADS = 16, USUAL_FILMS = 3, USUAL_VMAF = 95 };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define AT(member)   .target = offsetof(QualityChoice, member)

static const TuneOption goal_rows[] = {
    {"target", "GOAL", "METRIC=VALUE or METRIC.POOL=VALUE, such as vmaf.p1=85; all have to hold",
     TEXTS_AT(targets)},
    {"min-vmaf", "X",
     "the same as --target vmaf=X ({one of both is needed}, if there is no condition)",
     NUMBER_AT(min_vmaf, 0, 100), .other_name = "target-vmaf",
     .usual = offsetof(QualityChoice, usual_vmaf)},
    {"min-xpsnr", "X", "the same as --target xpsnr=X, where there is a feature of that name",
     NUMBER_AT(min_xpsnr, 0, 200)},
};

static const TuneOption encoder_rows[] = {
    {"encoder", "NAME", "FFmpeg's name of the encoder ({libx264})", TEXT_AT(search.encoder),
     .other_name = "codec", .short_name = 'e', .has_settings = true},
    {"preset", "NAME", "the encoder's own word or number, or one of x264 (medium)",
     TEXT_AT(search.preset)},
    {"quality", "Q", "no search: this value of the quality knob", NUMBER_AT(quality, 0, 255),
     .other_name = "crf"},
};

static const TuneOption sample_rows[] = {
    {"samples", "N", "how many, or none: all of the film (one every 12 minutes, at least 3)",
     TEXT_AT(samples)},
    {"sample-duration", "S", "of each ({20})", NUMBER_AT(sample_seconds, 0.001, 1e9)},
    {"sample-every", "S", "of the film ({720})", NUMBER_AT(sample_every, 1, 1e9)},
    {"sample-chunk-seconds", "S",
     "of three samples together ({as above}); --sample-windows makes more of them",
     NUMBER_AT(chunk_seconds, 0.001, 1e9)},
    {"time-budget", "S", "begin no further encode of samples after so long ({no limit}; 0: none)",
     NUMBER_AT(time_budget, 0, 1e9), .other_name = "time-budget-s"},
    {"thorough", NULL, "go on while a further encode of the film would save anything",
     FLAG_AT(is_thorough)},
};

QualityChoice quality_choice(void)
{
    QualityChoice choice = {
        .search = search_choice(),
        .min_vmaf = NAN,
        .min_xpsnr = NAN,
        .quality = -1,
        .usual_vmaf = USUAL_VMAF,
        .sample_seconds = SAMPLE_SECONDS,
        .sample_every = SAMPLE_EVERY,
    };
    choice.search.on_non_monotonic = NON_MONOTONIC_KEEP;
    choice.search.quality_step = 0;
    return choice;
}

void quality_option_groups(QualityChoice *choice, OptionGroup groups[QUALITY_GROUPS])
{
    groups[0] = (OptionGroup){"Goal", goal_rows, COUNT(goal_rows), choice};
    groups[1] = (OptionGroup){"Encoder", encoder_rows, COUNT(encoder_rows), choice};
    search_option_groups(&choice->search, groups + 2);
    groups[4] = (OptionGroup){"Samples: parts of the video that stand for all of it", sample_rows,
                              COUNT(sample_rows), choice};
}

/* -- the goal -- */

int quality_prepare(const TuneCommand *command, QualityChoice *choice, SessionOptions *options,
                    double *target)
{
    const bool has_xpsnr = !isnan(choice->min_xpsnr);
    const bool has_samples = !choice->samples || strcmp(choice->samples, "none") != 0;
    if (has_xpsnr && text_list_add(&choice->targets, "xpsnr=%.17g", choice->min_xpsnr))
        return command_fail(command, TUNE_NO_RESULT, "out of memory");
    const bool has_none = !choice->targets.n && !options->require.n && choice->quality < 0;
    *target = isnan(choice->min_vmaf) && has_none ? choice->usual_vmaf : choice->min_vmaf;
    if (has_none && isnan(*target))
        return command_fail(command, TUNE_USAGE, "which score? Give --target-vmaf");
    if (options->sample_seconds > 0 && has_samples)
        return command_fail(command, TUNE_USAGE,
                            "samples are chosen by --samples and --sample-duration");
    options->targets = choice->targets;
    if (!options->ffmpeg_threads && !choice->any_threads) {
        const int each = (int)vmaf_processors_usable() / options->jobs;
        options->ffmpeg_threads = each < 1 ? 1 : each > MOST_THREADS ? MOST_THREADS : each;
    }
    return 0;
}

/* The least score of samples is not that of the film. */
static bool needs_all(const TuneGates *gates)
{
    for (size_t i = 0; i < gates->n; i++)
        if (gates->gate[i].pool == POOL_MIN && !isnan(gates->gate[i].target))
            return true;
    return false;
}

/* -- samples -- */

/* How many, and how long. A status. */
static int find_number(const QualitySearch *search, size_t *n, double *seconds)
{
    const QualityChoice *choice = search->choice;
    const bool is_short = choice->chunk_seconds > 0 && !choice->samples;
    const double wanted = is_short ? search->session->options->sample_windows
                                   : ceil(search->source->seconds / choice->sample_every);
    char *end;
    *n = wanted > FEWEST_SAMPLES ? (size_t)wanted : FEWEST_SAMPLES;
    *seconds = is_short ? choice->chunk_seconds / FEWEST_SAMPLES : choice->sample_seconds;
    if (!choice->samples)
        return 0;
    const long said = strtol(choice->samples, &end, 10);
    const bool is_none = !strcmp(choice->samples, "none");
    if (!is_none && (*end || said < 1 || said > 10000))
        return command_fail(search->session->command, TUNE_USAGE,
                            "--samples \"%s\" is to be a number, or none", choice->samples);
    *n = is_none ? 0 : (size_t)said;
    return 0;
}

static int choose_samples(QualitySearch *search)
{
    Samples *samples = &search->samples;
    Message why;
    size_t n;
    double seconds;
    const int status = find_number(search, &n, &seconds);
    if (status || !n || seconds * (double)n > MOST_SAMPLED * search->source->seconds ||
        needs_all(&search->session->gates))
        return status;
    const int chosen =
        session_choose_windows(search->source, seconds * (double)n, n, &samples->windows, &why);
    if (chosen < 0)
        return session_fail(search->session, chosen, why.text);
    samples->n = (size_t)chosen;
    return 0;
}

/* -- the source's video -- */

double quality_source_kbps(const QualitySearch *search, bool of_samples)
{
    const TuneSource *source = search->source;
    const double rate = (double)source->rate.numerator / source->rate.denominator;
    double bytes = 0, frames = 0;
    if (source->is_sequence)
        return NAN;
    if (!of_samples || !search->samples.n)
        return source_bytes(source, source->part.first, source->frames) * 0.008 / source->seconds;
    for (size_t i = 0; i < search->samples.n; i++) {
        const SampleWindow *window = &search->samples.windows[i];
        bytes += source_bytes(source, window->first, window->frames) * (double)window->stands_for /
                 (double)window->frames;
        frames += (double)window->stands_for;
    }
    return bytes * 0.008 * rate / frames;
}

static double share_kbps(const QualitySearch *search, bool of_samples)
{
    return search->choice->search.max_percent / 100 * quality_source_kbps(search, of_samples);
}

static double most_kbps(const QualitySearch *search, bool of_samples)
{
    const double share = share_kbps(search, of_samples);
    double most = search->choice->search.max_kbps;
    if (share > 0 && (!(most > 0) || share < most))
        most = share;
    return most;
}

/* Where the limit comes from. */
static void add_limit(const QualitySearch *search, bool of_samples, Message *why)
{
    const SearchChoice *choice = &search->choice->search;
    const size_t used = strlen(why->text);
    const bool is_share = most_kbps(search, of_samples) == share_kbps(search, of_samples);
    if (is_share)
        snprintf(why->text + used, sizeof why->text - used,
                 "; --max-encoded-percent is %g, and the source's video has %.1f kbit/s",
                 choice->max_percent, quality_source_kbps(search, of_samples));
    else
        snprintf(why->text + used, sizeof why->text - used, "; --max-kbps is %g", choice->max_kbps);
}

/* -- opening -- */

static void show_encode(void *cookie, const MeasuredEncode *measured)
{
    const QualitySearch *search = cookie;
    quality_show(search, measured, !search->samples.n);
}

static int open_measurers(QualitySearch *search, const FilmPlace *place)
{
    Session *session = search->session;
    const bool is_clipped = session->options->sample_seconds > 0;
    const MeasuredPart film = {.folder = place->folder, .extension = place->extension};
    const MeasuredPart samples = {search->samples.windows, search->samples.n, .apart = true};
    int status = 0;
    if (!samples.n_windows || place->is_wanted)
        status =
            session_open_measurer(session, search->source,
                                  place->is_wanted && !is_clipped ? &film : NULL, &search->on_film);
    if (!status && samples.n_windows)
        status = session_open_measurer(session, search->source, &samples, &search->on_samples);
    return status;
}

int quality_search_open(QualitySearch *search, Session *session, const TuneSource *source,
                        const QualityChoice *choice, const FilmPlace *place)
{
    SearchChoice plain = choice->search;
    *search = (QualitySearch){
        .session = session,
        .source = source,
        .choice = choice,
        .streams = place->streams,
        .keeps_films = place->folder != NULL,
        .output = place->output,
        .start_ms = vmaf_steady_ms(),
    };
    search_check_percent(session, &choice->search, source);
    plain.max_percent = plain.max_kbps = 0;
    int status = choose_samples(search);
    if (!status)
        status = search_find_plan(session, &plain, source, &search->encoder, &search->plan);
    if (!status && choice->quality >= 0)
        status = session_check_quality(session, &search->encoder, choice->quality);
    if (!status)
        status = open_measurers(search, place);
    search->plan.gates.windows = search->samples.windows;
    search->plan.gates.n_windows = search->samples.n;
    search->plan.search.max_kbps = most_kbps(search, true);
    search->plan.time_budget = choice->time_budget;
    search->plan.on_encode = show_encode;
    search->plan.cookie = search;
    if (!search->samples.n)
        search->plan.spec.streams = place->streams;
    search->plan.spec.width = choice->width;
    search->plan.spec.height = choice->height;
    return status;
}

void quality_search_close(QualitySearch *search)
{
    for (size_t i = 0; i < search->n_films; i++)
        measured_encode_free(&search->films[i].own);
    search_run_free(&search->run);
    session_close_measurer(&search->on_film);
    session_close_measurer(&search->on_samples);
    free(search->samples.windows);
    json_decref(search->shots);
}

/* -- step one -- */

static int fail(const QualitySearch *search, int error, const char *why)
{
    const bool is_kept = error == -ECANCELED && search->session->cache;
    return session_fail(search->session, error,
                        is_kept ? "interrupted; what was measured is kept, and the same command "
                                  "goes on from there: only an encode of the whole film begins "
                                  "again"
                        : error == -ECANCELED ? "interrupted"
                                              : why);
}

static Measurer *first_measurer(const QualitySearch *search)
{
    return search->samples.n ? search->on_samples.measurer : search->on_film.measurer;
}

int quality_search_measure(QualitySearch *search)
{
    SearchPlan plan = search->plan;
    const double quality = search->choice->quality;
    if (quality >= 0) { /* nothing else is looked at */
        plan.search.first = plan.search.last = quality;
        plan.search.max_probes = 1;
    }
    return search_run(first_measurer(search), &plan, &search->run);
}

int quality_search_samples(QualitySearch *search)
{
    EncodeSpec spec = search->plan.spec;
    const double quality = search->choice->quality;
    if (search->session->options->dry_run) {
        spec.q = quality >= 0 ? quality : spec.encoder->default_q;
        return search->samples.n || !search->output
                   ? session_print_commands(search->session, first_measurer(search), &spec)
                   : 0;
    }
    const int err = quality_search_measure(search);
    return err ? fail(search, err, search->run.why.text) : 0;
}

/* The quality that the samples name; -1: none. */
static double quality_of_samples(const QualitySearch *search)
{
    const SearchResult *result = &search->run.result;
    if (search->choice->quality >= 0)
        return search->choice->quality;
    return result->ok && !search->run.error ? result->best_q : -1;
}

/* -- shots -- */

static int search_shot(QualitySearch *search, const Shot *shot)
{
    const size_t frames = shot->end - shot->first;
    const SampleWindow window = {search->source->part.first + shot->first, frames, frames};
    const MeasuredPart part = {.windows = &window, .n_windows = 1, .apart = true};
    SearchPlan plan = search->plan;
    SessionMeasurer measurer;
    SearchRun run;
    plan.gates.n_windows = 0;
    plan.on_encode = NULL;
    plan.spec.streams = ENCODE_VIDEO_ONLY;
    int status = session_open_measurer(search->session, search->source, &part, &measurer);
    if (!status) {
        const int err = search_run(measurer.measurer, &plan, &run);
        const SearchResult *result = &run.result;
        const bool ok = !err && result->ok;
        json_array_append_new(
            search->shots,
            json_pack("{s:I s:I s:o s:b s:o s:o}", "first_frame", (json_int_t)window.first,
                      "frames", (json_int_t)frames, "crf", json_quality(ok ? result->best_q : NAN),
                      "reachable", ok, "measured_vmaf",
                      json_number_or_null(ok ? result->best.values[0] : NAN), "bitrate_kbps",
                      json_number_or_null(ok ? result->best.kbps : NAN)));
        status = err ? fail(search, err, run.why.text) : 0;
        search_run_free(&run);
    }
    session_close_measurer(&measurer);
    return status;
}

int quality_search_shots(QualitySearch *search)
{
    SourceShots found;
    Message why;
    if (search->session->options->dry_run)
        return 0;
    const int err = session_find_shots(search->session, search->source, &found, &why);
    int status = err ? session_fail(search->session, err, why.text) : 0;
    search->shots = json_array();
    for (size_t i = 0; i < found.n && !status; i++)
        status = search_shot(search, &found.shots[i]);
    source_shots_free(&found);
    return status;
}

/* -- step two -- */

static int compare_q(const void *a, const void *b)
{
    const Measurement *x = a, *y = b;
    return (x->q > y->q) - (x->q < y->q);
}

double quality_curve(const SearchRun *run, size_t gate, double q)
{
    enum { MOST = 64 };
    const size_t n = run->search.n_samples < MOST ? run->search.n_samples : MOST;
    Measurement sorted[MOST];
    double x[MOST], y[MOST], slopes[MOST];
    memcpy(sorted, run->search.samples, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), compare_q);
    for (size_t i = 0; i < n; i++) {
        x[i] = sorted[i].q;
        y[i] = sorted[i].values[gate];
        if (x[i] == q)
            return y[i];
    }
    if (n < 2)
        return NAN;
    pchip_slopes(x, y, n, slopes);
    const size_t end = q < x[0] ? 0 : n - 1;
    return q >= x[0] && q <= x[n - 1] ? pchip_value(x, y, slopes, n, q)
                                      : y[end] + slopes[end] * (q - x[end]);
}

/* Do the curves of the samples reach the goal there, moved to what this film has? */
static bool moved_curves_reach(const QualitySearch *search, const FilmEncode *film, double q)
{
    double values[SEARCH_MAX_GATES];
    for (size_t i = 0; i < search->plan.gates.n; i++)
        values[i] = quality_curve(&search->run, i, q) + film->values[i] -
                    quality_curve(&search->run, i, film->encode->spec.q);
    for (size_t i = 0; i < search->plan.gates.n; i++)
        if (!isfinite(values[i]))
            return false;
    return tune_gates_reached(&search->plan.gates, values);
}

/* Steps between which the answer is: `low` reaches, and `high` does not. */
typedef struct Bracket {
    int low, high;
} Bracket;

static Bracket bracket_of(const QualitySearch *search)
{
    const SearchOptions *options = &search->plan.search;
    const int first = quality_index(&options->qualities, options->first);
    const int last = quality_index(&options->qualities, options->last);
    Bracket bracket = {(first < last ? first : last) - 1, (first < last ? last : first) + 1};
    for (size_t i = 0; i < search->n_films; i++) {
        const int k = quality_index(&options->qualities, search->films[i].encode->spec.q);
        if (search->films[i].reaches && k > bracket.low)
            bracket.low = k;
        else if (!search->films[i].reaches && k < bracket.high)
            bracket.high = k;
    }
    return bracket;
}

/* What the next film should be; false: the best is there, or nothing is left. */
static bool next_quality(const QualitySearch *search, bool is_last, double *q)
{
    const QualityRange *qualities = &search->plan.search.qualities;
    const FilmEncode *newest = &search->films[search->n_films - 1], *best = quality_answer(search);
    const Bracket bracket = bracket_of(search);
    int k = bracket.high - 1;
    while (k > bracket.low && !moved_curves_reach(search, newest, quality_value(qualities, k)))
        k--;
    if (k <= bracket.low && best)
        return false;
    if (k <= bracket.low) /* the curves are not to be trusted */
        k = bracket.high - 1;
    if (!best && is_last && k - 1 > bracket.low)
        k--;
    if (k <= bracket.low)
        return false;
    *q = quality_value(qualities, k);
    const double saved =
        1 - search_predicted_kbps(&search->run.search, *q) /
                search_predicted_kbps(&search->run.search, best ? best->encode->spec.q : *q);
    return !best || search->choice->is_thorough || saved >= WORTH_AN_ENCODE;
}

int quality_search_film(QualitySearch *search, double q)
{
    FilmEncode *film = &search->films[search->n_films];
    EncodeSpec spec = search->plan.spec;
    Message why;
    TuneGates gates = search->plan.gates;
    spec.q = q;
    spec.keeps_file = search->keeps_films;
    spec.streams = search->streams;
    spec.is_unscored = search->choice->no_verify;
    gates.n_windows = 0;
    film->encode = search->samples.n ? NULL : search_run_encode(&search->run, q);
    if (!film->encode || !film->encode->path) { /* of what is known there is no file */
        film->encode = &film->own;
        measure_encode(search->on_film.measurer, &spec, NULL, &film->own);
        if (search->samples.n || search->choice->quality >= 0)
            quality_show(search, &film->own, true);
    }
    search->n_films++;
    int err = film->encode->error;
    if (err)
        return fail(search, err, film->encode->why.text);
    const double most = most_kbps(search, false);
    film->reaches = true;
    if (!spec.is_unscored) {
        err = tune_gates_values(&gates, film->encode, film->values, &why);
        film->reaches = !err && tune_gates_reached(&gates, film->values);
    }
    film->reaches = film->reaches && (!(most > 0) || film->encode->kbps <= most);
    return err ? fail(search, err, why.text) : 0;
}

/* As the last line of a search has them. */
static int print_film_commands(const QualitySearch *search, double q)
{
    EncodeSpec spec = search->plan.spec;
    spec.q = q >= 0 ? q : spec.encoder->default_q;
    spec.streams = search->streams;
    if (!search->output || search->on_film.windows)
        return session_print_commands(search->session, search->on_film.measurer, &spec);
    char *commands = quality_commands(search, &spec, search->output);
    if (!commands)
        return session_fail(search->session, -ENOMEM, "out of memory");
    fputs(commands, stdout);
    free(commands);
    return 0;
}

int quality_search_films(QualitySearch *search)
{
    const bool is_fixed = search->choice->quality >= 0 || search->choice->no_verify;
    const size_t most = search->choice->is_thorough ? QUALITY_MAX_FILMS : USUAL_FILMS;
    double q = quality_of_samples(search);
    if (search->session->options->dry_run)
        return print_film_commands(search, q);
    for (bool goes_on = q >= 0; goes_on;) {
        const int status = quality_search_film(search, q);
        if (status)
            return status;
        goes_on = !is_fixed && search->samples.n && search->n_films < most &&
                  next_quality(search, search->n_films + 1 == most, &q);
    }
    return 0;
}

/* -- the answer -- */

const FilmEncode *quality_answer(const QualitySearch *search)
{
    const FilmEncode *best = NULL;
    for (size_t i = 0; i < search->n_films; i++)
        if (search->films[i].reaches &&
            (!best || search->films[i].encode->kbps < best->encode->kbps))
            best = &search->films[i];
    return best;
}

/* The one with most bits has the best score; what is too large as well is none the better for that.
 */
const FilmEncode *quality_nearest(const QualitySearch *search)
{
    const FilmEncode *nearest = NULL;
    for (size_t i = 0; i < search->n_films; i++)
        if (!search->films[i].encode->error &&
            (!nearest || search->films[i].encode->kbps > nearest->encode->kbps))
            nearest = &search->films[i];
    return nearest;
}

const MeasuredEncode *quality_best(const QualitySearch *search, bool *is_film)
{
    const FilmEncode *film = quality_answer(search);
    const double q = quality_of_samples(search);
    *is_film = film || !search->samples.n;
    if (film)
        return film->encode;
    return search->n_films || q < 0 || !search->run.result.ok ? NULL
                                                              : search_run_encode(&search->run, q);
}

void quality_explain(const QualitySearch *search, Message *why)
{
    const FilmEncode *nearest = quality_nearest(search);
    const TuneGates *gates = &search->plan.gates;
    const double most = most_kbps(search, false);
    char label[GATE_LABEL_SIZE];
    if (!nearest) {
        search_run_explain(&search->run, &search->plan, why);
        if (search->run.result.status == SEARCH_TOO_LARGE && !search->run.error)
            add_limit(search, true, why);
        return;
    }
    message_set(why, 0, "too large: %.1f kbit/s, and %.1f are allowed", nearest->encode->kbps,
                most);
    add_limit(search, false, why);
    for (size_t i = 0; i < gates->n && nearest->encode->has_scores; i++) {
        const TuneGate *gate = &gates->gate[i];
        const double value = nearest->values[i];
        if (gate->lower_is_better ? !(value > gate->target) : !(value < gate->target))
            continue;
        tune_gate_label(gate, label);
        message_set(why, 0, "%s %g is not reached: the nearest encode, %s %g, has %.4f", label,
                    gate->target, search->plan.spec.encoder->quality_name, nearest->encode->spec.q,
                    value);
        break;
    }
}
