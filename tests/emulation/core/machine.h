/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_MACHINE_H
#define TESTS_EMULATION_CORE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/*
 * What surrounds the calls of an emulated runtime: one lock that guards everything, the variables
 * of the environment, counters, faults, the log. An exported function begins with machine_begin
 * and ends with machine_end; all that is declared here is called between them, unless it says
 * otherwise.
 */

/* How work is ordered where the interface leaves it open. */
enum MachineOrder {
    MACHINE_LATE,   /* only what somebody waits for */
    MACHINE_EARLY,  /* at once */
    MACHINE_OTHERS, /* like late, but what others put on their streams comes first */
    MACHINE_RANDOM,
};

extern Machine emulated_machine;             /* the one that is emulated */
extern char machine_why[MACHINE_ERROR_SIZE]; /* why its file is not understood; "": it is */
extern enum MachineOrder machine_order;

/*
 * Takes the lock, reads the environment at the first call, counts, lets fail what the machine says:
 * an error, or 0. machine_end follows in any case, and returns the result. A function may call
 * other exported ones between them: these do not count, have no faults and no line in the log.
 * A call that never ends, as its thread has, or has left it by longjmp, is complained about when
 * the lock is needed next; it holds up nobody.
 */
int machine_begin(const char *function);
int machine_end(const char *function, int result);

/* For a while without the lock; for callbacks, and while a call blocks. */
typedef struct MachineCall {
    unsigned depth;
    char note[256];
    const MachineFault *armed;
} MachineCall;
void machine_pause(MachineCall *call);
void machine_resume(const MachineCall *call);

/* Adds to the line of this call in the log. */
__attribute__((format(printf, 1, 2))) void machine_note(const char *format, ...);
/* A line of its own. */
__attribute__((format(printf, 1, 2))) void machine_log(const char *format, ...);
/* Says on the standard error, and in the log, what the program does wrong; counts "complaint". */
__attribute__((format(printf, 1, 2))) void machine_complain(const char *format, ...);

/*
 * Counts "launch" (a kernel is submitted), "submission" (work is given to the device) or "run" (a
 * command runs), and returns the fault whose turn it is; NULL: none. "call" is counted by
 * machine_begin.
 */
const MachineFault *machine_count(const char *what);

/* What is to happen to the work that this call submits: hang, illegal; NULL: nothing. */
const MachineFault *machine_armed(void);
void machine_arm(const MachineFault *fault);

/* Whether the machine's file lets this allocation fail ("out-of-memory at N"); counts it. */
bool machine_denies_memory(void);

/* The next random number below n. */
uint64_t machine_random(uint64_t n);

/* -- for tests in the same process; not between machine_begin and machine_end -- */

/* Makes it another machine (NULL: the default) and order (NULL: as it is); counters begin at 0.
 * 0; -1, a text on the standard error, and nothing has changed. */
int machine_configure(const char *text, const char *order);
/* How often a function was called since then, or a word counted; or what the runtime measures. */
uint64_t machine_counted(const char *what);
/* For other functions that tests call: nothing runs between them. */
void machine_lock(void);
void machine_unlock(void);

/* What happens to a device of the machine: it is lost, its memory fills, simulated time passes. */
typedef struct DeviceState {
    const MachineDevice *machine;
    int index;
    int lost;                 /* the error of every later call; 0: it works */
    uint64_t memory_used;     /* bytes */
    uint64_t kernels_free_ns; /* simulated time at which the next kernel can begin */
    uint64_t copies_free_ns[2];
} DeviceState;

/* Those of emulated_machine, in their order. */
extern DeviceState machine_devices[MACHINE_MAX_DEVICES];

/* Loses the device, unless it was lost before, and drops its work. The error of its calls. */
int machine_lose_device(DeviceState *device, int error);

/* Whether so many more bytes can be allocated, of the device or (NULL) of the host; counts it. */
bool machine_has_memory(const DeviceState *device, uint64_t bytes);

/* What a task did, for simulated time. */
typedef struct Work {
    bool is_kernel;
    uint64_t operations; /* of all invocations */
    uint64_t bus_bytes, memory_bytes;
    bool is_download;
} Work;

/* Lets the time pass that the work takes from *ns on, when its queue is free, or from when the
 * engine is free that does it. *ns: when it has ended. Returns when it began. */
uint64_t machine_pass_time(DeviceState *device, const Work *work, uint64_t *ns);

/*
 * All memory that a runtime knows. What it has allocated lies in one range of addresses, between
 * pages that nobody can access. Memory of devices has addresses in another range, which nobody can
 * access at all, so that the host that touches it dies, also while a kernel runs, for which they
 * are replaced. Addresses are not used again for long, and what is new holds a pattern.
 */
enum MemoryKind {
    MEMORY_DEVICE,
    MEMORY_HOST,
    MEMORY_SHARED,     /* between host and device */
    MEMORY_REGISTERED, /* the program's own */
};

