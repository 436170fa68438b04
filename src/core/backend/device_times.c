/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin_load.h"
#include "libvmaf/backend_profile.h"
#include "platform/thread.h"
#include "platform/time.h"
#include "trace/trace.h"

/* Kinds of work with sums of their own; of more, the last one's sums hold the rest. */
enum { KINDS_MAX = 128, NAME_SIZE = 64, LINE_SIZE = 160 };

typedef struct KindOfWork {
    char name[NAME_SIZE];
    uint64_t runs, nanoseconds;
} KindOfWork;

struct DeviceTimes {
    VmafMutex lock; /* guards what follows */
    bool on;
    unsigned n;
    KindOfWork kinds[KINDS_MAX];
};

DeviceTimes *device_times_create(void)
{
    DeviceTimes *times = calloc(1, sizeof(*times));
    if (times)
        vmaf_mutex_init(&times->lock);
    return times;
}

void device_times_destroy(DeviceTimes *times)
{
    if (times)
        vmaf_mutex_destroy(&times->lock);
    free(times);
}

void device_times_switch(DeviceTimes *times, bool on)
{
    vmaf_mutex_lock(&times->lock);
    times->on = on;
    vmaf_mutex_unlock(&times->lock);
}

/* The lock is held. */
static KindOfWork *find(DeviceTimes *times, const char *name)
{
    for (unsigned i = 0; i < times->n; i++) {
        if (strncmp(times->kinds[i].name, name, NAME_SIZE - 1) == 0)
            return &times->kinds[i];
    }
    if (times->n == KINDS_MAX)
        return &times->kinds[KINDS_MAX - 1];
    KindOfWork *kind = &times->kinds[times->n++];
    snprintf(kind->name, sizeof(kind->name), "%.*s", NAME_SIZE - 1, name);
    return kind;
}

/* `name` is copied. */
static void device_times_add(DeviceTimes *times, const char *name, uint64_t runs,
                             uint64_t nanoseconds)
{
    vmaf_mutex_lock(&times->lock);
    if (times->on) {
        KindOfWork *kind = find(times, name);
        kind->runs += runs;
        kind->nanoseconds += nanoseconds;
    }
    vmaf_mutex_unlock(&times->lock);
}

char *device_times_text(DeviceTimes *times)
{
    vmaf_mutex_lock(&times->lock);
    const size_t size = (times->n + 1) * LINE_SIZE;
    char *text = malloc(size);
    size_t length = 0;
    if (text)
        length = (size_t)snprintf(text, size, "%-24s %10s %14s %12s\n", "work", "runs", "total ms",
                                  "mean us");
    for (unsigned i = 0; text && i < times->n; i++) {
        const KindOfWork *kind = &times->kinds[i];
        const double ns = (double)kind->nanoseconds;
        length += (size_t)snprintf(text + length, size - length, "%-24s %10llu %14.3f %12.3f\n",
                                   kind->name, (unsigned long long)kind->runs, ns / 1e6,
                                   kind->runs ? ns / 1e3 / (double)kind->runs : 0.0);
    }
    vmaf_mutex_unlock(&times->lock);
    return text;
}

/* Kinds of work that are shown; backends with more have the rest left out. */
enum { ENTRIES_MAX = 256 };

typedef struct ProfileEntry {
    const char *name;           /* kept by the trace; NULL: not asked yet */
    uint64_t runs, nanoseconds; /* of all frames so far */
} ProfileEntry;

struct SessionProfile {
    TraceRow *row;      /* NULL: there is no trace */
    DeviceTimes *times; /* NULL: the program has not asked for times */
    int64_t end;        /* of what was shown last */
    unsigned n;
    ProfileEntry entries[ENTRIES_MAX];
    uint64_t took[ENTRIES_MAX]; /* for the last frame */
};

static const VmafSdkProfile *find_extension(const Plugin *plugin)
{
    if (!plugin->api.get_extension)
        return NULL;
    const VmafSdkProfile *table =
        plugin->api.get_extension(VMAF_SDK_PROFILE_EXTENSION, VMAF_SDK_PROFILE_VERSION);
    return table && table->struct_size >= sizeof(*table) && table->entry ? table : NULL;
}

bool session_profile_is_offered(const BackendDevice *device)
{
    const Plugin *plugin = backend_device_plugin(device);
    PluginGuard guard = plugin_enter();
    const bool offered = find_extension(plugin) != NULL;
    plugin_leave(&guard);
    return offered;
}

SessionProfile *session_profile_create(const BackendDevice *device)
{
    const bool is_traced = trace_wants_device_times();
    DeviceTimes *times = backend_device_times(device);
    if ((!is_traced && !times) || !backend_device_plugin(device)->api.get_extension)
        return NULL;
    const BackendDeviceDescription *description = backend_device_description(device);
    SessionProfile *profile = calloc(1, sizeof(*profile));
    char name[VMAF_BACKEND_TEXT_SIZE + 16];
    snprintf(name, sizeof(name), "device: %s",
             description ? description->name : backend_device_plugin(device)->name);
    if (profile && is_traced)
        profile->row = trace_device_row(name);
    if (profile)
        profile->times = times;
    return profile;
}

static uint64_t growth(uint64_t *known, uint64_t now)
{
    const uint64_t more = now > *known ? now - *known : 0;
    *known = now;
    return more;
}

/* Notes what an entry has grown by. */
static void note_entry(SessionProfile *profile, unsigned index, const VmafSdkProfileEntry *entry)
{
    ProfileEntry *known = &profile->entries[index];
    const uint64_t runs = growth(&known->runs, entry->runs);
    profile->took[index] = growth(&known->nanoseconds, entry->nanoseconds);
    char name[4 * sizeof(entry->name)];
    foreign_text(name, sizeof(name), entry->name, sizeof(entry->name));
    if (profile->row && !known->name)
        known->name = trace_keep(name);
    if (profile->times && runs)
        device_times_add(profile->times, name, runs, profile->took[index]);
}

/* Sums of all frames; how they have grown is what the last one took. */
static int64_t ask(SessionProfile *profile, const Plugin *plugin, const VmafBackendSession *session)
{
    int64_t sum = 0;
    PluginGuard guard = plugin_enter();
    const VmafSdkProfile *table = find_extension(plugin);
    profile->n = 0;
    while (table && profile->n < ENTRIES_MAX) {
        VmafSdkProfileEntry entry = {.struct_size = sizeof(entry)};
        if (table->entry(session, profile->n, &entry))
            break;
        note_entry(profile, profile->n, &entry);
        sum += (int64_t)profile->took[profile->n++];
    }
    plugin_leave(&guard);
    return sum;
}

/*
 * Devices report how long things took, one after the other, but not when. The last of them ended
 * when the answer came; if the answer was fetched late, the frame follows the one before.
 */
void session_profile_note(SessionProfile *profile, const Plugin *plugin,
                          const VmafBackendSession *session, int32_t result)
{
    if (!profile || result != VMAF_BACKEND_OK)
        return;
    const int64_t now = vmaf_steady_ns(), sum = ask(profile, plugin, session);
    int64_t begin = now - sum;
    if (begin < profile->end)
        begin = profile->end;
    for (unsigned i = 0; i < profile->n; i++) {
        const int64_t took = (int64_t)profile->took[i];
        if (took)
            trace_device_span(profile->row, profile->entries[i].name, begin, took);
        begin += took;
    }
    if (sum)
        profile->end = begin;
}
