/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What happens around every call: lock, configuration, counters, faults, log; and to devices: loss,
 * memory, simulated time. */
#include "machine.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COUNTERS = 256 };

Machine emulated_machine;
char machine_why[MACHINE_ERROR_SIZE];
enum MachineOrder machine_order;

static pthread_once_t lock_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock; /* knows whether its owner, or the call, is gone */
static bool is_configured;
static uint64_t random_state;
static FILE *log_file;

static _Thread_local MachineCall current; /* that this thread makes */

static struct {
    const char *what; /* a function, or one of the words for several */
    uint64_t count;
} counters[MAX_COUNTERS];

DeviceState machine_devices[MACHINE_MAX_DEVICES];

/* The machine was replaced. */
static void machine_set_up_devices(void)
{
    for (int i = 0; i < MACHINE_MAX_DEVICES; i++)
        machine_devices[i] = (DeviceState){.machine = &emulated_machine.devices[i], .index = i};
}

void machine_pause(MachineCall *call)
{
    *call = current;
    current = (MachineCall){0};
    machine_unlock();
}

void machine_resume(const MachineCall *call)
{
    machine_lock();
    current = *call;
}

/* -- log -- */

void machine_note(const char *format, ...)
{
    const size_t length = strlen(current.note);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(current.note + length, sizeof(current.note) - length, format, arguments);
    va_end(arguments);
}

void machine_log(const char *format, ...)
{
    va_list arguments;
    if (!log_file)
        return;
    va_start(arguments, format);
    vfprintf(log_file, format, arguments);
    va_end(arguments);
    fputc('\n', log_file);
    fflush(log_file);
}

void machine_complain(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fprintf(stderr, "emulated %s: %s\n", machine_runtime.name, text);
    machine_log("! %s", text);
    machine_count("complaint");
}

