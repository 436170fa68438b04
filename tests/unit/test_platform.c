/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The platform layer: the machine, memory, threads, and modules. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/module.h"
#include "support/cases.h"

#if defined(__linux__) && !defined(__s390x__) /* other arguments */
#include <sys/syscall.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platform/machine.h"
#include "platform/module.h"
#include "platform/process.h"
#include "platform/thread.h"
#include "platform/time.h"
#include "support/cases.h"

CASE(a_timed_wait_obeys_the_steady_clock)
{
    enum { WAIT_MS = 30 };
    VmafMutex mutex;
    VmafCondition condition;
    assert_int_equal(vmaf_mutex_init(&mutex), 0);
    assert_int_equal(vmaf_condition_init(&condition), 0);
    vmaf_mutex_lock(&mutex);
    const int64_t begin = vmaf_steady_ns();
    const VmafDeadline deadline = vmaf_deadline_after(WAIT_MS);
    int status = 0;
    while (!status)
        status = vmaf_condition_wait_until(&condition, &mutex, deadline);
    assert_int_equal(status, -ETIMEDOUT);
    /* To a condition that goes by the time of day, such a deadline is decades ago. */
    assert_true(vmaf_steady_ns() - begin >= INT64_C(1000000) * WAIT_MS);
    assert_int_equal(vmaf_condition_wait_until(&condition, &mutex, (VmafDeadline){1}), -ETIMEDOUT);
    vmaf_mutex_unlock(&mutex);
    vmaf_condition_destroy(&condition);
    vmaf_mutex_destroy(&mutex);
}

CASE(the_clocks_are_one)
{
    struct timespec native;
    const int64_t before = vmaf_steady_ns();
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &native), 0);
    const int64_t after = vmaf_steady_ns();
    const int64_t between = native.tv_sec * INT64_C(1000000000) + native.tv_nsec;
    assert_in_range(between, before, after);
    assert_true(vmaf_steady_us() >= after / 1000 && vmaf_steady_ms() >= after / 1000000);
    assert_true(vmaf_deadline_after(5000).ns >= after + INT64_C(5000000000));
}

CASE(sleeping_takes_time_but_not_the_processors)
{
    const int64_t begin = vmaf_steady_us(), consumed = vmaf_thread_time_us();
    vmaf_sleep_ns(100 * 1000 * 1000);
    assert_true(vmaf_steady_us() - begin >= 100 * 1000);
    assert_true(vmaf_thread_time_us() - consumed < 50 * 1000);
    const int64_t thread = vmaf_thread_time_us();
    assert_true(vmaf_process_time_us() >= thread);
}

/* A run may be shorter than a tick of 16 ms. */
CASE(the_clock_of_runs_is_fine)
{
    int64_t smallest = INT64_MAX, before = vmaf_clock_us();
    for (int steps = 0; steps < 100;) {
        const int64_t now = vmaf_clock_us();
        if (now == before)
            continue;
        if (now - before < smallest)
            smallest = now - before;
        before = now;
        steps++;
    }
    assert_in_range(smallest, 1, 500);
}

static void *note_signals(void *argument)
{
    pthread_sigmask(SIG_SETMASK, NULL, argument);
    return NULL;
}

CASE(threads_start_with_all_signals_blocked_but_faults)
{
    sigset_t before, inside, after, wanted;
    sigfillset(&wanted);
    static const int others[] = {SIGKILL, SIGSTOP, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        sigdelset(&wanted, others[i]);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    sigemptyset(&inside);
    VmafThread thread;
    assert_int_equal(vmaf_thread_start(&thread, note_signals, &inside), 0);
    vmaf_thread_join(thread);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
#ifdef SIGRTMAX
    const int last = SIGRTMAX, first_of_realtime = SIGRTMIN;
#else
    const int last = NSIG - 1, first_of_realtime = 32;
#endif
    for (int number = 1; number <= last; number++) {
        if (number >= 32 && number < first_of_realtime)
            continue; /* the C library's own */
        assert_int_equal(sigismember(&inside, number), sigismember(&wanted, number));
        assert_int_equal(sigismember(&after, number), sigismember(&before, number));
    }
}

/* As decoders and drivers do that have large tables there; the result is of no use. */
static void *use_stack(void *wanted)
{
    volatile unsigned char table[1920 << 10];
    for (size_t i = 0; i < sizeof(table); i += 1024)
        table[i] = (unsigned char)i;
    *(bool *)wanted = table[sizeof(table) / 2] == 0;
    return NULL;
}

CASE(a_thread_has_two_mebibytes_of_stack_wherever_it_is)
{
#ifdef __linux__
    /* What musl gives: other C libraries give more unless they are told not to. */
    pthread_attr_t before, small;
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, 128 << 10), 0);
    assert_int_equal(pthread_setattr_default_np(&small), 0);
