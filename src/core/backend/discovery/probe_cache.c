/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/probe_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/discovery/plugin.h"
#include "backend/discovery/privilege.h"
#include "backend/foreign_text.h"
#include "backend/names.h"
#include "libvmaf/libvmaf.h"
#include "platform/process.h"
#include "platform/time.h"

enum {
    RECORD_MAX = 128 * 1024,
    HARM_SECONDS = 3600,
    TRIAL_VERSION = 2, /* grows with what a plugin is tried for */
};

static const char linker_cache[] = "/etc/ld.so.cache";
static const char boot_id_file[] = "/proc/sys/kernel/random/boot_id";
static const char harmless_line[] = "harmless\n";
static const char harmful_word[] = "harmful ";

extern char **environ;

/*
 * A record is text: the key, a line for each library as describe_file writes it, and the
 * availability. Reading it means writing down the present circumstances in the same way and
 * comparing.
 */
typedef struct Text {
    size_t used;
    bool too_long;
    char bytes[RECORD_MAX];
} Text;

struct ProbeCacheKey {
    int directory; /* -1: there is none yet */
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
    struct stat status;
    if (strchr(path, '\n') || stat(path, &status) < 0)
        memset(&status, 0, sizeof(status));
    append(text, "file %ju %ju %jd %jd.%09ld %jd.%09ld %s\n", (uintmax_t)status.st_dev,
           (uintmax_t)status.st_ino, (intmax_t)status.st_size, (intmax_t)status.st_mtim.tv_sec,
           status.st_mtim.tv_nsec, (intmax_t)status.st_ctim.tv_sec, status.st_ctim.tv_nsec, path);
}

/* The path in a line of describe_file: after six blanks. */
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

/* Independent of the order in which the variables stand. */
static uint64_t hash_of_environment(void)
{
    uint64_t sum = 0;
    for (char **variable = environ; variable && *variable; variable++)
        for (const char *const *pattern = backend_driver_variables; *pattern; pattern++)
            if (matches(*pattern, *variable)) {
                sum += hash(*variable);
                break;
            }
    return sum;
}

static void append_boot_id(Text *text)
{
    char id[64] = "";
    int file = open(boot_id_file, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, id, sizeof(id) - 1);
    if (file >= 0)
        close(file);
    id[length > 0 ? strcspn(id, "\n") : 0] = '\0';
    append(text, "boot %s\n", id);
}

/* ---- The directory ---- */

/* The user's own directory, not one that was left to the program by a change of user. */
static bool is_own(int directory, mode_t forbidden)
{
    struct stat status;
    return fstat(directory, &status) == 0 && status.st_uid == geteuid() &&
           !(status.st_mode & forbidden);
}

static int open_owned(int parent, const char *name, int flags, mode_t forbidden)
{
    int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (directory >= 0 && !is_own(directory, forbidden)) {
        close(directory);
        return -1;
    }
    return directory;
}

/* XDG Base Directory Specification: $XDG_CACHE_HOME, or .cache in the home directory. */
static int open_cache_home(bool create)
{
    const char *home = secure_getenv("XDG_CACHE_HOME");
    if (home && *home == '/')
        return open_owned(AT_FDCWD, home, 0, 0);
    home = secure_getenv("HOME");
    if (!home || *home != '/')
        return -1;
    int parent = open_owned(AT_FDCWD, home, 0, 0);
    if (parent < 0)
        return -1;
    if (create)
        mkdirat(parent, ".cache", 0700); /* fails where it exists */
    int directory = open_owned(parent, ".cache", 0, 0);
    close(parent);
    return directory;
}

static int open_directory(bool create)
{
    int parent = open_cache_home(create);
    if (parent < 0)
        return -1;
    if (create)
        mkdirat(parent, "libvmaf", 0700);
    int directory = open_owned(parent, "libvmaf", O_NOFOLLOW, S_IWGRP | S_IWOTH);
    close(parent);
    return directory;
}

/* ---- Keys ---- */

ProbeCacheKey *probe_cache_key_create(const char *plugin_path)
{
    ProbeCacheKey *key;
    if (privilege_is_borrowed() || strchr(plugin_path, '\n') || !(key = malloc(sizeof(*key))))
        return NULL;
    key->directory = open_directory(false);
    snprintf(key->file_name, sizeof(key->file_name), "probe-%016" PRIx64, hash(plugin_path));
    Text *text = &key->text;
    text->used = 0;
    text->too_long = false;
    append(text, "libvmaf %s probe %d\n", vmaf_version(), TRIAL_VERSION);
    append_boot_id(text);
    append(text, "environment %016" PRIx64 "\n", hash_of_environment());
    describe_file(text, plugin_path);
    describe_file(text, linker_cache);
    return key;
}

