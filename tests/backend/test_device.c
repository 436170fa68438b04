/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Opened devices: which one is taken, sharing, loss, and calls that do not return. */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/device.h"
#include "libvmaf/libvmaf_ext.h"
#include "loader_harness.h"

static int acquire(BackendDevice **device, const char *plugin, int index, bool hardware_only,
                   BackendAvailability *availability)
{
    const BackendDeviceRequest request = {.index = index, .hardware_only = hardware_only};
    return backend_device_acquire(device, backend_registry_find(plugin), &request, availability);
}

CASE_IN_CHILD(given_devices_that_cannot_be_opened_then_people_are_told_why)
{
    BackendDevice *device;
    BackendAvailability availability;
    VmafComputeDevice info = {.struct_size = sizeof(info)};

    /* One that can be opened, and two that are only described. */
    REQUIRE(vmaf_backend_device_info("oldcards", 0, &info) == 0 && !info.unusable);
    REQUIRE(info.compute_units == 12 && !info.pci && info.has_uuid && info.has_luid);
    REQUIRE(info.uuid[15] == 0xab && info.luid[7] == 0xcd && info.copy_engines == 0);
    REQUIRE(vmaf_backend_device_info("oldcards", 2, &info) == 0);
    REQUIRE(strcmp(info.name, "old card 1") == 0 &&
            strcmp(info.unusable, "it needs driver 9? or later") == 0);
    REQUIRE(vmaf_backend_device_info("oldcards", 3, &info) == -ERANGE);
    /* A caller that cannot see why does not get it. */
    VmafComputeDevice old = {.struct_size = offsetof(VmafComputeDevice, unusable)};
    REQUIRE(vmaf_backend_device_info("oldcards", 0, &old) == 0);
    REQUIRE(vmaf_backend_device_info("oldcards", 1, &old) == -ERANGE);
    REQUIRE(acquire(&device, "oldcards", 2, false, &availability) == -ENODEV && !device);
    REQUIRE(strcmp(availability.why.text, "old card 1: it needs driver 9? or later") == 0);
    REQUIRE(acquire(&device, "oldcards", 3, false, &availability) == -EINVAL);
    REQUIRE(acquire(&device, "oldcards", -1, false, &availability) == 0);
    REQUIRE(backend_device_index(device) == 0);
    backend_device_release(device);

    /* None that can: the message says what is wrong with the one that is there. */
    REQUIRE(acquire(&device, "onlyold", -1, false, &availability) == -ENODEV && !device);
    REQUIRE(availability.state == BACKEND_NO_DEVICE);
    REQUIRE(strcmp(availability.why.text, "driver 8; old card 0: it needs driver 9? or later") ==
            0);
    REQUIRE(vmaf_backend_device_info("onlyold", 0, &info) == 0 && info.unusable);
    REQUIRE(vmaf_backend_device_info("onlyold", 1, &info) == -ERANGE);
    REQUIRE(vmaf_backend_device_info("onlyold", 0, &old) == -ENODEV);
    REQUIRE(acquire(&device, "manyold", -1, false, &availability) == -ENODEV && !device);
    REQUIRE(vmaf_backend_device_info("manyold", 15, &info) == 0 && info.unusable);
    REQUIRE(vmaf_backend_device_info("manyold", 16, &info) == -ERANGE);
}

CASE_IN_CHILD(given_two_descriptions_then_one_equal_identity_makes_them_the_same)
{
    BackendDeviceDescription a = {.pci = "0000:0a:00.0", .uuid = {1}, .luid = {2}}, b = a;
    REQUIRE(!device_description_same(&a, &b)); /* nothing is known of either */
    a.identities = VMAF_BACKEND_IDENTITY_PCI;
    REQUIRE(!device_description_same(&a, &b));
    b.identities = VMAF_BACKEND_IDENTITY_PCI | VMAF_BACKEND_IDENTITY_UUID;
    REQUIRE(device_description_same(&a, &b));
    strcpy(b.pci, "00000000:0A:00.0");
    REQUIRE(device_description_same(&a, &b) && device_description_same(&b, &a));
    strcpy(b.pci, "0000:0a:00.1");
    REQUIRE(!device_description_same(&a, &b));
    strcpy(b.pci, "0001:0a:00.0");
    REQUIRE(!device_description_same(&a, &b));
    strcpy(b.pci, "");
    strcpy(a.pci, "");
    REQUIRE(!device_description_same(&a, &b));
    a.identities = VMAF_BACKEND_IDENTITY_UUID;
    REQUIRE(device_description_same(&a, &b));
    a.uuid[15] = 1;
    REQUIRE(!device_description_same(&a, &b));
    a.identities = b.identities = VMAF_BACKEND_IDENTITY_LUID;
    REQUIRE(device_description_same(&a, &b));
    a.luid[7] = 1;
    REQUIRE(!device_description_same(&a, &b));
}

