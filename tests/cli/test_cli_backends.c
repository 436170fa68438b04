/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the program says of backends where no plugin is installed. */
#include "clip.h"
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/cases.h"
#include <jansson.h>

#include "libvmaf/libvmaf_ext.h"
#include "support/json_schema.h"

#define RUN(...) program_run(__VA_ARGS__, NULL)

static int enter_a_folder_without_plugins(void **state)
{
    if (program_enter_folder(state) || mkdir("plugins", 0700))
        return -1;
    char *here = realpath("plugins", NULL);
    int err = here ? setenv("VMAF_BACKEND_PATH", here, 1) : -1;
    free(here);
    return err;
}

static json_t *load_schema(void)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/docs/capabilities.schema.json", getenv("VMAF_SOURCE_DIR"));
    json_error_t error;
    json_t *schema = json_load_file(path, 0, &error);
    if (!schema)
        fail_msg("%s: %s", path, error.text);
    return schema;
}

/* The document that a run has printed, checked against the schema. */
static json_t *read_document(const Run *run)
{
    assert_int_equal(run->status, 0);
    assert_string_equal(run->err, "");
    json_error_t error;
    json_t *document = json_loads(run->out, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("not JSON: %s in\n%s", error.text, run->out);
    char why[256];
    json_t *schema = load_schema();
    if (!json_schema_accepts(schema, document, why))
        fail_msg("not what the schema says: %s", why);
    json_decref(schema);
    return document;
}

static json_t *find_named(const json_t *list, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        if (!strcmp(json_string_value(json_object_get(item, "name")), name))
            return item;
    }
    fail_msg("there is no %s", name);
    return NULL;
}

CASE(given_no_plugins_when_asked_for_capabilities_then_the_document_fits)
{
    Run run = RUN("--capabilities");
    json_t *document = read_document(&run);
    assert_int_equal(run.out[strlen(run.out) - 1], '\n');

    static const char *const order[] = {"cpu", "cuda", "sycl", "hip", "metal", "vulkan"};
    const json_t *backends = json_object_get(document, "backends");
    assert_int_equal(json_array_size(backends), 6);
    for (size_t i = 0; i < 6; i++) {
        const json_t *backend = json_array_get(backends, i);
        assert_string_equal(json_string_value(json_object_get(backend, "name")), order[i]);
        assert_int_equal(json_is_true(json_object_get(backend, "usable")), i == 0);
        if (i > 0)
            assert_string_equal(json_string_value(json_object_get(backend, "reason")),
                                strcmp(order[i], "metal") ? "plugin_not_found" : "unsupported_os");
    }
    assert_string_equal(json_string_value(json_object_get(document, "auto_choice")), "cpu");
    json_decref(document);
    run_free(&run);
}

CASE(given_the_document_then_features_and_models_are_those_of_the_library)
{
    Run run = RUN("--capabilities");
    json_t *document = read_document(&run);
    const json_t *features = json_object_get(document, "features");
    VmafExtractorInfo extractor = {.struct_size = sizeof(extractor)};
    for (unsigned i = 0; i < json_array_size(features); i++) {
        assert_int_equal(vmaf_extractor_info(i, &extractor), 0);
        assert_string_equal(json_string_value(json_object_get(json_array_get(features, i), "name")),
                            extractor.name);
    }
    assert_int_equal(vmaf_extractor_info((unsigned)json_array_size(features), &extractor), -ERANGE);
    const json_t *adm = find_named(features, "adm");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(adm, "min_size"), 0)), 17);
    assert_false(json_is_true(json_object_get(adm, "temporal")));
    const json_t *motion = find_named(features, "motion");
    assert_true(json_is_true(json_object_get(motion, "temporal")));
    assert_int_equal(json_array_size(json_object_get(motion, "bit_depths")), 9);
    const json_t *hvs = find_named(features, "psnr_hvs");
    assert_int_equal(json_array_size(json_object_get(hvs, "pixel_formats")), 3);
    const json_t *vif = find_named(features, "vif");
    assert_string_equal(json_string_value(json_object_get(json_object_get(vif, "aliases"),
                                                          "VMAF_integer_feature_vif_scale0_score")),
                        "integer_vif_scale0");

    const json_t *models = json_object_get(document, "models");
    VmafBuiltinModelInfo model = {.struct_size = sizeof(model)};
    for (unsigned i = 0; i < json_array_size(models); i++) {
        assert_int_equal(vmaf_builtin_model_info(i, &model), 0);
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(models, i), "version")), model.name);
    }
    assert_int_equal(vmaf_builtin_model_info((unsigned)json_array_size(models), &model), -ERANGE);
    const json_t *first = json_array_get(models, 0);
    assert_string_equal(json_string_value(json_object_get(first, "version")), "vmaf_v0.6.1");
    assert_true(json_is_true(json_object_get(first, "default")));
    assert_int_equal(json_array_size(json_object_get(first, "features")), 3);
    assert_string_equal(json_string_value(json_object_get(first, "sha256")),
                        "5950d61fa1f861bd45d8149d80539ed9f3376cfc2495b8f0fa8e9f57cb131ee3");
    json_decref(document);
    run_free(&run);
}

