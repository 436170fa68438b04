/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_opencl.h"

#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 512, OLDEST = 11, NEWEST = 40 };

extern char **environ;

static char program[PATH_SIZE];

/* The newest that is found along PATH. */
static bool search_path(const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin"; *at;) {
        const int length = (int)strcspn(at, ":");
        snprintf(program, sizeof(program), "%.*s/%s", length, at, name);
        if (length > 0 && access(program, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

bool translator_start(void)
{
    char name[32];
    if (program[0])
        return true;
#ifdef BUILD_TRANSLATOR /* what made the code can read it */
    snprintf(program, sizeof(program), "%s", BUILD_TRANSLATOR);
    if (access(program, X_OK) == 0)
        return true;
#endif
    for (int version = NEWEST; version >= OLDEST; version--) {
        snprintf(name, sizeof(name), "llvm-spirv-%d", version);
        if (search_path(name))
            return true;
    }
    if (search_path("llvm-spirv"))
        return true;
    program[0] = '\0';
    return false;
}

static bool write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    const bool ok = file && fwrite(data, 1, size, file) == size;
    return (file ? fclose(file) : -1) == 0 && ok;
}

/* All of a file, with a zero behind it. */
static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = malloc(1);
    *size = 0;
    while (file && !feof(file) && !ferror(file)) {
        data = realloc(data, *size + 65536 + 1);
        *size += fread(data + *size, 1, 65536, file);
    }
    if (file)
        fclose(file);
    data[*size] = '\0';
    return data;
}

static bool spawn(char *const *arguments, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const bool started = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* FNV-1a, which names what was translated. */
static uint64_t hash(const unsigned char *bytes, size_t size)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    return value;
}

/* Several processes may do so at once: the file appears when it is complete. */
static bool translate(const void *spirv, size_t size, const char *bitcode, char **log)
{
    char folder[PATH_SIZE + 16], input[PATH_SIZE + 32], output[PATH_SIZE + 32],
        said[PATH_SIZE + 32];
    size_t log_size;
    snprintf(folder, sizeof(folder), "%s.XXXXXX", bitcode);
    if (!mkdtemp(folder)) {
        *log = strdup("there is no folder for translated code");
        return false;
    }
    snprintf(input, sizeof(input), "%s/spv", folder);
    snprintf(output, sizeof(output), "%s/bc", folder);
    snprintf(said, sizeof(said), "%s/log", folder);
    char reverse[] = "-r", to[] = "-o";
    char *const arguments[] = {program, reverse, input, to, output, NULL};
    const bool ok =
        write_file(input, spirv, size) && spawn(arguments, said) && rename(output, bitcode) == 0;
    *log = (char *)read_file(said, &log_size);
    unlink(input);
    unlink(output);
    unlink(said);
    rmdir(folder);
    return ok;
}

unsigned char *translator_run(const void *spirv, size_t size, size_t *bitcode_size, char **log)
{
    const char *folder = getenv("POCL_CACHE_DIR");
    char bitcode[PATH_SIZE];
    if (!folder || !*folder)
        folder = "/tmp";
    mkdir(folder, 0777);
    snprintf(bitcode, sizeof(bitcode), "%.400s/%016" PRIx64 "-%zu.translated", folder,
             hash(spirv, size), size);
    if (access(bitcode, R_OK) != 0 && !translate(spirv, size, bitcode, log))
        return NULL;
    return read_file(bitcode, bitcode_size);
}
