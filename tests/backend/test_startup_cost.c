/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What it costs a new process to find out that no backend can be used. The least of several runs
 * counts, since other programs run as well; the figures are printed. */

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "loader_harness.h"

/* A sanitizer makes each fork of the process dear: with one, it is only that all runs. */
#ifdef VMAF_SANITIZED
enum { RUNS = 3, LIMIT_FACTOR = 100 };
#else
enum { RUNS = 20, LIMIT_FACTOR = 1 };
#endif

static double used_by(int who)
{
    struct rusage usage;
    REQUIRE(getrusage(who, &usage) == 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-3;
}

/* Of processor time, since a busy machine lets everybody wait: this process and its helpers. */
static double milliseconds(void)
{
    return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
}

static void ask_all(void *argument)
{
    double *cost = argument;
    double start = milliseconds();
    BackendEntry *entry;
    for (unsigned i = 0; (entry = backend_registry_entry(i)); i++) {
        BackendAvailability availability;
        BackendDeviceList result;
        REQUIRE(backend_entry_enumerate(entry, &result, &availability) < 0);
        REQUIRE(!backend_entry_path(entry) || availability.state == BACKEND_DRIVER_MISSING);
    }
    *cost = milliseconds() - start;
}

static double least_cost(const ChildSettings *settings)
{
    double *cost = shared_memory(sizeof(*cost)), least = 1e9;
    for (int i = 0; i < RUNS; i++) {
        in_child(settings, ask_all, cost);
        if (*cost < least)
            least = *cost;
    }
    return least;
}

CASE(given_no_plugins_then_it_costs_less_than_2_ms)
{
    const char *empty = scratch_path("empty");
    assert_int_equal(mkdir(empty, 0755), 0);
    const ChildSettings settings = {.search_path = empty};
    double cost = least_cost(&settings);
    print_message("no plugins: %.3f ms\n", cost);
    assert_true(cost < 2 * LIMIT_FACTOR);
}

/* Three that lack their vendor's library, and one that has to be loaded and asked. */
CASE(given_four_plugins_without_driver_and_a_warm_cache_then_less_than_20_ms)
{
    const char *directory = scratch_path("four"), *cache = scratch_path("four-cache");
    assert_int_equal(mkdir(directory, 0755), 0);
    assert_int_equal(mkdir(cache, 0700), 0);
    static const char *const names[] = {"cuda", "sycl", "hip"};
    for (size_t i = 0; i < 3; i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/libvmaf-backend-%s.so", directory, names[i]);
        copy_file(HOSTILE_DIR "/libvmaf-backend-novendor.so", path, SIZE_MAX);
    }
    install_plugin(directory, "nodriver");

    const ChildSettings settings = {.search_path = directory, .cache = cache};
    double *cold = shared_memory(sizeof(*cold));
    in_child(&settings, ask_all, cold);
    double warm = least_cost(&settings);
    print_message("four plugins without driver: cold %.3f ms, warm %.3f ms\n", *cold, warm);
    assert_true(warm < 20 * LIMIT_FACTOR);
    assert_true(warm < *cold);
}
