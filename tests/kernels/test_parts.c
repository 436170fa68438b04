/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Parts of the SDK alone: copying, waiting, finding kernels. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "command_lists.h"
#include "layer_state.h"
#include "platform/thread.h"
#include "platform/time.h"
#include "row_copy.h"
#include "support/cases.h"

/* Copies by several threads: every byte once, also of odd sizes, with strides of either sign. */

enum { COPIES = 3, SPACE = 5 << 20 };

static const struct {
    size_t bytes;
    uint32_t rows;
    int64_t to_stride, from_stride;
} cases[COPIES] = {
    {1919, 1079, 1920, 2048},
    {300001, 7, 300032, -300001}, /* rows longer than a chunk */
    {1, 65537, 3, 2},
};

static void check(VmafCopyPool *pool)
{
    unsigned char *from[COPIES], *to[COPIES];
    VmafRowCopy copies[COPIES];
    for (unsigned i = 0; i < COPIES; i++) {
        from[i] = malloc(SPACE);
        to[i] = calloc(1, SPACE);
        assert_non_null(from[i]);
        assert_non_null(to[i]);
        for (size_t k = 0; k < SPACE; k++)
            from[i][k] = (unsigned char)(k * 7 + k / 251 + i + 1);
        const int64_t last = (int64_t)(cases[i].rows - 1) * cases[i].from_stride;
        copies[i] = (VmafRowCopy){
            .to = to[i],
            .from = from[i] - (last < 0 ? last : 0),
            .to_stride = cases[i].to_stride,
            .from_stride = cases[i].from_stride,
            .bytes = cases[i].bytes,
            .rows = cases[i].rows,
        };
    }
    vmaf_copy_pool_run(pool, copies, COPIES);
    for (unsigned i = 0; i < COPIES; i++) {
        for (uint32_t y = 0; y < cases[i].rows; y++) {
            const unsigned char *row = to[i] + y * cases[i].to_stride;
            assert_memory_equal(row, copies[i].from + y * cases[i].from_stride, cases[i].bytes);
            for (size_t x = cases[i].bytes; x < (size_t)cases[i].to_stride; x++)
                assert_int_equal(row[x], 0);
        }
        free(from[i]);
        free(to[i]);
    }
}

CASE(given_no_threads_the_caller_copies)
{
    check(NULL);
    assert_null(vmaf_copy_pool_create(0));
}

CASE(given_threads_all_is_copied_each_time)
{
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        VmafCopyPool *pool = vmaf_copy_pool_create(threads);
        assert_non_null(pool);
        for (unsigned round = 0; round < 5; round++)
            check(pool);
        vmaf_copy_pool_destroy(pool);
    }
    vmaf_copy_pool_destroy(NULL);
}

/* Waiting by asking: how often it asks, what it returns, when it gives up. */

typedef struct Event {
    unsigned asked;
    unsigned comes_at; /* at this question; 0: never */
    int answer;
} Event;

static int ask(void *cookie)
{
    Event *event = cookie;
    event->asked++;
    return event->comes_at && event->asked >= event->comes_at ? event->answer : -EAGAIN;
}

CASE(what_has_happened_is_not_waited_for)
{
    Event done = {.comes_at = 1}, failed = {.comes_at = 1, .answer = -ENODEV};
    assert_int_equal(vmaf_poll_wait(ask, &done, 0), 0);
    assert_int_equal(vmaf_poll_wait(ask, &failed, UINT64_MAX), -ENODEV);
    assert_int_equal(done.asked, 1);
    assert_int_equal(failed.asked, 1);
}

CASE(what_happens_later_is_waited_for)
{
    Event event = {.comes_at = 20};
    assert_int_equal(vmaf_poll_wait(ask, &event, UINT64_MAX), 0);
    assert_int_equal(event.asked, 20);
}

CASE(what_never_happens_is_given_up_in_time)
{
    Event never = {0}, now = {0};
    assert_int_equal(vmaf_poll_wait(ask, &now, 0), -ETIMEDOUT);
    assert_int_equal(now.asked, 1);
    const int64_t begin = vmaf_steady_ns();
    assert_int_equal(vmaf_poll_wait(ask, &never, 30000000), -ETIMEDOUT);
    assert_true(vmaf_steady_ns() - begin >= 30000000);
    /* Pauses of an eighth: some 30 to a millisecond of pause, and then 22; not a busy loop. */
    assert_true(never.asked < 200);
    assert_true(never.asked > 1);
}

/* Kernels are found by several threads at once, each of them once, and errors come back. */

enum { MOST = 40 };

/* A device whose kernels load only while another one does. */
typedef struct Device {
    VmafDevice head;
    VmafMutex lock;
    VmafCondition changed;
    unsigned loading, most_loading, wanted;
    unsigned times[MOST]; /* of each kernel, named by a letter */
    const char *broken;
    VmafDeviceKernel kernels[MOST];
} Device;

static int find(VmafDevice *base, const VmafDeviceKernel **found, const char *name)
{
    Device *device = (Device *)base;
    const unsigned number = (unsigned)(name[0] - 'a');
    vmaf_mutex_lock(&device->lock);
    if (device->times[number]++ == 0) {
        device->loading++;
        if (device->loading > device->most_loading)
            device->most_loading = device->loading;
        vmaf_condition_broadcast(&device->changed);
        while (device->most_loading < device->wanted)
            vmaf_condition_wait(&device->changed, &device->lock);
        device->loading--;
    }
    vmaf_mutex_unlock(&device->lock);
    *found = &device->kernels[number];
    return device->broken && strcmp(device->broken, name) == 0 ? -ENOTSUP : 0;
}

static const VmafDeviceLayer layer = {.kernel_find = find};

static void begin(Device *device, unsigned wanted)
{
    *device = (Device){.head = {.layer = &layer}, .wanted = wanted};
    vmaf_mutex_init(&device->lock);
    vmaf_condition_init(&device->changed);
}

static void end(Device *device)
{
    vmaf_condition_destroy(&device->changed);
    vmaf_mutex_destroy(&device->lock);
}

CASE(given_many_kernels_several_load_at_once_and_each_once)
{
    static const char *const names[] = {"a", "b", "a", "c", "d", "e", "f", "g", "c", "h",
                                        "i", "j", "k", "a", "l", "m", "n", "o", "p", "q"};
    enum { N = sizeof(names) / sizeof(names[0]) };
    const VmafDeviceKernel *kernels[N] = {0};
    Device device;
    begin(&device, 8);
    assert_int_equal(vmaf_find_kernels(&device.head, names, kernels, N), 0);
    assert_int_equal(device.most_loading, 8);
    for (unsigned i = 0; i < N; i++)
        assert_ptr_equal(kernels[i], &device.kernels[names[i][0] - 'a']);
    end(&device);
}

CASE(given_one_kernel_this_thread_loads_it)
{
    static const char *const names[] = {"a", "a"};
    const VmafDeviceKernel *kernels[2];
    Device device;
    begin(&device, 1);
    assert_int_equal(vmaf_find_kernels(&device.head, names, kernels, 2), 0);
    assert_int_equal(device.times[0], 2);
    end(&device);
}

CASE(given_a_kernel_that_does_not_load_its_error_comes_back)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    const VmafDeviceKernel *kernels[5];
    for (unsigned i = 0; i < 5; i++) {
        Device device;
        begin(&device, 1);
        device.broken = names[i];
        assert_int_equal(vmaf_find_kernels(&device.head, names, kernels, 5), -ENOTSUP);
        end(&device);
    }
}
