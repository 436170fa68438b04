/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The backend that the SDK makes of a device layer, through its table: structures of older and
 * newer hosts, devices that cannot be used, drivers that are known to be bad, registered memory,
 * marks.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi_internal.h"
#include "backend_glue.h"
#include "device_state.h"
#include "emulator.h"
#include "platform/machine.h"
#include "platform/time.h"
#include "support/cases.h"
#include "test_sets.h"

/* ---- A vendor with three devices: the second is broken, the third has a bad driver ---- */

static VmafDeviceLayer layer;

static const VmafDeviceInfo devices[] = {
    {.id = "emulator",
     .name = "kernels as plain C",
     .vendor = "libvmaf",
     .driver = "1.0",
     .kind = VMAF_DEVICE_DISCRETE,
     .identities = VMAF_BACKEND_IDENTITY_PCI | VMAF_BACKEND_IDENTITY_UUID,
     .uuid = {1, 2, 3},
     .luid = {4},
     .pci = "0000:01:00.0",
     .caps = {.memory_size = 1000,
              .compute_units = 7,
              .copy_engines = 2,
              .subgroup_size = 32,
              .group_memory = 49152,
              .host_memory_alignment = 4096,
              .copy_alignment = 1,
              .imports = 1u << VMAF_BACKEND_IMPORT_CUDA_POINTER,
              .syncs = 1u << VMAF_BACKEND_SYNC_CUDA_STREAM,
              .addresses = true,
              .exact_float32 = true,
              .group_atomics32 = true}},
    {.id = "old", .name = "Card 3", .driver = "5", .unusable = "it is too old"},
    {.id = "bad", .name = "Card 4 Super", .driver = "vendor 22.3.6 (LLVM 15)"},
};

static int enumerate(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                     size_t reason_size)
{
    *count = sizeof(devices) / sizeof(devices[0]);
    for (size_t i = 0; i < capacity && i < *count; i++)
        infos[i] = devices[i];
    return 0;
}

static const VmafKnownBad known_bad[] = {
    {.device = "Card 4*", .driver_from = "22.3", .driver_to = "22.3.9", .reason = "hangs"},
    {.device = "*plain C", .feature = "vif", .reason = "miscounts"},
    {.device = NULL},
};

const VmafSdkVendor vmaf_sdk_vendor = {
    .layer = &layer,
    .kernels = &vmaf_kernels_emulator,
    .default_queue = VMAF_BACKEND_SYNC_CUDA_STREAM,
    .known_bad = known_bad,
};
VMAF_SDK_BACKEND("glue", VMAF_BACKEND_CLASS_NATIVE, "for tests")

static int set_up(void **state)
{
    layer = vmaf_emulator_layer;
    layer.enumerate = enumerate;
    unsetenv("VMAF_BACKEND_TRUST_DRIVER");
    return 0;
}

static VmafBackendDevice *open_device(void)
{
    const VmafBackendDeviceParams params = {.struct_size = sizeof(params), .id = "emulator"};
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendDevice *device;
    assert_int_equal(vmaf_sdk_backend.device_open(&params, &device, &why), VMAF_BACKEND_OK);
    return device;
}

/* ---- Sizes of structures ---- */

/* Calls a function that fills in a structure, of a size between those of version 1.0 and of the
 * future; what lies beyond it stays. */
#define CHECK_SIZES(TYPE, SIZE_1_0, CALL)                                                          \
    do {                                                                                           \
        union {                                                                                    \
            TYPE it;                                                                               \
            unsigned char bytes[sizeof(TYPE) + 16];                                                \
        } room;                                                                                    \
        for (uint32_t given = (SIZE_1_0)-4; given <= sizeof(room.bytes); given += 4) {             \
            TYPE *out = &room.it;                                                                  \
            memset(room.bytes, 0xa5, sizeof(room.bytes));                                          \
            out->struct_size = given;                                                              \
            assert_int_equal(CALL, given < (SIZE_1_0) ? VMAF_BACKEND_INVALID : VMAF_BACKEND_OK);   \
            assert_int_equal(out->struct_size, given);                                             \
            for (size_t i = given < (SIZE_1_0) ? 4 : given; i < sizeof(room.bytes); i++)           \
                assert_int_equal(room.bytes[i], 0xa5);                                             \
        }                                                                                          \
    } while (0)

