/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The plan of shots, as JSON and for people. */
#include "tune/commands/per_shot_internal.h"

#include "common/json.h"
#include "tune/rows/row.h"

#include <math.h>
#include <string.h>

const char *shot_mark_name(ShotMark mark)
{
    static const char *const names[] = {"ok", "unreachable", "exhausted", "non_monotonic"};
    return names[mark];
}

size_t shots_missed(const ShotTuning *tuning)
{
    size_t missed = 0;
    for (size_t i = 0; i < tuning->n; i++) {
        const ShotMark mark = tuning->shots[i].mark;
        missed += mark == SHOT_UNREACHABLE || mark == SHOT_EXHAUSTED;
    }
    return missed;
}

static const char *label_of(const TuneGate *gate, char label[GATE_LABEL_SIZE])
{
    tune_gate_label(gate, label);
    return label;
}

/* What a search calls the score: that of the first condition. */
static double predicted(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    double values[SEARCH_MAX_GATES];
    Message why;
    return tune_gates_values(&tuning->plan.gates, encode, values, &why) ? NAN : values[0];
}

/* -- JSON -- */

/* Names of the conditions that the dearest encode that fails misses. */
static json_t *decided_by(const TunedShot *shot, const TuneGates *gates)
{
    const size_t edge = shot_edge(shot, gates, false);
    const unsigned misses = edge < shot->n_encodes ? shot_misses(gates, &shot->encodes[edge]) : 0;
    char label[GATE_LABEL_SIZE];
    json_t *json = json_array();
    for (size_t i = 0; i < gates->n; i++)
        if (misses >> i & 1)
            json_array_append_new(json, json_string(label_of(&gates->gate[i], label)));
    return json;
}

static json_t *shot_record(const ShotTuning *tuning, const TunedShot *shot)
{
    const MeasuredEncode *encode = shot_chosen(shot);
    json_t *samples = json_array();
    for (size_t i = 0; i < shot->n_encodes; i++)
        json_array_append_new(samples, search_sample(&tuning->plan, &shot->encodes[i]));
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:f, s:I, s:o*, s:s, s:b, s:i, s:f, s:f, s:o}",
                     "start_frame", (json_int_t)shot->shot.first, "end_frame",
                     (json_int_t)shot->shot.end, "frames", (json_int_t)shot_frames(&shot->shot),
                     "crf", json_quality(encode->spec.q), "predicted_vmaf",
                     json_number_or_null(predicted(tuning, encode)), "mean_vmaf",
                     json_number_or_null(shot_mean(encode, "vmaf")), "bitrate_kbps", encode->kbps,
                     "bytes", (json_int_t)encode->stream_bytes, "decided_by",
                     tuning->is_lagrange ? NULL : decided_by(shot, &tuning->plan.gates), "status",
                     shot_mark_name(shot->mark), "converged", shot->converged, "n_iterations",
                     shot->n_iterations, "mean_complexity", shot->shot.complexity, "mean_motion",
                     shot->shot.motion, "samples", samples);
}

static json_t *command_record(const ArgumentList *command)
{
    json_t *json = json_array();
    for (size_t i = 0; i < command->n; i++)
        json_array_append_new(json, json_text_or_null(command->items[i]));
    return json;
}

/* Values of all conditions; NULL if there is one. */
static json_t *scores_of(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    json_t *sample = search_sample(&tuning->plan, encode);
    json_t *scores = json_incref(json_object_get(sample, "scores"));
    json_decref(sample);
    return scores;
}

static json_t *video_record(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    return json_pack(
        "{s:I, s:I, s:f, s:o, s:o, s:o, s:b, s:o*}", "frames", (json_int_t)encode->frames, "bytes",
        (json_int_t)encode->stream_bytes, "bitrate_kbps", encode->kbps, "vmaf",
        json_number_or_null(shot_mean(encode, "vmaf")), "vmaf_p1",
        json_number_or_null(shot_p1(encode, "vmaf")), "least_shot_vmaf",
        json_number_or_null(shot_least_vmaf(tuning, encode)), "reached",
        !shot_misses(&tuning->plan.gates, encode), "scores", scores_of(tuning, encode));
}

static json_t *result_record(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    json_t *json = video_record(tuning, encode);
    json_put_number(json, "difference_vmaf",
                    shot_mean(encode, "vmaf") - shot_mean(&tuning->expected, "vmaf"));
    return json;
}

