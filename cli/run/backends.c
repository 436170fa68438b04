/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Backends of a run: the choice, what becomes of them, and devices that stay open between runs. */
#include "backends.h"

#include "common/messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/thread.h"

/* -- open devices -- */

/* The library shares open devices between contexts: one that never scores holds this. */
typedef struct OpenDevice {
    char backend[BACKEND_NAME_SIZE];
    int index;
    VmafContext *holder;
    struct OpenDevice *next;
} OpenDevice;

struct OpenDevices {
    VmafMutex lock;
    VmafCondition changed;
    unsigned n_runs, n_settling;
    unsigned long settled; /* how often all devices were let go */
    bool lost;             /* a device, which a run may still have */
    OpenDevice *first;
};

int open_devices_create(OpenDevices **devices)
{
    *devices = calloc(1, sizeof(**devices));
    if (!*devices)
        return -ENOMEM;
    vmaf_mutex_init(&(*devices)->lock);
    vmaf_condition_init(&(*devices)->changed);
    return 0;
}

static void let_go(OpenDevice *device)
{
    vmaf_close(device->holder);
    free(device);
}

static void let_all_go(OpenDevices *devices)
{
    for (OpenDevice *device = devices->first, *next; device; device = next) {
        next = device->next;
        let_go(device);
    }
    devices->first = NULL;
}

void open_devices_destroy(OpenDevices *devices)
{
    if (!devices)
        return;
    let_all_go(devices);
    vmaf_condition_destroy(&devices->changed);
    vmaf_mutex_destroy(&devices->lock);
    free(devices);
}

void open_devices_enter(OpenDevices *devices)
{
    if (!devices)
        return;
    vmaf_mutex_lock(&devices->lock);
    while ((devices->lost || devices->n_settling) && devices->n_runs)
        vmaf_condition_wait(&devices->changed, &devices->lock);
    devices->lost = false;
    devices->n_runs++;
    vmaf_mutex_unlock(&devices->lock);
}

void open_devices_leave(OpenDevices *devices)
{
    if (!devices)
        return;
    vmaf_mutex_lock(&devices->lock);
    devices->n_runs--;
    vmaf_condition_broadcast(&devices->changed);
    vmaf_mutex_unlock(&devices->lock);
}

/*
 * For a run that could not open a device: perhaps another run has lost it, and has it still. Waits
 * until all runs but those that wait here are over, and lets go of all devices that were kept open,
 * so that opening is worth another try. False at once without devices.
 */
static bool settle(OpenDevices *devices)
{
    if (!devices)
        return false;
    vmaf_mutex_lock(&devices->lock);
    const unsigned long before = devices->settled;
    devices->n_settling++;
    vmaf_condition_broadcast(&devices->changed);
    while (devices->settled == before && devices->n_runs > devices->n_settling)
        vmaf_condition_wait(&devices->changed, &devices->lock);
    if (devices->settled == before) { /* the first of them */
        let_all_go(devices);
        devices->lost = false;
        devices->settled++;
    }
    devices->n_settling--;
    vmaf_condition_broadcast(&devices->changed);
    vmaf_mutex_unlock(&devices->lock);
    return true;
}

/* The place of a device in the list, or the end. */
static OpenDevice **find(OpenDevices *devices, const char *backend, int index)
{
    OpenDevice **at = &devices->first;
    while (*at && ((*at)->index != index || strcmp((*at)->backend, backend) != 0))
        at = &(*at)->next;
    return at;
}

/* What cannot be held is opened again by who needs it. */
static void hold(OpenDevices *devices, const VmafBackendDeviceUse *use)
{
    OpenDevice *device = calloc(1, sizeof(*device));
    const VmafConfiguration config = {.log_level = VMAF_LOG_LEVEL_WARNING};
    if (!device || strlen(use->backend) >= sizeof(device->backend) ||
        vmaf_init(&device->holder, config)) {
        free(device);
        return;
    }
    strcpy(device->backend, use->backend);
    device->index = use->device_index;
    if (vmaf_backend_select(device->holder, device->backend, device->index)) {
        let_go(device);
        return;
    }
    device->next = devices->first;
    devices->first = device;
}

