/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/cases.h"
#include <jansson.h>

#include "platform/file.h"
#include "platform/time.h"
#include "report/report.h"
#include "support/test_folder.h"

enum { MAX_COLUMNS = 20 };

/* A report with its own series; everything is in this file's one fixture. */
static struct {
    Series series[MAX_COLUMNS];
    ScoreColumn columns[MAX_COLUMNS];
    Report report;
    char text[64 * 1024];
} fixture;

static const char path[] = "report";

static int set_up(void **state)
{
    memset(&fixture, 0, sizeof(fixture));
    fixture.report = (Report){
        .version = "3.2.0", .fps = 12.345, .width = 96, .height = 64, .columns = fixture.columns};
    return 0;
}

static int tear_down(void **state)
{
    for (size_t k = 0; k < MAX_COLUMNS; k++)
        series_clear(&fixture.series[k]);
    return 0;
}

#define WITH_REPORT(test) CASE_WITH(test, set_up, tear_down)

static void add_column(const char *name)
{
    size_t k = fixture.report.n_columns++;
    series_init(&fixture.series[k]);
    fixture.columns[k] = (ScoreColumn){name, &fixture.series[k]};
}

static void put(size_t column, uint32_t index, double score)
{
    assert_int_equal(series_put(&fixture.series[column], index, score), 0);
}

static const char *written(enum VmafOutputFormat format)
{
    assert_int_equal(report_write(&fixture.report, path, format), 0);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(fixture.text, 1, sizeof(fixture.text) - 1, file);
    fixture.text[n] = '\0';
    fclose(file);
    return fixture.text;
}

/* Scores imported at indices 0, 3 and 5, with holes in the columns. */
static void add_sparse_columns(void)
{
    add_column("psnr_y");
    add_column("psnr_cb");
    add_column("psnr_cr");
    add_column("x");
    for (size_t k = 0; k < 3; k++) {
        put(k, 0, 60);
        put(k, 5, 60);
    }
    put(0, 3, 1.5);
    put(3, 3, 1.5);
    fixture.report.picture_count = 6;
}

static void add_psnr_columns(void)
{
    static const char *const names[] = {"psnr_y", "psnr_cb", "psnr_cr"};
    static const double scores[5][3] = {{25.328930880094632, 24.086631674766416, 27.066973},
                                        {28.339342079723142, 31.85737177719183, 28.867493},
                                        {30.886511, 52.583200, 31.827333},
                                        {26.413586672374535, 25.82692982207152, 31.798553},
                                        {28.856836, 28.861467, 31.811467}};
    for (size_t k = 0; k < 3; k++) {
        add_column(names[k]);
        for (uint32_t i = 0; i < 5; i++)
            put(k, i, scores[i][k]);
    }
    fixture.report.picture_count = 5;
}

WITH_REPORT(csv_has_a_line_per_frame)
{
    /* libvmaf 3.2 reference text. */
    add_psnr_columns();
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_CSV), "Frame,psnr_y,psnr_cb,psnr_cr,\n"
                                                         "0,25.328931,24.086632,27.066973,\n"
                                                         "1,28.339342,31.857372,28.867493,\n"
                                                         "2,30.886511,52.583200,31.827333,\n"
                                                         "3,26.413587,25.826930,31.798553,\n"
                                                         "4,28.856836,28.861467,31.811467,\n");
}

