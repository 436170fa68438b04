/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "loader_harness.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <ftw.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/discovery/plugin_file.h"

_Noreturn void require_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: in the child: %s does not hold\n", file, line, condition);
    _exit(99);
}

/* ---- Files ---- */

static char scratch[] = "/tmp/vmaf-loader-XXXXXX";
static pid_t scratch_owner;

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *position)
{
    (void)status;
    (void)type;
    (void)position;
    return remove(path);
}

static void remove_scratch(void)
{
    if (getpid() == scratch_owner)
        nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *scratch_directory(void)
{
    if (!scratch_owner) {
        assert_non_null(mkdtemp(scratch));
        scratch_owner = getpid();
        atexit(remove_scratch);
    }
    return scratch;
}

const char *scratch_path(const char *name)
{
    static char paths[64][256];
    static unsigned next;
    char *path = paths[next++ % 64];
    assert_true(snprintf(path, sizeof(paths[0]), "%s/%s", scratch_directory(), name) <
                (int)sizeof(paths[0]));
    return path;
}

void copy_file(const char *from, const char *to, size_t limit)
{
    size_t size;
    unsigned char *bytes = file_bytes(from, &size);
    assert_non_null(bytes);
    file_put(to, bytes, size < limit ? size : limit);
    free(bytes);
}

void install_plugin(const char *directory, const char *name)
{
    char from[512], to[512];
    snprintf(from, sizeof(from), "%s/libvmaf-backend-%s.so", HOSTILE_DIR, name);
    snprintf(to, sizeof(to), "%s/libvmaf-backend-%s.so", directory, name);
    copy_file(from, to, SIZE_MAX);
}

/* ---- Children ---- */

void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static void set_up(const ChildSettings *settings, const char *cache)
{
    REQUIRE(setenv("VMAF_BACKEND_PATH", settings->search_path ? settings->search_path : HOSTILE_DIR,
                   1) == 0);
    REQUIRE(setenv("XDG_CACHE_HOME", cache, 1) == 0);
    if (settings->inprocess)
        REQUIRE(setenv("VMAF_BACKEND_PROBE", "inprocess", 1) == 0);
    else
        REQUIRE(unsetenv("VMAF_BACKEND_PROBE") == 0);
    install_path_set_helper(settings->helper ? settings->helper : HELPER);
    if (settings->time_limit_ms)
        backend_registry_set_time_limit(settings->time_limit_ms);
}

void in_child(const ChildSettings *settings, void (*body)(void *argument), void *argument)
{
    static const ChildSettings defaults;
    static unsigned number;
    char name[32];
    if (!settings)
        settings = &defaults;
    snprintf(name, sizeof(name), "cache-%u", number++);
    const char *cache = settings->cache;
    if (!cache) {
        cache = scratch_path(name);
        assert_int_equal(mkdir(cache, 0700), 0);
    }
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(1800);
        set_up(settings, cache);
        body(argument);
        exit(0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    if (WIFSIGNALED(status))
        fail_msg("the host was killed by signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- The host's own ---- */

struct HostCheck {
    char directory[512];
    mode_t mask;
    struct rlimit files;
    struct stat streams[3];
    int flags[3];
};

static mode_t current_mask(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return mask;
}

static void own_handler(int number)
{
    (void)number;
}

HostCheck *host_check_begin(void)
{
    HostCheck *check = calloc(1, sizeof(*check));
    REQUIRE(check);
    REQUIRE(getcwd(check->directory, sizeof(check->directory)));
    REQUIRE(signal(SIGUSR1, own_handler) != SIG_ERR);
    check->mask = current_mask();
    REQUIRE(getrlimit(RLIMIT_NOFILE, &check->files) == 0);
    for (int i = 0; i < 3; i++) {
        REQUIRE(fstat(i, &check->streams[i]) == 0);
        check->flags[i] = fcntl(i, F_GETFL);
    }
    return check;
}

void host_check_end(HostCheck *check)
{
    char directory[512];
    REQUIRE(getcwd(directory, sizeof(directory)));
    REQUIRE(strcmp(directory, check->directory) == 0);
    REQUIRE(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
    REQUIRE(signal(SIGUSR1, SIG_DFL) == own_handler);
    REQUIRE(fegetround() == FE_TONEAREST);
    volatile double smallest = DBL_MIN;
    volatile double half = smallest / 2;
    REQUIRE(half > 0);
    REQUIRE(current_mask() == check->mask);
    struct rlimit files;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &files) == 0);
    REQUIRE(files.rlim_cur == check->files.rlim_cur && files.rlim_max == check->files.rlim_max);
    for (int i = 0; i < 3; i++) {
        struct stat status;
        REQUIRE(fstat(i, &status) == 0);
        REQUIRE(status.st_dev == check->streams[i].st_dev &&
                status.st_ino == check->streams[i].st_ino);
        REQUIRE(fcntl(i, F_GETFL) == check->flags[i]);
    }
    free(check);
}