CASE_WITH(structures_are_filled_as_far_as_they_go, set_up, NULL)
{
    const VmafBackend *backend = &vmaf_sdk_backend;
    const VmafBackendRequest psnr = {.struct_size = sizeof(psnr), .feature = "psnr"};
    const VmafBackendRequest *requests[] = {&psnr};
    const VmafBackendPlanParams params = {.struct_size = sizeof(params),
                                          .width = 64,
                                          .height = 64,
                                          .depth = 8,
                                          .pixel_format = VMAF_BACKEND_PIXEL_420,
                                          .n_requests = 1,
                                          .requests = requests};
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendPlan *plan;
    CHECK_SIZES(VmafBackendProbe, VMAF_STRUCT_SIZE_BEFORE(VmafBackendProbe, n_unusable),
                backend->probe(out));
    CHECK_SIZES(VmafBackendDeviceInfo, VMAF_STRUCT_SIZE_BEFORE(VmafBackendDeviceInfo, identities),
                backend->device_get(0, out));
    CHECK_SIZES(VmafBackendFeature, sizeof(VmafBackendFeature), backend->feature_get(0, out));
    CHECK_SIZES(VmafBackendOptionSpec, sizeof(VmafBackendOptionSpec),
                backend->feature_option(0, 0, out));
    VmafBackendDevice *device = open_device();
    assert_int_equal(backend->plan_create(device, &params, &plan, &why), VMAF_BACKEND_OK);
    CHECK_SIZES(VmafBackendPlanInfo, sizeof(VmafBackendPlanInfo), backend->plan_info(plan, out));
    CHECK_SIZES(VmafBackendAnswer, sizeof(VmafBackendAnswer), backend->plan_answer(plan, 0, out));
    backend->plan_destroy(plan);
    backend->device_close(device);
}

/* A host of 1.0 knows nothing of the members after these sizes; noise stands there. */
CASE_WITH(structures_are_read_as_far_as_they_go, set_up, NULL)
{
    const VmafBackend *backend = &vmaf_sdk_backend;
    VmafBackendDeviceParams params;
    VmafBackendImport import;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendDevice *device;
    VmafBackendBuffer *buffer;
    static unsigned char pixels[64 * 64];
    memset(&params, 0xa5, sizeof(params));
    params.struct_size = VMAF_STRUCT_SIZE_BEFORE(VmafBackendDeviceParams, lock);
    params.flags = 0;
    params.host = NULL;
    params.id = "emulator";
    params.external = VMAF_BACKEND_EXTERNAL_NONE;
    assert_int_equal(backend->device_open(&params, &device, &why), VMAF_BACKEND_OK);
    memset(&import, 0xa5, sizeof(import));
    import.struct_size = VMAF_STRUCT_SIZE_BEFORE(VmafBackendImport, layout);
    import.kind = VMAF_BACKEND_IMPORT_CUDA_POINTER;
    import.width = import.height = 64;
    import.depth = 8;
    import.pixel_format = VMAF_BACKEND_PIXEL_400;
    import.planes = VMAF_BACKEND_PLANE_Y;
    import.n_handles = 1;
    import.handles[0] = (uint64_t)(uintptr_t)pixels;
    import.stride[0] = 64;
    assert_int_equal(backend->buffer_import(device, &import, &buffer), VMAF_BACKEND_OK);
    backend->buffer_release(buffer);
    backend->device_close(device);
}

/* ---- Devices ---- */

