/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/plugin_copy.h"

const PluginFeature *plugin_find_feature(const Plugin *plugin, const char *name)
{
    for (unsigned i = 0; i < plugin->n_features; i++)
        if (strcmp(plugin->features[i].spec.name, name) == 0)
            return &plugin->features[i];
    return NULL;
}

PluginGuard plugin_enter(void)
{
    PluginGuard guard;
    guard.error = errno;
    fegetenv(&guard.environment);
    return guard;
}

void plugin_leave(const PluginGuard *guard)
{
    fesetenv(&guard->environment);
    errno = guard->error;
}

int plugin_error(int32_t result)
{
    switch (result) {
    case VMAF_BACKEND_OK:
        return 0;
    case VMAF_BACKEND_DEVICE_LOST:
    case VMAF_BACKEND_NO_DRIVER:
        return -ENODEV;
    case VMAF_BACKEND_OUT_OF_MEMORY:
        return -ENOMEM;
    case VMAF_BACKEND_INVALID:
        return -EINVAL;
    case VMAF_BACKEND_NOT_SUPPORTED:
        return -ENOTSUP;
    case VMAF_BACKEND_TIMED_OUT:
        return -ETIMEDOUT;
    case VMAF_BACKEND_CANCELLED:
        return -ECANCELED;
    default:
        return -EIO;
    }
}

/* Length of the well-formed UTF-8 sequence at the start of `size` bytes, 0 if there is none; the
 * table of well-formed sequences is 3-7 of the Unicode standard. */
static size_t sequence_length(const unsigned char *text, size_t size, uint32_t *code)
{
    static const struct {
        unsigned char first, last, second_min, second_max, length;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last)
            continue;
        size_t length = forms[i].length;
        if (length > size)
            return 0;
        if (length > 1 && (text[1] < forms[i].second_min || text[1] > forms[i].second_max))
            return 0;
        *code = length == 1 ? text[0] : text[0] & (0x7fu >> length);
        for (size_t k = 1; k < length; k++) {
            if ((text[k] & 0xc0) != 0x80)
                return 0;
            *code = *code << 6 | (text[k] & 0x3fu);
        }
        return length;
    }
    return 0;
}

/* C0 and C1 control characters, the line and paragraph separators, and what reverses the direction
 * of text: nothing that belongs in one line of a log. */
static bool is_printable(uint32_t code)
{
    return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && !(code >= 0x2028 && code <= 0x202e) &&
           !(code >= 0x2066 && code <= 0x2069);
}

void plugin_text(char *target, size_t target_size, const char *text, size_t size)
{
    const unsigned char *source = (const unsigned char *)text;
    size_t length = strnlen(text, size), used = 0;
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t bytes = sequence_length(source + i, length - i, &code);
        bool keep = bytes && is_printable(code);
        size_t room = keep ? bytes : 1;
        if (used + room >= target_size)
            break;
        if (keep)
            memcpy(target + used, source + i, bytes);
        else
            target[used] = code == '\t' || code == '\n' || code == '\r' ? ' ' : '?';
        used += room;
        i += bytes ? bytes : 1;
    }
    target[used] = '\0';
}

char *plugin_copy_text(const char *text, size_t limit)
{
    size_t length = text ? strnlen(text, limit) : 0;
    char *copy = malloc(length + 1);
    if (copy)
        plugin_text(copy, length + 1, text ? text : "", length);
    return copy;
}

static void feature_free(PluginFeature *feature)
{
    for (unsigned i = 0; feature->options && i < feature->spec.n_options; i++) {
        free(feature->options[i].name);
        free(feature->options[i].help);
        free(feature->options[i].default_string);
    }
    for (unsigned i = 0; feature->outputs && i < feature->spec.n_outputs; i++)
        free(feature->outputs[i]);
    free(feature->options);
    free(feature->outputs);
    free((char *)feature->spec.name);
    free((char *)feature->spec.help);
    free((char *)feature->spec.bound_reason);
}

void plugin_feature_discard(PluginFeature *feature)
{
    feature_free(feature);
    memset(feature, 0, sizeof(*feature));
}

void plugin_free(Plugin *plugin)
{
    if (!plugin)
        return;
    for (unsigned i = 0; plugin->features && i < plugin->n_features; i++)
        feature_free(&plugin->features[i]);
    free(plugin->features);
    free(plugin->path);
    free(plugin->version);
    free(plugin->description);
    free(plugin->build_id);
    free(plugin);
}
