/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_LAYER_RULES_H
#define TESTS_KERNELS_LAYER_RULES_H

#include "trip.h"

/*
 * Tests of what a layer calls and when, on an emulated runtime that counts: submissions, waits,
 * kernels, memory of the host. What every layer has to do is in test_layer.c.
 */
typedef struct LayerRules {
    const char *layer;
    int (*configure)(const char *machine, const char *order); /* the runtime alone */
    /* Another machine, the program on it, and the order in which work is done. */
    void (*use_machine)(const char *machine, const char *order);
    void (*leave_machine)(void);           /* fails the test if something is left there */
    void (*assert_caller_untouched)(void); /* all that is the caller's is as it was */
    uint64_t (*count)(const char *what);
    /* After so many submissions of a trip: fails the test if these took other calls than needed. */
    void (*assert_calls)(uint32_t submissions);
    uint64_t calls;         /* that one submission makes; 0: not told */
    uint64_t copy_commands; /* that a submission with a copy alone runs */
    bool is_lazy;           /* the runtime does nothing before it is asked whether work has ended */
    bool counts_memory;     /* the count "memory" is of pieces, also of the host's */
    const char *allocations;  /* what counts them */
    const char *objects;      /* of which no run may leave one; NULL: not counted */
    const char *loaded_from;  /* what a kernel is made of, and is not kept; NULL: not counted */
    const char *load;         /* the function that loads a kernel's code */
    const char *hang, *query; /* a machine with a hang, and what waits ask; NULL: not told */
    /* A machine whose second registration of memory fails, and more of them; NULL: none fails. */
    const char *refuses_memory;
    int n_refused;
} LayerRules;

/* Runs all tests; the status for main. */
int layer_rules_run(const LayerRules *layer);

/* For a layer's own tests, while those above run or after them. */

/* On this machine the kernel of trips is not found, and these words are said; a second time it
 * is found, and runs. */
void layer_rules_refuse_kernel(const char *machine, int error, const char *words);
/* On this machine so many devices are listed, with that result, and none can be opened; these words
 * say why. */
void layer_rules_find_none(const char *machine, int error, size_t n, const char *words);
/* That device is not opened, for the reason that its description gives. */
void layer_rules_refuse_device(const VmafDeviceLayer *layer, const VmafDeviceInfo *info,
                               const VmafKernelSet *kernels);

#endif
