/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_LAYER_FAULTS_H
#define TESTS_KERNELS_LAYER_FAULTS_H

#include "trip.h"

/*
 * Tests of a layer whose driver fails: at each call in turn the device is lost, the call fails, or
 * memory runs out; work never ends, or accesses what is not there. What arrives is right or nothing
 * does, every error is told, everything is given back, and a lost device is left alone. Machines
 * are those of tests/emulation/core.
 */
typedef struct LayerFaults {
    const char *layer;
    void (*use_machine)(const char *machine); /* NULL: one without faults */
    /* After the last session there: fails the test if something is left. */
    void (*leave_machine)(const char *machine);
    /* Right after the session with a fault: no error is left to the caller; NULL: none can be. */
    void (*assert_caller_untouched)(void);
    uint64_t (*count)(const char *what);
    /* The functions that a run cannot do without, up to the first NULL. */
    const char *functions[24];
    /* The one that waits ask. If it fails, the trip gives its memory back before the work has
     * ended, which may cost the machine its device. */
    const char *query;
    /* The one that tells the address of memory of the host on a device that has no other; NULL: no
     * call does. */
    const char *mapping;
    /* What they fail with, and the layer's error; up to the first without a name. */
    struct {
        const char *name;
        int error;
    } errors[4];
    uint32_t n_allocated; /* by the driver itself, before a trip's buffers */
    bool takes_turns;     /* a call fails with one of them, not with each */
    /* The driver does not say why it makes something not: a run's error is any of the layer's. */
    bool is_vague;
    /* The first submission fails with -ENOMEM after its copies are queued; NULL: a test of the
     * layer's own shows that. */
    const char *failing_submission;
    /* Commands that can hang, by the word of machines for them, and how long they do at most. */
    const char *hanging;
    uint32_t n_hanging;
    const char *hang_limit;
    bool ends_hangs; /* the system does, and the device is lost to the program */
} LayerFaults;

/* Runs all tests; the status for main. */
int layer_faults_run(const LayerFaults *layer);

/* For a layer's own tests, while those above run or after them. */

/* Two runs of a trip from nothing; the first error. */
int layer_faults_session(Trip *trip);
/* Fails the test if the error is none that a layer has, or its words do not suit it. */
void layer_faults_assert_told(const Trip *trip, int err, const char *machine);
/* Fails the test unless the layer says that the device is lost, and calls it no more. */
void layer_faults_assert_lost(const Trip *trip);
/* How many calls of this name a session makes; all of them by the name "call". */
uint64_t layer_faults_calls(const char *function);

#endif
