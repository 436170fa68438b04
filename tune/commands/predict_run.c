/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/predict_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Frames of a shot that its probe looks at. */
enum { PROBE_FRAMES = 240 };

void predict_free(PredictRun *run)
{
    for (size_t i = 0; i < run->n; i++)
        measured_encode_free(&run->shots[i].encode);
    free(run->shots);
}

/* -- shots -- */

static double mean_of(const double *values, size_t first, size_t end)
{
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += values[i];
    return sum / (double)(end - first);
}

static int find_shots(Session *session, PredictRun *run)
{
    const TuneSource *source = run->source;
    SourceShots found;
    Message why;
    int err = session_find_shots(session, source, &found, &why);
    if (!err && !(run->shots = calloc(found.n, sizeof(*run->shots))))
        err = message_set(&why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < found.n && !err; i++) {
        const Shot *shot = &found.shots[i];
        run->shots[run->n++] = (PredictedShot){
            .shot = *shot,
            .features =
                {
                    .frame_difference = shot->motion,
                    .luma_mean = mean_of(found.luma, shot->first, shot->end),
                    .luma_variance = shot->complexity,
                    .frames = (double)shot_frames(shot),
                    .fps = (double)source->rate.numerator / source->rate.denominator,
                    .width = (int)source->format.width,
                    .height = (int)source->format.height,
                },
            .predicted = NAN,
            .measured = NAN,
            .residual = NAN,
            .validated_score = NAN,
        };
    }
    source_shots_free(&found);
    return err ? session_fail(session, err, why.text) : 0;
}

/* -- encodes of one shot -- */

static int open_shot(Session *session, const PredictRun *run, const Shot *shot, size_t most,
                     SessionMeasurer *measurer)
{
    const size_t all = shot_frames(shot), frames = all < most ? all : most;
    const SampleWindow window = {.first = shot->first, .frames = frames, .stands_for = all};
    const bool is_whole = frames == run->source->frames;
    return session_open_measurer_of(session, run->source, &window, is_whole ? 0 : 1, measurer);
}

/* A status. Free what was measured in either case. */
static int measure_shot(Session *session, const PredictRun *run, const Shot *shot, size_t most,
                        const EncodeSpec *spec, MeasuredEncode *measured)
{
    SessionMeasurer measurer;
    *measured = (MeasuredEncode){0};
    int status = open_shot(session, run, shot, most, &measurer);
    if (!status) {
        measure_encode(measurer.measurer, spec, session_interrupt, measured);
        if (measured->error)
            status = session_fail(session, measured->error, measured->why.text);
    }
    session_close_measurer(&measurer);
    return status;
}

static int probe_shots(Session *session, PredictRun *run)
{
    const Encoder *encoder = run->encoder.encoder;
    EncodeSpec spec = session_spec(session, &run->encoder, encoder->probe_preset);
    spec.q = encoder->probe_q;
    spec.two_pass = false;
    int status = 0;
    for (size_t i = 0; i < run->n && !status; i++) {
        MeasuredEncode measured;
        status = measure_shot(session, run, &run->shots[i].shot, PROBE_FRAMES, &spec, &measured);
        run->shots[i].features.probe_kbps = measured.kbps;
        measured_encode_free(&measured);
    }
    return status;
}

/* -- predictions -- */

static void predict_shot(const PredictRun *run, PredictedShot *shot)
{
    const Encoder *encoder = run->encoder.encoder;
    const double probe_kbps = shot->features.probe_kbps;
    const QPrediction prediction =
        q_predicted(&run->model, run->settings->search.target, probe_kbps,
                    encoder->qualities.lowest, encoder->qualities.highest);
    shot->q = prediction.q;
    shot->predicted = prediction.score;
    shot->reachable = prediction.reachable;
    shot->kbps = kbps_predicted(probe_kbps, encoder->probe_q, prediction.q);
    shot->basis = PREDICTED;
    shot->measured = NAN;
    if (shot->is_validated && shot->q == shot->validated_q) {
        shot->basis = MEASURED;
        shot->measured = shot->validated_score;
        shot->kbps = shot->encode.kbps;
    }
}

static int validate_shot(Session *session, const PredictRun *run, PredictedShot *shot)
{
    PooledScores pooled;
    EncodeSpec spec = session_spec(session, &run->encoder, run->settings->search.preset);
    spec.q = shot->q;
    const int status = measure_shot(session, run, &shot->shot, SIZE_MAX, &spec, &shot->encode);
    if (status)
        return status;
    if (measured_pool(&shot->encode, "vmaf", &pooled))
        return command_fail(session->command, TUNE_NO_RESULT, "a shot has no scores");
    shot->is_validated = true;
    shot->validated_q = shot->q;
    shot->validated_score = pooled_score(&pooled, (ScorePool)session->options->pool);
    shot->residual = shot->validated_score - shot->predicted;
    return 0;
}

