/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is done with files and folders in the same way on every system. */
#include "platform/file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/internal.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/time.h"

/* ---- Files ---- */

bool vmaf_file_is_same(const VmafFileStatus *a, const VmafFileStatus *b)
{
    return a->volume == b->volume && a->number == b->number;
}

int vmaf_file_read_all(const VmafFile *file, void *bytes, size_t size, size_t *used)
{
    size_t got = 1;
    int err = 0;
    *used = 0;
    while (!err && got && *used < size) {
        err = vmaf_file_read_at(file, (char *)bytes + *used, size - *used, (int64_t)*used, &got);
        *used += got;
    }
    return err;
}

/* The content of an open file whose status is known; it may have become shorter since. */
static int load(const VmafFile *file, const VmafFileStatus *status, char **content, size_t *size)
{
    char *bytes = malloc((size_t)status->size + 1);
    if (!bytes)
        return -ENOMEM;
    const int err = vmaf_file_read_all(file, bytes, (size_t)status->size, size);
    if (err) {
        free(bytes);
        *size = 0;
        return err;
    }
    bytes[*size] = '\0';
    *content = bytes;
    return 0;
}

static int check_loadable(const VmafFileStatus *status, size_t max)
{
    if (status->kind != VMAF_FILE_REGULAR)
        return -EINVAL;
    return (uint64_t)status->size > max ? -EFBIG : 0;
}

int vmaf_file_load(const char *path, size_t max, char **content, size_t *size)
{
    VmafFile file;
    VmafFileStatus status = {0};
    *content = NULL;
    *size = 0;
    int err = vmaf_file_open_at_once(&file, path);
    if (err)
        return err;
    err = vmaf_file_status(&file, &status);
    if (!err)
        err = check_loadable(&status, max);
    if (!err)
        err = load(&file, &status, content, size);
    vmaf_file_close(&file);
    return err;
}

