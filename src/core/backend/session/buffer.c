/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/limited_call.h"
#include "backend/session/buffers.h"

/* ---- calls that may hang ---- */

typedef enum BufferFunction {
    CALL_CREATE,
    CALL_IMPORT,
    CALL_DOWNLOAD,
    CALL_MARK,
    CALL_MARKED,
    CALL_RELEASE,
} BufferFunction;

/* Once the caller has given up, this owns itself. */
typedef struct BufferCall {
    BufferFunction function;
    BackendDevice *device;
    VmafBackendBuffer *handle;
    VmafBackendBufferParams create;
    VmafBackendImport import;
    VmafBackendSync wait, signal; /* of the import; kind NONE: nothing */
    void *data[3];
    int64_t stride[3];
    uint32_t planes;
    uint8_t mark[VMAF_BACKEND_MARK_SIZE];
    int32_t result;
} BufferCall;

static int32_t call_function(BufferCall *call, const VmafBackend *api)
{
    switch (call->function) {
    case CALL_CREATE:
        return api->buffer_create(backend_device_handle(call->device), &call->create,
                                  &call->handle);
    case CALL_IMPORT:
        call->import.wait = call->wait.kind ? &call->wait : NULL;
        call->import.signal = call->signal.kind ? &call->signal : NULL;
        return api->buffer_import(backend_device_handle(call->device), &call->import,
                                  &call->handle);
    case CALL_DOWNLOAD:
        return api->buffer_download(call->handle, call->data, call->stride);
    case CALL_MARK:
        return api->buffer_mark(call->handle, call->planes, call->mark);
    case CALL_MARKED:
        return api->buffer_marked(call->handle, &call->planes, call->mark);
    case CALL_RELEASE:
        api->buffer_release(call->handle);
        break;
    }
    return VMAF_BACKEND_OK;
}

static void run_call(void *argument)
{
    BufferCall *call = argument;
    PluginGuard guard = plugin_enter();
    call->result = call_function(call, &backend_device_plugin(call->device)->api);
    plugin_leave(&guard);
}

/* May the device still be called, in this process? */
static int check_alive(const BackendDevice *device)
{
    if (backend_device_is_foreign(device))
        return -ENODEV;
    return backend_device_is_abandoned(device) ? -EIO : 0;
}

/* Makes the call on a copy; `call` receives the result. */
static int make_call(BufferCall *call)
{
    int err = check_alive(call->device);
    if (err)
        return err;
    BufferCall *own = malloc(sizeof(*own));
    if (!own)
        return -ENOMEM;
    *own = *call;
    err = limited_call(run_call, own, free, backend_registry_time_limit());
    if (err == -ETIMEDOUT) {
        backend_device_abandon(call->device);
        return err;
    }
    *call = *own;
    free(own);
    if (!err && call->result == VMAF_BACKEND_DEVICE_LOST)
        backend_device_mark_lost(call->device);
    return err ? err : call->result ? plugin_error(call->result) : 0;
}

/* ---- where the planes are ---- */

static size_t row_size(const PictureFormat *format, unsigned plane)
{
    return (size_t)format->w[plane] * (format->bpc > 8 ? 2 : 1);
}

/* True if the host can use a new buffer, by what the plugin reports about it. */
static bool is_credible(const BackendBufferParams *params, const VmafBackendBufferInfo *info)
{
    bool pinned = params->kind == VMAF_BACKEND_BUFFER_PINNED;
    for (unsigned p = 0; p < 3; p++) {
        if (!(params->planes >> p & 1) || !params->format.h[p])
            continue;
        if (!info->address[p] && (pinned || params->packed))
            return false;
        if (info->address[p] && info->stride[p] < (int64_t)row_size(&params->format, p))
            return false;
    }
    return info->kind == params->kind;
}

static bool is_packed(const BackendBufferParams *params, const VmafBackendBufferInfo *info)
{
    for (unsigned p = 0; p < 3; p++) {
        if (params->planes >> p & 1 && info->stride[p] != (int64_t)row_size(&params->format, p))
            return false;
    }
    return true;
}

static int ask_for_info(BackendBuffer *buffer)
{
    const Plugin *plugin = backend_device_plugin(buffer->device);
    GUARDED(VmafBackendBufferInfo) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);
    PluginGuard guard = plugin_enter();
    int32_t result = plugin->api.buffer_info(buffer->handle, &guarded.value);
    plugin_leave(&guard);
    if (!guard_holds(guarded.guard))
        return -EIO;
    buffer->info = guarded.value;
    return result ? plugin_error(result) : 0;
}

/* ---- beginning and end ---- */

static bool offers_buffers(const Plugin *plugin)
{
    return plugin->api.buffer_info && plugin->api.buffer_download && plugin->api.buffer_release;
}

/* Around what a call has made. */
static int adopt(BackendBuffer **created, const BufferCall *call, uint32_t kind, unsigned planes)
{
    BackendBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer) {
        BufferCall release = *call;
        release.function = CALL_RELEASE;
        make_call(&release);
        return -ENOMEM;
    }
    backend_device_hold(call->device);
    buffer->device = call->device;
    buffer->handle = call->handle;
    buffer->kind = kind;
    buffer->planes = planes;
    int err = ask_for_info(buffer);
    if (err)
        backend_buffer_release(buffer);
    else
        *created = buffer;
    return err;
}