static int validate(Session *session, PredictRun *run)
{
    const size_t n = run->n;
    double *numbers = calloc(n, sizeof(*numbers));
    size_t *chosen = calloc(n, sizeof(*chosen));
    int n_chosen = numbers && chosen ? 0 : -ENOMEM;
    for (size_t i = 0; i < n && !n_chosen; i++)
        numbers[i] = run->shots[i].features.probe_kbps;
    if (!n_chosen)
        n_chosen = validation_choose(numbers, n, (size_t)run->settings->validate_k, chosen);
    int status = n_chosen < 0 ? session_fail(session, n_chosen, "out of memory") : 0;
    for (int i = 0; i < n_chosen && !status; i++) {
        status = validate_shot(session, run, &run->shots[chosen[i]]);
        numbers[i] = run->shots[chosen[i]].residual;
    }
    if (!status) {
        run->n_validated = (size_t)n_chosen;
        run->validation = validate_predictions(numbers, (size_t)n_chosen, run->settings->threshold);
    }
    free(numbers);
    free(chosen);
    return status;
}

/* -- what follows from the verdict -- */

/* Fits the model to what was measured; if that cannot be done, moves it by the mean residual. */
static int recalibrate(Session *session, PredictRun *run)
{
    const QualityRange *qualities = &run->encoder.encoder->qualities;
    ScoredQ *points = calloc(run->n, sizeof(*points));
    size_t n = 0;
    if (!points)
        return session_fail(session, -ENOMEM, "out of memory");
    for (size_t i = 0; i < run->n; i++) {
        const PredictedShot *shot = &run->shots[i];
        if (shot->is_validated)
            points[n++] =
                (ScoredQ){shot->validated_q, shot->validated_score, shot->features.probe_kbps};
    }
    run->is_refitted =
        !score_model_refit(&run->model, points, n, qualities->lowest, qualities->highest);
    if (!run->is_refitted)
        run->model.a += run->validation.bias;
    free(points);
    for (size_t i = 0; i < run->n; i++)
        predict_shot(run, &run->shots[i]);
    return 0;
}

static int search_shot(Session *session, const PredictRun *run, PredictedShot *shot)
{
    SessionMeasurer measurer = {0};
    SearchPlan plan;
    SearchRun searched;
    int status =
        search_make_plan(session, &run->settings->search, run->source, &run->encoder, &plan);
    if (!status)
        status = open_shot(session, run, &shot->shot, SIZE_MAX, &measurer);
    if (status)
        return status;
    plan.search.on_non_monotonic = NON_MONOTONIC_KEEP;
    plan.known = shot->is_validated ? &shot->encode : NULL;
    plan.n_known = shot->is_validated;
    search_run(measurer.measurer, &plan, &searched);
    if (searched.error) {
        status = session_fail(session, searched.error, searched.why.text);
    } else {
        const SearchResult *result = &searched.result;
        shot->basis = SEARCHED;
        shot->predicted = NAN;
        shot->reachable = result->ok;
        shot->q = result->ok ? result->best_q : run->encoder.encoder->qualities.lowest;
        shot->measured = result->ok ? result->best.values[0] : NAN;
        shot->kbps = result->ok ? result->best.kbps : NAN;
    }
    search_run_free(&searched);
    session_close_measurer(&measurer);
    return status;
}

/* A measured prediction holds if it reaches the target, and is not much better. */
static bool holds(const PredictRun *run, const PredictedShot *shot)
{
    const double target = run->settings->search.target;
    return shot->basis == MEASURED && shot->measured >= target &&
           shot->measured <= target + run->settings->threshold;
}

static int fall_back(Session *session, PredictRun *run)
{
    int status = 0;
    for (size_t i = 0; i < run->n && !status; i++)
        if (!holds(run, &run->shots[i]))
            status = search_shot(session, run, &run->shots[i]);
    return status;
}

int predict_all(Session *session, PredictRun *run)
{
    run->model = score_model_of(run->encoder.encoder->name);
    run->vmaf_model = session_vmaf_model(session, run->source);
    run->pool = score_pool_name((ScorePool)session->options->pool);
    int status = find_shots(session, run);
    if (!status)
        status = probe_shots(session, run);
    for (size_t i = 0; i < run->n && !status; i++)
        predict_shot(run, &run->shots[i]);
    if (!status)
        status = validate(session, run);
    for (size_t i = 0; i < run->n && !status; i++)
        predict_shot(run, &run->shots[i]);
    if (!status && run->validation.verdict == VERDICT_RECALIBRATE)
        status = recalibrate(session, run);
    if (!status && run->validation.verdict == VERDICT_FALL_BACK)
        status = fall_back(session, run);
    return status;
}