/* On request, after the others; libvmaf has nothing like it. */
WITH_REPORT(statistics_follow_the_pooled_values)
{
    add_psnr_columns();
    StatisticList list;
    assert_int_equal(statistic_list_parse(&list, "p1,median,stddev"), 0);
    fixture.report.statistics = &list;
    const char *text = written(VMAF_OUTPUT_FORMAT_JSON);
    /* Of 25.328930880094632 26.413586672374535 28.339342079723142 28.856836 30.886511 */
    assert_non_null(strstr(text, "\"harmonic_mean\": 27.835460,\n      \"p1\": 25.372317,\n"
                                 "      \"median\": 28.339342,\n      \"stddev\": 1.940437\n"));
    text = written(VMAF_OUTPUT_FORMAT_XML);
    assert_non_null(strstr(text, "harmonic_mean=\"27.835460\" p1=\"25.372317\" "
                                 "median=\"28.339342\" stddev=\"1.940437\" />"));
    /* Only where frames can be pooled at all. */
    fixture.report.picture_count = 6;
    assert_null(strstr(written(VMAF_OUTPUT_FORMAT_JSON), "median"));
    assert_null(strstr(written(VMAF_OUTPUT_FORMAT_XML), "median"));
    fixture.report.picture_count = 0;
    assert_null(strstr(written(VMAF_OUTPUT_FORMAT_JSON), "median"));
    /* Infinite scores. */
    add_column("x");
    put(3, 0, 1);
    put(3, 1, INFINITY);
    fixture.report.picture_count = 2;
    assert_non_null(strstr(written(VMAF_OUTPUT_FORMAT_JSON),
                           "\"p1\": null,\n      \"median\": null,\n      \"stddev\": null\n"));
    assert_non_null(
        strstr(written(VMAF_OUTPUT_FORMAT_XML), "p1=\"nan\" median=\"nan\" stddev=\"nan\" />"));
}

WITH_REPORT(csv_columns_shift_over_missing_scores)
{
    /* libvmaf 3.2 reference text. */
    add_sparse_columns();
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_CSV), "Frame,psnr_y,psnr_cb,psnr_cr,x,\n"
                                                         "0,60.000000,60.000000,60.000000,\n"
                                                         "3,1.500000,1.500000,\n"
                                                         "5,60.000000,60.000000,60.000000,\n");
}

WITH_REPORT(sub_has_a_subtitle_per_frame)
{
    /* libvmaf 3.2 reference text. */
    add_sparse_columns();
    assert_string_equal(
        written(VMAF_OUTPUT_FORMAT_SUB),
        "{0}{1}frame: 0|psnr_y: 60.000000|psnr_cb: 60.000000|psnr_cr: 60.000000|\n"
        "{3}{4}frame: 3|psnr_y: 1.500000|x: 1.500000|\n"
        "{5}{6}frame: 5|psnr_y: 60.000000|psnr_cb: 60.000000|psnr_cr: 60.000000|\n");
}

WITH_REPORT(xml_has_every_section)
{
    const ScoreAggregate aggregates[] = {{"apsnr_y", 27.5460711}, {"apsnr_cb", -INFINITY}};
    add_column("integer_adm2");
    add_column("hole");
    put(0, 0, 0.98439982141529148);
    put(0, 10, 1.0000002316781935);
    put(0, 7, 5); /* thinned out */
    put(1, 10, -NAN);
    fixture.report.picture_count = 11;
    fixture.report.n_subsample = 10;
    fixture.report.aggregates = aggregates;
    fixture.report.n_aggregates = 2;
    assert_string_equal(
        written(VMAF_OUTPUT_FORMAT_XML),
        "<VMAF version=\"3.2.0\">\n"
        "  <params qualityWidth=\"96\" qualityHeight=\"64\" />\n"
        "  <fyi fps=\"12.35\" />\n"
        "  <frames>\n"
        "    <frame frameNum=\"0\" integer_adm2=\"0.984400\" />\n"
        "    <frame frameNum=\"10\" integer_adm2=\"1.0000002316781935\" hole=\"-nan\" />\n"
        "  </frames>\n"
        "  <pooled_metrics>\n"
        "    <metric name=\"integer_adm2\" min=\"0.984400\" max=\"1.0000002316781935\""
        " mean=\"0.992200\" harmonic_mean=\"0.992169\" />\n"
        "    <metric name=\"hole\" />\n"
        "  </pooled_metrics>\n"
        "  <aggregate_metrics apsnr_y=\"27.546071\" apsnr_cb=\"-inf\" />\n"
        "</VMAF>\n");
}

