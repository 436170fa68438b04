/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_BACKENDS_H
#define CLI_RUN_BACKENDS_H

/* Backends of a run: the choice, what becomes of them, and devices that stay open between runs. */

#include "media/video_format.h"
#include "options/options.h"

/*
 * Devices that runs have used stay open for those that come. One that was lost is let go, so that
 * it can be opened anew once no run has it any more. From any thread; NULL does nothing.
 */
typedef struct OpenDevices OpenDevices;

/*
 * Requests the backend that the options ask for. Returns the exit status: an explicit backend
 * that is not there is STATUS_BACKEND, never a silent run on the CPU. The devices are those that
 * stay open between runs, or NULL.
 */
int backend_choice_apply(const Options *options, VmafContext *vmaf, OpenDevices *devices);

/* Is the choice left to the program, so that it may take this backend? It may take seconds to see
 * whether it is usable. */
bool backend_choice_is_free(const Options *options, const char *name);

/* Can the backend use all devices that there are? Only then are its numbers those of the driver. */
bool backend_choice_uses_all(const char *name);

/*
 * A feature that is pinned to `backend` cannot be computed there. Says so, leaves the error
 * document behind where a report would have been JSON, and returns STATUS_BACKEND.
 */
int backend_choice_reject_pinned(const Options *options, const char *feature, const char *backend);

/*
 * Checks if scoring failed because of the backend that was asked for: then everything is printed as
 * above, and the result is STATUS_BACKEND; else STATUS_OK.
 */
int backend_choice_failed(const Options *options, VmafContext *vmaf);

/* The same without words, of a backend that the program has chosen; `name` is that backend. */
bool backend_choice_has_failed(VmafContext *vmaf, char name[BACKEND_NAME_SIZE]);

/*
 * True if scoring failed because a backend that was not requested by name computes wrong records;
 * `name` is that backend. The library has logged why.
 */
bool backend_choice_is_distrusted(VmafContext *vmaf, char name[BACKEND_NAME_SIZE]);
/* Excludes the backend, in addition to what the options say. False if the table is full. */
bool backend_choice_distrust(Options *options, const char *name);

/*
 * True if a backend is still starting, or hangs, on a thread of its own. A normal exit of the
 * program could then make drivers crash.
 */
bool backend_choice_is_busy(VmafContext *vmaf);
/* Does a call into a driver not return, so that it may still use pictures? */
bool backend_choice_hangs(VmafContext *vmaf);

enum { DEVICES_LABEL_SIZE = 32 };

/* Devices that take part; receives how to call them: "NAME", "4 x NAME" or "3 devices". */
unsigned backend_choice_count_devices(VmafContext *vmaf, char label[DEVICES_LABEL_SIZE]);

/* What computes the scores, for people: "cuda: NVIDIA H200, and the CPU with 4 threads". */
typedef struct WhereText {
    char text[256];
} WhereText;

WhereText backend_choice_where(VmafContext *vmaf, unsigned n_threads);

/* After the first pair: does a backend that was asked for by name compute anything? Warns of
 * features that it leaves to the CPU, if it `warns`. STATUS_OK, or STATUS_BACKEND with the document
 * after saying why. */
int backend_choice_check(const Options *options, VmafContext *vmaf, const VideoFormat *format,
                         bool warns);

/* 0; -ENOMEM. */
int open_devices_create(OpenDevices **devices);
/* After all runs. Closes them. */
void open_devices_destroy(OpenDevices *devices);

/* Around a run, which waits until those that may have a lost device are over. */
void open_devices_enter(OpenDevices *devices);
void open_devices_leave(OpenDevices *devices);

/* Looks what devices a run has used, before its context is closed. */
void open_devices_keep(OpenDevices *devices, VmafContext *vmaf);

#endif
