/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Return codes for invalid arguments; those of libvmaf 3.2 unless noted. */
#include "api/api_support.h"
#include "support/cases.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static VmafModelConfig default_config;

CASE(context_functions_refuse_null)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load_model("vmaf_v0.6.1");
    VmafPicture pic = {0};

    assert_refused(vmaf_init(NULL, (VmafConfiguration){0}));
    assert_refused(vmaf_close(NULL));
    assert_refused(vmaf_use_features_from_model(NULL, model));
    assert_refused(vmaf_use_features_from_model(vmaf, NULL));
    assert_refused(vmaf_use_features_from_model_collection(vmaf, NULL));
    assert_refused(vmaf_use_features_from_model_collection(NULL, NULL));
    assert_refused(vmaf_use_feature(NULL, "psnr", NULL));
    assert_refused(vmaf_use_feature(vmaf, NULL, NULL));
    assert_refused(vmaf_import_feature_score(NULL, "x", 1, 0));
    assert_refused(vmaf_import_feature_score(vmaf, NULL, 1, 0));
    assert_refused(vmaf_read_pictures(NULL, NULL, NULL, 0));
    assert_refused(vmaf_read_pictures(NULL, &pic, &pic, 0));
    assert_refused(vmaf_read_pictures(vmaf, &pic, NULL, 0));
    assert_refused(vmaf_read_pictures(vmaf, NULL, &pic, 0));
    assert_refused(vmaf_write_output(NULL, "/dev/null", VMAF_OUTPUT_FORMAT_XML));
    assert_refused(vmaf_write_output(vmaf, NULL, VMAF_OUTPUT_FORMAT_XML));
    assert_refused(vmaf_write_output_with_format(NULL, "/dev/null", VMAF_OUTPUT_FORMAT_XML, "%f"));
    assert_refused(vmaf_write_output_with_format(vmaf, NULL, VMAF_OUTPUT_FORMAT_XML, "%f"));
    assert_refused(
        vmaf_score_info(NULL, 0, &(VmafScoreInfo){.struct_size = sizeof(VmafScoreInfo)}));
    assert_refused(vmaf_score_info(vmaf, 0, NULL));
    double value;
    assert_refused(vmaf_feature_score_statistic(NULL, "x", "p1", &value, 0, 0));
    assert_refused(vmaf_feature_score_statistic(vmaf, NULL, "p1", &value, 0, 0));
    assert_refused(vmaf_feature_score_statistic(vmaf, "x", NULL, &value, 0, 0));
    assert_refused(vmaf_feature_score_statistic(vmaf, "x", "p1", NULL, 0, 0));
    assert_refused(vmaf_backend_feature_info("", 0, &(VmafBackendFeatureInfo){0}));
    assert_refused(vmaf_backend_feature_info("cuda", 0, NULL));
    assert_refused(vmaf_planes_needed(NULL, VMAF_PIX_FMT_YUV420P, &(unsigned){0}));
    assert_refused(vmaf_planes_needed(vmaf, VMAF_PIX_FMT_YUV420P, NULL));
    assert_refused(vmaf_backend_select(NULL, "cpu", -1));
    assert_refused(vmaf_backend_select(vmaf, NULL, -1));

    close_with_model(vmaf, model);
}

CASE(score_functions_refuse_null)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load_model("vmaf_v0.6.1");
    VmafModel *base;
    VmafModelCollection *collection;
    assert_success(
        vmaf_model_collection_load(&base, &collection, &default_config, "vmaf_b_v0.6.3"));
    const enum VmafPoolingMethod mean = VMAF_POOL_METHOD_MEAN;
    VmafModelCollectionScore figures;
    double score;
    assert_success(vmaf_import_feature_score(vmaf, "x", 1, 0));

    assert_refused(vmaf_score_at_index(NULL, model, &score, 0));
    assert_refused(vmaf_score_at_index(vmaf, NULL, &score, 0));
    assert_refused(vmaf_score_at_index(vmaf, model, NULL, 0));
    assert_refused(vmaf_score_at_index_model_collection(NULL, collection, &figures, 0));
    assert_refused(vmaf_score_at_index_model_collection(vmaf, NULL, &figures, 0));
    assert_refused(vmaf_score_at_index_model_collection(vmaf, collection, NULL, 0));
    assert_refused(vmaf_feature_score_at_index(NULL, "x", &score, 0));
    assert_refused(vmaf_feature_score_at_index(vmaf, NULL, &score, 0));
    assert_refused(vmaf_feature_score_at_index(vmaf, "x", NULL, 0));
    assert_refused(vmaf_score_pooled(NULL, model, mean, &score, 0, 0));
    assert_refused(vmaf_score_pooled(vmaf, NULL, mean, &score, 0, 0));
    assert_refused(vmaf_score_pooled(vmaf, model, mean, NULL, 0, 0));
    assert_refused(vmaf_score_pooled_model_collection(NULL, collection, mean, &figures, 0, 0));
    assert_refused(vmaf_score_pooled_model_collection(vmaf, NULL, mean, &figures, 0, 0));
    assert_refused(vmaf_score_pooled_model_collection(vmaf, collection, mean, NULL, 0, 0));
    assert_refused(vmaf_feature_score_pooled(NULL, "x", mean, &score, 0, 0));
    assert_refused(vmaf_feature_score_pooled(vmaf, NULL, mean, &score, 0, 0));
    assert_refused(vmaf_feature_score_pooled(vmaf, "x", mean, NULL, 0, 0));

    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(base);
    close_with_model(vmaf, model);
}

