/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* A device of the application: it is borrowed with what is enabled on it, its queue is locked, and
 * its images are read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"
#include <vulkan/vulkan.h>

#include "buffer.h"
#include "device_state.h"
#include "fixture.h"
#include "test_sets.h"
#include "vulkan_layer.h"

enum { WIDTH = 67, HEIGHT = 51 };

/* ---- The application ---- */

typedef struct Application {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkImage image;
    VkDeviceMemory memory;
    VkSemaphore semaphore;
    unsigned char pixels[HEIGHT][WIDTH];
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceFeatures2 features;
    int locked;
    unsigned n_locks;
} Application;

static void lock(void *cookie)
{
    Application *app = cookie;
    assert_int_equal(app->locked++, 0);
    app->n_locks++;
}

static void unlock(void *cookie)
{
    Application *app = cookie;
    assert_int_equal(--app->locked, 0);
}

static void make_device(Application *app)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    uint32_t count = 1;
    assert_int_equal(vkCreateInstance(&instance, NULL, &app->instance), 0);
    vkEnumeratePhysicalDevices(app->instance, &count, &app->physical);
    assert_int_equal(count, 1);
    app->v12 = (VkPhysicalDeviceVulkan12Features){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .storageBuffer8BitAccess = VK_TRUE,
        .timelineSemaphore = VK_TRUE};
    app->v11 = (VkPhysicalDeviceVulkan11Features){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
        .pNext = &app->v12,
        .storageBuffer16BitAccess = VK_TRUE};
    app->features =
        (VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                    .pNext = &app->v11,
                                    .features = {.shaderInt64 = VK_TRUE}};
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &app->features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue};
    assert_int_equal(vkCreateDevice(app->physical, &device, NULL, &app->device), 0);
    vkGetDeviceQueue(app->device, 0, 0, &app->queue);
    const VkSemaphoreTypeCreateInfo timeline = {.sType =
                                                    VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                                .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                             .pNext = &timeline};
    assert_int_equal(vkCreateSemaphore(app->device, &semaphore, NULL, &app->semaphore), 0);
}

/* A linear image that the processor fills; its first layout keeps what is in it. */
static void make_image(Application *app)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8_UNORM,
                                    .extent = {WIDTH, HEIGHT, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .tiling = VK_IMAGE_TILING_LINEAR,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                    .initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED};
    VkMemoryRequirements needs;
    assert_int_equal(vkCreateImage(app->device, &info, NULL, &app->image), 0);
    vkGetImageMemoryRequirements(app->device, app->image, &needs);
    const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .allocationSize = needs.size};
    assert_int_equal(vkAllocateMemory(app->device, &memory, NULL, &app->memory), 0);
    assert_int_equal(vkBindImageMemory(app->device, app->image, app->memory, 0), 0);
    const VkImageSubresource luma = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    VkSubresourceLayout layout;
    void *mapped;
    vkGetImageSubresourceLayout(app->device, app->image, &luma, &layout);
    assert_int_equal(vkMapMemory(app->device, app->memory, 0, VK_WHOLE_SIZE, 0, &mapped), 0);
    for (unsigned y = 0; y < HEIGHT; y++) {
        for (unsigned x = 0; x < WIDTH; x++)
            app->pixels[y][x] = (unsigned char)(x * 7 + y * 13 + 1);
        memcpy((char *)mapped + layout.offset + y * layout.rowPitch, app->pixels[y], WIDTH);
    }
    vkUnmapMemory(app->device, app->memory);
}

static void to_general_layout(Application *app)
{
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    VkCommandBuffer commands;
    assert_int_equal(vkCreateCommandPool(app->device, &info, NULL, &pool), 0);
    const VkCommandBufferAllocateInfo buffer = {.sType =
                                                    VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = pool,
                                                .commandBufferCount = 1};
    assert_int_equal(vkAllocateCommandBuffers(app->device, &buffer, &commands), 0);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT,
        .oldLayout = VK_IMAGE_LAYOUT_PREINITIALIZED,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = app->image,
        .subresourceRange = {
            .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT, .levelCount = 1, .layerCount = 1}};
    vkBeginCommandBuffer(commands, &begin);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
    vkEndCommandBuffer(commands);
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &commands};
    assert_int_equal(vkQueueSubmit(app->queue, 1, &submit, VK_NULL_HANDLE), 0);
    vkQueueWaitIdle(app->queue);
    vkDestroyCommandPool(app->device, pool, NULL);
}

static int set_up(void **state)
{
    Application *app = calloc(1, sizeof(*app));
    make_device(app);
    make_image(app);
    to_general_layout(app);
    *state = app;
    return 0;
}

static int tear_down(void **state)
{
    Application *app = *state;
    vkDestroySemaphore(app->device, app->semaphore, NULL);
    vkDestroyImage(app->device, app->image, NULL);
    vkFreeMemory(app->device, app->memory, NULL);
    vkDestroyDevice(app->device, NULL);
    vkDestroyInstance(app->instance, NULL);
    free(app);
    return 0;
}

