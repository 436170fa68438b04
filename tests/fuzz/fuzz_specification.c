/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Input: the argument of --model or --feature, parsed and checked as either. */
#include "fuzz.h"
#include "options/options.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_INPUT = 4096 };

static void try_model(const char *text)
{
    ModelSpec model;
    Message why;
    if (model_spec_parse(&model, text, &why))
        return;
    const int sources = (model.version != NULL) + (model.path != NULL) + model.is_auto;
    if (sources != 1 || !model_spec_label(&model) || !model.name[0])
        abort();
    if (model_spec_check(&model, &why) == 0) {
        for (unsigned i = 0; i < model.n_overloads; i++) {
            if (!model.overloads[i].extractor[0] || !model.overloads[i].option[0])
                abort();
        }
    }
    model_spec_free(&model);
}

static void try_feature(const char *text)
{
    FeatureSpec feature;
    Message why;
    if (feature_spec_parse(&feature, text, &why))
        return;
    VmafFeatureDictionary *dictionary = NULL;
    if (!feature.name[0] || (!feature.n_options && !feature_spec_same_keys(&feature, &feature)))
        abort();
    if (feature_spec_check(&feature, &why) == 0 &&
        feature_spec_dictionary(&feature, &dictionary) == 0 && dictionary)
        vmaf_feature_dictionary_free(&dictionary);
    feature_spec_free(&feature);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[MAX_INPUT + 1];
    if (size > MAX_INPUT)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    try_model(text);
    try_feature(text);
    return 0;
}