static void forget(OpenDevices *devices, const VmafBackendEvent *event)
{
    OpenDevice **at = find(devices, event->backend, event->device_index), *device = *at;
    devices->lost = true;
    if (!device)
        return;
    *at = device->next;
    let_go(device);
}

void open_devices_keep(OpenDevices *devices, VmafContext *vmaf)
{
    VmafBackendDeviceUse use = {.struct_size = sizeof(use)};
    VmafBackendEvent event = {.struct_size = sizeof(event)};
    if (!devices)
        return;
    vmaf_mutex_lock(&devices->lock);
    for (unsigned i = 0; !vmaf_backend_event(vmaf, i, &event); i++)
        forget(devices, &event);
    for (unsigned i = 0; !vmaf_backend_device_use(vmaf, i, &use); i++) {
        if (use.phase == VMAF_BACKEND_PHASE_ACTIVE && use.device_index >= 0 &&
            !*find(devices, use.backend, use.device_index))
            hold(devices, &use);
    }
    vmaf_mutex_unlock(&devices->lock);
}

/* -- why a backend was rejected -- */

/* Why a run with an explicit backend failed, for programs that read the JSON report. */
typedef struct ErrorDocument {
    const char *error;   /* "plugin not found" and so on */
    const char *backend; /* what was asked for */
    int error_number;    /* negative errno of the backend; 0 if it was never reached */
    bool during_run;
    unsigned frame;     /* index at which it failed; with during_run */
    const char *detail; /* one line for people, or NULL */
} ErrorDocument;

static void print_document(const ErrorDocument *document, FILE *out)
{
    fputs("{\"error\": ", out);
    json_string_print(out, document->error);
    fputs(", \"backend_requested\": ", out);
    json_string_print(out, document->backend);
    /* The name of the decision record is a constant that readers of the document look for. */
    fprintf(out, ", \"errno\": %d, \"adr\": \"ADR-0498\", \"exit_code\": %d",
            document->error_number, STATUS_BACKEND);
    if (document->during_run)
        fprintf(out, ", \"frame\": %u", document->frame);
    if (document->detail) {
        fputs(", \"detail\": ", out);
        json_string_print(out, document->detail);
    }
    fputs("}\n", out);
}

/* Writes the document where the report would have been. 0; negative errno. */
static int write_document(const ErrorDocument *document, const char *path)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return -ENOMEM;
    print_document(document, out);
    char *text = text_end(&buffer, 0);
    int err = text ? text_write(path, text) : -ENOMEM;
    free(text);
    return err;
}

static bool is_explicit(const Options *options)
{
    return options->backend && strcmp(options->backend, "auto") && strcmp(options->backend, "cpu");
}

/* The backend that was asked for by name, also by VMAF_BACKEND; NULL: none was. */
static const char *named_backend(const Options *options)
{
    const char *name = options->backend ? options->backend : secure_getenv("VMAF_BACKEND");
    return name && *name && strcmp(name, "auto") != 0 && strcmp(name, "cpu") != 0 ? name : NULL;
}

static VmafBackendStatus status_of(VmafContext *vmaf)
{
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    vmaf_backend_status(vmaf, &status);
    return status;
}

/* Leaves the error document behind where a report would have been JSON, or lines of it that are not
 * written yet. */
static int reject(const Options *options, const ErrorDocument *document)
{
    for (unsigned i = 0; i < options->n_outputs; i++) {
        const Output *output = &options->outputs[i];
        const bool has_lines = output->format == VMAF_OUTPUT_FORMAT_NDJSON && !document->during_run;
        if (output->format != VMAF_OUTPUT_FORMAT_JSON && !has_lines)
            continue;
        int err = write_document(document, output->path);
        if (err)
            print_error("could not write file: %s (%s)", output->path, strerror(-err));
    }
    return STATUS_BACKEND;
}

