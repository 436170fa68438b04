/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What makes the emulated machine one with CUDA: errors, words of its file, what tests call. */
#include <stdio.h>
#include <string.h>

#include "driver.h"
#include "guarded_memory.h"
#include "machine_control.h"

static const MachineError errors[] = {
#define X(name, value, text) {value, "CUDA_" #name, text},
    CUDA_RESULTS(X)
#undef X
};

static bool read_capability(MachineReader *reader)
{
    const char *word = reader->words[1];
    int major, minor, end = 0;
    if (sscanf(word, "%d.%d%n", &major, &minor, &end) != 2 || word[end] != '\0' || minor > 9)
        return machine_refuse(reader, "capability takes a number such as 8.9, not %s", word);
    reader->device->own[DEVICE_CAPABILITY] = 10 * major + minor;
    return true;
}

static bool read_compute_mode(MachineReader *reader)
{
    const char *word = reader->words[1];
    int *mode = &reader->device->own[DEVICE_COMPUTE_MODE];
    if (strcmp(word, "default") == 0)
        *mode = CUDA_COMPUTE_DEFAULT;
    else if (strcmp(word, "exclusive") == 0)
        *mode = CUDA_COMPUTE_EXCLUSIVE;
    else if (strcmp(word, "prohibited") == 0)
        *mode = CUDA_COMPUTE_PROHIBITED;
    else
        return machine_refuse(reader, "the compute mode %s is not known", word);
    return true;
}

static const MachineWord words[] = {
    {"capability", 1, 1, read_capability},
    {"compute-mode", 1, 1, read_compute_mode},
    MACHINE_FLAG("driver-mismatch", OF_MACHINE, DRIVER_IS_MISMATCHED),
};

static bool is_function(const char *word)
{
    return strncmp(word, "cu", 2) == 0 && word[2] >= 'A' && word[2] <= 'Z';
}

static void set_default(MachineDevice *device, int index)
{
    (void)index;
    snprintf(device->name, sizeof(device->name), "Emulated NVIDIA GPU");
    device->own[DEVICE_CAPABILITY] = 89;
}

const MachineRuntime machine_runtime = {
    .name = "CUDA",
    .variable = "VMAF_EMULATED_CUDA",
    .driver = 12040,
    .errors = errors,
    .n_errors = sizeof(errors) / sizeof(errors[0]),
    .unknown_error = CUDA_ERROR_UNKNOWN,
    .words = words,
    .n_words = sizeof(words) / sizeof(words[0]),
    .is_function = is_function,
    .set_default = set_default,
    .forget = driver_forget,
    .set_up = driver_set_up,
    .lose = driver_lose_current,
    .drop_work = driver_drop_device,
    .measure = guarded_measure,
};

MACHINE_CONTROL(cuda)
MACHINE_CONTROL_DEFINE(cuda)

#define X(name) DRIVER_DEFINE(name, INIT, (void), CUDA_ERROR_NOT_SUPPORTED)
CUDA_UNSUPPORTED_FUNCTIONS(X)
#undef X
