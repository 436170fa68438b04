/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Which queues the Vulkan layer uses. The software device has one; here, between the layer and the
 * loader, it seems to have as many as a test wants, of two families. The linker wraps the functions
 * of Vulkan that tell, and vkQueueSubmit, which counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"
#include <vulkan/vulkan.h>

#include "fixture.h"
#include "platform/thread.h"
#include "test_sets.h"
#include "vulkan_internal.h"

enum { MAX_QUEUES = 4, BYTES = 65536, RUNS = 12 };

/* What the device seems to have, and what was asked of it. */
static uint32_t compute_queues, copy_queues, n_families;
static VkQueue real_queue;
static int fakes[2][MAX_QUEUES]; /* their addresses are the queues that the layer sees */
static unsigned n_submissions[2][MAX_QUEUES], n_commands[2][MAX_QUEUES];

void __real_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, uint32_t *,
                                                     VkQueueFamilyProperties *);
void __wrap_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, uint32_t *,
                                                     VkQueueFamilyProperties *);
void __wrap_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t *count,
                                                     VkQueueFamilyProperties *families)
{
    __real_vkGetPhysicalDeviceQueueFamilyProperties(device, count, families);
    assert_int_equal(*count, 1);
    families[0].queueCount = compute_queues;
    if (copy_queues) {
        families[1] = families[0];
        families[1].queueCount = copy_queues;
        families[1].queueFlags = VK_QUEUE_TRANSFER_BIT;
        families[1].timestampValidBits = 0;
        *count = 2;
    }
    n_families = *count;
}

VkResult __real_vkCreateDevice(VkPhysicalDevice, const VkDeviceCreateInfo *,
                               const VkAllocationCallbacks *, VkDevice *);
VkResult __wrap_vkCreateDevice(VkPhysicalDevice, const VkDeviceCreateInfo *,
                               const VkAllocationCallbacks *, VkDevice *);
VkResult __wrap_vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                               const VkAllocationCallbacks *callbacks, VkDevice *device)
{
    VkDeviceCreateInfo changed = *info;
    VkDeviceQueueCreateInfo queue = info->pQueueCreateInfos[0];
    assert_true(queue.queueCount <= compute_queues);
    queue.queueCount = 1;
    changed.queueCreateInfoCount = 1;
    changed.pQueueCreateInfos = &queue;
    const VkResult result = __real_vkCreateDevice(physical, &changed, callbacks, device);
    if (result == VK_SUCCESS)
        vkGetDeviceQueue(*device, 0, UINT32_MAX, &real_queue);
    return result;
}

void __real_vkGetDeviceQueue(VkDevice, uint32_t, uint32_t, VkQueue *);
void __wrap_vkGetDeviceQueue(VkDevice, uint32_t, uint32_t, VkQueue *);
void __wrap_vkGetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue *queue)
{
    if (index == UINT32_MAX)
        __real_vkGetDeviceQueue(device, 0, 0, queue);
    else
        *queue = (VkQueue)&fakes[family][index];
}

VkResult __real_vkQueueSubmit(VkQueue, uint32_t, const VkSubmitInfo *, VkFence);
VkResult __wrap_vkQueueSubmit(VkQueue, uint32_t, const VkSubmitInfo *, VkFence);
VkResult __wrap_vkQueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                              VkFence fence)
{
    const size_t number = (size_t)((int *)queue - &fakes[0][0]);
    if (number < 2 * (size_t)MAX_QUEUES) {
        for (uint32_t i = 0; i < count; i++)
            n_commands[number / MAX_QUEUES][number % MAX_QUEUES] += infos[i].commandBufferCount;
        n_submissions[number / MAX_QUEUES][number % MAX_QUEUES]++;
        queue = real_queue;
    }
    return __real_vkQueueSubmit(queue, count, infos, fence);
}

VkResult __real_vkQueueWaitIdle(VkQueue);
VkResult __wrap_vkQueueWaitIdle(VkQueue);
VkResult __wrap_vkQueueWaitIdle(VkQueue queue)
{
    const size_t number = (size_t)((int *)queue - &fakes[0][0]);
    return __real_vkQueueWaitIdle(number < 2 * (size_t)MAX_QUEUES ? real_queue : queue);
}

/* Families of command pools and buffers, which the device does not really have. */
VkResult __real_vkCreateCommandPool(VkDevice, const VkCommandPoolCreateInfo *,
                                    const VkAllocationCallbacks *, VkCommandPool *);
VkResult __wrap_vkCreateCommandPool(VkDevice, const VkCommandPoolCreateInfo *,
                                    const VkAllocationCallbacks *, VkCommandPool *);
VkResult __wrap_vkCreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *info,
                                    const VkAllocationCallbacks *callbacks, VkCommandPool *pool)
{
    VkCommandPoolCreateInfo changed = *info;
    changed.queueFamilyIndex = 0;
    return __real_vkCreateCommandPool(device, &changed, callbacks, pool);
}