CASE_WITH(devices_that_cannot_be_used_come_last, set_up, NULL)
{
    const VmafBackend *backend = &vmaf_sdk_backend;
    VmafBackendProbe probe = {.struct_size = sizeof(probe)};
    VmafBackendDeviceInfo info = {.struct_size = sizeof(info)};
    assert_int_equal(backend->probe(&probe), VMAF_BACKEND_OK);
    assert_int_equal(probe.n_devices, 1);
    assert_int_equal(probe.n_unusable, 2);
    assert_int_equal(backend->device_get(0, &info), VMAF_BACKEND_OK);
    assert_string_equal(info.id, "emulator");
    assert_string_equal(info.unusable, "");
    assert_int_equal(backend->device_get(1, &info), VMAF_BACKEND_OK);
    assert_string_equal(info.id, "old");
    assert_string_equal(info.unusable, "it is too old");
    assert_int_equal(backend->device_get(2, &info), VMAF_BACKEND_OK);
    assert_string_equal(info.id, "bad");
    assert_string_equal(info.unusable, "hangs");
    assert_int_equal(backend->device_get(3, &info), VMAF_BACKEND_INVALID);
}

CASE_WITH(what_a_device_is_and_can_is_told, set_up, NULL)
{
    VmafBackendDeviceInfo info = {.struct_size = sizeof(info)};
    assert_int_equal(vmaf_sdk_backend.device_get(0, &info), VMAF_BACKEND_OK);
    assert_int_equal(info.kind, VMAF_BACKEND_DEVICE_DISCRETE);
    assert_int_equal(info.identities, devices[0].identities);
    assert_memory_equal(info.uuid, devices[0].uuid, 16);
    assert_memory_equal(info.luid, devices[0].luid, 8);
    assert_string_equal(info.pci, "0000:01:00.0");
    assert_int_equal(info.compute_units, 7);
    assert_int_equal(info.copy_engines, 2);
    assert_int_equal(info.subgroup_size, 32);
    assert_int_equal(info.group_memory, 49152);
    assert_int_equal(info.imports, devices[0].caps.imports);
    assert_int_equal(info.syncs, devices[0].caps.syncs);
    assert_int_equal(info.buffers, 1u << VMAF_BACKEND_BUFFER_DEVICE |
                                       1u << VMAF_BACKEND_BUFFER_PINNED |
                                       1u << VMAF_BACKEND_BUFFER_UPLOADED);
    assert_int_equal(info.abilities, VMAF_BACKEND_ABILITY_INT64 | VMAF_BACKEND_ABILITY_FP32_EXACT |
                                         VMAF_BACKEND_ABILITY_GROUP_ATOMIC32 |
                                         VMAF_BACKEND_ABILITY_HOST_MEMORY);
}

/* ---- Known-bad drivers ---- */

static const char *reason_for(const char *device, const char *driver, const char *feature)
{
    VmafDeviceInfo info = {.kind = VMAF_DEVICE_DISCRETE};
    static const VmafKnownBad table[] = {
        {.device = "A *X", .driver_from = "5.9", .driver_to = "5.10", .reason = "range"},
        {.device = "B", .driver_to = "7", .feature = "adm", .reason = "feature"},
        {.device = "C*", .driver_from = "3", .reason = "from"},
        {.device = NULL},
    };
    snprintf(info.name, sizeof(info.name), "%s", device);
    snprintf(info.driver, sizeof(info.driver), "%s", driver);
    return vmaf_known_bad(table, &info, feature);
}

CASE_WITH(entries_match_names_versions_and_features, set_up, NULL)
{
    assert_string_equal(reason_for("A 12X", "mesa 5.9.0 (LLVM 3)", NULL), "range");
    assert_string_equal(reason_for("A X", "5.10", "vif"), "range");
    assert_null(reason_for("A 12X", "5.8.99", NULL));
    assert_null(reason_for("A 12X", "5.10.1", NULL));
    assert_null(reason_for("A 12Y", "5.9", NULL));
    assert_null(reason_for("AX", "5.9", NULL));
    assert_string_equal(reason_for("B", "7.0", "adm"), "feature");
    assert_null(reason_for("B", "7.0.1", "adm"));
    assert_null(reason_for("B", "6", "vif"));
    assert_null(reason_for("B", "6", NULL));
    assert_null(reason_for("BB", "6", "adm"));
    assert_string_equal(reason_for("C", "nvidia 535", NULL), "from");
    assert_null(reason_for("C", "none", NULL));
}

