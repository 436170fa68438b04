/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The layer that CUDA and HIP share, and what layers on streams and events have in common, on a
 * driver that only writes down what is asked of it. Work ends when the test says so.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_internal.h"
#include "support/cases.h"

/* -- the driver -- */

static struct {
    char log[16384]; /* what was asked, since it was cleared */
    int n_streams, n_events, n_buffers, n_devices;
    int fail_copies;         /* the copy after so many fails; 0: none */
    bool is_held;            /* events that are recorded now come true later */
    uint64_t records, ended; /* events up to that record have come true */
    int loads, loads_at_once, most_loads, fail_loads;
    int n_wanting, wait_for; /* a load takes until so many threads want the kernel */
    VmafDeviceInfo infos[4]; /* of the machine */
    uint32_t n_infos;
} api;
static pthread_mutex_t api_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t api_changed = PTHREAD_COND_INITIALIZER;

struct CUevent_st {
    int number;
    uint64_t recorded; /* 0: never */
};

struct CUstream_st {
    int number;
};

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    const size_t length = strlen(api.log);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(api.log + length, sizeof(api.log) - length, format, arguments);
    va_end(arguments);
}

int driver_error_of(CUresult result)
{
    return result == CUDA_SUCCESS ? 0 : -EIO;
}

int driver_done(CudaDevice *device, CUresult result, const char *what)
{
    return result == CUDA_SUCCESS
               ? 0
               : vmaf_layer_state_failed(&device->base.state, -EIO, what, "a fault");
}

void driver_ignore(CUresult result)
{
}

int context_enter(CudaDevice *device)
{
    return 0;
}

void context_leave(CudaDevice *device)
{
}

int driver_start(char *reason, size_t size)
{
    return 0;
}

uint32_t driver_count(void)
{
    return api.n_infos;
}

bool driver_describe(uint32_t index, VmafStreamCandidate *candidate)
{
    candidate->info = api.infos[index];
    candidate->handle = index;
    return true;
}

int driver_open(CudaDevice *device, const VmafStreamCandidate *candidate)
{
    device->max_pitch = 1 << 20;
    api.n_devices++;
    note("open%d ", (int)candidate->handle);
    return 0;
}

int driver_borrow(CudaDevice *device, const void *external, VmafStreamCandidate *candidate)
{
    candidate->info = *(const VmafDeviceInfo *)external;
    api.n_devices++;
    note("borrow%d ", device->base.borrowed);
    return 0;
}

void driver_close(CudaDevice *device)
{
    api.n_devices--;
    note("close%d ", device->base.borrowed);
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    *address = 1000 * (uint64_t)++api.n_buffers;
    return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    api.n_buffers--;
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    *memory = (void *)(uintptr_t)(1000 * ++api.n_buffers);
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *memory)
{
    api.n_buffers--;
    return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags)
{
    api.n_buffers++;
    return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *memory)
{
    api.n_buffers--;
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *memory, unsigned flags)
{
    *address = (uintptr_t)memory;
    return CUDA_SUCCESS;
}

int driver_check_plane(CudaDevice *device, const VmafStreamBuffer *plane, uint32_t number)
{
    return 0;
}