/* -- configuration -- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    while (file && !feof(file) && !ferror(file)) {
        text = realloc(text, size + 4096);
        size += fread(text + size, 1, 4095, file);
        text[size] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

static bool set_order(const char *word)
{
    char *end;
    random_state = strtoull(word, &end, 10);
    if (end != word && *end == '\0')
        machine_order = MACHINE_RANDOM;
    else if (strcmp(word, "late") == 0)
        machine_order = MACHINE_LATE;
    else if (strcmp(word, "early") == 0)
        machine_order = MACHINE_EARLY;
    else if (strcmp(word, "others") == 0)
        machine_order = MACHINE_OTHERS;
    else
        return false;
    return true;
}

/* A variable of the runtime; NULL: it is not set, or empty. */
static const char *variable(const char *suffix)
{
    char name[64];
    snprintf(name, sizeof(name), "%s%s", machine_runtime.variable, suffix);
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static void read_environment(void)
{
    const char *path = variable(""), *more = variable("_FAULTS");
    const char *order = variable("_ORDER"), *log = variable("_LOG");
    char *text = path ? read_file(path) : NULL;
    is_configured = true;
    machine_default(&emulated_machine);
    if (path && !text)
        snprintf(machine_why, sizeof(machine_why), "cannot be read");
    else if ((!text || machine_read(&emulated_machine, text, machine_why)) && more)
        machine_read(&emulated_machine, more, machine_why);
    free(text);
    if (order && !set_order(order) && !*machine_why)
        snprintf(machine_why, sizeof(machine_why), "there is no order %s", order);
    if (*machine_why)
        fprintf(stderr, "emulated %s: %s: %s\n", machine_runtime.name,
                path ? path : "its environment", machine_why);
    if (log)
        log_file = fopen(log, "a");
    machine_set_up_devices();
    machine_runtime.set_up();
}

static void create_lock(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* EOWNERDEAD: a thread ended within a call. EDEADLK: this one left a call by longjmp, as signal
 * handlers of test programs do. What that call began stays half done, but nobody waits forever. */
void machine_lock(void)
{
    pthread_once(&lock_once, create_lock);
    const int result = pthread_mutex_lock(&lock);
    if (result == EOWNERDEAD)
        pthread_mutex_consistent(&lock);
    if (result == EDEADLK)
        current = (MachineCall){0};
    if (result != 0)
        machine_complain("a call did not end");
    if (!is_configured)
        read_environment();
}

void machine_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

int machine_configure(const char *text, const char *order)
{
    Machine read;
    char error[MACHINE_ERROR_SIZE] = "";
    machine_lock();
    machine_default(&read);
    bool ok = machine_read(&read, text ? text : "", error);
    if (ok && order)
        ok = set_order(order);
    if (ok) {
        machine_runtime.forget();
        emulated_machine = read;
        machine_why[0] = '\0';
        for (size_t i = 0; i < MAX_COUNTERS; i++)
            counters[i].count = 0;
        machine_set_up_devices();
        machine_runtime.set_up();
    } else {
        fprintf(stderr, "emulated %s: %s\n", machine_runtime.name,
                error[0] ? error : "there is no such order");
    }
    machine_unlock();
    return ok ? 0 : -1;
}

/* -- counters and faults -- */

uint64_t machine_counted(const char *what)
{
    uint64_t count = 0;
    machine_lock();
    const bool is_measured = machine_runtime.measure && machine_runtime.measure(what, &count);
    for (size_t i = 0; !is_measured && i < MAX_COUNTERS && counters[i].what; i++)
        count += strcmp(counters[i].what, what) == 0 ? counters[i].count : 0;
    machine_unlock();
    return count;
}

static uint64_t count(const char *what)
{
    size_t i = 0;
    while (i + 1 < MAX_COUNTERS && counters[i].what && strcmp(counters[i].what, what) != 0)
        i++;
    counters[i].what = what;
    return ++counters[i].count;
}

const MachineFault *machine_count(const char *what)
{
    const uint64_t n = count(what);
    for (int i = 0; i < emulated_machine.n_faults; i++) {
        const MachineFault *fault = &emulated_machine.faults[i];
        if (fault->at == n && strcmp(fault->what, what) == 0)
            return fault;
    }
    return NULL;
}

bool machine_denies_memory(void)
{
    return count("allocation") == emulated_machine.memory_calls;
}

const MachineFault *machine_armed(void)
{
    return current.armed;
}

void machine_arm(const MachineFault *fault)
{
    current.armed = fault;
}

static int apply_fault(const MachineFault *fault)
{
    if (!fault)
        return 0;
    switch (fault->kind) {
    case MACHINE_FAIL:
        return fault->error;
    case MACHINE_LOSE:
        return machine_runtime.lose(fault->error);
    default:
        current.armed = fault;
        return 0;
    }
}

int machine_begin(const char *function)
{
    if (current.depth > 0 && !machine_runtime.is_flat) {
        current.depth++;
        return 0;
    }
    machine_lock();
    current.depth = 1;
    current.note[0] = '\0';
    const MachineFault *of_function = machine_count(function);
    const MachineFault *of_call = machine_count("call");
    const int result = apply_fault(of_function);
    return result ? result : apply_fault(of_call);
}

int machine_end(const char *function, int result)
{
    if (--current.depth > 0)
        return result;
    current.armed = NULL;
    machine_log("%s%s -> %d", function, current.note, result);
    machine_unlock();
    return result;
}

uint64_t machine_random(uint64_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % n;
}

/* Simulated: nanoseconds that a task takes beyond its work, and what is done in one. */
enum { LATENCY_NS = 2000, BUS_BYTES = 25, MEMORY_BYTES = 400, MULTIPROCESSOR_OPERATIONS = 100 };

int machine_lose_device(DeviceState *device, int error)
{
    if (!device->lost) {
        device->lost = error;
        if (machine_runtime.drop_work)
            machine_runtime.drop_work(device);
    }
    return device->lost;
}

bool machine_has_memory(const DeviceState *device, uint64_t bytes)
{
    const uint64_t limit = emulated_machine.memory_limit;
    if (machine_denies_memory())
        return false;
    if (!device)
        return true;
    return bytes <= device->machine->memory - device->memory_used &&
           (limit == 0 || device->memory_used + bytes <= limit);
}

uint64_t machine_pass_time(DeviceState *device, const Work *work, uint64_t *ns)
{
    const double speed = device->machine->speed;
    uint64_t *engine = NULL;
    double taken = (double)work->memory_bytes / (MEMORY_BYTES * speed);
    if (work->is_kernel) {
        taken += (double)work->operations /
                 (MULTIPROCESSOR_OPERATIONS * device->machine->multiprocessors * speed);
        engine = &device->kernels_free_ns;
    } else if (work->bus_bytes > 0) {
        taken += (double)work->bus_bytes / BUS_BYTES;
        engine = &device->copies_free_ns[device->machine->copy_engines > 1 && work->is_download];
    }
    const uint64_t begin = engine && *engine > *ns ? *engine : *ns;
    *ns = begin + (uint64_t)taken + (taken > 0 ? LATENCY_NS : 0);
    if (engine)
        *engine = *ns;
    return begin;
}
