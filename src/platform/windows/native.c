/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/windows/internal.h"

/* ---- Texts ---- */

wchar_t *vmaf_wide_text(const char *text)
{
    const int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = size > 0 ? malloc((size_t)size * sizeof(*wide)) : NULL;
    if (wide)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, size);
    return wide;
}

char *vmaf_narrow_text(const wchar_t *text)
{
    const int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = size > 0 ? malloc((size_t)size) : NULL;
    if (narrow)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, size, NULL, NULL);
    return narrow;
}

/* ---- Paths ---- */

/* Paths of this many characters have no room left for a file of the form 8.3 behind them. */
enum { SHORT_PATH = MAX_PATH - 13 };

static int lengthen(const wchar_t *path, wchar_t **result)
{
    static const wchar_t prefix[] = L"\\\\?\\", network[] = L"\\\\?\\UNC\\";
    const DWORD size = GetFullPathNameW(path, 0, NULL, NULL);
    wchar_t *full =
        size ? malloc((size + sizeof(network) / sizeof(*network)) * sizeof(*full)) : NULL;
    if (!full)
        return size ? -ENOMEM : vmaf_last_error();
    const bool is_network = (path[0] == L'\\' || path[0] == L'/') && path[1] == path[0];
    const wchar_t *const before = is_network ? network : prefix;
    const size_t room = wcslen(before), skipped = is_network ? 2 : 0;
    wchar_t *const at = full + room - skipped;
    GetFullPathNameW(path, size, at, NULL);
    memcpy(full, before, room * sizeof(*full));
    *result = full;
    return 0;
}

int vmaf_wide_path(const char *path, wchar_t **wide)
{
    *wide = NULL;
    if (!*path)
        return -ENOENT;
    /* The one device of POSIX whose name is common. */
    wchar_t *text = vmaf_wide_text(strcmp(path, "/dev/null") ? path : "NUL");
    if (!text)
        return GetLastError() == ERROR_NO_UNICODE_TRANSLATION ? -EILSEQ : -ENOMEM;
    const bool is_prefixed = !wcsncmp(text, L"\\\\?\\", 4) || !wcsncmp(text, L"\\\\.\\", 4);
    if (wcslen(text) < SHORT_PATH || is_prefixed) {
        *wide = text;
        return 0;
    }
    const int err = lengthen(text, wide);
    free(text);
    return err;
}

/* ---- Errors ---- */

int vmaf_error_from(DWORD error)
{
    switch (error) {
    case ERROR_SUCCESS:
        return -EIO; /* it has failed without saying why */
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_MOD_NOT_FOUND:
    case ERROR_ENVVAR_NOT_FOUND:
        return -ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_USER_MAPPED_FILE:
    case 740: /* ERROR_ELEVATION_REQUIRED, which some headers lack */
        return -EACCES;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_NO_SYSTEM_RESOURCES:
    case ERROR_COMMITMENT_LIMIT:
        return -ENOMEM;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        return -EEXIST;
    case ERROR_DIRECTORY:
        return -ENOTDIR;
    case ERROR_DIR_NOT_EMPTY:
        return -ENOTEMPTY;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return -ENOSPC;
    case ERROR_WRITE_PROTECT:
        return -EROFS;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
        return -EPIPE;
    case ERROR_FILENAME_EXCED_RANGE:
        return -ENAMETOOLONG;
    case ERROR_TOO_MANY_OPEN_FILES:
        return -EMFILE;
    case ERROR_BUSY:
    case ERROR_PATH_BUSY:
    case ERROR_PIPE_BUSY:
        return -EBUSY;
    case ERROR_INVALID_HANDLE:
        return -EBADF;
    case ERROR_CANT_RESOLVE_FILENAME:
        return -ELOOP;
    case ERROR_NOT_SAME_DEVICE:
        return -EXDEV;
    case ERROR_INVALID_PARAMETER:
    case ERROR_NEGATIVE_SEEK:
        return -EINVAL;
    case ERROR_NOT_SUPPORTED:
    case ERROR_INVALID_FUNCTION:
    case ERROR_CALL_NOT_IMPLEMENTED:
        return -ENOTSUP;
    case ERROR_BAD_EXE_FORMAT:
    case ERROR_EXE_MACHINE_TYPE_MISMATCH:
        return -ENOEXEC;
    default:
        return -EIO;
    }
}

int vmaf_last_error(void)
{
    return vmaf_error_from(GetLastError());
}

/* ---- Standard streams ---- */

int vmaf_standard_stream_named(const char *path)
{
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (int i = 0; i < 3; i++) {
        if (!strcmp(path, names[i]))
            return i;
    }
    return -1;
}

HANDLE vmaf_standard_handle(int number)
{
    static const DWORD names[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    const HANDLE handle = GetStdHandle(names[number]);
    return handle ? handle : INVALID_HANDLE_VALUE;
}

int64_t vmaf_filetime_number(FILETIME time)
{
    return (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
}
