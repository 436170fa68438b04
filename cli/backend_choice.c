/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend_choice.h"

#include "error_document.h"
#include "exit_status.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int backend_choice_refuse(const Options *options, const char *error, const char *backend, int err)
{
    if (options->output && options->output_format == VMAF_OUTPUT_FORMAT_JSON) {
        const ErrorDocument document = {error, backend, err};
        int write_error = error_document_write(&document, options->output);
        if (write_error) {
            fprintf(stderr, "could not write file: %s (%s)\n", options->output,
                    strerror(-write_error));
        }
    }
    return STATUS_BACKEND;
}

static int device_of(const Options *options, int backend)
{
    return options->device_given[backend] ? options->device[backend] : -1;
}

static int select_explicit_backend(const Options *options, VmafContext *vmaf, int backend)
{
    const char *name = backend_names[backend];
    int err = vmaf_backend_select(vmaf, name, device_of(options, backend));
    if (!err)
        return STATUS_OK;
    if (err == -ENODEV || err == -ENOSYS) {
        fprintf(stderr,
                "vmaf: --backend %s requested but this libvmaf was built without %s support; "
                "refusing to silently fall back to CPU (ADR-0498)\n",
                name, name);
        return backend_choice_refuse(options, "plugin not found", name, 0);
    }
    char failed[64];
    snprintf(failed, sizeof(failed), "vmaf_%s_state_init failed", name);
    fprintf(stderr,
            "vmaf: --backend %s requested but init failed; refusing to silently fall back to CPU "
            "(ADR-0498)\n",
            name);
    return backend_choice_refuse(options, failed, name, err);
}

/*
 * Under auto, a device flag names the backends to try, in their usual order. Those that are not
 * there are passed over silently: then the CPU computes everything.
 */
static void select_by_device_flags(const Options *options, VmafContext *vmaf)
{
    for (int i = 0; i < BACKEND_COUNT; i++) {
        if (options->device_given[i] && !options->no_backend[i] &&
            !vmaf_backend_select(vmaf, backend_names[i], options->device[i]))
            return;
    }
}

int backend_choice_apply(const Options *options, VmafContext *vmaf)
{
    if (options->backend) {
        int backend = backend_index(options->backend, strlen(options->backend));
        if (backend >= 0)
            return select_explicit_backend(options, vmaf, backend);
        int err = vmaf_backend_select(vmaf, options->backend, -1);
        if (err) {
            fprintf(stderr, "problem selecting backend: %s (%s)\n", options->backend,
                    strerror(-err));
            return STATUS_FAILURE;
        }
    }
    if (!options->gpumask && (!options->backend || !strcmp(options->backend, "auto")))
        select_by_device_flags(options, vmaf);
    return STATUS_OK;
}

bool backend_choice_excludes_all(const Options *options)
{
    for (int i = 0; i < BACKEND_COUNT; i++) {
        if (!options->no_backend[i])
            return false;
    }
    return true;
}
