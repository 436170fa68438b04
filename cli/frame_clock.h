/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_FRAME_CLOCK_H
#define CLI_FRAME_CLOCK_H

#include <stdbool.h>

#include "platform/thread.h"

/*
 * When frames of the reference are shown, in seconds since its first one: as the file says, else by their
 * number and the frame rate. Frames are those of the report, from 0. One thread adds, any asks.
 */
typedef struct FrameClock {
    VmafMutex lock;
    double rate;          /* frames a second; 0: unknown */
    unsigned passed_over; /* frames of the file before frame 0 */
    double *times;        /* that the file says; NULL: it says none */
    unsigned count, capacity;
} FrameClock;

/* What is all zero may be freed too. */
void frame_clock_start(FrameClock *clock, double rate, unsigned passed_over);
void frame_clock_free(FrameClock *clock);

/* In the order of frames. NaN: the file does not say. */
void frame_clock_add(FrameClock *clock, unsigned frame, double seconds);
/* NaN: unknown. */
double frame_clock_at(FrameClock *clock, unsigned frame);
/* Are all times those of frames from 0 by their rate? */
bool frame_clock_is_plain(FrameClock *clock);

#endif
