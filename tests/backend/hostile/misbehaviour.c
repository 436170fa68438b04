/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "misbehaviour.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void handler(int number)
{
    (void)number;
}

static void spin(void)
{
    for (volatile unsigned turns = 0;; turns++)
        continue;
}

/* Rests, so that it ends at the time limit, not at ten times that. Those that are told of a file
 * add a byte to it, and end when it is gone. */
static void loop(void)
{
    const char *path = getenv("VMAF_TEST_LOOPS");
    const int file = path ? open(path, O_WRONLY | O_APPEND) : -1;
    if (file >= 0 && (write(file, "x", 1) != 1 || close(file) < 0))
        abort();
    while (!path || access(path, F_OK) == 0)
        usleep(20000);
}

static void allocate(void)
{
    const size_t gigabyte = (size_t)1 << 30;
    char *block = malloc(gigabyte);
    if (block) {
        memset(block, 1, gigabyte);
        __asm__ volatile("" : : "r"(block) : "memory");
    }
    free(block);
}

/* As crtfastmath.o does in objects that are linked with -ffast-math. */
static void set_flush_to_zero(void)
{
#ifdef __x86_64__
    uint32_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    control |= 0x8000;
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control |= UINT64_C(1) << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#else
    fesetround(FE_TOWARDZERO); /* the next best */
#endif
}

static void set_denormals_are_zero(void)
{
#ifdef __x86_64__
    uint32_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    control |= 0x0040;
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
#else
    set_flush_to_zero();
#endif
}

static void want_signals(void)
{
    sigset_t blocked;
    if (sigprocmask(SIG_BLOCK, NULL, &blocked) < 0 || sigismember(&blocked, SIGTERM))
        abort();
}

static void leave_child(void)
{
    const char *path = getenv("VMAF_TEST_LOCK");
    int lock = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) < 0)
        abort();
    if (fork() == 0) {
        sleep(60);
        _exit(0);
    }
    close(lock); /* the lock is of both */
}

static void set_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        abort();
    limit.rlim_cur = limit.rlim_cur > 128 ? 128 : limit.rlim_cur - 1;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        abort();
}

static void free_twice(void)
{
    void *volatile block = malloc(4096);
    void *volatile again = block;
    free(block);
    free(again);
}

void misbehave(enum Misbehaviour kind)
{
    volatile int *volatile nowhere = NULL;
    switch (kind) {
    case NOTHING:
        break;
    case CRASH:
        *nowhere = 1;
        break;
    case ABORT:
        abort();
    case EXIT:
        exit(3);
    case QUIT:
        _exit(0);
    case LOOP:
        loop();
        break;
    case SPIN:
        spin();
        break;
    case ALLOCATE:
        allocate();
        break;
    case PRINT:
        printf("hello from a plugin\n");
        break;
    case SET_LOCALE:
        setlocale(LC_ALL, "C.UTF-8");
        break;
    case SET_THREAD_LOCALE:
        uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
        break;
    case SET_HANDLER:
        signal(SIGUSR1, handler);
        break;
    case WANT_SIGNALS:
        want_signals();
        break;
    case SET_DIRECTORY:
        if (chdir("/usr") < 0)
            abort();
        break;
    case SET_UMASK:
        umask(0);
        break;
    case SET_LIMIT:
        set_limit();
        break;
    case CLOSE_STREAM:
        close(STDERR_FILENO);
        if (open("/dev/zero", O_RDONLY) < 0)
            abort();
        break;
    case CLOSE_ALL:
        for (int file = STDERR_FILENO + 1; file < 256; file++)
            close(file);
        break;
    case SET_FLAGS:
        fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) ^ O_NONBLOCK);
        break;
    case SET_FLUSH_TO_ZERO:
        set_flush_to_zero();
        break;
    case SET_DENORMALS_ARE_ZERO:
        set_denormals_are_zero();
        break;
    case SET_TRAPS:
        feenableexcept(FE_DIVBYZERO);
        break;
    case SET_ROUNDING:
        fesetround(FE_UPWARD);
        break;
    case LEAVE_CHILD:
        leave_child();
        break;
    case FREE_TWICE:
        free_twice();
        break;
    }
}