static json_t *single_record(const ShotTuning *tuning, const ShotMade *made)
{
    if (!made->is_compared || made->single.mark != SHOT_REACHED)
        return json_null();
    const MeasuredEncode *encode = shot_chosen(&made->single);
    json_t *json = video_record(tuning, encode);
    json_put(json, "crf", json_quality(encode->spec.q));
    json_put_integer(json, "encoder_threads",
                     measurer_options(tuning->whole.measurer)->ffmpeg_threads);
    return json;
}

static void put_made(json_t *json, const ShotTuning *tuning, const ShotMade *made)
{
    const char *zones = made && !made->single_is_kept ? made->zones : NULL;
    json_put(json, "result", made ? result_record(tuning, made->result) : json_null());
    json_put_text(json, "zones", zones);
    json_put(json, "comparison",
             made ? json_pack("{s:o, s:o, s:o, s:s, s:I}", "per_shot",
                              result_record(tuning, made->shots), "single",
                              single_record(tuning, made), "decided_by",
                              decided_by(&made->single, &made->gates), "kept",
                              made->single_is_kept ? "single" : "per_shot", "videos",
                              (json_int_t)made->n_videos)
                  : json_null());
}

static json_t *totals_record(const ShotTuning *tuning)
{
    const MeasuredEncode *all = &tuning->expected;
    const FrameRate rate = tuning->source->rate;
    return json_pack(
        "{s:I, s:f, s:I, s:f, s:o, s:o, s:o, s:I, s:I, s:o*}", "frames", (json_int_t)all->frames,
        "seconds", (double)all->frames * rate.denominator / rate.numerator, "bytes",
        (json_int_t)all->stream_bytes, "expected_kbps", all->kbps, "expected_vmaf",
        json_number_or_null(shot_mean(all, "vmaf")), "expected_vmaf_p1",
        json_number_or_null(shot_p1(all, "vmaf")), "least_shot_vmaf",
        json_number_or_null(shot_least_vmaf(tuning, all)), "shots", (json_int_t)tuning->n,
        "missed_shots", (json_int_t)shots_missed(tuning), "scores", scores_of(tuning, all));
}

json_t *shot_plan_record(const ShotTuning *tuning, const ShotCommands *commands,
                         const ShotMade *made)
{
    const SearchPlan *plan = &tuning->plan;
    const FrameRate rate = tuning->source->rate;
    const TuneGate *goal = &plan->gates.gate[tuning->goal];
    char fraction[32];
    json_t *shots = json_array(), *segments = json_array();
    snprintf(fraction, sizeof fraction, "%d/%d", rate.numerator, rate.denominator);
    for (size_t i = 0; i < tuning->n; i++)
        json_array_append_new(shots, shot_record(tuning, &tuning->shots[i]));
    for (size_t i = 0; i + 1 < commands->n; i++)
        json_array_append_new(segments, command_record(&commands->items[i]));
    json_t *json = json_pack(
        "{s:s, s:s, s:o, s:f, s:s, s:s, s:I, s:i, s:s, s:o*, s:o*, s:o, s:o, s:o, s:s, s:b, s:o, "
        "s:o, s:o, s:o, s:s, s:o, s:o}",
        "encoder", plan->spec.encoder->name, "encoder_version",
        shot_chosen(tuning->shots)->outcome.encoder_version, "preset",
        json_text_or_null(plan->spec.preset), "framerate",
        (double)rate.numerator / rate.denominator, "frame_rate", fraction, "predicate", "measured",
        "workers", (json_int_t)shot_workers(tuning), "encoder_threads",
        tuning->options.ffmpeg_threads, "objective", tuning->is_lagrange ? "lagrange" : "equal",
        "shot_floor", tuning->is_lagrange ? json_number_or_null(tuning->settings->floor) : NULL,
        "slopes_of", tuning->is_lagrange ? json_text_or_null(goal->name) : NULL, "target_vmaf",
        json_number_or_null(plan->gates.gate[0].target), "conditions",
        search_conditions(&plan->gates), "src", json_text_or_null(tuning->source->path),
        "vmaf_model", tuning->whole.model, "model_calibrated", tuning->whole.is_calibrated, "shots",
        shots, "totals", totals_record(tuning), "segment_commands", segments, "concat_command",
        command_record(&commands->items[commands->n - 1]), "concat_list", commands->list,
        "segment_dir", json_text_or_null(tuning->folder), "output",
        json_text_or_null(tuning->settings->output));
    put_made(json, tuning, made);
    return json;
}

/* -- for people -- */

