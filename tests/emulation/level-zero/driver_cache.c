/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_cache.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 512 };

/* A file is this, the code, and the bitcode. */
typedef struct Header {
    char magic[8];
    uint64_t size, bitcode_size;
} Header;

static const char magic[8] = "lz-bc-1";

/* FNV-1a; the file has all of the code, so that equal names do no harm. */
static uint64_t hash(const unsigned char *bytes, size_t size)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    return value;
}

static bool find_path(const void *spirv, size_t size, char path[PATH_SIZE])
{
    const char *folder = getenv("POCL_CACHE_DIR");
    if (!folder || !*folder)
        return false;
    const int length =
        snprintf(path, PATH_SIZE, "%s/%016" PRIx64 ".translated", folder, hash(spirv, size));
    if (mkdir(folder, 0777) == 0)
        return true;
    return length < PATH_SIZE - 32; /* it may be there already */
}

static unsigned char *read_file(FILE *file, const void *spirv, size_t size, size_t *bitcode_size)
{
    Header header;
    unsigned char *code = malloc(size), *bitcode = NULL;
    const bool is_it = fread(&header, sizeof(header), 1, file) == 1 &&
                       memcmp(header.magic, magic, sizeof(magic)) == 0 && header.size == size &&
                       fread(code, 1, size, file) == size && memcmp(code, spirv, size) == 0;
    free(code);
    if (is_it && header.bitcode_size < (UINT64_C(1) << 30)) {
        *bitcode_size = (size_t)header.bitcode_size;
        bitcode = malloc(*bitcode_size);
        if (fread(bitcode, 1, *bitcode_size, file) == *bitcode_size)
            return bitcode;
    }
    free(bitcode);
    return NULL;
}

unsigned char *cache_find(const void *spirv, size_t size, size_t *bitcode_size)
{
    char path[PATH_SIZE];
    FILE *file = find_path(spirv, size, path) ? fopen(path, "rb") : NULL;
    if (!file)
        return NULL;
    unsigned char *bitcode = read_file(file, spirv, size, bitcode_size);
    fclose(file);
    return bitcode;
}

/* Several processes may do so at once: the file appears when it is complete. */
void cache_keep(const void *spirv, size_t size, const void *bitcode, size_t bitcode_size)
{
    char path[PATH_SIZE], unfinished[PATH_SIZE + 8];
    Header header = {.size = size, .bitcode_size = bitcode_size};
    memcpy(header.magic, magic, sizeof(magic));
    if (!find_path(spirv, size, path))
        return;
    snprintf(unfinished, sizeof(unfinished), "%s.XXXXXX", path);
    const int descriptor = mkstemp(unfinished);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!file)
        return;
    const bool is_written = fwrite(&header, sizeof(header), 1, file) == 1 &&
                            fwrite(spirv, 1, size, file) == size &&
                            fwrite(bitcode, 1, bitcode_size, file) == bitcode_size;
    if (fclose(file) != 0 || !is_written || rename(unfinished, path) != 0)
        unlink(unfinished);
}