int backend_buffer_create(BackendBuffer **buffer, BackendDevice *device,
                          const BackendBufferParams *params)
{
    const Plugin *plugin = backend_device_plugin(device);
    if (!offers_buffers(plugin) || !plugin->api.buffer_create)
        return -ENOTSUP;
    BufferCall call = {
        .function = CALL_CREATE,
        .device = device,
        .create =
            {
                .struct_size = sizeof(call.create),
                .kind = params->kind,
                .width = params->format.w[0],
                .height = params->format.h[0],
                .depth = params->format.bpc,
                .pixel_format = params->format.pix_fmt,
                .planes = params->planes,
                .flags = params->packed ? VMAF_BACKEND_BUFFER_PACKED : 0,
            },
    };
    int err = make_call(&call);
    if (!err && !call.handle)
        err = -EIO;
    if (err)
        return err;
    err = adopt(buffer, &call, params->kind, params->planes);
    if (err)
        return err;
    if (!is_credible(params, &(*buffer)->info))
        err = -EIO;
    else if (params->packed && !is_packed(params, &(*buffer)->info))
        err = -ENOTSUP;
    if (err)
        backend_buffer_release(*buffer);
    return err;
}

int backend_buffer_import(BackendBuffer **buffer, BackendDevice *device,
                          const PictureFormat *format, unsigned planes,
                          const VmafBackendImport *picture, const VmafBackendSync *wait,
                          const VmafBackendSync *signal)
{
    const Plugin *plugin = backend_device_plugin(device);
    if (!offers_buffers(plugin) || !plugin->api.buffer_import)
        return -ENOTSUP;
    BufferCall call = {.function = CALL_IMPORT, .device = device, .import = *picture};
    call.import.struct_size = sizeof(call.import);
    call.import.width = format->w[0];
    call.import.height = format->h[0];
    call.import.depth = format->bpc;
    call.import.pixel_format = format->pix_fmt;
    call.import.planes = planes;
    if (wait)
        call.wait = *wait;
    if (signal)
        call.signal = *signal;
    call.wait.struct_size = call.signal.struct_size = sizeof(VmafBackendSync);
    int err = make_call(&call);
    if (!err && !call.handle)
        err = -EIO;
    return err ? err : adopt(buffer, &call, VMAF_BACKEND_BUFFER_DEVICE, planes);
}

bool backend_buffer_release(BackendBuffer *buffer)
{
    if (!buffer)
        return true;
    BufferCall call = {
        .function = CALL_RELEASE, .device = buffer->device, .handle = buffer->handle};
    int err = make_call(&call);
    if (err == -ENOMEM) {
        run_call(&call);
        err = 0;
    }
    backend_device_release(buffer->device);
    free(buffer);
    return !err;
}

/* ---- what there is, and what is in it ---- */

void backend_buffer_place(const BackendBuffer *buffer, void *data[3], ptrdiff_t stride[3])
{
    for (unsigned p = 0; p < 3; p++) {
        bool there = buffer->planes >> p & 1;
        data[p] = there ? (void *)(uintptr_t)buffer->info.address[p] : NULL;
        stride[p] = there ? (ptrdiff_t)buffer->info.stride[p] : 0;
    }
}

int backend_buffer_download(BackendBuffer *buffer, void *const data[3], const ptrdiff_t stride[3])
{
    BufferCall call = {
        .function = CALL_DOWNLOAD, .device = buffer->device, .handle = buffer->handle};
    for (unsigned p = 0; p < 3; p++) {
        call.data[p] = data[p];
        call.stride[p] = stride[p];
    }
    return make_call(&call);
}

int backend_buffer_upload(BackendBuffer *buffer, const void *const data[3],
                          const ptrdiff_t stride[3])
{
    const Plugin *plugin = backend_device_plugin(buffer->device);
    int err = check_alive(buffer->device);
    if (err || !plugin->api.buffer_upload)
        return err ? err : -ENOTSUP;
    const int64_t strides[3] = {stride[0], stride[1], stride[2]};
    PluginGuard guard = plugin_enter();
    int32_t result = plugin->api.buffer_upload(buffer->handle, data, strides);
    plugin_leave(&guard);
    return result ? plugin_error(result) : 0;
}

int backend_buffer_mark(BackendBuffer *buffer, unsigned planes,
                        const uint8_t mark[VMAF_BACKEND_MARK_SIZE])
{
    if (!backend_device_plugin(buffer->device)->api.buffer_mark)
        return -ENOTSUP;
    BufferCall call = {.function = CALL_MARK,
                       .device = buffer->device,
                       .handle = buffer->handle,
                       .planes = planes};
    memcpy(call.mark, mark, sizeof(call.mark));
    return make_call(&call);
}

int backend_buffer_marked(BackendBuffer *buffer, unsigned *planes,
                          const uint8_t mark[VMAF_BACKEND_MARK_SIZE])
{
    BufferCall call = {.function = CALL_MARKED,
                       .device = buffer->device,
                       .handle = buffer->handle,
                       .planes = *planes};
    memcpy(call.mark, mark, sizeof(call.mark));
    int err = make_call(&call);
    *planes = err ? 0 : *planes & call.planes;
    return err;
}
