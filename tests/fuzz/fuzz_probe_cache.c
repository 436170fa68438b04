/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Input: a cached record about a plugin. So that it passes the comparison with the present state,
 * some bytes stand for text that cannot be guessed: 1 for the key of the plugin, 2 for the line of
 * an unchanged file, 3 for the time.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/discovery/probe.h"
#include "printable.h"

enum { INPUT_LIMIT = 4096, KEY_LIMIT = 4096 };

typedef struct Fixture {
    char home[64], record[512]; /* paths */
    int file;                   /* the record */
    ProbeCacheKey *key;
    char key_text[KEY_LIMIT];
    const char *file_line; /* the last one of the key */
} Fixture;

static void require(bool condition)
{
    if (!condition)
        abort();
}

static Fixture fixture;

static void clean_up(void)
{
    char path[128];
    unlink(fixture.record);
    snprintf(path, sizeof(path), "%s/libvmaf", fixture.home);
    rmdir(path);
    rmdir(fixture.home);
    probe_cache_key_free(fixture.key);
}

/* Finds the record that was just stored, the only file. */
static void find_record(void)
{
    char folder[128];
    snprintf(folder, sizeof(folder), "%s/libvmaf", fixture.home);
    DIR *listing = opendir(folder);
    require(listing != NULL);
    for (const struct dirent *entry; (entry = readdir(listing));)
        if (entry->d_name[0] != '.')
            snprintf(fixture.record, sizeof(fixture.record), "%s/%s", folder, entry->d_name);
    closedir(listing);
}

/* A clean record is the key and a last line. */
static void set_up(void)
{
    static const char last_line[] = "clean\n";
    bool in_memory = access("/dev/shm", W_OK) == 0; /* no waiting for a disk */
    strcpy(fixture.home, in_memory ? "/dev/shm/vmaf-fuzz-XXXXXX" : "/tmp/vmaf-fuzz-XXXXXX");
    require(mkdtemp(fixture.home) && setenv("XDG_CACHE_HOME", fixture.home, 1) == 0);
    ProbeCacheKey *key = probe_cache_key_create("/etc/passwd");
    require(key != NULL);
    probe_cache_store(key, NULL, 0, NULL);
    probe_cache_key_free(key);
    find_record();
    fixture.file = open(fixture.record, O_RDWR | O_CLOEXEC);
    ssize_t length = read(fixture.file, fixture.key_text, KEY_LIMIT - 1);
    require(length > (ssize_t)sizeof(last_line));
    char *last = fixture.key_text + length - (sizeof(last_line) - 1);
    require(strcmp(last, last_line) == 0);
    *last = '\0';
    last[-1] = '\0';
    fixture.file_line = strrchr(fixture.key_text, '\n') + 1;
    last[-1] = '\n';
    fixture.key = probe_cache_key_create("/etc/passwd"); /* the key contains the folder */
    atexit(clean_up);
}

static void write_record(const uint8_t *data, size_t size)
{
    static char record[INPUT_LIMIT * 4 + KEY_LIMIT * 4];
    size_t used = 0, room = sizeof(record);
    for (size_t i = 0; i < size && used + KEY_LIMIT < room; i++) {
        char *end = record + used;
        switch (data[i]) {
        case 1:
            used += (size_t)snprintf(end, KEY_LIMIT, "%s", fixture.key_text);
            break;
        case 2:
            used += (size_t)snprintf(end, KEY_LIMIT, "%s", fixture.file_line);
            break;
        case 3:
            used += (size_t)snprintf(end, KEY_LIMIT, "%lld", (long long)time(NULL));
            break;
        default:
            *end = (char)data[i];
            used++;
        }
    }
    require(pwrite(fixture.file, record, used, 0) == (ssize_t)used);
    require(ftruncate(fixture.file, (off_t)used) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!fixture.key)
        set_up();
    if (size > INPUT_LIMIT)
        return 0;
    write_record(data, size);
    Reason fault;
    memset(&fault, 0x7f, sizeof(fault));
    ProbeMemory memory = probe_cache_find(fixture.key, &fault);
    if (memory == PROBE_FAULTY)
        require_printable(fault.text, sizeof(fault.text));
    /* Records that do not begin with the key are ignored. */
    require(memory == PROBE_UNKNOWN || data[0] == 1 || size >= strlen(fixture.key_text));
    return 0;
}
