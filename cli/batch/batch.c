/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf batch: workers, each of which takes a line of the list, scores it, and prints the result. */
#include "batch.h"

#include "common/messages.h"
#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/machine.h"
#include "platform/process.h"
#include "platform/thread.h"

enum { LOOK_MS = 100 }; /* how often somebody looks whether the batch is to end */

/* Set by Ctrl-C; signals need something that is always there. */
static atomic_bool interrupted;

typedef struct Batch {
    BatchOptions options;
    atomic_bool stop; /* no line is begun any more, and runs end */
    atomic_bool driver_hangs;
    RunHost host;

    VmafMutex list_lock; /* of what follows, down to the next lock */
    BatchList list;
    bool list_ended;
    OutputGuard guard; /* of the files of all lines so far */

    VmafMutex lock; /* of what follows, and of standard output */
    VmafCondition changed;
    unsigned n_workers; /* that are at work */
    bool any_failed;
    bool has_no_output; /* nobody reads results, or they cannot be written */
} Batch;

/* A line, and what is to be done for it. */
typedef struct Job {
    unsigned long long number;
    char subject[32]; /* what messages begin with */
    BatchLine line;
    Options options;
    int err; /* there is nothing to be done; 0: there is */
    Message why;
} Job;

/* -- lines -- */

static int understand(Batch *batch, Job *job, const char *text, size_t length)
{
    int err = batch_line_parse(&job->line, text, length, &job->why);
    if (!err)
        err = line_options_make(&job->options, &batch->options, &job->line, &job->why);
    char label[48];
    snprintf(label, sizeof(label), "what line %llu writes", job->number);
    return err ? err : outputs_guard(&batch->guard, &job->options, label, &job->why);
}

/* With the lock of the list. False: there are no more. */
static bool take_line(Batch *batch, Job *job)
{
    const char *text;
    size_t length;
    *job = (Job){.number = 0};
    if (batch->list_ended || atomic_load(&batch->stop))
        return false;
    const int status = batch_list_next(&batch->list, &text, &length);
    if (status <= 0 && status != -EMSGSIZE) {
        batch->list_ended = true;
        job->err = status == -ECANCELED ? 0 : status;
        return false;
    }
    job->number = batch->list.line;
    snprintf(job->subject, sizeof(job->subject), "line %llu", job->number);
    job->err = status < 0 ? message_set(&job->why, -EINVAL, "the line has more than %d bytes",
                                        BATCH_LINE_MAX)
                          : understand(batch, job, text, length);
    return true;
}

static void fail(Batch *batch)
{
    vmaf_mutex_lock(&batch->lock);
    batch->any_failed = true;
    vmaf_mutex_unlock(&batch->lock);
}

static bool next_job(Batch *batch, Job *job)
{
    vmaf_mutex_lock(&batch->list_lock);
    const bool found = take_line(batch, job);
    vmaf_mutex_unlock(&batch->list_lock);
    if (!found && job->err) {
        print_error("%s: the list cannot be read: %s", batch->options.list, strerror(-job->err));
        fail(batch);
    }
    return found;
}

static void job_free(Job *job)
{
    command_line_free(&job->options);
    batch_line_free(&job->line);
}

/* -- results -- */

/* What became of a line of the list. */
typedef struct BatchResult {
    unsigned long long line;    /* its number */
    int status;                 /* exit status of a run of its own */
    const char *output;         /* as in the line; NULL: there is none */
    const char *pooled_metrics; /* JSON; NULL: there are none */
    const char *error;          /* NULL: all went well */
} BatchResult;

/* Prints it as a line of JSON and flushes it. 0; -EIO. */
static int print_result(const BatchResult *result)
{
    printf("{\"line\":%llu,\"status\":%d,\"output\":", result->line, result->status);
    json_string_print(stdout, result->output);
    printf(",\"pooled_metrics\":%s,\"error\":",
           result->pooled_metrics ? result->pooled_metrics : "null");
    json_string_print(stdout, result->error);
    puts("}");
    return fflush(stdout) || ferror(stdout) ? -EIO : 0;
}

static void report_result(Batch *batch, const BatchResult *result)
{
    vmaf_mutex_lock(&batch->lock);
    batch->any_failed |= result->status != STATUS_OK;
    if (!batch->has_no_output && print_result(result)) {
        batch->has_no_output = true;
        atomic_store(&batch->stop, true);
    }
    vmaf_mutex_unlock(&batch->lock);
}

