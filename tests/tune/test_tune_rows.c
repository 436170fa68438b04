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
#include "tune/rows/row.h"
#include "tune/rows/row_file.h"

/* A row whose every member is something else. */
static void fill(Row *row)
{
    row_init(row);
    for (size_t i = 0; i < n_row_fields; i++) {
        void *member = row_member(row, &row_fields[i]);
        char text[64];
        snprintf(text, sizeof(text), "%s \"\\ \n\xc3\xa9", row_fields[i].key);
        switch (row_fields[i].kind) {
        case FIELD_TEXT:
            assert_int_equal(row_set_text(member, text), 0);
            break;
        case FIELD_INTEGER:
            *(int64_t *)member = (int64_t)i << 40;
            break;
        case FIELD_NUMBER:
        case FIELD_QUALITY:
            *(double *)member = 0.1 * (double)(i + 1) / 3;
            break;
        case FIELD_FLAG:
            *(int *)member = i % 2 ? ROW_FLAG_YES : ROW_FLAG_NO;
            break;
        }
    }
    row->schema_version = ROW_SCHEMA;
    row->exit_status = 0;
    assert_int_equal(row_add_extra_param(row, "-x265-params"), 0);
    assert_int_equal(row_add_extra_param(row, "a=1:b='2'"), 0);
    char name[] = "integer_adm2";
    const RowFeature feature = {name, 0.1, 1.0 / 3, 2.0 / 3, 1e-300, 5e-324};
    assert_int_equal(row_add_feature(row, &feature), 0);
}

static char *print(const Row *row)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    assert_non_null(memory);
    assert_int_equal(row_print(row, memory), 0);
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

static void assert_same_value(const Row *a, const Row *b, const RowField *field)
{
    const void *x = row_value(a, field), *y = row_value(b, field);
    switch (field->kind) {
    case FIELD_TEXT:
        assert_string_equal(*(char *const *)x, *(char *const *)y);
        break;
    case FIELD_INTEGER:
        assert_true(*(const int64_t *)x == *(const int64_t *)y);
        break;
    case FIELD_NUMBER:
    case FIELD_QUALITY:
        assert_memory_equal(x, y, sizeof(double));
        break;
    case FIELD_FLAG:
        assert_int_equal(*(const int *)x, *(const int *)y);
        break;
    }
}

CASE(given_a_full_row_then_it_reads_back_to_the_same)
{
    Row row, again;
    fill(&row);
    char *text = print(&row);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
    parse(&again, text);
    for (size_t i = 0; i < n_row_fields; i++)
        assert_same_value(&row, &again, &row_fields[i]);
    assert_int_equal(again.n_extra_params, 2);
    assert_string_equal(again.extra_params[1], "a=1:b='2'");
    assert_int_equal(again.n_features, 1);
    assert_string_equal(again.features[0].name, "integer_adm2");
    assert_true(again.features[0].min == 0.1 && again.features[0].max == 1.0 / 3);
    assert_true(again.features[0].mean == 2.0 / 3 && again.features[0].std == 5e-324);
    assert_true(again.features[0].harmonic_mean == 1e-300);
    assert_null(again.unknown);
    char *twice = print(&again);
    assert_string_equal(text, twice);
    free(text);
    free(twice);
    row_free(&row);
    row_free(&again);
}

