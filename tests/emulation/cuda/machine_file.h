/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_MACHINE_FILE_H
#define TESTS_EMULATION_CUDA_MACHINE_FILE_H

#include <stdbool.h>

#include "driver_types.h"

/* The machine that is emulated, and what goes wrong on it; README.md has the words of the file. */

enum { MACHINE_MAX_DEVICES = 16, MACHINE_MAX_FAULTS = 32, MACHINE_ERROR_SIZE = 256 };

typedef struct MachineDevice {
    char name[100];
    int capability; /* ten times, as 89 */
    bool is_integrated, is_busy;
    unsigned pci_domain, pci_bus, pci_device;
    CudaUuid uuid;
    uint64_t memory; /* bytes */
    int compute_mode;
    int copy_engines;
    int multiprocessors;
    double speed; /* of simulated time; 1: an ordinary card */
} MachineDevice;

enum MachineFaultKind {
    MACHINE_FAIL,    /* the call returns the error and does nothing */
    MACHINE_HANG,    /* what the call puts on a stream never ends */
    MACHINE_LOSE,    /* the device is lost */
    MACHINE_ILLEGAL, /* what the call puts on a stream accesses memory that is not there */
};

typedef struct MachineFault {
    enum MachineFaultKind kind;
    char what[64]; /* name of a function, or one of the words for several */
    uint64_t at;   /* the first, the second, ... */
    CudaResult error;
} MachineFault;

typedef struct Machine {
    int driver; /* as 12040 */
    bool has_no_device, is_mismatched;
    bool free_waits;       /* for everything before memory is given back */
    uint64_t memory_calls; /* allocation that fails; 0: none */
    uint64_t memory_limit; /* bytes of all allocations together; 0: none */
    double hang_seconds;   /* how long calls that wait block on what never ends */
    MachineDevice devices[MACHINE_MAX_DEVICES];
    int n_devices;
    MachineFault faults[MACHINE_MAX_FAULTS];
    int n_faults;
} Machine;

/* One discrete card, and nothing that fails. */
void machine_default(Machine *machine);

/* Reads lines, which ends of lines or ';' separate. False, and a text that names the word. */
bool machine_read(Machine *machine, const char *text, char error[MACHINE_ERROR_SIZE]);

#endif
