/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature_spec.h"

#include "backends.h"
#include "catalogue.h"
#include "platform/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t count_of(const char *text, char wanted)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == wanted;
    return count;
}

int feature_spec_parse(FeatureSpec *spec, const char *text, Message *why)
{
    *spec = (FeatureSpec){.text = strdup(text)};
    if (!spec->text)
        return message_set(why, -ENOMEM, "out of memory");

    spec->name = spec->text;
    char *rest = strchr(spec->text, '=');
    if (rest)
        *rest++ = '\0';
    if (!spec->name[0]) {
        message_set(why, 0, "no feature name in \"%s\"", text);
        goto fail;
    }
    if (!rest)
        return 0;

    spec->options = calloc(count_of(rest, ':') + 1, sizeof(*spec->options));
    if (!spec->options) {
        feature_spec_free(spec);
        return message_set(why, -ENOMEM, "out of memory");
    }
    for (char *item; (item = vmaf_path_next_part(&rest));) {
        if (!item[0])
            continue;
        char *value = strchr(item, '=');
        if (!value || value == item) {
            message_set(why, 0,
                        "Problem parsing feature \"%s\": bad option string \"%s\", "
                        "should be option=value",
                        text, item);
            goto fail;
        }
        *value++ = '\0';
        spec->options[spec->n_options++] = (FeatureOption){item, value};
    }
    return 0;

fail:
    feature_spec_free(spec);
    return -EINVAL;
}

void feature_spec_free(FeatureSpec *spec)
{
    free(spec->options);
    free(spec->text);
    *spec = (FeatureSpec){0};
}

int feature_option_check(const char *extractor, const char *option, Message *why)
{
    if (catalogue_has_option(extractor, option))
        return 0;
    const char *nearest = catalogue_suggest_option(extractor, option);
    if (nearest) {
        return message_set(why, -EINVAL,
                           "feature \"%s\" has no option \"%s\"; did you mean \"%s\"?", extractor,
                           option, nearest);
    }
    return message_set(why, -EINVAL,
                       "feature \"%s\" has no option \"%s\"; --list-features shows what it has",
                       extractor, option);
}

int feature_spec_check(const FeatureSpec *spec, Message *why)
{
    char stem[64];
    const char *extractor = spec->name;
    if (!catalogue_has_extractor(extractor) &&
        backend_of_pinned_name(extractor, stem, sizeof(stem)))
        extractor = stem;
    if (!catalogue_has_extractor(extractor))
        return 0;
    for (unsigned i = 0; i < spec->n_options; i++) {
        int err = feature_option_check(extractor, spec->options[i].name, why);
        if (err)
            return err;
    }
    return 0;
}

static bool shows(const FeatureSpec *spec)
{
    for (unsigned i = 0; i < spec->n_options; i++) {
        if (catalogue_option_shows(spec->name, spec->options[i].name))
            return true;
    }
    return false;
}

bool feature_spec_same_keys(const FeatureSpec *a, const FeatureSpec *b)
{
    return !strcmp(a->name, b->name) && !shows(a) && !shows(b);
}

int feature_spec_dictionary(const FeatureSpec *spec, VmafFeatureDictionary **dictionary)
{
    *dictionary = NULL;
    for (unsigned i = 0; i < spec->n_options; i++) {
        int err =
            vmaf_feature_dictionary_set(dictionary, spec->options[i].name, spec->options[i].value);
        if (err) {
            vmaf_feature_dictionary_free(dictionary);
            return err;
        }
    }
    return 0;
}