WITH_REPORT(json_has_every_section)
{
    const ScoreAggregate aggregates[] = {{"apsnr_y", 27.5460711}, {"apsnr_cb", -INFINITY}};
    add_column("a");
    add_column("b");
    put(0, 0, 1);
    put(0, 1, 3);
    put(1, 1, 0.5);
    fixture.report.picture_count = 2;
    fixture.report.aggregates = aggregates;
    fixture.report.n_aggregates = 2;
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_JSON), "{\n"
                                                          "  \"version\": \"3.2.0\",\n"
                                                          "  \"fps\": 12.35,\n"
                                                          "  \"frames\": [\n"
                                                          "    {\n"
                                                          "      \"frameNum\": 0,\n"
                                                          "      \"metrics\": {\n"
                                                          "        \"a\": 1.000000\n"
                                                          "      }\n"
                                                          "    },\n"
                                                          "    {\n"
                                                          "      \"frameNum\": 1,\n"
                                                          "      \"metrics\": {\n"
                                                          "        \"a\": 3.000000,\n"
                                                          "        \"b\": 0.500000\n"
                                                          "      }\n"
                                                          "    }\n"
                                                          "  ],\n"
                                                          "  \"pooled_metrics\": {\n"
                                                          "    \"a\": {\n"
                                                          "      \"min\": 1.000000,\n"
                                                          "      \"max\": 3.000000,\n"
                                                          "      \"mean\": 2.000000,\n"
                                                          "      \"harmonic_mean\": 1.666667\n"
                                                          "    },\n"
                                                          "    \"b\": {\n"
                                                          "    }\n"
                                                          "  },\n"
                                                          "  \"aggregate_metrics\": {\n"
                                                          "    \"apsnr_y\": 27.546071,\n"
                                                          "    \"apsnr_cb\": null\n"
                                                          "  }\n"
                                                          "}\n");
}

WITH_REPORT(json_does_not_break_the_line_after_null)
{
    /* libvmaf 3.2 reference text. */
    static const char expected[] =
        "        \"integer_motion2\": 8.477275,\n"
        "        \"integer_vif_scale0\": null,        \"integer_vif_scale1\": 0.247277,\n"
        "        \"integer_vif_scale2\": null,        \"integer_vif_scale3\": 0.870354,\n"
        "        \"vmaf\": null      }\n"
        "    },\n";
    static const char *const names[] = {"integer_motion2",    "integer_vif_scale0",
                                        "integer_vif_scale1", "integer_vif_scale2",
                                        "integer_vif_scale3", "vmaf"};
    const double scores[] = {8.477275, NAN, 0.247277, INFINITY, 0.870354, -INFINITY};
    for (size_t k = 0; k < 6; k++) {
        add_column(names[k]);
        put(k, 0, scores[k]);
        put(k, 1, 1);
    }
    fixture.report.picture_count = 2;
    fixture.report.fps = INFINITY;
    const char *text = written(VMAF_OUTPUT_FORMAT_JSON);
    assert_non_null(strstr(text, expected));
    assert_non_null(strstr(text, "  \"fps\": null,\n"));
    assert_non_null(strstr(text, "      \"min\": 1.000000,\n      \"max\": null,\n"));
}

WITH_REPORT(json_is_json_when_the_stream_does_not_start_at_zero)
{
    add_column("x");
    put(0, 4, 1);
    put(0, UINT32_MAX, NAN);
    fixture.report.picture_count = 5;
    json_error_t error;
    json_t *root = json_loads(written(VMAF_OUTPUT_FORMAT_JSON), 0, &error);
    assert_non_null(root);
    const json_t *frames = json_object_get(root, "frames");
    assert_int_equal(json_array_size(frames), 2);
    const json_t *last = json_array_get(frames, 1);
    assert_true(json_integer_value(json_object_get(last, "frameNum")) == UINT32_MAX);
    json_decref(root);
}

WITH_REPORT(an_empty_report_has_the_frame_of_one)
{
    fixture.report.width = fixture.report.height = 0;
    fixture.report.fps = -NAN;
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_XML),
                        "<VMAF version=\"3.2.0\">\n"
                        "  <params qualityWidth=\"0\" qualityHeight=\"0\" />\n"
                        "  <fyi fps=\"-nan\" />\n"
                        "  <frames>\n"
                        "  </frames>\n"
                        "  <pooled_metrics>\n"
                        "  </pooled_metrics>\n"
                        "  <aggregate_metrics />\n"
                        "</VMAF>\n");
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_JSON), "{\n"
                                                          "  \"version\": \"3.2.0\",\n"
                                                          "  \"fps\": null,\n"
                                                          "  \"frames\": [\n"
                                                          "  ],\n"
                                                          "  \"pooled_metrics\": {\n"
                                                          "  },\n"
                                                          "  \"aggregate_metrics\": {\n"
                                                          "  }\n"
                                                          "}\n");
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_CSV), "Frame,\n");
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_SUB), "");
}

