/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_WINDOWS_NATIVE_H
#define VMAF_PLATFORM_WINDOWS_NATIVE_H

/*
 * Between the tree and Windows: texts are UTF-8 on one side and UTF-16 on the other, errors are
 * negative errno on one side and numbers of GetLastError on the other.
 */

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* To be freed; NULL: no memory, or not well-formed. */
wchar_t *vmaf_wide_text(const char *text);
char *vmaf_narrow_text(const wchar_t *text);

/*
 * A path as functions of Windows take it: absolute with a prefix if it is longer than they would
 * accept otherwise. Slashes of both kinds are separators. 0; -ENOMEM, -EILSEQ (not UTF-8), -ENOENT
 * (empty). To be freed.
 */
int vmaf_wide_path(const char *path, wchar_t **wide);

/* The negative errno of an error of Windows. */
int vmaf_error_from(DWORD error);
int vmaf_last_error(void);

/* A standard stream by its name ("/dev/stdin", "/dev/stdout", "/dev/stderr"): its number, or -1. */
int vmaf_standard_stream_named(const char *path);
/* The handle of standard stream 0 to 2; INVALID_HANDLE_VALUE: there is none. */
HANDLE vmaf_standard_handle(int number);

/* In 100 ns. */
int64_t vmaf_filetime_number(FILETIME time);

#endif