static unsigned n_shared_buffers;
VkResult __real_vkCreateBuffer(VkDevice, const VkBufferCreateInfo *, const VkAllocationCallbacks *,
                               VkBuffer *);
VkResult __wrap_vkCreateBuffer(VkDevice, const VkBufferCreateInfo *, const VkAllocationCallbacks *,
                               VkBuffer *);
VkResult __wrap_vkCreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
                               const VkAllocationCallbacks *callbacks, VkBuffer *buffer)
{
    VkBufferCreateInfo changed = *info;
    n_shared_buffers += info->sharingMode == VK_SHARING_MODE_CONCURRENT;
    changed.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    return __real_vkCreateBuffer(device, &changed, callbacks, buffer);
}

/* A kernel that is being compiled, as long as a test wants. */
static atomic_bool compiling, may_compile = true;
VkResult __real_vkCreateComputePipelines(VkDevice, VkPipelineCache, uint32_t,
                                         const VkComputePipelineCreateInfo *,
                                         const VkAllocationCallbacks *, VkPipeline *);
VkResult __wrap_vkCreateComputePipelines(VkDevice, VkPipelineCache, uint32_t,
                                         const VkComputePipelineCreateInfo *,
                                         const VkAllocationCallbacks *, VkPipeline *);
VkResult __wrap_vkCreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                         const VkComputePipelineCreateInfo *infos,
                                         const VkAllocationCallbacks *callbacks,
                                         VkPipeline *pipelines)
{
    atomic_store(&compiling, true);
    while (!atomic_load(&may_compile))
        vmaf_sleep_ns(1000000);
    return __real_vkCreateComputePipelines(device, cache, count, infos, callbacks, pipelines);
}

/* ---- Submissions in both lanes, with copies ---- */

/* A list that copies `from` to `to`; submissions fill `from` first. */
typedef struct Chain {
    VmafDeviceBuffer *upload, *memory, *download;
    VmafDeviceCommandList *list;
    VmafDeviceTicket ticket;
} Chain;

static void make_chain(Fixture *fixture, Chain *chain)
{
    const VmafDeviceLayer *layer = fixture->layer;
    chain->upload = fixture_buffer(fixture, VMAF_MEMORY_UPLOAD, BYTES);
    chain->memory = fixture_buffer(fixture, VMAF_MEMORY_DEVICE, BYTES);
    chain->download = fixture_buffer(fixture, VMAF_MEMORY_DOWNLOAD, BYTES);
    const VmafDeviceCopy down = {
        .dst = chain->download, .src = chain->memory, .row_size = BYTES, .rows = 1};
    assert_int_equal(layer->command_list_begin(fixture->device, &chain->list), 0);
    assert_int_equal(vmaf_device_cmd_copy(chain->list, &down), 0);
    assert_int_equal(layer->command_list_end(chain->list), 0);
}

static void run_chain(Fixture *fixture, Chain *chain, uint32_t stream, uint32_t number)
{
    const VmafDeviceCopy up = {
        .dst = chain->memory, .src = chain->upload, .row_size = BYTES, .rows = 1};
    const VmafDeviceSubmit submit = {
        .struct_size = sizeof(submit), .stream = stream, .copies = &up, .n_copies = 1};
    memset(chain->upload->mapped, (int)number, BYTES);
    assert_int_equal(vmaf_device_submit(fixture->queue, chain->list, &submit, &chain->ticket), 0);
}

static void check_chain(Fixture *fixture, const Chain *chain, uint32_t number)
{
    const unsigned char *found = chain->download->mapped;
    assert_int_equal(fixture_wait(fixture, chain->ticket, UINT64_MAX), 0);
    for (unsigned i = 0; i < BYTES; i++)
        assert_int_equal(found[i], number);
}

static void destroy_chain(Fixture *fixture, Chain *chain)
{
    fixture->layer->command_list_destroy(chain->list);
    fixture->layer->buffer_destroy(fixture->device, chain->upload);
    fixture->layer->buffer_destroy(fixture->device, chain->memory);
    fixture->layer->buffer_destroy(fixture->device, chain->download);
}

static void run_both_lanes(Fixture *fixture)
{
    Chain chains[2];
    for (uint32_t stream = 0; stream < 2; stream++)
        make_chain(fixture, &chains[stream]);
    memset(n_submissions, 0, sizeof(n_submissions));
    memset(n_commands, 0, sizeof(n_commands));
    for (uint32_t run = 0; run < RUNS; run++) {
        if (run >= 2)
            check_chain(fixture, &chains[run % 2], run - 2 + 1);
        run_chain(fixture, &chains[run % 2], run % 2, run + 1);
    }
    check_chain(fixture, &chains[0], RUNS - 1);
    check_chain(fixture, &chains[1], RUNS);
    for (uint32_t stream = 0; stream < 2; stream++)
        destroy_chain(fixture, &chains[stream]);
}

