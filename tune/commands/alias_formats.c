/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What older names of encode, search and sample print. */
#include "tune/commands/quality_command.h"
#include "tune/commands/report.h"

#include "common/json.h"
#include "tune/rows/row.h"
#include "tune/session/output.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* -- encode-profile -- */

/* The encode that was made, and how it fares. */
typedef struct MadeEncode {
    const QualitySearch *search;
    const QualitySettings *settings;
    const FilmEncode *film;
    const char *output;
    bool is_verified, reaches;
} MadeEncode;

static double target_of(const MadeEncode *made)
{
    return made->search->plan.gates.gate[0].target;
}

static int put_encode(json_t *json, const MadeEncode *made)
{
    const MeasuredEncode *encode = made->film->encode;
    const EncodeOutcome *outcome = &encode->outcome;
    const double seconds = outcome->wall_ms / 1000;
    int err = json_put_text(json, "src", made->search->source->path);
    err |= json_put_text(json, "output", made->output);
    err |= json_put_text(json, "encoder", encode->spec.encoder->name);
    err |= json_put_text(json, "encoder_version", outcome->encoder_version);
    err |= json_put_text(json, "preset", encode->spec.preset);
    err |= json_put(json, "crf", json_quality(encode->spec.q));
    err |= json_put_text(json, "rate_control", outcome->rate_control);
    err |= json_put_integer(json, "encode_size_bytes", outcome->size);
    err |= json_put_integer(json, "stream_size_bytes", (json_int_t)encode->stream_bytes);
    err |= json_put_integer(json, "frames", (json_int_t)encode->frames);
    err |= json_put_number(json, "bitrate_kbps", encode->kbps);
    err |= json_put_number(json, "encode_time_ms", outcome->wall_ms);
    err |= json_put_number(json, "encode_speed_fps",
                           seconds > 0 ? (double)encode->frames / seconds : NAN);
    return err;
}

static int put_scores(json_t *json, const MadeEncode *made)
{
    const EncodeScores *scores = &made->film->encode->scores;
    int err = json_put_number(json, "vmaf_score", made->film->values[0]);
    err |= json_put_text(json, "vmaf_model", made->search->on_film.model);
    err |= json_put_flag(json, "model_calibrated", made->search->on_film.is_calibrated);
    err |= json_put_text(json, "pool", score_pool_name(made->search->plan.gates.gate[0].pool));
    err |= json_put_text(json, "score_backend", scores->backend);
    err |= json_put_number(json, "score_time_ms", scores->ms);
    if (!isnan(target_of(made)))
        err |= json_put_flag(json, "target_met", made->reaches);
    return err;
}

static json_t *profile_record(const MadeEncode *made)
{
    const Profile *profile = made->settings->profile;
    json_t *json = json_object();
    int err = json_put_text(json, "schema", "vmaf-tune-encode-profile/v1");
    err |= put_encode(json, made);
    err |= json_put_number(json, "expected_vmaf", profile->score);
    err |= json_put_number(json, "target_vmaf", target_of(made));
    err |= json_put_flag(json, "verified", made->is_verified);
    if (made->is_verified)
        err |= put_scores(json, made);
    return json_unless(err, json);
}

static void profile_print(const MadeEncode *made, FILE *out)
{
    const MeasuredEncode *encode = made->film->encode;
    const Profile *profile = made->settings->profile;
    print_line(out, "%s: %s %s %s %g, %.1f kbit/s, %.1f s", made->output,
               encode->spec.encoder->name, encode->spec.preset, encode->spec.encoder->quality_name,
               encode->spec.q, encode->kbps, encode->outcome.wall_ms / 1000);
    if (!made->is_verified)
        return;
    char expected[48] = "", target[48] = "";
    if (!isnan(profile->score))
        snprintf(expected, sizeof expected, ", expected %.3f", profile->score);
    if (!isnan(target_of(made)))
        snprintf(target, sizeof target, ", target %g [%s]", target_of(made),
                 made->reaches ? "OK" : "UNMET");
    print_line(out, "VMAF %.3f%s%s", made->film->values[0], expected, target);
}

int print_profile_encode(const QualitySearch *search, const QualitySettings *settings,
                         const FilmOutput *output)
{
    const TuneCommand *command = search->session->command;
    const FilmEncode *answer = quality_answer(search);
    const MadeEncode made = {
        .search = search,
        .settings = settings,
        .film = answer ? answer : quality_nearest(search),
        .output = output->path,
        .is_verified = !settings->quality.no_verify,
        .reaches = answer != NULL,
    };
    TextBuffer text;
    int status;
    if (settings->json) {
        status = result_print_json(command, settings->report, profile_record(&made));
    } else {
        if (text_begin(&text))
            profile_print(&made, text.out);
        status = result_print(&text, command, settings->report, 0);
    }
    if (!status && !made.reaches)
        status = command_fail(command, TUNE_NO_RESULT, "VMAF %.3f misses %g", made.film->values[0],
                              target_of(&made));
    return status;
}

