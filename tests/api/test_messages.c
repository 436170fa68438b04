/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The messages of the library on standard error. */
#include "api/api_support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cases.h"
#include "support/files.h"
#include "support/test_folder.h"

#define SVR                                                                                        \
    "\"model\": \"svm_type nu_svr\\nkernel_type rbf\\ngamma 1\\nnr_class 2\\ntotal_sv 1\\nrho "    \
    "0\\nSV\\n1 1:1 \\n\""

static const char path[] = "model.json";

/* Between listen and heard, standard error goes to a file. */
static FILE *said;
static int saved_stderr;

static void listen_to_stderr(void)
{
    said = fopen("said", "w+b");
    assert_non_null(said);
    saved_stderr = dup(STDERR_FILENO);
    assert_true(saved_stderr >= 0 && dup2(fileno(said), STDERR_FILENO) >= 0);
}

static const char *heard(void)
{
    static char text[1 << 16];
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    rewind(said);
    text[fread(text, 1, sizeof(text) - 1, said)] = '\0';
    fclose(said);
    return text;
}

static unsigned occurrences(const char *text, const char *words)
{
    unsigned count = 0;
    while ((text = strstr(text, words))) {
        text += strlen(words);
        count++;
    }
    return count;
}

CASE(an_unknown_option_is_warned_of_once)
{
    file_put_text(
        path,
        "{\"model_dict\": {" SVR ", \"feature_names\": [\"VMAF_integer_feature_vif_scale0_score\", "
        "\"VMAF_integer_feature_vif_scale1_score\", \"VMAF_integer_feature_vif_scale2_score\", "
        "\"VMAF_integer_feature_adm2_score\"], \"feature_opts_dicts\": [{\"a\": 1, \"b\": 1}, "
        "{\"b\": 2}, {\"a\": 1}, {\"a\": 1}]}}");
    VmafModelConfig cfg = {.name = "m"};
    VmafModel *model;
    assert_int_equal(vmaf_model_load_from_path(&model, &cfg, path), 0);
    for (unsigned contexts = 0; contexts < 2; contexts++) {
        VmafContext *vmaf;
        assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_WARNING}),
                         0);
        listen_to_stderr();
        for (unsigned times = 0; times < 2; times++)
            assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
        const char *text = heard();
        assert_int_equal(occurrences(text, "\n"), 3);
        assert_int_equal(occurrences(text, "\"vif\" has no option \"a\": ignored"), 1);
        assert_int_equal(occurrences(text, "\"vif\" has no option \"b\": ignored"), 1);
        assert_int_equal(occurrences(text, "\"adm\" has no option \"a\": ignored"), 1);
        assert_int_equal(vmaf_close(vmaf), 0);
    }
    vmaf_model_destroy(model);
}

CASE(a_collection_where_a_model_is_wanted_is_named_as_the_reason)
{
    file_put_text(path, "{\"0\": {\"model_dict\": {" SVR "}}, \"1\": {\"model_dict\": {" SVR "}}}");
    VmafModelConfig cfg = {.name = "m"};
    VmafModel *model;
    VmafContext *vmaf; /* loading follows the log level of the last context */
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_ERROR}), 0);
    listen_to_stderr();
    int err = vmaf_model_load_from_path(&model, &cfg, path);
    const char *text = heard();
    assert_int_equal(err, -EINVAL);
    assert_int_equal(occurrences(text, "libvmaf ERROR could not read model from path: "), 1);
    assert_int_equal(occurrences(text, "(it is a collection of models"), 1);
    assert_int_equal(vmaf_close(vmaf), 0);

    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_WARNING}), 0);
    listen_to_stderr();
    err = vmaf_model_load(&model, &cfg, "vmaf_b_v0.6.3");
    text = heard();
    assert_int_equal(err, -EINVAL);
    assert_string_equal(text, "libvmaf WARNING no such built-in model: \"vmaf_b_v0.6.3\", it is a "
                              "collection\n");
    assert_int_equal(vmaf_close(vmaf), 0);
}

CASES_SHARE(test_folder_enter, test_folder_remove);
