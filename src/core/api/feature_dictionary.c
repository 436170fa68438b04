/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: option dictionaries. */
#include <errno.h>

#include "api/export.h"
#include "libvmaf/feature.h"
#include "support/dictionary.h"

VMAF_API int vmaf_feature_dictionary_set(VmafFeatureDictionary **dict, const char *key,
                                         const char *val)
{
    if (!dict || !key || !val)
        return -EINVAL;
    Dictionary *target = *dict ? *dict : dictionary_create();
    if (!target)
        return -ENOMEM;
    char normalised[32];
    int err = dictionary_set(target, key, option_value_normalise(val, normalised));
    if (!err)
        *dict = target;
    else if (!*dict)
        dictionary_destroy(target);
    return err;
}

VMAF_API int vmaf_feature_dictionary_free(VmafFeatureDictionary **dict)
{
    if (!dict)
        return -EINVAL;
    dictionary_destroy(*dict);
    *dict = NULL;
    return 0;
}
