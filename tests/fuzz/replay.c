/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs a fuzz target on files, and on all files of folders: replay PATH... */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static unsigned long n_inputs;

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    /* Exactly as large as the input, so that reading past it is noticed. */
    struct stat status;
    int err = fstat(fileno(file), &status);
    size_t size = err ? 0 : (size_t)status.st_size;
    uint8_t *data = malloc(size ? size : 1);
    if (err || !data || fread(data, 1, size, file) != size) {
        perror(path);
        err = -1;
    } else {
        LLVMFuzzerTestOneInput(data, size);
        n_inputs++;
    }
    free(data);
    fclose(file);
    return err;
}

static int replay_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        perror(path);
        return -1;
    }
    int err = 0;
    for (int i = 0; i < count; i++) {
        char *name = NULL;
        if (entries[i]->d_name[0] != '.' &&
            (asprintf(&name, "%s/%s", path, entries[i]->d_name) < 0 || replay_file(name)))
            err = -1;
        free(name);
        free(entries[i]);
    }
    free(entries);
    return err;
}

int main(int argc, char **argv)
{
    int err = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode))
            err |= replay_folder(argv[i]);
        else
            err |= replay_file(argv[i]);
    }
    printf("%lu inputs\n", n_inputs);
    return err || n_inputs == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
