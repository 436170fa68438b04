/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "known_bad.h"

#include <stdlib.h>
#include <string.h>

static bool matches(const char *pattern, const char *name)
{
    for (; *pattern != '*'; pattern++, name++) {
        if (*pattern != *name)
            return false;
        if (!*pattern)
            return true;
    }
    for (;; name++) {
        if (matches(pattern + 1, name))
            return true;
        if (!*name)
            return false;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where the version begins in "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)": at the first number with a
 * point after it, or else at the first number. */
static const char *version_in(const char *driver)
{
    const char *first = NULL;
    for (const char *c = driver; *c; c++) {
        if (!is_digit(*c) || (c > driver && is_digit(c[-1])))
            continue;
        if (!first)
            first = c;
        const size_t digits = strspn(c, "0123456789");
        if (c[digits] == '.' && is_digit(c[digits + 1]))
            return c;
    }
    return first ? first : "";
}

/* Below 0, 0 or above 0, number by number; missing ones are 0. */
static int compare_versions(const char *a, const char *b)
{
    for (int i = 0; i < 4; i++) {
        char *end_a = (char *)a, *end_b = (char *)b;
        const unsigned long of_a = is_digit(*a) ? strtoul(a, &end_a, 10) : 0;
        const unsigned long of_b = is_digit(*b) ? strtoul(b, &end_b, 10) : 0;
        if (of_a != of_b)
            return of_a < of_b ? -1 : 1;
        a = *end_a == '.' ? end_a + 1 : "";
        b = *end_b == '.' ? end_b + 1 : "";
    }
    return 0;
}

static bool applies(const VmafKnownBad *entry, const VmafDeviceInfo *device, const char *feature)
{
    const char *version = version_in(device->driver);
    return matches(entry->device, device->name) &&
           (!entry->driver_from || compare_versions(version, entry->driver_from) >= 0) &&
           (!entry->driver_to || compare_versions(version, entry->driver_to) <= 0) &&
           (!entry->feature || (feature && strcmp(entry->feature, feature) == 0));
}

const char *vmaf_known_bad(const VmafKnownBad *table, const VmafDeviceInfo *device,
                           const char *feature)
{
    const char *trust = secure_getenv("VMAF_BACKEND_TRUST_DRIVER");
    if (!table || (trust && strcmp(trust, "1") == 0))
        return NULL;
    for (const VmafKnownBad *entry = table; entry->device; entry++) {
        if (applies(entry, device, feature))
            return entry->reason;
    }
    return NULL;
}
