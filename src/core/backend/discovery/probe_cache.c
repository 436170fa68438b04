/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/probe_cache.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/discovery/plugin.h"
#include "backend/foreign_text.h"
#include "backend/names.h"
#include "libvmaf/libvmaf.h"
#include "platform/file.h"
#include "platform/machine.h"
#include "platform/module.h"
#include "platform/path.h"
#include "platform/process.h"

enum {
    RECORD_MAX = 128 * 1024,
    FAULT_SECONDS = 3600,
    PROBE_VERSION = 3, /* grows with what a plugin is probed for, and with the words of a record */
};

static const char cache_name[] = "libvmaf";
static const char clean_line[] = "clean\n";
static const char faulty_word[] = "faulty ";

/*
 * A record is text: the key, a line for each library in the format of describe_file, and the
 * result. To check a record, the present circumstances are written in the same format and compared.
 */
typedef struct Text {
    size_t used;
    bool too_long;
    char bytes[RECORD_MAX];
} Text;

struct ProbeCacheKey {
    VmafUserCache cache; /* which may not be there yet */
    char file_name[32];
    Text text;
};

__attribute__((format(printf, 2, 3))) static void append(Text *text, const char *format, ...)
{
    size_t room = sizeof(text->bytes) - text->used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->used, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room)
        text->too_long = true;
    else
        text->used += (size_t)length;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t hash(const char *text)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return value;
}

/* ---- Circumstances ---- */

static void describe_file(Text *text, const char *path)
{
    VmafFileStatus status = {0};
    if (strchr(path, '\n') || vmaf_file_status_at(path, &status))
        status = (VmafFileStatus){0};
    append(text, "file %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %s\n",
           status.volume, status.number, status.size, status.modified_ns, status.changed_ns, path);
}

/* The path in a line of describe_file, which follows the sixth blank. */
static const char *described_path(const char *line)
{
    for (int blanks = 0; blanks < 6; blanks++) {
        line = strchr(line, ' ');
        if (!line)
            return NULL;
        line++;
    }
    return line;
}

static bool matches(const char *pattern, const char *assignment)
{
    size_t length = strlen(pattern);
    if (pattern[length - 1] == '*')
        return strncmp(pattern, assignment, length - 1) == 0;
    return strncmp(pattern, assignment, length) == 0 && assignment[length] == '=';
}

/* The order of the variables does not matter. */
static uint64_t hash_of_environment(void)
{
    uint64_t sum = 0;
    for (char *const *variable = vmaf_process_environment(); variable && *variable; variable++)
        for (const char *const *pattern = backend_driver_variables; *pattern; pattern++)
            if (matches(*pattern, *variable)) {
                sum += hash(*variable);
                break;
            }
    return sum;
}

static void append_boot_id(Text *text)
{
    char id[64];
    vmaf_machine_boot_id(id, sizeof(id));
    append(text, "boot %s\n", id);
}

/* ---- Keys ---- */

ProbeCacheKey *probe_cache_key_create(const char *plugin_path)
{
    ProbeCacheKey *key;
    if (vmaf_privilege_is_borrowed() || strchr(plugin_path, '\n') || !(key = malloc(sizeof(*key))))
        return NULL;
    vmaf_user_cache_open(&key->cache, cache_name, false);
    snprintf(key->file_name, sizeof(key->file_name), "probe-%016" PRIx64, hash(plugin_path));
    Text *text = &key->text;
    text->used = 0;
    text->too_long = false;
    append(text, "libvmaf %s probe %d\n", vmaf_version(), PROBE_VERSION);
    append_boot_id(text);
    append(text, "environment %016" PRIx64 "\n", hash_of_environment());
    describe_file(text, plugin_path);
    describe_file(text, vmaf_module_index());
    return key;
}

void probe_cache_key_free(ProbeCacheKey *key)
{
    if (!key)
        return;
    vmaf_user_cache_close(&key->cache);
    free(key);
}

/* ---- Reading ---- */

static bool read_record(const ProbeCacheKey *key, Text *record)
{
    if (!vmaf_user_cache_read(&key->cache, key->file_name, record->bytes, sizeof(record->bytes),
                              &record->used))
        return false;
    record->bytes[record->used] = '\0';
    return true;
}

/* True if a line describes a file as it is now. */
static bool still_holds(const char *line, Text *scratch)
{
    const char *path = described_path(line);
    if (!path)
        return false;
    scratch->used = 0;
    scratch->too_long = false;
    describe_file(scratch, path);
    return !scratch->too_long && strncmp(scratch->bytes, line, strlen(line)) == 0 &&
           scratch->used == strlen(line) + 1;
}

static ProbeMemory judge(const char *line, Reason *fault)
{
    if (strcmp(line, "clean") == 0)
        return PROBE_CLEAN;
    if (strncmp(line, faulty_word, sizeof(faulty_word) - 1) != 0)
        return PROBE_UNKNOWN;
    char *end;
    long long when = strtoll(line + sizeof(faulty_word) - 1, &end, 10);
    long long age = (long long)time(NULL) - when;
    if (*end != ' ' || age < 0 || age >= FAULT_SECONDS)
        return PROBE_UNKNOWN;
    foreign_text(fault->text, sizeof(fault->text), end + 1, strlen(end + 1));
    return PROBE_FAULTY;
}

static ProbeMemory judge_record(const ProbeCacheKey *key, Text *record, Text *scratch,
                                Reason *fault)
{
    const Text *expected = &key->text;
    if (expected->too_long || record->used < expected->used ||
        memcmp(record->bytes, expected->bytes, expected->used) != 0)
        return PROBE_UNKNOWN;
    for (char *line = record->bytes + expected->used, *end; (end = strchr(line, '\n'));
         line = end + 1) {
        *end = '\0';
        if (strncmp(line, "file ", 5) != 0)
            return end[1] == '\0' ? judge(line, fault) : PROBE_UNKNOWN;
        if (!still_holds(line, scratch))
            return PROBE_UNKNOWN;
    }
    return PROBE_UNKNOWN;
}

ProbeMemory probe_cache_find(const ProbeCacheKey *key, Reason *fault)
{
    if (!vmaf_user_cache_is_open(&key->cache))
        return PROBE_UNKNOWN;
    ProbeMemory memory = PROBE_UNKNOWN;
    Text *record = malloc(sizeof(*record)), *scratch = malloc(sizeof(*scratch));
    if (record && scratch && read_record(key, record))
        memory = judge_record(key, record, scratch, fault);
    free(record);
    free(scratch);
    return memory;
}

/* ---- Writing ---- */

void probe_cache_store(const ProbeCacheKey *key, const char *const libraries[],
                       unsigned n_libraries, const Reason *fault)
{
    VmafUserCache cache;
    Text *record = malloc(sizeof(*record));
    if (!vmaf_user_cache_open(&cache, cache_name, true) || !record)
        goto out;
    *record = key->text;
    for (unsigned i = 0; i < n_libraries; i++)
        describe_file(record, libraries[i]);
    if (fault)
        append(record, "%s%lld %s\n", faulty_word, (long long)time(NULL), fault->text);
    else
        append(record, "%s", clean_line);
    if (!record->too_long)
        vmaf_user_cache_write(&cache, key->file_name, record->bytes, record->used);
out:
    vmaf_user_cache_close(&cache);
    free(record);
}