CASE(given_a_new_row_then_all_keys_are_there_in_order_and_missing_ones_are_null)
{
    Row row;
    row_init(&row);
    assert_int_equal(row_set_text(&row.src, "a\xff.y4m"), 0); /* not UTF-8 */
    row.crf = 23;
    row.vmaf_score = 93;
    row.bitrate_kbps = INFINITY;
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
              "\"shot_duration_std_sec\": null, \"src\": \"a\xef\xbf\xbd.y4m\", "
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
    assert_true(row.vmaf_score == 93.25 && row.duration_s == 0.001);
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
    assert_int_equal(row.schema_version, 1);
    assert_int_equal(row.crf, 20);
    assert_null(row.clip_mode);
    assert_true(isnan(row.vmaf_score) && isnan(row.adm2_mean) && row.shot_count == ROW_NO_INTEGER);
    assert_int_equal(row.hdr_forced, ROW_FLAG_MISSING);
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

CASE(given_names_of_other_programs_then_they_are_understood)
{
    Row row;
    parse(&row, "{\"codec\": \"av1\", \"q\": 31, \"vmaf\": 90.5, \"actual_kbps\": 800}");
    assert_string_equal(row.encoder, "av1");
    assert_int_equal(row.crf, 31);
    assert_true(row.vmaf_score == 90.5 && row.bitrate_kbps == 800);
    assert_null(row.unknown);
    row_free(&row);
    parse(&row, "{\"cq\": 19}");
    assert_int_equal(row.crf, 19);
    row_free(&row);
    /* Its own name wins; the first alias before the second. */
    parse(&row, "{\"q\": 1, \"crf\": 2, \"cq\": 3, \"vmaf_score\": 4, \"vmaf\": 5}");
    assert_int_equal(row.crf, 2);
    assert_true(row.vmaf_score == 4);
    assert_int_equal(json_object_size(row.unknown), 3);
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

static void make_row(Row *row, int crf, double score)
{
    row_init(row);
    assert_int_equal(row_set_text(&row->src, "a.y4m"), 0);
    assert_int_equal(row_set_text(&row->encoder, "libx264"), 0);
    row->crf = crf;
    row->vmaf_score = score;
    row->exit_status = 0;
}

static void write_rows(int first, int last)
{
    RowWriter writer;
    Message message;
    assert_int_equal(row_writer_create(&writer, path, &message), 0);
    for (int crf = first; crf <= last; crf++) {
        Row row;
        make_row(&row, crf, 90);
        assert_int_equal(row_writer_add(&writer, &row), 0);
        row_free(&row);
    }
    assert_int_equal(row_writer_close(&writer), 0);
}

CASE_WITH(given_a_killed_writer_then_the_next_goes_on_without_the_torn_line, test_folder_enter,
          test_folder_remove)
{
    write_rows(20, 22);
    char *whole = file_content(path);
    const size_t size = strlen(whole);
    const size_t second = (size_t)(strchr(strchr(whole, '\n') + 1, '\n') - whole) + 1;
    for (size_t n = second; n <= size; n += n + 3 < size ? 97 : 1) {
        file_put(path, whole, n);
        RowWriter writer;
        RowCells cells = {0};
        Message message = {""};
        bool cut;
        assert_int_equal(row_writer_resume(&writer, path, &cells, &cut, &message), 0);
        const bool is_whole = n + 1 >= size;
        assert_int_equal(cut, n > second && !is_whole);
        assert_int_equal(cells.n, is_whole ? 3 : 2);
        for (int crf = 20; crf <= 22; crf++) {
            Row row;
            make_row(&row, crf, 90);
            const int have = row_cells_have(&cells, &row);
            assert_int_equal(have, crf < 22 || is_whole);
            if (!have)
                assert_int_equal(row_writer_add(&writer, &row), 0);
            row_free(&row);
        }
        assert_int_equal(row_writer_close(&writer), 0);
        char *now = file_content(path);
        assert_string_equal(now, whole);
        free(now);
        row_cells_free(&cells);
    }
    free(whole);
}

CASE_WITH(given_another_damaged_line_then_nothing_is_cut_off, test_folder_enter, test_folder_remove)
{
    static const char text[] = "{\"crf\": 1}\n{\"crf\n{\"crf\": 2}\n{\"cr";
    file_put(path, text, sizeof(text) - 1);
    RowWriter writer;
    RowCells cells = {0};
    Message message = {""};
    bool cut;
    assert_int_equal(row_writer_resume(&writer, path, &cells, &cut, &message), -EINVAL);
    assert_non_null(strstr(message.text, path));
    assert_non_null(strstr(message.text, "line 2: "));
    assert_int_equal(row_writer_close(&writer), 0);
    char *now = file_content(path);
    assert_string_equal(now, text);
    free(now);
    row_cells_free(&cells);
    RowTable table;
    assert_int_equal(rows_load(&table, path, &message), -EINVAL);
    assert_non_null(strstr(message.text, "corpus.jsonl: line 2: "));
    row_table_free(&table);
    remove(path);
    assert_int_equal(rows_load(&table, path, &message), -ENOENT);
    assert_non_null(strstr(message.text, path));
    assert_int_equal(row_writer_create(&writer, "none/corpus.jsonl", &message), -ENOENT);
}

CASE_WITH(given_no_file_then_the_writer_makes_one, test_folder_enter, test_folder_remove)
{
    RowWriter writer;
    RowCells cells = {0};
    Message message = {""};
    bool cut;
    assert_int_equal(row_writer_resume(&writer, path, &cells, &cut, &message), 0);
    assert_false(cut);
    assert_int_equal(cells.n, 0);
    Row row;
    make_row(&row, 30, 88);
    assert_int_equal(row_writer_add(&writer, &row), 0);
    /* It is there before the writer ends. */
    RowTable table;
    assert_int_equal(rows_load(&table, path, &message), 0);
    assert_int_equal(table.n, 1);
    assert_int_equal(table.rows[0].crf, 30);
    row_table_free(&table);
    assert_int_equal(row_writer_close(&writer), 0);
    row_free(&row);
    row_cells_free(&cells);
}

/* -- cells -- */

CASE(given_rows_then_what_was_to_be_made_tells_them_apart)
{
    static const char *const in_key[] = {
        "src_sha256", "width",        "height",     "pix_fmt",        "framerate",
        "encoder",    "preset",       "crf",        "rate_control",   "clip_mode",
        "pool",       "hdr_transfer", "vmaf_model", "ffmpeg_version", "adapter_version",
        "stream",     "start_number", "errors"};
    char key[ROW_CELL_KEY_SIZE], other[ROW_CELL_KEY_SIZE];
    for (size_t i = 0; i < n_row_fields; i++) {
        Row row;
        fill(&row);
        assert_int_equal(row_cell_key(&row, key), 0);
        assert_int_equal(strlen(key), 64);
        void *member = row_member(&row, &row_fields[i]);
        if (row_fields[i].kind == FIELD_TEXT)
            assert_int_equal(row_set_text(member, "something else"), 0);
        else if (row_fields[i].kind == FIELD_INTEGER)
            *(int64_t *)member += 1;
        else if (row_fields[i].kind == FIELD_NUMBER || row_fields[i].kind == FIELD_QUALITY)
            *(double *)member += 1;
        else
            *(int *)member = !*(int *)member;
        assert_int_equal(row_cell_key(&row, other), 0);
        bool is_part = false;
        for (size_t k = 0; k < sizeof(in_key) / sizeof(in_key[0]); k++)
            is_part = is_part || !strcmp(in_key[k], row_fields[i].key);
        if (is_part != (strcmp(key, other) != 0))
            fail_msg("%s", row_fields[i].key);
        row_free(&row);
    }
}

CASE(given_no_hash_then_the_path_tells_sources_apart)
{
    Row row;
    char key[ROW_CELL_KEY_SIZE], other[ROW_CELL_KEY_SIZE];
    make_row(&row, 20, 90);
    assert_int_equal(row_cell_key(&row, key), 0);
    assert_int_equal(row_set_text(&row.src, "b.y4m"), 0);
    assert_int_equal(row_cell_key(&row, other), 0);
    assert_string_not_equal(key, other);
    assert_string_equal(row_source(&row), "b.y4m");
    assert_int_equal(row_set_text(&row.src_sha256, "00ff"), 0);
    assert_string_equal(row_source(&row), "00ff");
    assert_int_equal(row_add_extra_param(&row, "-x"), 0);
    assert_int_equal(row_cell_key(&row, key), 0);
    assert_string_not_equal(key, other);
    row_free(&row);
}

CASE(given_a_failed_cell_then_it_is_tried_again)
{
    Row row;
    RowCells cells = {0};
    make_row(&row, 20, NAN);
    assert_int_equal(row_cells_add(&cells, &row), 0);
    row.vmaf_score = 90;
    row.exit_status = 1;
    assert_int_equal(row_cells_add(&cells, &row), 0);
    assert_int_equal(row_cells_have(&cells, &row), 0);
    row.exit_status = 0;
    for (int crf = 100; crf > 0; crf--) {
        row.crf = crf;
        assert_int_equal(row_cells_add(&cells, &row), 0);
    }
    for (int crf = 0; crf < 103; crf++) {
        row.crf = crf;
        assert_int_equal(row_cells_have(&cells, &row), crf >= 1 && crf <= 100);
    }
    row_cells_free(&cells);
    row_free(&row);
}

CASE(given_a_stamp_then_it_is_new_and_well_formed)
{
    Row row;
    row_init(&row);
    assert_int_equal(row_stamp(&row), 0);
    assert_int_equal(strlen(row.run_id), 32);
    assert_int_equal(strspn(row.run_id, "0123456789abcdef"), 32);
    char first[64];
    snprintf(first, sizeof(first), "%s", row.run_id);
    assert_int_equal(row_stamp(&row), 0);
    assert_string_not_equal(row.run_id, first);
    int part[6];
    char end;
    assert_int_equal(sscanf(row.timestamp, "%4d-%2d-%2dT%2d:%2d:%2d%c", &part[0], &part[1],
                            &part[2], &part[3], &part[4], &part[5], &end),
                     7);
    assert_int_equal(end, 'Z');
    assert_true(part[0] > 2020 && part[1] >= 1 && part[1] <= 12 && part[3] < 24);
    row_free(&row);
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
