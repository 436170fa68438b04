/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How systems with kqueue wait for a child. Neither macOS nor FreeBSD can wait for SIGCHLD: the
 * first lacks sigtimedwait, the second discards signals that nobody handles, blocked or not. */
#include <sys/types.h> /* before the next one */

#include <sys/event.h>
#include <time.h>
#include <unistd.h>

#include "platform/posix/system.h"
#include "platform/time.h"

enum { NS_PER_MS = 1000000 };

void vmaf_system_wait_for_child(pid_t process, int64_t milliseconds)
{
    const struct timespec time = {.tv_sec = (time_t)(milliseconds / 1000),
                                  .tv_nsec = (long)(milliseconds % 1000 * NS_PER_MS)};
    const int queue = kqueue();
    struct kevent end, event;
    EV_SET(&end, (uintptr_t)process, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT, 0, NULL);
    const int events = queue < 0 ? -1 : kevent(queue, &end, 1, &event, 1, &time);
    if (events < 0 || (events > 0 && (event.flags & EV_ERROR))) /* ESRCH: it is ending now */
        vmaf_sleep_ns(NS_PER_MS);
    if (queue >= 0)
        close(queue);
}
