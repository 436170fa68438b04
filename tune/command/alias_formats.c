/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What older names of encode, search and sample print. */
#include "tune/command/quality_command.h"
#include "tune/command/report.h"

#include "common/json.h"
#include "tune/measure/row.h"
#include "tune/options/output.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Prints as JSON or, if there is none, a text. A status. */
static int print(const QualitySearch *search, const QualitySettings *settings, json_t *json,
                 TextBuffer *text)
{
    return json ? report_file_write(search->session->command, settings->report, json)
                : result_print(text, search->session->command, settings->report, 0);
}

/* -- encode-profile -- */

/* The encode that was made, and how it fares. */
typedef struct MadeEncode {
    const QualitySearch *search;
    const QualitySettings *settings;
    const FilmEncode *film;
    const char *output;
    double target, expected; /* NAN: none */
    bool is_verified, reaches;
} MadeEncode;

static int put_scores(json_t *json, const MadeEncode *made)
{
    const EncodeScores *scores = &made->film->encode->scores;
    int err = json_put_number(json, "vmaf_score", made->film->values[0]);
    err |= json_put_text(json, "vmaf_model", made->search->on_film.model);
    err |= json_put_flag(json, "model_calibrated", made->search->on_film.is_calibrated);
    err |= json_put_text(json, "pool", score_pool_name(made->search->plan.gates.gate[0].pool));
    err |= json_put_text(json, "score_backend", scores->backend);
    err |= json_put_number(json, "score_time_ms", scores->ms);
    if (!isnan(made->target))
        err |= json_put_flag(json, "target_met", made->reaches);
    return err;
}

static json_t *profile_record(const MadeEncode *made)
{
    const MeasuredEncode *encode = made->film->encode;
    const EncodeOutcome *outcome = &encode->outcome;
    const double seconds = outcome->wall_ms / 1000;
    json_t *json = json_pack(
        "{s:s s:o s:o s:s s:o s:s? s:o s:s s:I s:I s:I s:o s:o s:o s:o s:o s:b}", "schema",
        "vmaf-tune-encode-profile/v1", "src", json_text_or_null(made->search->source->path),
        "output", json_text_or_null(made->output), "encoder", encode->spec.encoder->name,
        "encoder_version", json_text_or_null(outcome->encoder_version), "preset",
        encode->spec.preset, "crf", json_quality(encode->spec.q), "rate_control",
        outcome->rate_control, "encode_size_bytes", (json_int_t)outcome->size, "stream_size_bytes",
        (json_int_t)encode->stream_bytes, "frames", (json_int_t)encode->frames, "bitrate_kbps",
        json_number_or_null(encode->kbps), "encode_time_ms", json_number_or_null(outcome->wall_ms),
        "encode_speed_fps",
        json_number_or_null(seconds > 0 ? (double)encode->frames / seconds : NAN), "expected_vmaf",
        json_number_or_null(made->expected), "target_vmaf", json_number_or_null(made->target),
        "verified", made->is_verified);
    return json_unless(made->is_verified ? put_scores(json, made) : 0, json);
}

int print_profile_encode(const QualitySearch *search, const QualitySettings *settings,
                         const FilmOutput *output)
{
    const FilmEncode *answer = quality_answer(search);
    const MadeEncode made = {
        .search = search,
        .settings = settings,
        .film = answer ? answer : quality_nearest(search),
        .output = output->path,
        .target = search->plan.gates.gate[0].target,
        .expected = json_number_of(settings->profile, "score"),
        .is_verified = !settings->quality.no_verify,
        .reaches = answer != NULL,
    };
    TextBuffer text = {0};
    if (!settings->json && text_begin(&text))
        quality_print(search, output, text.out);
    const int status =
        print(search, settings, settings->json ? profile_record(&made) : NULL, &text);
    return status || made.reaches
               ? status
               : command_fail(search->session->command, TUNE_NO_RESULT, "VMAF %.3f misses %g",
                              made.film->values[0], made.target);
}

/* -- bisect -- */

