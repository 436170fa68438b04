/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_PROCESSORS_H
#define VMAF_PLATFORM_PROCESSORS_H

/* Processors of this machine that run; at least 1. */
unsigned vmaf_processors_online(void);

/*
 * Cores that this process may keep busy: those of its affinity mask, cut down to the quota of its
 * control groups (containers), version 1 or 2. At least 1.
 */
unsigned vmaf_processors_usable(void);

/*
 * Cores that control groups grant, rounded up; 0 if they do not limit. `mount` is where the
 * hierarchies are mounted, `membership` a file in the format of /proc/self/cgroup.
 */
unsigned vmaf_processors_cgroup_quota(const char *mount, const char *membership);

#endif
