/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/internal.h"
#include "platform/process.h"
#include "platform/time.h"
#include "platform/windows/internal.h"

/* ---- What a path leads to ---- */

/* The path with slashes, and without the prefix that keeps Windows from interpreting it. */
static char *tidy(const wchar_t *wide)
{
    static const wchar_t prefix[] = L"\\\\?\\", network[] = L"\\\\?\\UNC\\";
    const bool is_network = !wcsncmp(wide, network, 8);
    if (!is_network && !wcsncmp(wide, prefix, 4))
        wide += 4;
    char *path = vmaf_narrow_text(is_network ? wide + 6 : wide);
    if (path && is_network)
        path[0] = '/';
    for (char *c = path; c && *c; c++) {
        if (*c == '\\')
            *c = '/';
    }
    return path;
}

static int final_path(HANDLE handle, char **real)
{
    const DWORD size = GetFinalPathNameByHandleW(handle, NULL, 0, FILE_NAME_NORMALIZED);
    if (!size)
        return vmaf_last_error();
    wchar_t *wide = malloc((size + 1) * sizeof(*wide));
    if (!wide)
        return -ENOMEM;
    const DWORD length = GetFinalPathNameByHandleW(handle, wide, size + 1, FILE_NAME_NORMALIZED);
    *real = length && length <= size ? tidy(wide) : NULL;
    free(wide);
    return *real ? 0 : -ENOMEM;
}

int vmaf_path_real(const char *path, char **real)
{
    HANDLE handle;
    *real = NULL;
    int err = vmaf_handle_open(&handle, path, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS);
    if (err)
        return err;
    err = final_path(handle, real);
    CloseHandle(handle);
    return err;
}

/* Links that lead to nothing are rare here, as only administrators make links: such a path stays.
 */
int vmaf_path_behind_links(const char *path, char **target)
{
    const int err = vmaf_path_real(path, target);
    if (!err || err == -ENOMEM)
        return err;
    if (err != -ENOENT && err != -ENOTDIR)
        return err;
    *target = _strdup(path);
    return *target ? 0 : -ENOMEM;
}

/* The attributes of what is at a path itself; 0: there is nothing. */
static DWORD attributes_of(const char *path)
{
    wchar_t *wide;
    if (vmaf_wide_path(path, &wide))
        return 0;
    const DWORD attributes = GetFileAttributesW(wide);
    free(wide);
    return attributes == INVALID_FILE_ATTRIBUTES ? 0 : attributes;
}

bool vmaf_path_is_link(const char *path)
{
    return attributes_of(path) & FILE_ATTRIBUTE_REPARSE_POINT;
}

/* ---- Output ---- */

static int check_folder(const char *path)
{
    char *folder = _strdup(path);
    if (!folder)
        return -ENOMEM;
    char *name = (char *)vmaf_path_name(folder);
    /* "file", "C:file" and "/file" are in a folder that a dot or a slash stands for. */
    if (name == folder)
        strcpy(folder, ".");
    else if (name - folder > 1 && name[-2] != ':' && name[-1] != ':')
        name[-1] = '\0';
    else
        *name = '\0';
    VmafFileStatus status;
    int err = vmaf_file_status_at(folder, &status);
    if (!err && status.kind != VMAF_FILE_FOLDER)
        err = -ENOTDIR;
    HANDLE handle;
    if (!err)
        err = vmaf_handle_open(&handle, folder, FILE_ADD_FILE, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS);
    if (!err)
        CloseHandle(handle);
    free(folder);
    return err;
}

int vmaf_path_check_output(const char *path)
{
    VmafFileStatus status;
    HANDLE handle;
    int err = vmaf_file_status_at(path, &status);
    if (err)
        return err == -ENOENT && *path ? check_folder(path) : err;
    if (status.kind == VMAF_FILE_FOLDER)
        return -EISDIR;
    if (status.kind != VMAF_FILE_REGULAR)
        return 0;
    err = vmaf_handle_open(&handle, path, GENERIC_WRITE, OPEN_EXISTING, 0);
    if (!err)
        CloseHandle(handle);
    return err;
}

