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
    /* One that passes has a bitrate: only these are compared. */
    add("a", "x", 22, 3000, 95);
    assert_line(&for_92, "crf=22  vmaf=95.000  kbps=3000  predicate=target_vmaf>=92  [OK]\n");
}

TEST(given_several_encoders_then_the_line_names_the_one_that_is_chosen)
{
    const ChoiceRequest of_x = {.target = 92, .encoder = "x"};
    add("a", "x", 24, 2000, 93);
    add("a", "y", 30, 1000, 92);
    assert_line(&for_92, "crf=30  vmaf=92.000  kbps=1000  encoder=y  preset=medium  "
                         "predicate=target_vmaf>=92  [OK]\n");
    assert_line(&of_x, "crf=24  vmaf=93.000  kbps=2000  predicate=target_vmaf>=92  [OK]\n");
    Row *slow = add("a", "x", 25, 900, 93);
    assert_int_equal(row_set_text(&slow->preset, "slow"), 0);
    assert_line(&of_x, "crf=25  vmaf=93.000  kbps=900  encoder=x  preset=slow  "
                       "predicate=target_vmaf>=92  [OK]\n");
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
