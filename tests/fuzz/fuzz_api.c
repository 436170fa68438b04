/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Input: a program for the public interface. Each byte is a call, or an argument of the one before
 * it; an input that ends early reads as zeros. Calls come in any order, even a forbidden one unless
 * that is undefined behaviour: after a rejected call the context must still work.
 */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>

#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_ext.h"

enum { MAX_CALLS = 48, CONTEXTS = 2, MODELS = 2, PICTURES = 4, MAX_SCORED_FRAMES = 6 };

typedef struct Machine {
    const uint8_t *next, *end;
    VmafContext *contexts[CONTEXTS];
    unsigned n_scored, n_checks;
    VmafModel *models[MODELS];
    VmafModelCollection *collection;
    VmafPicture pictures[PICTURES]; /* without a reference: data[0] is NULL */
    VmafFeatureDictionary *options;
} Machine;

static unsigned byte(Machine *m)
{
    return m->next < m->end ? *m->next++ : 0;
}

/* Mostly small numbers, and the largest. */
static unsigned number(Machine *m)
{
    const unsigned value = byte(m);
    return value == 255 ? 4294967295u : value == 254 ? 1u << 31 : value % 8;
}

static VmafContext *context(Machine *m)
{
    return m->contexts[byte(m) % CONTEXTS];
}

static VmafModel *model(Machine *m)
{
    return m->models[byte(m) % MODELS];
}

static VmafPicture *picture(Machine *m)
{
    return &m->pictures[byte(m) % PICTURES];
}

static const char *text_of(Machine *m, const char *const texts[], unsigned count)
{
    const unsigned i = byte(m) % (count + 1);
    return i < count ? texts[i] : NULL;
}

#define TEXT(machine, texts) text_of(machine, texts, sizeof(texts) / sizeof((texts)[0]))

static const char *key(Machine *m)
{
    static const char *const keys[] = {
        "float_psnr",
        "psnr_y",
        "motion2",
        "VMAF_integer_feature_motion2_score",
        "VMAF_integer_feature_motion3_score",
        "VMAF_feature_motion2_score",
        "VMAF_integer_feature_adm2_score",
        "VMAF_integer_feature_vif_scale0_score",
        "VMAF_integer_feature_vif_scale1_score",
        "VMAF_integer_feature_vif_scale2_score",
        "VMAF_integer_feature_vif_scale3_score",
        "m",
        "m_0001",
        "a \"quoted\"\n<name>\xff",
        "",
    };
    return TEXT(m, keys);
}

static void open_context(Machine *m)
{
    VmafContext **place = &m->contexts[byte(m) % CONTEXTS];
    const unsigned n_threads = byte(m);
    if (*place)
        return;
    const VmafConfiguration cfg = {
        .log_level = VMAF_LOG_LEVEL_NONE,
        /* Few inputs have threads, which take long to start. */
        .n_threads = n_threads > 250 ? n_threads - 250 : 0,
        .n_subsample = number(m),
    };
    if (vmaf_init(place, cfg))
        abort();
}

static void close_context(Machine *m)
{
    VmafContext **place = &m->contexts[byte(m) % CONTEXTS];
    if (*place && vmaf_close(*place))
        abort();
    *place = NULL;
}

static void load_model(Machine *m)
{
    static const char *const versions[] = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_b_v0.6.3",
                                           "no such model", ""};
    VmafModelConfig cfg = {.name = byte(m) % 2 ? "m" : NULL};
    cfg.flags = byte(m);
    VmafModel **place = &m->models[byte(m) % MODELS];
    const bool wants_collection = byte(m) % 8 == 0 && !m->collection;
    if (*place)
        return;
    const char *version = TEXT(m, versions);
    int err = wants_collection ? vmaf_model_collection_load(place, &m->collection, &cfg, version)
                               : vmaf_model_load(place, &cfg, version);
    if (err ? *place != NULL : *place == NULL)
        abort();
}

static void set_option(Machine *m)
{
    static const char *const names[] = {
        "motion_force_zero",  "enable_chroma",       "debug",  "min_sse",
        "motion_filter_size", "adm_enhn_gain_limit", "unknown"};
    static const char *const values[] = {"true", "false", "1", "0", "1.5", "nan", "inf", "-1", ""};
    const char *name = TEXT(m, names);
    (void)vmaf_feature_dictionary_set(&m->options, name, TEXT(m, values));
}

