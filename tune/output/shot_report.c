/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The plan of shots, as JSON and for people. */
#include "tune/plan/per_shot_internal.h"

#include "common/json.h"
#include "tune/measure/row.h"

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
            json_array_append_new(json, json_string(tune_gate_label(&gates->gate[i], label)));
    return json;
}

static json_t *shot_record(const ShotTuning *tuning, const TunedShot *shot)
{
    const MeasuredEncode *encode = shot_chosen(shot);
    json_t *json = json_object(), *samples = json_array();
    for (size_t i = 0; i < shot->n_encodes; i++)
        json_array_append_new(samples, search_sample(&tuning->plan, &shot->encodes[i]));
    int err = json_put_all(
        json,
        "start_frame:z end_frame:z frames:z crf:o predicted_vmaf:n mean_vmaf:n bitrate_kbps:n "
        "bytes:l status:t converged:b n_iterations:i mean_complexity:n mean_motion:n samples:o",
        shot->shot.first, shot->shot.end, shot_frames(&shot->shot), json_quality(encode->spec.q),
        predicted(tuning, encode), shot_mean(encode, "vmaf"), encode->kbps, encode->stream_bytes,
        shot_mark_name(shot->mark), shot->converged, shot->n_iterations, shot->shot.complexity,
        shot->shot.motion, samples);
    if (!tuning->is_lagrange)
        err |= json_put(json, "decided_by", decided_by(shot, &tuning->plan.gates));
    return json_unless(err, json);
}

static json_t *command_record(const ArgumentList *command)
{
    json_t *json = json_array();
    for (size_t i = 0; i < command->n; i++)
        json_array_append_new(json, json_text_or_null(command->items[i]));
    return json;
}

/* What a video is, or the shots together. */
static json_t *video_record(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    json_t *sample = search_sample(&tuning->plan, encode);
    json_t *scores = json_object_get(sample, "scores"); /* if there are several conditions */
    json_t *json = json_object_of("frames:z bytes:l least_shot_vmaf:n reached:b", encode->frames,
                                  encode->stream_bytes, shot_least_vmaf(tuning, encode),
                                  !shot_misses(&tuning->plan.gates, encode));
    const int err = scores ? json_put(json, "scores", json_incref(scores)) : 0;
    json_decref(sample);
    return json_unless(err, json);
}

static json_t *made_record(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    json_t *json = video_record(tuning, encode);
    const int err = json_put_all(json, "bitrate_kbps:n vmaf:n vmaf_p1:n", encode->kbps,
                                 shot_mean(encode, "vmaf"), shot_p1(encode, "vmaf"));
    return json_unless(err, json);
}

static json_t *result_record(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    json_t *json = made_record(tuning, encode);
    const double difference = shot_mean(encode, "vmaf") - shot_mean(&tuning->expected, "vmaf");
    return json_unless(json_put_number(json, "difference_vmaf", difference), json);
}

static json_t *single_record(const ShotTuning *tuning, const ShotMade *made)
{
    if (!made->is_compared || made->single.mark != SHOT_REACHED)
        return json_null();
    const MeasuredEncode *encode = shot_chosen(&made->single);
    json_t *json = made_record(tuning, encode);
    const int err = json_put_all(json, "crf:o encoder_threads:i", json_quality(encode->spec.q),
                                 measurer_options(tuning->whole.measurer)->encode.threads);
    return json_unless(err, json);
}

static json_t *totals_record(const ShotTuning *tuning)
{
    const MeasuredEncode *expected = &tuning->expected;
    const FrameRate rate = tuning->source->rate;
    json_t *json = video_record(tuning, expected);
    const int err = json_put_all(
        json, "expected_kbps:n expected_vmaf:n expected_vmaf_p1:n seconds:n shots:z missed_shots:z",
        expected->kbps, shot_mean(expected, "vmaf"), shot_p1(expected, "vmaf"),
        (double)expected->frames * rate.denominator / rate.numerator, tuning->n,
        shots_missed(tuning));
    return json_unless(err, json);
}

static int put_made(json_t *json, const ShotTuning *tuning, const ShotMade *made)
{
    if (!made)
        return json_put_all(json, "result:o comparison:o", json_null(), json_null());
    return json_put_all(
        json, "result:o zones:t comparison:o", result_record(tuning, made->result),
        made->single_is_kept ? NULL : made->zones,
        json_object_of("per_shot:o single:o decided_by:o kept:t videos:z",
                       result_record(tuning, made->shots), single_record(tuning, made),
                       decided_by(&made->single, &made->gates),
                       made->single_is_kept ? "single" : "per_shot", made->n_videos));
}

static int put_settings(json_t *json, const ShotTuning *tuning)
{
    const SearchPlan *plan = &tuning->plan;
    const FrameRate rate = tuning->source->rate;
    char fraction[32];
    snprintf(fraction, sizeof fraction, "%d/%d", rate.numerator, rate.denominator);
    int err = json_put_all(
        json,
        "encoder:t encoder_version:t preset:t framerate:n frame_rate:t predicate:t workers:z "
        "encoder_threads:i objective:t target_vmaf:n conditions:o src:t vmaf_model:t "
        "model_calibrated:b",
        plan->spec.encoder->name, shot_chosen(tuning->shots)->outcome.encoder_version,
        plan->spec.preset, (double)rate.numerator / rate.denominator, fraction, "measured",
        shot_workers(tuning), tuning->options.encode.threads,
        tuning->is_lagrange ? "lagrange" : "equal", plan->gates.gate[0].target,
        search_conditions(&plan->gates), tuning->source->path, tuning->whole.model,
        tuning->whole.is_calibrated);
    if (tuning->is_lagrange)
        err |= json_put_all(json, "shot_floor:n slopes_of:t", tuning->settings->floor,
                            plan->gates.gate[tuning->goal].name);
    return err;
}

json_t *shot_plan_record(const ShotTuning *tuning, const ShotCommands *commands,
                         const ShotMade *made)
{
    json_t *json = json_object(), *shots = json_array(), *segments = json_array();
    for (size_t i = 0; i < tuning->n; i++)
        json_array_append_new(shots, shot_record(tuning, &tuning->shots[i]));
    for (size_t i = 0; i + 1 < commands->n; i++)
        json_array_append_new(segments, command_record(&commands->items[i]));
    int err = put_settings(json, tuning);
    err |= json_put_all(
        json,
        "shots:o totals:o segment_commands:o concat_command:o concat_list:t segment_dir:t output:t",
        shots, totals_record(tuning), segments, command_record(&commands->items[commands->n - 1]),
        commands->list, tuning->folder, tuning->settings->output);
    err |= put_made(json, tuning, made);
    return json_unless(err, json);
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
        fprintf(out, ", %s %.4f", tune_gate_label(&gates->gate[i], label), values[i]);
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
        fprintf(out, "%s%s %s %.3f", between, tune_gate_label(&gates->gate[i], label),
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
