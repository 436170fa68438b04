/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/encode_profile/encode_result.h"

#include "common/messages.h"
#include "tune/rows/json_document.h"

#include <math.h>

bool encode_result_reaches(const EncodeResult *result, const Profile *profile)
{
    return !result->is_verified || isnan(profile->target) || result->score >= profile->target;
}

static int put_text(json_t *json, const char *key, const char *text)
{
    return json_put(json, key, json_text_or_null(text));
}

static int put_number(json_t *json, const char *key, double number)
{
    return json_put(json, key, json_number_or_null(number));
}

static int put_encode(json_t *json, const EncodeResult *result, const Profile *profile)
{
    const EncodeOutcome *outcome = &result->outcome;
    const double seconds = outcome->wall_ms / 1000;
    int err = put_text(json, "src", result->source->path);
    err |= put_text(json, "output", result->output);
    err |= put_text(json, "encoder", result->encoder->name);
    err |= put_text(json, "encoder_version", outcome->encoder_version);
    err |= put_text(json, "preset", result->preset);
    err |= json_put(json, "crf", json_integer(profile->q));
    err |= put_text(json, "rate_control", outcome->rate_control);
    err |= json_put(json, "encode_size_bytes", json_integer(outcome->size));
    err |= json_put(json, "stream_size_bytes", json_integer((json_int_t)result->stream.bytes));
    err |= json_put(json, "frames", json_integer((json_int_t)result->stream.n_packets));
    err |= put_number(json, "bitrate_kbps", stream_kbps(&result->stream, result->source->rate));
    err |= put_number(json, "encode_time_ms", outcome->wall_ms);
    err |= put_number(json, "encode_speed_fps",
                      seconds > 0 ? (double)result->stream.n_packets / seconds : NAN);
    return err;
}

static int put_scores(json_t *json, const EncodeResult *result, const Profile *profile)
{
    int err = put_number(json, "vmaf_score", result->score);
    err |= put_text(json, "vmaf_model", result->model);
    err |= json_put(json, "model_calibrated", json_boolean(result->is_calibrated));
    err |= put_text(json, "pool", result->pool);
    err |= put_text(json, "score_backend", result->scores.backend);
    err |= put_number(json, "score_time_ms", result->scores.ms);
    if (!isnan(profile->target))
        err |= json_put(json, "target_met", json_boolean(encode_result_reaches(result, profile)));
    return err;
}

json_t *encode_result_to_json(const EncodeResult *result, const Profile *profile)
{
    json_t *json = json_object();
    int err = put_text(json, "schema", "vmaf-tune-encode-profile/v1");
    err |= put_encode(json, result, profile);
    err |= put_number(json, "expected_vmaf", profile->score);
    err |= put_number(json, "target_vmaf", profile->target);
    err |= json_put(json, "verified", json_boolean(result->is_verified));
    if (result->is_verified)
        err |= put_scores(json, result, profile);
    if (!err)
        return json;
    json_decref(json);
    return NULL;
}

void encode_result_print(const EncodeResult *result, const Profile *profile, FILE *out)
{
    print_line(out, "%s: %s %s %s %d, %.1f kbit/s, %.1f s", result->output, result->encoder->name,
               result->preset, result->encoder->knob_name, profile->q,
               stream_kbps(&result->stream, result->source->rate), result->outcome.wall_ms / 1000);
    if (!result->is_verified)
        return;
    char expected[48] = "", target[48] = "";
    if (!isnan(profile->score))
        snprintf(expected, sizeof expected, ", expected %.3f", profile->score);
    if (!isnan(profile->target))
        snprintf(target, sizeof target, ", target %g [%s]", profile->target,
                 encode_result_reaches(result, profile) ? "OK" : "UNMET");
    print_line(out, "VMAF %.3f%s%s", result->score, expected, target);
}