int driver_load_kernel(CudaDevice *device, CudaKernel *kernel, const VmafKernel *source)
{
    pthread_mutex_lock(&api_lock);
    api.loads++;
    if (++api.loads_at_once > api.most_loads)
        api.most_loads = api.loads_at_once;
    const bool fails = api.fail_loads > 0 && api.fail_loads--;
    while (api.n_wanting < api.wait_for)
        pthread_cond_wait(&api_changed, &api_lock);
    api.loads_at_once--;
    pthread_mutex_unlock(&api_lock);
    kernel->module = (CUmodule)(uintptr_t)source;
    return fails ? vmaf_layer_state_failed(&device->base.state, -EIO, source->name, "a fault") : 0;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return CUDA_ERROR_NOT_SUPPORTED; /* driver_load_kernel has no code */
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuModuleUnload(CUmodule module)
{
    note("unload-%s ", ((const VmafKernel *)(uintptr_t)module)->name);
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    *stream = calloc(1, sizeof(**stream));
    (*stream)->number = api.n_streams++;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    api.n_streams--;
    free(stream);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    note("settle%d ", stream->number);
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    assert_int_not_equal(event->recorded, 0);
    note("wait%d ", stream->number);
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    *event = calloc(1, sizeof(**event));
    (*event)->number = api.n_events++;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
    api.n_events--;
    free(event);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    assert_true(event->recorded <= api.ended); /* its earlier record has finished */
    event->recorded = ++api.records;
    if (!api.is_held)
        api.ended = api.records;
    note("record%d ", stream->number);
    return CUDA_SUCCESS;
}

/* From now on work ends only when it is let go. */
static void hold(void)
{
    api.is_held = true;
}

static void let_go(void)
{
    api.is_held = false;
    api.ended = api.records;
}

CUresult cuEventQuery(CUevent event)
{
    assert_int_not_equal(event->recorded, 0);
    return event->recorded <= api.ended ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end)
{
    *milliseconds = (float)(end->number - begin->number);
    return CUDA_SUCCESS;
}

static CUresult copy(CUstream stream, size_t rows, size_t row_size, size_t src_pitch,
                     size_t dst_pitch)
{
    if (api.fail_copies && --api.fail_copies == 0)
        return CUDA_ERROR_INVALID_VALUE;
    note("copy%d(%zux%zu,%zu,%zu) ", stream->number, rows, row_size, src_pitch, dst_pitch);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    return copy(stream, 1, bytes, bytes, bytes);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *rows, CUstream stream)
{
    return copy(stream, rows->Height, rows->WidthInBytes, rows->srcPitch, rows->dstPitch);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **parameters, void **extra)
{
    assert_int_equal(*(const uint64_t *)parameters[1], 7);
    note("run%d(%u) ", stream->number, (unsigned)*(const CUdeviceptr *)parameters[0]);
    return CUDA_SUCCESS;
}

/* -- the test's own -- */

static const VmafKernel kernels[] = {
    {.name = "one", .lanes = {8, 8}, .n_buffers = 1, .element_size = {4}, .args_size = 8},
    {.name = "two", .lanes = {8, 8}, .n_buffers = 1, .element_size = {4}, .args_size = 8},
};
static const VmafKernelSet kernel_set = {"fake", kernels, 2};

typedef struct Session {
    VmafDevice *device;
    VmafDeviceQueue *queue;
    VmafDeviceBuffer *buffers[2];
    VmafDeviceCommandList *list;
} Session;

static VmafDeviceInfo info_of(const char *name, enum VmafDeviceKind kind, const char *unusable)
{
    VmafDeviceInfo info = {
        .kind = kind,
        .caps = {.host_memory_alignment = 4096,
                 .copy_alignment = 1,
                 .binding_alignment = 4,
                 .imports = 1u << VMAF_BACKEND_IMPORT_USM_POINTER,
                 .max_buffer_size = 1 << 20,
                 .max_binding_size = 1 << 20},
    };
    snprintf(info.name, sizeof(info.name), "%s", name);
    snprintf(info.unusable, sizeof(info.unusable), "%s", unusable);
    return info;
}

static int reset(void **state)
{
    memset(&api, 0, sizeof(api));
    api.infos[0] = info_of("fake", VMAF_DEVICE_DISCRETE, "");
    api.n_infos = 1;
    return 0;
}

#define ON_NEW_MACHINE(test) CASE_WITH(test, reset, NULL)

static VmafDevice *open_with(const VmafDeviceOpenParams *given)
{
    VmafDeviceOpenParams params = *given;
    VmafDevice *device = NULL;
    char reason[256] = "";
    params.kernels = &kernel_set;
    assert_int_equal(fake_layer.open(&device, &params, reason, sizeof(reason)), 0);
    return device;
}

/* A list: kernel one, barrier, kernel two. */
static void make_list(Session *session)
{
    const uint64_t seven = 7;
    assert_int_equal(fake_layer.command_list_begin(session->device, &session->list), 0);
    for (int i = 0; i < 2; i++) {
        VmafDeviceDispatch dispatched = {.args = &seven, .groups = {1, 1, 1}};
        assert_int_equal(
            fake_layer.kernel_find(session->device, &dispatched.kernel, i ? "two" : "one"), 0);
        dispatched.bindings[0] =
            (VmafDeviceBinding){.buffer = session->buffers[i], .offset = 4 * (uint64_t)i};
        assert_int_equal(fake_layer.cmd_dispatch(session->list, &dispatched), 0);
        if (i == 0)
            assert_int_equal(fake_layer.cmd_barrier(session->list), 0);
    }
    assert_int_equal(fake_layer.command_list_end(session->list), 0);
}

static void begin(Session *session, const VmafDeviceFaults *faults)
{
    const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DEVICE, .size = 4096};
    const VmafDeviceOpenParams open = {.faults = faults};
    *session = (Session){.device = open_with(&open)};
    assert_int_equal(fake_layer.queue_create(session->device, &session->queue), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(fake_layer.buffer_create(session->device, &session->buffers[i], &params),
                         0);
    make_list(session);
    api.log[0] = '\0';
}

static void end(Session *session)
{
    fake_layer.command_list_destroy(session->list);
    for (int i = 0; i < 2; i++)
        fake_layer.buffer_destroy(session->device, session->buffers[i]);
    fake_layer.queue_destroy(session->queue);
    fake_layer.close(session->device);
    assert_int_equal(api.n_streams, 0);
    assert_int_equal(api.n_events, 0);
    assert_int_equal(api.n_buffers, 0);
    assert_int_equal(api.n_devices, 0);
}

/* `rows` rows of 64 bytes with these strides; 0 rows: no copy. `stream` below 0: no list. */
static int submit(const Session *session, int stream, uint32_t rows, VmafDeviceTicket *ticket)
{
    const VmafDeviceCopy copied = {.dst = session->buffers[1],
                                   .src = session->buffers[0],
                                   .rows = rows,
                                   .row_size = 64,
                                   .src_stride = 128,
                                   .dst_stride = 64};
    const VmafDeviceSubmit params = {.struct_size = sizeof(params),
                                     .stream = stream < 0 ? 0 : (uint32_t)stream,
                                     .copies = &copied,
                                     .n_copies = rows != 0};
    return fake_layer.submit(session->queue, stream < 0 ? NULL : session->list, &params, ticket);
}

static int wait_for(const Session *session, VmafDeviceTicket ticket)
{
    return fake_layer.wait(session->queue, ticket, 0);
}

/* What was asked since the last call. */
static void assert_asked(const char *expected)
{
    assert_string_equal(api.log, expected);
    api.log[0] = '\0';
}

/* -- submissions -- */

ON_NEW_MACHINE(given_copies_a_list_waits_for_them_and_each_lane_has_its_stream)
{
    Session session;
    VmafDeviceTicket tickets[4];
    begin(&session, NULL);
    hold();
    assert_int_equal(submit(&session, 0, 2, &tickets[0]), 0);
    assert_asked("copy2(2x64,128,64) record2 wait0 run0(1000) run0(2004) record0 ");
    /* Nothing new to wait for; then the other stream, which has not seen the copies. */
    assert_int_equal(submit(&session, 0, 0, &tickets[1]), 0);
    assert_asked("run0(1000) run0(2004) record0 ");
    assert_int_equal(submit(&session, 1, 0, &tickets[2]), 0);
    assert_asked("wait1 run1(1000) run1(2004) record1 ");
    assert_int_equal(submit(&session, -1, 1, &tickets[3]), 0);
    assert_asked("copy2(1x64,64,64) record2 record2 ");
    for (int i = 0; i < 4; i++) {
        assert_int_equal(wait_for(&session, tickets[i]), -ETIMEDOUT);
        assert_true(i == 0 || tickets[i] > tickets[i - 1]);
    }
    assert_int_equal(wait_for(&session, tickets[3] + 1), -EINVAL);
    let_go();
    for (int i = 3; i >= 0; i--)
        assert_int_equal(wait_for(&session, tickets[i]), 0);
    end(&session);
}

ON_NEW_MACHINE(given_rows_further_apart_than_a_copy_takes_each_is_copied_alone)
{
    Session session;
    VmafDeviceTicket ticket;
    begin(&session, NULL);
    ((CudaDevice *)session.device)->max_pitch = 128;
    assert_int_equal(submit(&session, -1, 2, &ticket), 0);
    assert_asked("copy2(2x64,128,64) record2 record2 ");
    ((CudaDevice *)session.device)->max_pitch = 127;
    assert_int_equal(submit(&session, -1, 2, &ticket), 0);
    assert_asked("copy2(1x64,64,64) copy2(1x64,64,64) record2 record2 ");
    end(&session);
}

ON_NEW_MACHINE(given_an_older_ticket_asked_later_newer_ones_stay_finished)
{
    Session session;
    VmafDeviceTicket tickets[2];
    begin(&session, NULL);
    assert_int_equal(submit(&session, 0, 0, &tickets[0]), 0);
    assert_int_equal(submit(&session, 0, 0, &tickets[1]), 0);
    assert_int_equal(wait_for(&session, tickets[1]), 0);
    hold(); /* nothing has to be asked any more */
    assert_int_equal(wait_for(&session, tickets[0]), 0);
    assert_int_equal(wait_for(&session, tickets[1]), 0);
    let_go();
    end(&session);
}

ON_NEW_MACHINE(given_copies_that_are_known_to_be_done_nobody_waits)
{
    Session session;
    VmafDeviceTicket ticket;
    begin(&session, NULL);
    assert_int_equal(submit(&session, -1, 1, &ticket), 0);
    assert_int_equal(wait_for(&session, ticket), 0);
    api.log[0] = '\0';
    assert_int_equal(submit(&session, 1, 0, &ticket), 0);
    assert_asked("run1(1000) run1(2004) record1 ");
    end(&session);
}

/* record() fails the test if an event is used again too early. */
ON_NEW_MACHINE(given_many_submissions_events_are_used_again_only_when_they_are_free)
{
    Session session;
    VmafDeviceTicket tickets[200];
    begin(&session, NULL);
    for (int i = 0; i < 200; i++) {
        if (i % 40 == 0)
            hold();
        assert_int_equal(submit(&session, i % 3 - 1, i % 2, &tickets[i]), 0);
        api.log[0] = '\0';
        if (i % 40 == 19) {
            assert_int_equal(wait_for(&session, tickets[i - 19]), -ETIMEDOUT);
            let_go();
        }
    }
    let_go();
    for (int i = 0; i < 200; i++)
        assert_int_equal(wait_for(&session, tickets[i]), 0);
    end(&session);
}

/* -- failures -- */

ON_NEW_MACHINE(given_a_submission_that_fails_nothing_of_it_is_left_and_later_ones_work)
{
    Session session;
    VmafDeviceTicket failed, ticket;
    char text[256];
    begin(&session, NULL);
    assert_int_equal(submit(&session, 0, 1, &ticket), 0);
    api.log[0] = '\0';
    api.fail_copies = 1;
    assert_int_equal(submit(&session, 1, 1, &failed), -EIO);
    assert_asked("settle0 settle1 settle2 ");
    fake_layer.last_error(session.device, text, sizeof(text));
    assert_string_equal(text, "fakeMemcpyAsync failed with a fault");
    assert_int_equal(wait_for(&session, failed), -EINVAL);
    for (int i = 0; i < 100; i++) /* beyond the place of the failed one */
        assert_int_equal(submit(&session, 1, 1, &ticket), 0);
    assert_int_equal(wait_for(&session, ticket), 0);
    end(&session);
}

ON_NEW_MACHINE(given_a_submission_that_hangs_later_ones_do_too)
{
    Session session;
    const VmafDeviceFaults faults = {.hang_at_submit = 2};
    VmafDeviceTicket tickets[50];
    begin(&session, &faults);
    assert_int_equal(submit(&session, 0, 1, &tickets[0]), 0);
    api.log[0] = '\0';
    for (int i = 1; i < 50; i++) {
        assert_int_equal(submit(&session, i % 2, 1, &tickets[i]), 0);
        assert_int_equal(wait_for(&session, tickets[i]), -ETIMEDOUT);
    }
    assert_asked("");
    assert_int_equal(wait_for(&session, tickets[0]), 0);
    end(&session);
}

ON_NEW_MACHINE(given_a_device_that_is_lost_everything_says_so)
{
    Session session;
    const VmafDeviceFaults faults = {.lose_at_submit = 2};
    const VmafDeviceBufferParams params = {.memory = VMAF_MEMORY_DEVICE, .size = 4096};
    VmafDeviceTicket first, second;
    VmafDeviceBuffer *buffer;
    VmafDeviceQueue *queue;
    VmafDeviceCommandList *list;
    const VmafDeviceKernel *kernel;
    begin(&session, &faults);
    assert_int_equal(submit(&session, 0, 1, &first), 0);
    assert_int_equal(submit(&session, 0, 1, &second), -ENODEV);
    assert_int_equal(wait_for(&session, first), -ENODEV);
    assert_int_equal(submit(&session, 0, 1, &second), -ENODEV);
    assert_int_equal(fake_layer.buffer_create(session.device, &buffer, &params), -ENODEV);
    assert_int_equal(fake_layer.queue_create(session.device, &queue), -ENODEV);
    assert_int_equal(fake_layer.command_list_begin(session.device, &list), -ENODEV);
    assert_int_equal(fake_layer.kernel_find(session.device, &kernel, "one"), -ENODEV);
    assert_int_equal(fake_layer.cmd_barrier(session.list), -ENODEV);
    assert_int_equal(fake_layer.cmd_timestamp(session.list, 0), -ENODEV);
    assert_int_equal(fake_layer.command_list_end(session.list), -ENODEV);
    end(&session);
}

/* -- times -- */

ON_NEW_MACHINE(given_profiling_events_stand_around_copies_and_where_they_were_asked_for)
{
    Session session;
    VmafDeviceTicket ticket;
    uint64_t times[2];
    begin(&session, NULL);
    assert_int_equal(fake_layer.copy_times(session.list, times), -EINVAL);
    assert_int_equal(fake_layer.timestamps(session.list, times, 1), -EINVAL);
    fake_layer.command_list_destroy(session.list);
    session.device->profiling = true;
    assert_int_equal(fake_layer.command_list_begin(session.device, &session.list), 0);
    assert_int_equal(fake_layer.cmd_timestamp(session.list, VMAF_DEVICE_MAX_TIMESTAMPS), -EINVAL);
    assert_int_equal(fake_layer.cmd_timestamp(session.list, 1), 0);
    assert_int_equal(fake_layer.command_list_end(session.list), 0);
    assert_int_equal(submit(&session, 1, 1, &ticket), 0);
    assert_asked("record2 copy2(1x64,64,64) record2 record2 wait1 record1 record1 ");
    assert_int_equal(fake_layer.copy_times(session.list, times), 0);
    assert_int_equal(times[1], times[0] + 1000000);
    assert_int_equal(fake_layer.timestamps(session.list, times, 2), -EINVAL); /* 0 is missing */
    end(&session);
}

/* -- kernels -- */

static void *find_one(void *device)
{
    const VmafDeviceKernel *kernel = NULL;
    pthread_mutex_lock(&api_lock);
    api.n_wanting++;
    pthread_cond_broadcast(&api_changed);
    pthread_mutex_unlock(&api_lock);
    const int err = fake_layer.kernel_find(device, &kernel, "one");
    pthread_mutex_lock(&api_lock);
    const bool is_loading = api.loads_at_once != 0; /* whoever has it may use it */
    pthread_mutex_unlock(&api_lock);
    return (void *)(intptr_t)(err || is_loading);
}

ON_NEW_MACHINE(given_threads_that_want_a_kernel_one_loads_it)
{
    const VmafDeviceOpenParams params = {.id = NULL};
    VmafDevice *device = open_with(&params);
    pthread_t threads[4];
    api.fail_loads = 1;
    const VmafDeviceKernel *kernel;
    assert_int_equal(fake_layer.kernel_find(device, &kernel, "none"), -ENOENT);
    assert_int_equal(fake_layer.kernel_find(device, &kernel, "one"), -EIO);
    api.wait_for = 4;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, find_one, device), 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        assert_null(result);
    }
    assert_int_equal(api.loads, 2); /* with the one that failed */
    assert_int_equal(api.most_loads, 1);
    api.log[0] = '\0';
    fake_layer.close(device);
    assert_asked("unload-one close0 ");
}

