/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is remembered of plugins that were probed, and when it stops counting. The helper is a
 * script that counts how often it is called. */

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "loader_harness.h"

typedef struct Fixture {
    char plugins[256]; /* directory with a copy of the plugins that are probed */
    char cache[256];   /* XDG_CACHE_HOME */
    char helper[256];
    char log[256]; /* grows by a byte with each call */
} Fixture;

static long file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (long)status.st_size : 0;
}

static int set_up(void **state)
{
    static unsigned number;
    static Fixture fixture;
    char name[32], script[1024];
    snprintf(name, sizeof(name), "case-%u", number++);
    const char *home = scratch_path(name);
    assert_int_equal(mkdir(home, 0755), 0);
    snprintf(fixture.plugins, sizeof(fixture.plugins), "%s/plugins", home);
    snprintf(fixture.cache, sizeof(fixture.cache), "%s/cache", home);
    snprintf(fixture.helper, sizeof(fixture.helper), "%s/helper", home);
    snprintf(fixture.log, sizeof(fixture.log), "%s/log", home);
    assert_int_equal(mkdir(fixture.plugins, 0755), 0);
    assert_int_equal(mkdir(fixture.cache, 0700), 0);
    snprintf(script, sizeof(script), "#!/bin/sh\nprintf x >>%s\nexec %s \"$@\"\n", fixture.log,
             HELPER);
    file_put_text(fixture.helper, script);
    assert_int_equal(chmod(fixture.helper, 0755), 0);
    install_plugin(fixture.plugins, "good");
    install_plugin(fixture.plugins, "crashprob");
    install_plugin(fixture.plugins, "novendor");
    *state = &fixture;
    return 0;
}

typedef struct Ask {
    const char *plugin;
    const char *variable, *value; /* set before, or NULL */
    BackendAvailability *availability;
} Ask;

static void ask(void *argument)
{
    const Ask *what = argument;
    BackendDeviceList result;
    if (what->variable)
        REQUIRE(setenv(what->variable, what->value, 1) == 0);
    BackendEntry *entry = backend_registry_find(what->plugin);
    REQUIRE(entry);
    backend_entry_enumerate(entry, &result, what->availability);
}

/* Probes in a new process; how often the helper was called. */
static long calls_with(const Fixture *fixture, const char *plugin, const char *variable,
                       const char *value, BackendAvailability *availability_out)
{
    const ChildSettings settings = {
        .search_path = fixture->plugins, .helper = fixture->helper, .cache = fixture->cache};
    BackendAvailability *availability = shared_memory(sizeof(*availability));
    Ask what = {plugin, variable, value, availability};
    long before = file_size(fixture->log);
    in_child(&settings, ask, &what);
    if (availability_out)
        *availability_out = *availability;
    else
        assert_int_equal(availability->state, BACKEND_USABLE);
    return file_size(fixture->log) - before;
}

static long calls(const Fixture *fixture)
{
    return calls_with(fixture, "good", NULL, NULL, NULL);
}

/* And none the next time. */
static void expect_one_call(const Fixture *fixture)
{
    assert_int_equal(calls(fixture), 1);
    assert_int_equal(calls(fixture), 0);
}

/* The only record in the cache. */
static void find_record(const Fixture *fixture, char *path, size_t size)
{
    char directory[300];
    snprintf(directory, sizeof(directory), "%s/libvmaf", fixture->cache);
    DIR *listing = opendir(directory);
    assert_non_null(listing);
    int found = 0;
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, size, "%s/%s", directory, entry->d_name);
        found++;
    }
    closedir(listing);
    assert_int_equal(found, 1);
}

static size_t read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t used = fread(text, 1, size - 1, file);
    text[used] = '\0';
    fclose(file);
    return used;
}

/* ---- Remembered ---- */

CASE_WITH(given_a_clean_plugin_then_the_helper_is_called_once, set_up, NULL)
{
    const Fixture *fixture = *state;
    expect_one_call(fixture);
    assert_int_equal(calls(fixture), 0);

    char path[600];
    struct stat status;
    find_record(fixture, path, sizeof(path));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    *strrchr(path, '/') = '\0';
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
}

CASE_WITH(given_a_crash_then_it_is_remembered_for_an_hour, set_up, NULL)
{
    const Fixture *fixture = *state;
    BackendAvailability availability;
    assert_int_equal(calls_with(fixture, "crashprob", NULL, NULL, &availability), 1);
    assert_int_equal(availability.state, BACKEND_PLUGIN_LOAD_ERROR);
    assert_null(strstr(availability.why.text, "(remembered)"));
    assert_int_equal(calls_with(fixture, "crashprob", NULL, NULL, &availability), 0);
    assert_int_equal(availability.state, BACKEND_PLUGIN_LOAD_ERROR);
    assert_non_null(strstr(availability.why.text, "probe crashed (SIGSEGV)"));
    assert_non_null(strstr(availability.why.text, "(remembered)"));

    static const long ages[] = {3000, 3610, -100}; /* time goes on meanwhile */
    static const long expected[] = {0, 1, 1};
    for (int i = 0; i < 3; i++) {
        char path[600], text[65536], changed[65600];
        find_record(fixture, path, sizeof(path));
        read_text(path, text, sizeof(text));
        char *line = strstr(text, "\nfaulty ");
        assert_non_null(line);
        char *reason = strchr(line + 8, ' ');
        assert_non_null(reason);
        snprintf(changed, sizeof(changed), "%.*s\nfaulty %lld%s", (int)(line - text), text,
                 (long long)time(NULL) - ages[i], reason);
        file_put_text(path, changed);
        assert_int_equal(calls_with(fixture, "crashprob", NULL, NULL, &availability), expected[i]);
    }
}

