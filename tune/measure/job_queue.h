/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_JOB_QUEUE_H
#define TUNE_MEASURE_JOB_QUEUE_H

/* Jobs that are done by some threads, and come back as they are finished. For one thread that
 * submits and waits. */

#include <stddef.h>

typedef struct JobQueue JobQueue;

/* `work` is called on the queue's threads. 0; -ENOMEM; -EAGAIN. */
int job_queue_create(JobQueue **queue, int n_threads, void (*work)(void *cookie, void *job),
                     void *cookie);
/* Waits for all jobs. NULL is allowed. */
void job_queue_destroy(JobQueue *queue);

/* 0; -ENOMEM. */
int job_queue_submit(JobQueue *queue, void *job);

/* A job that is finished. NULL: none is yet, `limit_ms` later, or none was submitted. */
void *job_queue_wait(JobQueue *queue, unsigned limit_ms);

/* Jobs that did not come back yet. */
size_t job_queue_pending(const JobQueue *queue);

#endif