static VulkanExternal external_of(Application *app)
{
    return (VulkanExternal){
        .instance = (uint64_t)(uintptr_t)app->instance,
        .physical_device = (uint64_t)(uintptr_t)app->physical,
        .device = (uint64_t)(uintptr_t)app->device,
        .queue = (uint64_t)(uintptr_t)app->queue,
        .api_version = VK_API_VERSION_1_2,
        .lock = lock,
        .unlock = unlock,
        .lock_cookie = app,
        .enabled_features = &app->features,
    };
}

static int open_device(const VulkanExternal *external, VmafDevice **device, char reason[256])
{
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("vulkan"),
                                         .external = external};
    return vmaf_vulkan_layer.open(device, &params, reason, 256);
}

/* ---- Tests ---- */

CASE_WITH(a_feature_that_is_not_enabled_is_named, set_up, tear_down)
{
    Application *app = *state;
    const VulkanExternal external = external_of(app);
    VkBool32 *features[] = {&app->features.features.shaderInt64, &app->v11.storageBuffer16BitAccess,
                            &app->v12.storageBuffer8BitAccess, &app->v12.timelineSemaphore};
    static const char *const names[] = {"shaderInt64", "storageBuffer16BitAccess",
                                        "storageBuffer8BitAccess", "timelineSemaphore"};
    VmafDevice *device;
    char reason[256];
    for (unsigned i = 0; i < 4; i++) {
        *features[i] = VK_FALSE;
        assert_int_equal(open_device(&external, &device, reason), -ENOTSUP);
        assert_non_null(strstr(reason, names[i]));
        *features[i] = VK_TRUE;
    }
}

CASE_WITH(an_extension_that_is_not_enabled_is_not_used, set_up, tear_down)
{
    const VulkanExternal external = external_of(*state);
    VmafDevice *device;
    char reason[256];
    assert_int_equal(open_device(&external, &device, reason), 0);
    assert_int_equal(device->info.caps.host_memory_alignment, 0);
    vmaf_vulkan_layer.close(device);
}

CASE_WITH(the_image_is_read_after_its_semaphore, set_up, tear_down)
{
    Application *app = *state;
    const VulkanExternal external = external_of(app);
    VmafBackendImport params = {.struct_size = sizeof(params),
                                .kind = VMAF_BACKEND_IMPORT_VULKAN_IMAGE,
                                .width = WIDTH,
                                .height = HEIGHT,
                                .depth = 8,
                                .pixel_format = VMAF_BACKEND_PIXEL_400,
                                .planes = VMAF_BACKEND_PLANE_Y,
                                .n_handles = 5};
    static unsigned char found[HEIGHT][WIDTH];
    void *const data[3] = {found};
    const int64_t stride[3] = {WIDTH};
    VmafDevice *device;
    VmafBackendBuffer *buffer;
    char reason[256];
    memcpy(&params.handles[0], &app->image, sizeof(app->image));
    params.handles[1] = VK_FORMAT_R8_UNORM;
    params.handles[2] = VK_IMAGE_LAYOUT_GENERAL;
    memcpy(&params.handles[3], &app->semaphore, sizeof(app->semaphore));
    params.handles[4] = 7;
    assert_int_equal(open_device(&external, &device, reason), 0);
    assert_int_equal(vmaf_device_state_create(device, NULL, NULL), 0);
    params.handles[1] = VK_FORMAT_R8G8B8A8_UNORM;
    assert_int_equal(vmaf_buffer_import(device, &params, &buffer), VMAF_BACKEND_NOT_SUPPORTED);
    params.handles[1] = VK_FORMAT_R8_UNORM;
    assert_int_equal(vmaf_buffer_import(device, &params, &buffer), 0);
    const VkSemaphoreSignalInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = app->semaphore, .value = 7};
    assert_int_equal(vkSignalSemaphore(app->device, &signal), 0);
    assert_int_equal(vmaf_buffer_download(buffer, data, stride), 0);
    assert_memory_equal(found, app->pixels, sizeof(found));
    assert_true(app->n_locks > 0);
    assert_int_equal(app->locked, 0);
    vmaf_buffer_release(buffer);
    /* A thread of Mesa's may still hold the semaphores whose values have been reached. */
    vkQueueWaitIdle(app->queue);
    vmaf_device_state_destroy(device);
    vmaf_vulkan_layer.close(device);
}

int main(int argc, char **argv)
{
    VmafDeviceInfo info;
    size_t count = 0;
    char reason[256];
    if (vmaf_vulkan_layer.enumerate(&info, 1, &count, reason, sizeof(reason)) < 0 || !count) {
        fprintf(stderr, "skipped: no device\n");
        return 77;
    }
    return run_cases(argc, argv);
}
