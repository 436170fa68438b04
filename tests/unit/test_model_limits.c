/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Hostile model files: what they cost is bounded, and grows no faster than their size. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "metrics/framework/extractor.h"
#include "metrics/framework/instance.h"
#include "model/json_text.h"
#include "model/model_internal.h"
#include "platform/time.h"
#include "support/cases.h"
#include "support/log.h"
#include "support/test_folder.h"

#define SVR                                                                                        \
    "\"model\": \"svm_type nu_svr\\nkernel_type rbf\\ngamma 1\\nnr_class 2\\ntotal_sv 1\\nrho "    \
    "0\\nSV\\n1 1:1 \\n\""

static const char path[] = "model.json";

static FILE *rewrite(void)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

static int load(VmafModel **model, VmafModelCollection **collection, Reason *why)
{
    const VmafModelConfig cfg = {.name = NULL};
    *why = (Reason){""};
    return model_load_file(model, collection, &cfg, path, why);
}

static void expect_rejection(bool collection_wanted, const char *reason)
{
    VmafModel *model;
    VmafModelCollection *collection;
    Reason why;
    assert_int_equal(load(&model, collection_wanted ? &collection : NULL, &why), -EINVAL);
    assert_null(model);
    assert_string_equal(why.text, reason);
}

static void repeat(FILE *file, const char *text, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fputs(text, file);
}

/* A valid model with an ignored member of that many levels; the member adds two around it. */
static void put_nested(const char *open, const char *close, unsigned levels)
{
    FILE *file = rewrite();
    fputs("{\"model_dict\": {" SVR ", \"ignored\": ", file);
    repeat(file, open, levels);
    fputs("1", file);
    repeat(file, close, levels);
    fputs("}}", file);
    assert_int_equal(fclose(file), 0);
}

CASE(nesting_is_accepted_up_to_the_limit)
{
    static const char reason[] = "arrays and objects are nested more than 32 deep";
    VmafModel *model;
    Reason why;
    put_nested("[", "]", JSON_MAX_DEPTH - 2);
    assert_int_equal(load(&model, NULL, &why), 0);
    model_destroy(model);
    put_nested("[", "]", JSON_MAX_DEPTH - 1);
    expect_rejection(false, reason);
    put_nested("{\"a\": ", "}", JSON_MAX_DEPTH - 2);
    assert_int_equal(load(&model, NULL, &why), 0);
    model_destroy(model);
    put_nested("{\"\\\"]\\\\\": ", "}", JSON_MAX_DEPTH - 1);
    expect_rejection(true, reason);
}

CASE(brackets_in_strings_and_behind_the_value_do_not_count)
{
    VmafModel *model;
    Reason why;
    FILE *file = rewrite();
    fputs("{\"model_dict\": {" SVR ", \"ignored\": \"\\\"", file);
    repeat(file, "[{", 5000);
    fputs("\\\\\"}}", file);
    repeat(file, "[", 5000);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(load(&model, NULL, &why), 0);
    model_destroy(model);
}

static const struct {
    const char *open, *close;
} nestings[] = {{"[", "]"}, {"[", ""}, {"{\"a\":", "}"}, {"{\"a\":", ""}, {"[{\"a\":", "}]"}};

static void *load_nested_files(void *unused)
{
    for (size_t i = 0; i < sizeof(nestings) / sizeof(nestings[0]); i++) {
        for (unsigned levels = 16; levels <= 2048; levels *= 2) {
            VmafModel *model;
            Reason why;
            put_nested(nestings[i].open, nestings[i].close, levels);
            if (!load(&model, NULL, &why))
                model_destroy(model);
        }
    }
    return NULL;
}

