/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which files are found, and the registry under threads and forks. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/discovery/plugin_file.h"
#include "backend/discovery/probe.h"
#include "backend/registry_internal.h"
#include "loader_harness.h"
#include "platform/process.h"

static const char *new_directory(const char *name)
{
    const char *path = scratch_path(name);
    assert_int_equal(mkdir(path, 0755), 0);
    return path;
}

static void new_file(const char *directory, const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    file_put_text(path, "x");
}

static BackendAvailability availability_of(const char *name)
{
    BackendEntry *entry = backend_registry_find(name);
    BackendAvailability availability;
    BackendDeviceList result;
    REQUIRE(entry);
    int err = backend_entry_enumerate(entry, &result, &availability);
    REQUIRE((err == 0) == (availability.state == BACKEND_USABLE));
    return availability;
}

/* ---- Files ---- */

static void look_at_nothing(void *argument)
{
    REQUIRE(!*backend_registry_search_path() || **backend_registry_search_path() == '/');
    for (unsigned i = 0; i < BACKENDS_KNOWN; i++) {
        BackendEntry *entry = backend_registry_entry(i);
        REQUIRE(entry && strcmp(backend_entry_name(entry), backend_known_names[i]) == 0);
        REQUIRE(!backend_entry_path(entry));
        BackendAvailability availability;
        REQUIRE(!backend_entry_load(entry, &availability));
        REQUIRE(availability.error == 0);
        bool exists_here = backend_name_is_for_this_system(backend_known_names[i]);
        REQUIRE(availability.state ==
                (exists_here ? BACKEND_PLUGIN_NOT_FOUND : BACKEND_UNSUPPORTED_OS));
    }
    REQUIRE(!backend_registry_entry(BACKENDS_KNOWN));
    REQUIRE(!backend_registry_find("unknown"));
    REQUIRE(!backend_registry_find("No such name"));
    REQUIRE(backend_registry_find("cuda"));
}

CASE(given_no_plugins_then_the_known_names_are_listed_as_missing)
{
    static const char *const paths[] = {"/nonexistent", ":", "relative:./other:..", "/dev/null"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        const ChildSettings settings = {.search_path = paths[i]};
        in_child(&settings, look_at_nothing, NULL);
    }
}

static void look_at_unreadable(void *argument)
{
    REQUIRE(setuid(65534) == 0);
    BackendAvailability availability;
    REQUIRE(!backend_entry_load(backend_registry_find("cuda"), &availability));
    REQUIRE(availability.state == BACKEND_PLUGIN_NOT_FOUND && availability.error == 0);
    if (!strstr(availability.why.text, argument) ||
        !strstr(availability.why.text, strerror(EACCES)))
        require_failed(availability.why.text, 0, argument);
    REQUIRE(!backend_entry_load(backend_registry_find("metal"), &availability));
    REQUIRE(availability.state == BACKEND_UNSUPPORTED_OS);
}

CASE(given_a_folder_that_may_not_be_read_then_it_is_named)
{
    if (geteuid() != 0) {
        print_message("only the superuser can become somebody who may not read a folder\n");
        skip();
    }
    const char *folder = new_directory("unreadable");
    assert_int_equal(chmod(folder, 0700), 0);
    char path[512], words[300];
    snprintf(path, sizeof(path), "/nonexistent:%s", folder);
    snprintf(words, sizeof(words), "%s cannot be read: ", folder);
    const ChildSettings settings = {.search_path = path};
    in_child(&settings, look_at_unreadable, words);
}

static void look_at_default(void *argument)
{
    const char *const *path = backend_registry_search_path();
    REQUIRE(path[0] && !path[1] && strstr(path[0], "/libvmaf/backends1"));
}

CASE(given_an_empty_variable_then_the_installation_is_searched)
{
    const ChildSettings settings = {.search_path = ""};
    in_child(&settings, look_at_default, NULL);
}

typedef struct Expected {
    const char *name;
    const char *path; /* its end; NULL: no file */
    BackendState state;
    const char *words;
} Expected;