CASE(given_a_file_when_asked_for_capabilities_then_it_holds_the_document)
{
    Run printed = RUN("--capabilities", "--precision", "max");
    Run written = RUN("--capabilities=document");
    assert_int_equal(written.status, 0);
    assert_string_equal(written.out, "");
    char *document = file_content("document");
    assert_string_equal(document, printed.out);
    free(document);
    run_free(&printed);
    run_free(&written);

    Run rejected = RUN("--capabilities=no/such/folder");
    assert_int_equal(rejected.status, 255);
    run_free(&rejected);
}

CASE(given_a_wrong_option_when_asked_for_capabilities_then_it_is_refused)
{
    Run run = RUN("--capabilities", "--backend", "nosuch");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "installed here: cpu"));
    run_free(&run);
}

CASE(given_no_plugins_when_backends_are_listed_then_each_has_its_reason)
{
    Run run = RUN("--list-backends");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "cpu        usable\n"));
    assert_non_null(strstr(run.out, "cuda       unavailable: "));
    assert_non_null(strstr(run.out, "vulkan     unavailable: "));
    run_free(&run);
}

CASE(given_json_when_backends_are_listed_then_it_is_the_short_document)
{
    Run run = RUN("--list-backends", "--json");
    assert_int_equal(run.status, 0);
    static const char start[] =
        "{\"backends\": [{\"name\": \"cpu\", \"compiled\": true, \"usable\": true}, "
        "{\"name\": \"cuda\", \"compiled\": true, \"usable\": false, \"init_status\": null, "
        "\"reason\": \"plugin_not_found\", \"reason_text\": "
        "\"there is no libvmaf-backend-cuda.so in the search path\"}, {\"name\": \"sycl\", ";
    assert_memory_equal(run.out, start, strlen(start));
    assert_non_null(strstr(run.out,
                           "{\"name\": \"metal\", \"compiled\": false, \"usable\": false, "
                           "\"reason\": \"unsupported_os\", \"reason_text\": "
                           "\"it exists on other systems only\"}, {\"name\": \"vulkan\", "));
    json_t *document = json_loads(run.out, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(document, "backends")), 6);
    json_decref(document);
    run_free(&run);
}

