/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "poll_wait.h"

#include <errno.h>

#include "platform/time.h"

static const uint64_t SHORTEST_PAUSE_NS = 10000, LONGEST_PAUSE_NS = 1000000;

static uint64_t pause_after(uint64_t waited_ns)
{
    const uint64_t pause = waited_ns / 8;
    return pause < SHORTEST_PAUSE_NS  ? SHORTEST_PAUSE_NS
           : pause > LONGEST_PAUSE_NS ? LONGEST_PAUSE_NS
                                      : pause;
}

int vmaf_poll_wait(int (*ask)(void *cookie), void *cookie, uint64_t timeout_ns)
{
    const int64_t begin = vmaf_steady_ns();
    for (;;) {
        const int answer = ask(cookie);
        if (answer != -EAGAIN)
            return answer;
        const uint64_t waited = (uint64_t)(vmaf_steady_ns() - begin);
        if (waited >= timeout_ns)
            return -ETIMEDOUT;
        const uint64_t pause = pause_after(waited), left = timeout_ns - waited;
        vmaf_sleep_ns(pause < left ? pause : left);
    }
}
