/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "kernel_operations.h"

#include <stdio.h>
#include <string.h>

int kernel_operations_read(KernelOperations *list, const char *path)
{
    char line[256];
    list->n = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return -1;
    }
    while (list->n < KERNEL_OPERATIONS_MAX && fgets(line, sizeof line, file)) {
        char *name = list->names[list->n];
        double *operations = &list->operations[list->n];
        if (line[0] != '#' && sscanf(line, "%63s %lf", name, operations) == 2 && *operations > 0.0)
            list->n++;
    }
    fclose(file);
    if (!list->n)
        fprintf(stderr, "%s: there are no lines with a kernel and its operations\n", path);
    return list->n ? 0 : -1;
}

double kernel_operations_of(const KernelOperations *list, const char *kernel)
{
    for (unsigned i = 0; i < list->n; i++) {
        if (!strcmp(list->names[i], kernel))
            return list->operations[i];
    }
    return 0.0;
}
