/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/session/search.h"

#include "common/json.h"
#include "tune/measure/measurer.h"
#include "tune/measure/source_shots.h"
#include "tune/rows/row.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Windows at least, each of which takes a third of --sample-chunk-seconds. */
enum { MIN_WINDOWS = 3, DEFAULT_TRIALS = 6 };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define AT(member)   .target = offsetof(SearchChoice, member)

static const TuneOption search_rows[] = {
    {"crf-min", "Q", "the least value of the quality knob (all that the encoder has)",
     NUMBER_AT(lowest, 0, 255), .other_name = "min-crf"},
    {"crf-max", "Q", "the greatest one", NUMBER_AT(highest, 0, 255), .other_name = "max-crf"},
    {"quality-range", "LOW:HIGH", "both at once", .type = TUNE_RANGE, AT(lowest)},
    {"quality-step", "S", "steps of it: 1 (default), 0.1 ...; 0: the finest that the encoder has",
     NUMBER_AT(quality_step, 0, 1)},
    {"max-iterations", "N", "encodes at most (as many as are needed)",
     INTEGER_AT(max_iterations, 1, 1000)},
    {"vmaf-tolerance", "D", "good enough: reached, and better by no more than this (0)",
     NUMBER_AT(tolerance, 0, 100)},
    {"on-nonmonotonic", NULL,
     "if stronger compression scores clearly better: give up (default), go on, or measure "
     "all that is left",
     CHOICE_AT(on_non_monotonic, "fail|keep|scan")},
    {"strategy", NULL, "how the next encode is chosen (interpolate)",
     CHOICE_AT(strategy, "interpolate|bisect")},
    {"max-encoded-percent", "P", "of the bitrate of the source; more is no result",
     NUMBER_AT(max_percent, 0, 1e6)},
    {"max-kbps", "N", "kbit/s; more is no result", NUMBER_AT(max_kbps, 0, 1e9)},
};

SearchChoice search_choice(void)
{
    return (SearchChoice){
        .encoder = "libx264",
        .target = NAN,
        .lowest = -1,
        .highest = -1,
        .quality_step = 1,
        .n_trials = DEFAULT_TRIALS,
        .time_budget = 300,
        .chunk_seconds = 5,
    };
}

OptionGroup search_option_group(SearchChoice *choice)
{
    return (OptionGroup){"Search", search_rows, COUNT(search_rows), choice};
}

/* -- plans -- */

static double lowest_of(const SearchChoice *choice, const QualityRange *qualities)
{
    return choice->lowest < 0 ? qualities->lowest : choice->lowest;
}

static double highest_of(const SearchChoice *choice, const QualityRange *qualities)
{
    return choice->highest < 0 ? qualities->highest : choice->highest;
}

/* Rejects a range that is empty or outside of the encoder's, and finds its steps. A status. */
static int search_check_choice(const Session *session, const SearchChoice *choice,
                               SessionEncoder *found, QualityRange *qualities)
{
    const Encoder *encoder = found->encoder;
    const int status = session_quality_steps(session, found, choice->quality_step, qualities);
    const double lowest = lowest_of(choice, qualities), highest = highest_of(choice, qualities);
    if (status)
        return status;
    if (lowest > highest)
        return command_fail(session->command, TUNE_USAGE,
                            "the least quality, %g, is above the greatest, %g", lowest, highest);
    if (lowest < qualities->lowest || highest > qualities->highest)
        return command_fail(session->command, TUNE_USAGE,
                            "%s has %s from %d to %d, not from %g to %g", encoder->name,
                            encoder->quality_name, qualities->lowest, qualities->highest, lowest,
                            highest);
    const double ends[] = {lowest, highest};
    for (size_t i = 0; i < COUNT(ends); i++)
        if (!quality_is_step(ends[i], quality_steps(qualities)))
            return command_fail(session->command, TUNE_USAGE,
                                "%s %g is between the steps of this search, which are %g: see "
                                "--quality-step",
                                encoder->quality_name, ends[i], 1.0 / quality_steps(qualities));
    return 0;
}

