/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "support/files.h"
#include "support/test_folder.h"
#include "tune/measure/row.h"
#include "tune/measure/row_file.h"

/* A row with every key, each of which is something else. */
static const char full_row[] =
    "{\"adapter_version\": 11, \"adm2_mean\": 0.1, \"adm2_std\": 0.3333333333333333, "
    "\"bitrate_kbps\": 1e-300, \"cached\": true, \"clip_mode\": \"full\", \"crf\": 20.5, "
    "\"duration_s\": 2.0, \"enc_internal_bits_mean\": 4.94065645841247e-324, "
    "\"enc_internal_bits_std\": 3.5, "
    "\"enc_internal_intra_ratio\": 4.5, \"enc_internal_itex_mean\": 5.5, "
    "\"enc_internal_mv_mean\": 6.5, \"enc_internal_mv_std\": 7.5, "
    "\"enc_internal_ptex_mean\": 8.5, \"enc_internal_qp_mean\": 9.5, "
    "\"enc_internal_qp_std\": 10.5, \"enc_internal_skip_ratio\": 11.5, "
    "\"encode_path\": \"a path\", \"encode_size_bytes\": 9000000000000000000, "
    "\"encode_speed_fps\": 12.5, \"encode_time_ms\": 13.5, \"encoder\": \"libx265\", "
    "\"encoder_version\": \"libx265-1\", \"error\": \"it burns \\\"\\\\ \\u000a\xc3\xa9\", "
    "\"errors\": \"ignore\", \"exit_status\": 0, \"extra_params\": [\"-x265-params\", "
    "\"a=1:b='2'\"], \"features\": {\"integer_adm2\": {\"max\": 0.3333333333333333, \"mean\": "
    "0.1, \"min\": null}}, \"ffmpeg_version\": \"5.1\", \"fps_den\": 12, \"fps_num\": 13, "
    "\"framerate\": 14.5, \"frames\": 15, \"hdr_forced\": true, \"hdr_primaries\": \"bt2020\", "
    "\"hdr_transfer\": \"pq\", \"height\": 16, \"model_calibrated\": false, "
    "\"motion2_mean\": 15.5, \"motion2_std\": 16.5, \"pix_fmt\": \"gray\", \"pool\": \"min\", "
    "\"preset\": \"slow\", \"rate_control\": \"crf2pass\", \"run_id\": \"00ff\", "
    "\"schema_version\": 4, \"score_backend\": \"cpu\", \"score_device\": \"a device\", "
    "\"score_frames\": 17, \"score_speed_fps\": 17.5, \"score_time_ms\": 18.5, "
    "\"shot_avg_duration_sec\": 19.5, \"shot_count\": 18, \"shot_duration_std_sec\": 20.5, "
    "\"src\": \"a.y4m\", \"src_sha256\": \"abcd\", \"start_number\": 19, \"stream\": 20, "
    "\"stream_size_bytes\": 21, \"timestamp\": \"now\", \"vif_scale0_mean\": 21.5, "
    "\"vif_scale0_std\": 22.5, \"vif_scale1_mean\": 23.5, \"vif_scale1_std\": 24.5, "
    "\"vif_scale2_mean\": 25.5, \"vif_scale2_std\": 26.5, \"vif_scale3_mean\": 27.5, "
    "\"vif_scale3_std\": 28.5, \"vmaf_binary_version\": \"3.2\", \"vmaf_model\": \"a model\", "
    "\"vmaf_score\": 29.5, \"width\": 22}\n";

static char *print(const Row *row)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    assert_non_null(memory);
    assert_int_equal(row_write(row, memory), 0);
    assert_int_equal(fclose(memory), 0);
    return text;
}

static void parse(Row *row, const char *text)
{
    Message message = {""};
    RowTable table;
    const int err = rows_parse(&table, text, strlen(text), &message);
    if (err || table.n != 1)
        fail_msg("%s: %s", text, message.text);
    *row = table.rows[0];
    free(table.rows);
}

