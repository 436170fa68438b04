/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/folder_list.h"
#include "platform/windows/file_native.h"

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
