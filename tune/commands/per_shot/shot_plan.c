/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/per_shot/shot_plan.h"

#include "tune/commands/session/search_record.h"
#include "tune/rows/json_document.h"

#include <math.h>

static int put_integer(json_t *json, const char *key, size_t number)
{
    return json_put(json, key, json_integer((json_int_t)number));
}

static int put_number(json_t *json, const char *key, double number)
{
    return json_put(json, key, json_number_or_null(number));
}

static int put_text(json_t *json, const char *key, const char *text)
{
    return json_put(json, key, json_text_or_null(text));
}

/* With `err`, nothing; else what was made. */
static json_t *made(json_t *json, int err)
{
    if (!err)
        return json;
    json_decref(json);
    return NULL;
}

/* What a search calls the score: that of the first gate. */
static double predicted(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    double values[SEARCH_MAX_GATES];
    Message why;
    return tune_gates_values(&tuning->plan.gates, encode, values, &why) ? NAN : values[0];
}

/* -- shots -- */

static json_t *samples_of(const ShotTuning *tuning, const TunedShot *shot)
{
    json_t *json = json_array();
    int err = json ? 0 : -1;
    for (size_t i = 0; i < shot->n_encodes && !err; i++)
        err = json_array_append_new(json, search_sample(&tuning->plan, &shot->encodes[i]));
    return made(json, err);
}

static json_t *shot_record(const ShotTuning *tuning, const TunedShot *shot)
{
    const MeasuredEncode *encode = tuned_shot_chosen(shot);
    json_t *json = json_object();
    if (!json)
        return NULL;
    int err = put_integer(json, "start_frame", shot->shot.first);
    err |= put_integer(json, "end_frame", shot->shot.end);
    err |= put_integer(json, "frames", shot_frames(&shot->shot));
    err |= json_put(json, "crf", json_integer(encode->spec.q));
    err |= put_number(json, "predicted_vmaf", predicted(tuning, encode));
    err |= put_number(json, "mean_vmaf", shot_mean_vmaf(encode));
    err |= put_number(json, "bitrate_kbps", encode->kbps);
    err |= put_integer(json, "bytes", encode->stream_bytes);
    err |= put_text(json, "status", shot_mark_name(shot->mark));
    err |= json_put(json, "converged", json_boolean(shot->converged));
    err |= json_put(json, "n_iterations", json_integer(shot->n_iterations));
    err |= put_number(json, "mean_complexity", shot->shot.complexity);
    err |= put_number(json, "mean_motion", shot->shot.motion);
    err |= json_put(json, "samples", samples_of(tuning, shot));
    return made(json, err);
}

static json_t *shots_of(const ShotTuning *tuning)
{
    json_t *json = json_array();
    int err = json ? 0 : -1;
    for (size_t i = 0; i < tuning->n && !err; i++)
        err = json_array_append_new(json, shot_record(tuning, &tuning->shots[i]));
    return made(json, err);
}

/* -- commands -- */

static json_t *arguments_record(const ArgumentList *command)
{
    json_t *json = json_array();
    int err = json ? 0 : -1;
    for (size_t i = 0; i < command->n && !err; i++)
        err = json_array_append_new(json, json_text_or_null(command->items[i]));
    return made(json, err);
}

static json_t *segments_of(const ShotCommands *commands)
{
    json_t *json = json_array();
    int err = json ? 0 : -1;
    for (size_t i = 0; i < commands->n_segments && !err; i++)
        err = json_array_append_new(json, arguments_record(&commands->segments[i]));
    return made(json, err);
}

/* -- all of it -- */

static json_t *totals_of(const ShotTuning *tuning)
{
    const ShotTotals totals = shot_totals(tuning);
    const FrameRate rate = tuning->source->rate;
    json_t *json = json_object();
    if (!json)
        return NULL;
    int err = put_integer(json, "frames", totals.frames);
    err |= put_number(json, "seconds", (double)totals.frames * rate.denominator / rate.numerator);
    err |= put_integer(json, "bytes", totals.bytes);
    err |= put_number(json, "expected_kbps", totals.kbps);
    err |= put_number(json, "expected_vmaf", totals.vmaf);
    err |= put_integer(json, "shots", tuning->n);
    err |= put_integer(json, "missed_shots", totals.missed);
    return made(json, err);
}

static json_t *result_of(const ShotResult *result)
{
    json_t *json = json_object();
    if (!json)
        return NULL;
    int err = put_integer(json, "frames", result->frames);
    err |= put_integer(json, "bytes", result->bytes);
    err |= put_number(json, "bitrate_kbps", result->kbps);
    err |= put_number(json, "vmaf", result->vmaf);
    err |= put_number(json, "vmaf_p1", result->p1);
    err |= put_number(json, "difference_vmaf", result->vmaf - result->expected);
    return made(json, err);
}

static bool has_single(const ShotComparison *comparison)
{
    return comparison->is_compared && comparison->single.mark == SHOT_REACHED;
}