static void look_at_files(void *argument)
{
    static const Expected expected[] = {
        {"cuda", "/one/libvmaf-backend-cuda.so", BACKEND_USABLE, ""},
        {"sycl", NULL, BACKEND_PLUGIN_NOT_FOUND, "libvmaf-backend-sycl.so"},
        {"hip", "/two/libvmaf-backend-hip.so", BACKEND_PLUGIN_LOAD_ERROR, "not a regular file"},
        {"metal", NULL, BACKEND_UNSUPPORTED_OS, ""},
        {"vulkan", "/two/libvmaf-backend-vulkan.so", BACKEND_USABLE, ""},
        {"Upper", "/one/libvmaf-backend-Upper.so", BACKEND_PLUGIN_LOAD_ERROR, "not a legal name"},
        {"alpha", "/one/libvmaf-backend-alpha.so", BACKEND_USABLE, ""},
        {"alpha", "/two/libvmaf-backend-alpha.so", BACKEND_PLUGIN_LOAD_ERROR, "/one/libvmaf"},
        {"cpu", "/two/libvmaf-backend-cpu.so", BACKEND_PLUGIN_LOAD_ERROR, "not a legal name"},
        {"cuda", "/two/libvmaf-backend-cuda.so", BACKEND_PLUGIN_LOAD_ERROR, "hidden by"},
        {"dangling", "/one/libvmaf-backend-dangling.so", BACKEND_PLUGIN_LOAD_ERROR, ""},
        {"ctl?", "/one/libvmaf-backend-ctl\001.so", BACKEND_PLUGIN_LOAD_ERROR, "not a legal"},
        {"zeta", "/one/libvmaf-backend-zeta.so", BACKEND_USABLE, ""},
    };
    const unsigned count = sizeof(expected) / sizeof(expected[0]);
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        BackendEntry *entry = backend_registry_entry(i);
        REQUIRE(entry);
        for (unsigned k = 0; k < count; k++) {
            const char *path = backend_entry_path(entry);
            if (strcmp(expected[k].name, backend_entry_name(entry)) != 0 ||
                !expected[k].path != !path || (path && !strstr(path, expected[k].path)))
                continue;
            found++;
            if (k < BACKENDS_KNOWN)
                REQUIRE(i == k);
            if (expected[k].state != BACKEND_USABLE) {
                BackendAvailability availability;
                REQUIRE(!backend_entry_load(entry, &availability));
                REQUIRE(availability.state == expected[k].state);
                REQUIRE(strstr(availability.why.text, expected[k].words));
            }
        }
        if (i > BACKENDS_KNOWN)
            REQUIRE(strcmp(backend_entry_name(backend_registry_entry(i - 1)),
                           backend_entry_name(entry)) <= 0);
    }
    REQUIRE(found == count);
    REQUIRE(!backend_registry_entry(count));
    REQUIRE(strstr(backend_entry_path(backend_registry_find("alpha")), "/one/"));
    REQUIRE(strstr(backend_entry_path(backend_registry_find("cuda")), "/one/"));
    REQUIRE(!backend_registry_find("cpu") && !backend_registry_find("Upper"));
    const char *const *path = backend_registry_search_path();
    REQUIRE(strstr(path[0], "/one") && strstr(path[1], "/two") && !path[2]);
}

CASE(given_files_in_two_directories_then_the_first_of_each_name_counts)
{
    const char *one = new_directory("one"), *two = new_directory("two");
    static const char *const in_one[] = {"libvmaf-backend-zeta.so",    "libvmaf-backend-alpha.so",
                                         "libvmaf-backend-cuda.so",    "libvmaf-backend-Upper.so",
                                         "libvmaf-backend-ctl\001.so", "libvmaf-backend-.so",
                                         "libvmaf-backend-x.so.1",     "README"};
    static const char *const in_two[] = {"libvmaf-backend-alpha.so", "libvmaf-backend-cuda.so",
                                         "libvmaf-backend-vulkan.so", "libvmaf-backend-cpu.so"};
    for (size_t i = 0; i < sizeof(in_one) / sizeof(in_one[0]); i++)
        new_file(one, in_one[i]);
    for (size_t i = 0; i < sizeof(in_two) / sizeof(in_two[0]); i++)
        new_file(two, in_two[i]);
    char path[1024];
    snprintf(path, sizeof(path), "%s/libvmaf-backend-hip.so", two);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof(path), "%s/libvmaf-backend-dangling.so", one);
    assert_int_equal(symlink("/nonexistent", path), 0);

    snprintf(path, sizeof(path), "relative:%s:%s/:%s//::.:%s", one, two, one, two);
    const ChildSettings settings = {.search_path = path};
    in_child(&settings, look_at_files, NULL);
}