#endif
    bool reached = false;
    VmafThread thread;
    assert_int_equal(vmaf_thread_start(&thread, use_stack, &reached), 0);
    vmaf_thread_join(thread);
    assert_true(reached);
#ifdef __linux__
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    pthread_attr_destroy(&small);
    pthread_attr_destroy(&before);
#endif
}

CASE(blocked_signals_come_back_as_they_were)
{
    sigset_t mine, blocked, after;
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
    VmafSignals before;
    vmaf_signals_block(&before);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    vmaf_signals_restore(&before);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_true(sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGUSR2));
    assert_false(sigismember(&after, SIGTERM));
    assert_true(sigismember(&after, SIGUSR2));
    sigemptyset(&mine);
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
}

static void handle_nothing(int number)
{
}

CASE(handlers_of_signals_come_back_as_they_were)
{
    const struct sigaction mine = {.sa_handler = handle_nothing, .sa_flags = SA_RESTART};
    const struct sigaction theirs = {.sa_handler = SIG_IGN};
    struct sigaction before, after;
    VmafSignalHandlers handlers;
    assert_int_equal(sigaction(SIGUSR2, &mine, &before), 0);
    vmaf_signal_handlers_keep(&handlers);
    assert_int_equal(sigaction(SIGUSR2, &theirs, NULL), 0);
    assert_int_equal(sigaction(SIGUSR1, &theirs, NULL), 0);
    vmaf_signal_handlers_restore(&handlers);
    assert_int_equal(sigaction(SIGUSR1, NULL, &after), 0);
    assert_ptr_equal(after.sa_handler, SIG_DFL);
    assert_int_equal(sigaction(SIGUSR2, &before, &after), 0);
    assert_ptr_equal(after.sa_handler, handle_nothing);
    assert_true(after.sa_flags & SA_RESTART);
}

CASE(functions_are_found_in_what_is_loaded_and_nothing_is_loaded)
{
    VmafCodeAddress found;
    if (!vmaf_module_can_load()) {
        assert_int_equal(vmaf_module_find_loaded("libc.so.6", "getpid", &found), -ENOENT);
        return;
    }
    assert_int_equal(vmaf_module_find_loaded("libm.so.6", "no_such_function", &found), -ENOENT);
    assert_int_equal(vmaf_module_find_loaded("libc.so.6", "getpid", &found), 0);
    assert_true(vmaf_module_has_code(found));
    assert_int_equal(vmaf_module_find_loaded("libabsent.so.9", "getpid", &found), 0);
    assert_int_equal(vmaf_module_find_loaded("libabsent.so.9", "vaSyncSurface", &found), -ENOENT);
}

typedef struct Meeting {
    VmafMutex lock;
    VmafCondition changed;
    unsigned sum;
    bool working, seen;
} Meeting;

static Meeting meeting = {.lock = VMAF_MUTEX_INITIALIZER};

static void *count_up(void *argument)
{
    Meeting *here = argument;
    for (unsigned i = 0; i < 10000; i++) {
        vmaf_mutex_lock(&here->lock);
        here->sum++;
        vmaf_mutex_unlock(&here->lock);
    }
    return NULL;
}

CASE(a_static_mutex_excludes)
{
    const pthread_mutex_t native = PTHREAD_MUTEX_INITIALIZER;
    assert_memory_equal(&native, &meeting.lock, sizeof(native));
    VmafThread threads[4];
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(vmaf_thread_start(&threads[i], count_up, &meeting), 0);
    for (unsigned i = 0; i < 4; i++)
        vmaf_thread_join(threads[i]);
    assert_int_equal(meeting.sum, 40000);
}

/* Works for a while, then waits until somebody has looked at how long. */
static void *work_and_wait(void *argument)
{
    Meeting *here = argument;
    while (vmaf_thread_time_us() < 20 * 1000)
        ;
    vmaf_mutex_lock(&here->lock);
    here->working = false;
    vmaf_condition_signal(&here->changed);
    while (!here->seen)
        vmaf_condition_wait(&here->changed, &here->lock);
    vmaf_mutex_unlock(&here->lock);
    return NULL;
}

CASE(the_time_of_another_thread_is_its_own)
{
    Meeting here = {.working = true};
    assert_int_equal(vmaf_mutex_init(&here.lock), 0);
    assert_int_equal(vmaf_condition_init(&here.changed), 0);
    const int64_t mine = vmaf_thread_time_of_us(vmaf_thread_self());
    VmafThread thread;
    assert_int_equal(vmaf_thread_start(&thread, work_and_wait, &here), 0);
    vmaf_mutex_lock(&here.lock);
    while (here.working)
        vmaf_condition_wait(&here.changed, &here.lock);
    assert_true(vmaf_thread_time_of_us(thread) >= 20 * 1000);
    here.seen = true;
    vmaf_condition_broadcast(&here.changed);
    vmaf_mutex_unlock(&here.lock);
    vmaf_thread_join(thread);
    assert_true(vmaf_thread_time_of_us(vmaf_thread_self()) - mine < 20 * 1000);
    vmaf_condition_destroy(&here.changed);
    vmaf_mutex_destroy(&here.lock);
}

