/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_INSTANCE_H
#define METRICS_FRAMEWORK_INSTANCE_H

/* An extractor with its options in one context, and the set of a context's instances. */

#include "metrics/framework/collector.h"
#include "metrics/framework/extractor.h"

typedef struct FeatureInstance {
    const FeatureExtractor *extractor;
    Dictionary *dict; /* holds the texts of string options; may be NULL */
    void *options;
    unsigned ordinal; /* position in the order of registration */
    /* The earlier instance with the same visible options, which has the plain keys; NULL if this
     * one has them. */
    const struct FeatureInstance *key_owner;
    void *state;      /* of the sequence */
    Column **columns; /* by output; NULL until the first score */
    int request;      /* the request that accumulates for it; -1: none */
    bool pinned;      /* computed by a backend, never by the CPU */
} FeatureInstance;

typedef struct FeatureSet {
    const Logger *logger;
    FeatureInstance **instances; /* in the order of registration */
    unsigned count, capacity;
    Dictionary *warned; /* "extractor.option" for every unknown option that caused a warning */
} FeatureSet;

void feature_set_init(FeatureSet *set, const Logger *logger);
void feature_set_destroy(FeatureSet *set);

/*
 * Registers an extractor; the dictionary (NULL allowed) is copied. `explicit` is true for a request
 * by the user, false for one by a model: a model uses an existing instance with the same keys,
 * while the user gets a new one unless all options are equal. Unknown options are ignored, with one
 * warning for each: models repeat them for every feature. 0; -EINVAL for a bad value; -ENOMEM.
 */
int feature_set_add(FeatureSet *set, const FeatureExtractor *extractor, const Dictionary *dict,
                    bool is_explicit, Reason *why);

/* The same for an explicit request that only a backend may compute. */
int feature_set_add_pinned(FeatureSet *set, const FeatureExtractor *extractor,
                           const Dictionary *dict, Reason *why);

unsigned feature_output_count(const FeatureExtractor *extractor);

/* The key under which an instance stores an output, and the key of any name with its options. */
void feature_instance_output_key(const FeatureInstance *instance, unsigned output,
                                 char key[FEATURE_KEY_SIZE]);
void feature_instance_key(const FeatureInstance *instance, const char *base_name,
                          char key[FEATURE_KEY_SIZE]);
/* The instance and output behind a key; false if no instance has it. */
bool feature_set_find_key(const FeatureSet *set, const char *key, const FeatureInstance **instance,
                          unsigned *output);

#endif
