/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_H

/*
 * A plugin that was loaded and whose descriptor is valid. Everything in it is the host's own copy:
 * texts are bounded UTF-8, lists have the lengths they claim, and functions that the plugin does
 * not have are NULL. Plugins live until the process ends.
 */

#include <fenv.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "backend/availability.h"
#include "backend/names.h"
#include "libvmaf/backend.h"

typedef struct PluginFeature {
    VmafBackendFeature spec; /* pointers in it, and in options, refer to the host's copies */
    VmafBackendOptionSpec *options;
    char **outputs;
    _Atomic(void *) own; /* of own_feature.h */
} PluginFeature;

typedef struct Plugin {
    char name[BACKEND_NAME_SIZE];
    char *path;
    char *version, *description, *build_id;
    uint32_t abi_major, abi_minor, backend_class;
    VmafBackend api; /* use with plugin_enter and plugin_leave */
    unsigned n_features;
    PluginFeature *features;
    /* Set when a call never returned: this process then calls the plugin no more. */
    atomic_bool dead;
} Plugin;

/* By name in the plugin's list; NULL if it does not compute it. */
const PluginFeature *plugin_find_feature(const Plugin *plugin, const char *name);

/*
 * Around every call into a plugin: keeps the floating-point environment and errno of the host.
 *   PluginGuard guard = plugin_enter();
 *   int32_t result = plugin->api.submit(...);
 *   plugin_leave(&guard);
 */
typedef struct PluginGuard {
    fenv_t environment;
    int error;
} PluginGuard;
PluginGuard plugin_enter(void);
void plugin_leave(const PluginGuard *guard);

/* VMAF_BACKEND_* as a negative errno: DEVICE_LOST -ENODEV, OUT_OF_MEMORY -ENOMEM, INVALID -EINVAL,
 * NOT_SUPPORTED -ENOTSUP, TIMED_OUT -ETIMEDOUT, CANCELLED -ECANCELED, NO_DRIVER -ENODEV, anything
 * else -EIO. */
int plugin_error(int32_t result);

/*
 * Bytes behind something that a plugin fills in: they change if it writes too much. They are large
 * enough for a whole extra structure or text, so that the host survives and can report it.
 */
enum { GUARD_SIZE = 1024, GUARD_BYTE = 0xa5 };

/* The type of a value that a plugin fills in, with those bytes. */
#define GUARDED(type)                                                                              \
    struct {                                                                                       \
        type value;                                                                                \
        unsigned char guard[GUARD_SIZE];                                                           \
    }

static inline void guard_set(unsigned char guard[GUARD_SIZE])
{
    memset(guard, GUARD_BYTE, GUARD_SIZE);
}

/* True if each of `size` bytes, of which there is at least one, still has the value. */
static inline bool guard_range_holds(const unsigned char *bytes, size_t size)
{
    /* The first is right, and each equals the one before it. */
    return bytes[0] == GUARD_BYTE && !memcmp(bytes, bytes + 1, size - 1);
}

static inline bool guard_holds(const unsigned char guard[GUARD_SIZE])
{
    return guard_range_holds(guard, GUARD_SIZE);
}

/* A plugin that was not accepted. NULL allowed. */
void plugin_free(Plugin *plugin);

/*
 * Turns a descriptor into a Plugin. Nothing in it is trusted before it was looked at: sizes and
 * versions first, then names, functions and lists. `name` is that of the file.
 *
 * 0; -ENOEXEC with BACKEND_PLUGIN_LOAD_ERROR or -EPROTONOSUPPORT with BACKEND_ABI_MISMATCH and the
 * reason; -ENOMEM.
 */
int plugin_descriptor_check(Plugin **plugin, const VmafBackend *descriptor, const char *name,
                            const char *path, BackendAvailability *availability);

/* What a backend says of one of its devices. */
typedef struct BackendDeviceDescription {
    char id[VMAF_BACKEND_ID_SIZE], vendor[VMAF_BACKEND_ID_SIZE], driver[VMAF_BACKEND_ID_SIZE];
    char name[VMAF_BACKEND_TEXT_SIZE];
    uint32_t kind, abilities, imports;
    uint64_t memory_bytes;
    /* Zero where the backend does not know, or has an interface before 1.1. */
    uint32_t identities, buffers, syncs;
    uint32_t compute_units, copy_engines, subgroup_size, group_memory;
    uint8_t uuid[16], luid[8];
    char pci[VMAF_BACKEND_ID_SIZE];
    bool is_part; /* its address is that of several devices of this backend */
    char unusable[VMAF_BACKEND_TEXT_SIZE]; /* why; "": it can be opened */
} BackendDeviceDescription;

enum {
    BACKEND_DEVICES_MAX = 64,  /* of one backend that are kept */
    BACKEND_UNUSABLE_MAX = 16, /* of those that cannot be opened */
};

/*
 * Marks devices of one backend that are parts of one physical device: their PCI address and driver
 * are equal, their UUIDs are not. One that two drivers list is no such part.
 */
void device_description_mark_parts(BackendDeviceDescription devices[], unsigned count);

/*
 * True if two backends describe the same hardware: equal UUIDs or LUIDs, else equal PCI addresses
 * unless one is a part. Identities that are all zero count as unknown.
 */
bool device_description_same(const BackendDeviceDescription *a, const BackendDeviceDescription *b);

/* Devices of a loaded plugin. */
typedef struct PluginDevices {
    char driver[VMAF_BACKEND_ID_SIZE], runtime[VMAF_BACKEND_ID_SIZE];
    unsigned n_devices; /* kept */
    BackendDeviceDescription devices[BACKEND_DEVICES_MAX];
    unsigned n_unusable; /* kept */
    BackendDeviceDescription unusable[BACKEND_UNUSABLE_MAX];
} PluginDevices;

/*
 * Enumerates: calls the plugin directly, without a time limit, as the next one does. 0 if there is
 * at least one device that may be opened; negative errno with an availability:
 * BACKEND_DRIVER_MISSING, BACKEND_NO_DEVICE, BACKEND_INIT_FAILED. With BACKEND_NO_DEVICE there may
 * be unusable ones.
 */
int plugin_enumerate(const Plugin *plugin, PluginDevices *devices,
                     BackendAvailability *availability);

/* Opens a device; negative errno with BACKEND_INIT_FAILED or BACKEND_DRIVER_MISSING. */
int plugin_open_device(const Plugin *plugin, const VmafBackendDeviceParams *params,
                       VmafBackendDevice **device, BackendAvailability *availability);

#endif
