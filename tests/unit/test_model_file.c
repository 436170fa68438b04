/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Model files. The built-in models are written out in the published form and read back: they must
 * come out the same to the bit. Small files made here cover the rules of the format. */

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_internal.h"
#include "support/cases.h"
#include "support/files.h"
#include "support/test_folder.h"

#include "libvmaf/libvmaf_ext.h"

/* -- temporary files -- */

static const char path[] = "model.json";

static int load_flags(VmafModel **model, const char *text, uint64_t flags)
{
    VmafModelConfig cfg = {.flags = flags};
    file_put_text(path, text);
    int err = vmaf_model_load_from_path(model, &cfg, path);
    assert_true((*model != NULL) == (err == 0));
    VmafModel *same;
    VmafModelCollection *collection;
    const int text_err = vmaf_model_load_text(&same, &collection, &cfg, text, strlen(text));
    if (!collection) /* which a path of a single model cannot lead to */
        assert_int_equal(text_err, err);
    assert_true((same != NULL) == (text_err == 0));
    vmaf_model_destroy(same);
    vmaf_model_collection_destroy(collection);
    return err;
}

static int load_text(const char *text, uint64_t flags)
{
    VmafModel *model;
    int err = load_flags(&model, text, flags);
    vmaf_model_destroy(model);
    return err;
}

/* -- writing a model in the published form -- */

static void write_numbers(FILE *file, const char *key, const VmafModel *model, bool slopes)
{
    const LinearMap *map = &model->parameters.score_map;
    fprintf(file, "\"%s\": [%.17g", key, slopes ? map->slope : map->intercept);
    for (unsigned i = 0; i < model->n_features; i++) {
        map = &model->features[i].map;
        fprintf(file, ", %.17g", slopes ? map->slope : map->intercept);
    }
    fputs("], ", file);
}

static void write_options(FILE *file, const Dictionary *options)
{
    const char *name, *value;
    fputc('{', file);
    for (size_t i = 0; i < dictionary_size(options); i++) {
        dictionary_entry(options, i, &name, &value);
        bool bare = strspn(value, "0123456789.") == strlen(value) || !strcmp(value, "true");
        fprintf(file, bare ? "%s\"%s\": %s" : "%s\"%s\": \"%s\"", i ? ", " : "", name, value);
    }
    fputc('}', file);
}

static void write_transform(FILE *file, const ScoreTransform *t)
{
    if (!t->has_p0)
        return;
    fprintf(file,
            "\"score_transform\": {\"enabled\": %s, \"p0\": %.17g, \"p1\": %.17g, "
            "\"p2\": %.17g, \"out_gte_in\": \"%s\"}, ",
            t->enabled ? "true" : "false", t->p0, t->p1, t->p2, t->out_gte_in ? "true" : "false");
}

static void write_svr(FILE *file, const SvrTable *svr)
{
    fprintf(file,
            "\"model\": \"svm_type nu_svr\\nkernel_type rbf\\ngamma %.17g\\nnr_class 2\\n"
            "total_sv %u\\nrho %.17g\\nSV\\n",
            svr->gamma, svr->n_vectors, svr->rho);
    for (unsigned k = 0; k < svr->n_vectors; k++) {
        fprintf(file, "%.17g ", svr->coefficients[k]);
        for (unsigned i = 0; i < svr->dimensions; i++) {
            double value = svr->vectors[i * svr->stride + k];
            if (value != 0.0)
                fprintf(file, "%u:%.17g ", i + 1, value);
        }
        fputs("\\n", file);
    }
    fputc('"', file);
}