CASE(nested_files_do_not_overflow_a_small_stack)
{
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
    assert_int_equal(pthread_create(&thread, &attributes, load_nested_files, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

static void put_options(unsigned count)
{
    FILE *file = rewrite();
    fputs("{\"model_dict\": {" SVR ", \"feature_names\": [\"VMAF_integer_feature_motion2_score\"], "
          "\"feature_opts_dicts\": [{",
          file);
    for (unsigned i = 0; i < count; i++)
        fprintf(file, "%s\"%u\": \"v\"", i ? "," : "", i);
    fputs("}]}}", file);
    assert_int_equal(fclose(file), 0);
}

/* Seconds to load models of that many unknown options, and to register their features, until all
 * options together are as many as they may be. */
static double seconds_with_options(unsigned count)
{
    static const Logger silent = {.level = VMAF_LOG_LEVEL_NONE};
    double shortest = 1e9;
    put_options(count);
    for (unsigned trial = 0; trial < 2; trial++) {
        const int64_t start = vmaf_thread_time_us();
        for (unsigned options = 0; options < JSON_MAX_OPTIONS; options += count) {
            VmafModel *model;
            Reason why;
            FeatureSet set;
            feature_set_init(&set, &silent);
            assert_int_equal(load(&model, NULL, &why), 0);
            assert_int_equal(dictionary_size(model_feature_options(model, 0)), count);
            assert_int_equal(feature_set_add(&set, registry_find("motion"),
                                             model_feature_options(model, 0), false, &why),
                             0);
            feature_set_destroy(&set);
            model_destroy(model);
        }
        const double seconds = 1e-6 * (double)(vmaf_thread_time_us() - start);
        if (seconds < shortest)
            shortest = seconds;
    }
    return shortest;
}

/* In linear time it does not matter how many are in a model; in quadratic time eight times as many
 * take eight times as long. */
CASE(time_grows_with_the_number_of_options)
{
    const double few = seconds_with_options(JSON_MAX_OPTIONS / 64);
    const double many = seconds_with_options(JSON_MAX_OPTIONS / 8);
    const double most = seconds_with_options(JSON_MAX_OPTIONS);
    print_message("in 64 models: %.2g s, in 8: %.2g s, in one: %.2g s\n", few, many, most);
    assert_true(many < 3 * few);
    assert_true(most < 3 * many);
}

CASE(counts_and_sizes_are_limited)
{
    VmafModel *model;
    VmafModelCollection *collection;
    Reason why;

    put_options(JSON_MAX_OPTIONS);
    assert_int_equal(load(&model, NULL, &why), 0);
    model_destroy(model);
    put_options(JSON_MAX_OPTIONS + 1);
    expect_rejection(false, "feature_opts_dicts: expected at most 65536 options for a feature");

    for (unsigned count = JSON_MAX_MODELS; count <= JSON_MAX_MODELS + 1; count++) {
        FILE *file = rewrite();
        for (unsigned i = 0; i < count; i++)
            fprintf(file, "%s\"%u\": {\"model_dict\": {" SVR "}}", i ? ",\n" : "{", i);
        fputs("}", file);
        assert_int_equal(fclose(file), 0);
        if (count > JSON_MAX_MODELS) {
            expect_rejection(true, "the collection has more than 1024 models");
        } else {
            assert_int_equal(load(&model, &collection, &why), 0);
            model_destroy(model);
            model_collection_destroy(collection);
        }
    }
}

CASE(file_size_is_limited)
{
    VmafModel *model;
    Reason why;
    for (int beyond = 0; beyond <= 1; beyond++) {
        FILE *file = rewrite();
        fputs("{\"model_dict\": {" SVR "}}", file);
        for (long left = JSON_MAX_FILE_SIZE + beyond - ftell(file); left > 0; left--)
            fputc(' ', file);
        assert_int_equal(fclose(file), 0);
        if (beyond) {
            expect_rejection(false, "the file is too large: more than 16 MiB");
        } else {
            assert_int_equal(load(&model, NULL, &why), 0);
            model_destroy(model);
        }
    }
}

CASES_SHARE(test_folder_enter, test_folder_remove);