/* Says why the backend, which the option `words` asks for, could not be started. */
static int reject_backend(const Options *options, const char *words, const char *name,
                          const VmafBackendStatus *status)
{
    char failed[64];
    ErrorDocument document = {.backend = name, .detail = status->reason};
    const char *what = "init failed: ";
    switch (status->availability) {
    case VMAF_AVAILABILITY_PLUGIN_NOT_FOUND:
    case VMAF_AVAILABILITY_UNSUPPORTED_OS:
        document.error = status->availability == VMAF_AVAILABILITY_UNSUPPORTED_OS
                             ? "backend not compiled in"
                             : "plugin not found";
        document.detail = NULL;
        what = "";
        break;
    case VMAF_AVAILABILITY_ABI_MISMATCH:
        document.error = "plugin ABI mismatch";
        what = "its plugin does not fit: ";
        break;
    case VMAF_AVAILABILITY_PLUGIN_LOAD_ERROR:
        document.error = "plugin load failed";
        what = "its plugin cannot be loaded: ";
        break;
    default:
        snprintf(failed, sizeof(failed), "vmaf_%s_state_init failed", name);
        document.error = failed;
        document.error_number = status->error;
    }
    print_error("vmaf: %s requested but %s%s; refusing to silently fall back to CPU", words, what,
                status->reason ? status->reason : strerror(-status->error));
    return reject(options, &document);
}

static int reject_explicit(const Options *options, const char *name,
                           const VmafBackendStatus *status)
{
    char words[64];
    snprintf(words, sizeof(words), "--backend %s", name);
    return reject_backend(options, words, name, status);
}

static int print_problem(const char *name, int err)
{
    print_error("problem selecting backend: %s (%s)", name, strerror(-err));
    return STATUS_FAILURE;
}

static int select_explicit(const Options *options, VmafContext *vmaf, OpenDevices *devices)
{
    const BackendWord *word = backend_words_find(&options->backends, options->backend);
    int device = word && word->device_given ? word->device : -1;
    int err = vmaf_backend_select(vmaf, options->backend, device);
    VmafBackendStatus status = status_of(vmaf);
    if (err && status.availability == VMAF_AVAILABILITY_INIT_FAILED && settle(devices)) {
        err = vmaf_backend_select(vmaf, options->backend, device);
        status = status_of(vmaf);
    }
    if (!err)
        return STATUS_OK;
    if (status.phase != VMAF_BACKEND_PHASE_FAILED)
        return print_problem(options->backend, err);
    return reject_explicit(options, options->backend, &status);
}

/* VMAF_BACKEND counts where the command line names no backend, and means what --backend would. */
static int check_environment(const Options *options)
{
    const char *name = options->backend ? NULL : named_backend(options);
    if (!name || backend_exists(name))
        return STATUS_OK;
    char known[128], installed[256];
    print_error("Unknown VMAF_BACKEND value '%s' (expected: auto|cpu|%s); installed here: %s", name,
                backend_list_known(known, sizeof(known)),
                backend_list_installed(installed, sizeof(installed)));
    return STATUS_USAGE;
}

static bool find_backend(const char *name, VmafBackendInfo *info)
{
    for (unsigned i = 0;; i++) {
        *info = (VmafBackendInfo){.struct_size = sizeof(*info)};
        if (vmaf_backend_info(i, 0, info))
            return false;
        if (!strcmp(info->name, name))
            return !vmaf_backend_info(i, 1, info);
    }
}

/* A device that was requested by number has to exist, even if another backend would do. */
static int check_device(const Options *options, const BackendWord *word)
{
    VmafBackendInfo info;
    VmafBackendStatus status = {.availability = VMAF_AVAILABILITY_PLUGIN_NOT_FOUND};
    Message why;
    if (find_backend(word->name, &info)) {
        if (info.availability == VMAF_AVAILABILITY_USABLE &&
            (unsigned)word->device < info.n_devices)
            return STATUS_OK;
        status.availability = info.availability;
        status.error = info.error;
        status.reason = info.reason;
    }
    if (status.availability == VMAF_AVAILABILITY_USABLE) {
        status.availability = VMAF_AVAILABILITY_NO_DEVICE;
        status.error = -EINVAL;
        message_set(&why, 0, "there is no device %d (--list-backends shows which there are)",
                    word->device);
        status.reason = why.text;
    }
    char words[64];
    snprintf(words, sizeof(words), "device %d of %s", word->device, word->name);
    return reject_backend(options, words, word->name, &status);
}

