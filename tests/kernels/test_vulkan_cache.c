/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Compiled pipelines are kept in a file; kernels run whatever that file contains. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"
#include <vulkan/vulkan.h>

#include "fixture.h"
#include "test_sets.h"

static const VmafDeviceFaults lost_at_once = {.lose_at_submit = 1};

/* A new folder for each test. */
static char folder[] = "/tmp/vmaf-vulkan-cache-XXXXXX";

static int make_folder(void **state)
{
    memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
    return mkdtemp(folder) ? 0 : -1;
}

/* The path of the only file in the folder. False if there is none. */
static bool find_file(char path[PATH_MAX])
{
    DIR *directory = opendir(folder);
    int count = 0;
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] != '.') {
            snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name);
            count++;
        }
    }
    closedir(directory);
    assert_in_range(count, 0, 1);
    return count == 1;
}

static int remove_folder(void **state)
{
    char path[PATH_MAX];
    if (find_file(path))
        unlink(path);
    return rmdir(folder);
}

/* Opens the device, makes the pipeline of a kernel, and closes it. */
static void compile_kernel(const char *cache_directory)
{
    const VmafKernelSet *kernels = product_kernel_set("vulkan");
    const VmafDeviceOpenParams params = {.kernels = kernels, .cache_directory = cache_directory};
    const VmafDeviceKernel *kernel;
    Fixture fixture;
    fixture_open(&fixture, "vulkan", &params);
    assert_int_equal(fixture.layer->kernel_find(fixture.device, &kernel, kernels->kernels[0].name),
                     0);
    fixture_close(&fixture);
}

/* The content and the identity of a file. */
typedef struct Content {
    ino_t file;
    struct timespec written;
    size_t size;
    uint8_t *bytes;
} Content;

static Content read_content(const char *path)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &status), 0);
    Content content = {status.st_ino, status.st_mtim, (size_t)status.st_size, NULL};
    content.bytes = malloc(content.size + 1);
    assert_non_null(content.bytes);
    assert_int_equal(fread(content.bytes, 1, content.size, file), content.size);
    fclose(file);
    return content;
}

static void write_content(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

CASE_WITH(a_cache_is_kept_and_found_again, make_folder, remove_folder)
{
    char path[PATH_MAX];
    compile_kernel(folder);
    assert_true(find_file(path));
    Content first = read_content(path);
    assert_true(first.size >= sizeof(VkPipelineCacheHeaderVersionOne));
    compile_kernel(folder);
    Content second = read_content(path);
    assert_true(first.file == second.file);
    assert_memory_equal(&first.written, &second.written, sizeof(first.written));
    free(first.bytes);
    free(second.bytes);
}

CASE_WITH(what_is_not_a_cache_of_this_device_is_replaced, make_folder, remove_folder)
{
    char path[PATH_MAX];
    compile_kernel(folder);
    assert_true(find_file(path));
    Content good = read_content(path);
    const size_t header = sizeof(VkPipelineCacheHeaderVersionOne);
    const struct {
        size_t damaged; /* index of the byte to change */
        size_t size;
    } damages[] = {
        {offsetof(VkPipelineCacheHeaderVersionOne, headerSize), good.size},
        {offsetof(VkPipelineCacheHeaderVersionOne, headerVersion), good.size},
        {offsetof(VkPipelineCacheHeaderVersionOne, vendorID), good.size},
        {offsetof(VkPipelineCacheHeaderVersionOne, deviceID), good.size},
        {offsetof(VkPipelineCacheHeaderVersionOne, pipelineCacheUUID) + 15, good.size},
        {0, header - 1},
        {0, 1},
        {0, 0},
    };
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        uint8_t *bad = malloc(good.size);
        assert_non_null(bad);
        memcpy(bad, good.bytes, good.size);
        bad[damages[i].damaged] ^= 0x40;
        write_content(path, bad, damages[i].size);
        free(bad);
        compile_kernel(folder);
        Content replaced = read_content(path);
        assert_true(replaced.size >= header);
        assert_memory_equal(replaced.bytes, good.bytes, header);
        free(replaced.bytes);
    }
    free(good.bytes);
}

CASE_WITH(where_nothing_can_be_written_all_works, make_folder, remove_folder)
{
    char path[PATH_MAX];
    compile_kernel("/dev/null");
    compile_kernel("/nonexistent/folder");
    compile_kernel(NULL);
    assert_false(find_file(path));
}

CASE_WITH(a_lost_device_keeps_nothing, make_folder, remove_folder)
{
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set("vulkan"),
                                         .cache_directory = folder,
                                         .faults = &lost_at_once};
    Fixture fixture;
    VmafDeviceCommandList *list;
    VmafDeviceTicket ticket;
    char path[PATH_MAX];
    fixture_open(&fixture, "vulkan", &params);
    assert_int_equal(fixture.layer->command_list_begin(fixture.device, &list), 0);
    assert_int_equal(fixture.layer->command_list_end(list), 0);
    assert_int_equal(fixture_submit(&fixture, list, &ticket), -ENODEV);
    fixture.layer->command_list_destroy(list);
    fixture_close(&fixture);
    assert_false(find_file(path));
}
