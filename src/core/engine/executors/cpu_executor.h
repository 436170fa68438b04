/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_EXECUTORS_CPU_EXECUTOR_H
#define CORE_ENGINE_EXECUTORS_CPU_EXECUTOR_H

#include "engine/executors/cpu_team.h"

/* Accumulates on the CPU: with worker threads, each at a unit of a frame or at bands of one; or on
 * the threads of callers; or with those of a team. */
typedef struct CpuExecutor CpuExecutor;

/* Starts n_threads workers that take those requests; with 0 the work is done by cpu_executor_run
 * and cpu_executor_help. Work list and queue must outlive the executor. 0, -ENOMEM. */
int cpu_executor_create(CpuExecutor **executor, const WorkList *work, FrameQueue *queue,
                        const RequestMask *requests, unsigned n_threads);
/* The same with the workers of a team. */
int cpu_executor_create_in_team(CpuExecutor **executor, const WorkList *work, FrameQueue *queue,
                                const RequestMask *requests, CpuTeam *team, unsigned cpu_flags);
/* Does everything that the queue offers except these requests, on the calling thread. Only without
 * workers. */
void cpu_executor_run(CpuExecutor *executor, const RequestMask *except);
/* In a team: leaves these requests to others from now on. */
void cpu_executor_leave_alone(CpuExecutor *executor, const RequestMask *requests);
/* Does everything that one frame offers; false if there is none. Only without workers. */
bool cpu_executor_help(CpuExecutor *executor);
/* Stops the queue and waits for the workers to finish what they are at. NULL allowed. */
void cpu_executor_destroy(CpuExecutor *executor);

#endif
