/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/output/corpus_rows.h"

#include "common/json.h"
#include "platform/machine.h"
#include "platform/time.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

int corpus_load(const TuneCommand *command, const char *path, RowTable *table)
{
    Message why;
    const int err = rows_load(table, path, &why);
    if (err)
        return command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text);
    if (table->is_torn)
        print_error("vmaf-tune %s: %s: the last line is cut off, and left out", command->name,
                    path);
    return 0;
}

/* -- before the encode -- */

static int plan_source(const TuneSource *source, json_t *row)
{
    const FrameRate rate = source->rate;
    const int64_t stream = source_stream_choice(source), picture = source_picture_choice(source);
    int err = 0;
    if (stream >= 0)
        err |= json_put_integer(row, "stream", stream);
    if (picture >= 0)
        err |= json_put_integer(row, "start_number", picture);
    if (source->ignores_errors)
        err |= json_put_text(row, "errors", "ignore");
    return err | json_put_all(row,
                              "src:t src_sha256:t width:i height:i pix_fmt:t fps_num:i fps_den:i "
                              "framerate:n duration_s:n",
                              source->path, source->sha256, source->format.width,
                              source->format.height, source->pixel_format, rate.numerator,
                              rate.denominator, (double)rate.numerator / rate.denominator,
                              source->seconds);
}

/* Arguments of HDR, then the user's. */
static int plan_arguments(const Session *session, const TuneSource *source, HdrTransfer hdr,
                          const Encoder *encoder, json_t *row)
{
    const TextList *extra = &session->options->extra;
    json_t *params = json_array();
    ArgumentList list = {0};
    int err = 0;
    if (hdr && encoder->hdr_pixel_format) {
        arguments_add(&list, "-pix_fmt");
        arguments_add(&list, encoder->hdr_pixel_format);
    }
    if (hdr)
        err = encode_hdr_arguments(encoder, source, hdr, &list);
    err |= list.error;
    for (size_t i = 0; i < extra->n; i++)
        arguments_add(&list, extra->text[i]);
    for (size_t i = 0; i < list.n; i++)
        err |= json_array_append_new(params, json_text_or_null(list.items[i]));
    arguments_free(&list);
    return err | json_put(row, "extra_params", params);
}

json_t *encode_row_plan(const Session *session, const TuneSource *source,
                        const SessionMeasurer *measurer, const EncodeSpec *spec)
{
    const SessionOptions *options = session->options;
    const HdrTransfer hdr = measurer->hdr;
    const bool is_forced = options->force_pq || options->force_hlg || options->force_sdr;
    const char *transfer = !hdr ? "" : hdr == HDR_PQ ? "pq" : "hlg";
    char rate_control[RATE_CONTROL_SIZE];
    encode_rate_control(spec, rate_control);
    json_t *row = json_object();
    int err = plan_source(source, row);
    err |= plan_arguments(session, source, hdr, spec->encoder, row);
    err |= json_put_all(
        row,
        "schema_version:i hdr_transfer:t hdr_primaries:t hdr_forced:b encoder:t encoder_version:t "
        "adapter_version:i preset:t crf:o rate_control:t encode_path:t ffmpeg_version:t "
        "clip_mode:t vmaf_model:t model_calibrated:b pool:t vmaf_binary_version:t",
        ROW_SCHEMA, transfer, hdr ? "bt2020" : "", is_forced, spec->encoder->name,
        spec->encoder_version, (int)strtol(spec->encoder->row_version, NULL, 10), spec->preset,
        json_quality(spec->q), rate_control, "", session->ffmpeg.version, measurer->clip_mode,
        measurer->model, measurer->is_calibrated, score_pool_name((ScorePool)options->pool),
        session->score_version);
    return json_unless(err, row);
}

int encode_row_put_shots(json_t *row, const SourceShots *shots, FrameRate rate)
{
    const double frame = (double)rate.denominator / rate.numerator;
    const double n = shots->n ? (double)shots->n : 1;
    double sum = 0, squares = 0; /* whole numbers, so that equal lengths do not differ */
    for (size_t i = 0; i < shots->n; i++) {
        const double frames = (double)shot_frames(&shots->shots[i]);
        sum += frames;
        squares += frames * frames;
    }
    return json_put_all(row, "shot_count:z shot_avg_duration_sec:n shot_duration_std_sec:n",
                        shots->n, sum / n * frame, sqrt(n * squares - sum * sum) / n * frame);
}

/* -- after it -- */

/* A new name, and the time. */
static int stamp(json_t *row)
{
    const time_t now = time(NULL);
    struct tm utc;
    unsigned char bytes[16];
    char id[2 * sizeof(bytes) + 1], at[64] = "";
    if (!vmaf_random_bytes(bytes, sizeof(bytes))) {
        const int64_t clocks[] = {vmaf_time_of_day_ns(), vmaf_steady_ns()};
        memcpy(bytes, clocks, sizeof(bytes));
    }
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    if (gmtime_r(&now, &utc))
        strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return json_put_all(row, "run_id:t timestamp:t", id, at);
}

