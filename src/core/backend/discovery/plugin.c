/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin_copy.h"

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
