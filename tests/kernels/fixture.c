/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "fixture.h"
#include "device_state.h"
#include "support/cases.h"
#include "test_sets.h"
#include "tested_metrics.h"

#ifdef VMAF_TEST_VULKAN
#include "vulkan_layer.h"
#endif

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_SKIPPED = 77 };

/* Modules of layers, by name; what the loader says first where the driver is missing. */
static const struct {
    const char *name, *path, *missing;
} modules[] = {
#include "layer_modules.inc"
    {NULL, NULL, NULL},
};

/* The file, or what the environment names: VMAF_TEST_LAYER_CUDA and so on. */
static const char *module_path(const char *name, const char *built)
{
    char variable[64] = "VMAF_TEST_LAYER_";
    const size_t stem = strlen(variable);
    for (size_t i = 0; name[i] && stem + i + 1 < sizeof(variable); i++)
        variable[stem + i] = (char)toupper((unsigned char)name[i]);
    const char *moved = getenv(variable);
    return moved ? moved : built;
}

static const FixtureModule *load(const char *name, const char *path, const char *missing)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *text = dlerror();
        const bool driver = *missing && strncmp(text, missing, strlen(missing)) == 0;
        fprintf(stderr, "%s%s: %s\n", driver ? "skipped: " : "", name, text);
        exit(driver ? EXIT_SKIPPED : 1);
    }
    const FixtureModule *found = dlsym(handle, "fixture_module");
    assert_non_null(found);
    return found;
}

const char *layer_name;

void fixture_take_layer(int *argc, char ***argv)
{
    if (*argc < 2) {
        fprintf(stderr, "usage: %s LAYER [--list | PATTERN...]\n", (*argv)[0]);
        exit(2);
    }
    --*argc;
    ++*argv;
    layer_name = (*argv)[0];
}

bool is_emulator(void)
{
    return strcmp(layer_name, "emulator") == 0;
}

const FixtureModule *fixture_load(const char *name)
{
    for (size_t i = 0; modules[i].name; i++) {
        if (strcmp(name, modules[i].name) == 0)
            return load(name, module_path(name, modules[i].path), modules[i].missing);
    }
    return NULL;
}

static const VmafDeviceLayer *const layers[] = {
    &vmaf_emulator_layer,
#ifdef VMAF_TEST_VULKAN
    &vmaf_vulkan_layer,
#endif
};

static void complain(void *cookie, const char *text)
{
    Fixture *fixture = cookie;
    atomic_fetch_add(&fixture->n_messages, 1);
    fprintf(stderr, "%s\n", text);
}

void fixture_open(Fixture *fixture, const char *name, const VmafDeviceOpenParams *params)
{
    VmafDeviceOpenParams checked = *params;
    checked.debug = true;
    if (!checked.log) {
        checked.log = complain;
        checked.cookie = fixture;
    }
    const FixtureModule *module = fixture_load(name);
    fixture->layer = module ? module->layer : NULL;
    atomic_init(&fixture->n_messages, 0);
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
        if (strcmp(layers[i]->name, name) == 0)
            fixture->layer = layers[i];
    }
    assert_non_null(fixture->layer);
    VmafDeviceInfo info;
    size_t count = 0;
    char reason[256] = "no device";
    if (fixture->layer->enumerate(&info, 1, &count, reason, sizeof(reason)) < 0 || count == 0) {
        fprintf(stderr, "skipped: %s: %s\n", name, reason);
        exit(EXIT_SKIPPED);
    }
    const int status = fixture->layer->open(&fixture->device, &checked, reason, sizeof(reason));
    if (status < 0)
        fail_msg("%s: %s", name, reason);
    const VmafBackendSync stream = {
        .struct_size = sizeof(stream),
        /* The emulator knows that of one of the vendors, too. */
        .kind = module ? module->default_queue : VMAF_BACKEND_SYNC_CUDA_STREAM,
    };
    const bool has_stream = stream.kind != VMAF_BACKEND_SYNC_NONE &&
                            fixture->device->info.caps.syncs >> stream.kind & 1;
    assert_int_equal(vmaf_device_state_create(fixture->device, has_stream ? &stream : NULL, NULL),
                     0);
    assert_int_equal(fixture->layer->queue_create(fixture->device, &fixture->queue), 0);
}

void fixture_close(Fixture *fixture)
{
    vmaf_device_state_destroy(fixture->device);
    fixture->layer->queue_destroy(fixture->queue);
    fixture->layer->close(fixture->device);
    assert_int_equal(atomic_load(&fixture->n_messages), 0);
}

void fixture_open_kernels(Fixture *fixture, const VmafKernelSet *kernels,
                          const EmulatorOptions *options)
{
    const VmafDeviceOpenParams params = {.kernels = kernels,
                                         .external = is_emulator() ? options : NULL};
    fixture_open(fixture, layer_name, &params);
}

void fixture_open_order(Fixture *fixture, unsigned turn)
{
    const EmulatorOptions options = {.order = (enum EmulatorOrder)(turn % 3), .seed = turn};
    fixture_open_kernels(fixture, product_kernel_set(layer_name), &options);
}

void fixture_open_faulty(Fixture *fixture, const VmafDeviceFaults *faults)
{
    const VmafDeviceOpenParams params = {.kernels = product_kernel_set(layer_name),
                                         .faults = faults};
    fixture_open(fixture, layer_name, &params);
}

static Fixture kept;