/* ---- Who could change a file ---- */

enum { NOBODY = 65534 };

typedef struct Place {
    char folder[300]; /* with the plugin "good" in it */
    char plugin[400];
} Place;

static Place new_place(const char *parent, const char *name)
{
    Place place;
    snprintf(place.folder, sizeof(place.folder), "%s/%s", parent, name);
    assert_int_equal(mkdir(place.folder, 0755), 0);
    install_plugin(place.folder, "good");
    snprintf(place.plugin, sizeof(place.plugin), "%s/libvmaf-backend-good.so", place.folder);
    assert_int_equal(chmod(place.plugin, 0755), 0);
    return place;
}

typedef struct Refusal {
    const char *words;  /* in the reason; NULL: it can be used */
    const char *change; /* made writable for others between looking for plugins and loading one */
} Refusal;

static void look_at_refusal(void *argument)
{
    const Refusal *expected = argument;
    REQUIRE(backend_registry_find("good"));
    if (expected->change)
        REQUIRE(chmod(expected->change, 0777) == 0);
    BackendAvailability availability = availability_of("good");
    if (!expected->words && availability.state != BACKEND_USABLE)
        require_failed(availability.why.text, 0, "it is usable");
    if (expected->words && (availability.state != BACKEND_PLUGIN_LOAD_ERROR ||
                            !strstr(availability.why.text, "refused in a privileged program") ||
                            !strstr(availability.why.text, expected->words)))
        require_failed(availability.why.text, (int)availability.state, expected->words);
}

static void expect_rejection(const char *search_path, const char *words)
{
    Refusal rejection = {.words = words};
    const ChildSettings settings = {.search_path = search_path};
    in_child(&settings, look_at_refusal, &rejection);
}

/* Once a file or folder has that mode, or is somebody's. */
static void expect_refusal_with_mode(const char *path, mode_t mode, const char *search_path,
                                     const char *words)
{
    assert_int_equal(chmod(path, mode), 0);
    expect_rejection(search_path, words);
}

static void expect_refusal_with_owner(const char *path, uid_t user, gid_t group,
                                      const char *search_path, const char *words)
{
    assert_int_equal(chown(path, user, group), 0);
    expect_rejection(search_path, words);
}

static bool is_superuser(void)
{
    if (geteuid() != 0)
        print_message("only the superuser can give files away\n");
    return geteuid() == 0;
}

CASE(given_a_plugin_that_others_can_change_then_root_refuses_it)
{
    if (!is_superuser())
        skip();
    const char *base = new_directory("changeable");
    Place place = new_place(base, "by-all");
    expect_rejection(place.folder, NULL);
    expect_refusal_with_mode(place.plugin, 0646, place.folder, "good.so is writable by others");
    place = new_place(base, "by-group");
    assert_int_equal(chmod(place.plugin, 0664), 0);
    expect_rejection(place.folder, NULL); /* the superuser's own */
    expect_refusal_with_owner(place.plugin, 0, NOBODY, place.folder,
                              "good.so is writable by others");
    expect_refusal_with_mode(place.plugin, 0644, place.folder, NULL);
    expect_refusal_with_owner(place.plugin, NOBODY, 0, place.folder,
                              "good.so belongs to user 65534");
}

CASE(given_a_folder_that_others_can_change_then_root_refuses_what_is_in_it)
{
    if (!is_superuser())
        skip();
    const char *base = new_directory("folders");
    Place place = new_place(base, "place");
    expect_refusal_with_mode(place.folder, 0777, place.folder,
                             "folders/place is writable by others");
    expect_refusal_with_mode(place.folder, 01777, place.folder,
                             "folders/place is writable by others");
    expect_refusal_with_mode(place.folder, 0775, place.folder, NULL);
    expect_refusal_with_owner(place.folder, 0, NOBODY, place.folder,
                              "folders/place is writable by others");
    expect_refusal_with_mode(place.folder, 0755, place.folder, NULL);
    expect_refusal_with_owner(place.folder, NOBODY, 0, place.folder,
                              "folders/place belongs to user 65534");
    assert_int_equal(chown(place.folder, 0, 0), 0);

    /* Who can rename a folder can put another in its place. */
    expect_refusal_with_mode(base, 0777, place.folder, "folders is writable by others");
    expect_refusal_with_mode(base, 01777, place.folder, NULL);
    expect_refusal_with_owner(base, NOBODY, 0, place.folder, "folders belongs to user 65534");
}