/* Its number is asked for twice, in a child of a child too. */
static bool knows_its_number(int parent)
{
    const int number = vmaf_process_id();
    return number == getpid() && number != parent && vmaf_process_id() == number;
}

CASE(a_child_has_another_number)
{
    const int parent = vmaf_process_id();
    assert_int_equal(parent, getpid());
    assert_int_equal(vmaf_process_id(), parent);
    const pid_t child = fork();
    if (!child) {
        const int number = vmaf_process_id();
        const pid_t grandchild = fork();
        if (!grandchild)
            _exit(!knows_its_number(number));
        int status = -1;
        waitpid(grandchild, &status, 0);
        _exit(status != 0 || number == parent || !knows_its_number(parent));
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#if defined(__linux__) && !defined(__s390x__) /* other arguments */
CASE(a_child_that_the_c_library_has_not_made_has_another_number)
{
    const int parent = vmaf_process_id();
    const long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (!child)
        _exit(!knows_its_number(parent));
    int status = -1;
    assert_int_equal(waitpid((pid_t)child, &status, 0), child);
    assert_int_equal(status, 0);
}
#endif

CASE(memory_is_aligned_as_asked)
{
    const size_t page = vmaf_page_size();
    assert_true(page >= 4096 && (page & (page - 1)) == 0);
    for (size_t alignment = sizeof(void *); alignment <= page; alignment *= 2) {
        unsigned char *block = vmaf_aligned_alloc(alignment, 3);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % alignment, 0);
        memset(block, 1, 3);
        vmaf_aligned_free(block);
    }
#ifndef VMAF_SANITIZED
    /* Sanitizers end the program instead. */
    assert_null(vmaf_aligned_alloc(page, SIZE_MAX / 2));
#endif
    vmaf_aligned_free(NULL);
}

CASE(processors_that_may_be_used_run)
{
    assert_true(vmaf_processors_usable() >= 1);
    assert_true(vmaf_processors_usable() <= vmaf_processors_online());
}

CASE(random_bytes_differ)
{
    uint64_t first[2] = {0}, second[2] = {0};
    if (!vmaf_random_bytes(first, sizeof(first)) || !vmaf_random_bytes(second, sizeof(second)))
        skip(); /* early while booting */
    assert_memory_not_equal(first, second, sizeof(first));
    assert_true(first[0] && first[1] && first[0] != first[1]);
}

/* Modules of src/platform. That libraries are missing, or symbols:
 * tests/backend/test_hostile_loading.c. */

CASE(only_code_of_files_is_code)
{
    static const char constant[] = "read only";
    static char data[16];
    void *block = malloc(16);
    assert_true(vmaf_module_has_code((VmafCodeAddress)only_code_of_files_is_code));
    assert_true(vmaf_module_has_code((VmafCodeAddress)vmaf_module_index));
    const void *const others[] = {constant, data, block, &block, (const void *)(uintptr_t)16};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        VmafCodeAddress address;
        memcpy(&address, &others[i], sizeof(address));
        assert_false(vmaf_module_has_code(address));
    }
    free(block);
}

CASE(the_folder_of_code_is_that_of_its_file)
{
    static const char here = 0;
    char own[4096], *folder;
    const ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
    if (length < 0)
        skip();
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    assert_int_equal(vmaf_module_folder_of(&here, &folder), 0);
    assert_string_equal(folder, own);
    free(folder);
    void *block = malloc(1);
    assert_int_equal(vmaf_module_folder_of(block, &folder), -ENOENT);
    assert_null(folder);
    free(block);
}

static void note_cmocka(void *cookie, const char *path)
{
    assert_int_equal(path[0], '/');
    if (strstr(path, "libcmocka"))
        *(bool *)cookie = true;
}

CASE(modules_are_listed_by_their_files)
{
    bool found = false;
    if (!vmaf_module_can_load())
        skip(); /* cmocka is no module there */
    if (vmaf_module_list(note_cmocka, &found))
        assert_true(found);
}

CASE(what_cannot_be_loaded_is_told)
{
    char why[64] = "";
    assert_int_equal(vmaf_module_load("/etc/passwd", why, sizeof(why)), -ENOEXEC);
    assert_non_null(strstr(why, "/etc/passwd"));
    char cut[8] = "";
    assert_int_equal(vmaf_module_load("/nothing/here.so", cut, sizeof(cut)), -ENOEXEC);
    assert_int_equal(strlen(cut), sizeof(cut) - 1);
}

CASE(a_program_without_a_dynamic_linker_says_that_it_loads_nothing)
{
    char why[128] = "";
    vmaf_module_load("/etc/passwd", why, sizeof(why));
    assert_int_equal(!vmaf_module_can_load(), strstr(why, "linked statically") != NULL);
}