static json_t *single_of(const ShotComparison *comparison)
{
    if (!has_single(comparison))
        return json_null();
    const MeasuredEncode *encode = tuned_shot_chosen(&comparison->single);
    PooledScores pooled = {0};
    json_t *json = json_object();
    if (!json)
        return NULL;
    int err = measured_pool(encode, "vmaf", &pooled);
    err |= json_put(json, "crf", json_integer(encode->spec.q));
    err |= put_integer(json, "bytes", encode->stream_bytes);
    err |= put_number(json, "bitrate_kbps", encode->kbps);
    err |= put_number(json, "vmaf", pooled.mean);
    err |= put_number(json, "vmaf_p1", pooled.p1);
    return made(json, err);
}

static int put_comparison(json_t *json, const ShotComparison *comparison)
{
    if (!comparison)
        return json_put(json, "result", json_null()) | json_put(json, "comparison", json_null());
    json_t *both = json_object();
    int err = json_put(json, "result", result_of(comparison->result));
    err |= json_put(json, "comparison", both);
    if (err)
        return err;
    err |= json_put(both, "per_shot", result_of(&comparison->shots));
    err |= json_put(both, "single", single_of(comparison));
    return err | put_text(both, "kept", comparison->single_is_kept ? "single" : "per_shot");
}

static int put_settings(json_t *json, const ShotTuning *tuning)
{
    const SearchPlan *plan = &tuning->plan;
    const FrameRate rate = tuning->source->rate;
    char fraction[32];
    snprintf(fraction, sizeof fraction, "%d/%d", rate.numerator, rate.denominator);
    int err = put_text(json, "encoder", plan->spec.encoder->name);
    err |= put_text(json, "encoder_version",
                    tuned_shot_chosen(tuning->shots)->outcome.encoder_version);
    err |= put_text(json, "preset", plan->spec.preset);
    err |= put_number(json, "framerate", (double)rate.numerator / rate.denominator);
    err |= put_text(json, "frame_rate", fraction);
    err |= put_text(json, "predicate", "measured");
    err |= put_text(json, "objective", tuning->is_lagrange ? "lagrange" : "equal");
    err |= put_number(json, "target_vmaf", plan->gates.gate[0].target);
    err |= put_text(json, "src", tuning->source->path);
    err |= put_text(json, "vmaf_model", tuning->model);
    err |= json_put(json, "model_calibrated", json_boolean(tuning->is_calibrated));
    return err;
}

json_t *shot_plan_record(const ShotTuning *tuning, const ShotPaths *paths,
                         const ShotCommands *commands, const ShotComparison *comparison)
{
    json_t *json = json_object();
    if (!json)
        return NULL;
    int err = put_settings(json, tuning);
    err |= json_put(json, "shots", shots_of(tuning));
    err |= json_put(json, "totals", totals_of(tuning));
    err |= json_put(json, "segment_commands", segments_of(commands));
    err |= json_put(json, "concat_command", arguments_record(&commands->join));
    err |= put_text(json, "concat_list", commands->list_text);
    err |= put_text(json, "segment_dir", paths->folder);
    err |= put_text(json, "output", paths->output);
    err |= put_comparison(json, comparison);
    return made(json, err);
}

/* -- for people -- */

static void print_comparison(const ShotComparison *comparison, const char *knob, FILE *out)
{
    const ShotResult *shots = &comparison->shots;
    fprintf(out, "the whole video: %zu frames, %.1f kbit/s, VMAF %.3f (%+.3f)\n", shots->frames,
            shots->kbps, shots->vmaf, shots->vmaf - shots->expected);
    if (!comparison->is_compared)
        return;
    const MeasuredEncode *single = tuned_shot_chosen(&comparison->single);
    if (has_single(comparison))
        fprintf(out, "a single %s %d: %.1f kbit/s, VMAF %.3f; %s\n", knob, single->spec.q,
                single->kbps, shot_mean_vmaf(single),
                comparison->single_is_kept ? "it is kept, since shots of their own do not pay"
                                           : "the video of the shots is kept");
    else
        fprintf(out, "no single %s is as good\n", knob);
}

void shot_plan_print(const ShotTuning *tuning, const ShotComparison *comparison, FILE *out)
{
    const ShotTotals totals = shot_totals(tuning);
    fprintf(out, "%5s  %8s  %8s  %6s  %10s  %8s  %6s\n", "shot", "first", "last",
            tuning->plan.spec.encoder->knob_name, "kbit/s", "VMAF", "probes");
    for (size_t i = 0; i < tuning->n; i++) {
        const TunedShot *shot = &tuning->shots[i];
        const MeasuredEncode *encode = tuned_shot_chosen(shot);
        fprintf(out, "%5zu  %8zu  %8zu  %6d  %10.1f  %8.3f  %6zu%s%s\n", i, shot->shot.first,
                shot->shot.end - 1, encode->spec.q, encode->kbps, predicted(tuning, encode),
                shot->n_encodes, shot->mark == SHOT_REACHED ? "" : "  ",
                shot->mark == SHOT_REACHED ? "" : shot_mark_name(shot->mark));
    }
    fprintf(out, "\n%s %s: %zu shot%s, expected %.1f kbit/s, VMAF %.3f\n",
            tuning->plan.spec.encoder->name,
            tuning->plan.spec.preset ? tuning->plan.spec.preset : "", tuning->n,
            tuning->n == 1 ? "" : "s", totals.kbps, totals.vmaf);
    if (comparison)
        print_comparison(comparison, tuning->plan.spec.encoder->knob_name, out);
}
