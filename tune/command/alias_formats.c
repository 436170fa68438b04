/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Results of searches as bisect, recommend and fast have them. */
#include "tune/command/quality_command.h"

#include "common/json.h"
#include "tune/measure/row.h"
#include "tune/output/corpus_rows.h"

#include <math.h>

/* -- bisect -- */

json_t *bisect_record(const QualitySearch *search)
{
    const SessionMeasurer *measurer = &search->on_film;
    json_t *json = search_record(&search->plan, &search->run);
    int err = search_put_source(json, search->source, search->session->options);
    err |= json_put_text(json, "pool", score_pool_name(search->plan.gates.gate[0].pool));
    err |= json_put_text(json, "vmaf_model", measurer->model);
    err |= json_put_flag(json, "model_calibrated", measurer->is_calibrated);
    err |= json_put_text(json, "clip_mode", measurer->clip_mode);
    return json_unless(err, json);
}

/* -- recommend -- */

/* The answer, else the encode with the best score; NULL: all have failed. */
static const MeasuredEncode *best_of(const QualitySearch *search, double *vmaf)
{
    bool is_film;
    const MeasuredEncode *answer = quality_best(search, &is_film), *best = NULL;
    *vmaf = NAN;
    for (size_t i = 0; i < search->run.n_encodes; i++) {
        const MeasuredEncode *encode = &search->run.encodes[i];
        double values[SEARCH_MAX_GATES];
        Message why;
        if (encode->error || (answer && encode != answer) ||
            tune_gates_values(&search->plan.gates, encode, values, &why) ||
            (best && values[0] <= *vmaf))
            continue;
        best = encode;
        *vmaf = values[0];
    }
    return best;
}

json_t *recommend_record(const QualitySearch *search)
{
    bool is_film;
    double vmaf;
    const MeasuredEncode *best = best_of(search, &vmaf);
    if (!best)
        return json_object();
    json_t *json = encode_row_plan(search->session, search->source, &search->on_film, &best->spec);
    int err = encode_row_fill(search->session, best, json);
    err |= recommend_put(json, search->plan.gates.gate[0].target, NAN, vmaf,
                         quality_best(search, &is_film) != NULL);
    Row row; /* which has all keys */
    Message why;
    err |= row_from_json(&row, json_incref(json), &why);
    row_free(&row);
    return json_unless(err, json);
}

void recommend_print(const QualitySearch *search, const FilmOutput *output, FILE *out)
{
    (void)output;
    bool is_film;
    double vmaf;
    const MeasuredEncode *best = best_of(search, &vmaf);
    if (quality_best(search, &is_film))
        print_line(out, "src=%s preset=%s crf=%g vmaf=%.3f (visited %zu encodes)",
                   search->source->path, best->spec.preset ? best->spec.preset : "", best->spec.q,
                   vmaf, search->run.n_encodes);
}

/* -- fast -- */

FastEstimate fast_estimate(const QualitySearch *search)
{
    bool is_film;
    const MeasuredEncode *encode = quality_best(search, &is_film);
    const FilmEncode *film = quality_answer(search);
    FastEstimate found = {NAN, NAN, NAN, NAN, NAN};
    if (!film && search->n_films)
        film = &search->films[search->n_films - 1];
    if (film) {
        encode = film->encode;
        found.film_vmaf = film->values[0];
        found.film_kbps = encode->kbps;
    }
    if (!encode)
        return found;
    found.vmaf = fmax(0, fmin(100, quality_curve(&search->run, 0, encode->spec.q)));
    found.kbps = search_predicted_kbps(&search->run.search, encode->spec.q);
    if (!search->samples.n) { /* nothing is left to be verified */
        found.film_vmaf = found.vmaf;
        found.film_kbps = found.kbps;
    }
    found.gap = fabs(found.vmaf - found.film_vmaf);
    return found;
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

json_t *fast_record(const QualitySearch *search)
{
    bool is_film;
    const EncodeSpec *spec = &search->plan.spec;
    const MeasuredEncode *best = quality_best(search, &is_film);
    const FastEstimate found = fast_estimate(search);
    char control[RATE_CONTROL_SIZE];
    Message notes = {""};
    encode_rate_control(spec, control);
    if (!best)
        quality_explain(search, &notes);
    else if (!search->samples.n)
        message_set(&notes, 0,
                    "the video is no longer than samples would be: all of it was searched");
    else if (search->run.result.best_q != best->spec.q)
        message_set(&notes, 0, "samples alone would say %g", search->run.result.best_q);
    json_t *json = json_pack(
        "{s:o s:o s:o s:o s:o s:o s:o s:o s:s s:s? s:s s:o s:s? s:i s:b s:o s:o s:o}",
        "recommended_crf", json_quality(best ? best->spec.q : -1), "target_vmaf",
        json_number_or_null(search->plan.gates.gate[0].target), "predicted_vmaf",
        json_number_or_null(found.vmaf), "predicted_kbps", json_number_or_null(found.kbps),
        "verify_vmaf", json_number_or_null(found.film_vmaf), "verify_kbps",
        json_number_or_null(found.film_kbps), "proxy_verify_gap", json_number_or_null(found.gap),
        "notes", json_text_or_null(notes.text), "encoder", spec->encoder->name, "preset",
        spec->preset, "rate_control", control, "vmaf_model",
        json_text_or_null(search->samples.n ? search->on_samples.model : search->on_film.model),
        "score_backend", backend_of(search), "n_trials", search->run.result.n_iterations, "smoke",
        false, "windows", samples_to_json(&search->samples), "samples",
        search_samples(&search->plan, &search->run), "verifications", films_of(search));
    return json_unless(search_put_source(json, search->source, search->session->options), json);
}
