/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which row of a corpus is recommended. */

#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/test_folder.h"
#include "tune/commands/recommend.h"

enum { MAX_ROWS = 16 };

static Row rows[MAX_ROWS];
static size_t n_rows;

static Row *add(const char *src, const char *encoder, int crf, double kbps, double score)
{
    Row *row = &rows[n_rows++];
    row_init(row);
    assert_int_equal(row_set_text(&row->src, src), 0);
    assert_int_equal(row_set_text(&row->encoder, encoder), 0);
    assert_int_equal(row_set_text(&row->preset, "medium"), 0);
    row->crf = crf;
    row->bitrate_kbps = kbps;
    row->vmaf_score = score;
    row->exit_status = 0;
    return row;
}

static Row *between(Row *row, double low, double high)
{
    row->vmaf_interval_low = low;
    row->vmaf_interval_high = high;
    return row;
}

static int forget(void **state)
{
    while (n_rows)
        row_free(&rows[--n_rows]);
    return 0;
}

#define TEST(name) CASE_WITH(name, NULL, forget)

static RowChoices choose(const ChoiceRequest *request)
{
    RowChoices choices;
    Message message = {""};
    if (row_choices_make(&choices, rows, n_rows, request, &message))
        fail_msg("%s", message.text);
    return choices;
}

static void assert_line(const ChoiceRequest *request, const char *wanted)
{
    RowChoices choices = choose(request);
    char text[4096] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");
    row_choices_print_text(&choices, request, out);
    fclose(out);
    assert_string_equal(text, wanted);
    row_choices_free(&choices);
}

static const ChoiceRequest for_92 = {.target = 92};

TEST(given_rows_then_the_lowest_bitrate_that_passes_is_chosen)
{
    add("a", "x", 18, 5000, 97);
    add("a", "x", 24, 2000, 92);
    add("a", "x", 25, 2100, 92.5); /* more compressed, but larger */
    add("a", "x", 30, 900, 85);
    add("a", "x", 31, 10, 99)->exit_status = 65;
    assert_line(&for_92, "crf=24  vmaf=92.000  kbps=2000  predicate=target_vmaf>=92  [OK]\n");
    const ChoiceRequest compressed = {.target = 92, .most_compressed = true};
    assert_line(&compressed, "crf=25  vmaf=92.500  kbps=2100  predicate=target_vmaf>=92  [OK]\n");
    const ChoiceRequest high = {.target = 97.5};
    assert_line(&high, "crf=18  vmaf=97.000  kbps=5000  predicate=target_vmaf>=97.5  [UNMET]\n");
    const ChoiceRequest nothing = {.target = 92, .encoder = "x", .preset = "slow"};
    RowChoices choices;
    Message message;
    assert_int_equal(row_choices_make(&choices, rows, n_rows, &nothing, &message), -ENODATA);
    assert_non_null(strstr(message.text, "of x, preset slow"));
}

TEST(given_ties_then_score_then_compression_decide)
{
    add("a", "x", 20, 1000, 93);
    add("a", "x", 23, 1000, 94);
    add("a", "x", 25, 1000, 94);
    add("a", "x", 24, 1000, 94);
    assert_line(&for_92, "crf=25  vmaf=94.000  kbps=1000  predicate=target_vmaf>=92  [OK]\n");
    /* Of a quality parameters, the lower value is compressed more. */
    forget(NULL);
    add("a", "hevc_videotoolbox", 60, 1000, 94);
    add("a", "hevc_videotoolbox", 58, 1000, 94);
    assert_line(&for_92, "crf=58  vmaf=94.000  kbps=1000  predicate=target_vmaf>=92  [OK]\n");
}

TEST(given_a_bitrate_then_the_nearest_is_chosen)
{
    add("a", "x", 20, 2600, 95);
    add("a", "x", 22, 2000, 93);
    add("a", "x", 24, 1400, 90);
    add("a", "x", 21, NAN, 94);
    const ChoiceRequest near = {.target = NAN, .kbps = 2200};
    assert_line(&near, "crf=22  vmaf=93.000  kbps=2000  predicate=target_bitrate~2200  [OK]\n");
    const ChoiceRequest tie = {.target = NAN, .kbps = 1700};
    assert_line(&tie, "crf=22  vmaf=93.000  kbps=2000  predicate=target_bitrate~1700  [OK]\n");
    RowChoices choices = choose(&near);
    assert_true(choices.choices[0].margin == -200);
    row_choices_free(&choices);
}

