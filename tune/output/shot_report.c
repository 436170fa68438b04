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
    json_t *json = json_object(), *samples = json_array();
    for (size_t i = 0; i < shot->n_encodes; i++)
        json_array_append_new(samples, search_sample(&tuning->plan, &shot->encodes[i]));
    int err = json_put_integer(json, "start_frame", (json_int_t)shot->shot.first);
    err |= json_put_integer(json, "end_frame", (json_int_t)shot->shot.end);
    err |= json_put_integer(json, "frames", (json_int_t)shot_frames(&shot->shot));
    err |= json_put(json, "crf", json_quality(encode->spec.q));
    err |= json_put_number(json, "predicted_vmaf", predicted(tuning, encode));
    err |= json_put_number(json, "mean_vmaf", shot_mean(encode, "vmaf"));
    err |= json_put_number(json, "bitrate_kbps", encode->kbps);
    err |= json_put_integer(json, "bytes", (json_int_t)encode->stream_bytes);
    if (!tuning->is_lagrange)
        err |= json_put(json, "decided_by", decided_by(shot, &tuning->plan.gates));
    err |= json_put_text(json, "status", shot_mark_name(shot->mark));
    err |= json_put_flag(json, "converged", shot->converged);
    err |= json_put_integer(json, "n_iterations", shot->n_iterations);
    err |= json_put_number(json, "mean_complexity", shot->shot.complexity);
    err |= json_put_number(json, "mean_motion", shot->shot.motion);
    err |= json_put(json, "samples", samples);
    return json_unless(err, json);
}

static json_t *command_record(const ArgumentList *command)
{
    json_t *json = json_array();
    for (size_t i = 0; i < command->n; i++)
        json_array_append_new(json, json_text_or_null(command->items[i]));
    return json;
}

/* What a video is, or the shots together; of these, some names begin otherwise. */
static json_t *video_record(const ShotTuning *tuning, const MeasuredEncode *encode,
                            const char *const names[3])
{
    json_t *json = json_object(), *sample = search_sample(&tuning->plan, encode);
    json_t *scores = json_object_get(sample, "scores"); /* if there are several conditions */
    int err = json_put_integer(json, "frames", (json_int_t)encode->frames);
    err |= json_put_integer(json, "bytes", (json_int_t)encode->stream_bytes);
    err |= json_put_number(json, names[0], encode->kbps);
    err |= json_put_number(json, names[1], shot_mean(encode, "vmaf"));
    err |= json_put_number(json, names[2], shot_p1(encode, "vmaf"));
    err |= json_put_number(json, "least_shot_vmaf", shot_least_vmaf(tuning, encode));
    err |= json_put_flag(json, "reached", !shot_misses(&tuning->plan.gates, encode));
    if (scores)
        err |= json_put(json, "scores", json_incref(scores));
    json_decref(sample);
    return json_unless(err, json);
}

static const char *const made_names[3] = {"bitrate_kbps", "vmaf", "vmaf_p1"};

static json_t *result_record(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    json_t *json = video_record(tuning, encode, made_names);
    const double difference = shot_mean(encode, "vmaf") - shot_mean(&tuning->expected, "vmaf");
    return json_unless(json_put_number(json, "difference_vmaf", difference), json);
}

static json_t *single_record(const ShotTuning *tuning, const ShotMade *made)
{
    if (!made->is_compared || made->single.mark != SHOT_REACHED)
        return json_null();
    const MeasuredEncode *encode = shot_chosen(&made->single);
    json_t *json = video_record(tuning, encode, made_names);
    int err = json_put(json, "crf", json_quality(encode->spec.q));
    err |= json_put_integer(json, "encoder_threads",
                            measurer_options(tuning->whole.measurer)->ffmpeg_threads);
    return json_unless(err, json);
}

static json_t *totals_record(const ShotTuning *tuning)
{
    static const char *const names[3] = {"expected_kbps", "expected_vmaf", "expected_vmaf_p1"};
    const FrameRate rate = tuning->source->rate;
    const double seconds = (double)tuning->expected.frames * rate.denominator / rate.numerator;
    json_t *json = video_record(tuning, &tuning->expected, names);
    int err = json_put_number(json, "seconds", seconds);
    err |= json_put_integer(json, "shots", (json_int_t)tuning->n);
    err |= json_put_integer(json, "missed_shots", (json_int_t)shots_missed(tuning));
    return json_unless(err, json);
}

static int put_made(json_t *json, const ShotTuning *tuning, const ShotMade *made)
{
    if (!made)
        return json_put(json, "result", json_null()) | json_put(json, "comparison", json_null());
    json_t *both = json_object();
    int err = json_put(json, "result", result_record(tuning, made->result));
    err |= json_put_text(json, "zones", made->single_is_kept ? NULL : made->zones);
    err |= json_put(json, "comparison", both);
    if (err)
        return err;
    err |= json_put(both, "per_shot", result_record(tuning, made->shots));
    err |= json_put(both, "single", single_record(tuning, made));
    err |= json_put(both, "decided_by", decided_by(&made->single, &made->gates));
    err |= json_put_text(both, "kept", made->single_is_kept ? "single" : "per_shot");
    return err | json_put_integer(both, "videos", (json_int_t)made->n_videos);
}

static int put_settings(json_t *json, const ShotTuning *tuning)
{
    const SearchPlan *plan = &tuning->plan;
    const FrameRate rate = tuning->source->rate;
    char fraction[32];
    snprintf(fraction, sizeof fraction, "%d/%d", rate.numerator, rate.denominator);
    int err = json_put_text(json, "encoder", plan->spec.encoder->name);
    err |=
        json_put_text(json, "encoder_version", shot_chosen(tuning->shots)->outcome.encoder_version);
    err |= json_put_text(json, "preset", plan->spec.preset);
    err |= json_put_number(json, "framerate", (double)rate.numerator / rate.denominator);
    err |= json_put_text(json, "frame_rate", fraction);
    err |= json_put_text(json, "predicate", "measured");
    err |= json_put_integer(json, "workers", (json_int_t)shot_workers(tuning));
    err |= json_put_integer(json, "encoder_threads", tuning->options.ffmpeg_threads);
    err |= json_put_text(json, "objective", tuning->is_lagrange ? "lagrange" : "equal");
    if (tuning->is_lagrange) {
        err |= json_put_number(json, "shot_floor", tuning->settings->floor);
        err |= json_put_text(json, "slopes_of", plan->gates.gate[tuning->goal].name);
    }
    err |= json_put_number(json, "target_vmaf", plan->gates.gate[0].target);
    err |= json_put(json, "conditions", search_conditions(&plan->gates));
    err |= json_put_text(json, "src", tuning->source->path);
    err |= json_put_text(json, "vmaf_model", tuning->whole.model);
    return err | json_put_flag(json, "model_calibrated", tuning->whole.is_calibrated);
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
    err |= json_put(json, "shots", shots);
    err |= json_put(json, "totals", totals_record(tuning));
    err |= json_put(json, "segment_commands", segments);
    err |= json_put(json, "concat_command", command_record(&commands->items[commands->n - 1]));
    err |= json_put_text(json, "concat_list", commands->list);
    err |= json_put_text(json, "segment_dir", tuning->folder);
    err |= json_put_text(json, "output", tuning->settings->output);
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