CASE_IN_CHILD(given_identities_of_zeros_then_they_are_those_of_no_device)
{
    BackendDeviceDescription a = {.pci = "0000:00:00.0",
                                  .identities = VMAF_BACKEND_IDENTITY_PCI |
                                                VMAF_BACKEND_IDENTITY_UUID |
                                                VMAF_BACKEND_IDENTITY_LUID};
    REQUIRE(!device_description_same(&a, &a));
    strcpy(a.pci, "0000:00:02.0");
    REQUIRE(device_description_same(&a, &a));
}

/* Two parts of a card and a second card; what another backend says of them. */
CASE_IN_CHILD(given_parts_of_a_card_then_each_is_a_device_of_its_own)
{
    const uint32_t known = VMAF_BACKEND_IDENTITY_PCI | VMAF_BACKEND_IDENTITY_UUID;
    BackendDeviceDescription devices[] = {
        {.identities = known, .pci = "0000:01:00.0", .uuid = {1}, .driver = "12"},
        {.identities = known, .pci = "0000:01:00.0", .uuid = {2}, .driver = "12"},
        {.identities = known, .pci = "0000:02:00.0", .uuid = {3}, .driver = "12"},
    };
    const BackendDeviceDescription part = devices[1];
    BackendDeviceDescription card = {.identities = known, .pci = "0000:01:00.0", .uuid = {9}};
    device_description_mark_parts(devices, 3);
    REQUIRE(devices[0].is_part && devices[1].is_part && !devices[2].is_part);
    REQUIRE(!device_description_same(&devices[0], &part));
    REQUIRE(!device_description_same(&part, &devices[0]));
    REQUIRE(device_description_same(&devices[1], &part));
    REQUIRE(!device_description_same(&devices[0], &card));
    strcpy(card.pci, "0000:02:00.0");
    REQUIRE(device_description_same(&devices[2], &card));

    /* The same card twice, by two drivers that make UUIDs in ways of their own. */
    BackendDeviceDescription twice[] = {
        {.identities = known, .pci = "0000:01:00.0", .uuid = {1}, .driver = "one"},
        {.identities = known, .pci = "0000:01:00.0", .uuid = {2}, .driver = "two"},
    };
    device_description_mark_parts(twice, 2);
    REQUIRE(!twice[0].is_part && !twice[1].is_part);
    REQUIRE(device_description_same(&twice[0], &twice[1]));
}

