/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A backend that poses as any other: the build gives it a name and a class, and the file that the
 * environment variable VMAF_TEST_POSING names says what it finds. Of its lines, those count whose
 * first word is the name:
 *
 *   NAME no-driver | broken
 *   NAME KIND DEVICE-NAME [pci=ADDRESS] [uuid=HEX] [luid=HEX] [driver=TEXT] [unusable=TEXT]
 *        [id=none] [open=fails] [plan=fails] [memory=none] [lost=FRAME] [hangs=FRAME]
 *        [wrong=FRAME]
 *
 * KIND is discrete, integrated, virtual, software or unknown. A name of "-" and texts have no
 * spaces. Nothing is found where there is no line. With VMAF_TEST_POSING_LOG, each device that is
 * opened for scoring is appended to that file.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inner.h"

#ifndef BACKEND_CLASS
#define BACKEND_CLASS VMAF_BACKEND_CLASS_NATIVE
#endif

#define INNER_DEVICE "example-0" /* the only one that the example has */

enum {
    MAX_DEVICES = 8,
    LINE_SIZE = 512,
    SELF_TEST_SHORT = 144,
    SELF_TEST_LONG = 1272,
    SELF_TEST_SMOOTH = 232
};

typedef struct Device {
    VmafBackendDeviceInfo info;
    bool open_fails, plan_fails, has_no_memory;
    /* From this frame on, from 1; 0: never. */
    unsigned lost, hangs, wrong;
} Device;

typedef struct Found {
    Device devices[MAX_DEVICES];
    unsigned n_devices; /* those that can be used come first */
    bool has_no_driver, is_broken;
} Found;

/* An opened device, a plan and a session of it. */
typedef struct Opened {
    const Device *device;
    VmafBackendDevice *inner;
} Opened;

typedef struct Plan {
    const Device *device;
    VmafBackendPlan *inner;
    bool is_test;
} Plan;

typedef struct Session {
    const Device *device;
    VmafBackendSession *inner;
    bool is_test;
    atomic_uint collected;
} Session;

static const VmafBackend *inner;
static VmafBackend backend;
static Found found; /* read once */

/* ---- the file ---- */

static void read_bytes(const char *text, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned byte = 0;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1)
            abort();
        bytes[i] = (uint8_t)byte;
    }
}

static uint32_t read_kind(const char *word)
{
    static const char *const kinds[] = {"unknown", "discrete", "integrated", "virtual", "software"};
    for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (!strcmp(word, kinds[i]))
            return i;
    }
    fprintf(stderr, "%s is no kind of device\n", word);
    abort();
}

static void read_member(Device *device, char *word)
{
    VmafBackendDeviceInfo *info = &device->info;
    char *value = strchr(word, '=');
    if (!value)
        abort();
    *value++ = '\0';
    if (!strcmp(word, "pci")) {
        info->identities |= VMAF_BACKEND_IDENTITY_PCI;
        snprintf(info->pci, sizeof(info->pci), "%s", value);
    } else if (!strcmp(word, "uuid")) {
        info->identities |= VMAF_BACKEND_IDENTITY_UUID;
        read_bytes(value, info->uuid, sizeof(info->uuid));
    } else if (!strcmp(word, "luid")) {
        info->identities |= VMAF_BACKEND_IDENTITY_LUID;
        read_bytes(value, info->luid, sizeof(info->luid));
    } else if (!strcmp(word, "driver")) {
        snprintf(info->driver, sizeof(info->driver), "%s", value);
    } else if (!strcmp(word, "unusable")) {
        snprintf(info->unusable, sizeof(info->unusable), "%s", value);
    } else if (!strcmp(word, "id")) {
        info->id[0] = '\0';
    } else if (!strcmp(word, "open")) {
        device->open_fails = true;
    } else if (!strcmp(word, "plan")) {
        device->plan_fails = true;
    } else if (!strcmp(word, "memory")) {
        device->has_no_memory = true;
    } else if (!strcmp(word, "lost")) {
        device->lost = (unsigned)strtoul(value, NULL, 10);
    } else if (!strcmp(word, "hangs")) {
        device->hangs = (unsigned)strtoul(value, NULL, 10);
    } else if (!strcmp(word, "wrong")) {
        device->wrong = (unsigned)strtoul(value, NULL, 10);
    } else {
        fprintf(stderr, "%s is no word of a device\n", word);
        abort();
    }
}

