/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/output_guard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/path.h"
#include "platform/text.h"

enum { LOOKED_AT = 4096 }; /* bytes of what would be replaced */

/* A file has two keys: its place, which it has before it exists, and what the system knows it by.
 */
typedef struct Keys {
    char *place; /* NULL: standard input */
    char identity[48];
    VmafFileStatus status;
    bool exists;
} Keys;

typedef struct GuardedFile {
    char *key, *label;
    bool is_output;
    uint32_t hash;
    unsigned next; /* of its bucket, one more than its index; 0: none */
} GuardedFile;

static int out_of_memory(Message *why)
{
    return message_set(why, -ENOMEM, "out of memory");
}

/* ---- Keys ---- */

/* The folder as it is without links, and the name in it. NULL without memory. */
static char *join_real(const char *path)
{
    const char *name = vmaf_path_name(path);
    char *folder = name > path ? strndup(path, (size_t)(name - path)) : strdup(".");
    char *real = NULL, *joined = NULL;
    if (folder && vmaf_path_real(folder, &real)) /* there is none: the run will say so */
        real = strdup(folder);
    if (folder && real && asprintf(&joined, "%s/%s", real, name) < 0)
        joined = NULL;
    free(folder);
    free(real);
    return joined;
}

/* One text for all ways to write the path of a file. NULL without memory. */
static char *one_path(const char *path)
{
    char *target;
    if (vmaf_path_behind_links(path, &target))
        return join_real(path);
    char *joined = join_real(target);
    free(target);
    return joined;
}

static void identify(Keys *keys)
{
    keys->exists = true;
    snprintf(keys->identity, sizeof(keys->identity), ":%" PRIx64 ":%" PRIx64, keys->status.volume,
             keys->status.number);
}

static int find_keys(Keys *keys, const char *path)
{
    *keys = (Keys){.place = one_path(path)};
    if (!keys->place)
        return -ENOMEM;
    if (!vmaf_file_status_at(path, &keys->status))
        identify(keys);
    return 0;
}

static int find_keys_of_input(Keys *keys, const char *path)
{
    VmafInput input;
    if (strcmp(path, "-") != 0)
        return find_keys(keys, path);
    *keys = (Keys){.place = NULL};
    if (!vmaf_input_open(&input, NULL) && input.is_file) {
        keys->status = input.status;
        identify(keys);
    }
    vmaf_input_close(&input);
    return 0;
}

/* ---- The table ---- */

static uint32_t hash_of(const char *key) /* FNV-1a */
{
    uint32_t hash = 2166136261U;
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 16777619U;
    return hash;
}

static const GuardedFile *find(const OutputGuard *guard, const char *key)
{
    if (!guard->n_buckets || !key || !*key)
        return NULL;
    const uint32_t hash = hash_of(key);
    for (unsigned i = guard->buckets[hash % guard->n_buckets]; i; i = guard->files[i - 1].next) {
        if (guard->files[i - 1].hash == hash && !strcmp(guard->files[i - 1].key, key))
            return &guard->files[i - 1];
    }
    return NULL;
}

static const GuardedFile *find_either(const OutputGuard *guard, const Keys *keys)
{
    const GuardedFile *found = find(guard, keys->identity);
    return found ? found : find(guard, keys->place);
}

static void link_file(OutputGuard *guard, unsigned index)
{
    unsigned *bucket = &guard->buckets[guard->files[index].hash % guard->n_buckets];
    guard->files[index].next = *bucket;
    *bucket = index + 1;
}

/* There are as many buckets as there is room for files. */
static int grow(OutputGuard *guard)
{
    const unsigned n = guard->n_buckets ? 2 * guard->n_buckets : 16;
    unsigned *buckets = calloc(n, sizeof(*buckets));
    GuardedFile *files = realloc(guard->files, n * sizeof(*files));
    if (files)
        guard->files = files;
    if (!buckets || !files) {
        free(buckets);
        return -ENOMEM;
    }
    free(guard->buckets);
    guard->buckets = buckets;
    guard->n_buckets = n;
    for (unsigned i = 0; i < guard->count; i++)
        link_file(guard, i);
    return 0;
}

static int add_key(OutputGuard *guard, const char *key, const char *label, bool is_output)
{
    if (!key || !*key)
        return 0;
    if (guard->count == guard->n_buckets && grow(guard))
        return -ENOMEM;
    GuardedFile file = {strdup(key), strdup(label), is_output, hash_of(key), 0};
    if (!file.key || !file.label) {
        free(file.key);
        free(file.label);
        return -ENOMEM;
    }
    guard->files[guard->count] = file;
    link_file(guard, guard->count++);
    return 0;
}

static int add(OutputGuard *guard, const Keys *keys, const char *label, bool is_output,
               Message *why)
{
    int err = add_key(guard, keys->identity, label, is_output);
    if (!err)
        err = add_key(guard, keys->place, label, is_output);
    return err ? out_of_memory(why) : 0;
}

/* ---- What may be replaced ---- */

