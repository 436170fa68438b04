/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/search/search_plan.h"

#include "common/json.h"
#include "tune/measure/row.h"
#include "tune/options/options.h"
#include "tune/search/goals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define AT(member)   .target = offsetof(SearchChoice, member)

/* The limits stand first. */
static const TuneOption search_rows[] = {
    {"max-encoded-percent", "P", "of the source's video; more is no answer ({any})",
     NUMBER_AT(max_percent, 0, 1e6)},
    {"max-kbps", "N", "kbit/s; more is no answer", NUMBER_AT(max_kbps, 0, 1e9)},
    {"crf-min", "Q", "the least value of the quality knob (all that the encoder has)",
     NUMBER_AT(lowest, 0, 255), .other_name = "min-crf"},
    {"crf-max", "Q", "the greatest one", NUMBER_AT(highest, 0, 255), .other_name = "max-crf"},
    {"quality-range", "LOW:HIGH", "both at once", .type = TUNE_RANGE, AT(lowest)},
    {"quality-step", "S", "steps of it, 1 at most; 0: the finest that the encoder has ({0})",
     NUMBER_AT(quality_step, 0, 255), .other_name = "crf-increment"},
    {"max-iterations", "N", "encodes of the search at most ({as many as are needed})",
     INTEGER_AT(max_iterations, 1, 1000), .other_name = "n-trials"},
    {"vmaf-tolerance", "D", "good enough: reached, and better by no more than this (0)",
     NUMBER_AT(tolerance, 0, 100)},
    {"on-nonmonotonic", NULL,
     "if stronger compression scores clearly better: give up, go on, or measure all that is left",
     CHOICE_AT(on_non_monotonic, "fail|keep|scan")},
};

static const char title[] = "Search: limits of the search, and what it does if it is in doubt";

SearchChoice search_choice(void)
{
    return (SearchChoice){
        .encoder = "libx264", .target = NAN, .lowest = -1, .highest = -1, .quality_step = 1};
}

OptionGroup search_option_group(SearchChoice *choice)
{
    return (OptionGroup){title, search_rows, COUNT(search_rows), choice};
}

void search_option_groups(SearchChoice *choice, OptionGroup groups[2])
{
    enum { LIMITS = 2 };
    groups[0] = (OptionGroup){"Limits", search_rows, LIMITS, choice};
    groups[1] = (OptionGroup){title, search_rows + LIMITS, COUNT(search_rows) - LIMITS, choice};
}

/* -- plans -- */

/* Finds the steps of the encoder, and rejects a range that is empty or outside of its own. A
 * status.
 */
static int search_check_choice(const Session *session, const SearchChoice *choice,
                               SessionEncoder *found, SearchOptions *search)
{
    const Encoder *encoder = found->encoder;
    QualityRange *qualities = &search->qualities;
    const int status = session_quality_steps(session, found, fmin(choice->quality_step, 1),
                                             qualities); /* larger ones save no encodes */
    search->first = choice->lowest < 0 ? qualities->lowest : choice->lowest;
    search->last = choice->highest < 0 ? qualities->highest : choice->highest;
    if (status)
        return status;
    if (search->first > search->last)
        return command_fail(session->command, TUNE_USAGE,
                            "the least quality, %g, is above the greatest, %g", search->first,
                            search->last);
    if (search->first < qualities->lowest || search->last > qualities->highest)
        return command_fail(session->command, TUNE_USAGE,
                            "%s has %s from %d to %d, not from %g to %g", encoder->name,
                            encoder->quality_name, qualities->lowest, qualities->highest,
                            search->first, search->last);
    const double ends[] = {search->first, search->last};
    for (size_t i = 0; i < COUNT(ends); i++)
        if (!quality_is_step(ends[i], quality_steps(qualities)))
            return command_fail(session->command, TUNE_USAGE,
                                "%s %g is between the steps of this search, which are %g: see "
                                "--quality-step",
                                encoder->quality_name, ends[i], 1.0 / quality_steps(qualities));
    return 0;
}

/* -- plans, with limits -- */