WITH_REPORT(imported_scores_without_pictures_are_not_pooled)
{
    add_column("x");
    put(0, 0, 1);
    assert_non_null(strstr(written(VMAF_OUTPUT_FORMAT_XML), "    <metric name=\"x\" />\n"));
}

WITH_REPORT(sub_sampling_thins_out_what_is_printed)
{
    add_column("x");
    for (uint32_t i = 0; i < 10; i++)
        put(0, i, i);
    put(0, UINT32_MAX, 9); /* divisible by 3 */
    fixture.report.n_subsample = 3;
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_CSV), "Frame,x,\n"
                                                         "0,0.000000,\n3,3.000000,\n"
                                                         "6,6.000000,\n9,9.000000,\n"
                                                         "4294967295,9.000000,\n");
    fixture.report.n_subsample = UINT32_MAX;
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_CSV),
                        "Frame,x,\n0,0.000000,\n4294967295,9.000000,\n");
    fixture.report.n_subsample = 0;
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_CSV) + 9 + 9 * 12, "9,9.000000,\n"
                                                                      "4294967295,9.000000,\n");
}

WITH_REPORT(a_score_format_applies_to_scores_only)
{
    add_column("x");
    put(0, 0, 88.088684460453138);
    put(0, 1, INFINITY);
    fixture.report.score_format = "%.17g";
    fixture.report.picture_count = 1;
    assert_string_equal(written(VMAF_OUTPUT_FORMAT_CSV),
                        "Frame,x,\n0,88.088684460453138,\n1,inf,\n");
    const char *json = written(VMAF_OUTPUT_FORMAT_JSON);
    assert_non_null(strstr(json, "\"fps\": 12.35,"));
    assert_non_null(strstr(json, "\"mean\": 88.088684460453138,"));
    assert_non_null(strstr(json, "\"x\": null"));

    fixture.report.score_format = "%s";
    assert_int_equal(report_write(&fixture.report, path, VMAF_OUTPUT_FORMAT_CSV), -EINVAL);
}

/* Names that no format can take as they are, and what XML makes of them. */
static const struct {
    const char *name, *xml_name, *xml_value, *csv, *line;
} hard_names[] = {
    {"a<\"&\\b>", "a_x003C__x0022__x0026__x005C_b_x003E_", "a&#60;&#34;&#38;\\b&#62;",
     "\"a<\"\"&\\b>\"", "a<\"&\\b>"},
    {"line\nfeed\r\t", "line_x000A_feed_x000D__x0009_", "line&#10;feed&#13;&#9;",
     "line\xef\xbf\xbd"
     "feed\xef\xbf\xbd\xef\xbf\xbd",
     "line\xef\xbf\xbd"
     "feed\xef\xbf\xbd\xef\xbf\xbd"},
    {"\x01\x1b[31m,", "_x0001__x001B__x005B_31m_x002C_", "\xef\xbf\xbd\xef\xbf\xbd[31m,",
     "\"\xef\xbf\xbd\xef\xbf\xbd[31m,\"", "\xef\xbf\xbd\xef\xbf\xbd[31m,"},
    {"\xc3\xa9\xff", "_x00E9__xDCFF_", "\xc3\xa9\xef\xbf\xbd", "\xc3\xa9\xef\xbf\xbd",
     "\xc3\xa9\xef\xbf\xbd"},
    {"\xf0\x9f\x98\x80 \xef\xbf\xbf", "_x1F600__x0020__xFFFF_", "\xf0\x9f\x98\x80 \xef\xbf\xbd",
     "\xf0\x9f\x98\x80 \xef\xbf\xbf", "\xf0\x9f\x98\x80 \xef\xbf\xbf"},
    {"a.b-c_1 2.", "a.b-c_1_x0020_2.", "a.b-c_1 2.", "a.b-c_1 2.", "a.b-c_1 2."},
    {"4k", "_x0034_k", "4k", "4k", "4k"},
    {"-x", "_x002D_x", "-x", "-x", "-x"},
    {"xmlns", "_x0078_mlns", "xmlns", "xmlns", "xmlns"},
    {"frameNum", "_x0066_rameNum", "frameNum", "frameNum", "frameNum"},
    {"a:b", "a_x003A_b", "a:b", "a:b", "a:b"},
    {"a_x0020_b", "a_x005F_x0020_b", "a_x0020_b", "a_x0020_b", "a_x0020_b"},
    {"a_x12_", "a_x12_", "a_x12_", "a_x12_", "a_x12_"},
    {"", "_x0000_", "", "", ""},
};

