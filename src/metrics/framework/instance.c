/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/framework/instance.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned feature_output_count(const FeatureExtractor *extractor)
{
    unsigned n = 0;
    while (extractor->outputs[n].name)
        n++;
    return n;
}

static void instance_destroy(FeatureInstance *instance)
{
    if (!instance)
        return;
    if (instance->state && instance->extractor->state_destroy)
        instance->extractor->state_destroy(instance->state);
    dictionary_destroy(instance->dict);
    free(instance->options);
    free(instance->state);
    free(instance->columns);
    free(instance);
}

typedef struct UnknownOption {
    FeatureSet *set;
    const char *extractor;
} UnknownOption;

/* True if this warning is new. If memory runs out, a warning may be repeated. */
static bool note_warning(FeatureSet *set, const char *extractor, const char *option)
{
    char *name;
    if (!set->warned)
        set->warned = dictionary_create();
    if (!set->warned || asprintf(&name, "%s.%s", extractor, option) < 0)
        return true;
    bool first = !dictionary_get(set->warned, name);
    if (first)
        (void)dictionary_set(set->warned, name, "");
    free(name);
    return first;
}

static void warn_unknown(void *cookie, const char *name)
{
    const UnknownOption *unknown = cookie;
    if (note_warning(unknown->set, unknown->extractor, name))
        log_message(unknown->set->logger, VMAF_LOG_LEVEL_WARNING,
                    "feature extractor \"%s\" has no option \"%s\": ignored", unknown->extractor,
                    name);
}

static int instance_create(FeatureInstance **created, FeatureSet *set,
                           const FeatureExtractor *extractor, const Dictionary *dict, Reason *why)
{
    FeatureInstance *instance = calloc(1, sizeof(*instance));
    int err = -ENOMEM;
    if (!instance)
        return err;
    instance->extractor = extractor;
    instance->request = -1;
    instance->dict = dictionary_copy(dict);
    instance->options = calloc(1, extractor->options_size + 1);
    instance->state = calloc(1, extractor->state_size + 1);
    instance->columns = calloc(feature_output_count(extractor) + 1, sizeof(*instance->columns));
    if ((dict && !instance->dict) || !instance->options || !instance->state || !instance->columns)
        goto fail;

    if (extractor->origin)
        memcpy(instance->options, &extractor->origin, sizeof(extractor->origin));
    UnknownOption unknown = {set, extractor->name};
    err = options_parse(instance->options, extractor->options, instance->dict, warn_unknown,
                        &unknown, why);
    if (!err && extractor->check_options)
        err = extractor->check_options(instance->options, why);
    if (err)
        goto fail;
    *created = instance;
    return 0;

fail:
    instance_destroy(instance);
    return err;
}

void feature_set_init(FeatureSet *set, const Logger *logger)
{
    *set = (FeatureSet){.logger = logger};
}

void feature_set_destroy(FeatureSet *set)
{
    for (unsigned i = 0; i < set->count; i++)
        instance_destroy(set->instances[i]);
    free(set->instances);
    dictionary_destroy(set->warned);
    *set = (FeatureSet){.logger = set->logger};
}

static void log_registration(const FeatureSet *set, const FeatureInstance *instance)
{
    size_t n_options = dictionary_size(instance->dict);
    log_message(set->logger, VMAF_LOG_LEVEL_DEBUG,
                "feature extractor \"%s\" registered with %zu opts", instance->extractor->name,
                n_options);
    for (size_t i = 0; i < n_options; i++) {
        const char *name, *value;
        dictionary_entry(instance->dict, i, &name, &value);
        log_message(set->logger, VMAF_LOG_LEVEL_DEBUG, "%s: %s", name, value);
    }
}

/* True if two instances of one extractor would write the same keys. */
static bool same_keys(const FeatureInstance *a, const FeatureInstance *b)
{
    char key_a[FEATURE_KEY_SIZE], key_b[FEATURE_KEY_SIZE];
    feature_key(key_a, a->extractor->name, a->extractor->options, a->options);
    feature_key(key_b, b->extractor->name, b->extractor->options, b->options);
    return !strcmp(key_a, key_b);
}

/* `serves` receives the instance that serves the request. */
static int add(FeatureSet *set, const FeatureExtractor *extractor, const Dictionary *dict,
               bool is_explicit, FeatureInstance **serves, Reason *why)
{
    if (set->count == set->capacity) {
        unsigned capacity = set->capacity ? set->capacity * 2 : 8;
        void *moved = reallocarray(set->instances, capacity, sizeof(*set->instances));
        if (!moved)
            return -ENOMEM;
        set->instances = moved;
        set->capacity = capacity;
    }

    FeatureInstance *instance;
    int err = instance_create(&instance, set, extractor, dict, why);
    if (err)
        return err;

    for (unsigned i = 0; i < set->count; i++) {
        FeatureInstance *other = set->instances[i];
        if (other->extractor != extractor || !same_keys(other, instance))
            continue;
        if (!is_explicit ||
            options_equal(other->options, instance->options, extractor->options, 0)) {
            instance_destroy(instance);
            *serves = other;
            return 0;
        }
        if (!other->key_owner)
            instance->key_owner = other;
    }

    instance->ordinal = set->count;
    set->instances[set->count++] = *serves = instance;
    log_registration(set, instance);
    return 0;
}

int feature_set_add(FeatureSet *set, const FeatureExtractor *extractor, const Dictionary *dict,
                    bool is_explicit, Reason *why)
{
    FeatureInstance *serves;
    return add(set, extractor, dict, is_explicit, &serves, why);
}

int feature_set_add_pinned(FeatureSet *set, const FeatureExtractor *extractor,
                           const Dictionary *dict, Reason *why)
{
    FeatureInstance *serves;
    int err = add(set, extractor, dict, true, &serves, why);
    if (!err)
        serves->pinned = true;
    return err;
}

void feature_instance_key(const FeatureInstance *instance, const char *base_name,
                          char key[FEATURE_KEY_SIZE])
{
    if (instance->key_owner)
        feature_key_distinct(key, base_name, instance->extractor->options, instance->options,
                             instance->key_owner->options);
    else
        feature_key(key, base_name, instance->extractor->options, instance->options);
}

void feature_instance_output_key(const FeatureInstance *instance, unsigned output,
                                 char key[FEATURE_KEY_SIZE])
{
    const FeatureOutput *spec = &instance->extractor->outputs[output];
    if ((spec->flags & OUTPUT_PROVIDED) || instance->key_owner)
        feature_instance_key(instance, spec->name, key);
    else
        snprintf(key, FEATURE_KEY_SIZE, "%s", spec->name);
}

bool feature_set_find_key(const FeatureSet *set, const char *key, const FeatureInstance **instance,
                          unsigned *output)
{
    for (unsigned i = 0; i < set->count; i++) {
        for (unsigned o = 0; set->instances[i]->extractor->outputs[o].name; o++) {
            char candidate[FEATURE_KEY_SIZE];
            feature_instance_output_key(set->instances[i], o, candidate);
            if (!strcmp(candidate, key)) {
                *instance = set->instances[i];
                *output = o;
                return true;
            }
        }
    }
    return false;
}
