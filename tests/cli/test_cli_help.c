/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the program says of itself: pages of help, and what it tells shells. */
#include "options/options_internal.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

#define RUN(...) program_run(__VA_ARGS__, (char *)NULL)

static char *page(const char *topic)
{
    Run run = topic ? RUN("--help", topic) : RUN("--help");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    char *text = strdup(run.out);
    run_free(&run);
    return text;
}

static void expect_narrow(const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        if (length > 80)
            fail_msg("too long: %.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* Whether the word stands there, between anything that is not part of a name. */
static bool has_word(const char *text, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    const size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        if (!strchr(letters, at[length]) || !at[length])
            return true;
    }
    return false;
}

CASE(given_help_then_the_first_page_fits_and_names_every_option)
{
    char *first = page(NULL);
    expect_narrow(first);
    assert_true(strstr(first, "Examples:") < strstr(first, "Most used:"));
    assert_true(occurrences(first, "\n") <= 60);
    assert_int_equal(occurrences(first, "vmaf probe FILE"), 1);
    const OptionInfo *row;
    for (unsigned i = 0; (row = option_row(i)); i++) {
        char name[64];
        snprintf(name, sizeof(name), "--%s", row->name ? row->name : "");
        if (row->help && !has_word(first, name))
            fail_msg("%s is missing", name);
    }
    free(first);
}

CASE(given_all_then_every_option_is_explained_once)
{
    char *all = page("all");
    expect_narrow(all);
    /* Else ffmpeg repeats and drops frames. */
    assert_true(strstr(all, "ffmpeg -v error ") != NULL);
    assert_int_equal(occurrences(all, "ffmpeg -v error "),
                     occurrences(all, " -fps_mode passthrough -strict -1 "));
    const OptionInfo *row;
    for (unsigned i = 0; (row = option_row(i)); i++) {
        if (!row->help)
            continue;
        char line[64];
        const bool joined = !row->argument || row->argument[0] == '[';
        snprintf(line, sizeof(line), "%c%c%c --%s%s", row->short_name ? '-' : ' ',
                 row->short_name ? row->short_name : ' ', row->short_name ? ',' : ' ', row->name,
                 joined ? "" : " ");
        if (!joined)
            strncat(line, row->argument, sizeof(line) - strlen(line) - 1);
        unsigned count = 0;
        for (const char *at = all; (at = strstr(at, "\n  ")); at++)
            count += !strncmp(at + 3, line, strlen(line)) &&
                     (!joined || strchr(" [", at[3 + strlen(line)]));
        if (count != 1)
            fail_msg("%s is explained %u times", line, count);
    }
    free(all);
}

CASE(given_a_topic_then_its_group_alone)
{
    static const struct {
        const char *topic, *shown, *hidden;
    } cases[] = {
        {"models", "--feature FEATURE", "--threads N"},
        {"mod", "--feature FEATURE", "--threads N"},
        {"align", "--align MODE", "--feature FEATURE"}, /* an option, and a beginning */
        {"alignment", "--align MODE", "--subsample N"},
        {"frames", "--subsample N", "--align MODE"},
        {"information", "--completion SHELL", "--backend NAME"},
        {"input", "--reference FILE", "--width N"},
        {"raw", "--width N", "--reference FILE"},
        {"media", "--scaler NAME", "--start WHERE"},
        {"speed", "--cpumask BITS", "--backend NAME"},
        {"backends", "--backend NAME", "--cpumask BITS"},
        {"batch", "--jobs N", "--threads N"},
        {"threads", "--cpumask BITS", "--feature FEATURE"},
        {"n", "--no_prediction", "--threads N"},
        {"reports", "--precision P", "--threads N"},
        {"cuda_device", "--backend-device NAME:N", "--threads N"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = page(cases[i].topic);
        expect_narrow(text);
        if (!strstr(text, cases[i].shown) || strstr(text, cases[i].hidden))
            fail_msg("help on %s:\n%s", cases[i].topic, text);
        free(text);
    }
    char *group = page("speed"), *first = page(NULL);
    Run run = RUN("--help=--cpumask");
    assert_string_equal(run.out, group);
    run_free(&run);
    run = RUN("--help", "--nosuch"); /* options are no topics */
    assert_string_equal(run.out, first);
    run_free(&run);
    run = RUN("--help=");
    assert_string_equal(run.out, first);
    run_free(&run);
    free(group);
    free(first);
}

CASE(given_no_topic_of_ours_then_1_and_what_there_is)
{
    static const struct {
        const char *topic, *said;
    } cases[] = {
        {"modles", "did you mean 'models'?"},
        {"nosuchthing", "no help on 'nosuchthing'; there is help on all, input, raw, "},
        {"m", NULL}, /* -m, although two groups begin so */
        {"in", "no help on 'in'"},
        {"no_cu", "no help on 'no_cu'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Run run = RUN("--help", cases[i].topic);
        if (!cases[i].said) {
            assert_int_equal(run.status, 0);
        } else {
            assert_int_equal(run.status, 1);
            assert_string_equal(run.out, "");
            assert_non_null(strstr(run.err, cases[i].said));
        }
        run_free(&run);
    }
}

/* What completions offer has to be what the program takes. */
static void expect_accepted(const OptionInfo *row, const char *value, size_t length)
{
    char argument[128];
    snprintf(argument, sizeof(argument), "--%s=%.*s", row->name, (int)length, value);
    Run run = RUN("-r", "none", "-d", "none", argument);
    if (run.status == 1 && !strstr(run.err, "raw input needs"))
        fail_msg("%s: %s", argument, run.err);
    run_free(&run);
}

CASE(given_words_that_are_offered_then_the_program_takes_them)
{
    const OptionInfo *row;
    unsigned count = 0;
    for (unsigned i = 0; (row = option_row(i)); i++) {
        for (const char *value = row->values; value && *value; count++) {
            const size_t length = strcspn(value, "|");
            expect_accepted(row, value, length);
            value += length + (value[length] == '|');
        }
    }
    assert_true(count > 40);
}

CASE(given_a_shell_that_is_not_known_then_1)
{
    Run run = RUN("--completion", "csh");
    assert_int_equal(run.status, 1);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.err, "should be bash, zsh or fish"));
    run_free(&run);
    run = RUN("--completion");
    assert_int_equal(run.status, 1);
    run_free(&run);
}

CASES_SHARE(program_enter_folder, program_leave_folder);
