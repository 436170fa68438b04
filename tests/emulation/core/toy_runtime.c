/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "toy_runtime.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "machine_fixture.h"

int toy_forgotten, toy_set_up, toy_lost;
int toy_armed;
void (*toy_during_work)(void);

char toy_ran[64];
unsigned toy_is_signalled;

int toyOpen(void)
{
    const int result = machine_begin(__func__);
    return machine_end(__func__, result);
}

int toyWork(void)
{
    const int result = machine_begin(__func__);
    toy_armed = machine_armed() ? (int)machine_armed()->kind : -1;
    machine_note(" size=%d", 8);
    if (toy_during_work)
        toy_during_work();
    return machine_end(__func__, result);
}

int toyOuter(void)
{
    int result = machine_begin(__func__);
    if (result == 0)
        result = toyWork();
    return machine_end(__func__, result);
}

static bool read_colour(MachineReader *reader)
{
    return machine_read_int(reader, reader->words[1], &reader->device->own[TOY_COLOUR]);
}

/* The common word takes any number. */
static bool read_driver(MachineReader *reader)
{
    int version;
    if (!machine_read_int(reader, reader->words[1], &version))
        return false;
    reader->machine->driver = version;
    return version < 1000 || machine_refuse(reader, "version %d is none of toys", version);
}

static bool is_function(const char *word)
{
    return strcmp(word, "toyOpen") == 0 || strcmp(word, "toyWork") == 0 ||
           strcmp(word, "toyOuter") == 0;
}

static void set_default(MachineDevice *device, int index)
{
    snprintf(device->name, sizeof(device->name), "Toy %d", index);
}

/* -- tasks -- */

static const ToyTask *toy_of(const Task *task)
{
    return (const ToyTask *)task;
}

static bool waits_for(const Task *later, const Task *earlier)
{
    return toy_of(later)->is_in_order || toy_of(earlier)->is_in_order;
}

static bool is_open(const Task *task)
{
    const unsigned awaited = toy_of(task)->awaits;
    return awaited == 0 || (toy_is_signalled & 1u << awaited);
}

static bool opens(const Task *task, const Task *waiting)
{
    return toy_of(task)->signals != 0 && toy_of(task)->signals == toy_of(waiting)->awaits;
}

static void run(Task *task)
{
    ToyTask *toy = (ToyTask *)task;
    const size_t length = strlen(toy_ran);
    toy_ran[length] = task->fate == TASK_FAILS ? (char)tolower(toy->name) : toy->name;
    toy_ran[length + 1] = '\0';
    if (toy->parts-- > 1)
        return;
    toy_is_signalled |= toy->signals ? 1u << toy->signals : 0;
    schedule_take_out(task);
    free(toy);
}

const ScheduleRules schedule_rules = {waits_for, is_open, opens, run};

void toy_submit(TaskQueue *queue, ToyTask task)
{
    ToyTask *added = malloc(sizeof(*added));
    *added = task;
    if (schedule_submit(queue, &added->task, schedule_fault(true)))
        schedule_progress();
}

static void drop_work(DeviceState *device)
{
    for (Task *task = schedule_next(NULL), *next; task; task = next) {
        next = schedule_next(task);
        if (device && task->queue->device != device)
            continue;
        schedule_take_out(task);
        free(task);
    }
}

/* -- the runtime -- */

static void forget(void)
{
    drop_work(NULL);
    toy_ran[0] = '\0';
    toy_is_signalled = 0;
    toy_forgotten++;
}

static void set_up(void)
{
    toy_set_up++;
}

static int lose(int error)
{
    toy_lost = error;
    return error;
}

static const MachineError errors[] = {{TOY_BAD, "TOY_BAD", "it is bad"},
                                      {TOY_NEGATIVE, "TOY_NEGATIVE", "it is below zero"}};
static const MachineWord words[] = {{"colour", 1, 1, read_colour}, {"driver", 1, 1, read_driver}};

const MachineRuntime machine_runtime = {
    .name = "Toy",
    .variable = "VMAF_EMULATED_TOY",
    .driver = TOY_DRIVER,
    .errors = errors,
    .n_errors = sizeof(errors) / sizeof(errors[0]),
    .unknown_error = TOY_UNKNOWN,
    .words = words,
    .n_words = sizeof(words) / sizeof(words[0]),
    .is_function = is_function,
    .set_default = set_default,
    .forget = forget,
    .set_up = set_up,
    .drop_work = drop_work,
    .lose = lose,
};

/* -- the machine of a test -- */

void fixture_start(const char *machine, const char *order)
{
    guarded_free_all(NULL);
    toy_during_work = NULL;
    toy_lost = 0;
    assert_int_equal(machine_configure(machine, order), 0);
}

int fixture_tear_down(void **state)
{
    return machine_configure(NULL, "late");
}