static bool accepts_vif(VmafBackendDevice *device, char *reason)
{
    const VmafBackendRequest request = {.struct_size = sizeof(request), .feature = "vif"};
    const VmafBackendRequest *requests[] = {&request};
    const VmafBackendPlanParams params = {.struct_size = sizeof(params),
                                          .width = 64,
                                          .height = 64,
                                          .depth = 8,
                                          .pixel_format = VMAF_BACKEND_PIXEL_420,
                                          .n_requests = 1,
                                          .requests = requests};
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendAnswer answer = {.struct_size = sizeof(answer)};
    VmafBackendPlan *plan;
    assert_int_equal(vmaf_sdk_backend.plan_create(device, &params, &plan, &why), VMAF_BACKEND_OK);
    assert_int_equal(vmaf_sdk_backend.plan_answer(plan, 0, &answer), VMAF_BACKEND_OK);
    vmaf_sdk_backend.plan_destroy(plan);
    memcpy(reason, answer.reason, sizeof(answer.reason));
    return answer.accepted;
}

CASE_WITH(a_bad_driver_is_passed_over_unless_it_is_trusted, set_up, NULL)
{
    VmafBackendProbe probe = {.struct_size = sizeof(probe)};
    char reason[VMAF_BACKEND_TEXT_SIZE];
    VmafBackendDevice *device = open_device();
    assert_false(accepts_vif(device, reason));
    assert_string_equal(reason, "miscounts");
    setenv("VMAF_BACKEND_TRUST_DRIVER", "0", 1);
    assert_false(accepts_vif(device, reason));
    setenv("VMAF_BACKEND_TRUST_DRIVER", "1", 1);
    assert_true(accepts_vif(device, reason));
    assert_int_equal(vmaf_sdk_backend.probe(&probe), VMAF_BACKEND_OK);
    assert_int_equal(probe.n_devices, 2);
    vmaf_sdk_backend.device_close(device);
}

static int open_as_bad(VmafDevice **opened, const VmafDeviceOpenParams *params, char *reason,
                       size_t reason_size)
{
    const int status = vmaf_emulator_layer.open(opened, params, reason, reason_size);
    if (status == 0) {
        snprintf((*opened)->info.name, sizeof((*opened)->info.name), "Card 4");
        snprintf((*opened)->info.driver, sizeof((*opened)->info.driver), "22.3");
    }
    return status;
}

CASE_WITH(a_bad_driver_is_not_opened, set_up, NULL)
{
    const VmafBackendDeviceParams params = {.struct_size = sizeof(params), .id = "emulator"};
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendDevice *device;
    layer.open = open_as_bad;
    assert_int_equal(vmaf_sdk_backend.device_open(&params, &device, &why),
                     VMAF_BACKEND_NOT_SUPPORTED);
    assert_string_equal(why.text, "hangs");
}

/* ---- Memory and marks ---- */

struct VmafBackendDevice { /* as backend_glue.c has it */
    VmafDevice *device;
};

CASE_WITH(ranges_need_not_begin_at_a_page, set_up, NULL)
{
    const VmafBackend *backend = &vmaf_sdk_backend;
    unsigned char *memory = malloc(20000);
    VmafBackendMemory *a, *b;
    VmafBackendDevice *device = open_device();
    assert_non_null(memory);
    assert_int_equal(backend->memory_register(device, memory + 1, 9000, &a), VMAF_BACKEND_OK);
    assert_int_equal(backend->memory_register(device, memory + 9001, 10999, &b), VMAF_BACKEND_OK);
    uint64_t offset = 0;
    VmafDeviceBuffer *found = vmaf_host_memory_find(device->device, memory + 101, 8900, &offset);
    assert_ptr_equal(found, a->buffer);
    assert_ptr_equal((unsigned char *)found->mapped + offset, memory + 101);
    assert_null(vmaf_host_memory_find(device->device, memory, 10, &offset));
    assert_null(vmaf_host_memory_find(device->device, memory + 101, 8901, &offset));
    assert_null(vmaf_host_memory_find(device->device, memory + 9000, 2, &offset));
    backend->memory_unregister(device, a);
    assert_int_equal(backend->memory_register(device, NULL, 10, &a), VMAF_BACKEND_INVALID);
    assert_int_equal(backend->memory_register(device, memory, 0, &a), VMAF_BACKEND_INVALID);
    assert_int_equal(backend->memory_register(device, memory, UINT64_MAX, &a),
                     VMAF_BACKEND_INVALID);
    backend->device_close(device); /* takes what is left along */
    free(memory);
}