/* What the video of the source takes. */
static int source_kbps(const Session *session, const TuneSource *source, double *kbps)
{
    StreamFacts facts;
    Message why;
    FileLayout layout;
    if (source->is_raw) {
        if (video_format_layout(&source->stored, &layout, &why))
            return command_fail(session->command, TUNE_USAGE, "%s", why.text);
        *kbps = (double)layout.frame_bytes * 8 / 1000 * source->stored_rate.numerator /
                source->stored_rate.denominator;
        return 0;
    }
    const int err = stream_examine(source->path, source->stream, source->stored_rate, &facts, &why);
    if (!err)
        *kbps = stream_kbps(&facts, source->stored_rate);
    stream_free(&facts);
    return err ? command_fail(session->command, TUNE_USAGE, "%s", why.text) : 0;
}

void search_set_target(SearchPlan *plan, const TuneSource *source, const SearchChoice *choice,
                       double target)
{
    plan->gates.gate[0].target = target;
    tune_gates_for_search(&plan->gates, plan->spec.encoder, (int)source->format.height,
                          choice->tolerance, &plan->search);
}

int search_make_plan(const Session *session, const SearchChoice *choice, const TuneSource *source,
                     const SessionEncoder *encoder, SearchPlan *plan)
{
    SessionEncoder asked = *encoder;
    QualityRange qualities;
    int status = session_check_preset(session, encoder->encoder, choice->preset);
    if (!status)
        status = search_check_choice(session, choice, &asked, &qualities);
    if (status)
        return status;
    *plan = (SearchPlan){
        .spec = session_spec(session, encoder, choice->preset),
        .gates = session->gates,
        .search =
            {
                .strategy = (SearchStrategy)choice->strategy,
                .qualities = qualities,
                .first = lowest_of(choice, &qualities),
                .last = highest_of(choice, &qualities),
                .max_probes = choice->max_iterations,
                .savings = SEARCH_SAVINGS,
                .on_non_monotonic = (OnNonMonotonic)choice->on_non_monotonic,
            },
    };
    search_set_target(plan, source, choice, plan->gates.gate[0].target);
    if (choice->max_percent > 0) {
        double kbps = 0;
        status = source_kbps(session, source, &kbps);
        plan->search.max_kbps = status ? 0 : kbps * choice->max_percent / 100;
    }
    if (choice->max_kbps > 0 &&
        (!(plan->search.max_kbps > 0) || choice->max_kbps < plan->search.max_kbps))
        plan->search.max_kbps = choice->max_kbps;
    return status;
}

int search_find_plan(Session *session, const SearchChoice *choice, const TuneSource *source,
                     SessionEncoder *encoder, SearchPlan *plan)
{
    const int status = session_find_encoder(session, choice->encoder, encoder);
    return status ? status : search_make_plan(session, choice, source, encoder, plan);
}

/* -- windows -- */

static int choose_by_shots(const Session *session, const TuneSource *source, double seconds,
                           size_t n, Samples *samples, Message *why)
{
    SourceShots found;
    int chosen = session_find_shots(session, source, &found, why);
    if (!chosen)
        chosen = sample_by_shots(found.shots, found.n, source->rate, seconds, n, samples->windows);
    source_shots_free(&found);
    return chosen;
}

int samples_take(Session *session, const SearchChoice *choice, const TuneSource *source,
                 double seconds, size_t n, Samples *samples)
{
    Message why = {"no part of the video could be chosen"};
    samples->windows = calloc(n, sizeof(*samples->windows));
    if (!samples->windows)
        return session_fail(session, -ENOMEM, "out of memory");
    const int chosen =
        choice->sample_by == SAMPLE_BY_SHOTS
            ? choose_by_shots(session, source, seconds, n, samples, &why)
            : sample_by_time(source->frames, source->rate, seconds, n, samples->windows);
    if (chosen <= 0)
        return session_fail(session, chosen ? chosen : -EINVAL, why.text);
    samples->n = (size_t)chosen;
    samples->frames = 0;
    for (size_t i = 0; i < samples->n; i++)
        samples->frames += samples->windows[i].frames;
    return 0;
}

int samples_choose(Session *session, const SearchChoice *choice, const TuneSource *source,
                   Samples *samples)
{
    const int wanted = session->options->sample_windows;
    const size_t n = wanted > MIN_WINDOWS ? (size_t)wanted : MIN_WINDOWS;
    const double seconds = choice->chunk_seconds * (double)n / MIN_WINDOWS;
    *samples = (Samples){.frames = source->frames};
    if (session->options->sample_seconds > 0)
        return command_fail(session->command, TUNE_USAGE,
                            "samples are chosen by --sample-chunk-seconds and --sample-windows");
    return seconds >= source->seconds ? 0
                                      : samples_take(session, choice, source, seconds, n, samples);
}