static void use_feature(Machine *m)
{
    static const char *const features[] = {
        "float_psnr", "psnr", "motion",      "float_motion", "float_moment",   "null",
        "vif",        "adm",  "float_ansnr", "psnr_hvs",     "no such feature"};
    VmafContext *vmaf = context(m);
    if (!vmaf_use_feature(vmaf, TEXT(m, features), m->options))
        m->options = NULL;
}

static void overload(Machine *m)
{
    static const char *const features[] = {"adm", "motion", "vif", "psnr", ""};
    const bool whole = byte(m) % 2 && m->collection;
    VmafModel *target = model(m);
    const char *feature = TEXT(m, features);
    if (!target || !feature || !m->options)
        return; /* with a NULL argument the caller keeps the dictionary */
    if (whole)
        (void)vmaf_model_collection_feature_overload(target, &m->collection, feature, m->options);
    else
        (void)vmaf_model_feature_overload(target, feature, m->options);
    m->options = NULL;
}

static void make_picture(Machine *m)
{
    static const struct {
        unsigned w, h;
    } sizes[] = {{8, 8}, {17, 17}, {16, 3}, {1, 1}, {0, 8}, {2, 2}};
    VmafPicture *place = picture(m);
    const unsigned size = byte(m) % 6, bpc = byte(m), format = byte(m) % 6; /* in this order */
    if (place->ref)
        return;
    static const unsigned depths[] = {8, 10, 8, 12, 16, 9, 7, 17};
    if (vmaf_picture_alloc(place, (enum VmafPixelFormat)format, depths[bpc % 8], sizes[size].w,
                           sizes[size].h)) {
        *place = (VmafPicture){.ref = NULL};
        return;
    }
    unsigned char *row = place->data[0];
    for (unsigned y = 0; y < place->h[0]; y++, row += place->stride[0])
        for (unsigned x = 0; x < place->w[0]; x++)
            row[place->bpc > 8 ? 2 * x : x] = (unsigned char)(x * y + bpc);
}

static void read_pictures(Machine *m)
{
    VmafContext *vmaf = context(m);
    VmafPicture *ref = picture(m), *dist = picture(m);
    const unsigned index = number(m);
    if (m->n_scored++ >= MAX_SCORED_FRAMES || ref == dist)
        return;
    if (vmaf_read_pictures(vmaf, ref, dist, index))
        return;
    if (ref->ref || dist->ref)
        abort(); /* the library owns them now */
}

static void ask_scores(Machine *m)
{
    VmafContext *vmaf = context(m);
    VmafModel *of = model(m);
    VmafModelCollectionScore figures;
    double score;
    const unsigned what = byte(m), low = number(m), high = number(m);
    const enum VmafPoolingMethod method = (enum VmafPoolingMethod)(what / 6 % 7);
    switch (what % 6) {
    case 0:
        (void)vmaf_score_at_index(vmaf, of, &score, low);
        break;
    case 1:
        (void)vmaf_feature_score_at_index(vmaf, key(m), &score, low);
        break;
    case 2:
        (void)vmaf_score_pooled(vmaf, of, method, &score, low, high);
        break;
    case 3:
        (void)vmaf_feature_score_pooled(vmaf, key(m), method, &score, low, high);
        break;
    case 4:
        (void)vmaf_score_at_index_model_collection(vmaf, m->collection, &figures, low);
        break;
    default:
        (void)vmaf_score_pooled_model_collection(vmaf, m->collection, method, &figures, low, high);
        break;
    }
}

static void write_report(Machine *m)
{
    static const char *const formats[] = {"%.3f", "%g", "%s", "%n", ""};
    VmafContext *vmaf = context(m);
    const unsigned format = byte(m) % 8;
    (void)vmaf_write_output_with_format(vmaf, "/dev/null", (enum VmafOutputFormat)format,
                                        byte(m) % 4 ? NULL : TEXT(m, formats));
}