static json_t *bisect_record(const QualitySearch *search)
{
    const SessionMeasurer *measurer = &search->on_film;
    const SearchResult *result = &search->run.result;
    /* It may have seen parts of the video only. */
    const double parts =
        (double)search->source->frames / (double)measurer_frames(measurer->measurer);
    json_t *json = search_record(&search->plan, &search->run);
    int err = search_put_source(json, search->source, search->session->options);
    err |= json_put_number(json, "predicted_size_bytes",
                           result->ok ? result->best.kbps * 125 * search->source->seconds : NAN);
    err |= json_put_number(json, "predicted_encode_time_ms",
                           result->ok ? result->best.encode_ms * parts : NAN);
    err |= json_put_text(json, "pool", score_pool_name(search->plan.gates.gate[0].pool));
    err |= json_put_text(json, "vmaf_model", measurer->model);
    err |= json_put_flag(json, "model_calibrated", measurer->is_calibrated);
    err |= json_put_text(json, "clip_mode", measurer->clip_mode);
    return json_unless(err, json);
}

int print_bisect(const QualitySearch *search, const QualitySettings *settings,
                 const FilmOutput *output)
{
    const bool is_json = settings->format == QUALITY_JSON || report_is_page(settings->report);
    TextBuffer text = {0};
    if (!is_json && text_begin(&text))
        quality_print(search, output, text.out);
    return print(search, settings, is_json ? bisect_record(search) : NULL, &text);
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

static json_t *films_of(const QualitySearch *search)
{
    SearchPlan plan = search->plan;
    json_t *json = json_array();
    plan.gates.n_windows = 0;
    for (size_t i = 0; i < search->n_films; i++)
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

static json_t *fast_record(const FastResult *result)
{
    const QualitySearch *search = result->search;
    const EncodeSpec *spec = &search->plan.spec;
    char control[RATE_CONTROL_SIZE];
    encode_rate_control(&(EncodeRequest){.encoder = spec->encoder, .two_pass = spec->two_pass},
                        control);
    json_t *json = json_pack(
        "{s:o s:o s:o s:o s:o s:o s:o s:o s:s s:s? s:s s:o s:s? s:i s:b s:o s:o s:o}",
        "recommended_crf", json_quality(result->recommended), "target_vmaf",
        json_number_or_null(search->plan.gates.gate[0].target), "predicted_vmaf",
        json_number_or_null(result->predicted_vmaf), "predicted_kbps",
        json_number_or_null(result->predicted_kbps), "verify_vmaf",
        json_number_or_null(result->verify_vmaf), "verify_kbps",
        json_number_or_null(result->verify_kbps), "proxy_verify_gap",
        json_number_or_null(result->gap), "notes", json_text_or_null(result->notes), "encoder",
        spec->encoder->name, "preset", spec->preset, "rate_control", control, "vmaf_model",
        json_text_or_null(search->samples.n ? search->on_samples.model : search->on_film.model),
        "score_backend", backend_of(search), "n_trials", search->run.result.n_iterations, "smoke",
        false, "windows", samples_to_json(&search->samples), "samples",
        search_samples(&search->plan, &search->run), "verifications", films_of(search));
    return json_unless(search_put_source(json, search->source, search->session->options), json);
}

static void fast_print(const FastResult *result, const FilmOutput *output, FILE *out)
{
    quality_print(result->search, output, out);
    if (result->recommended >= 0)
        fprintf(out, "expected: VMAF %.3f and %.1f kbit/s", result->predicted_vmaf,
                result->predicted_kbps);
    if (result->recommended >= 0 && isfinite(result->gap))
        fprintf(out, "; measured: %.3f and %.1f kbit/s", result->verify_vmaf, result->verify_kbps);
    fprintf(out, "%s%s%s\n", result->recommended >= 0 ? "\n" : "", *result->notes ? "Note: " : "",
            result->notes);
}

int print_fast(const QualitySearch *search, const QualitySettings *settings,
               const FilmOutput *output)
{
    const TuneCommand *command = search->session->command;
    const FastResult result = conclude(search);
    const bool is_json = settings->format == QUALITY_JSON || report_is_page(settings->report);
    TextBuffer text = {0};
    if (!is_json && text_begin(&text))
        fast_print(&result, output, text.out);
    const int status = print(search, settings, is_json ? fast_record(&result) : NULL, &text);
    if (result.recommended < 0)
        return command_fail(command, TUNE_NO_RESULT, "%s", result.notes);
    if (result.gap > settings->tolerance)
        return command_fail(command, TUNE_DISAGREES,
                            "samples said VMAF %.3f, the whole video has %.3f: more than %g apart",
                            result.predicted_vmaf, result.verify_vmaf, settings->tolerance);
    return status;
}