/* -- pictures and memory -- */

ON_NEW_MACHINE(given_addresses_of_planes_absent_ones_are_left_out)
{
    const VmafDeviceOpenParams params = {.id = NULL};
    VmafDevice *device = open_with(&params);
    VmafDeviceImage *image;
    VmafBackendImport picture = {.struct_size = sizeof(picture),
                                 .kind = VMAF_BACKEND_IMPORT_USM_POINTER,
                                 .width = 16,
                                 .height = 8,
                                 .depth = 8,
                                 .pixel_format = VMAF_BACKEND_PIXEL_420,
                                 .planes = VMAF_BACKEND_PLANE_Y | VMAF_BACKEND_PLANE_CR,
                                 .n_handles = 3,
                                 .handles = {5000, 0, 7000},
                                 .stride = {32, 0, 8}};
    assert_int_equal(fake_layer.image_import(device, &image, &picture), 0);
    assert_int_equal(image->n_planes, 3);
    assert_int_equal(image->buffers[0]->size, 7 * 32 + 16);
    assert_null(image->buffers[1]);
    assert_int_equal(image->buffers[2]->size, 3 * 8 + 8);
    assert_int_equal(image->stride[0], 32);
    fake_layer.image_destroy(device, image);
    picture.size = 7 * 32 + 16;
    assert_int_equal(fake_layer.image_import(device, &image, &picture), 0);
    assert_int_equal(image->buffers[2]->size, picture.size);
    fake_layer.image_destroy(device, image);
    picture.size--;
    assert_int_equal(fake_layer.image_import(device, &image, &picture), -EINVAL);
    picture.size = 0;
    picture.stride[2] = 7;
    assert_int_equal(fake_layer.image_import(device, &image, &picture), -EINVAL);
    picture.stride[2] = 8;
    picture.handles[2] = 0;
    assert_int_equal(fake_layer.image_import(device, &image, &picture), -EINVAL);
    picture.kind = VMAF_BACKEND_IMPORT_CUDA_POINTER;
    assert_int_equal(fake_layer.image_import(device, &image, &picture), -ENOTSUP);
    fake_layer.close(device);
}

