/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory may run out while plugins are found, probed and loaded. In run n the n-th
 * allocation fails; then it works all the same, or the reason says what was missing. */

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "api/failing_malloc.h"
#include "loader_harness.h"

typedef struct Attempt {
    const char *plugin;
    BackendState state; /* with enough memory */
    unsigned long n;    /* the allocation that fails */
    bool reached;
    unsigned n_blamed;
    char reason[256];
} Attempt;

static bool blames_memory(const char *text)
{
    return strstr(text, "memory") || strstr(text, "Memory");
}

static void probe_plugin(void *argument)
{
    Attempt *attempt = argument;
    BackendDeviceList result;
    BackendAvailability availability;
    failing_malloc_arm(attempt->n);
    BackendEntry *entry = backend_registry_find(attempt->plugin);
    int err = entry ? backend_entry_enumerate(entry, &result, &availability) : 0;
    attempt->reached = failing_malloc_disarm();
    if (!entry)
        return; /* only the known names have an entry while there is no memory */
    REQUIRE((err == 0) == (availability.state == BACKEND_USABLE));
    snprintf(attempt->reason, sizeof(attempt->reason), "%s", availability.why.text);
    if (availability.state == attempt->state)
        return;
    if (!attempt->reached || !blames_memory(availability.why.text))
        require_failed(attempt->plugin, (int)attempt->n, availability.why.text);
    attempt->n_blamed++;
}

static void try_all(const char *plugin, BackendState state, bool inprocess)
{
    Attempt *attempt = shared_memory(sizeof(*attempt));
    *attempt = (Attempt){.plugin = plugin, .state = state};
    const char *plugins = scratch_path("plugins");
    if (mkdir(plugins, 0755) == 0)
        install_plugin(plugins, "good");
    const ChildSettings settings = {.search_path = plugins, .inprocess = inprocess};
    do {
        attempt->n++;
        in_child(&settings, probe_plugin, attempt);
    } while (attempt->reached);
    print_message("%s: %lu allocations, %u failures with a reason\n", plugin, attempt->n - 1,
                  attempt->n_blamed);
    assert_true(attempt->n > 10 && attempt->n_blamed > 5);
}

CASE(given_no_memory_when_a_plugin_is_loaded_then_the_reason_says_so)
{
    try_all("good", BACKEND_USABLE, true);
    try_all("good", BACKEND_USABLE, false);
}

CASE(given_no_memory_when_a_missing_plugin_is_asked_for_then_the_reason_says_so)
{
    try_all("cuda", BACKEND_PLUGIN_NOT_FOUND, true);
}