/* -- bisect -- */

/* What the answer would take of the whole video, of which it may have seen samples only. */
static int put_expectations(json_t *record, const QualitySearch *search)
{
    const SearchResult *result = &search->run.result;
    const double parts =
        (double)search->source->frames / (double)measurer_frames(search->on_film.measurer);
    int err = json_put_number(record, "predicted_size_bytes",
                              result->ok ? result->best.kbps * 125 * search->source->seconds : NAN);
    err |= json_put_number(record, "predicted_encode_time_ms",
                           result->ok ? result->best.encode_ms * parts : NAN);
    return err;
}

static json_t *bisect_record(const QualitySearch *search)
{
    const SessionMeasurer *measurer = &search->on_film;
    const SessionOptions *options = search->session->options;
    json_t *record = search_record(&search->plan, &search->run);
    int err = put_expectations(record, search);
    err |= search_put_source(record, search->source, options);
    err |= json_put_text(record, "pool", score_pool_name((ScorePool)options->pool));
    err |= json_put_text(record, "vmaf_model", measurer->model);
    err |= json_put_flag(record, "model_calibrated", measurer->is_calibrated);
    err |= json_put_text(record, "clip_mode", measurer->clip_mode);
    return json_unless(err, record);
}

int print_bisect(const QualitySearch *search, const QualitySettings *settings,
                 const FilmOutput *output)
{
    const TuneCommand *command = search->session->command;
    TextBuffer text;
    (void)output;
    if (settings->format == QUALITY_JSON || report_is_page(settings->report))
        return report_write(command, settings->report, bisect_record(search));
    if (text_begin(&text))
        search_print_text(&search->plan, &search->run, search->source->seconds, text.out);
    return result_print(&text, command, settings->report, 0);
}

/* -- fast -- */

/* What was searched on samples, and verified on the whole video. */
typedef struct FastResult {
    const QualitySearch *search;
    double recommended; /* -1: there is none */
    double predicted_vmaf, predicted_kbps;
    double verify_vmaf, verify_kbps;
    double gap; /* between the two scores; NAN: nothing was verified */
    char notes[512];
} FastResult;

__attribute__((format(printf, 2, 3))) static void note(FastResult *result, const char *format, ...)
{
    const size_t used = strlen(result->notes);
    va_list arguments;
    va_start(arguments, format);
    if (used + 2 < sizeof result->notes) {
        if (used)
            strcpy(result->notes + used, "; ");
        const size_t from = strlen(result->notes);
        vsnprintf(result->notes + from, sizeof result->notes - from, format, arguments);
    }
    va_end(arguments);
}

/* The encode of the whole video that is compared with its estimate: the answer, else the last. */
static void compare_verified(FastResult *result)
{
    const QualitySearch *search = result->search;
    const FilmEncode *film = quality_answer(search);
    double q = result->recommended;
    if (!film && search->n_films)
        film = &search->films[search->n_films - 1];
    if (film) {
        q = film->encode->spec.q;
        result->verify_vmaf = film->values[0];
        result->verify_kbps = film->encode->kbps;
    }
    if (q < 0)
        return;
    result->predicted_vmaf = fmax(0, fmin(100, quality_curve(&search->run, 0, q)));
    result->predicted_kbps = search_predicted_kbps(&search->run.search, q);
    if (!search->samples.n) { /* nothing is left to be verified */
        result->verify_vmaf = result->predicted_vmaf;
        result->verify_kbps = result->predicted_kbps;
    }
    result->gap = fabs(result->predicted_vmaf - result->verify_vmaf);
}

static FastResult conclude(const QualitySearch *search)
{
    bool is_film;
    const MeasuredEncode *best = quality_best(search, &is_film);
    const SearchResult *sampled = &search->run.result;
    FastResult result = {
        .search = search,
        .recommended = best ? best->spec.q : -1,
        .predicted_vmaf = NAN,
        .predicted_kbps = NAN,
        .verify_vmaf = NAN,
        .verify_kbps = NAN,
        .gap = NAN,
    };
    Message why;
    compare_verified(&result);
    if (!best) {
        quality_explain(search, &why);
        note(&result, "%s: %s", search->n_films ? "the whole video" : "samples", why.text);
    }
    if (!search->samples.n)
        note(&result, "the video is no longer than samples would be: all of it was searched");
    if (best && sampled->best_q != best->spec.q)
        note(&result, "samples alone would say %g", sampled->best_q);
    if (best && !search->samples.n && !sampled->converged)
        note(&result, "further encodes would tell more exactly");
    return result;
}

/* The plan that the encodes of all of it are seen with. */
static SearchPlan film_plan(const QualitySearch *search)
{
    SearchPlan plan = search->plan;
    plan.gates.n_windows = 0;
    return plan;
}