CASE(given_a_full_row_then_it_is_printed_as_it_was_read)
{
    Row row;
    parse(&row, full_row);
    assert_string_equal(row.src, "a.y4m");
    assert_string_equal(row_source(&row), "abcd");
    assert_true(row.crf == 20.5 && row.vmaf_score == 29.5);
    assert_string_equal(row.encoder, "libx265");
    assert_string_equal(row.preset, "slow");
    assert_true(row_kbps(&row) == 1e-300);
    char *text = print(&row);
    assert_string_equal(text, full_row);
    free(text);
    row_free(&row);
}

CASE(given_a_new_row_then_all_keys_are_there_in_order_and_missing_ones_are_null)
{
    Row row;
    parse(&row, "{\"schema_version\": 4, \"crf\": 23.0, \"vmaf_score\": 93, \"src\": \"a.y4m\"}");
    char *text = print(&row);
    assert_string_equal(
        text, "{\"adapter_version\": null, \"adm2_mean\": null, \"adm2_std\": null, "
              "\"bitrate_kbps\": null, \"clip_mode\": null, \"crf\": 23, \"duration_s\": null, "
              "\"enc_internal_bits_mean\": null, \"enc_internal_bits_std\": null, "
              "\"enc_internal_intra_ratio\": null, \"enc_internal_itex_mean\": null, "
              "\"enc_internal_mv_mean\": null, \"enc_internal_mv_std\": null, "
              "\"enc_internal_ptex_mean\": null, \"enc_internal_qp_mean\": null, "
              "\"enc_internal_qp_std\": null, \"enc_internal_skip_ratio\": null, "
              "\"encode_path\": null, \"encode_size_bytes\": null, \"encode_speed_fps\": null, "
              "\"encode_time_ms\": null, \"encoder\": null, \"encoder_version\": null, "
              "\"error\": null, \"exit_status\": null, \"extra_params\": [], "
              "\"ffmpeg_version\": null, \"fps_den\": null, \"fps_num\": null, "
              "\"framerate\": null, \"frames\": null, \"hdr_forced\": null, "
              "\"hdr_primaries\": null, \"hdr_transfer\": null, \"height\": null, "
              "\"model_calibrated\": null, \"motion2_mean\": null, \"motion2_std\": null, "
              "\"pix_fmt\": null, \"pool\": null, \"preset\": null, \"rate_control\": null, "
              "\"run_id\": null, \"schema_version\": 4, \"score_backend\": null, "
              "\"score_device\": null, \"score_frames\": null, \"score_speed_fps\": null, "
              "\"score_time_ms\": null, \"shot_avg_duration_sec\": null, \"shot_count\": null, "
              "\"shot_duration_std_sec\": null, \"src\": \"a.y4m\", "
              "\"src_sha256\": null, \"stream_size_bytes\": null, \"timestamp\": null, "
              "\"vif_scale0_mean\": null, \"vif_scale0_std\": null, \"vif_scale1_mean\": null, "
              "\"vif_scale1_std\": null, \"vif_scale2_mean\": null, \"vif_scale2_std\": null, "
              "\"vif_scale3_mean\": null, \"vif_scale3_std\": null, "
              "\"vmaf_binary_version\": null, \"vmaf_model\": null, \"vmaf_score\": 93.0, "
              "\"width\": null}\n");
    free(text);
    row_free(&row);
}

CASE(given_a_comma_as_decimal_point_then_rows_are_the_same)
{
    if (!setlocale(LC_ALL, "de_DE"))
        skip();
    Row row;
    parse(&row, "{\"vmaf_score\": 93.25, \"duration_s\": 1e-3}");
    assert_true(row.vmaf_score == 93.25);
    char *text = print(&row);
    assert_non_null(strstr(text, "\"duration_s\": 0.001,"));
    assert_non_null(strstr(text, "\"vmaf_score\": 93.25"));
    setlocale(LC_ALL, "C");
    free(text);
    row_free(&row);
}