static void read_line(char *line)
{
    char *rest = line, *word = strtok_r(rest, " \n", &rest);
    if (!word || strcmp(word, BACKEND_NAME) != 0)
        return;
    word = strtok_r(rest, " \n", &rest);
    if (!word || found.n_devices == MAX_DEVICES)
        abort();
    if (!strcmp(word, "no-driver")) {
        found.has_no_driver = true;
        return;
    }
    if (!strcmp(word, "broken")) {
        found.is_broken = true;
        return;
    }
    Device *device = &found.devices[found.n_devices];
    VmafBackendDeviceInfo *info = &device->info;
    info->kind = read_kind(word);
    word = strtok_r(rest, " \n", &rest);
    snprintf(info->name, sizeof(info->name), "%s", word ? word : "-");
    snprintf(info->id, sizeof(info->id), "device-%u", found.n_devices++);
    while ((word = strtok_r(rest, " \n", &rest)))
        read_member(device, word);
}

static void read_file(void)
{
    char line[LINE_SIZE];
    const char *path = getenv("VMAF_TEST_POSING");
    FILE *file = path ? fopen(path, "r") : NULL;
    while (file && fgets(line, sizeof(line), file))
        read_line(line);
    if (file)
        fclose(file);
}

/* ---- devices ---- */

static int32_t probe(VmafBackendProbe *result)
{
    unsigned usable = 0;
    if (found.is_broken || found.has_no_driver) {
        snprintf(result->reason, sizeof(result->reason),
                 found.is_broken ? "its firmware is broken" : "libposing.so.1 is missing");
        return found.is_broken ? VMAF_BACKEND_FAILED : VMAF_BACKEND_NO_DRIVER;
    }
    while (usable < found.n_devices && !found.devices[usable].info.unusable[0])
        usable++;
    if (!usable && found.n_devices)
        snprintf(result->reason, sizeof(result->reason), "%.100s: %.100s",
                 found.devices[0].info.name, found.devices[0].info.unusable);
    result->n_devices = usable;
    result->n_unusable = found.n_devices - usable;
    return VMAF_BACKEND_OK;
}

static int32_t device_get(uint32_t index, VmafBackendDeviceInfo *info)
{
    if (index >= found.n_devices)
        return VMAF_BACKEND_INVALID;
    const uint32_t size = info->struct_size;
    if (size < sizeof(*info))
        return VMAF_BACKEND_NOT_SUPPORTED;
    *info = found.devices[index].info;
    info->struct_size = size;
    return VMAF_BACKEND_OK;
}

static int32_t device_open(const VmafBackendDeviceParams *params, VmafBackendDevice **device,
                           VmafBackendReason *why)
{
    unsigned i = 0;
    while (i < found.n_devices && strcmp(found.devices[i].info.id, params->id) != 0)
        i++;
    if (i == found.n_devices)
        return VMAF_BACKEND_INVALID;
    if (found.devices[i].open_fails) {
        snprintf(why->text, sizeof(why->text), "%.100s does not open", found.devices[i].info.name);
        return VMAF_BACKEND_FAILED;
    }
    Opened *opened = calloc(1, sizeof(*opened));
    if (!opened)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    VmafBackendDeviceParams first = *params;
    first.id = INNER_DEVICE;
    opened->device = &found.devices[i];
    const int32_t result = inner->device_open(&first, &opened->inner, why);
    if (result)
        free(opened);
    else
        *device = (VmafBackendDevice *)opened;
    return result;
}

static void device_close(VmafBackendDevice *device)
{
    inner->device_close(((Opened *)device)->inner);
    free(device);
}

/* ---- plans ---- */

static int32_t plan_create(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                           VmafBackendPlan **plan, VmafBackendReason *why)
{
    const Opened *opened = (const Opened *)device;
    if (opened->device->plan_fails) {
        snprintf(why->text, sizeof(why->text), "%.100s makes no plans", opened->device->info.name);
        return VMAF_BACKEND_FAILED;
    }
    Plan *made = calloc(1, sizeof(*made));
    if (!made)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    made->device = opened->device;
    made->is_test = params->width == SELF_TEST_SHORT || params->width == SELF_TEST_LONG ||
                    params->width == SELF_TEST_SMOOTH;
    const int32_t result = inner->plan_create(opened->inner, params, &made->inner, why);
    if (result)
        free(made);
    else
        *plan = (VmafBackendPlan *)made;
    return result;
}

static int32_t plan_info(const VmafBackendPlan *plan, VmafBackendPlanInfo *info)
{
    return inner->plan_info(((const Plan *)plan)->inner, info);
}