static json_t *films_of(const QualitySearch *search)
{
    const SearchPlan plan = film_plan(search);
    json_t *json = json_array();
    for (size_t i = 0; json && i < search->n_films; i++)
        json_array_append_new(json, search_sample(&plan, search->films[i].encode));
    return json;
}

static const char *backend_of(const QualitySearch *search)
{
    if (search->n_films)
        return search->films[0].encode->scores.backend;
    for (size_t i = 0; i < search->run.n_encodes; i++)
        if (search->run.encodes[i].has_scores)
            return search->run.encodes[i].scores.backend;
    return NULL;
}

static json_t *rate_control_of(const EncodeSpec *spec)
{
    char name[RATE_CONTROL_SIZE];
    encode_rate_control(&(EncodeRequest){.encoder = spec->encoder, .two_pass = spec->two_pass},
                        name);
    return json_text_or_null(name);
}

static json_t *fast_record(const FastResult *result)
{
    const QualitySearch *search = result->search;
    const EncodeSpec *spec = &search->plan.spec;
    json_t *json = json_object();
    int err = json_put(json, "recommended_crf", json_quality(result->recommended));
    err |= json_put_number(json, "target_vmaf", search->plan.gates.gate[0].target);
    err |= json_put_number(json, "predicted_vmaf", result->predicted_vmaf);
    err |= json_put_number(json, "predicted_kbps", result->predicted_kbps);
    err |= json_put_number(json, "verify_vmaf", result->verify_vmaf);
    err |= json_put_number(json, "verify_kbps", result->verify_kbps);
    err |= json_put_number(json, "proxy_verify_gap", result->gap);
    err |= json_put_text(json, "notes", result->notes);
    err |= search_put_source(json, search->source, search->session->options);
    err |= json_put_text(json, "encoder", spec->encoder->name);
    err |= json_put_text(json, "preset", spec->preset);
    err |= json_put(json, "rate_control", rate_control_of(spec));
    err |= json_put_text(json, "vmaf_model",
                         search->samples.n ? search->on_samples.model : search->on_film.model);
    err |= json_put_text(json, "score_backend", backend_of(search));
    err |= json_put_integer(json, "n_trials", search->run.result.n_iterations);
    err |= json_put_flag(json, "smoke", false);
    err |= json_put(json, "windows", samples_to_json(&search->samples));
    err |= json_put(json, "samples", search_samples(&search->plan, &search->run));
    err |= json_put(json, "verifications", films_of(search));
    return json_unless(err, json);
}

static void print_films(const QualitySearch *search, double best, FILE *out)
{
    const SearchPlan plan = film_plan(search);
    fprintf(out, "\nThe whole video:\n");
    search_print_heads(&plan, out);
    for (size_t i = 0; i < search->n_films; i++)
        search_print_encode(&plan, search->films[i].encode, search->films[i].encode->spec.q == best,
                            out);
}

static void fast_print(const FastResult *result, FILE *out)
{
    const QualitySearch *search = result->search;
    const char *qualities = search->plan.spec.encoder->quality_name;
    fprintf(out, "%zu of %zu frames:\n", search->samples.frames, search->source->frames);
    search_print_text(&search->plan, &search->run, search->source->seconds, out);
    if (search->n_films)
        print_films(search, result->recommended, out);
    fputc('\n', out);
    if (result->recommended >= 0)
        fprintf(out, "%s %g: VMAF %.3f and %.1f kbit/s expected", qualities, result->recommended,
                result->predicted_vmaf, result->predicted_kbps);
    if (result->recommended >= 0 && isfinite(result->gap))
        fprintf(out, ", %.3f and %.1f kbit/s measured", result->verify_vmaf, result->verify_kbps);
    fprintf(out, "%s%s%s\n", result->recommended >= 0 ? "\n" : "", *result->notes ? "Note: " : "",
            result->notes);
}

int print_fast(const QualitySearch *search, const QualitySettings *settings,
               const FilmOutput *output)
{
    const TuneCommand *command = search->session->command;
    const FastResult result = conclude(search);
    TextBuffer text;
    int status;
    (void)output;
    if (settings->format == QUALITY_JSON || report_is_page(settings->report)) {
        status = report_write(command, settings->report, fast_record(&result));
    } else {
        if (text_begin(&text))
            fast_print(&result, text.out);
        status = result_print(&text, command, settings->report, 0);
    }
    if (result.recommended < 0)
        return command_fail(command, TUNE_NO_RESULT, "%s", result.notes);
    if (result.gap > settings->tolerance)
        return command_fail(command, TUNE_DISAGREES,
                            "samples said VMAF %.3f, the whole video has %.3f: more than %g apart",
                            result.predicted_vmaf, result.verify_vmaf, settings->tolerance);
    return status;
}