typedef struct Memory {
    uint64_t address;       /* that the program knows */
    unsigned char *storage; /* what is there; the same, but for memory of devices */
    size_t size;
    uint64_t id; /* never used again */
    enum MemoryKind kind;
    unsigned flags;       /* as the program gave them */
    void *owner;          /* context */
    DeviceState *device;  /* NULL: of the host */
    uint64_t charge;      /* what it takes of the device's memory */
    unsigned char *pages; /* that it lies on */
    size_t pages_size;
    bool is_imported;
} Memory;

/*
 * Adds memory of that kind, size, owner, device and charge. A descriptor is that of a file which is
 * mapped instead of new memory; -1: none. NULL: there is no room, or the file cannot be mapped.
 * What it returns is valid until the next call that changes memory.
 */
Memory *guarded_allocate(const Memory *wanted, size_t alignment, int descriptor);
/* Adds memory of the program at wanted->address, which is not known yet. */
void guarded_register(const Memory *wanted);
/* Complains if something was written beside it. */
void guarded_free(Memory *memory);
/* Frees what belongs to the owner; NULL: everything. */
void guarded_free_all(const void *owner);

/* What holds the address; NULL: nothing does. */
Memory *guarded_find(uint64_t address);
/* Whether something holds an address of that range. */
bool guarded_is_known(uint64_t address, size_t size);
/* What begins there. */
Memory *guarded_find_whole(uint64_t address);
/* All of it, in the order of addresses. */
const Memory *guarded_list(size_t *count);
/* MachineRuntime.measure for "memory": how much of it exists. */
bool guarded_measure(const char *what, uint64_t *value);

/* Whether an address lies where only memory of devices, or any memory of the runtime, can be. */
bool guarded_is_device_range(uint64_t address);
bool guarded_is_own_range(uint64_t address);
/* Whether it lies between storages, where kernels must not get. */
bool guarded_is_gap(uint64_t address);
/* Nobody can access that page of a gap any more, and it forgets what was written. */
void guarded_close_gap(uint64_t address);
/* Whether something was written beside it, on its own pages; it is as new then. */
bool guarded_is_overrun(const Memory *memory);
/* Lets the program access its storage so (PROT_READ and so on). */
void guarded_protect(const Memory *memory, int access);

/*
 * What was submitted runs only when somebody waits for something, and then no further than needed:
 * who forgets to wait finds what was there before. Tasks run in any order that the rules of the
 * runtime leave open; machine_order says in which.
 */
typedef struct Task Task;

/* Tasks in the order of submission. Zeros but for the device are an empty queue. */
typedef struct TaskQueue {
    struct TaskQueue *next; /* of those that have tasks */
    Task *first, *last;
    DeviceState *device;
} TaskQueue;

/* What runtimes begin their commands with. */
struct Task {
    Task *previous, *next; /* of its queue */
    TaskQueue *queue;
    uint64_t serial; /* in the order of submission to all queues */
    enum { TASK_RUNS, TASK_HANGS, TASK_FAILS } fate;
    bool is_needed;
};

/* What the interface of a runtime says about order. */
typedef struct ScheduleRules {
    /* Whether a task waits for an earlier one of its queue that is still there. */
    bool (*waits_for)(const Task *later, const Task *earlier);
    /* Whether everything else has happened that it waits for. */
    bool (*is_open)(const Task *task);
    /* Whether a task makes something happen that the other one waits for. */
    bool (*opens)(const Task *task, const Task *waiting);
    /* Runs a task, or the next part of it, and takes it out when it has been done. TASK_FAILS: it
     * accesses memory that is not there. */
    void (*run)(Task *task);
} ScheduleRules;

/* Defined once in every runtime that has queues. */
extern const ScheduleRules schedule_rules;

/* What somebody waits for: tasks, or what they make happen. */
typedef struct Goal {
    bool (*needs)(const Task *task, const void *subject);
    /* Whether there is nothing to wait for any more, as after a loss. */
    bool (*is_reached)(const void *subject);
    const void *subject;
} Goal;

/* What the machine says about this launch, or work, of this call; NULL: nothing. */
const MachineFault *schedule_fault(bool is_launch);
/* Puts a task on a queue, and has the fault happen to it. False: the device is lost, and the task
 * was dropped with its work. */
bool schedule_submit(TaskQueue *queue, Task *task, const MachineFault *fault);
void schedule_take_out(Task *task);
/* The task after that one, of all queues; NULL: the first one, and there is none. */
Task *schedule_next(const Task *task);
bool schedule_has(const Goal *goal);

/* What the order may run at once, after something was submitted or signalled. */
void schedule_progress(void);
/* Runs what is needed. False: nothing could run for that long. */
bool schedule_wait(const Goal *goal, uint64_t limit_ns);
/* Runs a little of it, for calls that only ask. False: nothing could run. */
bool schedule_poll(const Goal *goal);

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