ON_NEW_MACHINE(given_memory_of_the_host_it_has_to_be_aligned)
{
    const VmafDeviceFaults faults = {.no_memory_from_buffer = 4};
    const VmafDeviceOpenParams open = {.faults = &faults};
    VmafDevice *device = open_with(&open);
    VmafDeviceBuffer *buffer;
    VmafDeviceBufferParams params = {
        .memory = VMAF_MEMORY_UPLOAD, .size = 4096, .host_memory = (void *)(uintptr_t)8192};
    assert_int_equal(fake_layer.buffer_create(device, &buffer, &params), 0);
    assert_true(((VmafStreamBuffer *)buffer)->wraps);
    fake_layer.buffer_destroy(device, buffer);
    params.size = 4097;
    assert_int_equal(fake_layer.buffer_create(device, &buffer, &params), -ENOTSUP);
    params.size = 4096;
    params.host_memory = (void *)(uintptr_t)8193;
    assert_int_equal(fake_layer.buffer_create(device, &buffer, &params), -ENOTSUP);
    params.host_memory = NULL;
    for (int i = 0; i < 2; i++) /* the fault is of this buffer and of all later ones */
        assert_int_equal(fake_layer.buffer_create(device, &buffer, &params), -ENOMEM);
    fake_layer.close(device);
}

