/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where the bytes of a VmafAtomicFile go. */
#include <errno.h>
#include <stdlib.h>

#include "platform/internal.h"
#include "platform/path.h"
#include "platform/windows/internal.h"

#include <aclapi.h>
#include <sddl.h>

static HANDLE handle_of(const VmafAtomicTarget *target)
{
    return (HANDLE)target->handle;
}

/* For the owner, administrators and the system; NULL: no memory. */
static PSECURITY_DESCRIPTOR private_security(void)
{
    PSECURITY_DESCRIPTOR security = NULL;
    return ConvertStringSecurityDescriptorToSecurityDescriptorW(
               L"D:P(A;;FA;;;OW)(A;;FA;;;SY)(A;;FA;;;BA)", SDDL_REVISION_1, &security, NULL)
               ? security
               : NULL;
}

static int create_new(VmafAtomicTarget *target)
{
    wchar_t *wide;
    int err = vmaf_wide_path(target->temporary, &wide);
    if (err)
        return err;
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof(attributes)};
    if (target->is_private && !(attributes.lpSecurityDescriptor = private_security()))
        err = -ENOMEM;
    if (!err) {
        const HANDLE file = CreateFileW(wide, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                        &attributes, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
        target->handle = (intptr_t)file;
        if (file == INVALID_HANDLE_VALUE)
            err = vmaf_last_error();
    }
    LocalFree(attributes.lpSecurityDescriptor);
    free(wide);
    return err;
}

static int create_temporary(VmafAtomicTarget *target)
{
    int err = -EEXIST;
    for (unsigned attempt = 0; attempt < VMAF_ATOMIC_NAME_ATTEMPTS && err == -EEXIST; attempt++) {
        free(target->temporary);
        target->temporary = vmaf_atomic_target_name(target->path, target, attempt);
        err = target->temporary ? create_new(target) : -ENOMEM;
    }
    if (err) {
        free(target->temporary);
        target->temporary = NULL;
    }
    return err;
}

static int open_directly(VmafAtomicTarget *target, const char *path, DWORD disposition)
{
    HANDLE handle;
    const int err =
        vmaf_handle_open(&handle, path, GENERIC_WRITE, disposition, FILE_ATTRIBUTE_NORMAL);
    target->handle = (intptr_t)handle;
    return err;
}

/* Standard output or error if it goes to this file, or INVALID_HANDLE_VALUE. */
static HANDLE standard_stream_of(const VmafFileStatus *status)
{
    const int stream = vmaf_file_standard_stream(status);
    return stream < 0 ? INVALID_HANDLE_VALUE : vmaf_standard_handle(stream);
}

/* Shares its position, so that what is written there before and after stays. */
static int share_stream(VmafAtomicTarget *target, HANDLE stream)
{
    HANDLE handle;
    const int err = vmaf_handle_copy(&handle, stream);
    target->handle = (intptr_t)handle;
    return err;
}

static int open_existing(VmafAtomicTarget *target, const char *path, const VmafFileStatus *status)
{
    const HANDLE stream = standard_stream_of(status);
    if (vmaf_standard_stream_named(path) < 0 && status->kind == VMAF_FILE_REGULAR &&
        stream != INVALID_HANDLE_VALUE)
        return share_stream(target, stream);
    if (status->kind == VMAF_FILE_FOLDER)
        return -EISDIR;
    if (status->kind != VMAF_FILE_REGULAR || vmaf_standard_stream_named(path) >= 0)
        return open_directly(target, path, OPEN_EXISTING);

    /* A write-protected file is not replaced, although its folder would allow it. */
    HANDLE probe;
    int err = vmaf_handle_open(&probe, path, GENERIC_WRITE, OPEN_EXISTING, 0);
    if (err)
        return err;
    CloseHandle(probe);
    err = vmaf_path_real(path, &target->path);
    if (err)
        return err;
    err = create_temporary(target);
    if (err == -EACCES || err == -EROFS)
        err = open_directly(target, path, TRUNCATE_EXISTING);
    return err;
}

int vmaf_atomic_target_open(VmafAtomicTarget *target, const char *path)
{
    VmafFileStatus status;
    int err = vmaf_file_status_at(path, &status);
    if (!err)
        return open_existing(target, path, &status);
    if (err == -ENOENT)
        err = *path ? vmaf_path_behind_links(path, &target->path) : -ENOENT;
    return err ? err : create_temporary(target);
}

int vmaf_atomic_target_open_growing(VmafAtomicTarget *target, const char *path, bool *begins_anew)
{
    VmafFileStatus status;
    const bool exists = !vmaf_file_status_at(path, &status);
    const bool is_file = exists && status.kind == VMAF_FILE_REGULAR;
    const HANDLE stream = is_file ? standard_stream_of(&status) : INVALID_HANDLE_VALUE;
    *begins_anew = stream == INVALID_HANDLE_VALUE && (!exists || is_file);
    if (stream != INVALID_HANDLE_VALUE)
        return share_stream(target, stream);
    if (exists && status.kind == VMAF_FILE_FOLDER)
        return -EISDIR;
    return open_directly(target, path, exists && !is_file ? OPEN_EXISTING : CREATE_ALWAYS);
}

int vmaf_atomic_target_write(VmafAtomicTarget *target, const void *data, size_t size)
{
    return vmaf_handle_write(handle_of(target), data, size);
}

int vmaf_atomic_target_close(VmafAtomicTarget *target)
{
    const bool is_closed = CloseHandle(handle_of(target));
    target->handle = -1;
    return is_closed ? 0 : vmaf_last_error();
}

/* Keeps who may do what with a file that is there, which ReplaceFile takes care of. */
int vmaf_atomic_target_replace(VmafAtomicTarget *target, char *buffer, size_t size)
{
    wchar_t *from, *to = NULL;
    (void)buffer;
    (void)size;
    int err = vmaf_wide_path(target->temporary, &from);
    if (!err)
        err = vmaf_wide_path(target->path, &to);
    if (!err && !ReplaceFileW(to, from, NULL, REPLACEFILE_IGNORE_MERGE_ERRORS, NULL, NULL) &&
        !MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING))
        err = vmaf_last_error();
    free(from);
    free(to);
    if (!err) {
        free(target->temporary);
        target->temporary = NULL;
    }
    return err;
}

void vmaf_atomic_target_abandon(VmafAtomicTarget *target)
{
    if (handle_of(target) != INVALID_HANDLE_VALUE)
        CloseHandle(handle_of(target));
    if (target->temporary)
        remove(target->temporary);
    free(target->temporary);
    free(target->path);
}