/* If a backend is chosen by name, devices of others are not used. */
static void warn_of_idle_devices(const Options *options, const char *chosen)
{
    for (unsigned i = 0; i < options->backends.count && !options->quiet; i++) {
        const BackendWord *word = &options->backends.words[i];
        if (backend_word_names_device(word) && strcmp(word->name, chosen))
            print_error("warning: device %d of %s is not used with --backend %s", word->device,
                        word->name, chosen);
    }
}

static int check_devices(const Options *options)
{
    if (options->backend && strcmp(options->backend, "auto")) {
        warn_of_idle_devices(options, options->backend);
        return STATUS_OK;
    }
    int status = STATUS_OK;
    for (unsigned i = 0; i < options->backends.count && !status; i++) {
        const BackendWord *word = &options->backends.words[i];
        if (backend_word_names_device(word))
            status = check_device(options, word);
    }
    return status;
}

int backend_choice_apply(const Options *options, VmafContext *vmaf, OpenDevices *devices)
{
    int status = check_environment(options);
    if (!status)
        status = check_devices(options);
    if (status)
        return status;
    if (is_explicit(options))
        return select_explicit(options, vmaf, devices);
    for (unsigned i = 0; i < options->backends.count; i++) {
        const BackendWord *word = &options->backends.words[i];
        int err = 0;
        if (word->excluded)
            err = vmaf_backend_exclude(vmaf, word->name);
        else if (word->device_given)
            err = vmaf_backend_consider(vmaf, word->name, word->device);
        if (!err && word->distrusted)
            err = vmaf_backend_exclude(vmaf, word->name);
        if (err)
            return print_problem(word->name, err);
    }
    int err = options->backend ? vmaf_backend_select(vmaf, options->backend, -1) : 0;
    return err ? print_problem(options->backend, err) : STATUS_OK;
}

/* Does a feature say where it is to be computed? */
static bool has_pinned_feature(const Options *options)
{
    char name[64];
    for (unsigned i = 0; i < options->n_features; i++) {
        const char *feature = options->features[i].name;
        if (backend_of_pinned_name(feature, name, sizeof(name)) ||
            backend_of_own_feature(feature, name, sizeof(name)))
            return true;
    }
    return false;
}

bool backend_choice_is_free(const Options *options, const char *name)
{
    const char *environment = secure_getenv("VMAF_BACKEND");
    const BackendWord *word = backend_words_find(&options->backends, name);
    VmafBackendInfo info;
    if ((options->backend && strcmp(options->backend, "auto") != 0) || options->gpumask ||
        (!options->backend && environment && *environment && strcmp(environment, "auto") != 0) ||
        (word && (word->excluded || word->distrusted)) || has_pinned_feature(options))
        return false;
    return find_backend(name, &info) && info.availability == VMAF_AVAILABILITY_USABLE;
}

bool backend_choice_uses_all(const char *name)
{
    VmafBackendInfo info;
    return find_backend(name, &info) && !info.n_unusable_devices;
}

int backend_choice_reject_pinned(const Options *options, const char *feature, const char *backend)
{
    print_error(
        "vmaf: feature '%s' is pinned to %s backend, which is not active; refusing to silently "
        "fall back to CPU",
        feature, backend);
    const ErrorDocument document = {.error = "feature pinned to inactive backend",
                                    .backend = backend};
    return reject(options, &document);
}