TEST(given_rows_without_bitrate_then_the_most_compressed_is_chosen)
{
    add("a", "x", 20, 0, 96);
    add("a", "x", 26, 0, 93);
    add("a", "x", 24, NAN, 94);
    assert_line(&for_92, "crf=26  vmaf=93.000  kbps=unknown  predicate=target_vmaf>=92  [OK]\n");
    Uncertainty uncertainty;
    uncertainty_init(&uncertainty);
    const ChoiceRequest wary = {.target = 92, .uncertainty = &uncertainty};
    assert_line(&wary, "crf=26  vmaf=93.000  kbps=unknown  predicate=target_vmaf>=92  [OK]\n");
    /* One that passes has a bitrate: only these are compared. */
    add("a", "x", 22, 3000, 95);
    assert_line(&for_92, "crf=22  vmaf=95.000  kbps=3000  predicate=target_vmaf>=92  [OK]\n");
}

TEST(given_several_sources_then_each_has_its_own)
{
    add("b\x1b.y4m", "x", 20, 2600, 95);
    add("a.y4m", "x", 22, 2000, 90);
    add("b\x1b.y4m", "x", 24, 1400, 93);
    assert_line(&for_92,
                "src=b\\x1b.y4m  crf=24  vmaf=93.000  kbps=1400  predicate=target_vmaf>=92  [OK]\n"
                "src=a.y4m  crf=22  vmaf=90.000  kbps=2000  predicate=target_vmaf>=92  [UNMET]\n");
    RowChoices choices = choose(&for_92);
    assert_int_equal(choices.n_usable, 3);
    json_t *json = NULL;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(row_choices_print_json(&choices, &for_92, out), 0);
    fclose(out);
    json = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(json), 2);
    const json_t *second = json_array_get(json, 1);
    assert_string_equal(json_string_value(json_object_get(second, "status")), "UNMET");
    assert_true(json_number_value(json_object_get(second, "margin")) == -2);
    assert_string_equal(json_string_value(json_object_get(second, "predicate")), "target_vmaf>=92");
    assert_int_equal(json_integer_value(json_object_get(second, "crf")), 22);
    json_decref(json);
    free(text);
    row_choices_free(&choices);
}

/* -- uncertainty -- */

static Uncertainty uncertainty;
static const ChoiceRequest wary = {.target = 92, .uncertainty = &uncertainty};

TEST(given_a_tight_interval_above_then_it_is_taken_at_once)
{
    uncertainty_init(&uncertainty);
    between(add("a", "x", 20, 3000, 96), 95.5, 96.5);
    between(add("a", "x", 26, 1500, 92.6), 92.1, 93.1);
    between(add("a", "x", 28, 1300, 92.2), 91.5, 92.9);
    between(add("a", "x", 30, 1000, 90), 89, 91);
    assert_line(&wary, "crf=26  vmaf=92.600  kbps=1500  predicate=target_vmaf>=92  [OK] (TIGHT, "
                       "low=92.100)\n");
    RowChoices choices = choose(&wary);
    assert_int_equal(choices.choices[0].visited, 3); /* from the most compressed on */
    assert_int_equal(choices.choices[0].of, 4);
    row_choices_free(&choices);
}

TEST(given_intervals_below_then_it_is_unmet)
{
    uncertainty_init(&uncertainty);
    between(add("a", "x", 20, 3000, 91), 90, 91.9);
    between(add("a", "x", 26, 1500, 80), 79, 81);
    assert_line(&wary, "crf=20  vmaf=91.000  kbps=3000  predicate=target_vmaf>=92  [UNMET] (UNMET, "
                       "interval-excluded)\n");
    /* All that clearly pass are not excluded. */
    forget(NULL);
    between(add("a", "x", 20, 3000, 97), 95, 99);
    between(add("a", "x", 22, 2000, 95), 93.5, 97);
    assert_line(&wary, "crf=22  vmaf=95.000  kbps=2000  predicate=target_vmaf>=92  [OK]\n");
}