CASE(given_older_schemas_then_what_they_lack_is_missing_and_stays_out)
{
    Row row;
    parse(&row, "{\"schema_version\": 1, \"encoder\": \"libx264\", \"crf\": 20.0, \"vmaf_score\": "
                "NaN, \"exit_status\": 0}");
    assert_true(row.crf == 20 && isnan(row.vmaf_score));
    assert_null(json_object_get(row.json, "clip_mode"));
    char *text = print(&row);
    assert_non_null(strstr(text, "\"schema_version\": 1"));
    assert_non_null(strstr(text, "\"vmaf_score\": null"));
    assert_null(strstr(text, "clip_mode"));
    assert_null(strstr(text, "adm2_mean"));
    assert_null(strstr(text, "\"error\""));
    free(text);
    row_free(&row);
    parse(&row, "{\"schema_version\": 2, \"clip_mode\": \"full\"}");
    text = print(&row);
    assert_non_null(strstr(text, "\"clip_mode\": \"full\""));
    assert_null(strstr(text, "hdr_transfer"));
    free(text);
    row_free(&row);
    parse(&row, "{\"schema_version\": 3, \"adm2_mean\": NaN, \"adm2_std\": -Infinity, "
                "\"src\": \"NaN, Infinity \\\" NaN\", \"hdr_forced\": false, \"frames\": 5}");
    assert_string_equal(row.src, "NaN, Infinity \" NaN");
    text = print(&row);
    assert_non_null(strstr(text, "\"adm2_mean\": null"));
    assert_non_null(strstr(text, "\"frames\": 5")); /* of schema 4, but there */
    assert_null(strstr(text, "score_backend"));
    free(text);
    row_free(&row);
}

CASE(given_a_sample_then_speeds_are_of_what_was_encoded_and_what_was_scored)
{
    Row row;
    parse(&row, "{\"frames\": 48, \"score_frames\": 12, \"encode_time_ms\": 2000, "
                "\"score_time_ms\": 500}");
    assert_true(row_encode_fps(&row) == 24 && row_score_fps(&row) == 24);
    row_free(&row);
    parse(&row, "{\"clip_mode\": \"sample_2s\", \"duration_s\": 60, \"framerate\": 25, "
                "\"encode_time_ms\": 1000, \"score_speed_fps\": 7}");
    assert_true(row_encode_fps(&row) == 50 && row_score_fps(&row) == 7);
    row_free(&row);
}

CASE(given_names_of_other_programs_then_they_are_understood)
{
    Row row;
    parse(&row, "{\"codec\": \"av1\", \"q\": 31, \"vmaf\": 90.5, \"actual_kbps\": 800}");
    assert_string_equal(row.encoder, "av1");
    assert_int_equal(row.crf, 31);
    assert_true(row.vmaf_score == 90.5 && row_kbps(&row) == 800);
    assert_null(json_object_get(row.json, "q"));
    row_free(&row);
    parse(&row, "{\"cq\": 19}");
    assert_int_equal(row.crf, 19);
    row_free(&row);
    /* Its own name wins; the first alias before the second. */
    parse(&row, "{\"q\": 1, \"crf\": 2, \"cq\": 3, \"vmaf_score\": 4, \"vmaf\": 5}");
    assert_int_equal(row.crf, 2);
    assert_true(row.vmaf_score == 4);
    assert_int_equal(json_integer_value(json_object_get(row.json, "q")), 1);
    assert_int_equal(json_integer_value(json_object_get(row.json, "cq")), 3);
    assert_int_equal(json_integer_value(json_object_get(row.json, "vmaf")), 5);
    row_free(&row);
    parse(&row, "{\"cq\": 3, \"q\": 1}");
    assert_int_equal(row.crf, 1);
    row_free(&row);
}

CASE(given_unknown_keys_then_they_are_kept)
{
    Row row;
    parse(&row, "{\"zebra\": {\"b\": [1, 2.5, \"x\"], \"a\": null}, \"aardvark\": true}");
    char *text = print(&row);
    assert_int_equal(strncmp(text, "{\"aardvark\": true, ", 19), 0);
    assert_non_null(strstr(text, "\"zebra\": {\"a\": null, \"b\": [1, 2.5, \"x\"]}}\n"));
    free(text);
    row_free(&row);
}