static void write_model(FILE *file, const VmafModel *model)
{
    static const char *const types[] = {"", "LIBSVMNUSVR", "BOOTSTRAP_LIBSVMNUSVR",
                                        "RESIDUEBOOTSTRAP_LIBSVMNUSVR"};
    const ModelParameters *p = &model->parameters;

    fprintf(file, "{\"param_dict\": {\"C\": 4.0}, \"model_dict\": {\"model_type\": \"%s\", ",
            types[p->type]);
    assert_int_equal(p->normalisation, NORMALISATION_LINEAR_RESCALE);
    fputs("\"norm_type\": \"linear_rescale\", ", file);
    write_numbers(file, "slopes", model, true);
    write_numbers(file, "intercepts", model, false);
    fprintf(file, "\"score_clip\": [%.17g, %.17g], \"feature_dict\": {\"a\": [[1], {}]}, ",
            p->clip_min, p->clip_max);
    if (p->chroma_correction != 0.0)
        fprintf(file, "\"chroma_correction_parameter\": %.17g, ", p->chroma_correction);
    write_transform(file, &p->transform);
    fputs("\"feature_opts_dicts\": [", file);
    for (unsigned i = 0; i < model->n_features; i++) {
        fputs(i ? ", " : "", file);
        write_options(file, model->features[i].options);
    }
    fputs("], \"feature_names\": [", file);
    for (unsigned i = 0; i < model->n_features; i++)
        fprintf(file, "%s\"%s\"", i ? ", " : "", model->features[i].name);
    fputs("], ", file);
    write_svr(file, model->svr);
    fputs("}}", file);
}

/* -- comparing -- */

static void assert_same_options(const Dictionary *a, const Dictionary *b)
{
    const char *name_a, *name_b, *value_a, *value_b;
    assert_int_equal(dictionary_size(a), dictionary_size(b));
    for (size_t i = 0; i < dictionary_size(a); i++) {
        dictionary_entry(a, i, &name_a, &value_a);
        dictionary_entry(b, i, &name_b, &value_b);
        assert_string_equal(name_a, name_b);
        assert_string_equal(value_a, value_b);
    }
}

static void assert_same_svr(const SvrTable *a, const SvrTable *b)
{
    assert_int_equal(a->n_vectors, b->n_vectors);
    assert_int_equal(a->dimensions, b->dimensions);
    assert_int_equal(a->stride, b->stride);
    assert_memory_equal(&a->gamma, &b->gamma, sizeof(double));
    assert_memory_equal(&a->rho, &b->rho, sizeof(double));
    assert_memory_equal(a->coefficients, b->coefficients, a->stride * sizeof(double));
    assert_memory_equal(a->vectors, b->vectors, a->dimensions * a->stride * sizeof(double));
}

static void assert_same_predictions(const VmafModel *a, const VmafModel *b)
{
    uint32_t random = 1;
    for (unsigned round = 0; round < 100; round++) {
        double x[MODEL_MAX_FEATURES], score_a, score_b;
        for (unsigned i = 0; i < a->n_features; i++) {
            random = random * 1664525u + 1013904223u;
            x[i] = (random >> 8) * 0x1p-23 - 0.5;
        }
        assert_int_equal(model_predict(a, x, NULL, &score_a), 0);
        assert_int_equal(model_predict(b, x, NULL, &score_b), 0);
        assert_memory_equal(&score_a, &score_b, sizeof(double));
    }
}

static void assert_same_model(const VmafModel *a, const VmafModel *b)
{
    const ModelParameters *p = &a->parameters, *q = &b->parameters;
    assert_string_equal(a->name, b->name);
    assert_int_equal(p->type, q->type);
    assert_int_equal(p->normalisation, q->normalisation);
    assert_memory_equal(&p->score_map, &q->score_map, sizeof(p->score_map));
    assert_int_equal(p->has_clip, q->has_clip);
    assert_true(p->clip_min == q->clip_min && p->clip_max == q->clip_max);
    assert_true(p->chroma_correction == q->chroma_correction);
    assert_memory_equal(&p->transform, &q->transform, sizeof(p->transform));
    assert_int_equal(a->n_features, b->n_features);
    for (unsigned i = 0; i < a->n_features; i++) {
        const ModelFeature *x = &a->features[i], *y = &b->features[i];
        assert_string_equal(x->name, y->name);
        assert_memory_equal(&x->map, &y->map, sizeof(x->map));
        assert_same_options(x->options, y->options);
        assert_true(x->key ? y->key && !strcmp(x->key, y->key) : !y->key);
    }
    assert_same_svr(a->svr, b->svr);
    assert_same_predictions(a, b);
}