/* ---- No longer true ---- */

/* As if it had been made a second later than it was: times of files are coarse. */
static void make_later(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = status.st_mtime + 1}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

CASE_WITH(given_a_changed_file_then_it_is_tried_out_again, set_up, NULL)
{
    const Fixture *fixture = *state;
    char path[400];
    snprintf(path, sizeof(path), "%s/libvmaf-backend-good.so", fixture->plugins);
    assert_int_equal(calls(fixture), 1);
    install_plugin(fixture->plugins, "good");
    make_later(path);
    expect_one_call(fixture);
}

CASE_WITH(given_a_changed_library_then_it_is_tried_out_again, set_up, NULL)
{
    const Fixture *fixture = *state;
    char directory[300], library[400];
    BackendAvailability availability;
    snprintf(directory, sizeof(directory), "%s/vendor", fixture->plugins);
    snprintf(library, sizeof(library), "%s/libvmaf-test-vendor.so", directory);
    assert_int_equal(mkdir(directory, 0755), 0);
    copy_file(VENDOR_LIBRARY, library, SIZE_MAX);
    /* Where the host that runs already does not look, so that it is missing there. */
    assert_int_equal(calls_with(fixture, "novendor", "LD_LIBRARY_PATH", directory, &availability),
                     1);
    assert_int_equal(calls_with(fixture, "novendor", "LD_LIBRARY_PATH", directory, &availability),
                     0);
    assert_int_equal(availability.state, BACKEND_DRIVER_MISSING);
    copy_file(VENDOR_LIBRARY, library, SIZE_MAX);
    make_later(library);
    assert_int_equal(calls_with(fixture, "novendor", "LD_LIBRARY_PATH", directory, &availability),
                     1);
    assert_int_equal(calls_with(fixture, "novendor", "LD_LIBRARY_PATH", directory, &availability),
                     0);
}

CASE_WITH(given_a_changed_variable_then_it_is_tried_out_again, set_up, NULL)
{
    const Fixture *fixture = *state;
    assert_int_equal(calls(fixture), 1);
    static const char *const relevant[] = {"VK_ICD_FILENAMES", "VK_DRIVER_FILES",
                                           "CUDA_VISIBLE_DEVICES", "ZE_AFFINITY_MASK",
                                           "HIP_VISIBLE_DEVICES"};
    for (size_t i = 0; i < sizeof(relevant) / sizeof(relevant[0]); i++) {
        assert_int_equal(calls_with(fixture, "good", relevant[i], "1", NULL), 1);
        assert_int_equal(calls_with(fixture, "good", relevant[i], "1", NULL), 0);
        assert_int_equal(calls_with(fixture, "good", relevant[i], "2", NULL), 1);
    }
    assert_int_equal(calls(fixture), 1);
    assert_int_equal(calls_with(fixture, "good", "EDITOR", "vi", NULL), 0);
}

CASE_WITH(given_another_boot_then_it_is_tried_out_again, set_up, NULL)
{
    const Fixture *fixture = *state;
    assert_int_equal(calls(fixture), 1);
    char path[600], text[65536];
    find_record(fixture, path, sizeof(path));
    size_t size = read_text(path, text, sizeof(text));
    char *boot = strstr(text, "\nboot ");
    assert_non_null(boot);
    assert_true(strcspn(boot + 6, "\n") > 8); /* of this machine and this start of it */
    boot[6] = boot[6] == 'z' ? 'y' : 'z';
    file_put(path, text, size);
    expect_one_call(fixture);
}

/* ---- Not ours, or broken ---- */

CASE_WITH(given_records_that_make_no_sense_then_they_are_replaced, set_up, NULL)
{
    const Fixture *fixture = *state;
    assert_int_equal(calls(fixture), 1);
    char path[600], text[65536];
    find_record(fixture, path, sizeof(path));
    size_t size = read_text(path, text, sizeof(text));
    char *availability = strstr(text, "\nclean\n");
    assert_non_null(availability);

    file_put_text(path, "");
    assert_int_equal(calls(fixture), 1);
    file_put(path, text, size / 2);
    assert_int_equal(calls(fixture), 1);
    file_put(path, text, (size_t)(availability - text) + 1); /* without the availability */
    assert_int_equal(calls(fixture), 1);
    availability[1] = 'C';
    file_put(path, text, size);
    assert_int_equal(calls(fixture), 1);
    availability[1] = 'c';
    text[size] = 'x'; /* something behind it */
    text[size + 1] = '\n';
    file_put(path, text, size + 2);
    expect_one_call(fixture);
}

