/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The process that calls: all of platform/process.h but its state, and its locale. */
#include "platform/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/internal.h"
#include "platform/path.h"
#include "platform/posix/internal.h"
#include "platform/text.h"

int vmaf_process_prepare(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        /* A bare root may lack the device, which only those need that lack a stream. */
        const bool is_closed = fcntl(fd, F_GETFD) < 0 && errno == EBADF;
        if (is_closed && open("/dev/null", O_RDWR) < 0) /* it becomes the lowest that is free */
            return -errno;
    }
    signal(SIGXFSZ, SIG_IGN);
    return 0;
}

void vmaf_process_outlive_readers(void)
{
    signal(SIGPIPE, SIG_IGN);
}

long vmaf_process_peak_memory_kib(void)
{
#ifdef __APPLE__
    enum { UNITS_PER_KIB = 1024 }; /* in bytes there */
#else
    enum { UNITS_PER_KIB = 1 };
#endif
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss / UNITS_PER_KIB : 0;
}

/*
 * Asking the system takes longer than many a call that wants to know. So the answer is kept in a
 * page that is empty in a child, however that was made. Where there are none, it is not kept.
 */
#ifdef MADV_WIPEONFORK
static _Atomic(atomic_int *) kept_number;
static atomic_bool cannot_keep;

static atomic_int *place_of_number(void)
{
    atomic_int *page = atomic_load_explicit(&kept_number, memory_order_acquire);
    if (page || atomic_load_explicit(&cannot_keep, memory_order_relaxed))
        return page;
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return NULL; /* another time perhaps */
    if (madvise(made, size, MADV_WIPEONFORK)) {
        atomic_store(&cannot_keep, true);
        munmap(made, size);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&kept_number, &page, (atomic_int *)made))
        return made;
    munmap(made, size);
    return page;
}

/* A library that is unloaded takes its page with it. */
__attribute__((destructor)) static void give_page_back(void)
{
    atomic_int *page = atomic_exchange(&kept_number, NULL);
    if (page)
        munmap(page, (size_t)sysconf(_SC_PAGESIZE));
}

int vmaf_process_id(void)
{
    atomic_int *place = place_of_number();
    if (!place)
        return getpid();
    int number = atomic_load_explicit(place, memory_order_relaxed);
    if (!number) {
        number = getpid();
        atomic_store_explicit(place, number, memory_order_relaxed);
    }
    return number;
}
#else
int vmaf_process_id(void)
{
    return getpid();
}
#endif

/* ---- The terminal ---- */

bool vmaf_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

unsigned vmaf_stderr_columns(void)
{
    enum { USUAL = 80, MOST = 100000 };
    const char *wanted = getenv("COLUMNS");
    const long columns = wanted ? strtol(wanted, NULL, 10) : 0;
    if (columns > 0 && columns < MOST)
        return (unsigned)columns;
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : USUAL;
}

/* ---- The locale ---- */

int vmaf_c_locale_enter(VmafCLocaleScope *scope)
{
    /* glibc and musl answer with a constant object: no allocation, nothing to cache. */
    scope->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!scope->c_locale)
        return -ENOMEM;
    scope->previous = uselocale(scope->c_locale);
    return 0;
}

void vmaf_c_locale_leave(VmafCLocaleScope *scope)
{
    if (!scope->c_locale)
        return;
    uselocale(scope->previous);
    freelocale(scope->c_locale);
}

/* ---- Signals ---- */

static_assert(sizeof(sigset_t) <= sizeof(VmafSignals) && alignof(sigset_t) <= alignof(VmafSignals),
              "VmafSignals is too small for this system");

/* Signals that have names: their numbers begin with 1, and entry 0 is not used. */
enum { N_SIGNALS = 32 };

typedef struct SignalHandlers {
    struct sigaction actions[N_SIGNALS];
    bool is_known[N_SIGNALS];
} SignalHandlers;

static_assert(sizeof(SignalHandlers) <= sizeof(VmafSignalHandlers) &&
                  alignof(SignalHandlers) <= alignof(VmafSignalHandlers),
              "VmafSignalHandlers is too small for this system");

void vmaf_signals_block(VmafSignals *before)
{
    static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    sigset_t signals;
    sigfillset(&signals);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&signals, faults[i]);
    pthread_sigmask(SIG_SETMASK, &signals, (void *)before);
}

void vmaf_signals_restore(const VmafSignals *before)
{
    pthread_sigmask(SIG_SETMASK, (const void *)before, NULL);
}

void vmaf_signal_handlers_keep(VmafSignalHandlers *handlers)
{
    SignalHandlers *kept = (SignalHandlers *)(void *)handlers;
    for (int i = 1; i < N_SIGNALS; i++)
        kept->is_known[i] = sigaction(i, NULL, &kept->actions[i]) == 0;
}

void vmaf_signal_handlers_restore(const VmafSignalHandlers *handlers)
{
    const SignalHandlers *kept = (const SignalHandlers *)(const void *)handlers;
    for (int i = 1; i < N_SIGNALS; i++) {
        if (kept->is_known[i]) /* fails for those that cannot be handled */
            sigaction(i, &kept->actions[i], NULL);
    }
}

