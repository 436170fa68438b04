/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "layer_rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/machine.h"
#include "platform/thread.h"
#include "platform/time.h"
#include "support/cases.h"
#include "test_sets.h"

static const LayerRules *tested;
static const VmafDeviceOpenParams usual;

static void assert_words(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("%s: no %s", text, words);
}

static void begin(Trip *trip, const char *machine, const char *order)
{
    tested->use_machine(machine, order);
    trip_start(trip, &usual);
    tested->assert_caller_untouched();
}

static void end(Trip *trip)
{
    trip_end(trip);
    tested->assert_caller_untouched();
    tested->leave_machine();
}

static void given_a_submission_it_makes_few_calls_and_allocates_nothing(void **state)
{
    Trip trip;
    VmafDeviceTicket ticket, last = 0;
    begin(&trip, NULL, "late");
    assert_int_equal(tested->count("run"), 0);
    const uint64_t objects = tested->objects ? tested->count(tested->objects) : 0;
    for (uint32_t run = 1; run < 5; run++) {
        const uint64_t before = tested->count("run");
        const uint64_t allocated = tested->count(tested->allocations);
        const uint64_t calls = tested->count("call");
        assert_int_equal(trip_submit(&trip, run, run % 2, &ticket), 0);
        assert_true(ticket > last);
        last = ticket;
        if (tested->is_lazy)
            assert_int_equal(tested->count("run"), before);
        assert_int_equal(tested->count(tested->allocations), allocated);
        tested->assert_calls(run);
        if (tested->calls)
            assert_int_equal(tested->count("call") - calls, tested->calls);
        tested->assert_caller_untouched();
        assert_int_equal(trip.layer->wait(trip.queue, ticket, UINT64_MAX), 0);
        trip_assert_arrived(&trip, run);
        if (tested->objects)
            assert_int_equal(tested->count(tested->objects), objects);
        tested->assert_caller_untouched();
    }
    end(&trip);
}

static void check_many_submissions(const Trip *trip)
{
    enum { N = 300 };
    static VmafDeviceTicket tickets[N];
    const VmafDeviceCopy copy = {
        .dst = trip->memory[0], .src = trip->upload, .row_size = TRIP_BYTES, .rows = 1};
    const VmafDeviceSubmit submit = {.struct_size = sizeof(submit), .copies = &copy, .n_copies = 1};
    const uint64_t before = tested->count("run");
    for (int i = 0; i < N; i++)
        assert_int_equal(vmaf_device_submit(trip->queue, NULL, &submit, &tickets[i]), 0);
    for (int i = 0; i < N; i++) {
        assert_int_equal(trip->layer->wait(trip->queue, tickets[i], UINT64_MAX), 0);
        assert_true(tested->count("run") >= before + tested->copy_commands * ((uint64_t)i + 1));
    }
    assert_int_equal(trip->layer->wait(trip->queue, tickets[N - 1] + 3, 0), -EINVAL);
    for (int i = 0; i < N; i++)
        assert_int_equal(trip->layer->wait(trip->queue, tickets[i], 0), 0);
}

static void given_more_submissions_than_places_each_is_waited_for(void **state)
{
    static const char *const orders[] = {NULL, "early"};
    for (size_t i = 0; i < 2; i++) {
        Trip trip;
        begin(&trip, NULL, orders[i]);
        check_many_submissions(&trip);
        end(&trip);
    }
}

/* The copies come with a submission of another stream, and with none. */
static void check_lanes(const Trip *first, const Trip *second)
{
    const VmafDeviceSubmit bare = {.struct_size = sizeof(bare), .stream = 1};
    const VmafDeviceCopy up = {
        .dst = second->memory[0], .src = first->upload, .row_size = TRIP_BYTES, .rows = 1};
    const VmafDeviceSubmit with = {.struct_size = sizeof(with), .copies = &up, .n_copies = 1};
    for (uint32_t run = 0; run < 2; run++) {
        VmafDeviceTicket ticket;
        VmafDeviceCommandList *list = run ? NULL : first->list;
        assert_int_equal(trip_run(first, 70 + run), 0); /* fills the upload buffer */
        assert_int_equal(vmaf_device_submit(first->queue, list, &with, &ticket), 0);
        assert_int_equal(vmaf_device_submit(first->queue, second->list, &bare, &ticket), 0);
        assert_int_equal(first->layer->wait(first->queue, ticket, UINT64_MAX), 0);
        trip_assert_arrived(second, 70 + run);
    }
}

