/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_FILE_H
#define VMAF_PLATFORM_FILE_H

/*
 * Files: open ones and what the system knows of them, windows onto them, inputs, and files that
 * appear complete or not at all. No descriptor is inherited by another program.
 * Functions that can fail return 0 or a negative errno.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum VmafFileKind {
    VMAF_FILE_REGULAR,
    VMAF_FILE_FOLDER,
    VMAF_FILE_PIPE,
    VMAF_FILE_OTHER, /* devices, sockets */
} VmafFileKind;

typedef struct VmafFileStatus {
    VmafFileKind kind;
    uint64_t volume, number; /* together they identify a file */
    int64_t size;            /* bytes */
    int64_t modified_ns;     /* last change of its content, since 1970 */
    int64_t changed_ns;      /* last change of anything about it, since 1970 */
} VmafFileStatus;

typedef struct VmafFile {
    intptr_t handle; /* the system's; -1: none */
} VmafFile;

#define VMAF_FILE_NONE ((VmafFile){-1})

/* ---- Files ---- */

/* The status of what lies at a path, behind all links. */
int vmaf_file_status_at(const char *path, VmafFileStatus *status);
int vmaf_file_status(const VmafFile *file, VmafFileStatus *status);
bool vmaf_file_is_same(const VmafFileStatus *a, const VmafFileStatus *b);
/* The standard stream that goes to a file: 1 (output), 2 (errors); -1: neither does. */
int vmaf_file_standard_stream(const VmafFileStatus *status);

/* Opens a file to be read. */
int vmaf_file_open(VmafFile *file, const char *path);
/* Opens a file to be written: made, or emptied if it is there. */
int vmaf_file_create(VmafFile *file, const char *path);
/* Opens a file to be written behind its first `size` bytes: it is there, and what follows them is
 * cut off. */
int vmaf_file_open_to_append(VmafFile *file, const char *path, int64_t size);
/* Locks a file until it is closed or the process ends. -EAGAIN: another process has locked it. */
int vmaf_file_lock(const VmafFile *file);
/* Sets it to VMAF_FILE_NONE, which is allowed as well. */
void vmaf_file_close(VmafFile *file);

/* Both from any thread. Up to `size` bytes; *got is 0 at the end of the file only. */
int vmaf_file_read_at(const VmafFile *file, void *buffer, size_t size, int64_t position,
                      size_t *got);
/* All of them. */
int vmaf_file_write_at(const VmafFile *file, const void *data, size_t size, int64_t position);

/*
 * The content of a regular file of at most `max` bytes; to be freed. A zero byte follows it. -EFBIG
 * if it is larger, -EINVAL if it is anything but a file.
 */
int vmaf_file_load(const char *path, size_t max, char **content, size_t *size);

/* ---- Windows onto files ---- */

/*
 * A piece of a file that is used where the system keeps it, without a copy. The thread that touches
 * a page first brings it in. All zero is no window.
 */
typedef struct VmafFileWindow {
    void *mapping; /* whole pages */
    size_t mapping_size;
    unsigned char *data; /* the piece itself, to be read only */
} VmafFileWindow;

/* Opens `size` bytes of a file. 0; negative errno: read them instead. */
int vmaf_file_window_open(VmafFileWindow *window, const VmafFile *file, int64_t position,
                          size_t size);

/* Brings all pages of a window in, on the calling thread. 0; negative errno: the system cannot, or
 * the file has not so many bytes. */
int vmaf_file_window_bring_in(const VmafFileWindow *window);

/*
 * Does the system hold these bytes of a file in memory, so that nobody would wait for a disk? Looks
 * at one byte in 512 KiB. False also for bytes that the file has not, and if it cannot be told.
 */
bool vmaf_file_is_in_memory(const VmafFile *file, int64_t position, size_t size);

/* From any thread. What is no window is left alone. */
void vmaf_file_window_close(VmafFileWindow *window);

/*
 * What is done if a file loses bytes that are in use, because somebody shortens it or its device
 * fails: `message` goes to stderr and the program ends with `status`. Both for the whole process.
 */
void vmaf_file_window_guard(const char *message, int status);

/* ---- Inputs ---- */

/*
 * A file, a pipe or a device that is read from its beginning to its end. Waiting for a pipe can be
 * ended by another thread.
 */
typedef struct VmafInput {
    VmafFile file;
    bool is_file;          /* it can be read anywhere, and its status tells its size */
    int64_t begin;         /* of a file: standard input may stand anywhere */
    VmafFileStatus status; /* of a file, when it was opened */
    intptr_t wake[2];      /* the system's */
} VmafInput;

/* NULL is standard input, which stays open. Folders are rejected. 0; negative errno. */
int vmaf_input_open(VmafInput *input, const char *path);
void vmaf_input_close(VmafInput *input); /* also after a failed vmaf_input_open */

/*
 * Up to `size` bytes; *got is 0 at the end only. Files: those at `position`. Else: the next ones,
 * for which it waits; -ECANCELED once it was interrupted. 0; negative errno.
 */
int vmaf_input_read(const VmafInput *input, void *buffer, size_t size, int64_t position,
                    size_t *got);

/* Ends reads that wait, now or later. From any thread. */
void vmaf_input_interrupt(const VmafInput *input);

/* ---- Files that appear complete or not at all ---- */

/*
 * A file that appears complete or not at all: written under a temporary name in the target's
 * folder, then renamed. Links are followed, also to what does not exist yet; permissions of an
 * existing file are kept. Or one that is read while it grows.
 *
 * Written directly, since there is nothing to replace or no way to: devices and pipes (/dev/stdout,
 * /dev/full), the file that standard output or standard error goes to, an existing
 * writable file in a folder where no file can be created, and a file that is a mount point.
 */
typedef struct VmafAtomicFile VmafAtomicFile;

/* 0, -ENOMEM, or the error of the system call that failed; then *file is NULL. */
int vmaf_atomic_file_open(VmafAtomicFile **file, const char *path);
/* The same, except that others can neither read nor write a new file. */
int vmaf_atomic_file_open_private(VmafAtomicFile **file, const char *path);
/* A text in memory instead, for vmaf_atomic_file_take_text. 0, -ENOMEM. */
int vmaf_atomic_file_open_text(VmafAtomicFile **file);
/* One that is emptied now, and written directly whatever it is. *begins_anew: opened once more it
 * would be empty again, unlike a pipe. 0, or an error as above. */
int vmaf_atomic_file_open_growing(VmafAtomicFile **file, const char *path, bool *begins_anew);
/* Buffered. The first error is kept, what follows it is dropped, commit reports it. */
void vmaf_atomic_file_write(VmafAtomicFile *file, const void *data, size_t size);
void vmaf_atomic_file_puts(VmafAtomicFile *file, const char *text);
/* Writes what is in the buffer. 0, or the first error. */
int vmaf_atomic_file_flush(VmafAtomicFile *file);
/* Makes the file appear and frees the structure. On an error a target that was to be replaced is as
 * it was, and nothing is left behind. */
int vmaf_atomic_file_commit(VmafAtomicFile *file);
/* What was written to such a text (free), ended by 0; frees the structure. 0, -ENOMEM. */
int vmaf_atomic_file_take_text(VmafAtomicFile *file, char **text);
/* Frees the structure without touching the target; NULL allowed. */
void vmaf_atomic_file_abandon(VmafAtomicFile *file);

#endif
