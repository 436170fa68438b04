/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_GATE_H
#define CLI_GATE_H

#include "common/messages.h"

#include <stddef.h>

/*
 * What --require demands of pooled scores, "vmaf.mean>=93,vmaf.p1>=80": if one is not met the
 * program says so by its exit status.
 */

struct Run;

enum { MAX_GATES = 32, GATE_POOL_SIZE = 16 };

enum GateRelation { GATE_AT_LEAST, GATE_ABOVE, GATE_AT_MOST, GATE_BELOW };

typedef struct Gate {
    const char *text; /* as the user wrote it */
    size_t length;
    size_t name_length;        /* of the score's name, with which the text begins */
    char pool[GATE_POOL_SIZE]; /* "mean", "p1" ... */
    enum GateRelation relation;
    double limit;
} Gate;

typedef struct GateList {
    unsigned count;
    Gate items[MAX_GATES];
} GateList;

/* Adds those of a list, which is kept. 0; -EINVAL, and says why. */
int gates_parse(GateList *gates, const char *text, Message *why);

/* Before the first frame: refuses names of scores that there will not be, and lists those that
 * there will. Returns the exit status. */
int gates_check(struct Run *run);

/* After the last one: a line for each that is not met, and the exit status. */
int gates_judge(const struct Run *run);

#endif