CASE_IN_CHILD(given_a_request_then_the_right_device_is_opened)
{
    BackendDevice *device;
    BackendAvailability availability;

    /* "software" has a software device, then a hardware device. */
    REQUIRE(acquire(&device, "software", -1, false, &availability) == 0);
    REQUIRE(backend_device_index(device) == 1);
    REQUIRE(strcmp(backend_device_description(device)->name, "device 1") == 0);
    REQUIRE(strcmp(backend_device_plugin(device)->name, "software") == 0);
    REQUIRE(backend_device_handle(device));
    backend_device_release(device);
    REQUIRE(acquire(&device, "software", 0, false, &availability) == 0);
    REQUIRE(backend_device_index(device) == 0);
    backend_device_release(device);
    REQUIRE(acquire(&device, "software", 0, true, &availability) == -ENODEV && !device);
    REQUIRE(availability.state == BACKEND_NO_DEVICE);
    REQUIRE(acquire(&device, "software", 2, false, &availability) == -EINVAL && !device);
    REQUIRE(availability.state == BACKEND_NO_DEVICE &&
            strstr(availability.why.text, "no device 2"));

    /* Of "secondonly", only the second can be opened, as the helper has found. */
    REQUIRE(acquire(&device, "secondonly", -1, false, &availability) == 0);
    REQUIRE(backend_device_index(device) == 1);
    backend_device_release(device);
    REQUIRE(acquire(&device, "secondonly", 0, false, &availability) == -EIO && !device);
    REQUIRE(availability.state == BACKEND_INIT_FAILED);

    REQUIRE(acquire(&device, "openfails", -1, false, &availability) == -ENOMEM && !device);
    REQUIRE(availability.state == BACKEND_INIT_FAILED && strstr(availability.why.text, "on fire"));
    REQUIRE(acquire(&device, "cuda", -1, false, &availability) == -ENODEV && !device);
    REQUIRE(availability.state == BACKEND_PLUGIN_NOT_FOUND && availability.error == 0);
    backend_device_release(NULL);
}