static void compare_single(const char *version, uint64_t flags)
{
    VmafModelConfig plain = {0}, cfg = {.flags = flags};
    VmafModel *source, *builtin, *from_file;
    assert_int_equal(vmaf_model_load(&source, &plain, version), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    write_model(file, source);
    fclose(file);
    assert_int_equal(vmaf_model_load(&builtin, &cfg, version), 0);
    assert_int_equal(vmaf_model_load_from_path(&from_file, &cfg, path), 0);
    if (flags & VMAF_MODEL_FLAG_DISABLE_CLIP) /* has no values to compare in the file's model */
        builtin->parameters.clip_min = builtin->parameters.clip_max = 0;
    assert_same_model(builtin, from_file);
    vmaf_model_destroy(source);
    vmaf_model_destroy(builtin);
    vmaf_model_destroy(from_file);
}

static void compare_collection(const char *version)
{
    VmafModelConfig cfg = {.name = "boot"};
    VmafModel *base, *file_base;
    VmafModelCollection *collection, *file_collection;
    assert_int_equal(vmaf_model_collection_load(&base, &collection, &cfg, version), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"0\": ", file);
    write_model(file, base);
    for (unsigned i = 0; i < collection->n_members; i++) {
        fprintf(file, ", \"%u\": ", i + 1);
        write_model(file, collection->members[i]);
    }
    fputs("}", file);
    fclose(file);

    assert_int_equal(vmaf_model_collection_load_from_path(&file_base, &file_collection, &cfg, path),
                     0);
    assert_same_model(base, file_base);
    assert_int_equal(collection->n_members, file_collection->n_members);
    for (unsigned i = 0; i < collection->n_members; i++)
        assert_same_model(collection->members[i], file_collection->members[i]);

    VmafModel *text_base;
    VmafModelCollection *text_collection;
    char *text = file_content(path);
    assert_non_null(text);
    const size_t size = strlen(text);
    assert_int_equal(vmaf_model_load_text(&text_base, &text_collection, &cfg, text, size), 0);
    assert_same_model(base, text_base);
    assert_non_null(text_collection);
    assert_int_equal(collection->n_members, text_collection->n_members);
    vmaf_model_destroy(text_base);
    assert_int_equal(vmaf_model_load_text(&text_base, NULL, &cfg, text, size), -EINVAL);
    free(text);

    /* The two kinds of file are told apart. */
    VmafModel *single;
    assert_int_equal(vmaf_model_load_from_path(&single, &cfg, path), -EINVAL);
    assert_null(single);
    vmaf_model_destroy(base);
    vmaf_model_destroy(file_base);
    vmaf_model_collection_destroy(collection);
    vmaf_model_collection_destroy(file_collection);
    vmaf_model_collection_destroy(text_collection);
}

CASE(builtin_models_survive_a_round_trip)
{
    int is_collection;
    const char *version;
    for (unsigned i = 0; (version = builtin_model_name(i, &is_collection)); i++) {
        if (is_collection) {
            compare_collection(version);
        } else {
            compare_single(version, 0);
            compare_single(version, VMAF_MODEL_FLAG_DISABLE_CLIP);
        }
    }
}

CASE(numbers_in_files_do_not_depend_on_the_locale)
{
    static const char *const comma_locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                                "fr_FR.UTF-8", "fr_FR",      "pt_BR.UTF-8"};
    VmafModelConfig cfg = {0};
    VmafModel *before, *after;
    compare_single("vmaf_v1.0.16_3d0h", 0); /* leaves its file behind */
    assert_int_equal(vmaf_model_load_from_path(&before, &cfg, path), 0);
    const char *found = NULL;
    for (unsigned i = 0; !found && i < sizeof(comma_locales) / sizeof(comma_locales[0]); i++)
        found = setlocale(LC_ALL, comma_locales[i]);
    int err = vmaf_model_load_from_path(&after, &cfg, path);
    setlocale(LC_ALL, "C");
    assert_int_equal(err, 0);
    assert_same_model(before, after);
    vmaf_model_destroy(before);
    vmaf_model_destroy(after);
    if (!found)
        skip();
}