CASE(given_a_name_of_a_metric_then_its_number_is_found)
{
    Row row;
    double number;
    parse(&row,
          "{\"bitrate_kbps\": 5, \"frames\": 7, \"width\": null, \"src\": \"a\", \"features\": "
          "{\"integer_adm2\": {\"mean\": 0.5}, \"psnr_y\": {\"mean\": 40, \"min\": null}}}");
    assert_true(row_number(&row, "bitrate_kbps", &number) && number == 5);
    assert_true(row_number(&row, "frames", &number) && number == 7);
    assert_true(row_number(&row, "width", &number) && isnan(number));
    assert_true(row_number(&row, "adm2", &number) && number == 0.5);
    assert_true(row_number(&row, "integer_adm2", &number) && number == 0.5);
    assert_true(row_number(&row, "integer_psnr_y", &number) && number == 40);
    assert_false(row_number(&row, "src", &number));
    assert_false(row_number(&row, "adm", &number));
    row_free(&row);
}

/* -- files -- */

static const char path[] = "corpus.jsonl";

static void assert_damaged(const char *text, const char *wanted)
{
    RowTable table;
    Message message = {""};
    assert_int_equal(rows_parse(&table, text, strlen(text), &message), -EINVAL);
    if (!strstr(message.text, wanted))
        fail_msg("%s, not %s", message.text, wanted);
    row_table_free(&table);
}

CASE(given_damaged_lines_then_the_message_has_their_number)
{
    assert_damaged("{\"crf\": 1}\n\n{\"crf\": }\n{}\n", "line 3: unexpected token");
    assert_damaged("{}\n[1]\n", "line 2: expected an object");
    assert_damaged("{}\n{\"crf\": \"x\"}\n", "line 2: crf: expected a number");
    assert_damaged("{\"src\": 5}\n", "line 1: src: expected a text");
    assert_damaged("{\"vmaf_score\": \"93\"}\n", "vmaf_score: expected a number");
    assert_damaged("{\"hdr_forced\": 0}\n", "hdr_forced: expected true or false");
    assert_damaged("{\"extra_params\": \"-x\"}\n", "extra_params: expected an array of texts");
    assert_damaged("{\"extra_params\": [1]}\n", "extra_params: expected an array of texts");
    assert_damaged("{\"features\": 1}\n", "features: expected an object");
    assert_damaged("{\"features\": {\"a\": 1}}\n", "features: expected an object for each");
    assert_damaged("{\"schema_version\": 5}\n", "line 1: schema_version 5 is not one of 1 to 4");
    assert_damaged("{\"schema_version\": 0}\n", "schema_version 0");
    assert_damaged("{\"crf\": 1, \"crf\": 2}\n", "duplicate");
    assert_damaged("{} {}\n", "line 1");
    assert_damaged("{\"src\": \"\xff\"}\n", "line 1");
    assert_damaged("{\"crf\": 99999999999999999999}\n", "line 1");
    assert_damaged("{\"bitrate_kbps\": 1e999}\n", "line 1");
    assert_damaged("{\"crf\": NaN1}\n", "line 1");
    /* It can be read, so it was not cut off: it is no row. */
    assert_damaged("{}\n{\"crf\": \"x\"}", "line 2: crf: expected a number");
}

static const char two_rows[] = "\xef\xbb\xbf{\"crf\": 1, \"src\": \"\xc3\xa9\\n\"}\r\n  \r\n"
                               "{\"crf\": 2, \"error\": null, \"vmaf_score\": 91.5}\n";

