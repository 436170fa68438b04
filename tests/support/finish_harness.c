/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/finish_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "finish_harness: %s\n", what);
    abort();
}

static void *allocate(size_t size)
{
    void *block = calloc(1, size ? size : 1);
    require(block, "out of memory");
    return block;
}

static void unknown_option(void *cookie, const char *name)
{
    (void)cookie;
    (void)name;
    require(false, "unknown option");
}

/* String options point into the dictionary. */
static void *parse_options(const FeatureExtractor *extractor, const char *text, Dictionary *dict)
{
    char copy[512];
    require(strlen(text) < sizeof(copy), "options too long");
    strcpy(copy, text);
    char *rest = NULL;
    for (char *name = strtok_r(copy, ":", &rest); name; name = strtok_r(NULL, ":", &rest)) {
        char *value = strchr(name, '=');
        require(value, "option without a value");
        *value++ = '\0';
        require(dictionary_set(dict, name, value) == 0, "out of memory");
    }
    void *options = allocate(extractor->options_size);
    if (options_parse(options, extractor->options, dict, unknown_option, NULL, NULL)) {
        free(options);
        options = NULL;
    }
    return options;
}

/* One block with the strings that they point to. */
static void *copy_options(const FeatureExtractor *extractor, const void *options)
{
    enum { STRINGS = 512 };
    char *copy = allocate(extractor->options_size + STRINGS);
    memcpy(copy, options, extractor->options_size);
    char *string = copy + extractor->options_size;
    for (const OptionSpec *spec = extractor->options; spec->name; spec++) {
        if (spec->type != OPTION_STRING || !option_string(options, spec))
            continue;
        const size_t size = strlen(option_string(options, spec)) + 1;
        require(string + size <= copy + extractor->options_size + STRINGS, "strings too long");
        memcpy(string, option_string(options, spec), size);
        option_set_string(copy, spec, string);
        string += size;
    }
    return copy;
}

void *harness_options(const FeatureExtractor *extractor, const char *text)
{
    Dictionary *dict = dictionary_create();
    require(dict, "out of memory");
    void *options = parse_options(extractor, text, dict);
    void *copy = options ? copy_options(extractor, options) : NULL;
    free(options);
    dictionary_destroy(dict);
    return copy;
}

static void record_score(FeatureSink *sink, unsigned output, unsigned index, double value)
{
    FinishHarness *h = (FinishHarness *)sink;
    require(h->n_scores < HARNESS_MAX_SCORES, "too many scores");
    h->scores[h->n_scores++] = (HarnessScore){output, index, value, h->n_frames};
}

static void record_aggregate(FeatureSink *sink, const char *name, double value)
{
    FinishHarness *h = (FinishHarness *)sink;
    require(h->n_aggregates < HARNESS_MAX_AGGREGATES, "too many aggregates");
    h->aggregates[h->n_aggregates++] = (HarnessAggregate){name, value};
}

void harness_start(FinishHarness *h, const FeatureExtractor *extractor, const char *options,
                   const PictureFormat *format)
{
    memset(h, 0, sizeof(*h));
    h->sink.write = record_score;
    h->sink.aggregate = record_aggregate;
    h->extractor = extractor;
    h->format = *format;
    h->dict = dictionary_create();
    require(h->dict, "out of memory");
    h->options = parse_options(extractor, options, h->dict);
    require(h->options, "options refused");
    require(extractor_check_format(extractor, h->options, format, NULL) == 0, "format refused");
    const void *variants[] = {h->options};
    require(extractor_params_create(extractor, &h->params, format, variants, 1, 0) == 0, "no plan");
    require(extractor_scratch_create(extractor, &h->scratch, h->params) == 0, "no scratch");
    h->record = allocate(extractor_record_size(extractor, h->options, format));
    h->state = allocate(extractor->state_size);
}

void harness_frame(FinishHarness *h, const FrameInput *input, unsigned index)
{
    harness_accumulate_bands(h, input, NULL, 0, h->record);
    if (!h->extractor->condense) {
        harness_record(h, h->record, index);
        return;
    }
    const size_t size = extractor_record_size(h->extractor, h->options, &h->format);
    void *condensed = allocate(size);
    memcpy(condensed, h->record, size);
    h->extractor->condense(h->params, h->scratch, &condensed);
    harness_record(h, condensed, index);
    free(condensed);
}

void harness_record(FinishHarness *h, const void *record, unsigned index)
{
    const FinishInput input = {
        .state = h->state,
        .options = h->options,
        .format = &h->format,
        .record = record,
        .position = h->n_frames,
        .index = index,
    };
    h->n_frames++;
    h->sink.index = index;
    require(h->extractor->finish(&input, &h->sink) == 0, "finish failed");
}