static void given_lanes_each_sees_what_the_other_copied(void **state)
{
    static const char *const orders[] = {NULL, "late", "early", "others", "1", "2", "3"};
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        Trip first, second;
        begin(&first, NULL, orders[i]);
        second = first;
        second.list = NULL;
        assert_int_equal(trip_prepare(&second), 0);
        check_lanes(&first, &second);
        trip_forget(&second);
        end(&first);
    }
}

static void given_a_submission_that_does_not_end_waiting_keeps_its_limit_and_sleeps(void **state)
{
    const uint64_t limit = 200000000;
    VmafDeviceTicket ticket;
    Trip trip;
    if (!tested->hang)
        skip();
    begin(&trip, tested->hang, NULL);
    assert_int_equal(trip_submit(&trip, 1, 0, &ticket), 0);
    const uint64_t asked = tested->count(tested->query);
    const int64_t start = vmaf_steady_ns();
    assert_int_equal(trip.layer->wait(trip.queue, ticket, limit), -ETIMEDOUT);
    assert_true(vmaf_steady_ns() - start >= (int64_t)limit);
    /* Spinning asks a hundred thousand times. */
    assert_in_range(tested->count(tested->query) - asked, 2, 1000);
    tested->assert_caller_untouched();
    trip_end(&trip);
    tested->assert_caller_untouched();
}

/* -- kernels -- */

enum { KERNELS_MAX = 1024 };

typedef struct Finder {
    VmafDevice *device;
    const VmafDeviceKernel *found[KERNELS_MAX];
    int err;
} Finder;

static void *find_kernels(void *argument)
{
    Finder *finder = argument;
    const VmafKernelSet *set = finder->device->kernels;
    for (size_t i = 0; i < set->count && !finder->err; i++)
        finder->err = finder->device->layer->kernel_find(finder->device, &finder->found[i],
                                                         set->kernels[i].name);
    return NULL;
}

static void given_threads_that_want_the_same_kernels_each_is_loaded_once(void **state)
{
    enum { N = 4 };
    const VmafDeviceLayer *layer = fixture_load(tested->layer)->layer;
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set(tested->layer)};
    VmafDevice *device;
    char reason[256];
    VmafThread threads[N];
    static Finder finders[N];
    assert_in_range(params.kernels->count, 10, KERNELS_MAX);
    tested->use_machine(NULL, NULL);
    assert_int_equal(layer->open(&device, &params, reason, sizeof(reason)), 0);
    for (int i = 0; i < N; i++) {
        finders[i] = (Finder){.device = device};
        assert_int_equal(vmaf_thread_start(&threads[i], find_kernels, &finders[i]), 0);
    }
    for (int i = 0; i < N; i++)
        vmaf_thread_join(threads[i]);
    for (int i = 0; i < N; i++) {
        assert_int_equal(finders[i].err, 0);
        assert_memory_equal(finders[i].found, finders[0].found, sizeof(finders[0].found));
    }
    assert_int_equal(tested->count(tested->load), params.kernels->count);
    if (tested->loaded_from)
        assert_int_equal(tested->count(tested->loaded_from), 0);
    layer->close(device);
    tested->leave_machine();
}

void layer_rules_refuse_kernel(const char *machine, int error, const char *words)
{
    Trip trip;
    char text[256];
    tested->use_machine(machine, NULL);
    assert_int_equal(trip_begin(&trip, &usual), error);
    trip.layer->last_error(trip.device, text, sizeof(text));
    assert_words(text, words);
    trip_forget(&trip);
    assert_int_equal(trip_prepare(&trip), 0); /* asks again */
    assert_int_equal(trip_run(&trip, 1), 0);
    trip_end(&trip);
}