/* ---- Folders ---- */

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static int make(const char *path)
{
    wchar_t *wide;
    int err = vmaf_wide_path(path, &wide);
    if (!err && !CreateDirectoryW(wide, NULL)) {
        const DWORD attributes = GetFileAttributesW(wide);
        err = attributes == INVALID_FILE_ATTRIBUTES   ? vmaf_last_error()
              : attributes & FILE_ATTRIBUTE_DIRECTORY ? 0
                                                      : -EEXIST;
    }
    free(wide);
    return err;
}

/* GetTempPath goes by the same variables. */
const char *vmaf_folder_temporary(void)
{
    const char *folder = getenv("TMP");
    if (!folder || !*folder)
        folder = getenv("TEMP");
    return folder && *folder ? folder : "C:/Windows/Temp";
}

/* The folder for temporary files, which it is in, is the user's own. */
int vmaf_folder_make_private(const char *path)
{
    wchar_t *wide;
    int err = vmaf_wide_path(path, &wide);
    if (!err && !CreateDirectoryW(wide, NULL))
        err = vmaf_last_error();
    free(wide);
    return err;
}

bool vmaf_folder_is_private(const char *path)
{
    return (attributes_of(path) & FILE_ATTRIBUTE_DIRECTORY) && !vmaf_path_is_link(path);
}

int vmaf_folder_make(const char *path)
{
    if (!*path)
        return -ENOENT;
    char *prefix = _strdup(path);
    if (!prefix)
        return -ENOMEM;
    int err = 0;
    for (char *end = prefix + 1; end[-1]; end++) {
        const char at_end = *end;
        if ((at_end && !is_separator(at_end)) || end[-1] == ':')
            continue;
        *end = '\0';
        err = make(prefix);
        *end = at_end;
        if (!at_end)
            break;
    }
    VmafFileStatus status;
    if (err && !vmaf_file_status_at(path, &status) && status.kind == VMAF_FILE_FOLDER)
        err = 0; /* one above it cannot be made, since it is a drive or is not ours */
    if (err == -ENOENT || err == -EEXIST) {
        const int why = vmaf_file_status_at(path, &status);
        err = why == -ENOTDIR ? why : err;
    }
    free(prefix);
    return err;
}

static int add(const wchar_t *wide, VmafFolderNames *list)
{
    char *name = vmaf_narrow_text(wide);
    const int err = name ? vmaf_folder_names_add(list, name) : -ENOMEM;
    free(name);
    return err;
}

int vmaf_folder_read(const char *path, VmafFolderNames *list)
{
    WIN32_FIND_DATAW entry;
    VmafFileStatus status;
    int err = vmaf_file_status_at(path, &status);
    if (!err && status.kind != VMAF_FILE_FOLDER)
        err = -ENOTDIR;
    if (err)
        return err;
    char *pattern = malloc(strlen(path) + 3);
    if (!pattern)
        return -ENOMEM;
    strcpy(pattern, path);
    strcat(pattern, "/*");
    wchar_t *wide;
    err = vmaf_wide_path(pattern, &wide);
    free(pattern);
    if (err)
        return err;
    const HANDLE found = FindFirstFileW(wide, &entry);
    free(wide);
    if (found == INVALID_HANDLE_VALUE)
        return vmaf_last_error();
    do
        err = add(entry.cFileName, list);
    while (!err && FindNextFileW(found, &entry));
    if (!err && GetLastError() != ERROR_NO_MORE_FILES)
        err = vmaf_last_error();
    FindClose(found);
    return err;
}

/* ---- Paths as texts ---- */

bool vmaf_path_is_absolute(const char *path)
{
    if (is_separator(path[0]) && is_separator(path[1]))
        return true;
    const char letter = (char)(path[0] | 0x20);
    return letter >= 'a' && letter <= 'z' && path[1] == ':' && is_separator(path[2]);
}

