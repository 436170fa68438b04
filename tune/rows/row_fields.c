/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/rows/row_fields.h"

#include <string.h>

#define FIELD(schema, type, member)                                                                \
    {                                                                                              \
        .key = #member, .kind = (type), .since = (schema), .offset = offsetof(Row, member)         \
    }
#define ALIASED(schema, type, member, ...)                                                         \
    {                                                                                              \
        .key = #member, .aliases = {__VA_ARGS__}, .kind = (type), .since = (schema),               \
        .offset = offsetof(Row, member)                                                            \
    }
#define MEAN_AND_STD(schema, name)                                                                 \
    FIELD(schema, FIELD_NUMBER, name##_mean), FIELD(schema, FIELD_NUMBER, name##_std)

const RowField row_fields[] = {
    FIELD(1, FIELD_INTEGER, schema_version),
    FIELD(1, FIELD_TEXT, run_id),
    FIELD(1, FIELD_TEXT, timestamp),
    FIELD(1, FIELD_TEXT, src),
    FIELD(1, FIELD_TEXT, src_sha256),
    FIELD(1, FIELD_INTEGER, width),
    FIELD(1, FIELD_INTEGER, height),
    FIELD(1, FIELD_TEXT, pix_fmt),
    FIELD(1, FIELD_NUMBER, framerate),
    FIELD(1, FIELD_NUMBER, duration_s),
    ALIASED(1, FIELD_TEXT, encoder, "codec"),
    FIELD(1, FIELD_TEXT, encoder_version),
    FIELD(1, FIELD_TEXT, preset),
    ALIASED(1, FIELD_INTEGER, crf, "q", "cq"),
    FIELD(1, FIELD_TEXT, encode_path),
    FIELD(1, FIELD_INTEGER, encode_size_bytes),
    ALIASED(1, FIELD_NUMBER, bitrate_kbps, "actual_kbps"),
    FIELD(1, FIELD_NUMBER, encode_time_ms),
    ALIASED(1, FIELD_NUMBER, vmaf_score, "vmaf"),
    FIELD(1, FIELD_TEXT, vmaf_model),
    FIELD(1, FIELD_NUMBER, score_time_ms),
    FIELD(1, FIELD_TEXT, ffmpeg_version),
    FIELD(1, FIELD_TEXT, vmaf_binary_version),
    FIELD(1, FIELD_INTEGER, exit_status),
    FIELD(2, FIELD_TEXT, clip_mode),
    FIELD(3, FIELD_TEXT, hdr_transfer),
    FIELD(3, FIELD_TEXT, hdr_primaries),
    FIELD(3, FIELD_FLAG, hdr_forced),
    FIELD(3, FIELD_INTEGER, shot_count),
    FIELD(3, FIELD_NUMBER, shot_avg_duration_sec),
    FIELD(3, FIELD_NUMBER, shot_duration_std_sec),
    MEAN_AND_STD(3, adm2),
    MEAN_AND_STD(3, vif_scale0),
    MEAN_AND_STD(3, vif_scale1),
    MEAN_AND_STD(3, vif_scale2),
    MEAN_AND_STD(3, vif_scale3),
    MEAN_AND_STD(3, motion2),
    MEAN_AND_STD(3, enc_internal_qp),
    MEAN_AND_STD(3, enc_internal_bits),
    MEAN_AND_STD(3, enc_internal_mv),
    FIELD(3, FIELD_NUMBER, enc_internal_itex_mean),
    FIELD(3, FIELD_NUMBER, enc_internal_ptex_mean),
    FIELD(3, FIELD_NUMBER, enc_internal_intra_ratio),
    FIELD(3, FIELD_NUMBER, enc_internal_skip_ratio),
    FIELD(4, FIELD_INTEGER, stream_size_bytes),
    FIELD(4, FIELD_INTEGER, frames),
    FIELD(4, FIELD_INTEGER, fps_num),
    FIELD(4, FIELD_INTEGER, fps_den),
    FIELD(4, FIELD_TEXT, score_backend),
    FIELD(4, FIELD_TEXT, score_device),
    FIELD(4, FIELD_TEXT, pool),
    FIELD(4, FIELD_INTEGER, score_frames),
    FIELD(4, FIELD_TEXT, rate_control),
    FIELD(4, FIELD_FLAG, model_calibrated),
    FIELD(4, FIELD_INTEGER, adapter_version),
    FIELD(4, FIELD_TEXT, error),
    FIELD(4, FIELD_NUMBER, encode_speed_fps),
    FIELD(4, FIELD_NUMBER, score_speed_fps),
    FIELD(0, FIELD_FLAG, cached),
    FIELD(0, FIELD_INTEGER, stream),
    FIELD(0, FIELD_INTEGER, start_number),
    FIELD(0, FIELD_TEXT, errors),
};
const size_t n_row_fields = sizeof(row_fields) / sizeof(row_fields[0]);

const RowField *row_field(const char *key)
{
    for (size_t i = 0; i < n_row_fields; i++)
        if (!strcmp(row_fields[i].key, key))
            return &row_fields[i];
    return NULL;
}
