/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_CPU_WORKERS_H
#define CORE_ENGINE_CPU_WORKERS_H

/*
 * Workers of the CPU: pools of threads, and the queues that they serve, their clients.
 *
 * A context that is alone has a pool of its own, whose workers take units of frames, or bands of
 * their rows, as the queue gives them out. In a pool that several clients share, a worker claims a
 * unit of a frame of one client, and the same unit of the same reference picture of all others that
 * still offer it: a batch. What depends on the reference alone is done once for a batch. Batches
 * only save time: what a client gets is what it would get alone, and what a backend has claimed for
 * one client is done for the others without it.
 */

#include "engine/frame_queue.h"

typedef struct CpuPool CpuPool;
typedef struct CpuClient CpuClient;

/* ---- pools that are shared ---- */

/* With n_threads = 0 the work is done by cpu_client_run and cpu_client_help. 0, -ENOMEM. */
int cpu_pool_create(CpuPool **pool, unsigned n_threads);
/* Waits for the workers to finish what they are at; all frames of all clients are retired. The pool
 * ends when the last client is gone, too. NULL allowed. */
void cpu_pool_release(CpuPool *pool);
/* Between these nothing is claimed, so that one frame can be submitted to several queues. */
void cpu_pool_hold(CpuPool *pool);
void cpu_pool_resume(CpuPool *pool);
/* Units of frames that were done together with those of other clients: for tests. */
uint64_t cpu_pool_shared_count(CpuPool *pool);

/* ---- clients ---- */

/* Takes those requests of a queue. Work list and queue outlive the client. Starts the threads of
 * the pool when it is the first. 0, -ENOMEM. */
int cpu_client_join(CpuClient **client, CpuPool *pool, const WorkList *work, FrameQueue *queue,
                    const RequestMask *requests, unsigned cpu_flags);
/* The same with a pool of its own. */
int cpu_client_create(CpuClient **client, const WorkList *work, FrameQueue *queue,
                      const RequestMask *requests, unsigned n_threads);
/* Stops the queue, and waits for workers of its own to finish what they are at. A pool that is
 * shared was released before, or nothing was submitted to the queue. NULL allowed. */
void cpu_client_destroy(CpuClient *client);

/* Without threads: does everything that the queues of all clients of the pool offer, on the calling
 * thread, except these requests of this client, and what others leave alone. */
void cpu_client_run(CpuClient *client, const RequestMask *except);
/* Without threads: leaves these requests to others from now on. */
void cpu_client_leave_alone(CpuClient *client, const RequestMask *requests);
/* Without threads: does everything that one frame of the client offers; false if there is none. */
bool cpu_client_help(CpuClient *client);

#endif