void samples_free(Samples *samples)
{
    free(samples->windows);
    *samples = (Samples){0};
}

/* -- searches -- */

void sample_plan(const SearchChoice *choice, const Samples *samples, SearchPlan *plan)
{
    plan->gates.windows = samples->windows;
    plan->gates.n_windows = samples->n;
    plan->search.max_probes = choice->n_trials;
    plan->search.on_non_monotonic = NON_MONOTONIC_KEEP;
    plan->time_budget = choice->time_budget;
}

/* -- the source -- */

int search_put_source(json_t *json, const TuneSource *source, const SessionOptions *options)
{
    json_t *extra = json_array();
    for (size_t i = 0; extra && i < options->extra.n; i++)
        json_array_append_new(extra, json_text_or_null(options->extra.text[i]));
    int err = json_put(json, "extra_params", extra);
    err |= json_put_text(json, "src", source->path);
    if (source_stream_choice(source) >= 0)
        err |= json_put_integer(json, "stream", source_stream_choice(source));
    if (source_picture_choice(source) >= 0)
        err |= json_put_integer(json, "start_number", source_picture_choice(source));
    if (source->ignores_errors)
        err |= json_put_text(json, "errors", "ignore");
    return err;
}

/* -- samples -- */

/* Values of all gates by their labels; the first one is "vmaf" beside it. */
static json_t *gate_values(const TuneGates *gates, const double *values)
{
    char label[GATE_LABEL_SIZE];
    json_t *json = json_object();
    for (size_t i = 0; json && i < gates->n; i++) {
        snprintf(label, sizeof label, "%s.%s", gates->gate[i].name,
                 score_pool_name(gates->gate[i].pool));
        json_put_number(json, label, values[i]);
    }
    return json;
}

json_t *search_sample(const SearchPlan *plan, const MeasuredEncode *encode)
{
    double values[SEARCH_MAX_GATES];
    Message why;
    json_t *json = json_object();
    const bool is_scored = !encode->error && !tune_gates_values(&plan->gates, encode, values, &why);
    int err = json_put(json, "crf", json_quality(encode->spec.q));
    err |= json_put_number(json, "bitrate_kbps", encode->has_encode ? encode->kbps : NAN);
    err |= json_put_number(json, "vmaf", is_scored ? values[0] : NAN);
    if (is_scored && plan->gates.n > 1)
        err |= json_put(json, "scores", gate_values(&plan->gates, values));
    err |=
        json_put_number(json, "encode_time_ms", encode->has_encode ? encode->outcome.wall_ms : NAN);
    err |= json_put_number(json, "score_time_ms", is_scored ? encode->scores.ms : NAN);
    err |= json_put_flag(json, "cached", encode->is_cached);
    if (encode->error)
        err |= json_put_text(json, "error", encode->why.text);
    if (encode->path)
        err |= json_put_text(json, "encode_path", encode->path);
    return json_unless(err, json);
}

json_t *search_samples(const SearchPlan *plan, const SearchRun *run)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < run->n_encodes; i++)
        json_array_append_new(json, search_sample(plan, &run->encodes[i]));
    return json;
}

/* -- the record -- */

json_t *search_conditions(const TuneGates *gates)
{
    char text[GATE_LABEL_SIZE + 32];
    json_t *json = json_array();
    for (size_t i = 0; json && i < gates->n; i++) {
        const TuneGate *gate = &gates->gate[i];
        if (isnan(gate->target))
            continue;
        snprintf(text, sizeof text, "%s.%s%s%.15g", gate->name, score_pool_name(gate->pool),
                 gate->lower_is_better ? "<=" : ">=", gate->target);
        json_array_append_new(json, json_string(text));
    }
    return json;
}