/* -- rules of the format -- */

#define SVR(value)                                                                                 \
    "\"model\": \"svm_type nu_svr\\nkernel_type rbf\\ngamma 0.5\\nnr_class 2\\n"                   \
    "total_sv 1\\nrho 0.25\\nSV\\n" value " 1:0.5 \\n\""
/* A model with the members given; what comes last counts. */
#define DICT(members)                                                                              \
    "{\"model_dict\": {\"model_type\": \"LIBSVMNUSVR\", \"norm_type\": \"none\", "                 \
    "\"feature_names\": [\"VMAF_integer_feature_adm2_score\"], " SVR("2") members "}}"

CASE(members_are_checked)
{
    static const uint64_t no_clip = VMAF_MODEL_FLAG_DISABLE_CLIP;
    static const char eleven_knots[] =
        "\"knots\": [[0,0],[1,1],[2,2],[3,3],[4,4],[5,5],[6,6],[7,7],[8,8],[9,9],[10,10]]";
    static const struct {
        const char *text;
        uint64_t flags;
        int expected;
    } cases[] = {
        {DICT(""), 0, 0},
        {DICT(", \"nosuch\": {\"a\": [1, {\"b\": null}]}"), 0, 0},
        {DICT(", \"model_type\": \"BOOTSTRAP_LIBSVMNUSVR\""), 0, 0},
        {DICT(", \"model_type\": \"nosuch\""), 0, -EINVAL},
        {DICT(", \"model_type\": 1"), 0, -EINVAL},
        {DICT(", \"norm_type\": \"clip_0to1\""), 0, -EINVAL},
        {DICT(", \"norm_type\": null"), 0, -EINVAL},
        {DICT(", \"score_clip\": [0, 100.0, \"ignored\"]"), 0, 0},
        {DICT(", \"score_clip\": [0]"), 0, -EINVAL},
        {DICT(", \"score_clip\": [0, \"100\"]"), 0, -EINVAL},
        {DICT(", \"score_clip\": []"), 0, -EINVAL},
        {DICT(", \"score_clip\": null"), 0, -EINVAL},
        {DICT(", \"score_clip\": [0]"), no_clip, 0},
        {DICT(", \"score_clip\": [\"a\", \"b\"]"), no_clip, 0},
        {DICT(", \"score_clip\": null"), no_clip, -EINVAL},
        {DICT(", \"slopes\": [1, 2]"), 0, 0},
        {DICT(", \"slopes\": [1, 2, 3, 4]"), 0, 0},
        {DICT(", \"slopes\": []"), 0, -EINVAL},
        {DICT(", \"slopes\": 1"), 0, -EINVAL},
        {DICT(", \"slopes\": [\"1\"]"), 0, -EINVAL},
        {DICT(", \"intercepts\": []"), 0, -EINVAL},
        {DICT(", \"intercepts\": {}"), 0, -EINVAL},
        {DICT(", \"intercepts\": [null]"), 0, -EINVAL},
        {DICT(", \"feature_names\": []"), 0, 0},
        {DICT(", \"feature_names\": [\"nobody_provides_this\"]"), 0, 0},
        {DICT(", \"feature_names\": \"adm\""), 0, -EINVAL},
        {DICT(", \"feature_names\": [1]"), 0, -EINVAL},
        {DICT(", \"feature_opts_dicts\": [{}]"), 0, 0},
        {DICT(", \"feature_opts_dicts\": [{}, {\"beyond\": 1}]"), 0, 0},
        {DICT(", \"feature_opts_dicts\": {}"), 0, -EINVAL},
        {DICT(", \"feature_opts_dicts\": [1]"), 0, -EINVAL},
        {DICT(", \"feature_opts_dicts\": [{\"a\": null}]"), 0, -EINVAL},
        {DICT(", \"feature_opts_dicts\": [{\"a\": [1]}]"), 0, -EINVAL},
        {DICT(", \"feature_opts_dicts\": [{\"a\": {}}]"), 0, -EINVAL},
        {DICT(", \"feature_opts_dicts\": [{\"a\": 1, \"a\": 1.0}]"), 0, 0},
        {DICT(", \"feature_opts_dicts\": [{\"a\": 1, \"b\": 2}, {\"a\": 2}]"), 0, 0},
        {DICT(", \"feature_opts_dicts\": [{\"a\": 1, \"b\": 2, \"a\": 2}]"), 0, -EINVAL},
        {DICT(", \"feature_opts_dicts\": [{}, {\"a\": \"x\\\"}\", \"\\u0061\": \"y\"}]"), 0,
         -EINVAL},
        {DICT(", \"score_transform\": {}"), 0, 0},
        {DICT(", \"score_transform\": []"), 0, -EINVAL},
        {DICT(", \"score_transform\": null"), 0, -EINVAL},
        {DICT(", \"score_transform\": {\"enabled\": true, \"nosuch\": []}"), 0, 0},
        {DICT(", \"score_transform\": {\"enabled\": \"true\"}"), 0, -EINVAL},
        {DICT(", \"score_transform\": {\"enabled\": 1}"), 0, -EINVAL},
        {DICT(", \"score_transform\": {\"p0\": 1, \"p1\": 2.5, \"p2\": null}"), 0, 0},
        {DICT(", \"score_transform\": {\"p0\": \"1\"}"), 0, -EINVAL},
        {DICT(", \"score_transform\": {\"p2\": true}"), 0, -EINVAL},
        {DICT(", \"score_transform\": {\"knots\": [[0, 0], [1], []]}"), 0, 0},
        {DICT(", \"score_transform\": {\"knots\": null}"), 0, 0},
        {DICT(", \"score_transform\": {\"knots\": [[0, 0, 0]]}"), 0, -EINVAL},
        {DICT(", \"score_transform\": {\"knots\": [0]}"), 0, -EINVAL},
        {DICT(", \"score_transform\": {\"knots\": [[\"0\", 1]]}"), 0, -EINVAL},
        {DICT(", \"score_transform\": {\"knots\": {}}"), 0, -EINVAL},
        {DICT(", \"score_transform\": {\"out_lte_in\": \"true\", \"out_gte_in\": \"no\"}"), 0, 0},
        {DICT(", \"score_transform\": {\"out_lte_in\": true}"), 0, 0},
        {DICT(", \"score_transform\": {\"out_lte_in\": 1}"), 0, -EINVAL},
        {DICT(", \"chroma_correction_parameter\": 0"), 0, 0},
        {DICT(", \"chroma_correction_parameter\": \"120\""), 0, -EINVAL},
        {DICT(", \"model\": \"\""), 0, -EINVAL},
        {DICT(", \"model\": 1"), 0, -EINVAL},
        {DICT(", \"model\": \"garbage\""), 0, -ENOMEM},
        {"{\"model_dict\": {}}", 0, -EINVAL}, /* no support vectors */
        {"{\"model_dict\": []}", 0, -EINVAL},
        {"{\"nosuch\": {}}", 0, -EINVAL},
        {"[]", 0, -EINVAL},
        {"1", 0, -EINVAL},
        {"", 0, -EINVAL},
        {"# Models\n", 0, -EINVAL},
        {DICT("") " garbage }", 0, 0},
        {DICT(", \"slopes\": [1, 2"), 0, -EINVAL},
        {DICT(", \"slopes\": [01]"), 0, -EINVAL},
        {DICT(", // comment\n \"slopes\": [1]"), 0, -EINVAL},
        {DICT(", \"a\": \"\xff\""), 0, -EINVAL},
        {DICT(", \"a\": \"\\ud83d\\ude00\""), 0, 0},
        {DICT(", \"a\": \"\\ud83d\""), 0, -EINVAL},
    };
    char text[2048];

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int err = load_text(cases[i].text, cases[i].flags);
        if (err != cases[i].expected)
            fail_msg("%d, expected %d: %s", err, cases[i].expected, cases[i].text);
    }
    snprintf(text, sizeof(text), DICT(", \"score_transform\": {%s}"), eleven_knots);
    assert_int_equal(load_text(text, 0), -EINVAL);
}