static void do_job(Batch *batch, const Job *job)
{
    RunOutcome outcome = {.error = job->why};
    BatchResult result = {.line = job->number, .output = job->line.output};
    print_about(job->subject);
    if (job->err) {
        print_error("%s", job->why.text);
        result.status = job->err == -ENOMEM ? STATUS_FAILURE : STATUS_USAGE;
    } else {
        open_devices_enter(batch->host.devices);
        result.status = run(&job->options, &batch->host, &outcome);
        open_devices_leave(batch->host.devices);
    }
    print_about(NULL);
    result.pooled_metrics = outcome.pooled_metrics;
    result.error = result.status ? outcome.error.text : NULL;
    report_result(batch, &result);
    free(outcome.pooled_metrics);
}

/* -- workers -- */

static void *work(void *argument)
{
    Batch *batch = argument;
    Job *job = malloc(sizeof(*job));
    vmaf_thread_set_name("vmaf-batch");
    while (job && next_job(batch, job)) {
        do_job(batch, job);
        job_free(job);
    }
    if (!job) {
        print_error("out of memory");
        fail(batch);
    }
    free(job);
    vmaf_mutex_lock(&batch->lock);
    batch->n_workers--;
    vmaf_condition_signal(&batch->changed);
    vmaf_mutex_unlock(&batch->lock);
    return NULL;
}

/* Returns how many there are: fewer than were asked for have to do. */
static unsigned start_workers(Batch *batch, VmafThread threads[])
{
    unsigned n = 0;
    int err = 0;
    vmaf_mutex_lock(&batch->lock);
    while (n < batch->options.jobs && !err) {
        err = vmaf_thread_start(&threads[n], work, batch);
        n += !err;
    }
    batch->n_workers = n;
    vmaf_mutex_unlock(&batch->lock);
    if (!n)
        print_error("problem starting to score: %s", strerror(-err));
    return n;
}

static void wait_for_workers(Batch *batch)
{
    vmaf_mutex_lock(&batch->lock);
    while (batch->n_workers) {
        vmaf_condition_wait_until(&batch->changed, &batch->lock, vmaf_deadline_after(LOOK_MS));
        if (atomic_load(&interrupted))
            atomic_store(&batch->stop, true);
        if (atomic_load(&batch->stop))
            vmaf_input_interrupt(&batch->list.input);
    }
    vmaf_mutex_unlock(&batch->lock);
}

/* -- the batch -- */

static int prepare(Batch *batch)
{
    const unsigned cores = vmaf_processors_usable(), share = cores / batch->options.jobs;
    vmaf_mutex_init(&batch->list_lock);
    vmaf_mutex_init(&batch->lock);
    vmaf_condition_init(&batch->changed);
    batch->host = (RunHost){
        .n_processors = share ? share : 1,
        .stop = &batch->stop,
        .driver_hangs = &batch->driver_hangs,
    };
    int err = batch_list_open(&batch->list, batch->options.list);
    if (err) {
        print_error("could not open file: %s (%s)", batch->options.list, strerror(-err));
        return STATUS_FAILURE;
    }
    Message why;
    err = output_guard_read(&batch->guard, batch->options.list, "the list", &why);
    if (!err)
        err = output_guard_trace(&batch->guard, &why);
    if (err) {
        print_error("%s", why.text);
        return STATUS_FAILURE;
    }
    err = model_store_create(&batch->host.models);
    if (!err)
        err = open_devices_create(&batch->host.devices);
    if (err)
        print_error("out of memory");
    return err ? STATUS_FAILURE : STATUS_OK;
}

static int score(Batch *batch)
{
    VmafThread *threads = calloc(batch->options.jobs, sizeof(*threads));
    if (!threads) {
        print_error("out of memory");
        return STATUS_FAILURE;
    }
    vmaf_process_outlive_readers();
    vmaf_interrupts_note(&interrupted);
    const unsigned n = start_workers(batch, threads);
    wait_for_workers(batch);
    for (unsigned i = 0; i < n; i++)
        vmaf_thread_join(threads[i]);
    free(threads);
    if (batch->has_no_output)
        print_error("could not write to standard output");
    if (atomic_load(&interrupted)) {
        print_error("interrupted");
        return STATUS_INTERRUPTED;
    }
    return !n || batch->any_failed || batch->has_no_output ? STATUS_FAILURE : STATUS_OK;
}

int batch(int argc, char **argv)
{
    Batch state = {.options = {0}};
    int status;
    if (!batch_options_parse(&state.options, argc, argv, &status))
        return status;
    status = prepare(&state);
    if (!status)
        status = score(&state);
    if (atomic_load(&state.driver_hangs)) {
        fflush(NULL);
        _Exit(status);
    }
    open_devices_destroy(state.host.devices);
    model_store_destroy(state.host.models);
    output_guard_free(&state.guard);
    batch_list_close(&state.list);
    return status;
}
