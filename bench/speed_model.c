/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "speed_model.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The H200 has the processor of the H100. */
static const SpeedModel models[] = {
    {"H100", 5000, 1490},     {"H200", 5000, 1490},        {"RTX 4090", 6300, 1990},
    {"RTX 5090", 7400, 2530}, {"Radeon 8060S", 1870, 476}, {"A770", 1000, 250},
};

/* Cards that have the name of a larger one in theirs, with fewer units or less power. */
static const char *const other_cards[] = {"Laptop", "Mobile", "Max-Q", "4090 D", "5090 D", "MIG"};

const SpeedModel *speed_model_find(const char *device)
{
    for (size_t i = 0; i < sizeof other_cards / sizeof other_cards[0]; i++) {
        if (strstr(device, other_cards[i]))
            return NULL;
    }
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        if (strstr(device, models[i].card))
            return &models[i];
    }
    return NULL;
}

double speed_model_fps(const SpeedModel *model, unsigned width, unsigned height, unsigned depth)
{
    if (width == 1920 && height == 1080 && depth == 8)
        return model->fps_1080p8;
    if (width == 3840 && height == 2160 && depth == 10)
        return model->fps_2160p10;
    return 0.0;
}

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
