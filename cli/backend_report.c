/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend_report.h"

#include "common/messages.h"
#include "exit_status.h"
#include "output_file.h"
#include "standard_output.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* May this backend's plugin be loaded? */
static bool may_probe(const Options *options, const char *name)
{
    const BackendWord *word = backend_words_find(&options->backends, name);
    if (word && word->excluded)
        return false;
    return !options->backend || !strcmp(options->backend, "auto") ||
           !strcmp(options->backend, name) || !strcmp(name, "cpu");
}

/* Backend number `index`, probed if the options allow it. False past the last one. */
static bool get_backend(const Options *options, unsigned index, VmafBackendInfo *info)
{
    *info = (VmafBackendInfo){.struct_size = sizeof(*info)};
    if (vmaf_backend_info(index, 0, info))
        return false;
    if (may_probe(options, info->name))
        return vmaf_backend_info(index, 1, info) == 0;
    info->availability = VMAF_AVAILABILITY_DISABLED;
    info->reason = "not asked, because the command line rules it out";
    return true;
}

static const char *device_kind_name(enum VmafComputeDeviceKind kind)
{
    static const char *const names[] = {"unknown", "discrete", "integrated", "virtual", "software"};
    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : names[0];
}

static void print_device(const VmafComputeDevice *device, unsigned index)
{
    char memory[32] = "", same[64] = "";
    if (device->memory_bytes)
        snprintf(memory, sizeof(memory), ", %llu MiB",
                 (unsigned long long)(device->memory_bytes >> 20));
    if (device->same_as)
        snprintf(same, sizeof(same), ", same device as %.32s:%d", device->same_as,
                 device->same_as_index);
    print_line(stdout, "           %u: %s (%s%s%s)%s%s", index, device->name,
               device_kind_name(device->kind), memory, same, device->unusable ? ", unusable: " : "",
               device->unusable ? device->unusable : "");
}

static void print_devices(const VmafBackendInfo *backend)
{
    const bool usable = backend->availability == VMAF_AVAILABILITY_USABLE;
    const unsigned n = backend->n_devices + backend->n_unusable_devices;
    for (unsigned i = usable ? 0 : backend->n_devices; i < n; i++) {
        VmafComputeDevice device = {.struct_size = sizeof(device)};
        if (vmaf_backend_device_info(backend->name, i, &device))
            return;
        print_device(&device, i);
    }
}

static void print_table(const Options *options)
{
    VmafBackendInfo info;
    /* Probes all backends first: only then is it known which of their devices are the same. */
    for (unsigned i = 0; get_backend(options, i, &info); i++)
        continue;
    for (unsigned i = 0; get_backend(options, i, &info); i++) {
        const bool usable = info.availability == VMAF_AVAILABILITY_USABLE;
        const bool has_reason = !usable && info.reason;
        print_line(stdout, "%-10s %s%s%s%s%s", info.name, usable ? "usable" : "unavailable",
                   info.version ? ", version " : "", info.version ? info.version : "",
                   has_reason ? ": " : "", has_reason ? info.reason : "");
        if (info.path)
            print_line(stdout, "           %s", info.path);
        print_devices(&info);
    }
}

/* Order and keys are those that readers of the short document expect: the CPU, then the known
 * ones. */
static unsigned backend_place(const char *name)
{
    return strcmp(name, "cpu") ? 1 + backend_known_place(name) : 0;
}

/* Names of the capabilities document. */
static const char *reason_name(enum VmafAvailability availability)
{
    static const char *const names[] = {
        [VMAF_AVAILABILITY_PLUGIN_NOT_FOUND] = "plugin_not_found",
        [VMAF_AVAILABILITY_PLUGIN_LOAD_ERROR] = "plugin_load_error",
        [VMAF_AVAILABILITY_ABI_MISMATCH] = "abi_mismatch",
        [VMAF_AVAILABILITY_DRIVER_MISSING] = "driver_missing",
        [VMAF_AVAILABILITY_NO_DEVICE] = "no_device",
        [VMAF_AVAILABILITY_INIT_FAILED] = "init_failed",
        [VMAF_AVAILABILITY_DISABLED] = "disabled_by_flag",
        [VMAF_AVAILABILITY_UNSUPPORTED_OS] = "unsupported_os",
    };
    bool named = (size_t)availability < sizeof(names) / sizeof(names[0]) && names[availability];
    return named ? names[availability] : "init_failed";
}

/* Prints why a backend cannot be used. A status is only given if it was started. */
static void print_unavailable(const VmafBackendInfo *info, bool compiled)
{
    if (compiled && info->error)
        printf(", \"init_status\": %d", info->error);
    else if (compiled)
        fputs(", \"init_status\": null", stdout);
    printf(", \"reason\": \"%s\", \"reason_text\": ", reason_name(info->availability));
    if (info->reason)
        json_string_print(stdout, info->reason);
    else
        fputs("null", stdout);
}

static void print_short_document(const Options *options)
{
    const char *separator = "";
    fputs("{\"backends\": [", stdout);
    for (unsigned place = 0; place <= backend_place(""); place++) {
        VmafBackendInfo info;
        for (unsigned i = 0; get_backend(options, i, &info); i++) {
            if (backend_place(info.name) != place)
                continue;
            bool usable = info.availability == VMAF_AVAILABILITY_USABLE;
            bool compiled = info.availability != VMAF_AVAILABILITY_UNSUPPORTED_OS;
            printf("%s{\"name\": ", separator);
            json_string_print(stdout, info.name); /* of a rejected file it can be anything */
            printf(", \"compiled\": %s, \"usable\": %s", compiled ? "true" : "false",
                   usable ? "true" : "false");
            if (!usable)
                print_unavailable(&info, compiled);
            putchar('}');
            separator = ", ";
        }
    }
    fputs("]}\n", stdout);
}

int backend_report_list(const Options *options)
{
    VmafBackendInfo first = {.struct_size = sizeof(first)};
    if (vmaf_backend_info(1, 0, &first) == -ENOMEM) {
        fputs("problem listing backends: out of memory\n", stderr);
        return STATUS_FAILURE;
    }
    if (options->format == VMAF_OUTPUT_FORMAT_JSON)
        print_short_document(options);
    else
        print_table(options);
    return standard_output_finish();
}

static int write_file(const char *path, const char *text)
{
    int err = output_file_write(path, text);
    if (err)
        say("could not write file: %s (%s)", path, strerror(-err));
    return err ? STATUS_FAILURE : STATUS_OK;
}

int backend_report_capabilities(const Options *options)
{
    const char *excluded[MAX_BACKEND_WORDS + 1];
    unsigned n = 0;
    for (unsigned i = 0; i < options->backends.count; i++) {
        if (options->backends.words[i].excluded)
            excluded[n++] = options->backends.words[i].name;
    }
    excluded[n] = NULL;
    const char *only =
        options->backend && strcmp(options->backend, "auto") ? options->backend : NULL;
    char *document;
    int err = vmaf_capabilities_json_of(&document, 0, only, excluded);
    if (err) {
        say("problem describing this installation: %s", strerror(-err));
        return STATUS_FAILURE;
    }
    int status;
    if (options->capabilities) {
        status = write_file(options->capabilities, document);
    } else {
        fputs(document, stdout);
        status = standard_output_finish();
    }
    free(document);
    return status;
}
