/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Runs the program on the cases of cases.json: exit status, and the output file byte for byte, but
 * for the version and the speed; other files by their hash.
 *
 *     test_reports PROGRAM FOLDER [ARGUMENT...]         arguments that every run gets besides
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/reports/case.h"
#include "support/cases.h"
#include "support/sha256.h"

static const char *program, *expected_folder;
static char **more_arguments;

/* Copy `text`, replacing the part between `before` and the first of `ends` after it. */
static char *mask(char *text, const char *before, const char *ends, const char *replacement)
{
    char *at = text ? strstr(text, before) : NULL, *masked = NULL;
    if (!at)
        return text;
    at += strlen(before);
    const char *rest = at + strcspn(at, ends);
    if (asprintf(&masked, "%.*s%s%s", (int)(at - text), text, replacement, rest) < 0)
        masked = NULL;
    free(text);
    return masked;
}

static char *mask_all(char *text)
{
    if (text && text[0] == '<') {
        text = mask(text, "<VMAF version=\"", "\"", "@VERSION@");
        return mask(text, "<fyi fps=\"", "\"", "@FPS@");
    }
    if (text && text[0] == '{') {
        text = mask(text, "\"version\": \"", "\"", "@VERSION@");
        return mask(text, "\"fps\": ", ",", "\"@FPS@\"");
    }
    return text;
}

static int is_given(const json_t *arguments, const char *option)
{
    size_t i;
    json_t *argument;
    json_array_foreach((json_t *)arguments, i, argument)
    {
        if (!strcmp(json_string_value(argument), option))
            return 1;
    }
    return 0;
}

/* Line of the first difference. */
static unsigned difference(const char *a, const char *b)
{
    unsigned line = 1;
    for (; *a && *a == *b; ++a, ++b)
        line += *a == '\n';
    return line;
}

static int compare_output(const json_t *description, const CaseFolder *folder)
{
    char path[512];
    size_t size;
    const char *name = json_string_value(json_object_get(description, "output"));
    snprintf(path, sizeof path, "%s/%s", expected_folder, name);
    char *want = case_read_file(path, &size);
    char *got = mask_all(case_read_file(folder->out, &size));
    const int same = want && got && !strcmp(want, got);
    if (!got)
        print_error("no output file\n");
    else if (want && !same)
        print_error("%s: line %u differs\n", path, difference(want, got));
    free(got);
    free(want);
    return same;
}

static int count_frames(const CaseFolder *folder)
{
    json_t *report = json_load_file(folder->out, 0, NULL);
    const int n = (int)json_array_size(json_object_get(report, "frames"));
    json_decref(report);
    return n;
}

/* The files that the run left in the folder {dir} must be those that the case lists. */
static int compare_files(const json_t *files, const CaseFolder *folder)
{
    int same = 1;
    size_t n_listed = json_object_size(files), n_found = 0;
    const char *name;
    json_t *want;
    json_object_foreach((json_t *)files, name, want)
    {
        char path[512], hex[SHA256_HEX_SIZE];
        size_t size = 0;
        snprintf(path, sizeof path, "%s/%s", folder->dir, name);
        char *data = case_read_file(path, &size);
        if (data)
            sha256_hex(data, size, hex);
        if (!data || size != (size_t)json_integer_value(json_object_get(want, "bytes")) ||
            strcmp(hex, json_string_value(json_object_get(want, "sha256"))) != 0) {
            print_error("%s differs or is missing\n", name);
            same = 0;
        }
        free(data);
    }
    DIR *dir = opendir(folder->dir);
    for (const struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
        n_found += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return same && n_found == n_listed;
}

static void program_does_what_the_case_says(void **state)
{
    const json_t *description = *state;
    const json_t *arguments = json_object_get(description, "args");
    const json_t *frames = json_object_get(description, "frames");
    CaseFolder folder;
    size_t size;
    assert_int_equal(case_folder_make(&folder), 0);
    const int inputs = case_make_input(json_object_get(description, "ref"), folder.ref) ||
                       case_make_input(json_object_get(description, "dis"), folder.dis);
    /* Cases that set an option must not get it twice. */
    char *none[] = {NULL};
    const int status = case_run(program, arguments,
                                is_given(arguments, "--threads") ? none : more_arguments, &folder);
    char *written = case_read_file(folder.out, &size);
    const int has_output = written != NULL;
    free(written);
    int output_is_right = 1;
    if (json_object_get(description, "output"))
        output_is_right = compare_output(description, &folder);
    else if (frames)
        output_is_right = count_frames(&folder) == (int)json_integer_value(frames);
    else
        output_is_right = !has_output;
    output_is_right &= compare_files(json_object_get(description, "files"), &folder);
    case_folder_remove(&folder);

    assert_int_equal(inputs, 0);
    assert_int_equal(status, json_integer_value(json_object_get(description, "exit")));
    assert_true(output_is_right);
}

static int run_reports(const json_t *cases)
{
    const size_t n = json_array_size(cases);
    struct CMUnitTest *tests = calloc(n + 1, sizeof *tests);
    size_t i;
    json_t *description;
    if (!tests || !n)
        return 1;
    json_array_foreach((json_t *)cases, i, description)
    {
        tests[i] = (struct CMUnitTest){
            .name = json_string_value(json_object_get(description, "id")),
            .test_func = program_does_what_the_case_says,
            .initial_state = description,
        };
    }
    const int failed = run_case_group_of("reports", tests, n, NULL, NULL);
    free(tests);
    return failed;
}

int main(int argc, char **argv)
{
    char path[512];
    if (argc < 3)
        return 1;
    program = argv[1];
    expected_folder = argv[2];
    more_arguments = argv + 3;
    for (argc -= 2, argv += 2; argc > 1 && strcmp(argv[1], "--"); argc--, argv++)
        ;
    if (take_argument(&argc, &argv, "--"))
        argv[0] = NULL; /* the end of the arguments before */
    select_cases(argc, argv);
    snprintf(path, sizeof path, "%s/cases.json", expected_folder);
    json_t *root = json_load_file(path, 0, NULL);
    const int failed = run_reports(json_object_get(root, "cases"));
    json_decref(root);
    return end_cases(failed);
}