CASE_IN_CHILD(given_several_holders_then_a_device_is_shared_until_it_is_lost)
{
    BackendDevice *first, *second, *third;
    BackendAvailability availability;
    REQUIRE(acquire(&first, "good", -1, false, &availability) == 0);
    REQUIRE(acquire(&second, "good", 0, false, &availability) == 0);
    REQUIRE(first == second);

    BackendEntry *entry = backend_registry_find("good");
    BackendDeviceRequest request = {.flags = VMAF_BACKEND_DEVICE_FLAG_PROFILING};
    REQUIRE(backend_device_acquire(&third, entry, &request, &availability) == 0 && third != first);
    backend_device_release(third);
    request = (BackendDeviceRequest){.external = VMAF_BACKEND_EXTERNAL_CUDA, .n_handles = 1};
    REQUIRE(backend_device_acquire(&third, entry, &request, &availability) == 0 && third != first);
    REQUIRE(backend_device_index(third) == -1 && !backend_device_description(third));
    backend_device_release(third);

    backend_device_mark_lost(first);
    REQUIRE(acquire(&third, "good", 0, false, &availability) == -ENODEV && !third);
    REQUIRE(strstr(availability.why.text, "lost"));
    backend_device_release(first);
    REQUIRE(acquire(&third, "good", 0, false, &availability) == -ENODEV);
    backend_device_release(second);
    REQUIRE(acquire(&third, "good", 0, false, &availability) == 0); /* opened anew */

    pid_t child = fork();
    if (child == 0) {
        REQUIRE(backend_device_is_foreign(third));
        backend_device_release(third); /* touches nothing */
        BackendDevice *other;
        REQUIRE(acquire(&other, "good", 0, false, &availability) == -ENODEV);
        REQUIRE(strstr(availability.why.text, "forked"));
        _exit(0);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    REQUIRE(!backend_device_is_foreign(third));
    backend_device_release(third);
}

enum { THREADS = 8, TURNS = 100 };

static void *take_turns(void *argument)
{
    for (int i = 0; i < TURNS; i++) {
        BackendDevice *device;
        BackendAvailability availability;
        REQUIRE(acquire(&device, "good", -1, true, &availability) == 0);
        REQUIRE(backend_device_handle(device));
        backend_device_release(device);
    }
    return NULL;
}

CASE_IN_CHILD(given_threads_that_open_and_close_then_nothing_is_lost)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, take_turns, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void *take_over(void *argument)
{
    BackendDevice *device;
    BackendAvailability availability;
    REQUIRE(acquire(&device, "good", -1, true, &availability) == 0);
    backend_device_release(device);
    return NULL;
}

/* Nobody but the thread that closes the device could wake the other one. */
CASE_IN_CHILD(given_a_device_that_is_being_closed_then_who_waits_opens_it_again)
{
    for (int i = 0; i < TURNS; i++) {
        BackendDevice *device;
        BackendAvailability availability;
        pthread_t thread;
        REQUIRE(acquire(&device, "good", -1, true, &availability) == 0);
        REQUIRE(pthread_create(&thread, NULL, take_over, NULL) == 0);
        backend_device_release(device);
        pthread_join(thread, NULL);
    }
}

static void open_hanging(void *argument)
{
    BackendDevice *device;
    BackendAvailability availability;
    REQUIRE(acquire(&device, "loopopen", -1, false, &availability) == -ETIMEDOUT && !device);
    REQUIRE(availability.state == BACKEND_INIT_FAILED);
    REQUIRE(strstr(availability.why.text, "opening the device took longer than 2000 ms"));
    REQUIRE(acquire(&device, "loopopen", -1, false, &availability) == -ENODEV);
    REQUIRE(strstr(availability.why.text, "given up"));
    REQUIRE(acquire(&device, "good", -1, false, &availability) == 0);
    backend_device_release(device);
}

/* A device of the application is opened without enumerating any. */
static void open_external_hanging(void *argument)
{
    BackendDevice *device;
    BackendAvailability availability;
    BackendDeviceList result;
    BackendEntry *entry = backend_registry_find("loopopen");
    const BackendDeviceRequest request = {.external = VMAF_BACKEND_EXTERNAL_CUDA, .n_handles = 1};
    REQUIRE(backend_device_acquire(&device, entry, &request, &availability) == -ETIMEDOUT &&
            !device);
    REQUIRE(backend_entry_enumerate(entry, &result, &availability) == -ENODEV);
    REQUIRE(strstr(availability.why.text, "given up") &&
            result.n_devices == 0); /* nor was it asked */
}

static void close_hanging(void *argument)
{
    BackendDevice *device, *other;
    BackendAvailability availability;
    REQUIRE(acquire(&device, "hangsclose", -1, false, &availability) == 0);
    REQUIRE(acquire(&other, "good", -1, false, &availability) == 0);
    const Plugin *plugin = backend_device_plugin(device);
    backend_device_release(device);
    REQUIRE(plugin->dead);
    REQUIRE(acquire(&device, "hangsclose", -1, false, &availability) == -ENODEV);

    plugin = backend_device_plugin(other);
    backend_device_abandon(other); /* as after a call of a session that hangs */
    REQUIRE(plugin->dead);
    backend_device_release(other); /* is not closed */
    REQUIRE(acquire(&other, "good", -1, false, &availability) == -ENODEV);
}

CASE(given_calls_that_hang_then_the_plugin_is_given_up)
{
    const ChildSettings settings = {.inprocess = true, .time_limit_ms = 2000};
    in_child(&settings, open_hanging, NULL);
    in_child(&settings, open_external_hanging, NULL);
    in_child(&settings, close_hanging, NULL);
}

static bool member_is(const char *object, const char *name, const char *value)
{
    const char *member = strstr(object, name);
    return member && strncmp(member + strlen(name), value, strlen(value)) == 0;
}

/* The device of the backend's description in a document. */
static bool is_listed_as(const char *backend, const char *id, const char *usable,
                         const char *reason)
{
    const char *device = strstr(backend, id);
    return device && member_is(device, "\"usable\": ", usable) &&
           member_is(device, "\"reason\": ", reason);
}

CASE_IN_CHILD(given_devices_that_cannot_be_opened_then_they_are_listed_with_the_reason)
{
    char *document;
    REQUIRE(vmaf_capabilities_json_of(&document, 0, "secondonly", NULL) == 0);
    const char *backend = strstr(document, "\"name\": \"secondonly\"");
    REQUIRE(backend);
    REQUIRE(is_listed_as(backend, "\"test:0\"", "false", "\"it could not be opened\""));
    REQUIRE(is_listed_as(backend, "\"test:1\"", "true", "null"));
    REQUIRE(is_listed_as(backend, "\"test:2\"", "false", "\"it could not be opened\""));
    free(document);
    REQUIRE(vmaf_capabilities_json_of(&document, 0, "openfails", NULL) == 0);
    backend = strstr(document, "\"name\": \"openfails\"");
    REQUIRE(backend);
    REQUIRE(is_listed_as(backend, "\"test:0\"", "false", "\"the device is on fire\""));
    free(document);
}