CASE(lists_have_a_limit)
{
    static const struct {
        const char *key, *element;
        unsigned limit;
    } lists[] = {{"slopes", "1", 65},
                 {"intercepts", "0.5", 65},
                 {"feature_names", "\"x\"", 64},
                 {"feature_opts_dicts", "{}", 64}};
    for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        for (unsigned extra = 0; extra < 2; extra++) {
            char elements[1024] = "", text[4096];
            for (unsigned n = 0; n < lists[i].limit + extra; n++) {
                strcat(elements, n ? "," : "");
                strcat(elements, lists[i].element);
            }
            snprintf(text, sizeof(text), DICT(", \"%s\": [%s]"), lists[i].key, elements);
            assert_int_equal(load_text(text, 0), extra ? -EINVAL : 0);
        }
    }
}

CASE(every_truncation_is_refused)
{
    char text[] = DICT(", \"slopes\": [1.5, 2], \"feature_opts_dicts\": [{\"a\": \"b\"}]");
    for (size_t length = sizeof(text) - 2; length > 0; length--) {
        text[length] = '\0';
        assert_int_equal(load_text(text, 0), -EINVAL);
    }
}

CASE(option_values_become_text)
{
    static const char text[] =
        DICT(", \"feature_opts_dicts\": [{\"a\": 1.0, \"b\": 0.19, \"c\": 1080, "
             "\"d\": 1.23456789012, \"e\": 1234567, \"f\": true, \"g\": false, "
             "\"h\": \"1.0\", \"i\": -0.5, \"j\": \"bilinear\"}]");
    static const char *const expected[][2] = {
        {"a", "1"},    {"b", "0.19"},  {"c", "1080"}, {"d", "1.23457"}, {"e", "1.23457e+06"},
        {"f", "true"}, {"g", "false"}, {"h", "1.0"},  {"i", "-0.5"},    {"j", "bilinear"}};
    VmafModel *model;
    assert_int_equal(load_flags(&model, text, 0), 0);
    for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_string_equal(dictionary_get(model_feature_options(model, 0), expected[i][0]),
                            expected[i][1]);
    vmaf_model_destroy(model);
}