static double speed_of(size_t frames, double ms)
{
    return ms > 0 ? (double)frames * 1000 / ms : NAN;
}

static int fill_encode(const Session *session, const MeasuredEncode *measured, json_t *row)
{
    const EncodeOutcome *outcome = &measured->outcome;
    const EncoderStats *stats = &outcome->stats;
    const bool is_kept = session->options->keeps_encodes && measured->path;
    int err = json_put_all(
        row,
        "encode_size_bytes:l stream_size_bytes:l frames:z bitrate_kbps:n encode_time_ms:n "
        "encode_speed_fps:n encode_path:t encoder_version:t rate_control:t",
        outcome->size, measured->stream_bytes, measured->frames, measured->kbps, outcome->wall_ms,
        speed_of(measured->frames, outcome->wall_ms), is_kept ? measured->path : "",
        outcome->encoder_version, outcome->rate_control);
    if (outcome->has_stats)
        err |= json_put_all(
            row,
            "enc_internal_qp_mean:n enc_internal_qp_std:n enc_internal_bits_mean:n "
            "enc_internal_bits_std:n enc_internal_mv_mean:n enc_internal_mv_std:n "
            "enc_internal_itex_mean:n enc_internal_ptex_mean:n enc_internal_intra_ratio:n "
            "enc_internal_skip_ratio:n",
            stats->qp_mean, stats->qp_std, stats->bits_mean, stats->bits_std, stats->mv_mean,
            stats->mv_std, stats->itex_mean, stats->ptex_mean, stats->intra_ratio,
            stats->skip_ratio);
    return err;
}

/* What rows have in a column of its own, too. */
static int fill_column(const PooledScores *pooled, const char *name, json_t *row)
{
    static const char *const columns[] = {"adm2",       "vif_scale0", "vif_scale1",
                                          "vif_scale2", "vif_scale3", "motion2"};
    char key[32];
    int err = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!strcmp(columns[i], score_plain_name(name))) {
            snprintf(key, sizeof key, "%s_mean", columns[i]);
            err |= json_put_number(row, key, pooled->mean);
            snprintf(key, sizeof key, "%s_std", columns[i]);
            err |= json_put_number(row, key, pooled->deviation);
        }
    return err;
}

static int fill_feature(const EncodeScores *scores, const ScoreSeries *series, json_t *features,
                        json_t *row)
{
    PooledScores pooled = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    json_t *pools = json_object();
    int err = pool_scores(series->values, scores->frames, &pooled)
                  ? 0
                  : fill_column(&pooled, series->name, row);
    for (int pool = POOL_MEAN; pool <= POOL_P10; pool++)
        err |= json_put_number(pools, score_pool_name((ScorePool)pool),
                               pooled_score(&pooled, (ScorePool)pool));
    err |= json_put_all(pools, "max:n std:n", pooled.max, pooled.deviation);
    return err | json_put(features, series->name, pools);
}

static int fill_scores(const Session *session, const MeasuredEncode *measured, json_t *row)
{
    const EncodeScores *scores = &measured->scores;
    json_t *features = json_object();
    PooledScores pooled;
    int err = json_put_all(row,
                           "score_frames:z score_time_ms:n score_speed_fps:n score_backend:t "
                           "score_device:t features:o",
                           scores->frames, scores->ms, speed_of(scores->frames, scores->ms),
                           scores->backend, scores->device, features);
    if (!measured_pool(measured, "vmaf", &pooled))
        err |= json_put_number(row, "vmaf_score",
                               pooled_score(&pooled, (ScorePool)session->options->pool));
    for (size_t i = 0; i < scores->n_series; i++)
        err |= fill_feature(scores, &scores->series[i], features, row);
    return err;
}

/* The exit status of ffmpeg if it failed, else 1 if something else did, else 0. */
static int exit_status_of(const MeasuredEncode *measured)
{
    const int status = measured->has_encode ? 0 : measured->outcome.exit_status;
    return status ? status : measured->error != 0;
}

int encode_row_fill(const Session *session, const MeasuredEncode *measured, json_t *row)
{
    int err = json_put_all(row, "exit_status:i cached:b", exit_status_of(measured),
                           measured->is_cached && !measured->error);
    err |= stamp(row);
    if (measured->error)
        err |= json_put_text(row, "error", measured->why.text);
    if (measured->has_encode)
        err |= fill_encode(session, measured, row);
    if (measured->has_scores)
        err |= fill_scores(session, measured, row);
    return err ? -ENOMEM : 0;
}

QualityRange quality_range_of_encoder(const char *encoder)
{
    /* Encoders of Apple's VideoToolbox have a quality, all others a quantiser. */
    return (QualityRange){.lowest = 0,
                          .highest = 100,
                          .higher_is_better = encoder && strstr(encoder, "_videotoolbox")};
}