CASE(picture_functions_refuse_null)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafPicture pic;
    void *planes[3] = {0};
    ptrdiff_t strides[3] = {0};

    assert_refused(vmaf_picture_alloc(NULL, VMAF_PIX_FMT_YUV420P, 8, 16, 16));
    assert_refused(vmaf_picture_unref(NULL));
    assert_refused(vmaf_fetch_preallocated_picture(NULL, &pic));
    assert_refused(vmaf_fetch_preallocated_picture(vmaf, NULL));
    assert_refused(vmaf_preallocate_pictures(
        NULL, (VmafPictureConfiguration){{16, 16, 8, VMAF_PIX_FMT_YUV420P}, 4}));
    assert_refused(
        vmaf_picture_wrap(NULL, VMAF_PIX_FMT_YUV420P, 8, 16, 16, planes, strides, NULL, NULL));
    assert_refused(
        vmaf_picture_wrap(&pic, VMAF_PIX_FMT_YUV420P, 8, 16, 16, NULL, strides, NULL, NULL));
    assert_refused(
        vmaf_picture_wrap(&pic, VMAF_PIX_FMT_YUV420P, 8, 16, 16, planes, NULL, NULL, NULL));
    assert_success(vmaf_close(vmaf));
}

CASE(dictionary_functions_refuse_null)
{
    VmafFeatureDictionary *dict = NULL;
    assert_refused(vmaf_feature_dictionary_set(NULL, "a", "1"));
    assert_refused(vmaf_feature_dictionary_set(&dict, NULL, "1"));
    assert_refused(vmaf_feature_dictionary_set(&dict, "a", NULL));
    assert_null(dict);
    assert_refused(vmaf_feature_dictionary_free(NULL));
    assert_success(vmaf_feature_dictionary_free(&dict));

    assert_success(vmaf_feature_dictionary_set(&dict, "a", "1"));
    assert_non_null(dict);
    assert_success(vmaf_feature_dictionary_free(&dict));
    assert_null(dict);
}

CASE(model_functions_refuse_null)
{
    VmafModelConfig *cfg = &default_config;
    VmafModel *model = (VmafModel *)cfg, *loaded = load_model("vmaf_v0.6.1");
    VmafModelCollection *collection;

    assert_refused(vmaf_model_load(NULL, cfg, "vmaf_v0.6.1"));
    assert_refused(vmaf_model_load(&model, NULL, "vmaf_v0.6.1"));
    assert_null(model);
    assert_refused(vmaf_model_load(&model, cfg, NULL));
    assert_refused(vmaf_model_load_from_path(NULL, cfg, "x"));
    assert_refused(vmaf_model_load_from_path(&model, NULL, "x"));
    assert_refused(vmaf_model_load_from_path(&model, cfg, NULL));
    assert_refused(vmaf_model_collection_load(NULL, &collection, cfg, "vmaf_b_v0.6.3"));
    assert_refused(vmaf_model_collection_load(&model, NULL, cfg, "vmaf_b_v0.6.3"));
    assert_refused(vmaf_model_collection_load(&model, &collection, NULL, "vmaf_b_v0.6.3"));
    assert_refused(vmaf_model_collection_load(&model, &collection, cfg, NULL));
    assert_refused(vmaf_model_collection_load_from_path(NULL, &collection, cfg, "x"));
    assert_refused(vmaf_model_collection_load_from_path(&model, NULL, cfg, "x"));
    assert_refused(vmaf_model_collection_load_from_path(&model, &collection, NULL, "x"));
    assert_refused(vmaf_model_collection_load_from_path(&model, &collection, cfg, NULL));

    VmafFeatureDictionary *dict = options("adm_enhn_gain_limit", "1", NULL);
    assert_refused(vmaf_model_feature_overload(NULL, "adm", dict));
    assert_refused(vmaf_model_feature_overload(loaded, NULL, dict));
    assert_refused(vmaf_model_feature_overload(loaded, "adm", NULL));
    collection = NULL;
    assert_refused(vmaf_model_collection_feature_overload(loaded, NULL, "adm", dict));
    assert_refused(vmaf_model_collection_feature_overload(loaded, &collection, "adm", dict));
    assert_success(vmaf_feature_dictionary_free(&dict));

    vmaf_model_destroy(NULL);
    vmaf_model_collection_destroy(NULL);
    vmaf_model_destroy(loaded);
}