CASE(given_a_link_then_the_folder_of_its_target_counts_as_well)
{
    if (!is_superuser())
        skip();
    const char *base = new_directory("links"), *links = scratch_path("links/searched");
    Place place = new_place(base, "target");
    char link[400];
    snprintf(link, sizeof(link), "%s/libvmaf-backend-good.so", links);
    assert_int_equal(mkdir(links, 0755), 0);
    assert_int_equal(symlink(place.plugin, link), 0);
    expect_rejection(links, NULL);
    expect_refusal_with_mode(place.folder, 0777, links, "links/target is writable by others");
    assert_int_equal(chmod(place.folder, 0755), 0);
    expect_refusal_with_mode(place.plugin, 0666, links,
                             "target/libvmaf-backend-good.so is writable by others");
    assert_int_equal(chmod(place.plugin, 0644), 0);
    expect_refusal_with_mode(links, 0777, links, "links/searched is writable by others");
}

CASE(given_a_change_after_the_search_then_root_does_not_load_it)
{
    if (!is_superuser())
        skip();
    const char *base = new_directory("later");
    for (int inprocess = 0; inprocess < 2; inprocess++) {
        Place place = new_place(base, inprocess ? "without-helper" : "with-helper");
        Refusal rejection = {"good.so is writable by others", place.plugin};
        const ChildSettings settings = {.search_path = place.folder, .inprocess = inprocess};
        in_child(&settings, look_at_refusal, &rejection);
        assert_int_equal(chmod(place.plugin, 0755), 0);
        rejection = (Refusal){"is writable by others", place.folder};
        in_child(&settings, look_at_refusal, &rejection);
    }
}

/* This program, with the rights of a group: the user who calls it decides nothing. */
static int look_as_group(const char *own_file, const char *file_of_root)
{
    if (!vmaf_privilege_is_borrowed())
        return 77;
    Reason why = {""};
    char *resolved;
    REQUIRE(privilege_resolve_file(&resolved, file_of_root, &why) == 0);
    free(resolved);
    REQUIRE(privilege_resolve_file(&resolved, own_file, &why) == -EACCES && !resolved);
    REQUIRE(strstr(why.text, "belongs to user 65534"));
    return 0;
}