/* -- devices -- */

ON_NEW_MACHINE(given_a_machine_discrete_devices_come_first_and_unusable_ones_last)
{
    VmafDeviceInfo infos[4];
    size_t n;
    char reason[256] = "";
    api.infos[0] = info_of("bad", VMAF_DEVICE_DISCRETE, "bad: it is broken");
    api.infos[1] = info_of("small", VMAF_DEVICE_INTEGRATED, "");
    api.infos[2] = info_of("first", VMAF_DEVICE_DISCRETE, "");
    api.infos[3] = info_of("second", VMAF_DEVICE_DISCRETE, "");
    api.infos[1].identities = VMAF_BACKEND_IDENTITY_PCI;
    snprintf(api.infos[1].pci, sizeof(api.infos[1].pci), "0000:0A:00.0");
    api.infos[2].identities = VMAF_BACKEND_IDENTITY_UUID | VMAF_BACKEND_IDENTITY_PCI;
    memset(api.infos[2].uuid, 0xab, 16);
    api.infos[3].identities = VMAF_BACKEND_IDENTITY_UUID; /* of zeros */
    api.n_infos = 4;
    assert_int_equal(fake_layer.enumerate(infos, 4, &n, reason, sizeof(reason)), 0);
    assert_int_equal(n, 4);
    assert_string_equal(infos[0].name, "first");
    assert_string_equal(infos[0].id, "abababababababababababababababab");
    assert_string_equal(infos[1].name, "second");
    assert_string_equal(infos[1].id, "device-3");
    assert_int_equal(infos[1].identities, 0);
    assert_string_equal(infos[2].name, "small");
    assert_string_equal(infos[2].id, "0000:0a:00.0");
    assert_string_equal(infos[3].name, "bad");
    const VmafDeviceOpenParams params = {.id = "0000:0a:00.0"};
    VmafDevice *device = open_with(&params);
    assert_asked("open1 ");
    fake_layer.close(device);
}