static VmafBackendBuffer *make_buffer(VmafBackendDevice *device, uint32_t kind, uint32_t width,
                                      uint32_t height)
{
    const VmafBackendBufferParams params = {.struct_size = sizeof(params),
                                            .kind = kind,
                                            .width = width,
                                            .height = height,
                                            .depth = 8,
                                            .pixel_format = VMAF_BACKEND_PIXEL_420,
                                            .planes = 7};
    VmafBackendBuffer *buffer;
    assert_int_equal(vmaf_sdk_backend.buffer_create(device, &params, &buffer), VMAF_BACKEND_OK);
    return buffer;
}

CASE_WITH(marks_stay_until_they_are_overwritten, set_up, NULL)
{
    const VmafBackend *backend = &vmaf_sdk_backend;
    uint8_t mark[VMAF_BACKEND_MARK_SIZE];
    VmafBackendBufferInfo info = {.struct_size = sizeof(info)};
    uint32_t planes = 7;
    VmafBackendDevice *device = open_device();
    VmafBackendBuffer *buffer = make_buffer(device, VMAF_BACKEND_BUFFER_DEVICE, 130, 20);
    for (unsigned i = 0; i < sizeof(mark); i++)
        mark[i] = (uint8_t)(i * 37 + 1);
    assert_int_equal(backend->buffer_mark(buffer, 5, mark), VMAF_BACKEND_OK);
    assert_int_equal(backend->buffer_marked(buffer, &planes, mark), VMAF_BACKEND_OK);
    assert_int_equal(planes, 5);
    /* The application writes luma in its stream, and does not wait. */
    assert_int_equal(backend->buffer_info(buffer, &info), VMAF_BACKEND_OK);
    const uint8_t other = 0;
    assert_int_equal(emulator_stream_write(device->device, info.address[0] + 31, &other, 1), 0);
    assert_int_equal(backend->buffer_marked(buffer, &planes, mark), VMAF_BACKEND_OK);
    assert_int_equal(planes, 4);
    mark[31] ^= 1;
    assert_int_equal(backend->buffer_marked(buffer, &planes, mark), VMAF_BACKEND_OK);
    assert_int_equal(planes, 0);
    backend->buffer_release(buffer);
    backend->device_close(device);
}

CASE_WITH(pictures_come_back_as_they_were, set_up, NULL)
{
    const VmafBackend *backend = &vmaf_sdk_backend;
    enum { WIDTH = 130, HEIGHT = 20 };
    static unsigned char pixels[3][WIDTH * HEIGHT], found[3][WIDTH * HEIGHT];
    const void *const data[3] = {pixels[0], pixels[1], pixels[2]};
    void *const back[3] = {found[0], found[1], found[2]};
    const int64_t stride[3] = {WIDTH, WIDTH / 2, WIDTH / 2};
    VmafBackendDevice *device = open_device();
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned i = 0; i < sizeof(pixels[p]); i++)
            pixels[p][i] = (unsigned char)(i * 31 + i / 256 + p);
    }
    for (uint32_t kind = VMAF_BACKEND_BUFFER_DEVICE; kind <= VMAF_BACKEND_BUFFER_UPLOADED; kind++) {
        VmafBackendBuffer *buffer = make_buffer(device, kind, WIDTH, HEIGHT);
        VmafBackendBufferInfo info = {.struct_size = sizeof(info)};
        memset(found, 0, sizeof(found));
        assert_int_equal(backend->buffer_info(buffer, &info), VMAF_BACKEND_OK);
        assert_int_equal(info.address[0] != 0, kind != VMAF_BACKEND_BUFFER_UPLOADED);
        assert_int_equal(backend->buffer_upload(buffer, data, stride), VMAF_BACKEND_OK);
        assert_int_equal(backend->buffer_download(buffer, back, stride), VMAF_BACKEND_OK);
        assert_memory_equal(found[0], pixels[0], WIDTH * HEIGHT);
        for (unsigned p = 1; p < 3; p++)
            assert_memory_equal(found[p], pixels[p], WIDTH / 2 * (HEIGHT / 2));
        backend->buffer_release(buffer);
    }
    backend->device_close(device);
}