CASE(given_rights_of_a_group_then_files_of_the_caller_are_refused)
{
    if (!is_superuser())
        skip();
    const char *copy = scratch_path("of-group");
    Place place = new_place(scratch_directory(), "callers");
    Place other = new_place(scratch_directory(), "roots");
    copy_file("/proc/self/exe", copy, SIZE_MAX);
    assert_int_equal(chown(copy, 0, NOBODY - 1), 0);
    assert_int_equal(chmod(copy, 02755), 0);
    assert_int_equal(chown(place.plugin, NOBODY, NOBODY), 0);
    assert_int_equal(chmod(scratch_directory(), 0711), 0);
    pid_t child = fork();
    if (child == 0) {
        if (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)
            execl(copy, copy, "--group", place.plugin, other.plugin, (char *)NULL);
        _exit(98);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    int result = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (result == 77 || result == 98 || result == 127) {
        print_message("another user cannot run this program here (%d)\n", result);
        skip();
    }
    assert_int_equal(status, 0);
}

/* This program, called by another user than the one whose rights it has. */
static int look_as_privileged(void)
{
    if (!vmaf_privilege_is_borrowed())
        return 77; /* the file system does not support it */
    const char *const *path = backend_registry_search_path();
    REQUIRE(path[0] && strcmp(path[0], getenv("VMAF_BACKEND_PATH")) != 0 && !path[1]);
    REQUIRE(!probe_cache_key_create("/plugin.so"));
    char *helper = install_path_helper();
    REQUIRE(helper && strcmp(helper, INSTALLED_HELPER) == 0);
    free(helper);
    return 0;
}

CASE(given_borrowed_rights_then_the_environment_decides_nothing)
{
    if (geteuid() != 0)
        skip();
    const char *copy = scratch_path("privileged");
    copy_file("/proc/self/exe", copy, SIZE_MAX);
    assert_int_equal(chown(copy, 65534, (gid_t)-1), 0);
    assert_int_equal(chmod(copy, 04755), 0);
    pid_t child = fork();
    if (child == 0) {
        setenv("VMAF_BACKEND_PATH", HOSTILE_DIR, 1);
        setenv("XDG_CACHE_HOME", "/tmp", 1);
        execl(copy, copy, "--privileged", (char *)NULL);
        _exit(98);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

/* ---- Without the helper ---- */

static void expect_no_helper(void *argument)
{
    BackendAvailability availability = availability_of("good");
    REQUIRE(availability.state == BACKEND_PLUGIN_LOAD_ERROR);
    REQUIRE(strstr(availability.why.text, argument));
}

static void expect_good(void *argument)
{
    REQUIRE(availability_of("good").state == BACKEND_USABLE);
}

CASE(given_no_helper_then_unusable_unless_inprocess)
{
    const char *broken = scratch_path("broken-helper");
    file_put_text(broken, "not a program");
    assert_int_equal(chmod(broken, 0755), 0);
    ChildSettings settings = {.helper = "/nonexistent/helper"};
    in_child(&settings, expect_no_helper, (char[]){"/nonexistent/helper"});
    settings.inprocess = true;
    in_child(&settings, expect_good, NULL);
    settings = (ChildSettings){.helper = broken};
    in_child(&settings, expect_no_helper, (char[]){"cannot be started"});
    settings.helper = "/bin/true";
    in_child(&settings, expect_no_helper, (char[]){"without a result"});
    settings.helper = "/bin/cat"; /* answers with nothing that makes sense */
    in_child(&settings, expect_no_helper, (char[]){"without a result"});
}

/* ---- Hosts of all kinds ---- */

static void expect_good_and_crash(void)
{
    REQUIRE(availability_of("good").state == BACKEND_USABLE);
    BackendAvailability availability = availability_of("crashprob");
    REQUIRE(availability.state == BACKEND_PLUGIN_LOAD_ERROR);
    REQUIRE(strstr(availability.why.text, "SIGSEGV"));
}

static void ignore_children(void *argument)
{
    signal(SIGCHLD, SIG_IGN);
    expect_good_and_crash();
}

static void reap_all(int number)
{
    int saved = errno;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    errno = saved;
}

static void reap_children(void *argument)
{
    signal(SIGCHLD, reap_all);
    expect_good_and_crash();
}

static void block_signals(void *argument)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    signal(SIGSEGV, SIG_IGN);
    signal(SIGALRM, SIG_IGN);
    expect_good_and_crash();
    /* None of this is passed on. */
    BackendEntry *entry = backend_registry_find("signals");
    backend_registry_probe(&entry, 1);
    REQUIRE(entry->probe.fault.state == BACKEND_USABLE);
}

static void close_streams(void *argument)
{
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    expect_good_and_crash();
}

CASE(given_unusual_hosts_then_probing_works)
{
    in_child(NULL, ignore_children, NULL);
    in_child(NULL, reap_children, NULL);
    in_child(NULL, block_signals, NULL);
    in_child(NULL, close_streams, NULL);
}

/* ---- Threads ---- */

enum { THREADS = 8 };

static void *load_good(void *argument)
{
    const Plugin **plugin = argument;
    BackendAvailability availability;
    *plugin = backend_entry_load(backend_registry_find("good"), &availability);
    return NULL;
}

static void race(void *argument)
{
    pthread_t threads[THREADS];
    const Plugin *plugins[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, load_good, &plugins[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(plugins[i] && plugins[i] == plugins[0]);
}

CASE(given_threads_that_race_then_they_share_one_plugin)
{
    for (int i = 0; i < 5; i++)
        in_child(NULL, race, NULL);
}

/* A file that plugins add a byte to which loop, until it is gone. */
static const char *begin_loops(void)
{
    const char *path = scratch_path("loops");
    file_put_text(path, "");
    REQUIRE(setenv("VMAF_TEST_LOOPS", path, 1) == 0);
    return path;
}

static void wait_for_loops(const char *path, off_t n)
{
    struct stat status = {.st_size = 0};
    while (status.st_size < n) {
        usleep(1000);
        REQUIRE(stat(path, &status) == 0);
    }
}

static void *end_four_loops(void *path)
{
    wait_for_loops(path, 4);
    unlink(path);
    return NULL;
}

static void try_many(void *argument)
{
    static const char *const names[] = {"loopcons", "loopentr", "loopprob", "loopopen", "good"};
    BackendEntry *entries[5];
    for (int i = 0; i < 5; i++)
        entries[i] = backend_registry_find(names[i]);
    const char *loops = begin_loops();
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, end_four_loops, (void *)loops) == 0);
    backend_registry_probe(entries, 5);
    pthread_join(thread, NULL);
    for (int i = 0; i < 5; i++)
        REQUIRE(availability_of(names[i]).state == BACKEND_USABLE);
}

CASE(given_several_plugins_then_they_are_tried_out_at_once)
{
    const ChildSettings settings = {.time_limit_ms = 3600000};
    in_child(&settings, try_many, NULL);
}

/* ---- Forks ---- */

/* The thread sanitizer would end a child that starts threads, since the parent has the one of the
 * clock. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

static void await(pid_t child)
{
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

CASE_IN_CHILD(given_a_fork_then_what_was_loaded_is_unusable_in_the_child)
{
    BackendEntry *inherited = backend_registry_find("good"); /* found, but nothing is loaded yet */
    pid_t early = fork();
    if (early == 0) {
        REQUIRE(availability_of("good").state == BACKEND_USABLE);
        _exit(0);
    }
    await(early);

    REQUIRE(availability_of("good").state == BACKEND_USABLE);
    pid_t late = fork();
    if (late == 0) {
        BackendAvailability availability;
        REQUIRE(!backend_entry_load(inherited, &availability));
        REQUIRE(availability.state == BACKEND_INIT_FAILED &&
                strstr(availability.why.text, "forked"));
        REQUIRE(strstr(availability_of("good").why.text, "forked"));
        /* What the parent has not touched can be used. */
        REQUIRE(availability_of("newerminor").state == BACKEND_USABLE);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            REQUIRE(strstr(availability_of("good").why.text, "forked"));
            REQUIRE(strstr(availability_of("newerminor").why.text, "forked"));
            REQUIRE(availability_of("olderminor").state == BACKEND_USABLE);
            _exit(0);
        }
        await(grandchild);
        _exit(0);
    }
    await(late);
    REQUIRE(availability_of("good").state == BACKEND_USABLE);
}