/* Whatever a process that is killed leaves: the rows before are read, and the rest is known. */
CASE(given_a_file_that_is_cut_off_anywhere_then_whole_rows_are_read)
{
    const size_t size = sizeof(two_rows) - 1;
    const size_t first = (size_t)(strchr(two_rows, '\n') - two_rows) + 1;
    const size_t second = (size_t)(strchr(two_rows + first, '\n') - two_rows) + 1;
    for (size_t n = 3; n <= size; n++) {
        RowTable table;
        Message message = {""};
        char *text = malloc(n ? n : 1); /* exactly that long, for sanitizers */
        memcpy(text, two_rows, n);
        assert_int_equal(rows_parse(&table, text, n, &message), 0);
        const bool is_first_whole = n + 2 >= first, is_second_whole = n + 1 >= size;
        assert_int_equal(table.n, is_first_whole + is_second_whole);
        const bool is_in_first = n > 3 && !is_first_whole,
                   is_in_second = n > second && n + 1 < size;
        assert_int_equal(table.is_torn, is_in_first || is_in_second);
        assert_int_equal(table.ends_in_a_line, n + 2 == first || n + 1 == first || n + 1 == size);
        if (table.is_torn)
            assert_int_equal(table.whole_size, is_in_first ? 3 : second);
        else
            assert_int_equal(table.whole_size, n);
        if (table.n == 2)
            assert_true(table.rows[1].vmaf_score == 91.5);
        row_table_free(&table);
        free(text);
    }
}

/* Any byte replaced by any of some: rows, or a message with a line; never anything else. */
CASE(given_any_damage_then_there_are_rows_or_a_message)
{
    static const char with[] = "\0\n\"\\{}[],:N-0e\x80 ";
    size_t n_good = 0, n_damaged = 0;
    for (size_t at = 0; at < sizeof(two_rows) - 1; at++)
        for (size_t k = 0; k < sizeof(with) - 1; k++) {
            RowTable table;
            Message message = {""};
            char text[sizeof(two_rows) - 1];
            memcpy(text, two_rows, sizeof(text));
            text[at] = with[k];
            const int err = rows_parse(&table, text, sizeof(text), &message);
            if (err) {
                assert_int_equal(err, -EINVAL);
                assert_int_equal(strncmp(message.text, "line ", 5), 0);
                n_damaged++;
            } else {
                assert_true(table.n <= 3);
                n_good++;
            }
            row_table_free(&table);
        }
    assert_true(n_good > 100 && n_damaged > 800);
}

static void make_row(Row *row, int crf)
{
    char text[128];
    snprintf(text, sizeof(text),
             "{\"src\": \"a.y4m\", \"encoder\": \"libx264\", \"crf\": %d, \"vmaf_score\": 90}",
             crf);
    parse(row, text);
}

static void write_row(FILE *out, int crf)
{
    Row row;
    make_row(&row, crf);
    assert_int_equal(row_write(&row, out), 0);
    row_free(&row);
}

CASE_WITH(given_a_killed_writer_then_the_next_goes_on_without_the_torn_line, test_folder_enter,
          test_folder_remove)
{
    Message message = {""};
    FILE *file = rows_open(path, NULL, &message);
    assert_non_null(file);
    for (int crf = 20; crf <= 22; crf++)
        write_row(file, crf);
    /* They are there before the writer ends. */
    char *whole = file_content(path);
    assert_int_equal(fclose(file), 0);
    const size_t size = strlen(whole);
    const size_t second = (size_t)(strchr(strchr(whole, '\n') + 1, '\n') - whole) + 1;
    for (size_t n = second; n <= size; n += n + 3 < size ? 17 : 1) {
        RowTable table;
        file_put(path, whole, n);
        const bool is_whole = n + 1 >= size;
        assert_int_equal(rows_load(&table, path, &message), 0);
        assert_int_equal(table.is_torn, n > second && !is_whole);
        assert_int_equal(table.n, is_whole ? 3 : 2);
        file = rows_open(path, &table, &message);
        assert_non_null(file);
        if (!is_whole)
            write_row(file, 22);
        assert_int_equal(fclose(file), 0);
        char *now = file_content(path);
        assert_string_equal(now, whole);
        free(now);
        row_table_free(&table);
    }
    free(whole);
}

