/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_BACKEND_BENCH_H
#define BENCH_BACKEND_BENCH_H

/* The tables of vmaf-backend-bench. Each prints what it finds and adds it to the rows. 0; -1 with a
 * message on stderr. */

#include "backend_rows.h"
#include "clips.h"

/* Frames per second through the library: of the backend, or of the CPU alone and of "auto". */
int backend_library_speed(const BackendRows *rows, const BenchClips *clips);
int backend_library_auto(const BackendRows *rows, const BenchClips *clips);

/* The self-test of the library, for every feature of the backend. 1: it refuses some. */
int backend_library_self_test(const BackendRows *rows, const BenchClips *clips);

/* Frames per second of the backend on its own, and the latency of frames. */
int backend_direct_speed(const BackendRows *rows, const BenchClips *clips, Drive *drive);

/* What the device spends its time on. */
int backend_direct_stages(const BackendRows *rows, const BenchClips *clips, Drive *drive);

/* How long it takes to open everything and to have the first record, in processes that begin with
 * empty caches and with those of the first. To be called before this process has used a driver. */
typedef struct BackendOpening {
    double opened[2], first_record[2]; /* seconds; cold, warm */
} BackendOpening;
int backend_opening_measure(const BackendSettings *s, BackendOpening *opening);
void backend_opening_print(const BackendRows *rows, const BackendOpening *opening);

#endif