ON_NEW_MACHINE(given_no_usable_device_the_reason_says_why)
{
    const VmafDeviceOpenParams any = {.kernels = &kernel_set};
    const VmafDeviceOpenParams named = {.kernels = &kernel_set, .id = "device-0"};
    VmafDevice *device;
    VmafDeviceInfo info;
    size_t n;
    char reason[256] = "";
    api.n_infos = 0;
    assert_int_equal(fake_layer.enumerate(&info, 1, &n, reason, sizeof(reason)), 0);
    assert_int_equal(n, 0);
    assert_string_equal(reason, "there is no fake");
    assert_int_equal(fake_layer.open(&device, &any, reason, sizeof(reason)), -ENODEV);
    assert_int_equal(fake_layer.open(&device, &named, reason, sizeof(reason)), -ENODEV);
    assert_string_equal(reason, "there is no device device-0");
    api.infos[0] = info_of("bad", VMAF_DEVICE_DISCRETE, "bad: it is broken");
    api.n_infos = 1;
    assert_int_equal(fake_layer.open(&device, &any, reason, sizeof(reason)), -ENOTSUP);
    assert_string_equal(reason, "bad: it is broken");
    assert_asked("");
}

ON_NEW_MACHINE(given_a_device_of_the_application_it_is_borrowed)
{
    VmafDeviceInfo info = info_of("theirs", VMAF_DEVICE_DISCRETE, "");
    const VmafDeviceOpenParams params = {.external = &info, .kernels = &kernel_set};
    char reason[256] = "";
    VmafDevice *device = open_with(&params);
    assert_string_equal(device->info.name, "theirs");
    assert_string_equal(device->info.id, "device-0");
    fake_layer.close(device);
    assert_asked("borrow1 close1 ");
    snprintf(info.unusable, sizeof(info.unusable), "too old");
    assert_int_equal(fake_layer.open(&device, &params, reason, sizeof(reason)), -ENOTSUP);
    assert_string_equal(reason, "too old");
    assert_asked("borrow1 close1 ");
}
