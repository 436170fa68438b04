/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Shows that the validation layer works: it is silent in other tests, and reports errors here. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/cases.h"
#include <vulkan/vulkan.h>

#include "fixture.h"
#include "test_sets.h"

enum { BYTES = 1024, EXIT_SKIPPED = 77 };

typedef struct Messages {
    unsigned count;
    char last[1024];
} Messages;

/* A buffer that a test leaks. */
static VmafDeviceBuffer *forgotten;

static void note(void *cookie, const char *text)
{
    Messages *messages = cookie;
    messages->count++;
    snprintf(messages->last, sizeof(messages->last), "%s", text);
}

static void open_device(Fixture *fixture, Messages *messages)
{
    const VmafDeviceOpenParams params = {
        .kernels = product_kernel_set("vulkan"), .log = note, .cookie = messages};
    *messages = (Messages){0};
    fixture_open(fixture, "vulkan", &params);
}

/* Records copies without the checks of device.c; returns the result of submitting and waiting. */
static int run_copies(Fixture *fixture, uint64_t row_size, bool barrier)
{
    const VmafDeviceLayer *layer = fixture->layer;
    VmafDeviceBuffer *upload = fixture_buffer(fixture, VMAF_MEMORY_UPLOAD, BYTES);
    VmafDeviceBuffer *memory = fixture_buffer(fixture, VMAF_MEMORY_DEVICE, BYTES);
    VmafDeviceBuffer *download = fixture_buffer(fixture, VMAF_MEMORY_DOWNLOAD, BYTES);
    const VmafDeviceCopy up = {.dst = memory, .src = upload, .row_size = row_size, .rows = 1};
    const VmafDeviceCopy down = {.dst = download, .src = memory, .row_size = BYTES, .rows = 1};
    VmafDeviceCommandList *list;
    VmafDeviceTicket ticket;
    assert_int_equal(layer->command_list_begin(fixture->device, &list), 0);
    assert_int_equal(layer->cmd_barrier(list), 0);
    assert_int_equal(layer->cmd_copy(list, &up), 0);
    if (barrier)
        assert_int_equal(layer->cmd_barrier(list), 0);
    assert_int_equal(layer->cmd_copy(list, &down), 0);
    int err = layer->command_list_end(list);
    if (!err)
        err = fixture_submit(fixture, list, &ticket);
    if (!err)
        err = fixture_wait(fixture, ticket, UINT64_MAX);
    layer->command_list_destroy(list);
    layer->buffer_destroy(fixture->device, upload);
    layer->buffer_destroy(fixture->device, memory);
    layer->buffer_destroy(fixture->device, download);
    return err;
}

CASE(given_right_use_nothing_is_said)
{
    Fixture fixture;
    Messages messages;
    open_device(&fixture, &messages);
    assert_int_equal(run_copies(&fixture, BYTES, true), 0);
    fixture_close(&fixture);
    assert_int_equal(messages.count, 0);
}

static void check_refused(uint64_t row_size, bool barrier, const char *name)
{
    Fixture fixture;
    Messages messages;
    char text[256];
    open_device(&fixture, &messages);
    assert_int_equal(run_copies(&fixture, row_size, barrier), -EIO);
    fixture.layer->last_error(fixture.device, text, sizeof(text));
    assert_non_null(strstr(text, "Validation: ")); /* what tests/parity/faults.sh looks for */
    fixture_close(&fixture);
    assert_true(messages.count > 0);
    if (!strstr(messages.last, name))
        fail_msg("\"%s\" does not name %s", messages.last, name);
}

CASE(given_a_copy_past_the_end_the_submission_fails)
{
    check_refused(2 * BYTES, true, "VUID-vkCmdCopyBuffer-");
}

CASE(given_a_missing_barrier_the_submission_fails)
{
    check_refused(BYTES, false, "SYNC-HAZARD-READ");
}

CASE(given_a_leak_closing_tells)
{
    Fixture fixture;
    Messages messages;
    open_device(&fixture, &messages);
    forgotten = fixture_buffer(&fixture, VMAF_MEMORY_DEVICE, BYTES);
    assert_int_equal(messages.count, 0);
    fixture_close(&fixture);
    assert_true(messages.count > 0);
    assert_non_null(strstr(messages.last, "vkDestroyDevice"));
}

static bool has_validation(void)
{
    VkExtensionProperties extensions[64];
    uint32_t count = 64;
    const VkResult result =
        vkEnumerateInstanceExtensionProperties("VK_LAYER_KHRONOS_validation", &count, extensions);
    return (result == VK_SUCCESS || result == VK_INCOMPLETE) && count > 0;
}

int main(int argc, char **argv)
{
    if (!has_validation()) {
        fprintf(stderr, "skipped: the validation layer is not installed\n");
        return EXIT_SKIPPED;
    }
    return run_cases(argc, argv);
}
