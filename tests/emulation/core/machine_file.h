/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_MACHINE_FILE_H
#define TESTS_EMULATION_CORE_MACHINE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The machine that a runtime emulates, and what goes wrong on it, as a file describes them. The
 * words that all runtimes know are in README.md; a runtime adds its own.
 */

enum {
    MACHINE_MAX_DEVICES = 16,
    MACHINE_MAX_FAULTS = 32,
    MACHINE_MAX_WORDS = 6, /* of a line */
    MACHINE_OWN_VALUES = 8,
    MACHINE_ERROR_SIZE = 256,
};

typedef struct MachineDevice {
    char name[100];
    char chip[32]; /* name of the architecture, for runtimes that have names for it */
    bool is_integrated, is_busy;
    unsigned pci_domain, pci_bus, pci_device;
    unsigned vendor_id, product_id; /* of PCI */
    unsigned char uuid[16];
    uint64_t memory; /* bytes */
    int copy_engines;
    int multiprocessors;
    double speed;                /* of simulated time; 1: an ordinary card */
    int own[MACHINE_OWN_VALUES]; /* what only this runtime knows; it names the indices */
} MachineDevice;

enum MachineFaultKind {
    MACHINE_FAIL,    /* the call returns the error and does nothing */
    MACHINE_HANG,    /* what the call submits never ends */
    MACHINE_LOSE,    /* the device is lost */
    MACHINE_ILLEGAL, /* what the call submits accesses memory that is not there */
};

typedef struct MachineFault {
    enum MachineFaultKind kind;
    char what[64]; /* name of a function, or one of the words for several */
    uint64_t at;   /* the first, the second, ... */
    int error;
} MachineFault;

typedef struct Machine {
    int driver; /* its version, as the runtime counts */
    bool has_no_device;
    bool free_waits;       /* for everything before memory is given back */
    uint64_t memory_calls; /* allocation that fails; 0: none */
    uint64_t memory_limit; /* bytes of all allocations together; 0: none */
    double hang_seconds;   /* how long calls that wait block on what never ends */
    int own[MACHINE_OWN_VALUES];
    MachineDevice devices[MACHINE_MAX_DEVICES];
    int n_devices;
    MachineFault faults[MACHINE_MAX_FAULTS];
    int n_faults;
} Machine;

/* What is known while a line is read. */
typedef struct MachineReader {
    Machine *machine;
    MachineDevice *device; /* the last one, which the line describes */
    char *words[MACHINE_MAX_WORDS];
    int n_words;
    int line;
    bool names_devices; /* the file has devices of its own */
    char *error;
} MachineReader;

/* A line that begins with the word, and has that many values behind it, in words[1] and so on. */
typedef struct MachineWord {
    const char *word;
    int least, most; /* values */
    bool (*read)(MachineReader *reader);
} MachineWord;

/* A word without values that sets one of `own` to 1, of the machine or of the device. */
enum { OF_MACHINE = -1, OF_DEVICE = -2 };
#define MACHINE_FLAG(word, of, own)                                                                \
    {                                                                                              \
        word, of, own, NULL                                                                        \
    }

typedef struct MachineError {
    int value;
    const char *name, *text;
} MachineError;

struct DeviceState;

/* What a runtime is, and adds to the file. */
typedef struct MachineRuntime {
    const char *name;           /* "CUDA": messages begin with "emulated CUDA: " */
    const char *variable;       /* "VMAF_EMULATED_CUDA", and with _FAULTS, _ORDER and _LOG */
    int driver;                 /* version, unless the file says another */
    const MachineError *errors; /* and numbers are taken, too; 0 is success */
    size_t n_errors;
    int unknown_error; /* what calls return on a device that was lost, unless the file says so */
    const MachineWord *words; /* beyond those that all know, and before them */
    size_t n_words;
    /* Its exported functions never call one another: a call within a call means that the first one
     * did not end, but was left by longjmp. */
    bool is_flat;
    /* Whether faults may name this: a function that is exported. */
    bool (*is_function)(const char *word);
    /* Adds to a device what differs from zero, discrete, 8 GB: at least its name. */
    void (*set_default)(MachineDevice *device, int index);
    /* The next four with the lock held. Everything that exists is gone: the machine is replaced.
     */
    void (*forget)(void);
    /* The machine was replaced: emulated_machine.devices are others. */
    void (*set_up)(void);
    /* The device is lost: what it had to do is dropped. NULL: it has no work. */
    void (*drop_work)(struct DeviceState *device);
    /* The device that this thread uses is lost; returns what the call returns. */
    int (*lose)(int error);
    /* What tests ask for that no call counts, such as how much memory there is now, with the lock
     * held. False: it is nothing of that kind. NULL: there is nothing of that kind. */
    bool (*measure)(const char *what, uint64_t *value);
} MachineRuntime;

/* Defined once in every runtime. */
extern const MachineRuntime machine_runtime;

/* One discrete card, and nothing that fails. */
void machine_default(Machine *machine);

/* Reads lines, which ends of lines or ';' separate. False, and a text that names the word. */
bool machine_read(Machine *machine, const char *text, char error[MACHINE_ERROR_SIZE]);

/* NULL: not known. */
const MachineError *machine_error(int value);

/* -- for the words of a runtime -- */

/* Says why the line is not understood; returns false. */
__attribute__((format(printf, 2, 3))) bool machine_refuse(MachineReader *reader, const char *format,
                                                          ...);
/* A number, to which K, M, G and T may be added; a number above 0; one of n names, as index. */
bool machine_read_number(MachineReader *reader, const char *word, uint64_t *value);
bool machine_read_int(MachineReader *reader, const char *word, int *value);
bool machine_read_decimal(MachineReader *reader, const char *word, double *value);

#endif