void fixture_open_kept(Fixture *fixture, const EmulatorOptions *options)
{
    if (is_emulator()) {
        fixture_open_kernels(fixture, product_kernel_set(layer_name), options);
        return;
    }
    if (!kept.device)
        fixture_open_kernels(&kept, product_kernel_set(layer_name), NULL);
    *fixture = kept;
}

void fixture_close_kept(Fixture *fixture)
{
    if (is_emulator())
        fixture_close(fixture);
}

int fixture_end_kept(void **state)
{
    if (kept.device)
        fixture_close(&kept);
    kept.device = NULL;
    return 0;
}

Fixture group_fixture;

int fixture_begin_group(void **state)
{
    fixture_open_order(&group_fixture, EMULATOR_ORDER_RANDOM);
    return 0;
}

int fixture_end_group(void **state)
{
    fixture_close(&group_fixture);
    return 0;
}

VmafDeviceBuffer *fixture_buffer(Fixture *fixture, enum VmafDeviceMemory memory, uint64_t size)
{
    VmafDeviceBuffer *buffer = NULL;
    const VmafDeviceBufferParams params = {.memory = memory, .size = size};
    assert_int_equal(fixture->layer->buffer_create(fixture->device, &buffer, &params), 0);
    return buffer;
}

int fixture_submit(Fixture *fixture, VmafDeviceCommandList *list, VmafDeviceTicket *ticket)
{
    const VmafDeviceSubmit submit = {.struct_size = sizeof(submit)};
    return vmaf_device_submit(fixture->queue, list, &submit, ticket);
}

int fixture_wait(Fixture *fixture, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    return fixture->layer->wait(fixture->queue, ticket, timeout_ns);
}

static int cmd_copy(VmafDeviceCommandList *list, VmafDeviceBuffer *dst, VmafDeviceBuffer *src,
                    size_t size)
{
    const VmafDeviceCopy copy = {.dst = dst, .src = src, .row_size = size, .rows = 1};
    return vmaf_device_cmd_copy(list, &copy);
}

int fixture_run(Fixture *fixture, const char *name, const FixtureBuffer buffers[], const void *args,
                const uint32_t groups[3])
{
    const VmafDeviceLayer *layer = fixture->layer;
    VmafDevice *device = fixture->device;
    VmafDeviceBuffer *up[VMAF_KERNEL_MAX_BUFFERS] = {0};
    VmafDeviceBuffer *down[VMAF_KERNEL_MAX_BUFFERS] = {0};
    VmafDeviceDispatch dispatch = {.args = args, .groups = {groups[0], groups[1], groups[2]}};
    VmafDeviceCommandList *list = NULL;
    VmafDeviceTicket ticket;
    assert_int_equal(layer->kernel_find(device, &dispatch.kernel, name), 0);
    assert_int_equal(layer->command_list_begin(device, &list), 0);
    const uint32_t n = dispatch.kernel->kernel->n_buffers;

    int status = 0;
    for (uint32_t slot = 0; slot < n && status == 0; slot++) {
        const size_t size = buffers[slot].size;
        dispatch.bindings[slot].buffer = fixture_buffer(fixture, VMAF_MEMORY_DEVICE, size);
        if (buffers[slot].in) {
            up[slot] = fixture_buffer(fixture, VMAF_MEMORY_UPLOAD, size);
            memcpy(up[slot]->mapped, buffers[slot].in, size);
            status = cmd_copy(list, dispatch.bindings[slot].buffer, up[slot], size);
        }
    }
    if (status == 0)
        status = layer->cmd_barrier(list);
    if (status == 0)
        status = vmaf_device_cmd_dispatch(list, &dispatch);
    if (status == 0)
        status = layer->cmd_barrier(list);
    for (uint32_t slot = 0; slot < n && status == 0; slot++) {
        if (buffers[slot].out) {
            const size_t size = buffers[slot].size;
            down[slot] = fixture_buffer(fixture, VMAF_MEMORY_DOWNLOAD, size);
            status = cmd_copy(list, down[slot], dispatch.bindings[slot].buffer, size);
        }
    }
    if (status == 0)
        status = layer->command_list_end(list);
    if (status == 0)
        status = fixture_submit(fixture, list, &ticket);
    if (status == 0)
        status = fixture_wait(fixture, ticket, UINT64_MAX);
    for (uint32_t slot = 0; slot < n; slot++) {
        if (status == 0 && down[slot])
            memcpy(buffers[slot].out, down[slot]->mapped, buffers[slot].size);
    }
    layer->command_list_destroy(list);
    for (uint32_t slot = 0; slot < n; slot++) {
        layer->buffer_destroy(device, dispatch.bindings[slot].buffer);
        layer->buffer_destroy(device, up[slot]);
        layer->buffer_destroy(device, down[slot]);
    }
    return status;
}

int32_t tested_plan_create(VmafDevice *device, const char *const features[N_TESTED_METRICS],
                           const VmafBackendPlanParams *given, VmafBackendPlan **plan)
{
    VmafBackendPlanParams params = *given;
    VmafBackendRequest requests[N_TESTED_METRICS];
    const VmafBackendRequest *list[N_TESTED_METRICS];
    for (uint32_t r = 0; r < N_TESTED_METRICS; r++) {
        requests[r] = (VmafBackendRequest){
            .struct_size = sizeof(requests[r]), .id = r, .feature = features[r]};
        list[r] = &requests[r];
    }
    params.struct_size = sizeof(params);
    params.n_requests = N_TESTED_METRICS;
    params.requests = list;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    const int32_t result = vmaf_plan_create(device, &params, plan, &why);
    assert_true((result == VMAF_BACKEND_OK) == (*plan != NULL));
    return result;
}