const char *vmaf_path_name(const char *path)
{
    const char *name = path;
    for (const char *c = path; *c; c++) {
        if (is_separator(*c) || (*c == ':' && c == path + 1))
            name = c + 1;
    }
    return name;
}

static bool ends_with_drive(const char *begin, const char *end)
{
    const char letter = end > begin ? (char)(end[-1] | 0x20) : '\0';
    return letter >= 'a' && letter <= 'z' && (end - begin == 1 || end[-2] == '=');
}

char *vmaf_path_next_part(char **rest)
{
    char *begin = *rest, *end = begin ? strchr(begin, ':') : NULL;
    while (end && is_separator(end[1]) && ends_with_drive(begin, end))
        end = strchr(end + 1, ':');
    if (end)
        *end++ = '\0';
    *rest = end;
    return begin;
}

/*
 * Below the folder that Windows has for such files of a user, from which they have their rights:
 * the user's, and administrators'.
 */

static char *join(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    if (path)
        sprintf(path, "%s/%s", folder, name);
    return path;
}

static bool is_plain_folder(const char *path)
{
    wchar_t *wide;
    if (vmaf_wide_path(path, &wide))
        return false;
    const DWORD attributes = GetFileAttributesW(wide);
    free(wide);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) &&
           !(attributes & FILE_ATTRIBUTE_REPARSE_POINT);
}

char *vmaf_user_cache_path(const char *name)
{
    const char *home = secure_getenv("LOCALAPPDATA");
    return home && vmaf_path_is_absolute(home) && is_plain_folder(home) ? join(home, name) : NULL;
}

bool vmaf_user_cache_open(VmafUserCache *cache, const char *name, bool create)
{
    cache->folder = -1;
    char *folder = vmaf_user_cache_path(name);
    if (folder && create)
        (void)vmaf_folder_make(folder);
    if (!folder || !is_plain_folder(folder)) {
        free(folder);
        return false;
    }
    cache->folder = (intptr_t)folder;
    return true;
}

void vmaf_user_cache_close(VmafUserCache *cache)
{
    if (vmaf_user_cache_is_open(cache))
        free((char *)cache->folder);
    cache->folder = -1;
}

bool vmaf_user_cache_read(const VmafUserCache *cache, const char *name, void *bytes, size_t size,
                          size_t *length)
{
    *length = 0;
    char *path = join((const char *)cache->folder, name);
    HANDLE handle;
    if (!path)
        return false;
    /* A link would be opened itself, and is no file. */
    const int err =
        vmaf_handle_open(&handle, path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT);
    free(path);
    if (err)
        return false;
    BY_HANDLE_FILE_INFORMATION information;
    const DWORD others = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
    VmafFile file = {(intptr_t)handle};
    const bool is_read =
        GetFileType(handle) == FILE_TYPE_DISK && GetFileInformationByHandle(handle, &information) &&
        !(information.dwFileAttributes & others) && !vmaf_file_read_all(&file, bytes, size, length);
    vmaf_file_close(&file);
    return is_read && *length < size;
}

int vmaf_user_cache_write(const VmafUserCache *cache, const char *name, const void *bytes,
                          size_t size)
{
    char part[64];
    snprintf(part, sizeof(part), "new-%d-%lld-%p", vmaf_process_id(),
             (long long)vmaf_time_of_day_ns(), bytes);
    char *temporary = join((const char *)cache->folder, part);
    char *target = join((const char *)cache->folder, name);
    HANDLE file;
    int err = temporary && target ? 0 : -ENOMEM;
    if (!err)
        err = vmaf_handle_open(&file, temporary, GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
    if (!err) {
        err = vmaf_handle_write(file, bytes, size);
        CloseHandle(file);
        if (!err && rename(temporary, target))
            err = -errno;
        if (err)
            remove(temporary);
    }
    free(temporary);
    free(target);
    return err;
}