TEST(given_a_wide_interval_then_it_is_uncertain)
{
    uncertainty_init(&uncertainty);
    between(add("a", "x", 20, 3000, 93), 90, 96);
    between(add("a", "x", 26, 1500, 88), 86, 90);
    assert_line(&wary, "crf=20  vmaf=93.000  kbps=3000  predicate=target_vmaf>=92  [OK] "
                       "(UNCERTAIN)\n");
    between(&rows[0], 96, 90);
    RowChoices choices;
    Message message;
    assert_int_equal(row_choices_make(&choices, rows, n_rows, &wary, &message), -EINVAL);
}

CASE_WITH(given_a_sidecar_then_its_widths_and_residuals_hold, test_folder_enter, test_folder_remove)
{
    Message message = {""};
    file_put_text("s.json", "{\"tight_interval_max_width\": 1, \"wide_interval_min_width\": 3}");
    assert_int_equal(uncertainty_load(&uncertainty, "s.json", &message), 0);
    assert_true(uncertainty.widths.tight == 1 && uncertainty.widths.wide == 3);
    assert_false(uncertainty.has_residuals);
    /* Check value of split conformal prediction: 20 residuals, alpha 0.1. */
    file_put_text("r.json", "{\"method\": \"split-conformal\", \"alpha\": 0.1, \"n\": 20, "
                            "\"residuals\": [0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0,1.1,1.2,1.3,"
                            "1.4,1.5,1.6,1.7,1.8,1.9,2.0]}");
    assert_int_equal(uncertainty_load(&uncertainty, "r.json", &message), 0);
    assert_true(uncertainty.widths.tight == CONFIDENCE_DEFAULT_TIGHT);
    assert_true(uncertainty.has_residuals && uncertainty.calibration.calibrated);
    assert_true(fabs(uncertainty.calibration.half_width - 1.905) < 1e-12);
    Row *row = add("a", "x", 20, 3000, 99);
    ScoreInterval interval = uncertainty_interval(&uncertainty, row);
    assert_true(fabs(interval.low - 97.095) < 1e-12 && interval.high == 100);
    between(row, 1, 2);
    interval = uncertainty_interval(&uncertainty, row);
    assert_true(interval.low == 1 && interval.high == 2);
    file_put_text("few.json", "{\"residuals\": [1, 2]}");
    assert_int_equal(uncertainty_load(&uncertainty, "few.json", &message), 0);
    assert_true(uncertainty.alpha == 0.05 && !uncertainty.calibration.calibrated);
}

CASE_WITH(given_a_damaged_sidecar_then_the_defaults_hold, test_folder_enter, test_folder_remove)
{
    static const char *const damaged[] = {
        "[]",
        "{",
        "{\"tight_interval_max_width\": 1}",
        "{\"tight_interval_max_width\": 0, \"wide_interval_min_width\": 3}",
        "{\"tight_interval_max_width\": 4, \"wide_interval_min_width\": 3}",
        "{\"tight_interval_max_width\": 1, \"wide_interval_min_width\": \"3\"}",
        "{\"tight_interval_max_width\": 1, \"wide_interval_min_width\": 3, \"residuals\": []}",
        "{\"tight_interval_max_width\": 1, \"wide_interval_min_width\": 3, \"residuals\": [\"1\"]}",
        "{\"residuals\": [1], \"alpha\": 1}",
        "{\"residuals\": [1], \"alpha\": \"x\"}",
    };
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        Message message = {""};
        file_put_text("s.json", damaged[i]);
        if (!uncertainty_load(&uncertainty, "s.json", &message))
            fail_msg("%s", damaged[i]);
        assert_int_equal(strncmp(message.text, "s.json: ", 8), 0);
        assert_true(uncertainty.widths.tight == 2 && uncertainty.widths.wide == 5);
        assert_false(uncertainty.has_residuals);
    }
    Message message;
    assert_int_equal(uncertainty_load(&uncertainty, "none.json", &message), -ENOENT);
}
