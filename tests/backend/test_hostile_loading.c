/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Whatever a plugin does while it is found, loaded and probed: the host is unaffected, and says
 * what is wrong with the plugin. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader_harness.h"

#ifdef __x86_64__
#define DENORMALS "loading it set denormals-are-zero"
#else
#define DENORMALS "loading it"
#endif

typedef struct Case {
    const char *plugin;
    BackendState state;
    const char *words;      /* in the reason */
    unsigned n_devices;     /* that are known afterwards */
    unsigned time_limit_ms; /* 0: the usual one */
} Case;

typedef struct Outcome {
    int result;
    BackendAvailability availability;
    unsigned n_devices;
    bool loaded;
} Outcome;

typedef struct Look {
    const Case *subject;
    Outcome *outcome;
} Look;

static void probe_plugin(void *argument)
{
    const Look *look = argument;
    Outcome *outcome = look->outcome;
    HostCheck *check = host_check_begin();
    BackendEntry *entry = backend_registry_find(look->subject->plugin);
    REQUIRE(entry);
    BackendDeviceList result;
    outcome->result = backend_entry_enumerate(entry, &result, &outcome->availability);
    outcome->n_devices = result.n_devices;
    BackendAvailability availability;
    outcome->loaded = backend_entry_load(entry, &availability) != NULL;
    host_check_end(check);
}

static void expect(const Case *subject, const ChildSettings *settings)
{
    Outcome *outcome = shared_memory(sizeof(*outcome));
    Look look = {subject, outcome};
    ChildSettings own = settings ? *settings : (ChildSettings){0};
    if (subject->time_limit_ms)
        own.time_limit_ms = subject->time_limit_ms;
    in_child(&own, probe_plugin, &look);
    bool right = outcome->availability.state == subject->state &&
                 strstr(outcome->availability.why.text, subject->words) &&
                 outcome->n_devices == subject->n_devices &&
                 (outcome->result == 0) == (subject->state == BACKEND_USABLE) &&
                 (outcome->result == 0 || outcome->result == outcome->availability.error);
    if (!right)
        fail_msg("%s: state %d, error %d, %u devices, \"%s\"", subject->plugin,
                 (int)outcome->availability.state, outcome->result, outcome->n_devices,
                 outcome->availability.why.text);
}

static void expect_all(const Case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(&cases[i], NULL);
}

#define EXPECT_ALL(cases) expect_all(cases, sizeof(cases) / sizeof(cases[0]))

CASE(given_a_sound_plugin_then_it_is_usable)
{
    static const Case cases[] = {
        {"good", BACKEND_USABLE, "", 1, 0},       {"newerminor", BACKEND_USABLE, "", 1, 0},
        {"olderminor", BACKEND_USABLE, "", 1, 0}, {"badtext", BACKEND_USABLE, "", 1, 0},
        {"notext", BACKEND_USABLE, "", 1, 0},     {"newrecord", BACKEND_USABLE, "", 1, 0},
    };
    EXPECT_ALL(cases);
}

