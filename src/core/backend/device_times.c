/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/device_times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/thread.h"

/* Kinds of work that are told apart; of more, the last one's sums hold the rest. */
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
    snprintf(kind->name, sizeof(kind->name), "%s", name);
    return kind;
}

void device_times_add(DeviceTimes *times, const char *name, uint64_t runs, uint64_t nanoseconds)
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