/* ---- Names in a folder ---- */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int vmaf_folder_names_add(VmafFolderNames *list, const char *name)
{
    if (!list->is_wanted(name))
        return 0;
    char **grown = realloc(list->names, (list->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    list->names = grown;
    grown[list->count] = strdup(name);
    if (!grown[list->count])
        return -ENOMEM;
    list->count++;
    return 0;
}

int vmaf_folder_list(const char *path, bool (*is_wanted)(const char *name), char ***names,
                     unsigned *count)
{
    VmafFolderNames list = {.is_wanted = is_wanted};
    const int err = vmaf_folder_read(path, &list);
    if (err) {
        vmaf_folder_list_free(list.names, list.count);
        list = (VmafFolderNames){0};
    } else if (list.count) {
        qsort(list.names, list.count, sizeof(*list.names), by_bytes);
    }
    *names = list.names;
    *count = list.count;
    return err;
}

void vmaf_folder_list_free(char **names, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* ---- Files that appear complete or not at all ---- */

enum { BUFFER_SIZE = 64 * 1024 };

struct VmafAtomicFile {
    VmafAtomicTarget target;
    int error;      /* first one, negative errno */
    bool in_memory; /* as a text */
    char *text;
    size_t text_size;
    size_t used;
    char buffer[BUFFER_SIZE];
};

/* A name that a second program is unlikely to choose; that no file is opened which exists makes it
 * safe if it does. */
static uint64_t name_suffix(const void *salt, unsigned attempt)
{
    uint64_t x = (uint64_t)vmaf_time_of_day_ns();
    x ^= (uint64_t)vmaf_process_id() << 40 ^ (uint64_t)(uintptr_t)salt;
    x += attempt;
    /* Finaliser of MurmurHash3 (public domain, A. Appleby). */
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

char *vmaf_atomic_target_name(const char *path, const void *salt, unsigned attempt)
{
    const size_t folder_length = (size_t)(vmaf_path_name(path) - path);
    const size_t size = folder_length + sizeof(".vmaf-0123456789abcdef.tmp");
    char *name = malloc(size);
    if (!name)
        return NULL;
    memcpy(name, path, folder_length);
    snprintf(name + folder_length, size - folder_length, ".vmaf-%016llx.tmp",
             (unsigned long long)name_suffix(salt, attempt));
    return name;
}

/* ---- Opening ---- */

static VmafAtomicFile *create(bool is_private)
{
    VmafAtomicFile *file = malloc(sizeof(*file));
    if (!file)
        return NULL;
    memset(file, 0, offsetof(VmafAtomicFile, buffer));
    file->target.handle = -1;
    file->target.is_private = is_private;
    return file;
}

static int open_file(VmafAtomicFile **file_out, const char *path, bool is_private)
{
    *file_out = NULL;
    VmafAtomicFile *file = create(is_private);
    if (!file)
        return -ENOMEM;
    const int err = vmaf_atomic_target_open(&file->target, path);
    if (err < 0)
        vmaf_atomic_file_abandon(file);
    else
        *file_out = file;
    return err;
}

int vmaf_atomic_file_open(VmafAtomicFile **file, const char *path)
{
    return open_file(file, path, false);
}

int vmaf_atomic_file_open_private(VmafAtomicFile **file, const char *path)
{
    return open_file(file, path, true);
}

int vmaf_atomic_file_open_growing(VmafAtomicFile **file, const char *path, bool *begins_anew)
{
    *file = create(false);
    const int err =
        *file ? vmaf_atomic_target_open_growing(&(*file)->target, path, begins_anew) : -ENOMEM;
    if (err) {
        vmaf_atomic_file_abandon(*file);
        *file = NULL;
    }
    return err;
}

int vmaf_atomic_file_open_text(VmafAtomicFile **file)
{
    *file = create(false);
    if (!*file)
        return -ENOMEM;
    (*file)->in_memory = true;
    return 0;
}

/* ---- Writing ---- */

/* With a 0 behind it. */
static int append(VmafAtomicFile *file, const char *data, size_t size)
{
    char *moved = realloc(file->text, file->text_size + size + 1);
    if (!moved)
        return -ENOMEM;
    memcpy(moved + file->text_size, data, size);
    file->text = moved;
    file->text_size += size;
    moved[file->text_size] = '\0';
    return 0;
}

static void write_fully(VmafAtomicFile *file, const char *data, size_t size)
{
    if (!file->error && file->in_memory)
        file->error = append(file, data, size);
    else if (!file->error)
        file->error = vmaf_atomic_target_write(&file->target, data, size);
}

static void flush(VmafAtomicFile *file)
{
    write_fully(file, file->buffer, file->used);
    file->used = 0;
}

void vmaf_atomic_file_write(VmafAtomicFile *file, const void *data, size_t size)
{
    if (size > BUFFER_SIZE - file->used)
        flush(file);
    if (size > BUFFER_SIZE) {
        write_fully(file, data, size);
        return;
    }
    memcpy(file->buffer + file->used, data, size);
    file->used += size;
}

void vmaf_atomic_file_puts(VmafAtomicFile *file, const char *text)
{
    vmaf_atomic_file_write(file, text, strlen(text));
}

int vmaf_atomic_file_flush(VmafAtomicFile *file)
{
    flush(file);
    return file->error;
}

/* ---- Ending ---- */

int vmaf_atomic_file_take_text(VmafAtomicFile *file, char **text)
{
    flush(file);
    const int err = file->error;
    *text = err ? NULL : file->text;
    if (!err)
        file->text = NULL;
    vmaf_atomic_file_abandon(file);
    return err;
}

int vmaf_atomic_file_commit(VmafAtomicFile *file)
{
    flush(file);
    const int closed = vmaf_atomic_target_close(&file->target);
    if (!file->error)
        file->error = closed;
    if (file->target.temporary && !file->error)
        file->error = vmaf_atomic_target_replace(&file->target, file->buffer, BUFFER_SIZE);
    const int err = file->error;
    vmaf_atomic_file_abandon(file);
    return err;
}

void vmaf_atomic_file_abandon(VmafAtomicFile *file)
{
    if (!file)
        return;
    vmaf_atomic_target_abandon(&file->target);
    free(file->text);
    free(file);
}