static void ask_about(Machine *m)
{
    VmafContext *vmaf = context(m);
    VmafExtractorInfo extractor = {.struct_size = byte(m)};
    VmafOptionInfo option = {.struct_size = byte(m)};
    unsigned planes;
    const unsigned index = number(m);
    (void)vmaf_planes_needed(vmaf, (enum VmafPixelFormat)(byte(m) % 6), &planes);
    (void)vmaf_extractor_info(index, &extractor);
    (void)vmaf_extractor_option_info(byte(m) % 2 ? "adm" : "none", index, &option);
}

static void use_pool(Machine *m)
{
    VmafContext *vmaf = context(m);
    const unsigned what = byte(m);
    VmafPicture *place = picture(m);
    const VmafPictureConfiguration cfg = {
        .pic_params = {.w = 8, .h = 8, .bpc = 8, .pix_fmt = VMAF_PIX_FMT_YUV420P},
        .pic_cnt = what % 4 ? 64 : 0, /* more than an input fetches: a fetch never waits */
    };
    if (what % 2)
        (void)vmaf_preallocate_pictures(vmaf, cfg);
    else if (!place->ref && vmaf_fetch_preallocated_picture(vmaf, place))
        *place = (VmafPicture){.ref = NULL};
}

/* Whatever was rejected before, a score can be imported and read back. */
static void check_context(Machine *m)
{
    VmafContext *vmaf = context(m);
    double score = 0;
    if (!vmaf)
        return;
    const unsigned index = 1000 + m->n_checks++;
    if (vmaf_import_feature_score(vmaf, "check", index, index) ||
        vmaf_feature_score_at_index(vmaf, "check", &score, index) || score != index)
        abort();
}

static void step(Machine *m)
{
    const unsigned call = byte(m) % 20;
    switch (call) {
    case 0:
        open_context(m);
        break;
    case 1:
        close_context(m);
        break;
    case 2:
        load_model(m);
        break;
    case 3: {
        VmafModel **place = &m->models[byte(m) % MODELS];
        vmaf_model_destroy(*place);
        *place = NULL;
        break;
    }
    case 4:
        vmaf_model_collection_destroy(m->collection);
        m->collection = NULL;
        break;
    case 5:
        set_option(m);
        break;
    case 6:
        (void)vmaf_feature_dictionary_free(&m->options);
        break;
    case 7:
    case 8:
        use_feature(m);
        break;
    case 9: {
        VmafContext *vmaf = context(m);
        (void)vmaf_use_features_from_model(vmaf, model(m));
        (void)vmaf_use_features_from_model_collection(vmaf, m->collection);
        break;
    }
    case 10: {
        VmafContext *vmaf = context(m);
        const char *name = key(m);
        const unsigned value = byte(m);
        (void)vmaf_import_feature_score(vmaf, name, value, number(m));
        break;
    }
    case 11:
    case 12:
        make_picture(m);
        break;
    case 13:
    case 14:
        read_pictures(m);
        break;
    case 15: {
        VmafPicture *place = picture(m);
        if (place->ref)
            (void)vmaf_picture_unref(place);
        break;
    }
    case 16:
        if (byte(m) % 2)
            (void)vmaf_read_pictures(context(m), NULL, NULL, 0);
        else
            overload(m);
        break;
    case 17:
        ask_scores(m);
        break;
    case 18:
        write_report(m);
        break;
    default:
        use_pool(m);
        ask_about(m);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The CPU alone: this target must not depend on installed plugins. */
    setenv("VMAF_BACKEND", "cpu", 1);
    Machine m = {.next = data, .end = data + size};
    for (unsigned i = 0; i < MAX_CALLS && m.next < m.end; i++) {
        step(&m);
        check_context(&m);
    }
    (void)vmaf_feature_dictionary_free(&m.options);
    for (unsigned i = 0; i < PICTURES; i++)
        if (m.pictures[i].ref)
            (void)vmaf_picture_unref(&m.pictures[i]);
    for (unsigned i = 0; i < MODELS; i++)
        vmaf_model_destroy(m.models[i]);
    vmaf_model_collection_destroy(m.collection);
    for (unsigned i = 0; i < CONTEXTS; i++)
        if (m.contexts[i] && vmaf_close(m.contexts[i]))
            abort();
    return 0;
}
