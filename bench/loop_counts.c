/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * How often each instruction of this program, the library in it, is executed for one frame, or how
 * much of the time is spent there: for port_limits.py. Needs neither counters of the processor nor
 * valgrind, which does not know all vectors. Linux, x86-64.
 *
 *     vmaf-loop-counts count SUBJECT CPUMASK WIDTH HEIGHT
 *     vmaf-loop-counts sample SUBJECT CPUMASK WIDTH HEIGHT FRAMES ROUNDS
 *
 * `count` goes through one frame step by step, which takes most of a minute per million
 * instructions, and prints lines "executed ADDRESS TIMES", with addresses as the file has them.
 * `sample` looks up to 20000 times per second where the program is, for so many frames in each
 * round, and prints "clock GHZ", "cpu MILLISECONDS-PER-FRAME" of the quietest round without that,
 * "samples NUMBER", and lines "sampled ADDRESS TIMES".
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern const char __executable_start[], etext[];

enum { WARM_FRAMES = 3, SAMPLE_NS = 50000, RING_PAGES = 64, CLOCK_ROUNDS = 7 };

typedef struct Counts {
    size_t n; /* bytes of code */
    uint32_t *times;
    uint64_t n_samples;
} Counts;

static int fail(const char *what)
{
    perror(what);
    return -1;
}

/* ---- The clock ---- */

/* Each multiplication waits 3 cycles for the one before. */
static double measure_clock(void)
{
    enum { ROUNDS = 2000000, CHAIN = 10, CYCLES = 3 };
    double best = 0;
    for (int round = 0; round < CLOCK_ROUNDS; round++) {
        uint64_t x = 3, n = ROUNDS;
        const double begin = bench_cpu_ms();
        __asm__ volatile("1: imul %0, %0; imul %0, %0; imul %0, %0; imul %0, %0; imul %0, %0;"
                         "imul %0, %0; imul %0, %0; imul %0, %0; imul %0, %0; imul %0, %0;"
                         "dec %1; jnz 1b"
                         : "+r"(x), "+r"(n));
        const double ghz = (double)ROUNDS * CHAIN * CYCLES / (bench_cpu_ms() - begin) * 1e-6;
        best = ghz > best ? ghz : best;
    }
    return best;
}

/* ---- Executed instructions ---- */

/* The frames before the one that is stepped through, which is between two stops. */
static int run_traced(const BenchSubject *subject, const BenchClips *clips)
{
    BenchContext c;
    int err = bench_context_open(&c, subject);
    if (!err)
        err = bench_clips_feed(clips, c.context, 0, WARM_FRAMES);
    if (err || ptrace(PTRACE_TRACEME, 0, 0, 0))
        return 1;
    raise(SIGSTOP);
    err = bench_clips_feed(clips, c.context, WARM_FRAMES, WARM_FRAMES + 1);
    raise(SIGSTOP);
    return err != 0;
}

/* 1 while the frame goes on, 0 after it, -1 for an error. */
static int step(pid_t pid)
{
    int status;
    if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) || waitpid(pid, &status, 0) != pid)
        return fail("step");
    if (!WIFSTOPPED(status))
        return -1;
    return WSTOPSIG(status) == SIGTRAP;
}

static int count_steps(const BenchSubject *subject, const BenchClips *clips, Counts *counts)
{
    const pid_t pid = fork();
    if (pid < 0)
        return fail("fork");
    if (!pid)
        _exit(run_traced(subject, clips));
    int status, going = -1;
    if (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
        going = 1;
    while (going > 0 && (going = step(pid)) > 0) {
        const size_t at =
            (size_t)ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user_regs_struct, rip), 0) -
            (size_t)(uintptr_t)__executable_start;
        if (at < counts->n)
            counts->times[at]++;
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return going;
}

/* ---- Where the time goes ---- */

typedef struct Sampler {
    int file;
    struct perf_event_mmap_page *ring;
    uint64_t taken; /* bytes */
} Sampler;

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int sampler_start(Sampler *sampler)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = SAMPLE_NS,
        .sample_type = PERF_SAMPLE_IP,
        .exclude_kernel = 1,
    };
    sampler->taken = 0;
    sampler->file = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (sampler->file < 0)
        return fail("perf_event_open");
    sampler->ring = mmap(NULL, (RING_PAGES + 1) * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
                         sampler->file, 0);
    return sampler->ring == MAP_FAILED ? fail("mmap") : 0;
}

static void sampler_end(Sampler *sampler)
{
    munmap(sampler->ring, (RING_PAGES + 1) * page_size());
    close(sampler->file);
}

static void copy_out(const Sampler *sampler, uint64_t at, void *to, size_t size)
{
    const size_t ring = RING_PAGES * page_size();
    const char *data = (const char *)sampler->ring + page_size();
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = data[(at + i) % ring];
}