CASE(given_a_file_that_is_no_plugin_then_it_is_listed_with_path_and_reason)
{
    file_put_text("plugins/libvmaf-backend-broken.so", "not a shared object");
    Run run = RUN("--capabilities");
    json_t *document = read_document(&run);
    const json_t *broken = find_named(json_object_get(document, "backends"), "broken");
    assert_string_equal(json_string_value(json_object_get(broken, "reason")), "plugin_load_error");
    assert_non_null(json_string_value(json_object_get(broken, "reason_text")));
    const char *path =
        json_string_value(json_object_get(json_object_get(broken, "plugin"), "path"));
    assert_non_null(strstr(path, "/plugins/libvmaf-backend-broken.so"));
    json_decref(document);
    run_free(&run);

    run = RUN("--list-backends", "--json");
    document = json_loads(run.out, 0, NULL);
    broken = find_named(json_object_get(document, "backends"), "broken");
    assert_string_equal(json_string_value(json_object_get(broken, "reason")), "plugin_load_error");
    assert_non_null(json_string_value(json_object_get(broken, "reason_text")));
    assert_true(json_integer_value(json_object_get(broken, "init_status")) < 0);
    json_decref(document);
    run_free(&run);

    run = RUN("--list-backends");
    assert_non_null(strstr(run.out, "broken     unavailable: "));
    assert_non_null(strstr(run.out, "/plugins/libvmaf-backend-broken.so\n"));
    run_free(&run);

    run = RUN("--capabilities", "--no_broken");
    document = read_document(&run);
    broken = find_named(json_object_get(document, "backends"), "broken");
    assert_string_equal(json_string_value(json_object_get(broken, "reason")), "disabled_by_flag");
    json_decref(document);
    run_free(&run);

    assert_int_equal(remove("plugins/libvmaf-backend-broken.so"), 0);
}

/* Names of files are any bytes; documents are UTF-8. */
CASE(given_files_with_odd_names_then_documents_stay_well_formed)
{
    static const char *const files[] = {"plugins/libvmaf-backend-a\"b\\.so",
                                        "plugins/libvmaf-backend-c\xff\n.so"};
    for (size_t i = 0; i < 2; i++)
        file_put_text(files[i], "");

    Run run = RUN("--list-backends", "--json");
    json_t *list = json_loads(run.out, 0, NULL);
    assert_non_null(list);
    find_named(json_object_get(list, "backends"), "a\"b\\");
    find_named(json_object_get(list, "backends"), "c? ");
    json_decref(list);
    run_free(&run);

    run = RUN("--list-backends");
    assert_non_null(strstr(run.out, "/plugins/libvmaf-backend-c\\xff\\x0a.so\n"));
    run_free(&run);

    run = RUN("--capabilities");
    json_t *document = read_document(&run);
    find_named(json_object_get(document, "backends"), "a\"b\\");
    find_named(json_object_get(document, "backends"), "c? ");
    json_decref(document);
    run_free(&run);

    for (size_t i = 0; i < 2; i++)
        assert_int_equal(remove(files[i]), 0);
}

CASE(given_a_plugin_then_its_features_are_listed)
{
    Run run = RUN("--list-features");
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, "\nBackend "));
    run_free(&run);

    char *path = strdup(getenv("VMAF_BACKEND_PATH"));
    assert_non_null(path);
    assert_int_equal(setenv("VMAF_BACKEND_PATH", getenv("EXAMPLE_BACKEND"), 1), 0);
    run = RUN("--list-features");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "\n\nBackend example:\npsnr_example: psnr, by backend example "
                                    "only\n"));
    assert_non_null(strstr(run.out, "\nexample_mean_abs_difference: mean absolute difference"));
    run_free(&run);

    /* Number 7 is not among its devices; number 0 is. */
    clip_write(&(Clip){.width = 64, .height = 64, .frames = 2}, "a.y4m");
    run = RUN("-r", "a.y4m", "-d", "a.y4m", "--example_device", "7", "-o", "a.json");
    assert_int_equal(run.status, 100);
    assert_non_null(strstr(run.err, "device 7 of example requested but init failed: there is no "
                                    "device 7 "));
    char *document = file_content("a.json");
    assert_non_null(strstr(document, "\"error\": \"vmaf_example_state_init failed\""));
    free(document);
    run_free(&run);
    run = RUN("-r", "a.y4m", "-d", "a.y4m", "--example_device", "0");
    assert_int_equal(run.status, 0);
    run_free(&run);
    remove("a.json");
    remove("a.y4m");
    assert_int_equal(setenv("VMAF_BACKEND_PATH", path, 1), 0);
    free(path);
}

CASES_SHARE(enter_a_folder_without_plugins, program_leave_folder);
