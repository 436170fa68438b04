/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/session/corpus_rows.h"

#include "common/messages.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool corpus_load(const TuneCommand *command, const char *path, RowTable *table, int *status)
{
    Message why;
    const int err = rows_load(table, path, &why);
    if (err) {
        row_table_free(table);
        *status =
            command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text);
        return false;
    }
    if (table->is_torn)
        print_error("vmaf-tune %s: %s: the last line is cut off, and left out", command->name,
                    path);
    return true;
}

/* -- before the encode -- */

static int plan_source(const TuneSource *source, Row *row)
{
    row->width = source->format.width;
    row->height = source->format.height;
    row->fps_num = source->rate.numerator;
    row->fps_den = source->rate.denominator;
    row->framerate = (double)source->rate.numerator / source->rate.denominator;
    row->duration_s = source->seconds;
    if (source_stream_choice(source) >= 0)
        row->stream = source_stream_choice(source);
    if (source_picture_choice(source) >= 0)
        row->start_number = source_picture_choice(source);
    int err = row_set_text(&row->src, source->path);
    if (source->ignores_errors)
        err |= row_set_text(&row->errors, "ignore");
    err |= row_set_text(&row->src_sha256, source->sha256);
    err |= row_set_text(&row->pix_fmt, source->pixel_format);
    return err;
}

static int add_params(Row *row, const ArgumentList *list)
{
    int err = list->error;
    for (size_t i = 0; i < list->n; i++)
        err |= row_add_extra_param(row, list->items[i]);
    return err;
}

static int plan_hdr(const Session *session, const SessionMeasurer *measurer, const Encoder *encoder,
                    Row *row)
{
    const SessionOptions *options = session->options;
    const char *transfer = measurer->hdr.transfer == HDR_PQ ? "pq" : "hlg";
    ArgumentList list = {0};
    int err = row_set_text(&row->hdr_transfer, measurer->is_hdr ? transfer : "");
    err |= row_set_text(&row->hdr_primaries, measurer->is_hdr ? "bt2020" : "");
    row->hdr_forced = options->force_pq || options->force_hlg || options->force_sdr;
    if (!measurer->is_hdr)
        return err;
    if (encoder->hdr_pixel_format) {
        arguments_add(&list, "-pix_fmt");
        arguments_add(&list, encoder->hdr_pixel_format);
    }
    err |= encode_hdr_arguments(encoder, &measurer->hdr, &list);
    err |= add_params(row, &list);
    arguments_free(&list);
    return err;
}

static int plan_encode(const Session *session, const EncodeSpec *spec, Row *row)
{
    char rate_control[RATE_CONTROL_SIZE];
    const EncodeRequest request = {.encoder = spec->encoder, .two_pass = spec->two_pass};
    encode_rate_control(&request, rate_control);
    row->crf = spec->q;
    row->adapter_version = strtoll(spec->encoder->row_version, NULL, 10);
    int err = row_set_text(&row->encoder, spec->encoder->name);
    err |= row_set_text(&row->encoder_version, spec->encoder_version);
    err |= row_set_text(&row->preset, spec->preset ? spec->preset : spec->encoder->default_preset);
    err |= row_set_text(&row->rate_control, rate_control);
    err |= row_set_text(&row->ffmpeg_version, session->ffmpeg.version);
    err |= row_set_text(&row->encode_path, "");
    for (size_t i = 0; i < session->options->extra.n; i++)
        err |= row_add_extra_param(row, session->options->extra.text[i]);
    return err;
}

int encode_row_plan(const Session *session, const TuneSource *source,
                    const SessionMeasurer *measurer, const EncodeSpec *spec, Row *row)
{
    row_init(row);
    row->model_calibrated = measurer->is_calibrated;
    int err = plan_source(source, row);
    err |= plan_hdr(session, measurer, spec->encoder, row);
    err |= plan_encode(session, spec, row);
    err |= row_set_text(&row->clip_mode, measurer->clip_mode);
    err |= row_set_text(&row->vmaf_model, measurer->model);
    err |= row_set_text(&row->pool, score_pool_name((ScorePool)session->options->pool));
    err |= row_set_text(&row->vmaf_binary_version, session_score_version(session));
    return err ? -ENOMEM : 0;
}

ShotStatistics shot_statistics(const Shot *shots, size_t n, FrameRate rate)
{
    ShotStatistics statistics = {.n = n};
    const double frame = (double)rate.denominator / rate.numerator;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)shot_frames(&shots[i]) * frame;
    const double mean = n ? sum / (double)n : 0;
    for (size_t i = 0; i < n; i++) {
        const double difference = (double)shot_frames(&shots[i]) * frame - mean;
        squares += difference * difference;
    }
    statistics.mean_seconds = mean;
    statistics.deviation_seconds = n ? sqrt(squares / (double)n) : 0;
    return statistics;
}

void encode_row_put_shots(Row *row, const ShotStatistics *shots)
{
    row->shot_count = shots ? (int64_t)shots->n : 0;
    row->shot_avg_duration_sec = shots ? shots->mean_seconds : 0;
    row->shot_duration_std_sec = shots ? shots->deviation_seconds : 0;
}

/* -- after it -- */