/* The text ends with 0 behind its `size` bytes, and may end within a character if it is cut. */
static bool is_text(const char *bytes, size_t size, bool is_cut)
{
    static const char y4m[] = "YUV4MPEG2 "; /* of which all bytes can be characters */
    if (size >= strlen(y4m) && !memcmp(bytes, y4m, strlen(y4m)))
        return false;
    for (size_t i = 0; i < size;) {
        uint32_t code;
        const size_t length = vmaf_utf8_length(bytes + i, VMAF_UTF8_MAX, &code);
        if (!length)
            return is_cut && size - i < 4;
        if (!code || (code < ' ' && !strchr("\t\n\f\r", (int)code)))
            return false;
        i += length;
    }
    return true;
}

static bool is_replaceable(const GuardedOutput *output)
{
    char bytes[LOOKED_AT + 1];
    size_t size = 0;
    VmafFile file;
    if (output->content == OUTPUT_VIDEO || vmaf_file_open(&file, output->path))
        return false;
    const int err = vmaf_file_read_at(&file, bytes, LOOKED_AT, 0, &size);
    vmaf_file_close(&file);
    bytes[size] = '\0';
    if (err)
        return false;
    if (output->content == OUTPUT_TEXT)
        return is_text(bytes, size, size == LOOKED_AT);
    const size_t length = strlen(output->magic); /* a file may be cut within it */
    return !memcmp(bytes, output->magic, size < length ? size : length);
}

/* Several outputs may go there, one behind the other, and nothing is lost. */
static bool is_shared(const Keys *keys)
{
    return keys->exists && (keys->status.kind != VMAF_FILE_REGULAR ||
                            vmaf_file_standard_stream(&keys->status) >= 0);
}

/* Is something there that the output cannot go to? A video takes the place of what it replaces,
 * which may be no device. */
static bool is_unfit(const GuardedOutput *output, const Keys *keys)
{
    const VmafFileKind kind = keys->status.kind;
    if (!keys->exists)
        return false;
    if (output->content == OUTPUT_VIDEO && kind != VMAF_FILE_REGULAR)
        return true;
    return output->needs_file &&
           (kind == VMAF_FILE_PIPE || (kind == VMAF_FILE_REGULAR && is_shared(keys)));
}

static int reject_content(const GuardedOutput *output, Message *why)
{
    return message_set(
        why, -EEXIST, "%s: %s exists%s: --overwrite replaces it", output->name, output->path,
        output->content == OUTPUT_VIDEO ? "" : " and is nothing like what goes there");
}

static int check(const OutputGuard *guard, const GuardedOutput *output, const Keys *keys,
                 Message *why)
{
    const GuardedFile *other = find_either(guard, keys);
    if (other)
        return message_set(why, -EINVAL, "%s would replace %s: %s", output->name, other->label,
                           output->path);
    if (!keys->exists || !keys->status.size || is_shared(keys) || output->overwrites ||
        is_replaceable(output))
        return 0;
    return reject_content(output, why);
}

/* ---- What others call ---- */

int output_guard_read(OutputGuard *guard, const char *path, const char *label, Message *why)
{
    Keys keys;
    if (!path)
        return 0;
    if (find_keys_of_input(&keys, path))
        return out_of_memory(why);
    const GuardedFile *known = find_either(guard, &keys);
    int err = 0;
    if (known && known->is_output)
        err = message_set(why, -EINVAL, "%s is %s: %s", label, known->label, path);
    else if (!known && keys.exists && keys.status.kind == VMAF_FILE_REGULAR)
        err = add(guard, &keys, label, false, why);
    free(keys.place);
    return err;
}

int output_guard_write(OutputGuard *guard, const GuardedOutput *output, Message *why)
{
    Keys keys;
    if (!output->path || !strcmp(output->path, "-"))
        return 0;
    if (find_keys(&keys, output->path))
        return out_of_memory(why);
    int err = 0;
    if (is_unfit(output, &keys))
        err = message_set(why, -EINVAL, "%s cannot go to a pipe, a device or standard output: %s",
                          output->name, output->path);
    else if (!keys.exists || keys.status.kind == VMAF_FILE_REGULAR)
        err = check(guard, output, &keys, why);
    if (output->label) /* a file that is replaced leaves its number to others, which come later */
        keys.identity[0] = '\0';
    if (!err && !is_shared(&keys))
        err = add(guard, &keys, output->label ? output->label : output->name, true, why);
    free(keys.place);
    return err;
}

int output_guard_trace(OutputGuard *guard, Message *why)
{
    const GuardedOutput trace = {.path = getenv("VMAF_TRACE"),
                                 .name = "the trace of VMAF_TRACE",
                                 .content = OUTPUT_MAGIC,
                                 .magic = "{\"traceEvents\"",
                                 .needs_file = true};
    const int err = trace.path && *trace.path ? output_guard_write(guard, &trace, why) : 0;
    return err == -EEXIST
               ? message_set(why, err, "VMAF_TRACE: %s exists and is no trace", trace.path)
               : err;
}

void output_guard_forget(OutputGuard *guard, unsigned count)
{
    while (guard->count > count) {
        GuardedFile *last = &guard->files[--guard->count];
        guard->buckets[last->hash % guard->n_buckets] = last->next;
        free(last->key);
        free(last->label);
    }
}

void output_guard_free(OutputGuard *guard)
{
    output_guard_forget(guard, 0);
    free(guard->files);
    free(guard->buckets);
    *guard = (OutputGuard){.count = 0};
}
