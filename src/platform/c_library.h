
/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_C_LIBRARY_H
#define VMAF_PLATFORM_C_LIBRARY_H

/*
 * The build includes this first in every source for systems other than Linux: functions of the GNU
 * C library that the tree uses and the C library there lacks, and those of the C runtime of Windows
 * whose texts are UTF-8 in the tree and in the code page of the system there. It shows no header of
 * a system.
 */

#ifdef __FreeBSD__
#include <errno.h>

#ifndef ENODATA
#define ENODATA ENOATTR /* which Linux has as ENODATA */
#endif

#define MAP_NORESERVE 0 /* of mmap; nothing is reserved */
#endif

#ifdef _WIN32
#define _POSIX_THREAD_SAFE_FUNCTIONS 200112L /* gmtime_r of time.h */
#endif

#if defined(__APPLE__) || defined(_WIN32)
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *vmaf_mempcpy(void *to, const void *from, size_t size)
{
    return (char *)memcpy(to, from, size) + size;
}

static inline void *vmaf_reallocarray(void *block, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, count * size);
}

/* getenv; NULL in programs with borrowed rights. */
char *vmaf_secure_getenv(const char *name);

#define mempcpy       vmaf_mempcpy
#define reallocarray  vmaf_reallocarray
#define secure_getenv vmaf_secure_getenv
#endif

#ifdef _WIN32
char *vmaf_stpcpy(char *to, const char *from);
void *vmaf_memmem(const void *in, size_t in_size, const void *what, size_t what_size);
char *vmaf_strndup(const char *text, size_t length);
char *vmaf_strsep(char **rest, const char *separators);

/* A text that is NULL or lives as long as the process, unchanged. */
char *vmaf_getenv(const char *name);

/* Files are binary whatever `mode` says; 'e' is accepted: none are inherited. */
FILE *vmaf_fopen(const char *path, const char *mode);
int vmaf_remove(const char *path);                 /* also empty folders */
int vmaf_rename(const char *from, const char *to); /* takes the place of an existing file */

/* A stream whose text is in *text, to be freed, once it is closed; never larger than the disk. */
FILE *vmaf_open_memstream(char **text, size_t *size);
int vmaf_fclose(FILE *stream);

/* With those of POSIX that the C runtime does not know. */
char *vmaf_strerror(int error);

#define stpcpy         vmaf_stpcpy
#define memmem         vmaf_memmem
#define strndup        vmaf_strndup
#define strsep         vmaf_strsep
#define getenv         vmaf_getenv
#define fopen          vmaf_fopen
#define remove         vmaf_remove
#define rename         vmaf_rename
#define open_memstream vmaf_open_memstream
#define fclose         vmaf_fclose
#define strerror       vmaf_strerror

/* Formats are those of C11 (__USE_MINGW_ANSI_STDIO), also those of functions of ours. */
#define VMAF_FORMAT_printf        gnu_printf
#define format(kind, text, first) format(VMAF_FORMAT_##kind, text, first)
#endif

#endif