static int put_answer(json_t *json, const SearchPlan *plan, const SearchRun *run)
{
    const SearchResult *result = &run->result;
    const bool ok = result->ok && !run->error;
    Message why = {""};
    if (!ok)
        search_run_explain(run, plan, &why);
    int err = json_put_flag(json, "ok", ok);
    err |= json_put(json, "best_crf", json_quality(ok ? result->best_q : -1));
    err |= json_put_number(json, "measured_vmaf", ok ? result->best.values[0] : NAN);
    err |= json_put_number(json, "bitrate_kbps", ok ? result->best.kbps : NAN);
    err |= json_put_number(json, "encode_time_ms", ok ? result->best.encode_ms : NAN);
    err |= json_put_text(json, "error", ok ? NULL : why.text);
    return err;
}

/* The encode that stands for all: the answer, or else any. */
static const MeasuredEncode *typical(const SearchRun *run)
{
    const MeasuredEncode *best = search_run_encode(run, run->result.best_q);
    for (size_t i = 0; !best && i < run->n_encodes; i++)
        if (!run->encodes[i].error)
            best = &run->encodes[i];
    return best;
}

json_t *search_record(const SearchPlan *plan, const SearchRun *run)
{
    const MeasuredEncode *encode = typical(run);
    json_t *json = json_object();
    int err = put_answer(json, plan, run);
    err |= json_put_text(json, "codec", plan->spec.encoder->name);
    err |= json_put_text(json, "preset", plan->spec.preset);
    err |= json_put_text(json, "encoder_version",
                         encode ? encode->outcome.encoder_version : plan->spec.encoder_version);
    err |= json_put_text(json, "rate_control", encode ? encode->outcome.rate_control : NULL);
    err |= json_put_number(json, "target_vmaf", plan->gates.gate[0].target);
    err |= json_put(json, "conditions", search_conditions(&plan->gates));
    err |= json_put_integer(json, "n_iterations", run->result.n_iterations);
    err |= json_put_flag(json, "converged", run->result.converged);
    err |= json_put_flag(json, "non_monotonic", run->result.non_monotonic);
    err |= json_put_text(json, "score_backend", encode ? encode->scores.backend : NULL);
    err |= json_put(json, "samples", search_samples(plan, run));
    return json_unless(err, json);
}

/* -- for people -- */

void search_print_heads(const SearchPlan *plan, FILE *out)
{
    fprintf(out, "%6s  %10s", plan->spec.encoder->quality_name, "kbit/s");
    for (size_t i = 0; i < plan->gates.n; i++) {
        char label[GATE_LABEL_SIZE];
        tune_gate_label(&plan->gates.gate[i], label);
        fprintf(out, "  %10s", label);
    }
    fprintf(out, "  %9s  %8s\n", "encode", "score");
}

void search_print_encode(const SearchPlan *plan, const MeasuredEncode *encode, bool is_best,
                         FILE *out)
{
    double values[SEARCH_MAX_GATES];
    Message why;
    fprintf(out, "%6g", encode->spec.q);
    if (encode->error || tune_gates_values(&plan->gates, encode, values, &why)) {
        fprintf(out, "  failed: %s\n", encode->error ? encode->why.text : why.text);
        return;
    }
    fprintf(out, "  %10.1f", encode->kbps);
    for (size_t i = 0; i < plan->gates.n; i++)
        fprintf(out, "  %10.4f", values[i]);
    if (encode->is_cached)
        fprintf(out, "  %9s  %8s", "known", "known");
    else
        fprintf(out, "  %7.1f s  %6.1f s", encode->outcome.wall_ms / 1000,
                encode->scores.ms / 1000);
    fprintf(out, "%s\n", is_best ? "  <" : "");
}

void search_print_text(const SearchPlan *plan, const SearchRun *run, double seconds, FILE *out)
{
    const SearchResult *result = &run->result;
    const bool ok = result->ok && !run->error;
    search_print_heads(plan, out);
    for (size_t i = 0; i < run->n_encodes; i++)
        search_print_encode(plan, &run->encodes[i], ok && run->encodes[i].spec.q == result->best_q,
                            out);
    if (!ok)
        return;
    fprintf(out, "\n%s %s: %s %g, %.1f kbit/s (%.1f MB in all), VMAF %.3f, %d encode%s%s\n",
            plan->spec.encoder->name, plan->spec.preset ? plan->spec.preset : "",
            plan->spec.encoder->quality_name, result->best_q, result->best.kbps,
            result->best.kbps * seconds / 8000, result->best.values[0], result->n_iterations,
            result->n_iterations == 1 ? "" : "s",
            result->converged ? "" : " (more would tell more exactly)");
}