CASE(ten_knots_are_read)
{
    static const char text[] = DICT(
        ", \"score_transform\": {\"knots\": [[0, 0.5], [1, 1.5], [2, 2.5], [3, 3.5], [4, 4.5], "
        "[5, 5.5], [6, 6.5], [7, 7.5], [8, 8.5], [9, 9.5]]}");
    VmafModel *model;
    assert_int_equal(load_flags(&model, text, 0), 0);
    const ScoreTransform *transform = &model->parameters.transform;
    assert_int_equal(transform->n_knots, TRANSFORM_MAX_KNOTS);
    for (unsigned k = 0; k < TRANSFORM_MAX_KNOTS; k++)
        assert_true(transform->knots[k].x == k && transform->knots[k].y == k + 0.5);
    vmaf_model_destroy(model);
}

CASE(flags_switch_clip_and_transform)
{
    static const char text[] = DICT(", \"score_clip\": [0, 1], \"score_transform\": "
                                    "{\"p0\": 3, \"knots\": [[0, 0], [1, 5], [4, 6]], "
                                    "\"out_lte_in\": \"true\"}");
    VmafModel *model;
    assert_int_equal(load_flags(&model, text, 0), 0);
    assert_true(model->parameters.has_clip && !model->parameters.transform.enabled);
    assert_int_equal(model->parameters.transform.n_knots, 3);
    assert_true(model->parameters.transform.knots[2].y == 6);
    assert_true(model->parameters.transform.out_lte_in && !model->parameters.transform.out_gte_in);
    vmaf_model_destroy(model);
    assert_int_equal(
        load_flags(&model, text, VMAF_MODEL_FLAG_DISABLE_CLIP | VMAF_MODEL_FLAG_ENABLE_TRANSFORM),
        0);
    assert_true(!model->parameters.has_clip && model->parameters.transform.enabled);
    vmaf_model_destroy(model);
}

