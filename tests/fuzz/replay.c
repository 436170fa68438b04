/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs a fuzz target on a file, or on the files of a folder: replay PATH [--list | PATTERN...] */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/cases.h"

static unsigned long n_found, n_inputs;

static int replay_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    n_found++;
    if (!case_is_selected(slash ? slash + 1 : path))
        return 0;
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
    if (argc < 2)
        return EXIT_FAILURE;
    select_cases(argc - 1, argv + 1);
    struct stat status;
    const bool is_folder = stat(argv[1], &status) == 0 && S_ISDIR(status.st_mode);
    const int err = is_folder ? replay_folder(argv[1]) : replay_file(argv[1]);
    fprintf(stderr, "%lu inputs\n", n_inputs);
    return end_cases(err || n_found == 0);
}