static int32_t plan_answer(const VmafBackendPlan *plan, uint32_t request, VmafBackendAnswer *answer)
{
    return inner->plan_answer(((const Plan *)plan)->inner, request, answer);
}

static void plan_destroy(VmafBackendPlan *plan)
{
    inner->plan_destroy(((Plan *)plan)->inner);
    free(plan);
}

/* ---- sessions ---- */

static void note(const Device *device)
{
    const char *path = getenv("VMAF_TEST_POSING_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%s %s\n", BACKEND_NAME, device->info.name);
        fclose(file);
    }
}

static int32_t session_open(VmafBackendPlan *plan, VmafBackendSession **session,
                            VmafBackendReason *why)
{
    const Plan *mine = (const Plan *)plan;
    if (mine->device->has_no_memory) {
        snprintf(why->text, sizeof(why->text), "%.100s has no memory", mine->device->info.name);
        return VMAF_BACKEND_OUT_OF_MEMORY;
    }
    Session *made = calloc(1, sizeof(*made));
    if (!made)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    made->device = mine->device;
    made->is_test = mine->is_test;
    const int32_t result = inner->session_open(mine->inner, &made->inner, why);
    if (result) {
        free(made);
        return result;
    }
    if (!made->is_test)
        note(made->device);
    *session = (VmafBackendSession *)made;
    return VMAF_BACKEND_OK;
}

static void session_close(VmafBackendSession *session)
{
    inner->session_close(((Session *)session)->inner);
    free(session);
}

static int32_t reset(VmafBackendSession *session)
{
    return inner->reset(((Session *)session)->inner);
}

static int32_t submit(VmafBackendSession *session, const VmafBackendFrame *frame)
{
    return inner->submit(((Session *)session)->inner, frame);
}

/* Whether the next answer of a session is one with this fault. */
static bool is_reached(const Session *session, unsigned frame)
{
    return frame && !session->is_test && atomic_load(&session->collected) + 1 >= frame;
}

static void spoil(const VmafBackendResult *result)
{
    for (uint32_t r = 0; r < result->n_requests; r++) {
        if (result->records[r])
            *(unsigned char *)result->records[r] ^= 1;
    }
}

static int32_t collect(VmafBackendSession *session, uint32_t timeout_ms, VmafBackendResult *result)
{
    Session *mine = (Session *)session;
    if (is_reached(mine, mine->device->lost))
        return VMAF_BACKEND_DEVICE_LOST;
    while (is_reached(mine, mine->device->hangs))
        pause();
    const int32_t outcome = inner->collect(mine->inner, timeout_ms, result);
    if (outcome)
        return outcome;
    if (is_reached(mine, mine->device->wrong))
        spoil(result);
    atomic_fetch_add(&mine->collected, 1);
    return outcome;
}

static int32_t flush(VmafBackendSession *session)
{
    return inner->flush(((Session *)session)->inner);
}

static void cancel(VmafBackendSession *session)
{
    inner->cancel(((Session *)session)->inner);
}

static void last_error(uint32_t object_kind, const void *object, char *text, uint32_t size)
{
    (void)object_kind;
    (void)object;
    if (size)
        snprintf(text, size, "as the file says");
}

/* ---- the entry ---- */

static void wrap(void)
{
    read_file();
    inner = inner_backend_entry();
    backend = (VmafBackend){
        .struct_size = sizeof(backend),
        .abi_major = VMAF_BACKEND_ABI_MAJOR,
        .abi_minor = VMAF_BACKEND_ABI_MINOR,
        .backend_class = BACKEND_CLASS,
        .name = BACKEND_NAME,
        .version = "1",
        .description = "poses as what a test wants",
        .n_features = inner->n_features,
        .feature_get = inner->feature_get,
        .feature_option = inner->feature_option,
        .feature_output = inner->feature_output,
        .probe = probe,
        .device_get = device_get,
        .device_open = device_open,
        .device_close = device_close,
        .plan_create = plan_create,
        .plan_info = plan_info,
        .plan_answer = plan_answer,
        .plan_destroy = plan_destroy,
        .session_open = session_open,
        .session_close = session_close,
        .reset = reset,
        .submit = submit,
        .collect = collect,
        .flush = flush,
        .cancel = cancel,
        .last_error = last_error,
    };
}

VMAF_BACKEND_EXPORT const VmafBackend *vmaf_backend_entry(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, wrap);
    return &backend;
}