int backend_choice_failed(const Options *options, VmafContext *vmaf)
{
    VmafBackendStatus status = status_of(vmaf);
    if (status.phase != VMAF_BACKEND_PHASE_FAILED)
        return STATUS_OK;
    if (!status.failed_active)
        return reject_explicit(options, status.name, &status);
    print_error("vmaf: backend %s failed at frame %u: %s; refusing to silently fall back to CPU",
                status.name, status.frame, status.reason ? status.reason : strerror(-status.error));
    const ErrorDocument document = {
        .error = "backend failed",
        .backend = status.name,
        .error_number = status.error,
        .during_run = true,
        .frame = status.frame,
        .detail = status.reason,
    };
    return reject(options, &document);
}

bool backend_choice_has_failed(VmafContext *vmaf, char name[BACKEND_NAME_SIZE])
{
    const VmafBackendStatus status = status_of(vmaf);
    if (status.phase != VMAF_BACKEND_PHASE_FAILED)
        return false;
    snprintf(name, BACKEND_NAME_SIZE, "%s", status.name);
    return true;
}

bool backend_choice_is_distrusted(VmafContext *vmaf, char name[BACKEND_NAME_SIZE])
{
    const VmafBackendStatus status = status_of(vmaf);
    if (!status.spot_check_failed || status.phase == VMAF_BACKEND_PHASE_FAILED)
        return false;
    snprintf(name, BACKEND_NAME_SIZE, "%s", status.name);
    return true;
}

bool backend_choice_distrust(Options *options, const char *name)
{
    BackendWord *word = backend_words_get(&options->backends, name, strlen(name));
    if (word)
        word->distrusted = true;
    return word != NULL;
}

/* Why a feature is left to the CPU. */
static void explain(Message *why, const char *feature, const char *backend,
                    const VmafFeaturePlacement *placement, const VideoFormat *format)
{
    switch (placement->placement) {
    case VMAF_PLACEMENT_NOT_COMPUTED:
        message_set(why, 0, "the %s backend has no twin of this extractor", backend);
        break;
    case VMAF_PLACEMENT_OPTION:
        message_set(why, 0, "%s_%s cannot honour option '%s'", feature, backend,
                    placement->option ? placement->option : "");
        break;
    case VMAF_PLACEMENT_FORMAT:
        message_set(why, 0, "%s_%s cannot run %ux%u %u-bit pictures with these options", feature,
                    backend, format->width, format->height, format->bit_depth);
        break;
    case VMAF_PLACEMENT_MASKED:
        message_set(why, 0, "%s feature extraction is disabled (non-zero --gpumask)", backend);
        break;
    default:
        message_set(why, 0, "%s_%s cannot be used: %s", feature, backend,
                    placement->reason ? placement->reason : "it was declined");
    }
}

static bool was_requested(const Options *options, const char *feature)
{
    unsigned i = 0;
    while (i < options->n_features && strcmp(options->features[i].name, feature) != 0)
        i++;
    return i < options->n_features;
}

static bool find_placement(VmafContext *vmaf, unsigned index, VmafFeaturePlacement *placement)
{
    *placement = (VmafFeaturePlacement){.struct_size = sizeof(*placement)};
    return !vmaf_feature_placement(vmaf, index, placement);
}

/* Is this the first one of its feature that is left to the CPU? Another may differ in options. */
static bool is_news(VmafContext *vmaf, unsigned index, const VmafFeaturePlacement *placement)
{
    VmafFeaturePlacement earlier;
    bool is_first = placement->placement > VMAF_PLACEMENT_BACKEND;
    for (unsigned i = 0; i < index && is_first && find_placement(vmaf, i, &earlier); i++)
        is_first = earlier.placement <= VMAF_PLACEMENT_BACKEND ||
                   strcmp(earlier.extractor, placement->extractor) != 0;
    return is_first;
}

static void warn_of_rest(const Options *options, VmafContext *vmaf, const char *backend,
                         const VideoFormat *format)
{
    VmafFeaturePlacement placement;
    for (unsigned i = 0; find_placement(vmaf, i, &placement); i++) {
        Message why;
        if (!is_news(vmaf, i, &placement))
            continue;
        explain(&why, placement.extractor, backend, &placement, format);
        print_error("vmaf: warning: %s%s: %s; computing it on the CPU",
                    was_requested(options, placement.extractor) ? "--feature " : "",
                    placement.extractor, why.text);
    }
}

