/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "simd_check/simd_check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/cases.h"

/* SIMD_CHECKS is one CHECK(metric) for each file check_<metric>.c. */
#define CHECK(metric) extern const SimdCheck check_##metric;
SIMD_CHECKS
#undef CHECK

#define CHECK(metric) &check_##metric,
static const SimdCheck *const checks[] = {SIMD_CHECKS};
#undef CHECK

enum { N_CHECKS = sizeof(checks) / sizeof(checks[0]), MAX_MESSAGES = 20 };

static const SimdFlagSet *current_set;
static const SimdCheck *current_check;
static char current_case[256];
static unsigned n_comparisons, n_failures;

/* -- comparison -- */

void simd_case(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(current_case, sizeof(current_case), format, args);
    va_end(args);
}

static bool note_failure(void)
{
    if (n_failures++ >= MAX_MESSAGES)
        return false;
    printf("%s %s: %s: ", current_set->name, current_check->name, current_case);
    return true;
}

void simd_expect_equal(const void *expected, const void *actual, size_t size)
{
    const uint8_t *e = expected, *a = actual;
    n_comparisons++;
    if (memcmp(e, a, size) == 0)
        return;
    size_t i = 0;
    while (e[i] == a[i])
        i++;
    if (note_failure())
        printf("byte %zu of %zu is 0x%02x, not 0x%02x\n", i, size, a[i], e[i]);
}

void simd_expect_equal_u64(uint64_t expected, uint64_t actual)
{
    n_comparisons++;
    if (expected != actual && note_failure())
        printf("is %lld, not %lld\n", (long long)actual, (long long)expected);
}

/* A kernel that leaves its buffers ends here: says which one, then dies of it. */
static void on_bad_access(int signal_number)
{
    static const char what[] = ": access outside of a buffer\n";
    const char *parts[] = {current_set->name, " ", current_check->name, ": ", current_case, what};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (write(STDOUT_FILENO, parts[i], strlen(parts[i])) < 0)
            break;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void compare(void)
{
    const unsigned comparisons_before = n_comparisons, failures_before = n_failures;
    current_check->compare(current_set->flags);
    simd_free_buffers();
    printf("%-10s %-10s %7u comparisons, %u failed\n", current_set->name, current_check->name,
           n_comparisons - comparisons_before, n_failures - failures_before);
}

/* -- measurement -- */

enum { MAX_KERNELS = 64, ROUNDS = 15 };
static const double round_seconds = 2e-3;

typedef struct Measurement {
    const char *kernel;
    double ns_per_pixel;
} Measurement;

static Measurement baseline[MAX_KERNELS];
static unsigned n_baseline;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_calls(void (*call)(void *), void *argument, unsigned n)
{
    const double start = seconds();
    for (unsigned i = 0; i < n; i++)
        call(argument);
    return seconds() - start;
}

void simd_measure(const char *kernel, unsigned pixels, void (*call)(void *), void *argument)
{
    unsigned calls = 1;
    while (calls < 1u << 30 && time_calls(call, argument, calls) < round_seconds)
        calls *= 2;
    /* Whatever else the machine does can only add time. */
    double best = time_calls(call, argument, calls);
    for (int i = 0; i < ROUNDS; i++) {
        double time = time_calls(call, argument, calls);
        best = time < best ? time : best;
    }
    const double ns = best / calls / pixels * 1e9;

    if (current_set->flags == 0 && n_baseline < MAX_KERNELS)
        baseline[n_baseline++] = (Measurement){kernel, ns};
    printf("%-10s %-10s %-32s %8.3f ns/pixel", current_set->name, current_check->name, kernel, ns);
    for (unsigned i = 0; i < n_baseline; i++)
        if (current_set->flags && strcmp(baseline[i].kernel, kernel) == 0)
            printf(" %6.2f x", baseline[i].ns_per_pixel / ns);
    printf("\n");
}

static void measure(void)
{
    if (current_set->flags == 0)
        n_baseline = 0;
    current_check->measure(current_set->flags);
    simd_free_buffers();
}

/* -- main -- */

int main(int argc, char *argv[])
{
    const bool bench = take_argument(&argc, &argv, "--bench");
    select_cases(argc, argv);
    signal(SIGSEGV, on_bad_access);
#ifdef SIGBUS
    signal(SIGBUS, on_bad_access);
#endif
    setvbuf(stdout, NULL, _IOLBF, 0);

    for (const SimdFlagSet *set = simd_flag_sets; set->name; set++)
        if (!simd_is_available(set))
            printf("%-10s skipped: this processor does not have it\n", set->name);
    for (int i = 0; i < N_CHECKS; i++) {
        current_check = checks[i];
        if (!case_is_selected(current_check->name))
            continue;
        for (current_set = simd_flag_sets; current_set->name; current_set++) {
            if (!simd_is_available(current_set))
                continue;
            if (bench)
                measure();
            else
                compare();
        }
    }
    return end_cases(n_failures > 0);
}
