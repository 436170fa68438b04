/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the whole tree takes for granted of the compiler and its settings. */
#include "platform/machine.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "platform/posix/internal.h"

static_assert(FLT_EVAL_METHOD == 0, "scores need operations that round to the type of operands");
static_assert(sizeof(off_t) == 8, "files may be larger than 2 GiB: -D_FILE_OFFSET_BITS=64");
static_assert(CHAR_BIT == 8 && sizeof(int) == 4, "samples and records are made of these");

/* ---- Processors ---- */

/* Reads up to two numbers from a file; "max" counts as -1. Returns how many there are. */
static int read_numbers(const char *folder, const char *file, long long numbers[2])
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
        return 0;
    FILE *stream = fopen(path, "re");
    if (!stream)
        return 0;
    char line[128] = "";
    if (!fgets(line, sizeof(line), stream))
        line[0] = '\0';
    fclose(stream);

    int count = 0;
    char *rest = line;
    for (char *word = strsep(&rest, " \n"); word && count < 2; word = strsep(&rest, " \n")) {
        if (word[0])
            numbers[count++] = strcmp(word, "max") ? atoll(word) : -1;
    }
    return count;
}

static unsigned cores(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    long long whole = (quota + period - 1) / period;
    return whole > INT_MAX ? 0 : (unsigned)whole;
}

/* The quota of one group, 0 if it has none. */
static unsigned group_quota(const char *folder, int version)
{
    long long numbers[2];
    if (version == 2)
        return read_numbers(folder, "cpu.max", numbers) == 2 ? cores(numbers[0], numbers[1]) : 0;
    long long quota[2], period[2];
    if (read_numbers(folder, "cpu.cfs_quota_us", quota) < 1 ||
        read_numbers(folder, "cpu.cfs_period_us", period) < 1)
        return 0;
    return cores(quota[0], period[0]);
}

static unsigned least_limit(unsigned a, unsigned b)
{
    if (!a || !b)
        return a ? a : b;
    return a < b ? a : b;
}

/*
 * The smallest quota of a group and all groups above it. In a container the path may be the
 * host's, and then only its beginning, the mount itself, exists here.
 */
static unsigned hierarchy_quota(const char *hierarchy, const char *group, int version)
{
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof(folder), "%s%s", hierarchy, group) >= (int)sizeof(folder))
        return 0;
    unsigned least = 0;
    size_t root = strlen(hierarchy);
    for (;;) {
        least = least_limit(least, group_quota(folder, version));
        char *slash = strrchr(folder + root, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

static int lists_cpu_controller(char *controllers)
{
    for (char *name = strsep(&controllers, ","); name; name = strsep(&controllers, ",")) {
        if (!strcmp(name, "cpu"))
            return 1;
    }
    return 0;
}

unsigned vmaf_processors_cgroup_quota(const char *mount, const char *membership)
{
    FILE *stream = fopen(membership, "re");
    if (!stream)
        return 0;
    unsigned least = 0;
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stream) > 0) {
        /* hierarchy:controllers:path, with no controllers for version 2 */
        char *rest = line;
        strsep(&rest, ":");
        char *controllers = strsep(&rest, ":");
        char *group = strsep(&rest, "\n");
        if (!group)
            continue;
        if (!controllers[0]) {
            least = least_limit(least, hierarchy_quota(mount, group, 2));
        } else {
            char hierarchy[PATH_MAX];
            int length = snprintf(hierarchy, sizeof(hierarchy), "%s/%s", mount, controllers);
            if (length < (int)sizeof(hierarchy) && lists_cpu_controller(controllers))
                least = least_limit(least, hierarchy_quota(hierarchy, group, 1));
        }
    }
    free(line);
    fclose(stream);
    return least;
}

unsigned vmaf_processors_online(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

unsigned vmaf_processors_usable(void)
{
    unsigned usable =
        least_limit(vmaf_system_usable_processors(),
                    vmaf_processors_cgroup_quota("/sys/fs/cgroup", "/proc/self/cgroup"));
    return usable ? usable : 1;
}

/* ---- Memory ---- */

size_t vmaf_page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *vmaf_aligned_alloc(size_t alignment, size_t size)
{
    void *block;
    return posix_memalign(&block, alignment, size) ? NULL : block;
}

void vmaf_aligned_free(void *block)
{
    free(block);
}
