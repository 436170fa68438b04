/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/atomic_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/atomic_target.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/time.h"

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