CASE(model_without_normalisation_loads_but_does_not_predict)
{
    VmafModel *model;
    double x = 0.5, score;
    assert_int_equal(load_flags(&model, "{\"model_dict\": {" SVR("2") "}}", 0), 0);
    assert_int_equal(model_predict(model, &x, NULL, &score), -EINVAL);
    vmaf_model_destroy(model);
    assert_int_equal(load_flags(&model, DICT(""), 0), 0);
    assert_int_equal(model_predict(model, &x, NULL, &score), 0);
    assert_true(score == 2 - 0.25);
    vmaf_model_destroy(model);
}

CASE(unreadable_paths_are_refused)
{
    VmafModelConfig cfg = {0};
    VmafModel *model;
    VmafModelCollection *collection;
    static const char *const paths[] = {"/nonexistent/model.json", "/nonexistent/model.pkl", ".",
                                        ""};
    for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        assert_int_equal(vmaf_model_load_from_path(&model, &cfg, paths[i]), -EINVAL);
        assert_null(model);
        assert_int_equal(vmaf_model_collection_load_from_path(&model, &collection, &cfg, paths[i]),
                         -EINVAL);
        assert_null(model);
        assert_null(collection);
    }
    static const char with_nul[] = "{\"model_dict\": \0 {}}";
    file_put(path, with_nul, sizeof(with_nul) - 1);
    assert_int_equal(vmaf_model_load_from_path(&model, &cfg, path), -EINVAL);
}

/* -- collections -- */

#define ENTRY(type, coefficient)                                                                   \
    "{\"model_dict\": {\"model_type\": \"" type                                                    \
    "\", \"norm_type\": \"none\", " SVR(coefficient) "}}"
#define BOOT(coefficient) ENTRY("BOOTSTRAP_LIBSVMNUSVR", coefficient)
#define RESIDUE           ENTRY("RESIDUEBOOTSTRAP_LIBSVMNUSVR", "1")

CASE(entries_of_a_collection_are_read_in_order)
{
    static const struct {
        const char *text;
        int expected;
        unsigned members;
    } cases[] = {
        {"{\"0\": " BOOT("1") ", \"1\": " BOOT("2") "}", 0, 1},
        {"{\"x\": 1, \"0\": " BOOT("1") ", \"y\": {}, \"1\": " BOOT("2") "}", 0, 1},
        {"{\"0\": " BOOT("1") ", \"1\": " BOOT("2") ", \"3\": " BOOT("4") "}", 0, 1},
        {"{\"0\": " BOOT("1") ", \"1\": " BOOT("2") ", \"2\": " BOOT("3") "}", 0, 2},
        {"{\"1\": " BOOT("2") ", \"0\": " BOOT("1") ", \"2\": " BOOT("3") "}", -EINVAL, 0},
        {"{\"0\": " BOOT("1") "}", -EINVAL, 0},
        {"{\"0\": " RESIDUE ", \"1\": " BOOT("2") "}", 0, 1},
        {"{\"0\": " BOOT("1") ", \"1\": " BOOT("2") ", \"2\": " RESIDUE "}", -EINVAL, 0},
        {"{\"0\": " BOOT("1") ", \"1\": 5}", -EINVAL, 0},
        {"{\"0\": " BOOT("1") ", \"1\": " BOOT("x") "}", -ENOMEM, 0},
        {BOOT("1"), -EINVAL, 0},
        {"{}", -EINVAL, 0},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        VmafModelConfig cfg = {0};
        VmafModel *base;
        VmafModelCollection *collection;
        file_put(path, cases[i].text, strlen(cases[i].text));
        int err = vmaf_model_collection_load_from_path(&base, &collection, &cfg, path);
        if (err != cases[i].expected)
            fail_msg("%d, expected %d: %s", err, cases[i].expected, cases[i].text);
        assert_true((base != NULL) == (err == 0));
        assert_true((collection != NULL) == (err == 0));
        if (err)
            continue;
        assert_int_equal(model_collection_size(collection), cases[i].members);
        assert_true(model_collection_member(collection, 0)->svr->coefficients[0] == 2);
        vmaf_model_destroy(base);
        vmaf_model_collection_destroy(collection);
    }
}

CASES_SHARE(test_folder_enter, test_folder_remove);
