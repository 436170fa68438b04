/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What happens around every call: lock, configuration, counters, faults, log. */
#include "driver.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "driver_control.h"
#include "driver_error.h"
#include "driver_memory.h"

enum { MAX_FUNCTIONS = 256 };

Driver driver;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of the call that this thread makes. */
static _Thread_local char note[256];
static _Thread_local const MachineFault *armed;

static struct {
    const char *name;
    uint64_t calls;
} functions[MAX_FUNCTIONS];

void driver_lock(void)
{
    pthread_mutex_lock(&lock);
}

void driver_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* -- log -- */

void driver_note(const char *format, ...)
{
    const size_t length = strlen(note);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note + length, sizeof(note) - length, format, arguments);
    va_end(arguments);
}

void driver_log(const char *format, ...)
{
    va_list arguments;
    if (!driver.log)
        return;
    va_start(arguments, format);
    vfprintf(driver.log, format, arguments);
    va_end(arguments);
    fputc('\n', driver.log);
    fflush(driver.log);
}

void driver_complain(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fprintf(stderr, "emulated CUDA: %s\n", text);
    driver_log("! %s", text);
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
    driver.random = strtoull(word, &end, 10);
    if (end != word && *end == '\0')
        driver.order = DRIVER_RANDOM;
    else if (strcmp(word, "late") == 0)
        driver.order = DRIVER_LATE;
    else if (strcmp(word, "early") == 0)
        driver.order = DRIVER_EARLY;
    else if (strcmp(word, "others") == 0)
        driver.order = DRIVER_OTHERS;
    else
        return false;
    return true;
}

static void set_devices(void)
{
    for (int i = 0; i < driver.machine.n_devices; i++)
        driver.devices[i] = (Device){.machine = &driver.machine.devices[i], .ordinal = i};
}

static void configure(void)
{
    const char *path = getenv("VMAF_EMULATED_CUDA");
    const char *more = getenv("VMAF_EMULATED_CUDA_FAULTS");
    const char *order = getenv("VMAF_EMULATED_CUDA_ORDER");
    const char *log = getenv("VMAF_EMULATED_CUDA_LOG");
    char *error = driver.machine_error;
    char *text = path && *path ? read_file(path) : NULL;
    driver.is_configured = true;
    machine_default(&driver.machine);
    if (path && *path && !text)
        snprintf(error, MACHINE_ERROR_SIZE, "cannot be read");
    else if ((!text || machine_read(&driver.machine, text, error)) && more)
        machine_read(&driver.machine, more, error);
    free(text);
    if (order && *order && !set_order(order) && !*error)
        snprintf(error, MACHINE_ERROR_SIZE, "there is no order %s", order);
    if (*error)
        fprintf(stderr, "emulated CUDA: %s: %s\n", path && *path ? path : "its environment", error);
    if (log && *log)
        driver.log = fopen(log, "a");
    set_devices();
}

int emulated_cuda_configure(const char *machine, const char *order)
{
    Machine read;
    char error[MACHINE_ERROR_SIZE] = "";
    driver_lock();
    if (!driver.is_configured)
        configure();
    machine_default(&read);
    bool ok = machine_read(&read, machine ? machine : "", error);
    if (ok && order)
        ok = set_order(order);
    if (ok) {
        driver_forget_contexts();
        driver.machine = read;
        driver.machine_error[0] = '\0';
        driver.is_initialized = false;
        driver.calls = driver.runs = driver.launches = driver.submissions = 0;
        driver.allocations = 0;
        for (size_t i = 0; i < MAX_FUNCTIONS; i++)
            functions[i].calls = 0;
        set_devices();
    } else {
        fprintf(stderr, "emulated CUDA: %s\n", error[0] ? error : "there is no such order");
    }
    driver_unlock();
    return ok ? 0 : -1;
}

uint64_t emulated_cuda_count(const char *what)
{
    uint64_t count = 0;
    driver_lock();
    if (strcmp(what, "call") == 0)
        count = driver.calls;
    else if (strcmp(what, "launch") == 0)
        count = driver.launches;
    else if (strcmp(what, "submission") == 0)
        count = driver.submissions;
    else if (strcmp(what, "run") == 0)
        count = driver.runs;
    else if (strcmp(what, "memory") == 0)
        count = driver_memory_count();
    for (size_t i = 0; i < MAX_FUNCTIONS && functions[i].name; i++)
        count += strcmp(functions[i].name, what) == 0 ? functions[i].calls : 0;
    driver_unlock();
    return count;
}

/* -- faults -- */

static uint64_t count_call(const char *function)
{
    size_t i = 0;
    while (i + 1 < MAX_FUNCTIONS && functions[i].name && functions[i].name != function)
        i++;
    functions[i].name = function;
    return ++functions[i].calls;
}

const MachineFault *driver_fault(const char *word, uint64_t count)
{
    for (int i = 0; i < driver.machine.n_faults; i++) {
        const MachineFault *fault = &driver.machine.faults[i];
        if (fault->at == count && strcmp(fault->what, word) == 0)
            return fault;
    }
    return NULL;
}

const MachineFault *driver_armed(void)
{
    return armed;
}

void driver_arm(const MachineFault *fault)
{
    armed = fault;
}

static CudaResult apply_fault(const MachineFault *fault)
{
    CudaContext current = driver_current();
    if (!fault)
        return CUDA_SUCCESS;
    switch (fault->kind) {
    case MACHINE_FAIL:
        return fault->error;
    case MACHINE_LOSE:
        return driver_lose(current ? current->device : &driver.devices[0], fault->error);
    default:
        armed = fault;
        return CUDA_SUCCESS;
    }
}

static CudaResult check_needs(enum DriverNeeds needs, CudaContext *context)
{
    if (needs >= DRIVER_NEEDS_INIT && !driver.is_initialized)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (needs < DRIVER_NEEDS_CURRENT)
        return CUDA_SUCCESS;
    *context = driver_current();
    if (!*context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if ((*context)->magic != DRIVER_ALIVE)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return needs == DRIVER_NEEDS_CONTEXT ? driver_context_state(*context) : CUDA_SUCCESS;
}

CudaResult driver_begin(const char *function, enum DriverNeeds needs, CudaContext *context)
{
    driver_lock();
    if (!driver.is_configured)
        configure();
    note[0] = '\0';
    armed = NULL;
    const uint64_t count = count_call(function);
    driver.calls++;
    CudaResult result = apply_fault(driver_fault(function, count));
    if (result == CUDA_SUCCESS)
        result = apply_fault(driver_fault("call", driver.calls));
    return result == CUDA_SUCCESS ? check_needs(needs, context) : result;
}

CudaResult driver_end(const char *function, CudaResult result)
{
    armed = NULL;
    driver_log("%s%s -> %d", function, note, (int)result);
    driver_unlock();
    return result;
}

uint64_t driver_random(uint64_t n)
{
    driver.random = driver.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (driver.random >> 33) % n;
}