enum { HARD_NAMES = sizeof(hard_names) / sizeof(hard_names[0]) };

WITH_REPORT(names_are_escaped_as_each_format_does_it)
{
    char expected[256];
    for (size_t i = 0; i < HARD_NAMES; i++) {
        fixture.report.n_columns = 0;
        add_column(hard_names[i].name);
        put(0, 0, 1);
        fixture.report.picture_count = 1;
        snprintf(expected, sizeof(expected), "frameNum=\"0\" %s=\"1.000000\" />",
                 hard_names[i].xml_name);
        assert_non_null(strstr(written(VMAF_OUTPUT_FORMAT_XML), expected));
        snprintf(expected, sizeof(expected), "<metric name=\"%s\" min=", hard_names[i].xml_value);
        assert_non_null(strstr(fixture.text, expected));
        snprintf(expected, sizeof(expected), "Frame,%s,\n0,1.000000,\n", hard_names[i].csv);
        assert_string_equal(written(VMAF_OUTPUT_FORMAT_CSV), expected);
        snprintf(expected, sizeof(expected), "{0}{1}frame: 0|%s: 1.000000|\n", hard_names[i].line);
        assert_string_equal(written(VMAF_OUTPUT_FORMAT_SUB), expected);
        series_clear(&fixture.series[0]);
    }
}

WITH_REPORT(json_gives_every_name_back)
{
    static const char *const names[] = {
        "a<\"&\\b", "line\nfeed\r\t", "\x01\x1b[31m\x7f", "\xc3\xa9", "", "\xf0\x9f\x98\x80",
    };
    const ScoreAggregate aggregates[] = {{"quoted \"mean\"", 2}};
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        add_column(names[k]);
        put(k, 0, (double)k);
    }
    add_column("not \xff UTF-8 \xed\xa0\x80 \xe2\x82");
    put(sizeof(names) / sizeof(names[0]), 0, 7);
    fixture.report.picture_count = 1;
    fixture.report.aggregates = aggregates;
    fixture.report.n_aggregates = 1;
    json_error_t error;
    json_t *root = json_loads(written(VMAF_OUTPUT_FORMAT_JSON), JSON_REJECT_DUPLICATES, &error);
    assert_non_null(root);
    const json_t *frame = json_array_get(json_object_get(root, "frames"), 0);
    const json_t *metrics = json_object_get(frame, "metrics");
    const json_t *pooled = json_object_get(root, "pooled_metrics");
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        assert_true(json_number_value(json_object_get(metrics, names[k])) == (double)k);
        assert_non_null(json_object_get(pooled, names[k]));
    }
    assert_non_null(json_object_get(metrics, "not \xef\xbf\xbd UTF-8 \xef\xbf\xbd\xef\xbf\xbd"
                                             "\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd"));
    assert_non_null(json_object_get(json_object_get(root, "aggregate_metrics"), "quoted \"mean\""));
    json_decref(root);
}

