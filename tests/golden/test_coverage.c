/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The golden tests are complete: every extractor and every built-in model that the library can
 * compute has golden runs, and every exception belongs to one.
 *
 *     test_coverage EXCEPTIONS.json FILE.json...
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "golden/golden.h"
#include "libvmaf/libvmaf_ext.h"
#include "support/cases.h"

enum { MAX_FILES = 64 };

static json_t *files[MAX_FILES];
static int n_files;
static size_t n_exceptions, n_used;

static const char *text(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));
    return value ? value : "";
}

/* Whether the run must give scores, known or at least finite. */
static int gives_scores(const json_t *run)
{
    return !strcmp(text(run, "status"), "ok") || !strcmp(text(run, "status"), "finite");
}

/* Whether there is such a run whose list (features or models) has an entry with this text. */
static int is_scored(const char *list, const char *member, const char *wanted)
{
    size_t i, j, k;
    json_t *parent, *run, *entry;
    for (int f = 0; f < n_files; ++f)
        json_array_foreach(json_object_get(files[f], "cases"), i, parent)
        {
            json_array_foreach(json_object_get(parent, "runs"), j, run)
            {
                json_array_foreach(json_object_get(run, list), k, entry)
                {
                    if (!strcmp(text(entry, member), wanted) && gives_scores(run))
                        return 1;
                }
            }
        }
    return 0;
}

CASE(every_extractor_has_golden_scores)
{
    VmafExtractorInfo info = {.struct_size = sizeof info};
    unsigned n = 0;
    int err;
    for (; !(err = vmaf_extractor_info(n, &info)); ++n)
        if (!is_scored("features", "name", info.name))
            fail_msg("no golden run uses the extractor %s", info.name);
    assert_int_equal(err, -ERANGE);
    assert_true(n > 0);
}

/* Whether all features of a model are implemented. */
static int can_be_used(const VmafBuiltinModelInfo *info)
{
    const VmafConfiguration configuration = {.log_level = VMAF_LOG_LEVEL_NONE};
    VmafModelConfig model_configuration = {.name = "vmaf"};
    VmafContext *context = NULL;
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    assert_int_equal(vmaf_init(&context, configuration), 0);
    if (info->is_collection)
        assert_int_equal(
            vmaf_model_collection_load(&model, &collection, &model_configuration, info->name), 0);
    else
        assert_int_equal(vmaf_model_load(&model, &model_configuration, info->name), 0);
    const int err = vmaf_use_features_from_model(context, model);
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(model);
    assert_int_equal(vmaf_close(context), 0);
    return !err;
}

CASE(every_usable_builtin_model_has_golden_scores)
{
    VmafBuiltinModelInfo info = {.struct_size = sizeof info};
    unsigned n = 0;
    int err;
    for (; !(err = vmaf_builtin_model_info(n, &info)); ++n)
        if (can_be_used(&info) && !is_scored("models", "version", info.name))
            fail_msg("no golden run uses the model %s", info.name);
    assert_int_equal(err, -ERANGE);
    assert_true(n > 0);
}

CASE(every_exception_belongs_to_one_run)
{
    assert_true(n_exceptions > 0);
    assert_int_equal(n_used, n_exceptions);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 1;
    json_t *exceptions = json_load_file(argv[1], 0, NULL);
    n_exceptions = json_array_size(json_object_get(exceptions, "exceptions"));
    for (argc--, argv++; argc > 1 && strcmp(argv[1], "--"); argc--, argv++) {
        json_t *file = n_files < MAX_FILES ? json_load_file(argv[1], 0, NULL) : NULL;
        if (!file) {
            fprintf(stderr, "cannot be read: %s\n", argv[1]);
            return 1;
        }
        files[n_files++] = file;
        n_used += golden_apply_exceptions(file, exceptions);
    }
    take_argument(&argc, &argv, "--");
    const int status = run_cases(argc, argv);
    while (n_files)
        json_decref(files[--n_files]);
    json_decref(exceptions);
    return status;
}
