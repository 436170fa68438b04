/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_WORDS_H
#define TESTS_EMULATION_METAL_WORDS_H

#include <string.h>

#include "fixture.h"

/* Three buffers, between which the tests of the order of work copy. */

static Id src, middle, dst; /* 8 words each: 100 and on, 0 and on, 0 and on */

static inline void make_words(NSUInteger options)
{
    src = fixture_words(8, 100);
    middle = metal_new_buffer(fixture_device, 32, SHARED | options);
    dst = metal_new_buffer(fixture_device, 32, SHARED | options);
    memset(metal_contents(middle), 0, 32);
    memset(metal_contents(dst), 0, 32);
}

static inline void drop_words(void)
{
    metal_release(src);
    metal_release(middle);
    metal_release(dst);
}

static inline void start_again(const char *machine, const char *order)
{
    fixture_tear_down(NULL);
    fixture_start(machine, order);
}

/* A command buffer, committed, that copies all words. */
static inline Id committed_copy(Id queue, Id from, Id to)
{
    const Id commands = metal_command_buffer(queue);
    commit_shift(commands, from, to, 0, 1);
    metal_commit(commands);
    return commands;
}

#endif
