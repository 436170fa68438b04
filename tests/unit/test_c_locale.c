/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/text.h"
#include "report/report.h"
#include "support/cases.h"
#include "support/dictionary.h"
#include "support/files.h"
#include "support/log.h"
#include "support/test_folder.h"

/* A host program that has chosen a locale with a decimal comma. */
static void require_comma_locale(void)
{
    static const char *const names[] = {
        "de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8",        "fr_FR.utf8",  "es_ES.UTF-8",
        "it_IT.UTF-8", "ru_RU.UTF-8", "pl_PL.UTF-8",        "pt_BR.UTF-8", "nl_NL.UTF-8",
        "sv_SE.UTF-8", "de_DE",       "German_Germany.1252"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (setlocale(LC_ALL, names[i]) && !strcmp(localeconv()->decimal_point, ","))
            return;
    }
    print_message("no locale with a decimal comma is installed\n");
    skip();
}

static int restore_locale(void **state)
{
    return setlocale(LC_ALL, "C") ? 0 : -1;
}

#define IN_COMMA_LOCALE(test) CASE_WITH(test, NULL, restore_locale)

static void assert_decimal_point(const char *point)
{
    char text[16];
    snprintf(text, sizeof(text), "%.1f", 1.5);
    assert_int_equal(text[0], '1');
    assert_int_equal(text[1], *point);
}

IN_COMMA_LOCALE(a_scope_covers_this_thread_and_ends)
{
    require_comma_locale();
    VmafCLocaleScope outer, inner;
    assert_decimal_point(",");
    assert_int_equal(vmaf_c_locale_enter(&outer), 0);
    assert_decimal_point(".");
    assert_int_equal(vmaf_c_locale_enter(&inner), 0);
    assert_decimal_point(".");
    vmaf_c_locale_leave(&inner);
    assert_decimal_point(".");
    vmaf_c_locale_leave(&outer);
    assert_decimal_point(",");
}

IN_COMMA_LOCALE(numbers_are_parsed_with_a_point)
{
    require_comma_locale();
    char *end;
    const char *text = "1.5x";
    assert_true(vmaf_c_strtod(text, &end) == 1.5);
    assert_ptr_equal(end, text + 3);
    assert_true(vmaf_c_strtod("1,5", &end) == 1);
    assert_string_equal(end, ",5");
    assert_true(vmaf_c_strtod("0.1", NULL) == 0.1);
}

IN_COMMA_LOCALE(option_values_and_reasons_have_a_point)
{
    require_comma_locale();
    char buffer[32];
    assert_string_equal(option_value_normalise("1.50", buffer), "1.5");
    assert_string_equal(option_value_normalise("1,50", buffer), "1,50");
    Reason why;
    reason_set(&why, -EINVAL, "%g", 0.5);
    assert_string_equal(why.text, "0.5");
}

IN_COMMA_LOCALE(reports_have_a_point)
{
    require_comma_locale();
    static const char path[] = "report";
    Series series;
    series_init(&series);
    assert_int_equal(series_put(&series, 0, 1.25), 0);
    const ScoreColumn column = {"x", &series};
    Report report = {
        .version = "v", .fps = 2.5, .n_columns = 1, .columns = &column, .picture_count = 1};
    for (int custom = 0; custom < 2; custom++) {
        report.score_format = custom ? "%.6f" : NULL;
        for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++) {
            assert_int_equal(report_write(&report, path, (enum VmafOutputFormat)format), 0);
            char *text = file_content(path);
            assert_non_null(text);
            assert_non_null(strstr(text, "1.250000"));
            assert_null(strstr(text, "1,25"));
            assert_null(strstr(text, "2,5"));
            free(text);
        }
    }
    series_clear(&series);
}

CASES_SHARE(test_folder_enter, test_folder_remove);