void harness_flush(FinishHarness *h)
{
    const FinishInput input = {.state = h->state, .options = h->options, .format = &h->format};
    if (h->extractor->flush)
        require(h->extractor->flush(&input, &h->sink) == 0, "flush failed");
}

void harness_stop(FinishHarness *h)
{
    extractor_scratch_destroy(h->extractor, h->scratch);
    extractor_params_destroy(h->extractor, h->params);
    if (h->extractor->state_destroy)
        h->extractor->state_destroy(h->state);
    free(h->record);
    free(h->state);
    free(h->options);
    dictionary_destroy(h->dict);
}

const HarnessScore *harness_find(const FinishHarness *h, unsigned output, unsigned index)
{
    const HarnessScore *found = NULL;
    for (unsigned i = 0; i < h->n_scores; i++) {
        if (h->scores[i].output != output || h->scores[i].index != index)
            continue;
        require(!found, "a score was written twice");
        found = &h->scores[i];
    }
    return found;
}

double harness_score(const FinishHarness *h, unsigned output, unsigned index)
{
    const HarnessScore *score = harness_find(h, output, index);
    require(score, "a score is missing");
    return score->value;
}

double harness_aggregate(const FinishHarness *h, const char *name)
{
    for (unsigned i = 0; i < h->n_aggregates; i++) {
        if (!strcmp(h->aggregates[i].name, name))
            return h->aggregates[i].value;
    }
    require(false, "an aggregate is missing");
    return 0;
}

void harness_accumulate_bands(const FinishHarness *h, const FrameInput *input, const unsigned *cuts,
                              unsigned n_cuts, void *record)
{
    const FeatureExtractor *extractor = h->extractor;
    const size_t size = extractor_record_size(extractor, h->options, &h->format);
    void *part = allocate(size);
    memset(record, 0, size);
    /* Last to first, so that scratch memory does not by chance hold what a band needs. */
    for (unsigned i = n_cuts + 1; i-- > 0;) {
        const RowBand band = {i == 0 ? 0 : cuts[i - 1], i == n_cuts ? h->format.h[0] : cuts[i]};
        memset(part, 0, size);
        require(extractor->accumulate(h->params, h->scratch, input, band, &part) == 0,
                "accumulate failed");
        if (n_cuts)
            extractor->merge(record, part, size);
        else
            memcpy(record, part, size);
    }
    free(part);
}

unsigned sample_white(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)x, (void)y, (void)plane, (void)frame;
    return (1u << bpc) - 1;
}

unsigned sample_black(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)x, (void)y, (void)plane, (void)frame, (void)bpc;
    return 0;
}

unsigned sample_grey(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)x, (void)y, (void)plane, (void)frame;
    return 1u << (bpc - 1);
}

VmafPicture harness_picture(const PictureFormat *format, HarnessSample sample, unsigned frame)
{
    VmafPicture pic = {.pix_fmt = format->pix_fmt, .bpc = format->bpc};
    const size_t sample_size = format->bpc > 8 ? 2 : 1;
    for (unsigned p = 0; p < 3; p++) {
        const unsigned w = format->w[p], h = format->h[p];
        pic.w[p] = w;
        pic.h[p] = h;
        if (!w || !h)
            continue;
        /* No padding after the last row, so that sanitizers notice reads beyond it. */
        const size_t stride = (w + 5) * sample_size;
        pic.stride[p] = (ptrdiff_t)stride;
        pic.data[p] = allocate(stride * (h - 1) + w * sample_size);
        for (unsigned y = 0; y < h; y++) {
            char *row = (char *)pic.data[p] + y * stride;
            for (unsigned x = 0; x < w; x++) {
                const unsigned value = sample(x, y, p, frame, format->bpc);
                if (sample_size == 1)
                    ((uint8_t *)row)[x] = (uint8_t)value;
                else
                    ((uint16_t *)row)[x] = (uint16_t)value;
            }
        }
    }
    return pic;
}

void harness_picture_free(VmafPicture *pic)
{
    for (unsigned p = 0; p < 3; p++)
        free(pic->data[p]);
}

PictureFormat harness_format(enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h)
{
    PictureFormat format = {.pix_fmt = pix_fmt, .bpc = bpc, .w = {w}, .h = {h}};
    for (unsigned p = 1; p < 3 && pix_fmt != VMAF_PIX_FMT_YUV400P; p++) {
        format.w[p] = pix_fmt == VMAF_PIX_FMT_YUV444P ? w : w / 2;
        format.h[p] = pix_fmt == VMAF_PIX_FMT_YUV420P ? h / 2 : h;
    }
    return format;
}
