/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VMAF_BACKEND_PROBE=inprocess: without a helper the host itself looks at what a plugin changes,
 * and puts it back. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/discovery/plugin_load.h"
#include "loader_harness.h"

typedef struct Case {
    const char *plugin;
    BackendState state;
    const char *words;
} Case;

static void probe_plugin(void *argument)
{
    const Case *subject = argument;
    HostCheck *check = host_check_begin();
    BackendEntry *entry = backend_registry_find(subject->plugin);
    BackendAvailability availability;
    BackendDeviceList result;
    REQUIRE(entry);
    backend_entry_enumerate(entry, &result, &availability);
    if (availability.state != subject->state || !strstr(availability.why.text, subject->words))
        require_failed(subject->plugin, (int)availability.state, availability.why.text);
    /* Asked again, it answers the same without doing it again. */
    BackendAvailability again;
    REQUIRE(backend_entry_enumerate(entry, &result, &again) == availability.error);
    REQUIRE(again.state == availability.state);
    host_check_end(check);
}

CASE(given_plugins_when_probed_in_process_then_states_are_as_with_the_helper)
{
    static Case cases[] = {
        {"good", BACKEND_USABLE, ""},
        {"novendor", BACKEND_DRIVER_MISSING, "libvmaf-test-vendor.so"},
        {"undefined", BACKEND_PLUGIN_LOAD_ERROR, "undefined symbol"},
        {"newermajor", BACKEND_ABI_MISMATCH, "built for ABI 2, host has 1"},
        {"sizelie", BACKEND_PLUGIN_LOAD_ERROR, "does not point to code"},
        {"nodevice", BACKEND_NO_DEVICE, "nothing is plugged in"},
        {"nodriver", BACKEND_DRIVER_MISSING, "the driver is not loaded"},
        {"probefails", BACKEND_INIT_FAILED, "firmware too old"},
        {"manydevices", BACKEND_USABLE, ""},
        {"localecons", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the locale"},
        {"localeprob", BACKEND_PLUGIN_LOAD_ERROR, "probing it changed the locale"},
        {"handlercons", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the handler"},
        {"handlerprob", BACKEND_PLUGIN_LOAD_ERROR, "probing it changed the handler"},
        {"directory", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the current directory"},
        {"flushtozero", BACKEND_PLUGIN_LOAD_ERROR, "loading it set flush-to-zero"},
        {"rounding", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the rounding mode"},
        {"traps", BACKEND_PLUGIN_LOAD_ERROR, "which floating-point exceptions trap"},
        {"denormals", BACKEND_PLUGIN_LOAD_ERROR, "loading it"},
        {"threadlocale", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the locale"},
        {"umaskcons", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the file mode mask"},
        {"umaskprob", BACKEND_PLUGIN_LOAD_ERROR, "probing it changed the file mode mask"},
        {"limitcons", BACKEND_PLUGIN_LOAD_ERROR, "loading it changed the resource limit"},
        {"limitprob", BACKEND_PLUGIN_LOAD_ERROR, "probing it changed the resource limit"},
        {"streamcons", BACKEND_PLUGIN_LOAD_ERROR, "loading it closed file descriptor 2"},
        {"streamprob", BACKEND_PLUGIN_LOAD_ERROR, "probing it closed file descriptor 2"},
        {"flagsprob", BACKEND_PLUGIN_LOAD_ERROR, "changed the flags of file descriptor 0"},
    };
    const ChildSettings settings = {.inprocess = true};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        in_child(&settings, probe_plugin, &cases[i]);
}

static void probe_hanging(void *argument)
{
    BackendEntry *entry = backend_registry_find("loopprob");
    BackendAvailability availability;
    BackendDeviceList result;
    REQUIRE(backend_entry_enumerate(entry, &result, &availability) == -ETIMEDOUT);
    REQUIRE(strstr(availability.why.text, "probe took longer than 2000 ms"));
    REQUIRE(result.n_devices == 0);
    REQUIRE(!backend_entry_load(entry, &availability));
    REQUIRE(strstr(availability.why.text, "given up"));
    /* Other plugins are not touched by it. */
    REQUIRE(backend_entry_enumerate(backend_registry_find("good"), &result, &availability) == 0);
}

CASE(given_a_probe_that_hangs_then_only_this_plugin_is_dead)
{
    const ChildSettings settings = {.inprocess = true, .time_limit_ms = 2000};
    in_child(&settings, probe_hanging, NULL);
}

/* What a plugin that was probed may be blamed for: not for what other threads do. */
CASE(given_a_vetted_plugin_then_changes_by_others_are_not_its_fault)
{
    HostState *own, *all;
    Reason why;
    assert_int_equal(host_state_capture(&own, VMAF_PROCESS_OWN), 0);
    assert_int_equal(host_state_capture(&all, VMAF_PROCESS_ALL), 0);
    assert_true(host_state_restore(all, "/plugin.so", &why));
    signal(SIGUSR2, SIG_IGN); /* as if another thread did it */
    mode_t mask = umask(077);
    assert_true(host_state_restore(own, "/plugin.so", &why));
    assert_true(signal(SIGUSR2, SIG_IGN) == SIG_IGN);
    assert_false(host_state_restore(all, "/plugin.so", &why));
    assert_non_null(strstr(why.text, "handler of signal")); /* what is found first */
    assert_true(signal(SIGUSR2, SIG_DFL) == SIG_DFL);
    assert_int_equal(umask(mask), mask);
    host_state_free(own);
    host_state_free(all);
}

/* Files that other threads close are not closed by the plugin, unless there are none. */
CASE(given_a_closed_file_then_only_a_plugin_that_is_alone_is_blamed)
{
    int file = open("/dev/null", O_RDONLY);
    assert_true(file > STDERR_FILENO);
    HostState *all, *alone;
    Reason why;
    assert_int_equal(host_state_capture(&all, VMAF_PROCESS_ALL), 0);
    assert_int_equal(host_state_capture(&alone, VMAF_PROCESS_ALONE), 0);
    assert_true(host_state_restore(alone, "/plugin.so", &why));
    assert_int_equal(fcntl(file, F_SETFD, FD_CLOEXEC), 0);
    assert_false(host_state_restore(alone, "/plugin.so", &why));
    assert_non_null(strstr(why.text, "changed the flags of file descriptor"));
    assert_int_equal(fcntl(file, F_GETFD), 0);
    assert_int_equal(dup2(STDERR_FILENO, file), file);
    assert_true(host_state_restore(all, "/plugin.so", &why));
    assert_false(host_state_restore(alone, "/plugin.so", &why));
    assert_non_null(strstr(why.text, "closed file descriptor"));
    close(file);
    assert_false(host_state_restore(alone, "/plugin.so", &why));
    host_state_free(all);
    host_state_free(alone);
}
