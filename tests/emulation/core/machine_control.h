/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_MACHINE_CONTROL_H
#define TESTS_EMULATION_CORE_MACHINE_CONTROL_H

#include <stdint.h>

/*
 * What a runtime exports for tests that live in the same process, which find it with dlsym:
 *
 * emulated_RUNTIME_configure makes it another machine, as a file with this text would (NULL: the
 * default), and the order of work that of the variable (NULL: as it is). All that exists is gone;
 * counters begin at 0. 0; -1 and a text on the standard error.
 *
 * emulated_RUNTIME_count says how often a function was called since then; or of all: "call",
 * "launch" (kernels that were submitted), "submission" (of graphs, or lists of work), "run" (what
 * was executed), "allocation", "complaint" (what was done wrong), "memory" (what exists now), and
 * what the runtime measures beyond these.
 */
#define MACHINE_CONTROL(runtime)                                                                   \
    __attribute__((visibility("default"))) int emulated_##runtime##_configure(const char *machine, \
                                                                              const char *order);  \
    __attribute__((visibility("default"))) uint64_t emulated_##runtime##_count(const char *what);

#define MACHINE_CONTROL_DEFINE(runtime)                                                            \
    int emulated_##runtime##_configure(const char *machine, const char *order)                     \
    {                                                                                              \
        return machine_configure(machine, order);                                                  \
    }                                                                                              \
    uint64_t emulated_##runtime##_count(const char *what)                                          \
    {                                                                                              \
        return machine_counted(what);                                                              \
    }

#endif