static void sampler_take(Sampler *sampler, Counts *counts)
{
    const uint64_t head = __atomic_load_n(&sampler->ring->data_head, __ATOMIC_ACQUIRE);
    while (sampler->taken < head) {
        struct {
            struct perf_event_header header;
            uint64_t address;
        } event;
        copy_out(sampler, sampler->taken, &event, sizeof(event));
        sampler->taken += event.header.size;
        if (event.header.type != PERF_RECORD_SAMPLE)
            continue;
        counts->n_samples++;
        const size_t at = (size_t)event.address - (size_t)(uintptr_t)__executable_start;
        if (at < counts->n)
            counts->times[at]++;
    }
    __atomic_store_n(&sampler->ring->data_tail, sampler->taken, __ATOMIC_RELEASE);
}

/* Returns 0 and the processor time of a frame; of frames that are not sampled, since that alone
 * may take as long as the frame. */
static int run_round(const BenchSubject *subject, const BenchClips *clips, Counts *counts,
                     double *ms)
{
    Sampler sampler;
    BenchContext c;
    int err = bench_context_open(&c, subject);
    if (err)
        return err;
    unsigned next = WARM_FRAMES;
    err = bench_clips_feed(clips, c.context, 0, next);
    const double begin = bench_cpu_ms();
    if (!err)
        err = bench_clips_feed(clips, c.context, next, next + subject->frames);
    *ms = (bench_cpu_ms() - begin) / subject->frames;
    next += subject->frames;
    if (!err)
        err = sampler_start(&sampler);
    if (err) {
        bench_context_close(&c);
        return err;
    }
    for (unsigned i = 0; i < subject->frames && !err; i++) {
        err = bench_clips_feed(clips, c.context, next + i, next + i + 1);
        sampler_take(&sampler, counts);
    }
    sampler_end(&sampler);
    bench_context_close(&c);
    return err;
}

/* All samples, and the time of the quietest round. */
static int sample(const BenchSubject *subject, const BenchClips *clips, Counts *counts, double *ms)
{
    int err = 0;
    for (unsigned round = 0; round < subject->runs && !err; round++) {
        double cpu = 0;
        err = run_round(subject, clips, counts, &cpu);
        if (!round || cpu < *ms)
            *ms = cpu;
    }
    return err;
}

/* ---- All of it ---- */

static void print_counts(const Counts *counts, const char *what)
{
    for (size_t i = 0; i < counts->n; i++) {
        if (counts->times[i])
            printf("%s %zx %" PRIu32 "\n", what, i, counts->times[i]);
    }
}

static int print_samples(const BenchSubject *subject, const BenchClips *clips, Counts *counts)
{
    double ms = 0;
    const double before = measure_clock();
    const int err = sample(subject, clips, counts, &ms);
    const double after = measure_clock();
    if (!err)
        printf("clock %.3f\ncpu %.4f\nsamples %" PRIu64 "\n", before > after ? before : after, ms,
               counts->n_samples);
    return err;
}

static int measure(const BenchSubject *subject, const BenchClips *clips)
{
    Counts counts = {.n = (size_t)(etext - __executable_start)};
    counts.times = calloc(counts.n, sizeof(*counts.times));
    if (!counts.times)
        return -ENOMEM;
    const int err = subject->frames ? print_samples(subject, clips, &counts)
                                    : count_steps(subject, clips, &counts);
    if (!err)
        print_counts(&counts, subject->frames ? "sampled" : "executed");
    free(counts.times);
    return err;
}

static bool read_numbers(char **texts, int n, long numbers[])
{
    static const long most[] = {255, 8192, 8192, 1000000, 10000}, least[] = {0, 16, 16, 1, 1};
    for (int i = 0; i < n; i++) {
        if (argument_number(texts[i], least[i], most[i], &numbers[i]))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    long numbers[5] = {0}; /* mask, width, height, frames, rounds */
    const bool counts = argc == 6 && !strcmp(argv[1], "count");
    const bool samples = argc == 8 && !strcmp(argv[1], "sample");
    if (!(counts || samples) || !read_numbers(argv + 3, argc - 3, numbers)) {
        fprintf(stderr,
                "usage: %s count SUBJECT CPUMASK WIDTH HEIGHT\n"
                "       %s sample SUBJECT CPUMASK WIDTH HEIGHT FRAMES ROUNDS\n",
                argv[0], argv[0]);
        return 2;
    }
    const BenchSubject subject = {.name = argv[2],
                                  .cpumask = (uint64_t)numbers[0],
                                  .frames = (unsigned)numbers[3],
                                  .runs = (unsigned)numbers[4]};
    BenchClips clips;
    int err = bench_clips_make(&clips, (unsigned)numbers[1], (unsigned)numbers[2], 8);
    if (!err) {
        err = measure(&subject, &clips);
        bench_clips_release(&clips);
    }
    if (err)
        fprintf(stderr, "%s: it failed (%d)\n", argv[0], err);
    return err != 0;
}