static void fill_stats(const EncoderStats *stats, Row *row)
{
    row->enc_internal_qp_mean = stats->qp_mean;
    row->enc_internal_qp_std = stats->qp_std;
    row->enc_internal_bits_mean = stats->bits_mean;
    row->enc_internal_bits_std = stats->bits_std;
    row->enc_internal_mv_mean = stats->mv_mean;
    row->enc_internal_mv_std = stats->mv_std;
    row->enc_internal_itex_mean = stats->itex_mean;
    row->enc_internal_ptex_mean = stats->ptex_mean;
    row->enc_internal_intra_ratio = stats->intra_ratio;
    row->enc_internal_skip_ratio = stats->skip_ratio;
}

static double speed(size_t frames, double ms)
{
    return ms > 0 ? (double)frames * 1000 / ms : NAN;
}

static int fill_encode(const Session *session, const MeasuredEncode *measured, Row *row)
{
    const EncodeOutcome *outcome = &measured->outcome;
    row->encode_size_bytes = outcome->size;
    row->stream_size_bytes = (int64_t)measured->stream_bytes;
    row->frames = (int64_t)measured->frames;
    row->bitrate_kbps = measured->kbps;
    row->encode_time_ms = outcome->wall_ms;
    row->encode_speed_fps = speed(measured->frames, outcome->wall_ms);
    if (outcome->has_stats)
        fill_stats(&outcome->stats, row);
    const bool is_kept = session->options->keeps_encodes && measured->path;
    int err = row_set_text(&row->encode_path, is_kept ? measured->path : "");
    err |= row_set_text(&row->encoder_version, outcome->encoder_version);
    err |= row_set_text(&row->rate_control, outcome->rate_control);
    return err;
}

static void fill_known(const PooledScores *pooled, const char *name, Row *row)
{
    const struct {
        const char *name;
        double *mean, *std;
    } columns[] = {
        {"adm2", &row->adm2_mean, &row->adm2_std},
        {"vif_scale0", &row->vif_scale0_mean, &row->vif_scale0_std},
        {"vif_scale1", &row->vif_scale1_mean, &row->vif_scale1_std},
        {"vif_scale2", &row->vif_scale2_mean, &row->vif_scale2_std},
        {"vif_scale3", &row->vif_scale3_mean, &row->vif_scale3_std},
        {"motion2", &row->motion2_mean, &row->motion2_std},
    };
    static const char prefix[] = "integer_";
    const size_t length = sizeof prefix - 1;
    const char *plain = strncmp(name, prefix, length) ? name : name + length;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!strcmp(columns[i].name, plain)) {
            *columns[i].mean = pooled->mean;
            *columns[i].std = pooled->deviation;
        }
}

static int fill_feature(const EncodeScores *scores, const ScoreSeries *series, Row *row)
{
    RowFeature feature = {series->name, NAN, NAN, NAN, NAN, NAN};
    PooledScores pooled;
    const int err = pool_scores(series->values, scores->frames, &pooled);
    if (err == -ENOMEM)
        return err;
    if (!err) {
        fill_known(&pooled, series->name, row);
        feature.min = pooled.min;
        feature.max = pooled.max;
        feature.mean = pooled.mean;
        feature.harmonic_mean = pooled.harmonic_mean;
        feature.std = pooled.deviation;
    }
    return row_add_feature(row, &feature);
}

static int fill_scores(const Session *session, const MeasuredEncode *measured, Row *row)
{
    const EncodeScores *scores = &measured->scores;
    PooledScores pooled;
    row->score_frames = (int64_t)scores->frames;
    row->score_time_ms = scores->ms;
    row->score_speed_fps = speed(scores->frames, scores->ms);
    if (!measured_pool(measured, "vmaf", &pooled))
        row->vmaf_score = pooled_score(&pooled, (ScorePool)session->options->pool);
    int err = row_set_text(&row->score_backend, scores->backend);
    err |= row_set_text(&row->score_device, scores->device);
    for (size_t i = 0; i < scores->n_series; i++)
        err |= fill_feature(scores, &scores->series[i], row);
    return err;
}

/* The exit status of ffmpeg if it failed, else 1 if something else did, else 0. */
static int exit_status_of(const MeasuredEncode *measured)
{
    const int status = measured->has_encode ? 0 : measured->outcome.exit_status;
    return status ? status : measured->error != 0;
}

int encode_row_fill(const Session *session, const MeasuredEncode *measured, Row *row)
{
    row->exit_status = exit_status_of(measured);
    row->cached = measured->is_cached && !measured->error;
    int err = row_stamp(row);
    if (measured->error)
        err |= row_set_text(&row->error, measured->why.text);
    if (measured->has_encode)
        err |= fill_encode(session, measured, row);
    if (measured->has_scores)
        err |= fill_scores(session, measured, row);
    return err ? -ENOMEM : 0;
}

static int integer_of(int64_t value)
{
    return value >= -10000000 && value <= 10000000 ? (int)value : 0;
}

EncodePoint point_of_row(const Row *row, size_t source)
{
    return (EncodePoint){
        .width = integer_of(row->width),
        .height = integer_of(row->height),
        .q = row->crf,
        .kbps = row_kbps(row),
        .score = row->vmaf_score,
        .source = source,
    };
}

QualityRange quality_range_of_encoder(const char *encoder)
{
    /* Encoders of Apple's VideoToolbox have a quality, all others a quantiser. */
    return (QualityRange){.lowest = 0,
                          .highest = 100,
                          .higher_is_better = encoder && strstr(encoder, "_videotoolbox")};
}