/* P010, as an application imports it: samples come back in the low bits, plane by plane; what is
 * waited for is waited for, what is signalled is. */
CASE_WITH(imported_pictures_are_unpacked_for_the_host, set_up, NULL)
{
    const VmafBackend *backend = &vmaf_sdk_backend;
    static uint16_t y[2 * 5], uv[5], found[3][10];
    EmulatorTimeline ready = {1}, done = {0};
    VmafBackendSync wait = {sizeof(wait), VMAF_BACKEND_SYNC_VULKAN_TIMELINE,
                            (uint64_t)(uintptr_t)&ready, 1};
    VmafBackendSync signal = {sizeof(signal), VMAF_BACKEND_SYNC_VULKAN_TIMELINE,
                              (uint64_t)(uintptr_t)&done, 9};
    VmafBackendImport params = {.struct_size = sizeof(params),
                                .kind = VMAF_BACKEND_IMPORT_CUDA_POINTER,
                                .width = 5,
                                .height = 2,
                                .depth = 10,
                                .pixel_format = VMAF_BACKEND_PIXEL_420,
                                .planes = 7,
                                .n_handles = 2,
                                .handles = {(uint64_t)(uintptr_t)y, (uint64_t)(uintptr_t)uv},
                                .stride = {10, 10},
                                .layout = VMAF_BACKEND_LAYOUT_SEMIPLANAR,
                                .shift = 6,
                                .wait = &wait,
                                .signal = &signal};
    void *const back[3] = {found[0], found[1], found[2]};
    const int64_t stride[3] = {10, 4, 4};
    VmafBackendBuffer *buffer;
    VmafBackendDevice *device = open_device();
    device->device->info.caps.copy_alignment = 1;
    for (unsigned i = 0; i < 10; i++)
        y[i] = (uint16_t)((100 + i) << 6 | 0x3f);
    for (unsigned i = 0; i < 4; i++)
        uv[i] = (uint16_t)((200 + i) << 6);
    assert_int_equal(backend->buffer_import(device, &params, &buffer), VMAF_BACKEND_OK);
    assert_int_equal(backend->buffer_download(buffer, back, stride), VMAF_BACKEND_OK);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(found[0][i], 100 + i);
    assert_int_equal(found[1][0], 200);
    assert_int_equal(found[1][1], 202);
    assert_int_equal(found[2][0], 201);
    assert_int_equal(found[2][1], 203);
    assert_int_equal(atomic_load(&done.value), 9);
    backend->buffer_release(buffer);
    /* Refused: bits that there are not, kinds of synchronisation that there are not. */
    params.shift = 7;
    assert_int_equal(backend->buffer_import(device, &params, &buffer), VMAF_BACKEND_INVALID);
    params.shift = 6;
    wait.kind = VMAF_BACKEND_SYNC_ZE_EVENT;
    assert_int_equal(backend->buffer_import(device, &params, &buffer), VMAF_BACKEND_NOT_SUPPORTED);
    wait.kind = VMAF_BACKEND_SYNC_NONE;
    params.layout = 2;
    assert_int_equal(backend->buffer_import(device, &params, &buffer), VMAF_BACKEND_NOT_SUPPORTED);
    backend->device_close(device);
}
