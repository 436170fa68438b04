/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_FEATURE_SPEC_H
#define CLI_FEATURE_SPEC_H

#include <stdbool.h>

#include "common/messages.h"

#include "libvmaf/feature.h"

/* NAME or NAME=OPTION=VALUE:OPTION=VALUE..., taken apart. */
typedef struct FeatureOption {
    const char *name;
    const char *value;
} FeatureOption;

typedef struct FeatureSpec {
    const char *name;
    unsigned n_options;
    FeatureOption *options;
    char *text; /* what the pointers above point into */
} FeatureSpec;

/* 0; -EINVAL for text that cannot be taken apart; -ENOMEM. Free with feature_spec_free. */
int feature_spec_parse(FeatureSpec *spec, const char *text, Message *why);
void feature_spec_free(FeatureSpec *spec);

/*
 * Does the extractor have all these options? -EINVAL with a suggestion if not. An extractor that
 * the library does not have passes: the library itself refuses it later, and its way of saying so
 * is part of the interface.
 */
int feature_spec_check(const FeatureSpec *spec, Message *why);

/* One option, checked; for --feature and for overloads in models alike. */
int feature_option_check(const char *extractor, const char *option, Message *why);

/* Could the scores of the two have the same keys? Only options that show in keys tell them apart.
 */
bool feature_spec_same_keys(const FeatureSpec *a, const FeatureSpec *b);

/* Options as the library takes them; *dictionary is NULL if there are none. 0 or -ENOMEM. */
int feature_spec_dictionary(const FeatureSpec *spec, VmafFeatureDictionary **dictionary);

#endif