/* What earlier versions of the library have remembered, in their words. */
CASE_WITH(given_records_of_earlier_versions_then_they_do_not_count, set_up, NULL)
{
    static const char *const words[] = {"harmless", "harmful 99999999999 it crashed"};
    const Fixture *fixture = *state;
    assert_int_equal(calls(fixture), 1);
    char path[600], text[65536], old[65700];
    find_record(fixture, path, sizeof(path));
    read_text(path, text, sizeof(text));
    char *probe = strstr(text, " probe 3\n"), *last = strstr(text, "\nclean\n");
    assert_non_null(probe);
    assert_non_null(last);
    for (int version = 2; version <= 3; version++) {
        for (int i = 0; i < 2; i++) {
            BackendAvailability availability;
            probe[7] = (char)('0' + version);
            snprintf(old, sizeof(old), "%.*s\n%s\n", (int)(last - text), text, words[i]);
            file_put_text(path, old);
            assert_int_equal(calls_with(fixture, "good", NULL, NULL, &availability), 1);
            assert_int_equal(availability.state, BACKEND_USABLE);
        }
    }
    probe[7] = '2'; /* the word alone makes it no newer */
    file_put_text(path, text);
    expect_one_call(fixture);
}

CASE_WITH(given_a_record_that_others_can_touch_then_it_does_not_count, set_up, NULL)
{
    const Fixture *fixture = *state;
    assert_int_equal(calls(fixture), 1);
    char path[600], moved[600];
    find_record(fixture, path, sizeof(path));
    assert_int_equal(chmod(path, 0644), 0);
    expect_one_call(fixture);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 1, 1), 0);
        expect_one_call(fixture);
    }

    /* A link is not followed: neither read, nor written through. */
    snprintf(moved, sizeof(moved), "%s/moved", fixture->plugins);
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(symlink(moved, path), 0);
    char before[65536], after[65536];
    read_text(moved, before, sizeof(before));
    assert_int_equal(calls(fixture), 1);
    read_text(moved, after, sizeof(after));
    assert_string_equal(before, after);
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
}

CASE_WITH(given_a_helper_that_says_nothing_then_nothing_is_remembered, set_up, NULL)
{
    const Fixture *fixture = *state;
    char script[1024];
    BackendAvailability availability;
    snprintf(script, sizeof(script), "#!/bin/sh\nprintf x >>%s\nkill -9 $$\n", fixture->log);
    file_put_text(fixture->helper, script);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(calls_with(fixture, "good", NULL, NULL, &availability), 1);
        assert_int_equal(availability.state, BACKEND_PLUGIN_LOAD_ERROR);
        assert_non_null(strstr(availability.why.text, "without a result"));
    }
}

CASE_WITH(given_a_directory_that_is_not_private_then_nothing_is_remembered, set_up, NULL)
{
    const Fixture *fixture = *state;
    char directory[300], elsewhere[300];
    snprintf(directory, sizeof(directory), "%s/libvmaf", fixture->cache);
    snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", fixture->cache);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(symlink(elsewhere, directory), 0);
    assert_int_equal(calls(fixture), 1);
    assert_int_equal(calls(fixture), 1);
    assert_int_equal(unlink(directory), 0);
    assert_int_equal(rmdir(elsewhere), 0); /* nothing was written there */

    assert_int_equal(mkdir(directory, 0700), 0);
    static const mode_t modes[] = {0777, 0770, 0707};
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        assert_int_equal(chmod(directory, modes[i]), 0);
        assert_int_equal(calls(fixture), 1);
        assert_int_equal(calls(fixture), 1);
    }
    assert_int_equal(chmod(directory, 0755), 0);
    expect_one_call(fixture);
}

CASE_WITH(given_no_place_to_write_then_it_works_without, set_up, NULL)
{
    Fixture *fixture = *state;
    static const char *const places[] = {"/nonexistent/cache", "/proc", "/dev/null", "relative"};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(fixture->cache, sizeof(fixture->cache), "%s", places[i]);
        assert_int_equal(calls_with(fixture, "good", "HOME", "/nonexistent", NULL), 1);
        assert_int_equal(calls_with(fixture, "good", "HOME", "/nonexistent", NULL), 1);
    }
}

CASE_WITH(given_no_cache_variable_then_the_home_directory_is_used, set_up, NULL)
{
    Fixture *fixture = *state;
    char home[256];
    snprintf(home, sizeof(home), "%s", fixture->cache);
    fixture->cache[0] = '\0'; /* an empty variable is as good as none */
    assert_int_equal(calls_with(fixture, "good", "HOME", home, NULL), 1);
    assert_int_equal(calls_with(fixture, "good", "HOME", home, NULL), 0);
    snprintf(fixture->cache, sizeof(fixture->cache), "%.200s/.cache", home);
    assert_int_equal(calls(fixture), 0);
}