/* Nothing that was asked for runs on the backend: one of the features tells why. */
static int reject_idle(const Options *options, const char *backend,
                       const VmafFeaturePlacement *declined, const VideoFormat *format)
{
    Message why;
    explain(&why, declined->extractor, backend, declined, format);
    print_error(
        "vmaf: --backend %s requested but it computes nothing of what was asked: %s: %s; refusing "
        "to silently fall back to CPU",
        backend, declined->extractor, why.text);
    const ErrorDocument document = {.error = "backend computes nothing of what was asked",
                                    .backend = backend,
                                    .detail = why.text};
    return reject(options, &document);
}

int backend_choice_check(const Options *options, VmafContext *vmaf, const VideoFormat *format,
                         bool warns)
{
    const char *backend = named_backend(options);
    VmafFeaturePlacement placement, declined = {.struct_size = 0};
    bool computes = !backend;
    for (unsigned i = 0; !computes && find_placement(vmaf, i, &placement); i++) {
        computes = placement.placement == VMAF_PLACEMENT_BACKEND;
        /* What --gpumask takes away was asked for. Of the others, a reason says most. */
        if (placement.placement > VMAF_PLACEMENT_BACKEND &&
            placement.placement != VMAF_PLACEMENT_MASKED &&
            (!declined.struct_size || (!declined.reason && placement.reason)))
            declined = placement;
    }
    if (!computes && declined.struct_size)
        return reject_idle(options, backend, &declined, format);
    if (backend && warns && !options->quiet)
        warn_of_rest(options, vmaf, backend, format);
    return STATUS_OK;
}

bool backend_choice_is_busy(VmafContext *vmaf)
{
    if (!vmaf)
        return false;
    const VmafBackendStatus status = status_of(vmaf);
    return status.starting || status.hangs;
}

unsigned backend_choice_count_devices(VmafContext *vmaf, char label[DEVICES_LABEL_SIZE])
{
    VmafBackendDeviceUse use = {.struct_size = sizeof(use)};
    char backend[BACKEND_NAME_SIZE] = "";
    unsigned n = 0;
    bool same = true;
    for (unsigned i = 0; !vmaf_backend_device_use(vmaf, i, &use); i++) {
        if (use.phase != VMAF_BACKEND_PHASE_ACTIVE)
            continue;
        if (!n++)
            snprintf(backend, sizeof(backend), "%s", use.backend);
        same &= !strcmp(backend, use.backend);
    }
    if (n < 2)
        snprintf(label, DEVICES_LABEL_SIZE, "%s", backend);
    else if (same)
        snprintf(label, DEVICES_LABEL_SIZE, "%u x %s", n, backend);
    else
        snprintf(label, DEVICES_LABEL_SIZE, "%u devices", n);
    return n;
}

bool backend_choice_hangs(VmafContext *vmaf)
{
    return vmaf && status_of(vmaf).hangs;
}

WhereText backend_choice_where(VmafContext *vmaf, unsigned n_threads)
{
    WhereText where;
    char label[DEVICES_LABEL_SIZE];
    const VmafBackendStatus status = status_of(vmaf);
    if (backend_choice_count_devices(vmaf, label) > 1)
        snprintf(where.text, sizeof(where.text), "%s, and the CPU with %u threads", label,
                 n_threads);
    else if (status.phase == VMAF_BACKEND_PHASE_ACTIVE)
        snprintf(where.text, sizeof(where.text), "%s%s%s, and the CPU with %u threads", status.name,
                 status.device ? ": " : "", status.device ? status.device : "", n_threads);
    else
        snprintf(where.text, sizeof(where.text), "the CPU, %u thread%s", n_threads ? n_threads : 1,
                 n_threads ? "s" : "");
    return where;
}