void probe_cache_key_free(ProbeCacheKey *key)
{
    if (!key)
        return;
    if (key->directory >= 0)
        close(key->directory);
    free(key);
}

/* ---- Reading ---- */

static ssize_t read_fully(int file, char *bytes, size_t size)
{
    size_t used = 0;
    while (used < size) {
        ssize_t n = read(file, bytes + used, size - used);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0)
            used += (size_t)n;
    }
    return (ssize_t)used;
}

static bool read_record(const ProbeCacheKey *key, Text *record)
{
    int file = openat(key->directory, key->file_name,
                      O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return false;
    struct stat status;
    ssize_t length = -1;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && is_own(file, S_IRWXG | S_IRWXO))
        length = read_fully(file, record->bytes, sizeof(record->bytes) - 1);
    close(file);
    if (length <= 0 || (size_t)length == sizeof(record->bytes) - 1)
        return false;
    record->used = (size_t)length;
    record->bytes[length] = '\0';
    return true;
}

/* Whether a line describes a file as it is now. */
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

static ProbeMemory judge(const char *line, Reason *harm)
{
    if (strcmp(line, "harmless") == 0)
        return PROBE_HARMLESS;
    if (strncmp(line, harmful_word, sizeof(harmful_word) - 1) != 0)
        return PROBE_UNKNOWN;
    char *end;
    long long when = strtoll(line + sizeof(harmful_word) - 1, &end, 10);
    long long age = (long long)time(NULL) - when;
    if (*end != ' ' || age < 0 || age >= HARM_SECONDS)
        return PROBE_UNKNOWN;
    foreign_text(harm->text, sizeof(harm->text), end + 1, strlen(end + 1));
    return PROBE_HARMFUL;
}

static ProbeMemory judge_record(const ProbeCacheKey *key, Text *record, Text *scratch, Reason *harm)
{
    const Text *expected = &key->text;
    if (expected->too_long || record->used < expected->used ||
        memcmp(record->bytes, expected->bytes, expected->used) != 0)
        return PROBE_UNKNOWN;
    for (char *line = record->bytes + expected->used, *end; (end = strchr(line, '\n'));
         line = end + 1) {
        *end = '\0';
        if (strncmp(line, "file ", 5) != 0)
            return end[1] == '\0' ? judge(line, harm) : PROBE_UNKNOWN;
        if (!still_holds(line, scratch))
            return PROBE_UNKNOWN;
    }
    return PROBE_UNKNOWN;
}

ProbeMemory probe_cache_find(const ProbeCacheKey *key, Reason *harm)
{
    if (key->directory < 0)
        return PROBE_UNKNOWN;
    ProbeMemory memory = PROBE_UNKNOWN;
    Text *record = malloc(sizeof(*record)), *scratch = malloc(sizeof(*scratch));
    if (record && scratch && read_record(key, record))
        memory = judge_record(key, record, scratch, harm);
    free(record);
    free(scratch);
    return memory;
}

/* ---- Writing ---- */

static bool write_fully(int file, const Text *record)
{
    for (size_t done = 0; done < record->used;) {
        ssize_t n = write(file, record->bytes + done, record->used - done);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            done += (size_t)n;
    }
    return true;
}

/* Appears complete or not at all, whoever else writes at the same time. */
static void write_record(int directory, const char *file_name, const Text *record)
{
    char temporary[64];
    snprintf(temporary, sizeof(temporary), "new-%d-%lld-%p", vmaf_process_id(),
             (long long)vmaf_time_of_day_ns(), (const void *)record);
    int file =
        openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    bool written = write_fully(file, record);
    if (close(file) < 0)
        written = false;
    if (!written || renameat(directory, temporary, directory, file_name) < 0)
        unlinkat(directory, temporary, 0);
}

void probe_cache_store(const ProbeCacheKey *key, const char *const libraries[],
                       unsigned n_libraries, const Reason *harm)
{
    int directory = open_directory(true);
    Text *record = malloc(sizeof(*record));
    if (directory < 0 || !record)
        goto out;
    *record = key->text;
    for (unsigned i = 0; i < n_libraries; i++)
        describe_file(record, libraries[i]);
    if (harm)
        append(record, "%s%lld %s\n", harmful_word, (long long)time(NULL), harm->text);
    else
        append(record, "%s", harmless_line);
    if (!record->too_long)
        write_record(directory, key->file_name, record);
out:
    if (directory >= 0)
        close(directory);
    free(record);
}