static void *load_that_hangs(void *argument)
{
    BackendAvailability availability;
    backend_entry_load(backend_registry_find("loopcons"), &availability);
    return NULL;
}

static void fork_while_loading(void *argument)
{
    pthread_t thread;
    REQUIRE(backend_registry_find("good"));
    const char *loops = begin_loops();
    REQUIRE(pthread_create(&thread, NULL, load_that_hangs, NULL) == 0);
    wait_for_loops(loops, 1); /* it is in the constructor now */
    pid_t child = fork();
    if (child == 0) {
        alarm(1800);
        REQUIRE(strstr(availability_of("good").why.text, "forked"));
        REQUIRE(strstr(availability_of("loopcons").why.text, "forked"));
        REQUIRE(backend_registry_find("cuda"));
        _exit(0);
    }
    await(child);
    pthread_join(thread, NULL);
    /* Nor does it stop the parent, which says why it loads no more. */
    REQUIRE(strstr(availability_of("loopcons").why.text, "took longer than 2000 ms"));
    REQUIRE(strstr(availability_of("good").why.text, "another plugin"));
    _exit(0); /* the dynamic linker's lock is held for ever */
}

CASE(given_a_load_that_hangs_then_neither_parent_nor_child_waits)
{
    const ChildSettings settings = {.inprocess = true, .time_limit_ms = 2000};
#ifdef VMAF_SANITIZED
    skip(); /* what another thread locks of their allocators at a fork stays locked in the child */
#endif
    in_child(&settings, fork_while_loading, NULL);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--privileged") == 0)
        _exit(look_as_privileged()); /* where no sanitizer could look for leaks */
    if (argc == 4 && strcmp(argv[1], "--group") == 0)
        _exit(look_as_group(argv[2], argv[3]));
    return run_cases(argc, argv);
}
