/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Libraries and pipelines: what their text and options may be. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "support/cases.h"

enum { COMPILE_WARNING = 4 };

static Id library_with(Id options, const char *text, Id *error)
{
    *error = NULL;
    return metal_new_library(fixture_device, fixture_string(text), options, error);
}

static void expect_refused(Id options, const char *text, const char *why)
{
    Id error;
    assert_null(library_with(options, text, &error));
    assert_non_null(strstr(metal_utf8(metal_description(error)), why));
    assert_string_equal(metal_utf8(metal_domain(error)), "MTLLibraryErrorDomain");
}

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(given_fast_math_when_compiled_then_the_library_is_refused)
{
    const Id fast = metal_autorelease(metal_new(objc_getClass("MTLCompileOptions")));
    expect_refused(NULL, fixture_text, "fast math is on");
    expect_refused(fast, fixture_text, "fast math is on");
    const Id options = fixture_options();
    metal_set_fast_math(options, 1);
    expect_refused(options, fixture_text, "fast math is on");
    assert_false(metal_responds_to(options, sel_registerName("setMathMode:")));
}

TEST(given_macos_15_when_the_math_mode_is_set_then_it_counts)
{
    fixture_tear_down(NULL);
    fixture_start("driver 15", NULL);
    const Id options = fixture_options();
    assert_true(metal_responds_to(options, sel_registerName("setMathMode:")));
    metal_set_math_mode(options, 2);
    expect_refused(options, fixture_text, "fast math is on");
    metal_set_math_mode(options, 0);
    Id error;
    const Id library = library_with(options, fixture_text, &error);
    assert_non_null(library);
    metal_release(library);
}

TEST(given_a_library_when_compiled_then_an_error_may_be_a_warning)
{
    Id error;
    const Id library = library_with(fixture_options(), fixture_text, &error);
    assert_non_null(library);
    assert_int_equal(metal_code(error), COMPILE_WARNING);
    assert_null(metal_new_function(library, fixture_string("absent")));
    const Id function = metal_new_function(library, fixture_string("races"));
    assert_string_equal(metal_utf8(metal_name(function)), "races");
    metal_release(function);
    metal_release(library);
}

TEST(given_wrong_texts_when_compiled_then_they_are_refused)
{
    const Id options = fixture_options();
    expect_refused(options, "float f() { double x; }", "'double' is not supported in Metal");
    expect_refused(options, "void f() { {", "braces");
    expect_refused(options, "#include \"dialect/kernel.h\"\n", "not Metal's is included");
    metal_set_language_version(options, 4 << 16);
    expect_refused(options, fixture_text, "language version 4.0");
    metal_set_language_version(options, (2 << 16) + 3);
    Id error;
    const Id library = library_with(options, "/* double */ void f() {} // double", &error);
    assert_non_null(library);
    metal_release(library);
}

/* The text of the fixture with one part replaced. */
static void expect_no_pipeline(const char *part, const char *by, const char *kernel,
                               const char *why)
{
    char text[4096];
    Id error;
    const char *at = strstr(fixture_text, part);
    assert_non_null(at);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - fixture_text), fixture_text, by,
             at + strlen(part));
    const Id library = library_with(fixture_options(), text, &error);
    const Id function = metal_new_function(library, fixture_string(kernel));
    assert_non_null(function);
    assert_null(metal_new_pipeline(fixture_device, function, &error));
    assert_non_null(strstr(metal_utf8(metal_description(error)), why));
    metal_release(function);
    metal_release(library);
}

TEST(given_a_kernel_that_differs_from_that_in_c_when_a_pipeline_is_made_then_there_is_none)
{
    const char *kernel = "reads_outside";
    expect_no_pipeline("void reads_outside", "void other", "other", "no kernel other");
    expect_no_pipeline("((8 * 1))", "((8 * 2))", kernel, "groups of 16 threads, not 8");
    expect_no_pipeline("device u32 *dst", "device const u32 *dst", kernel, "another buffer 1");
    expect_no_pipeline("device const u32 *src", "device u32 *src", kernel, "another buffer 0");
    expect_no_pipeline("[[buffer(1)]]", "[[buffer(3)]]", kernel, "another buffer 1");
    expect_no_pipeline("constant broken_args &p", "device const broken_args &p", kernel,
                       "another buffer 2");
}

TEST(given_a_kernel_that_does_not_say_its_threads_when_asked_then_there_are_few)
{
    char text[4096];
    const char *attribute = "[[max_total_threads_per_threadgroup((64 * 1))]]";
    const char *at = strstr(fixture_text, attribute);
    Id error;
    snprintf(text, sizeof(text), "%.*s%s", (int)(at - fixture_text), fixture_text,
             at + strlen(attribute));
    const Id library = library_with(fixture_options(), text, &error);
    const Id function = metal_new_function(library, fixture_string("histogram"));
    const Id pipeline = metal_new_pipeline(fixture_device, function, &error);
    assert_int_equal(metal_max_threads(pipeline), 64);
    metal_release(pipeline);
    metal_release(function);
    metal_release(library);
    const Id other = fixture_pipeline("reads_outside");
    assert_int_equal(metal_max_threads(other), 8);
    metal_release(other);
}