CASE_WITH(given_another_damaged_line_then_nothing_is_read, test_folder_enter, test_folder_remove)
{
    static const char text[] = "{\"crf\": 1}\n{\"crf\n{\"crf\": 2}\n{\"cr";
    Message message = {""};
    RowTable table;
    file_put(path, text, sizeof(text) - 1);
    assert_int_equal(rows_load(&table, path, &message), -EINVAL);
    assert_non_null(strstr(message.text, "corpus.jsonl: line 2: "));
    row_table_free(&table);
    remove(path);
    assert_int_equal(rows_load(&table, path, &message), -ENOENT);
    assert_non_null(strstr(message.text, path));
    assert_null(rows_open("none/corpus.jsonl", NULL, &message));
    assert_non_null(strstr(message.text, "none/corpus.jsonl: "));
}

/* -- cells -- */

/* Another value of the same type. */
static json_t *other_value(const json_t *value)
{
    if (json_is_string(value))
        return json_string("something else");
    if (json_is_integer(value))
        return json_integer(json_integer_value(value) - 1);
    if (json_is_real(value))
        return json_real(json_real_value(value) + 1);
    if (json_is_boolean(value))
        return json_boolean(!json_is_true(value));
    return json_is_array(value) ? json_pack("[s]", "-x") : json_object();
}

CASE(given_rows_then_what_was_to_be_made_tells_them_apart)
{
    static const char in_cells[] =
        " src_sha256 width height pix_fmt framerate encoder preset crf rate_control clip_mode pool "
        "hdr_transfer vmaf_model ffmpeg_version adapter_version stream start_number errors "
        "extra_params ";
    Row row;
    const char *key;
    json_t *value;
    parse(&row, full_row);
    char *cell = row_cell(row.json);
    json_object_foreach(row.json, key, value)
    {
        char word[64];
        json_t *other = json_copy(row.json);
        json_object_set_new(other, key, other_value(value));
        char *other_cell = row_cell(other);
        snprintf(word, sizeof(word), " %s ", key);
        if (!strstr(in_cells, word) != !strcmp(cell, other_cell))
            fail_msg("%s: %s", key, other_cell);
        free(other_cell);
        json_decref(other);
    }
    free(cell);
    row_free(&row);
}

CASE(given_no_hash_then_the_path_tells_sources_apart)
{
    static const char *const rows[] = {
        "{\"src\": \"a.y4m\"}",
        "{\"src\": \"b.y4m\", \"src_sha256\": \"\"}",
        "{\"src\": \"a.y4m\", \"src_sha256\": \"00ff\"}",
        "{\"src\": \"b.y4m\", \"src_sha256\": \"00ff\", \"preset\": \"\"}",
    };
    static const char *const sources[] = {"a.y4m", "b.y4m", "00ff", "00ff"};
    char *cells[4];
    for (size_t i = 0; i < 4; i++) {
        Row row;
        parse(&row, rows[i]);
        assert_string_equal(row_source(&row), sources[i]);
        cells[i] = row_cell(row.json);
        row_free(&row);
    }
    assert_string_not_equal(cells[0], cells[1]);
    assert_string_not_equal(cells[0], cells[2]);
    assert_string_equal(cells[2], cells[3]);
    for (size_t i = 0; i < 4; i++)
        free(cells[i]);
}

CASE(given_values_then_documents_are_indented)
{
    int err;
    Message message;
    static const char text[] = "{\"b\":[1,-0.0,1e300,0.1,[]],\"a\":{},\"c\":{\"d\":[true,false]}}";
    json_t *json = json_document_parse(text, strlen(text), &message, &err);
    assert_non_null(json);
    char printed[400] = "";
    FILE *out = fmemopen(printed, sizeof(printed), "w");
    assert_int_equal(json_document_print(json, 2, out), 0);
    fclose(out);
    assert_string_equal(printed, "{\n  \"a\": {},\n  \"b\": [\n    1,\n    -0.0,\n    1e+300,\n"
                                 "    0.1,\n    []\n  ],\n  \"c\": {\n    \"d\": [\n      true,\n"
                                 "      false\n    ]\n  }\n}");
    json_decref(json);
    static const char damaged[] = "{\n\"a\": 1,\n}";
    assert_null(json_document_parse(damaged, strlen(damaged), &message, &err));
    assert_int_equal(err, -EINVAL);
    assert_int_equal(strncmp(message.text, "line 3: ", 8), 0);
}