WITH_REPORT(json_ends_with_what_computed_the_features)
{
    const ReportBackend backends[] = {{"vif_cuda", "cuda"}, {"a\"b\\c\n\x01", "cpu"}};
    fixture.report.backends = backends;
    fixture.report.n_backends = 2;
    assert_null(strstr(written(VMAF_OUTPUT_FORMAT_JSON), "backend"));

    fixture.report.backend_used = "cuda";
    const char *text = written(VMAF_OUTPUT_FORMAT_JSON);
    assert_non_null(strstr(text, "  \"aggregate_metrics\": {\n"
                                 "  },\n"
                                 "  \"feature_backends\": [\n"
                                 "    {\"extractor\": \"vif_cuda\", \"backend\": \"cuda\"},\n"));
    assert_non_null(strstr(text, "  ],\n  \"backend_used\": \"cuda\"\n}\n"));
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    assert_non_null(root);
    const json_t *second = json_array_get(json_object_get(root, "feature_backends"), 1);
    assert_string_equal(json_string_value(json_object_get(second, "extractor")), "a\"b\\c\n\x01");
    json_decref(root);

    fixture.report.has_spot_checks = true;
    fixture.report.spot_check_every = 128;
    fixture.report.n_spot_checks = 3;
    fixture.report.n_spot_check_downloads = 4;
    root = json_loads(written(VMAF_OUTPUT_FORMAT_JSON), 0, &error);
    const json_t *checks = json_object_get(root, "backend_spot_checks");
    assert_int_equal(json_integer_value(json_object_get(checks, "every")), 128);
    assert_int_equal(json_integer_value(json_object_get(checks, "frames")), 3);
    assert_int_equal(json_integer_value(json_object_get(checks, "downloads")), 4);
    json_decref(root);

    assert_null(strstr(written(VMAF_OUTPUT_FORMAT_XML), "backend"));
}

WITH_REPORT(an_unknown_format_writes_nothing)
{
    remove(path);
    for (int format = -1; format <= 5; format++) {
        if (format >= VMAF_OUTPUT_FORMAT_XML && format <= VMAF_OUTPUT_FORMAT_SUB)
            continue;
        assert_int_equal(report_write(&fixture.report, path, (enum VmafOutputFormat)format),
                         -EINVAL);
        assert_int_equal(access(path, F_OK), -1);
    }
}

WITH_REPORT(a_path_that_cannot_be_opened_is_named_on_stderr)
{
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    FILE *log = tmpfile();
    assert_true(saved >= 0);
    assert_non_null(log);
    dup2(fileno(log), STDERR_FILENO);
    int err = report_write(&fixture.report, "/no/such/folder/x.json", VMAF_OUTPUT_FORMAT_JSON);
    fflush(stderr); /* not every system leaves it without a buffer */
    dup2(saved, STDERR_FILENO);
    close(saved);
    char line[128] = "";
    rewind(log);
    assert_non_null(fgets(line, sizeof(line), log));
    fclose(log);
    assert_int_equal(err, -EINVAL);
    assert_string_equal(line, "could not open file: /no/such/folder/x.json\n");
}

WITH_REPORT(write_errors_are_returned)
{
    if (access("/dev/full", W_OK) < 0) {
        print_message("no /dev/full here\n");
        skip();
    }
    for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_CSV; format++)
        assert_int_equal(report_write(&fixture.report, "/dev/full", (enum VmafOutputFormat)format),
                         -ENOSPC);
}

/* Twenty thousand frames of twenty columns: a quadratic step would take minutes. */
WITH_REPORT(long_reports_are_written_in_linear_time)
{
    static const char *const names[MAX_COLUMNS] = {"c0",  "c1",  "c2",  "c3",  "c4",  "c5",  "c6",
                                                   "c7",  "c8",  "c9",  "c10", "c11", "c12", "c13",
                                                   "c14", "c15", "c16", "c17", "c18", "c19"};
    enum { N_FRAMES = 20000 };
    for (size_t k = 0; k < MAX_COLUMNS; k++) {
        add_column(names[k]);
        for (uint32_t i = 0; i < N_FRAMES; i++)
            put(k, i, (double)(i * 7919 % 1000) / 7 + (double)k);
    }
    fixture.report.picture_count = N_FRAMES;
    for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++) {
        const int64_t begin = vmaf_clock_us();
        assert_int_equal(report_write(&fixture.report, path, (enum VmafOutputFormat)format), 0);
        double seconds = 1e-6 * (double)(vmaf_clock_us() - begin);
        print_message("format %d: %.3f s\n", format, seconds);
        VmafFileStatus status;
        assert_int_equal(vmaf_file_status_at(path, &status), 0);
        assert_true(status.size > N_FRAMES * MAX_COLUMNS * 9);
        assert_true(seconds < 10);
    }
}

CASES_SHARE(test_folder_enter, test_folder_remove);