static atomic_bool *interrupted;

static void note_interrupt(int number)
{
    (void)number;
    atomic_store(interrupted, true);
}

void vmaf_interrupts_note(atomic_bool *flag)
{
    static const int requests[] = {SIGINT, SIGTERM, SIGHUP};
    interrupted = flag;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        struct sigaction before, action = {.sa_handler = note_interrupt};
        action.sa_flags = (int)SA_RESETHAND;
        sigemptyset(&action.sa_mask);
        /* A program that was started to ignore it, as nohup does, goes on. */
        if (!sigaction(requests[i], NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(requests[i], &action, NULL);
    }
}

void vmaf_signal_name(char *name, size_t size, int number)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {
        {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
        {SIGHUP, "SIGHUP"},   {SIGILL, "SIGILL"},   {SIGINT, "SIGINT"},   {SIGKILL, "SIGKILL"},
        {SIGPIPE, "SIGPIPE"}, {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"},
        {SIGTRAP, "SIGTRAP"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].number == number) {
            snprintf(name, size, "%s", known[i].name);
            return;
        }
    }
    snprintf(name, size, "signal %d", number);
}

/* ---- Rights ---- */

/* The superuser, or the user whose rights were borrowed: not the one who borrows them. */
static bool is_trusted(uid_t user)
{
    bool is_borrower = vmaf_privilege_is_borrowed() && geteuid() == getuid();
    return user == 0 || (user == geteuid() && !is_borrower);
}

static int check_status(const struct stat *status, const char *what, const char *path,
                        const VmafWhy *why)
{
    if (!is_trusted(status->st_uid))
        return vmaf_error_set(why, -EACCES,
                              "refused in a privileged program: the %s %s belongs to user %u", what,
                              path, (unsigned)status->st_uid);
    bool by_group = (status->st_mode & S_IWGRP) && status->st_gid != 0;
    if (by_group || (status->st_mode & S_IWOTH))
        return vmaf_error_set(why, -EACCES,
                              "refused in a privileged program: the %s %s is writable by others",
                              what, path);
    return 0;
}

/* What is behind the path, opened without following it if it has become a link by now. */
static int check_file(const char *path, const VmafWhy *why)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int err = file < 0 || fstat(file, &status) < 0
                  ? vmaf_error_set(why, -errno, "%s", strerror(errno))
                  : 0;
    if (file >= 0)
        close(file);
    if (!err && !S_ISREG(status.st_mode))
        err = vmaf_error_set(why, -EINVAL, "not a regular file");
    return err ? err : check_status(&status, "file", path, why);
}

static int check_folder(const char *path, bool direct, const VmafWhy *why)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return vmaf_error_set(why, -errno, "%s: %s", path, strerror(errno));
    /* In a folder like /tmp, everybody may add something, but not take the place of what is
     * there. */
    bool sticky = (status.st_mode & S_ISVTX) && status.st_uid == 0;
    return sticky && !direct ? 0 : check_status(&status, "directory", path, why);
}

/* True if a file in `folder` lies below `path`, which ends without a slash. */
static bool holds(const char *path, const char *folder)
{
    size_t length = strlen(path);
    return folder && strncmp(folder, path, length) == 0 &&
           (folder[length] == '/' || folder[length] == '\0');
}

/* Cuts off the last part: of "/file" remains "/". False if nothing was left to cut. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || !path[1])
        return false;
    slash[slash == path] = '\0';
    return true;
}

static int check_folders(const char *file, const char *trusted, const VmafWhy *why)
{
    char *folder = strdup(file);
    int err = folder ? 0 : vmaf_error_set(why, -ENOMEM, "out of memory");
    for (bool direct = true; !err && go_up(folder); direct = false)
        if (direct || !holds(folder, trusted))
            err = check_folder(folder, direct, why);
    free(folder);
    return err;
}

/* The folder in which a link is found is one of those that are searched. */
static int check_place(const char *path, const VmafWhy *why)
{
    char *folder = strdup(path);
    if (!folder)
        return vmaf_error_set(why, -ENOMEM, "out of memory");
    int err = go_up(folder) ? check_folder(folder, true, why) : 0;
    free(folder);
    return err;
}

static int check_all(const char *path, const char *resolved, const char *trusted,
                     const VmafWhy *why)
{
    int err = check_place(path, why);
    if (!err)
        err = check_file(resolved, why);
    return err ? err : check_folders(resolved, trusted, why);
}

int vmaf_privilege_resolve_file(char **resolved, const char *path, const char *trusted_folder,
                                char *text, size_t size)
{
    const VmafWhy why = {text, size};
    *resolved = NULL;
    if (!vmaf_privilege_is_borrowed() && geteuid() != 0) {
        *resolved = strdup(path);
        return *resolved ? 0 : vmaf_error_set(&why, -ENOMEM, "out of memory");
    }
    int err = vmaf_path_real(path, resolved);
    if (err)
        return vmaf_error_set(&why, err, "%s", err == -ENOMEM ? "out of memory" : strerror(-err));
    err = check_all(path, *resolved, trusted_folder, &why);
    if (err) {
        free(*resolved);
        *resolved = NULL;
    }
    return err;
}