/* ", VMAF 93.000, p1 88.000, least shot 91.000", and further conditions */
static void print_scores(const ShotTuning *tuning, const MeasuredEncode *encode, FILE *out)
{
    const TuneGates *gates = &tuning->plan.gates;
    const double p1 = shot_p1(encode, "vmaf"), least = shot_least_vmaf(tuning, encode);
    double values[SEARCH_MAX_GATES];
    char label[GATE_LABEL_SIZE];
    Message why;
    fprintf(out, ", VMAF %.3f", shot_mean(encode, "vmaf"));
    if (isfinite(p1))
        fprintf(out, ", p1 %.3f", p1);
    if (isfinite(least))
        fprintf(out, ", least shot %.3f", least);
    if (tune_gates_values(gates, encode, values, &why))
        return;
    for (size_t i = 1; i < gates->n; i++)
        fprintf(out, ", %s %.4f", label_of(&gates->gate[i], label), values[i]);
}

/* Prints the conditions that the dearest encode that fails misses. */
static void print_decision(const char *before, const TunedShot *shot, const TuneGates *gates,
                           FILE *out)
{
    const size_t edge = shot_edge(shot, gates, false);
    if (edge == shot->n_encodes)
        return;
    const MeasuredEncode *encode = &shot->encodes[edge];
    const unsigned misses = shot_misses(gates, encode);
    const char *between = " misses ";
    fprintf(out, "%s%s %g, %.1f kbit/s,", before, encode->spec.encoder->quality_name,
            encode->spec.q, encode->kbps);
    for (size_t i = 0; i < gates->n; i++) {
        char label[GATE_LABEL_SIZE];
        if (!(misses >> i & 1))
            continue;
        fprintf(out, "%s%s %s %.3f", between, label_of(&gates->gate[i], label),
                gates->gate[i].lower_is_better ? "<=" : ">=", gates->gate[i].target);
        between = ", ";
    }
}

static void print_single(const ShotTuning *tuning, const ShotMade *made, FILE *out)
{
    const char *qualities = tuning->plan.spec.encoder->quality_name;
    const MeasuredEncode *single = shot_chosen(&made->single);
    if (made->single.mark == SHOT_REACHED) {
        fprintf(out, "a single %s %g: %.1f kbit/s", qualities, single->spec.q, single->kbps);
        print_scores(tuning, single, out);
        fprintf(out, "; %s",
                !made->single_is_kept ? "the video of the shots is kept"
                : made->misses        ? "it is kept, since shots of their own miss the target"
                                      : "it is kept, since shots of their own do not pay");
    } else {
        fprintf(out, "no single %s is as good with as few bits", qualities);
    }
    print_decision("\ndecided: ", &made->single, &made->gates, out);
    fputc('\n', out);
}

static void print_shot(const ShotTuning *tuning, const TunedShot *shot, FILE *out)
{
    const MeasuredEncode *encode = shot_chosen(shot);
    const bool is_reached = shot->mark == SHOT_REACHED;
    fprintf(out, "%5zu  %8zu  %8zu  %6g  %10.1f  %8.3f  %6zu%s%s", (size_t)(shot - tuning->shots),
            shot->shot.first, shot->shot.end - 1, encode->spec.q, encode->kbps,
            predicted(tuning, encode), shot->n_encodes, is_reached ? "" : "  ",
            is_reached ? "" : shot_mark_name(shot->mark));
    if (tuning->plan.gates.n > 1 && !tuning->is_lagrange)
        print_decision("  ", shot, &tuning->plan.gates, out);
    fputc('\n', out);
}

char *shot_plan_text(const ShotTuning *tuning, const ShotMade *made)
{
    const EncodeSpec *spec = &tuning->plan.spec;
    const MeasuredEncode *expected = &tuning->expected;
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return NULL;
    fprintf(out, "%5s  %8s  %8s  %6s  %10s  %8s  %6s\n", "shot", "first", "last",
            spec->encoder->quality_name, "kbit/s", "VMAF", "probes");
    for (size_t i = 0; i < tuning->n; i++)
        print_shot(tuning, &tuning->shots[i], out);
    fprintf(out, "\n%s %s: %zu shot%s, expected %.1f kbit/s", spec->encoder->name,
            spec->preset ? spec->preset : "", tuning->n, tuning->n == 1 ? "" : "s", expected->kbps);
    print_scores(tuning, expected, out);
    fputc('\n', out);
    if (made) {
        const MeasuredEncode *shots = made->shots;
        fprintf(out, "the whole video: %zu frames, %.1f kbit/s", shots->frames, shots->kbps);
        print_scores(tuning, shots, out);
        fprintf(out, " (%+.3f)\n", shot_mean(shots, "vmaf") - shot_mean(expected, "vmaf"));
    }
    if (made && made->is_compared)
        print_single(tuning, made, out);
    return text_end(&buffer, 0);
}
