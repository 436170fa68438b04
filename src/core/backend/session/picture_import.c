/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/session/picture_import.h"

#include <errno.h>

#include "backend/names.h"
#include "backend/session/backend_buffer_picture.h"

static bool needs_1_1(const PictureImport *import)
{
    const VmafBackendImport *source = &import->source;
    return source->layout || source->shift || source->size || source->n_objects || source->fourcc ||
           source->modifier || import->wait.kind || import->signal.kind;
}

/* What the backend says of its device. Nothing is known of one that the application has opened. */
static int check_offer(const BackendDevice *device, const PictureImport *import, Reason *why)
{
    const Plugin *plugin = backend_device_plugin(device);
    const BackendDeviceDescription *description = backend_device_description(device);
    const uint32_t kind = import->source.kind;
    const uint32_t syncs = 1u << import->wait.kind | 1u << import->signal.kind;
    if (!plugin->api.buffer_import ||
        (description && (kind >= IMPORT_KINDS || !(description->imports >> kind & 1))))
        return refuse(why, -ENOTSUP, "backend %s does not take %s", plugin->name,
                      backend_import_kind_name(kind));
    if (needs_1_1(import) && plugin->abi_minor < 1)
        return refuse(why, -ENOTSUP,
                      "backend %s has interface %u.%u, which knows planar pictures that are ready",
                      plugin->name, plugin->abi_major, plugin->abi_minor);
    if (description && (syncs & ~1u & ~description->syncs))
        return refuse(why, -ENOTSUP, "backend %s cannot wait for or signal such an object",
                      plugin->name);
    return 0;
}

int picture_import(VmafPicture *pic, BackendDevice *device, const PictureImport *import,
                   Reason *why)
{
    int err = check_offer(device, import, why);
    if (err)
        return err;
    BackendBuffer *buffer;
    err = backend_buffer_import(&buffer, device, &import->format, import->planes, &import->source,
                                &import->wait, &import->signal);
    if (err) {
        const char *name = backend_device_plugin(device)->name;
        return err == -ENOMEM
                   ? refuse(why, err, "out of memory")
                   : refuse(why, err, "backend %s refuses %s%s", name,
                            backend_import_kind_name(import->source.kind),
                            err == -ENOTSUP ? " of this layout or this kind of synchronisation"
                                            : "");
    }
    err = buffer_picture_wrap(pic, buffer, &import->format, import->release, import->cookie);
    if (err)
        backend_buffer_release(buffer);
    return err ? refuse(why, err, "out of memory") : 0;
}
