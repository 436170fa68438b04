/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Features that are asked for by the name of a backend: "vif_<backend>", "<backend>_sharpness". */
#include <errno.h>
#include <string.h>

#include "backend/session/own_feature.h"
#include "engine/backends/manager_state.h"
#include "metrics/framework/registry.h"

enum { NAME_SIZE = 64 };

typedef struct PinnedName {
    char feature[NAME_SIZE]; /* of the core, or a backend's own */
    char backend[BACKEND_NAME_SIZE];
    const FeatureExtractor *extractor; /* NULL: a backend's own */
} PinnedName;

/* Names of extractors that other implementations give to features of a backend. */
static const FeatureExtractor *find_stem(const char *stem)
{
    static const char *const aliases[][2] = {
        {"integer_ms_ssim", "float_ms_ssim"},
        {"integer_psnr", "psnr"},
        {"integer_motion", "motion"},
    };
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        if (!strcmp(stem, aliases[i][0]))
            stem = aliases[i][1];
    }
    return registry_find(stem);
}

static bool is_backend(const char *name)
{
    return backend_name_is_known(name) || backend_registry_find(name) != NULL;
}

/* "<extractor>_<backend>". */
static bool split_extractor(const char *name, PinnedName *pinned)
{
    const char *suffix = backend_name_of_suffix(name, pinned->feature, sizeof(pinned->feature));
    if (!suffix)
        return false;
    pinned->extractor = find_stem(pinned->feature);
    if (!pinned->extractor || !is_backend(suffix))
        return false;
    strcpy(pinned->backend, suffix); /* valid, so it fits */
    return true;
}

/* "<backend>_<feature>". */
static bool split_own(const char *name, PinnedName *pinned)
{
    const char *underscore = strchr(name, '_');
    size_t length = underscore ? (size_t)(underscore - name) : 0;
    if (!underscore || !backend_name_is_valid(name, length) ||
        strlen(underscore + 1) >= sizeof(pinned->feature))
        return false;
    memcpy(pinned->backend, name, length);
    pinned->backend[length] = '\0';
    strcpy(pinned->feature, underscore + 1);
    pinned->extractor = NULL;
    return is_backend(pinned->backend);
}

/* The feature of that name of the backend that is open. */
static const FeatureExtractor *find_feature(const BackendManager *manager, const PinnedName *pinned)
{
    const Plugin *plugin = backend_device_plugin(manager->devices->device);
    if (pinned->extractor) {
        const PluginFeature *feature = plugin_find_feature(plugin, pinned->extractor->name);
        bool computes = feature && !(feature->spec.flags & VMAF_BACKEND_FEATURE_OWN);
        return computes ? pinned->extractor : NULL;
    }
    const PluginFeature *own = plugin_find_feature(plugin, pinned->feature);
    return own && (own->spec.flags & VMAF_BACKEND_FEATURE_OWN) ? own_feature_extractor(plugin, own)
                                                               : NULL;
}

static bool split(const char *name, PinnedName *pinned)
{
    return split_extractor(name, pinned) || split_own(name, pinned);
}

bool backend_manager_is_pinned_name(const char *name)
{
    PinnedName pinned;
    return split(name, &pinned);
}

/* Locked. */
static int choose_backend(BackendManager *manager, const PinnedName *pinned, Reason *why)
{
    int err = manager_choose_by_environment(manager);
    if (!err)
        err = manager_choose_pinned(manager, pinned->backend);
    if (!err)
        return 0;
    const char *reason = manager_is_strict(manager) ? NULL : manager->status.reason;
    return refuse(why, err, "%s",
                  reason ? reason : "it is pinned to another backend than the one that is chosen");
}

int backend_manager_find_pinned(BackendManager *manager, const char *name,
                                const FeatureExtractor **extractor, bool *newly_chosen, Reason *why)
{
    PinnedName pinned;
    if (!split(name, &pinned))
        return refuse(why, -EINVAL, "there is no such feature");
    vmaf_mutex_lock(&manager->lock);
    const bool was_chosen = manager_is_strict(manager);
    int err = choose_backend(manager, &pinned, why);
    *newly_chosen = !err && !was_chosen;
    *extractor = err ? NULL : find_feature(manager, &pinned);
    if (!err && !*extractor) {
        err = refuse(why, -EINVAL, "backend %s has no such feature", pinned.backend);
        if (*newly_chosen)
            manager_unchoose(manager);
    }
    vmaf_mutex_unlock(&manager->lock);
    return err;
}

void backend_manager_unchoose(BackendManager *manager)
{
    vmaf_mutex_lock(&manager->lock);
    manager_unchoose(manager);
    vmaf_mutex_unlock(&manager->lock);
}