static void check_queues(uint32_t compute, uint32_t copy, unsigned expected[2][MAX_QUEUES],
                         uint32_t copy_engines)
{
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("vulkan")};
    Fixture fixture;
    compute_queues = compute;
    copy_queues = copy;
    n_shared_buffers = 0;
    VmafDevice *device;
    char reason[256];
    assert_int_equal(vmaf_vulkan_layer.open(&device, &params, reason, sizeof(reason)), 0);
    fixture = (Fixture){.layer = &vmaf_vulkan_layer, .device = device};
    assert_int_equal(fixture.layer->queue_create(device, &fixture.queue), 0);
    assert_int_equal(device->info.caps.copy_engines, copy_engines);
    run_both_lanes(&fixture);
    fixture.layer->queue_destroy(fixture.queue);
    fixture.layer->close(device);
    for (unsigned family = 0; family < 2; family++) {
        for (unsigned q = 0; q < MAX_QUEUES; q++)
            assert_int_equal(n_commands[family][q], expected[family][q]);
    }
    assert_int_equal(n_shared_buffers > 0, copy > 0);
}

CASE(given_one_queue_it_is_used_for_all)
{
    unsigned expected[2][MAX_QUEUES] = {{2 * RUNS}};
    check_queues(1, 0, expected, 0);
}

CASE(given_two_queues_one_copies)
{
    unsigned expected[2][MAX_QUEUES] = {{RUNS, RUNS}};
    check_queues(2, 0, expected, 1);
}

CASE(given_three_queues_lanes_have_their_own)
{
    unsigned expected[2][MAX_QUEUES] = {{RUNS / 2, RUNS / 2, RUNS}};
    check_queues(4, 0, expected, 1);
}

CASE(given_a_family_for_copies_it_copies)
{
    unsigned expected[2][MAX_QUEUES] = {{RUNS / 2, RUNS / 2}, {RUNS}};
    unsigned one[2][MAX_QUEUES] = {{RUNS}, {RUNS}};
    check_queues(4, 1, expected, 1);
    check_queues(1, 2, one, 1);
}

static void *find_kernel(void *cookie)
{
    VmafDevice *device = cookie;
    const VmafDeviceKernel *kernel;
    return device->layer->kernel_find(device, &kernel, "sum_partials") ? NULL : cookie;
}

/* If it held a lock that submitting takes, this would never end. */
CASE(given_a_kernel_that_compiles_submissions_go_on)
{
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("vulkan")};
    Fixture fixture = {.layer = &vmaf_vulkan_layer};
    VmafThread threads[2];
    char reason[256];
    compute_queues = 1;
    copy_queues = 0;
    assert_int_equal(vmaf_vulkan_layer.open(&fixture.device, &params, reason, sizeof(reason)), 0);
    assert_int_equal(fixture.layer->queue_create(fixture.device, &fixture.queue), 0);
    atomic_store(&compiling, false);
    atomic_store(&may_compile, false);
    for (int i = 0; i < 2; i++)
        assert_int_equal(vmaf_thread_start(&threads[i], find_kernel, fixture.device), 0);
    while (!atomic_load(&compiling))
        vmaf_sleep_ns(1000000);
    run_both_lanes(&fixture);
    atomic_store(&may_compile, true);
    for (int i = 0; i < 2; i++)
        vmaf_thread_join(threads[i]);
    fixture.layer->queue_destroy(fixture.queue);
    fixture.layer->close(fixture.device);
}

CASE(given_a_counter_of_few_bits_times_still_grow)
{
    const VulkanDevice device = {.timestamp_period = 2.0};
    const uint64_t wrap = UINT64_C(1) << 36, junk = UINT64_C(0xabc) << 36;
    uint64_t times[4] = {junk | (wrap - 10), wrap - 5, 3, junk | 7};
    uint64_t all[2] = {UINT64_MAX / 4, UINT64_MAX / 4 + 9};
    vulkan_ticks_to_ns(&device, 36, times, 4);
    for (int i = 1; i < 4; i++) {
        static const uint64_t differences[] = {0, 10, 16, 8};
        assert_int_equal(times[i] - times[i - 1], differences[i]);
    }
    vulkan_ticks_to_ns(&device, 64, all, 2);
    assert_true(all[1] >= all[0]);
}

int main(int argc, char **argv)
{
    VmafDeviceInfo info;
    size_t count = 0;
    char reason[256];
    compute_queues = 1;
    if (vmaf_vulkan_layer.enumerate(&info, 1, &count, reason, sizeof(reason)) < 0 || !count) {
        fprintf(stderr, "skipped: no device\n");
        return 77;
    }
    return run_cases(argc, argv);
}