void search_check_percent(const Session *session, const SearchChoice *choice,
                          const TuneSource *source)
{
    if (choice->max_percent > 0 &&
        (source->is_sequence || isnan(source_bytes(source, source->part.first, source->frames))))
        progress_warn(session->progress,
                      "vmaf-tune: %s: the size of its video is not known, so "
                      "--max-encoded-percent limits nothing",
                      source->path);
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
    *plan = (SearchPlan){
        .gates = session->gates,
        .search =
            {
                .max_probes = choice->max_iterations,
                .savings = SEARCH_SAVINGS,
                .on_non_monotonic = (OnNonMonotonic)choice->on_non_monotonic,
            },
    };
    int status = session_check_preset(session, encoder->encoder, choice->preset);
    if (!status)
        status = search_check_choice(session, choice, &asked, &plan->search);
    if (status)
        return status;
    plan->spec = session_spec(session, encoder, choice->preset);
    search_set_target(plan, source, choice, plan->gates.gate[0].target);
    search_check_percent(session, choice, source);
    if (choice->max_percent > 0 && !source->is_sequence)
        plan->search.max_kbps = source_bytes(source, source->part.first, source->frames) * 0.008 /
                                source->seconds * choice->max_percent / 100;
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
    if (options->source.start > 0)
        err |= json_put_number(json, "start", options->source.start);
    if (options->source.length > 0)
        err |= json_put_number(json, "length", options->source.length);
    return err;
}

/* -- samples -- */

/* Values of all gates by their labels. */
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
    double values[SEARCH_MAX_GATES] = {NAN};
    Message why;
    const bool is_scored = !encode->error && !tune_gates_values(&plan->gates, encode, values, &why);
    const bool is_made = encode->has_encode;
    json_t *json = json_pack(
        "{s:o s:o s:o s:o s:o s:b}", "crf", json_quality(encode->spec.q), "bitrate_kbps",
        json_number_or_null(is_made ? encode->kbps : NAN), "vmaf",
        json_number_or_null(is_scored ? gates_vmaf(&plan->gates, values) : NAN), "encode_time_ms",
        json_number_or_null(is_made ? encode->outcome.wall_ms : NAN), "score_time_ms",
        json_number_or_null(is_scored ? encode->scores.ms : NAN), "cached", encode->is_cached);
    int err = 0;
    if (is_scored && plan->gates.n > 1)
        err |= json_put(json, "scores", gate_values(&plan->gates, values));
    if (is_scored && strcmp(plan->gates.gate[0].name, "vmaf") != 0)
        err |= json_put_number(json, "score", values[0]);
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
    const SearchResult *result = &run->result;
    const bool ok = result->ok && !run->error;
    const MeasuredEncode *encode = typical(run);
    const char *version = encode ? encode->outcome.encoder_version : plan->spec.encoder_version;
    Message why = {""};
    if (!ok)
        search_run_explain(run, plan, &why);
    return json_pack("{s:b s:o s:o s:o s:o s:o s:s s:s? s:o s:s? s:o s:o s:i s:b s:b s:s? s:o}",
                     "ok", ok, "best_crf", json_quality(ok ? result->best_q : -1), "measured_vmaf",
                     json_number_or_null(ok ? result->best.values[0] : NAN), "bitrate_kbps",
                     json_number_or_null(ok ? result->best.kbps : NAN), "encode_time_ms",
                     json_number_or_null(ok ? result->best.encode_ms : NAN), "error",
                     json_text_or_null(ok ? NULL : why.text), "codec", plan->spec.encoder->name,
                     "preset", plan->spec.preset, "encoder_version", json_text_or_null(version),
                     "rate_control", encode ? encode->outcome.rate_control : NULL, "target_vmaf",
                     json_number_or_null(plan->gates.gate[0].target), "conditions",
                     search_conditions(&plan->gates), "n_iterations", result->n_iterations,
                     "converged", result->converged, "non_monotonic", result->non_monotonic,
                     "score_backend", encode ? encode->scores.backend : NULL, "samples",
                     search_samples(plan, run));
}