CASE(loading_what_is_not_there_leaves_null)
{
    char *path = temporary_path();
    VmafModel *model = (VmafModel *)&default_config;
    VmafModelCollection *collection = (VmafModelCollection *)&default_config;

    assert_refused(vmaf_model_load(&model, &default_config, "no_such_model"));
    assert_null(model);
    model = (VmafModel *)&default_config;
    assert_refused(vmaf_model_load_from_path(&model, &default_config, path));
    assert_null(model);
    model = (VmafModel *)&default_config;
    assert_refused(
        vmaf_model_collection_load(&model, &collection, &default_config, "no_such_model"));
    assert_null(model);
    assert_null(collection);
    model = (VmafModel *)&default_config;
    collection = (VmafModelCollection *)&default_config;
    assert_refused(
        vmaf_model_collection_load_from_path(&model, &collection, &default_config, path));
    assert_null(model);
    assert_null(collection);
    free(path);
}

CASE(single_models_and_collections_are_told_apart)
{
    VmafModel *model;
    VmafModelCollection *collection;
    assert_refused(vmaf_model_load(&model, &default_config, "vmaf_b_v0.6.3"));
    assert_null(model);
    assert_refused(vmaf_model_collection_load(&model, &collection, &default_config, "vmaf_v0.6.1"));
    assert_null(model);
    assert_null(collection);
}

CASE(overloading_an_extractor_that_the_model_lacks_does_nothing)
{
    VmafModel *model = load_model("vmaf_v0.6.1");
    assert_success(vmaf_model_feature_overload(model, "nope", options("a", "1", NULL)));
    assert_success(vmaf_model_feature_overload(model, "psnr", options("a", "1", NULL)));
    vmaf_model_destroy(model);
}

#ifndef _WIN32 /* Wine ends a program that starts 4096 threads */
CASE(more_threads_than_make_sense_are_as_good_as_many)
{
    static const unsigned counts[] = {UINT_MAX, UINT_MAX - 1, 1u << 31};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        VmafContext *vmaf = open_with_features(counts[i], 0, "psnr", NULL);
        read_clip(vmaf, tiny, 2);
        assert_true(has_feature_score(vmaf, "psnr_y", 1));
        assert_success(vmaf_close(vmaf));
    }
}
#endif

CASE(pools_with_impossible_pictures_are_refused)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafPicture pic;
    const VmafPictureConfiguration good = {{16, 16, 8, VMAF_PIX_FMT_YUV420P}, 4};
    VmafPictureConfiguration bad = good;

    assert_refused(vmaf_fetch_preallocated_picture(vmaf, &pic));
    bad.pic_cnt = 0;
    assert_refused(vmaf_preallocate_pictures(vmaf, bad));
    bad = good;
    bad.pic_params.w = 0;
    assert_refused(vmaf_preallocate_pictures(vmaf, bad));
    bad = good;
    bad.pic_params.h = 0;
    assert_refused(vmaf_preallocate_pictures(vmaf, bad));
    bad = good;
    bad.pic_params.bpc = 7;
    assert_refused(vmaf_preallocate_pictures(vmaf, bad));
    bad.pic_params.bpc = 17;
    assert_refused(vmaf_preallocate_pictures(vmaf, bad));
    bad = good;
    bad.pic_params.pix_fmt = VMAF_PIX_FMT_UNKNOWN;
    assert_refused(vmaf_preallocate_pictures(vmaf, bad));

    assert_refused(vmaf_fetch_preallocated_picture(vmaf, &pic));
    assert_success(vmaf_preallocate_pictures(vmaf, good));
    assert_int_equal(vmaf_preallocate_pictures(vmaf, good), -EBUSY);
    assert_success(vmaf_close(vmaf));
}

CASE(reports_in_unknown_formats_are_refused)
{
    VmafContext *vmaf = open_context(0, 0);
    char *path = temporary_path();
    assert_refused(vmaf_write_output(vmaf, path, VMAF_OUTPUT_FORMAT_NONE));
    assert_refused(vmaf_write_output(vmaf, path, (enum VmafOutputFormat)9));
    assert_refused(vmaf_write_output(vmaf, "/no/such/folder/report", VMAF_OUTPUT_FORMAT_XML));

    static const char *const bad_formats[] = {"",    "%d",   "%f%f", "%s",        "100%", "%f%n",
                                              "%*f", "%.*f", "text", "%lf f %%n", "%1$f"};
    for (size_t i = 0; i < sizeof(bad_formats) / sizeof(bad_formats[0]); i++)
        assert_refused(
            vmaf_write_output_with_format(vmaf, path, VMAF_OUTPUT_FORMAT_XML, bad_formats[i]));
    assert_int_equal(access(path, F_OK), -1);

    assert_success(vmaf_write_output_with_format(vmaf, path, VMAF_OUTPUT_FORMAT_XML, "%.17g"));
    assert_success(unlink(path));
    assert_success(vmaf_close(vmaf));
    free(path);
}
