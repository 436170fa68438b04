/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The program `vmaf-bench-report`: all tables of docs/performance.md. See README.md. */
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench.h"
#include "platform/machine.h"
#include "support/cpu.h"
#include "support/synth.h"

/* ---- The machine ---- */

/* Plain C first, the fastest last; returns their number. */
static unsigned machine_kernels(MachineKernels kernels[MACHINE_MAX_KERNELS])
{
    const uint64_t everything = 63;
    const unsigned flags = cpu_flags(0);
    unsigned n = 0;
    kernels[n++] = (MachineKernels){"plain C", everything};
#if defined(__x86_64__)
    if (flags & CPU_AVX2)
        kernels[n++] = (MachineKernels){"AVX2", CPU_AVX512 | CPU_AVX512_ICL};
    if (flags & CPU_AVX512)
        kernels[n++] = (MachineKernels){"AVX-512", 0};
#else
    if (flags & CPU_NEON)
        kernels[n++] = (MachineKernels){"NEON", 0};
#endif
    return n;
}

double machine_voluntary_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (double)usage.ru_nvcsw;
}

/* The name of the processor in /proc/cpuinfo; Linux on Arm has none. */
static void processor_name(char *name, size_t size)
{
    char line[256];
    snprintf(name, size, "processor without a name");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (!strncmp(line, "model name", 10) && value) {
            snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

/* Prints a paragraph of Markdown: processor, system, compiler, load. */
static void machine_print(void)
{
    char processor[256];
    struct utsname system;
    processor_name(processor, sizeof processor);
    if (uname(&system))
        memset(&system, 0, sizeof system);
    printf("%s, %u core%s; %s %s, %s; compiled by %s.\n", processor, vmaf_processors_usable(),
           vmaf_processors_usable() > 1 ? "s" : "", system.sysname, system.release, system.machine,
#if defined(__clang__)
           __VERSION__
#else
           "gcc " __VERSION__
#endif
    );
}

int machine_print_calibration(void)
{
    BenchCalibration c;
    double load[1] = {0};
    const int err = bench_calibrate(&c);
    if (err)
        return err;
    if (getloadavg(load, 1) < 1)
        load[0] = 0;
    printf("Calibration: scalar %.1f ms, vector %.2f ms, copy %.1f ms; load %.1f.\n\n", c.scalar,
           c.vector, c.copy, load[0]);
    return 0;
}

/* ---- The program ---- */

static const char usage[] =
    "usage: vmaf-bench-report [options]\n"
    "\n"
    "Prints speed and memory of features, models and the whole program as Markdown tables.\n"
    "\n"
    "  --table NAME     features, models, program, latency or threads; repeatable (default: all)\n"
    "  --only NAME      a feature, as `vmaf --feature` takes it, or a model; repeatable; for the\n"
    "                   table of features (default: every feature, and vmaf_v0.6.1)\n"
    "  --size WxH       repeatable (default 576x324, 1920x1080 and 3840x2160)\n"
    "  --depth N        repeatable (default 8 and 10)\n"
    "  --rounds N       runs of which the fastest counts (default 3)\n"
    "  --budget MS      time for all runs behind one result, as far as it goes (default 250)\n"
    "  --vmaf FILE      the program vmaf\n"
    "  --folder DIR     where its videos go, half a GiB at most (default $TMPDIR or /tmp)\n";

typedef struct Table {
    const char *name;
    int (*print)(const Report *report);
} Table;

static const Table tables[] = {
    {"features", report_features}, {"models", report_models},   {"program", report_program},
    {"latency", report_latency},   {"threads", report_threads},
};
enum { N_TABLES = sizeof tables / sizeof tables[0] };

int report_parse_format(const char *size, const char *depth, unsigned *width, unsigned *height,
                        unsigned *bits)
{
    SynthClip clip = synth_default();
    if (synth_set(&clip, "size", size) || synth_set(&clip, "depth", depth)) {
        fprintf(stderr, "vmaf-bench-report: bad size or depth: %s, %s\n", size, depth);
        return -EINVAL;
    }
    *width = clip.width;
    *height = clip.height;
    *bits = clip.depth;
    return 0;
}

int report_make_clips(BenchClips *clips, const char *size, const char *depth)
{
    unsigned width, height, bits;
    const int err = report_parse_format(size, depth, &width, &height, &bits);
    report_progress("making pictures");
    return err ? err : bench_clips_make(clips, width, height, bits);
}

void report_cell(double value)
{
    printf(" %.*f |", value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0, value);
    fflush(stdout);
}

void report_columns(unsigned n)
{
    printf("|---|");
    for (unsigned i = 0; i < n; ++i)
        printf("---:|");
    printf("\n");
}

void report_progress(const char *what)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s\r", what);
}

static int find_table(const char *name)
{
    for (int i = 0; i < N_TABLES; ++i)
        if (!strcmp(tables[i].name, name))
            return i;
    return -1;
}

static int set(Report *r, unsigned *wanted, const char *name, const char *value)
{
    long n = 0;
    int err = 0;
    if (!strcmp(name, "--table")) {
        const int table = find_table(value);
        err = table < 0 ? -1 : 0;
        *wanted |= table < 0 ? 0 : 1U << table;
    } else if (!strcmp(name, "--only")) {
        err = argument_add(&r->only, value);
    } else if (!strcmp(name, "--size")) {
        err = argument_add(&r->sizes, value);
    } else if (!strcmp(name, "--depth")) {
        err = argument_add(&r->depths, value);
    } else if (!strcmp(name, "--vmaf")) {
        r->vmaf = value;
    } else if (!strcmp(name, "--folder")) {
        r->folder = value;
    } else if (!strcmp(name, "--rounds") && !(err = argument_number(value, 1, 100, &n))) {
        r->rounds = (unsigned)n;
    } else if (!strcmp(name, "--budget") && !(err = argument_number(value, 0, 60000, &n))) {
        r->budget = (double)n;
    } else {
        err = -1;
    }
    return err;
}

static int parse(Report *r, unsigned *wanted, int argc, char **argv)
{
    const char *temporary = getenv("TMPDIR");
    *r = (Report){
        .budget = 250,
        .rounds = 3,
#ifdef BENCH_VMAF
        .vmaf = BENCH_VMAF,
#endif
        .folder = temporary && *temporary ? temporary : "/tmp",
        .cores = vmaf_processors_usable(),
    };
    r->n_kernels = machine_kernels(r->kernels);
    *wanted = 0;
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || set(r, wanted, argv[i], argv[i + 1])) {
            fprintf(stderr, "vmaf-bench-report: %s\n\n%s", argv[i], usage);
            return -1;
        }
    if (!*wanted)
        *wanted = (1U << N_TABLES) - 1;
    if (!r->sizes.n) {
        argument_add(&r->sizes, "576x324");
        argument_add(&r->sizes, "1920x1080");
        argument_add(&r->sizes, "3840x2160");
    }
    if (!r->depths.n) {
        argument_add(&r->depths, "8");
        argument_add(&r->depths, "10");
    }
    return 0;
}

int main(int argc, char **argv)
{
    Report report;
    unsigned wanted;
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    if (parse(&report, &wanted, argc, argv))
        return 1;
    const double start = bench_wall_ms();
    int err = 0;
    machine_print();
    for (int i = 0; !err && i < N_TABLES; ++i)
        if (wanted & 1U << i)
            err = tables[i].print(&report);
    report_progress("");
    if (!err)
        printf("\nMeasured in %.0f s.\n", 1e-3 * (bench_wall_ms() - start));
    return err != 0;
}
