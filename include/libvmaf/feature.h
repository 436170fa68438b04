/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_FEATURE_H
#define LIBVMAF_FEATURE_H

/*
 * Options of feature extractors: an ordered list of name = value, both text. A dictionary is used
 * by one thread at a time.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafFeatureDictionary VmafFeatureDictionary;

/**
 * Set an option. A value that is one number and nothing else is rounded to binary32 and to six
 * significant digits, like the values in model files ("1.0" becomes "1"); other text is stored
 * unchanged. Names are long option names ("adm_enhn_gain_limit"); an extractor's page under
 * docs/metrics has the table of its options.
 *
 * @param dict  dictionary; created when *dict is NULL, and then released with
 *              vmaf_feature_dictionary_free unless another function takes it
 * @param key   option name, copied; if it is set already, its value is replaced in its place
 * @param val   value as text, copied; the decimal point is '.' in every locale
 *
 * @return 0; -EINVAL if an argument is NULL; -ENOMEM (the dictionary is as it was).
 */
int vmaf_feature_dictionary_set(VmafFeatureDictionary **dict, const char *key, const char *val);

/**
 * Free a dictionary that no other function has taken, and set the pointer to NULL.
 *
 * @return 0, also when *dict is NULL; -EINVAL if dict is NULL.
 */
int vmaf_feature_dictionary_free(VmafFeatureDictionary **dict);

#ifdef __cplusplus
}
#endif

#endif