/* -- memory of the host -- */

/* A run from that buffer, as long as it lives. */
static void run_from(Trip *trip, VmafDeviceBuffer *buffer)
{
    VmafDeviceBuffer *own = trip->upload;
    trip->upload = buffer;
    assert_int_equal(trip_run(trip, 9), 0);
    trip->upload = own;
    const uint64_t registered = tested->counts_memory ? tested->count("memory") : 1;
    trip->layer->buffer_destroy(trip->device, buffer);
    assert_int_equal(tested->counts_memory ? tested->count("memory") : 0, registered - 1);
}

static void given_memory_of_the_host_it_is_wrapped_if_it_can_be(void **state)
{
    const size_t page = vmaf_page_size();
    VmafDeviceBuffer *buffer;
    Trip trip;
    unsigned char *memory = vmaf_aligned_alloc(page, 2 * page);
    assert_non_null(memory);
    begin(&trip, tested->refuses_memory, NULL);
    assert_int_equal(trip.device->info.caps.host_memory_alignment, page);
    VmafDeviceBufferParams params = {
        .memory = VMAF_MEMORY_UPLOAD, .size = 2 * page, .host_memory = memory};
    assert_int_equal(trip.layer->buffer_create(trip.device, &buffer, &params), 0);
    assert_ptr_equal(buffer->mapped, memory);
    run_from(&trip, buffer);
    for (int i = 0; i < tested->n_refused; i++)
        assert_int_equal(trip.layer->buffer_create(trip.device, &buffer, &params), -ENOTSUP);
    tested->assert_caller_untouched();
    params.size = page - 4;
    assert_int_equal(trip.layer->buffer_create(trip.device, &buffer, &params), -ENOTSUP);
    params.size = page;
    params.host_memory = memory + 64;
    assert_int_equal(trip.layer->buffer_create(trip.device, &buffer, &params), -ENOTSUP);
    end(&trip);
    vmaf_aligned_free(memory);
}

/* -- devices -- */

void layer_rules_find_none(const char *machine, int error, size_t n, const char *words)
{
    const VmafDeviceLayer *layer = fixture_load(tested->layer)->layer;
    VmafDeviceInfo info;
    VmafDevice *device;
    size_t count = 9;
    char reason[256] = "";
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set(tested->layer)};
    assert_int_equal(tested->configure(machine, NULL), 0);
    assert_int_equal(layer->enumerate(&info, 1, &count, reason, sizeof(reason)), error);
    assert_int_equal(count, n);
    assert_words(n ? info.unusable : reason, words);
    assert_true(layer->open(&device, &params, reason, sizeof(reason)) < 0);
    assert_words(reason, words);
}

void layer_rules_refuse_device(const VmafDeviceLayer *layer, const VmafDeviceInfo *info,
                               const VmafKernelSet *kernels)
{
    const VmafDeviceOpenParams params = {.id = info->id, .kernels = kernels};
    VmafDevice *device;
    char reason[256] = "";
    assert_int_equal(layer->open(&device, &params, reason, sizeof(reason)), -ENOTSUP);
    assert_string_equal(reason, info->unusable);
}

int layer_rules_run(const LayerRules *layer)
{
    tested = layer;
    trip_use_layer(layer->layer);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_submission_it_makes_few_calls_and_allocates_nothing),
        cmocka_unit_test(given_more_submissions_than_places_each_is_waited_for),
        cmocka_unit_test(given_lanes_each_sees_what_the_other_copied),
        cmocka_unit_test(given_a_submission_that_does_not_end_waiting_keeps_its_limit_and_sleeps),
        cmocka_unit_test(given_threads_that_want_the_same_kernels_each_is_loaded_once),
        cmocka_unit_test(given_memory_of_the_host_it_is_wrapped_if_it_can_be),
    };
    return run_case_group(tests, NULL, NULL);
}
