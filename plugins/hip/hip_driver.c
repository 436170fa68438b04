/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ROCm's HIP runtime: finding it, its errors, and what a caller's thread is left with. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "hip_internal.h"
#include "platform/module.h"
#include "platform/thread.h"

/* -- finding the library -- */

enum { PATH_SIZE = 4096 };

static const char family[] = "libamdhip64.so";
/* The libraries of ROCm 7, 6 and 5. */
static const char *const libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
enum { LIBRARIES = sizeof(libraries) / sizeof(libraries[0]) };

HipRuntime hip;

typedef struct Symbol {
    const char *name;
    void *function; /* where its address belongs */
    bool is_optional;
} Symbol;

static const Symbol symbols[] = {
#define HIP_NEEDED(name, parameters)   {"hip" #name, &hip.name, false},
#define HIP_OPTIONAL(name, parameters) {"hip" #name, &hip.name, true},
    HIP_FUNCTIONS(HIP_NEEDED)
        HIP_OPTIONAL_FUNCTIONS(HIP_OPTIONAL){"hipGetErrorName", &hip.GetErrorName, false},
    {"hipGetErrorString", &hip.GetErrorString, false},
};

/* 0; -ENODEV with a reason if a function is missing. */
static int find_functions(const char *library, char *reason, size_t reason_size)
{
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        VmafCodeAddress address = NULL;
        char why[PATH_SIZE];
        const int err = vmaf_module_find(library, symbols[i].name, &address, why, sizeof(why));
        if (err && !(err == -ENOENT && symbols[i].is_optional)) {
            snprintf(reason, reason_size, "%s", why);
            return err == -ENOMEM ? err : -ENODEV;
        }
        memcpy(symbols[i].function, &address, sizeof(address));
    }
    return 0;
}

/* -- which library -- */

/* True if a file of that name is one of the known versions, or has no version in its name. */
static bool is_runtime(const char *name)
{
    for (int i = 0; i < LIBRARIES; i++) {
        const size_t length = strlen(libraries[i]);
        if (strncmp(name, libraries[i], length) == 0 && (!name[length] || name[length] == '.'))
            return true;
    }
    return strcmp(name, family) == 0;
}

static void note_runtime(void *cookie, const char *path)
{
    char *loaded = cookie;
    const char *slash = strrchr(path, '/');
    if (!loaded[0] && is_runtime(slash ? slash + 1 : path) && strlen(path) < PATH_SIZE)
        snprintf(loaded, PATH_SIZE, "%s", path);
}

/* Two runtimes in a process would each have devices, streams and memory that the other does not
 * know. *library: static, or in `loaded`. */
static int choose(char loaded[PATH_SIZE], const char **library, char *reason, size_t reason_size)
{
    VmafCodeAddress address;
    char why[PATH_SIZE];
    loaded[0] = '\0';
    vmaf_module_list(note_runtime, loaded);
    *library = loaded;
    if (loaded[0])
        return 0;
    snprintf(reason, reason_size,
             "ROCm's HIP runtime is not installed: there is no libamdhip64.so.7, .6 or .5");
    for (int i = 0; i < LIBRARIES; i++) {
        const int err = vmaf_module_find(libraries[i], "hipInit", &address, why, sizeof(why));
        *library = libraries[i];
        if (!err || err == -ENOENT)
            return 0;
        /* One that is there has a folder in what the system says of it. */
        if (strncmp(why, libraries[i], strlen(libraries[i])) != 0)
            snprintf(reason, reason_size, "ROCm's HIP runtime does not load: %s", why);
    }
    return -ENODEV;
}

int hip_load(char *reason, size_t reason_size)
{
    static VmafMutex lock = VMAF_MUTEX_INITIALIZER;
    static bool is_loaded;
    char loaded[PATH_SIZE];
    const char *library;
    int err = 0;
    vmaf_mutex_lock(&lock);
    if (!is_loaded) {
        err = choose(loaded, &library, reason, reason_size);
        if (!err)
            err = find_functions(library, reason, reason_size);
        is_loaded = err == 0;
    }
    vmaf_mutex_unlock(&lock);
    return err;
}

/* -- errors -- */

int driver_error_of(hipError_t result)
{
    switch (result) {
    case hipSuccess:
        return 0;
    /* After these nothing works on the device any more. The runtime does not tell an unknown error
     * that passes from one that stays, so it counts as staying. */
    case hipErrorDeinitialized:
    case hipErrorNoDevice:
    case hipErrorInvalidDevice:
    case hipErrorInvalidContext:
    case hipErrorECCNotCorrectable:
    case hipErrorIllegalAddress:
    case hipErrorLaunchTimeOut:
    case hipErrorContextIsDestroyed:
    case hipErrorAssert:
    case hipErrorLaunchFailure:
    case hipErrorUnknown:
        return -ENODEV;
    case hipErrorOutOfMemory:
        return -ENOMEM;
    case hipErrorInvalidValue:
    case hipErrorInvalidDevicePointer:
    case hipErrorInvalidHandle:
    case hipErrorNotFound:
        return -EINVAL;
    case hipErrorInvalidImage:
    case hipErrorNoBinaryForGpu:
    case hipErrorInvalidKernelFile:
    case hipErrorSharedObjectSymbolNotFound:
    case hipErrorSharedObjectInitFailed: /* the loader rejects the chip or the version of the code
                                          */
    case hipErrorHostMemoryAlreadyRegistered:
    case hipErrorNotSupported:
        return -ENOTSUP;
    default:
        return -EIO;
    }
}

void driver_describe_result(hipError_t result, char *text, size_t size)
{
    const char *name = hip.GetErrorName(result), *words = hip.GetErrorString(result);
    if (!name)
        snprintf(text, size, "hipError_t %d", (int)result);
    else if (!words)
        snprintf(text, size, "%.60s", name);
    else
        snprintf(text, size, "%.60s (%.100s)", name, words);
}

/* -- the caller's thread -- */

static _Thread_local int callers_device; /* -1: it is ours */
static _Thread_local bool has_failed;    /* a call of ours, since hip_make_current */

hipError_t hip_make_current(int number)
{
    hipError_t result = hip.GetDevice(&callers_device);
    if (result == hipSuccess && callers_device == number)
        callers_device = -1;
    else if (result == hipSuccess)
        result = hip.SetDevice(number);
    return result;
}

/* The application finds no error that it has not made. */
void hip_forget_errors(void)
{
    if (has_failed && hip.GetLastError)
        hip.GetLastError();
    has_failed = false;
}

void hip_restore(void)
{
    if (callers_device >= 0)
        hip.SetDevice(callers_device);
    hip_forget_errors();
}

void driver_ignore(hipError_t result)
{
    has_failed |= result != hipSuccess;
}

hipError_t hip_note(hipError_t result)
{
    driver_ignore(result);
    return result;
}

int driver_done(CudaDevice *device, hipError_t result, const char *what)
{
    char words[192];
    if (hip_note(result) == hipSuccess)
        return 0;
    driver_describe_result(result, words, sizeof(words));
    return vmaf_layer_state_failed(&device->base.state, driver_error_of(result), what, words);
}

int context_enter(CudaDevice *device)
{
    const int err = driver_done(device, hip_make_current(device->handle), "hipSetDevice");
    if (err)
        hip_forget_errors(); /* context_leave does not follow */
    return err;
}

void context_leave(CudaDevice *device)
{
    (void)device;
    hip_restore();
}
