/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef ENGINE_CPU_WORKERS_H
#define ENGINE_CPU_WORKERS_H

/*
 * Workers of the CPU that several queues share, each of which has a seat in the team.
 *
 * A worker claims a unit of a frame of one seat, and the same unit of the same reference picture of
 * all other seats that still offer it: a batch. What depends on the reference alone is done once
 * for a batch. Batches only save time: what a seat gets is what it would get alone, and what a
 * backend has claimed for one seat is done for the others without it.
 */

#include "engine/frame_queue.h"

typedef struct CpuTeam CpuTeam;
typedef struct TeamSeat TeamSeat;

/* With n_threads = 0 the work is done by cpu_team_run and cpu_team_help. 0, -ENOMEM. */
int cpu_team_create(CpuTeam **team, unsigned n_threads);
/* Waits for the workers to finish what they are at; all frames of all seats are retired. The team
 * ends when the last seat is left, too. NULL allowed. */
void cpu_team_release(CpuTeam *team);

/* Takes those requests of a queue. Work list and queue outlive the seat. Starts the threads when it
 * is the first. 0, -ENOMEM. */
int cpu_team_join(CpuTeam *team, TeamSeat **seat, const WorkList *work, FrameQueue *queue,
                  const RequestMask *requests, unsigned cpu_flags);
/* After the team was released, or before anything was submitted to the queue. NULL allowed. */
void cpu_team_leave(TeamSeat *seat);

/* Between these nothing is claimed, so that one frame can be submitted to several queues. */
void cpu_team_hold(CpuTeam *team);
void cpu_team_resume(CpuTeam *team);

/* Without threads: does everything that the queues of all seats offer, on the calling thread,
 * except what the seats were told to leave. */
void cpu_team_run(const TeamSeat *seat);
void cpu_team_leave_alone(TeamSeat *seat, const RequestMask *requests);
/* Without threads: does everything that one frame of the seat offers; false if there is none. */
bool cpu_team_help(TeamSeat *seat);

/* Units of frames that were done together with those of other seats: for tests. */
uint64_t cpu_team_shared_count(CpuTeam *team);

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