CASE(given_a_file_that_is_no_plugin_then_the_reason_says_so)
{
    const char *directory = scratch_path("files");
    assert_int_equal(mkdir(directory, 0700), 0);
    char path[512];
    snprintf(path, sizeof(path), "%s/libvmaf-backend-textfile.so", directory);
    file_put_text(path, "#!/bin/sh\necho no\n");
    snprintf(path, sizeof(path), "%s/libvmaf-backend-empty.so", directory);
    file_put_text(path, "");
    snprintf(path, sizeof(path), "%s/libvmaf-backend-truncated.so", directory);
    copy_file(HOSTILE_DIR "/libvmaf-backend-good.so", path, 3000);
    snprintf(path, sizeof(path), "%s/libvmaf-backend-header.so", directory);
    copy_file(HOSTILE_DIR "/libvmaf-backend-good.so", path, 40);

    const ChildSettings settings = {.search_path = directory};
    static const Case cases[] = {
        {"textfile", BACKEND_PLUGIN_LOAD_ERROR, "libvmaf-backend-textfile.so: ", 0, 0},
        {"empty", BACKEND_PLUGIN_LOAD_ERROR, "libvmaf-backend-empty.so: ", 0, 0},
        {"header", BACKEND_PLUGIN_LOAD_ERROR, "libvmaf-backend-header.so: ", 0, 0},
        /* Mapped beyond its end it may crash the loader, or be rejected by it. */
        {"truncated", BACKEND_PLUGIN_LOAD_ERROR, "", 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect(&cases[i], &settings);
}

CASE(given_a_plugin_that_cannot_be_bound_then_the_loader_is_quoted)
{
    static const Case cases[] = {
        {"undefined", BACKEND_PLUGIN_LOAD_ERROR, "vmaf_test_symbol_that_does_not_exist", 0, 0},
        {"novendor", BACKEND_DRIVER_MISSING, "libvmaf-test-vendor.so: ", 0, 0},
        {"nosymbol", BACKEND_PLUGIN_LOAD_ERROR, "does not export vmaf_backend_entry", 0, 0},
    };
    EXPECT_ALL(cases);
}

CASE(given_another_major_version_then_refused_with_both_numbers)
{
    static const Case cases[] = {
        {"newermajor", BACKEND_ABI_MISMATCH, "built for ABI 2, host has 1", 0, 0},
        {"oldermajor", BACKEND_ABI_MISMATCH, "built for ABI 0, host has 1", 0, 0},
    };
    EXPECT_ALL(cases);
}

CASE(given_a_wrong_descriptor_then_the_reason_names_the_member)
{
    static const Case cases[] = {
        {"returnsnull", BACKEND_PLUGIN_LOAD_ERROR, "returned NULL", 0, 0},
        {"sizezero", BACKEND_PLUGIN_LOAD_ERROR, "struct_size is 0", 0, 0},
        {"sizesmall", BACKEND_PLUGIN_LOAD_ERROR, "struct_size is 100", 0, 0},
        {"sizehuge", BACKEND_PLUGIN_LOAD_ERROR, "not believed", 0, 0},
        {"sizelie", BACKEND_PLUGIN_LOAD_ERROR, "memory_register does not point to code", 0, 0},
        {"illegalname", BACKEND_PLUGIN_LOAD_ERROR, "not a legal name", 0, 0},
        {"noname", BACKEND_PLUGIN_LOAD_ERROR, "not a legal name", 0, 0},
        {"othername", BACKEND_PLUGIN_LOAD_ERROR, "calls itself 'cuda'", 0, 0},
        {"nofunction", BACKEND_PLUGIN_LOAD_ERROR, "function submit is missing", 0, 0},
        {"somebuffers", BACKEND_PLUGIN_LOAD_ERROR, "buffer_info or buffer_release is missing", 0,
         0},
        {"unregister", BACKEND_PLUGIN_LOAD_ERROR, "there is only one", 0, 0},
        {"marksalone", BACKEND_PLUGIN_LOAD_ERROR, "there is only one", 0, 0},
        {"badclass", BACKEND_PLUGIN_LOAD_ERROR, "backend_class is 9", 0, 0},
    };
    EXPECT_ALL(cases);
}

CASE(given_a_wrong_list_of_features_then_the_reason_names_the_feature)
{
    static const Case cases[] = {
        {"samefeature", BACKEND_PLUGIN_LOAD_ERROR, "feature 'psnr': it is listed twice", 0, 0},
        {"sameoption", BACKEND_PLUGIN_LOAD_ERROR, "'enable_chroma' is listed twice", 0, 0},
        {"manyfeatures", BACKEND_PLUGIN_LOAD_ERROR, "lists 1000000 features", 0, 0},
        {"manyoptions", BACKEND_PLUGIN_LOAD_ERROR, "more than 64 options or outputs", 0, 0},
        {"manyoutputs", BACKEND_PLUGIN_LOAD_ERROR, "more than 64 options or outputs", 0, 0},
        {"badfeature", BACKEND_PLUGIN_LOAD_ERROR, "feature 0: its name is not legal", 0, 0},
        {"baddepth", BACKEND_PLUGIN_LOAD_ERROR, "depths 4 to 16", 0, 0},
        {"norecord", BACKEND_PLUGIN_LOAD_ERROR, "its record has no legal name", 0, 0},
        {"noplanes", BACKEND_PLUGIN_LOAD_ERROR, "it reads no plane", 0, 0},
        {"threebefore", BACKEND_PLUGIN_LOAD_ERROR, "more than 2 earlier pictures", 0, 0},
        {"overrunoption", BACKEND_PLUGIN_LOAD_ERROR, "writes beyond the structure", 0, 0},
        {"overrun", BACKEND_PLUGIN_LOAD_ERROR, "writes beyond the structure", 0, 0},
    };
    EXPECT_ALL(cases);
}

CASE(given_a_crash_then_the_signal_is_named)
{
    static const Case cases[] = {
        {"crashcons", BACKEND_PLUGIN_LOAD_ERROR, "probe crashed (SIGSEGV) while it was loaded", 0,
         0},
        {"crashentr", BACKEND_PLUGIN_LOAD_ERROR, "probe crashed (SIGSEGV)", 0, 0},
        {"crashprob", BACKEND_PLUGIN_LOAD_ERROR,
         "probe crashed (SIGSEGV) while it looked for devices", 0, 0},
        {"crashopen", BACKEND_PLUGIN_LOAD_ERROR, "probe crashed (SIGSEGV) while it opened a device",
         0, 0},
        {"abortcons", BACKEND_PLUGIN_LOAD_ERROR, "probe crashed (SIGABRT)", 0, 0},
        {"abortentr", BACKEND_PLUGIN_LOAD_ERROR, "probe crashed (SIGABRT)", 0, 0},
        {"abortprob", BACKEND_PLUGIN_LOAD_ERROR, "probe crashed (SIGABRT)", 0, 0},
        {"abortopen", BACKEND_PLUGIN_LOAD_ERROR, "probe crashed (SIGABRT)", 0, 0},
        /* The C library aborts, a sanitizer ends the program. */
        {"corrupt", BACKEND_PLUGIN_LOAD_ERROR, "while it looked for devices", 0, 0},
    };
    EXPECT_ALL(cases);
}

CASE(given_an_exit_then_its_status_is_named)
{
    static const Case cases[] = {
        {"exitcons", BACKEND_PLUGIN_LOAD_ERROR, "exit status 3", 0, 0},
        {"exitentr", BACKEND_PLUGIN_LOAD_ERROR, "exit status 3", 0, 0},
        {"exitprob", BACKEND_PLUGIN_LOAD_ERROR, "exit status 3", 0, 0},
        {"exitopen", BACKEND_PLUGIN_LOAD_ERROR, "exit status 3", 0, 0},
    };
    EXPECT_ALL(cases);
}

CASE(given_an_endless_loop_then_it_is_ended_after_the_time_limit)
{
    static const Case cases[] = {
        {"loopcons", BACKEND_PLUGIN_LOAD_ERROR, "probe timed out after 1 s while it was loaded", 0,
         1000},
        {"loopentr", BACKEND_PLUGIN_LOAD_ERROR, "probe timed out after 300 ms", 0, 300},
        {"loopprob", BACKEND_PLUGIN_LOAD_ERROR, "probe timed out after 300 ms", 0, 300},
        {"loopopen", BACKEND_PLUGIN_LOAD_ERROR, "probe timed out after 300 ms", 0, 300},
        {"spinprob", BACKEND_PLUGIN_LOAD_ERROR, "probe timed out after 100 ms", 0, 100},
    };
    EXPECT_ALL(cases);
}

/* The process in which this is asked ends as any program does, with the plugin in it if it was let
 * in: in_child fails unless it ends well. */
CASE(given_a_fault_when_the_process_ends_then_it_is_known_before)
{
    static const char while_ending[] = "while the process ended";
    static const Case cases[] = {
        {"crashdest", BACKEND_PLUGIN_LOAD_ERROR, "probe crashed (SIGSEGV) while the process ended",
         0, 0},
        {"crashatex", BACKEND_PLUGIN_LOAD_ERROR, "probe crashed (SIGSEGV) while the process ended",
         0, 0},
        {"abortdest", BACKEND_PLUGIN_LOAD_ERROR, while_ending, 0, 0},
        {"abortatex", BACKEND_PLUGIN_LOAD_ERROR, while_ending, 0, 0},
        {"loopdest", BACKEND_PLUGIN_LOAD_ERROR, "probe timed out after 3 s while the process ended",
         0, 3000},
        {"loopatex", BACKEND_PLUGIN_LOAD_ERROR, "probe timed out after 3 s while the process ended",
         0, 3000},
        {"exitdest", BACKEND_PLUGIN_LOAD_ERROR, while_ending, 0, 0},
        /* What it cuts off is what the program still has to write. */
        {"quitdest", BACKEND_PLUGIN_LOAD_ERROR,
         "probe ended early (exit status 0) while the process ended", 0, 0},
        {"quitprob", BACKEND_PLUGIN_LOAD_ERROR,
         "probe ended early (exit status 0) while it looked for devices", 0, 0},
        {"printdest", BACKEND_PLUGIN_LOAD_ERROR, "probe wrote to standard output", 0, 0},
        {"printatex", BACKEND_PLUGIN_LOAD_ERROR, "probe wrote to standard output", 0, 0},
    };
    EXPECT_ALL(cases);
}

CASE(given_a_gigabyte_before_a_device_is_open_then_refused)
{
    /* A busy machine may take its time to hand out so much. */
    static const Case cases[] = {
        {"allocatecons", BACKEND_PLUGIN_LOAD_ERROR, "loading it took", 0, 60000},
        {"allocateentr", BACKEND_PLUGIN_LOAD_ERROR, "loading it took", 0, 60000},
        {"allocateprob", BACKEND_PLUGIN_LOAD_ERROR, "probing it took", 0, 60000},
        {"allocateopen", BACKEND_USABLE, "", 1, 60000},
    };
    EXPECT_ALL(cases);
}

CASE(given_changes_to_the_process_then_refused_by_name)
{
    static const Case cases[] = {
        {"printcons", BACKEND_PLUGIN_LOAD_ERROR, "probe wrote to standard output", 0, 0},
        {"printprob", BACKEND_PLUGIN_LOAD_ERROR, "probe wrote to standard output", 0, 0},
        {"localecons", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the locale", 0, 0},
        {"localeprob", BACKEND_PLUGIN_LOAD_ERROR, "probing it changed the locale", 0, 0},
        {"handlercons", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the handler of signal", 0,
         0},
        {"handlerprob", BACKEND_PLUGIN_LOAD_ERROR, "probing it changed the handler of signal", 0,
         0},
        {"directory", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the current directory", 0, 0},
        {"umaskcons", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the file mode mask", 0, 0},
        {"umaskprob", BACKEND_PLUGIN_LOAD_ERROR, "probing it changed the file mode mask", 0, 0},
        {"limitcons", BACKEND_PLUGIN_LOAD_ERROR, "changed the resource limit RLIMIT_NOFILE", 0, 0},
        {"limitclos", BACKEND_PLUGIN_LOAD_ERROR, "changed the resource limit RLIMIT_NOFILE", 0, 0},
        {"streamcons", BACKEND_PLUGIN_LOAD_ERROR, "loading it closed file descriptor 2", 0, 0},
        {"streamprob", BACKEND_PLUGIN_LOAD_ERROR, "probing it closed file descriptor 2", 0, 0},
        /* Nothing can be reported over a descriptor that is gone. */
        {"closecons", BACKEND_PLUGIN_LOAD_ERROR, "it closed file descriptors of the process", 0, 0},
        {"closeopen", BACKEND_PLUGIN_LOAD_ERROR, "it closed file descriptors of the process", 0, 0},
        {"flagsprob", BACKEND_PLUGIN_LOAD_ERROR, "the flags of file descriptor 0", 0, 0},
        {"flushtozero", BACKEND_PLUGIN_LOAD_ERROR, "loading it set flush-to-zero", 0, 0},
        {"denormals", BACKEND_PLUGIN_LOAD_ERROR, DENORMALS, 0, 0},
        {"traps", BACKEND_PLUGIN_LOAD_ERROR, "which floating-point exceptions trap", 0, 0},
        {"threadlocale", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the locale", 0, 0},
        {"rounding", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the rounding mode", 0, 0},
        /* What changes during a call is put back after it. */
        {"fpuprob", BACKEND_USABLE, "", 1, 0},
    };
    EXPECT_ALL(cases);
}

CASE(given_what_devices_are_there_then_the_state_fits)
{
    static const Case cases[] = {
        {"nodevice", BACKEND_NO_DEVICE, "nothing is plugged in", 0, 0},
        {"manydevices", BACKEND_USABLE, "", 64, 0},
        {"nodriver", BACKEND_DRIVER_MISSING, "the driver is not loaded", 0, 0},
        {"probefails", BACKEND_INIT_FAILED, "firmware too old ?[1m", 0, 0},
        {"openfails", BACKEND_INIT_FAILED, "the device is on fire", 1, 0},
        {"sameidlater", BACKEND_INIT_FAILED, "devices 0 and 2 have the same id", 2, 0},
        {"badid", BACKEND_INIT_FAILED, "empty or not text", 0, 0},
        {"overrunprobe", BACKEND_INIT_FAILED, "probe writes beyond", 0, 0},
        {"overrundevice", BACKEND_INIT_FAILED, "device_get writes beyond", 0, 0},
        {"overrunopen", BACKEND_INIT_FAILED, "device_open writes beyond", 1, 0},
        {"sameid", BACKEND_INIT_FAILED, "same id", 1, 0},
        {"noid", BACKEND_INIT_FAILED, "id of device 0", 0, 0},
        {"secondonly", BACKEND_USABLE, "", 3, 0},
    };
    EXPECT_ALL(cases);
}

static bool is_locked(const char *path)
{
    int file = open(path, O_RDWR);
    bool locked = file >= 0 && flock(file, LOCK_EX | LOCK_NB) < 0;
    close(file);
    return locked;
}

static void probe_with_child(void *argument)
{
    const char *lock = argument;
    BackendAvailability availability;
    BackendDeviceList result;
    REQUIRE(setenv("VMAF_TEST_LOCK", lock, 1) == 0);
    backend_registry_probe((BackendEntry *[]){backend_registry_find("leaveschild")}, 1);
    REQUIRE(access(lock, F_OK) == 0);
    while (is_locked(lock)) /* until nobody is left of those who held it */
        usleep(1000);
    REQUIRE(backend_entry_enumerate(backend_registry_find("good"), &result, &availability) == 0);
}

CASE(given_a_plugin_that_starts_processes_then_they_end_with_the_helper)
{
    char lock[256];
    snprintf(lock, sizeof(lock), "%s", scratch_path("lock"));
    in_child(NULL, probe_with_child, lock);
}

CASE_IN_CHILD(given_a_loaded_plugin_then_the_host_has_clean_copies)
{
    BackendAvailability availability;
    const Plugin *plugin = backend_entry_load(backend_registry_find("badtext"), &availability);
    REQUIRE(plugin && plugin->n_features == 1);
    REQUIRE(strcmp(plugin->description, "caf\303\251??[31m red") == 0);
    const PluginFeature *feature = plugin_find_feature(plugin, "psnr");
    REQUIRE(feature && feature->spec.n_options == 1);
    REQUIRE(strcmp(feature->options[0].name, "enable_chroma") == 0);
    REQUIRE(!plugin_find_feature(plugin, "vif"));

    /* Made for a later libvmaf, or an older one: the feature is passed over, the plugin is not. */
    plugin = backend_entry_load(backend_registry_find("newrecord"), &availability);
    REQUIRE(plugin && plugin->n_features == 0);
    plugin = backend_entry_load(backend_registry_find("oldrecord"), &availability);
    REQUIRE(plugin && plugin->n_features == 0);

    /* What lies behind the size that the plugin states is not read. */
    plugin = backend_entry_load(backend_registry_find("olderminor"), &availability);
    REQUIRE(plugin && !plugin->api.memory_register && plugin->api.last_error);
    plugin = backend_entry_load(backend_registry_find("newerminor"), &availability);
    REQUIRE(plugin && plugin->abi_minor == 7);
}
