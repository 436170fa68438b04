/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The emulated driver: what it rejects and notices, when it runs what is put on streams, modules
 * and graphs, machines. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver_api.h"
#include "machine.h"
#include "machine_fixture.h"

MACHINE_CONTROL(cuda)

#define OK(call) assert_int_equal(call, CUDA_SUCCESS)

enum { SIZE = 1024, GROUPS = 4 }; /* a fill of all of it */
static const uint32_t fresh = 0xdbdbdbdb;
static CudaContext fixture_context;

void fixture_start(const char *machine, const char *order)
{
    CudaDeviceHandle device;
    assert_int_equal(emulated_cuda_configure(machine, order), 0);
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate_v2(&fixture_context, 0, device));
}

int fixture_tear_down(void **state)
{
    return emulated_cuda_configure(NULL, "late");
}

static CudaFunction fixture_fill_kernel(void)
{
    static const char text[] =
        ".version 6.3\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 p0, .param .u32 p1)\n{\n"
        ".reg .b32 %r<19>;\n.reg .b64 %rd<19>;\n"
        "ld.param.u64 %rd1, [p0];\nld.param.u32 %r1, [p1];\n"
        "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
        "mad.lo.s32 %r5, %r2, %r3, %r4;\nmul.wide.u32 %rd2, %r5, 4;\n"
        "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n";
    CudaModule module;
    CudaFunction function;
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&function, module, "k"));
    return function;
}

static CudaResult fixture_fill(CudaFunction fill, CudaAddress to, uint32_t value, unsigned groups,
                               CudaStream stream)
{
    void *parameters[] = {&to, &value};
    return cuLaunchKernel(fill, groups, 1, 1, 64, 1, 1, 0, stream, parameters, NULL);
}

static CudaAddress fixture_device_memory(size_t bytes)
{
    CudaAddress address = 0;
    OK(cuMemAlloc_v2(&address, bytes));
    return address;
}

static uint32_t fixture_read(CudaAddress from)
{
    uint32_t word = 0;
    OK(cuMemcpyDtoH_v2(&word, from, sizeof(word)));
    return word;
}

static void *fixture_pinned(size_t bytes)
{
    void *memory = NULL;
    OK(cuMemHostAlloc(&memory, bytes, 0));
    return memory;
}

static CudaStream fixture_stream(unsigned flags)
{
    CudaStream stream = NULL;
    OK(cuStreamCreate(&stream, flags));
    return stream;
}

static CudaEvent fixture_event(unsigned flags)
{
    CudaEvent event = NULL;
    OK(cuEventCreate(&event, flags));
    return event;
}

/* -- memory -- */

TEST(given_device_memory_then_the_host_cannot_access_it)
{
    void *device = (void *)(uintptr_t)fixture_device_memory(SIZE);
    void *pinned = fixture_pinned(SIZE);
    assert_crashes(read_byte(device));
    assert_crashes(write_byte(device));
    assert_survives(write_byte(pinned));
    OK(cuMemFreeHost(pinned));
    assert_crashes(read_byte(pinned));
    OK(cuMemFree_v2((uintptr_t)device));
    assert_crashes(read_byte(device));
}

TEST(given_memory_that_was_freed_then_it_is_refused)
{
    CudaAddress freed = fixture_device_memory(SIZE);
    uint32_t word;
    OK(cuMemFree_v2(freed));
    assert_int_equal(cuMemFree_v2(freed), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH_v2(&word, freed, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyAsync((uintptr_t)&word, freed, 4, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* Each begins with a context that works. */
TEST(given_memory_freed_too_early_then_what_uses_it_fails)
{
    for (int which = 0; which < 5; which++) {
        fixture_start(NULL, "late");
        CudaFunction fill = fixture_fill_kernel();
        CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
        CudaAddress memory = fixture_device_memory(SIZE);
        void *pinned = fixture_pinned(SIZE);
        uint32_t *registered = calloc(1, SIZE);
        OK(cuMemHostRegister_v2(registered, SIZE, 0));
        if (which == 0)
            OK(fixture_fill(fill, memory, 1, 1, stream));
        else
            OK(cuMemcpyAsync(memory, (uintptr_t)(which >= 3 ? registered : pinned), SIZE, stream));
        if (which < 2)
            OK(cuMemFree_v2(memory));
        else if (which == 2)
            OK(cuMemFreeHost(pinned));
        else
            OK(cuMemHostUnregister(registered));
        if (which == 4) /* it is not the same as before */
            OK(cuMemHostRegister_v2(registered, SIZE, 0));
        assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_int_equal(cuMemFree_v2(memory), CUDA_ERROR_ILLEGAL_ADDRESS);
        free(registered);
    }
}

/* -- copies -- */

TEST(given_copies_that_make_no_sense_then_they_are_refused)
{
    CudaAddress memory = fixture_device_memory(SIZE);
    unsigned char host[SIZE] = {0};
    const CudaCopy2D good = {.src_type = CUDA_MEMORY_DEVICE,
                             .src_device = memory,
                             .src_pitch = 32,
                             .dst_type = CUDA_MEMORY_DEVICE,
                             .dst_device = memory + 16,
                             .dst_pitch = 32,
                             .width = 16,
                             .height = 31};
    CudaCopy2D bad[9];
    OK(cuMemcpy2D_v2(&good)); /* columns of the same rows */
    for (size_t i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].dst_device--;   /* overlap */
    bad[1].src_pitch = 15; /* less than a row */
    bad[2].src_x = 17;
    bad[2].dst_device += 512;
    bad[2].height = 2;  /* the row ends behind the next one's begin */
    bad[3].height = 33; /* behind the memory's end */
    bad[4].src_type = 7;
    bad[5].dst_pitch = (size_t)1 << 31;
    bad[6].src_device = 0;
    bad[7].src_type = CUDA_MEMORY_HOST; /* but the device's */
    bad[7].src_host = (void *)(uintptr_t)memory;
    bad[8].src_pitch = 0; /* but several rows */
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(cuMemcpy2DAsync_v2(&bad[i], NULL), CUDA_ERROR_INVALID_VALUE);
    const CudaAddress pageable = (uintptr_t)host;
    OK(cuMemcpyAsync(memory, pageable, SIZE, NULL));
    OK(cuMemcpyAsync(memory, pageable, 0, NULL));
    assert_int_equal(cuMemcpyAsync(memory, pageable, SIZE + 1, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH_v2(host, memory + 1, SIZE), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyAsync(memory, memory + 4, 8, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD8Async(memory, 0, SIZE + 1, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSynchronize()); /* none of it stays */
}

/* -- errors of kernels -- */

TEST(given_an_illegal_access_then_the_context_is_broken_for_good)
{
    static const struct {
        int offset;
        CudaResult result;
    } cases[] = {{SIZE, CUDA_ERROR_ILLEGAL_ADDRESS},
                 {-4, CUDA_ERROR_ILLEGAL_ADDRESS},
                 {2, CUDA_ERROR_MISALIGNED_ADDRESS}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const CudaResult expected = cases[i].result;
        CudaContext other, broken;
        CudaAddress address;
        CudaEvent event;
        fixture_start(NULL, "late");
        CudaFunction fill = fixture_fill_kernel();
        CudaAddress memory = fixture_device_memory(SIZE);
        CudaStream stream = fixture_stream(0);
        event = fixture_event(0);
        OK(fixture_fill(fill, memory + (CudaAddress)(int64_t)cases[i].offset, 1, 1, stream));
        OK(cuEventRecord(event, stream));
        assert_int_equal(cuEventQuery(event), expected);
        assert_int_equal(cuEventQuery(event), expected);
        assert_int_equal(cuStreamSynchronize(stream), expected);
        assert_int_equal(cuMemAlloc_v2(&address, 4), expected);
        assert_int_equal(fixture_fill(fill, memory, 1, 1, stream), expected);
        assert_int_equal(cuMemFree_v2(memory), expected);
        assert_int_equal(cuCtxSynchronize(), expected);
        OK(cuCtxCreate_v2(&other, 0, 0)); /* another one is as ever */
        OK(fixture_fill(fixture_fill_kernel(), fixture_device_memory(SIZE), 1, 1, NULL));
        OK(cuCtxSynchronize());
        OK(cuCtxPopCurrent_v2(&other));
        OK(cuCtxPopCurrent_v2(&broken));
        OK(cuCtxDestroy_v2(broken));
    }
}

TEST(given_memory_of_another_context_then_kernels_cannot_access_it)
{
    CudaContext other;
    CudaAddress memory = fixture_device_memory(SIZE);
    OK(cuCtxCreate_v2(&other, 0, 0));
    OK(fixture_fill(fixture_fill_kernel(), memory, 1, 1, NULL));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(given_host_memory_then_kernels_access_what_is_pinned)
{
    static uint32_t pageable[64];
    CudaFunction fill = fixture_fill_kernel();
    uint32_t *pinned = fixture_pinned(256);
    OK(fixture_fill(fill, (uintptr_t)pinned, 2, 1, NULL));
    OK(cuCtxSynchronize());
    assert_int_equal(pinned[63], 2);
    OK(fixture_fill(fill, (uintptr_t)pageable, 2, 1, NULL));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(pageable[0], 0);
}

/* -- contexts -- */

TEST(given_handles_of_another_context_then_they_are_refused)
{
    CudaContext other;
    CudaStream stream = fixture_stream(0);
    CudaEvent event = fixture_event(0);
    CudaFunction fill = fixture_fill_kernel();
    CudaAddress memory = fixture_device_memory(SIZE);
    OK(cuCtxCreate_v2(&other, 0, 0));
    assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuEventRecord(event, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(fixture_fill(fill, memory, 1, 1, NULL), CUDA_ERROR_INVALID_HANDLE);
}

/* -- streams -- */

TEST(given_no_wait_then_the_result_is_not_there)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(SIZE);
    const uint32_t *result = fixture_pinned(SIZE);
    OK(fixture_fill(fill, memory, 7, GROUPS, stream));
    OK(cuMemcpyAsync((uintptr_t)result, memory, SIZE, stream));
    assert_int_equal(result[0], fresh);
    OK(cuStreamSynchronize(stream));
    for (int i = 0; i < SIZE / 4; i++)
        assert_int_equal(result[i], 7);
}

TEST(given_memory_of_the_host_then_copies_read_it_when_cuda_says)
{
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(8);
    uint32_t *pinned = fixture_pinned(4), pageable = 1, registered[4] = {1}, back = 0;
    *pinned = 1;
    OK(cuMemcpyAsync(memory, (uintptr_t)pinned, 4, stream));
    OK(cuMemcpyAsync(memory + 4, (uintptr_t)&pageable, 4, stream));
    *pinned = pageable = 2;
    OK(cuStreamSynchronize(stream));
    assert_int_equal(fixture_read(memory), 2);     /* read when the copy ran */
    assert_int_equal(fixture_read(memory + 4), 1); /* read at the call */

    OK(cuMemHostRegister_v2(registered, sizeof(registered), 0));
    OK(cuMemcpyAsync(memory, (uintptr_t)registered, 4, stream));
    registered[0] = 3;
    OK(cuStreamSynchronize(stream));
    assert_int_equal(fixture_read(memory), 3);
    OK(cuMemHostUnregister(registered));

    OK(cuMemcpyAsync((uintptr_t)&back, memory, 4, stream)); /* to pageable memory: waits */
    assert_int_equal(back, 3);
    OK(cuMemcpyAsync(memory, (uintptr_t)pinned, 4, stream));
    OK(cuMemcpyAsync(memory + 4, memory, 4, stream));
    OK(cuMemcpyAsync((uintptr_t)&back, memory + 4, 4, stream)); /* and for what is before it */
    assert_int_equal(back, 2);
}

/* What a copy on one stream sees of a fill on another one. */
static uint32_t across(unsigned flags, bool wait, bool legacy_first)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaStream stream = fixture_stream(flags);
    CudaStream first = legacy_first ? NULL : stream, second = legacy_first ? stream : NULL;
    CudaAddress memory = fixture_device_memory(SIZE);
    uint32_t *result = fixture_pinned(4);
    CudaEvent event = fixture_event(CUDA_EVENT_DISABLE_TIMING), end = fixture_event(0);
    OK(fixture_fill(fill, memory, 9, GROUPS, first));
    OK(cuEventRecord(event, first));
    if (wait)
        OK(cuStreamWaitEvent(second, event, 0));
    OK(cuEventDestroy_v2(event)); /* that changes nothing */
    OK(cuMemcpyAsync((uintptr_t)result, memory, 4, second));
    OK(cuEventRecord(end, second));
    OK(cuEventSynchronize(end));
    return *result;
}

TEST(given_two_streams_then_only_what_waits_sees_the_other)
{
    for (int legacy_first = 0; legacy_first < 2; legacy_first++) {
        assert_int_equal(across(CUDA_STREAM_NON_BLOCKING, false, legacy_first), fresh);
        assert_int_equal(across(CUDA_STREAM_NON_BLOCKING, true, legacy_first), 9);
        assert_int_equal(across(0, false, legacy_first), 9); /* the legacy stream's order */
    }
}

TEST(given_events_that_have_no_time_then_it_is_an_error)
{
    CudaEvent timed = fixture_event(0), untimed = fixture_event(CUDA_EVENT_DISABLE_TIMING);
    CudaEvent never = fixture_event(0);
    float ms;
    OK(cuEventQuery(never)); /* of nothing, everything is done */
    OK(cuEventSynchronize(never));
    OK(cuEventRecord(timed, NULL));
    OK(cuEventRecord(untimed, NULL));
    OK(cuCtxSynchronize());
    assert_int_equal(cuEventElapsedTime(&ms, timed, untimed), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuEventElapsedTime(&ms, timed, never), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy_v2(timed));
    assert_int_equal(cuEventQuery(timed), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuEventDestroy_v2(timed), CUDA_ERROR_INVALID_HANDLE);
}

TEST(given_an_event_recorded_twice_then_the_later_one_counts)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaStream waiting = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(SIZE);
    uint32_t *result = fixture_pinned(4);
    CudaEvent event = fixture_event(0);
    OK(fixture_fill(fill, memory, 1, 1, stream));
    OK(cuEventRecord(event, stream));
    OK(cuStreamWaitEvent(waiting, event, 0)); /* for the first */
    OK(fixture_fill(fill, memory, 2, 1, stream));
    OK(cuEventRecord(event, stream));
    OK(cuMemcpyAsync((uintptr_t)result, memory, 4, waiting));
    OK(cuStreamSynchronize(waiting));
    assert_int_equal(*result, 1);
    OK(cuEventSynchronize(event));
    assert_int_equal(fixture_read(memory), 2);
}

static void *wait_for_ever(void *context)
{
    cuCtxPushCurrent_v2(context);
    return cuCtxSynchronize() == CUDA_ERROR_UNKNOWN ? context : NULL;
}

TEST(given_a_thread_that_waits_for_what_hangs_then_others_go_on)
{
    pthread_t thread;
    void *result;
    fixture_start("device a; device b; hang launch 1; hang-limit 1000; lose cuMemAllocPitch_v2 1",
                  "late");
    OK(fixture_fill(fixture_fill_kernel(), fixture_device_memory(SIZE), 1, 1, NULL));
    assert_int_equal(pthread_create(&thread, NULL, wait_for_ever, fixture_context), 0);
    for (int i = 0; i < 100; i++)
        OK(cuMemFree_v2(fixture_device_memory(SIZE)));
    assert_int_equal(cuMemAllocPitch_v2(NULL, NULL, 0, 0, 0), CUDA_ERROR_UNKNOWN);
    pthread_join(thread, &result); /* a device that is lost ends it */
    assert_non_null(result);
}

/* -- modules -- */

static CudaResult load(const char *version, const char *target, const char *body)
{
    char text[512];
    CudaModule module;
    snprintf(text, sizeof(text),
             ".version %s\n.target %s\n.address_size 64\n.visible .entry k()\n{\n"
             ".reg .b32 %%r<9>;\n%s\nret;\n}\n",
             version, target, body);
    const CudaResult result = cuModuleLoadData(&module, text);
    if (result == CUDA_SUCCESS)
        OK(cuModuleUnload(module));
    return result;
}

TEST(given_code_that_is_not_understood_then_it_is_refused)
{
    CudaModule module;
    OK(load("6.3", "sm_70", ""));
    assert_int_equal(load("6.3", "sm_70", "frobnicate.u32 %r1, %r2;"), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(load("9.9", "sm_70", ""), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_int_equal(load("9.9", "sm_70", "frobnicate.u32 %r1, %r2;"),
                     CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    OK(load("8.4", "sm_89", ""));
    assert_int_equal(load("8.4", "sm_90", ""), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(load("8.4", "sm_80a", ""), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoadData(&module, "\x7f"
                                               "ELF"),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
    fixture_start("driver 11000", "late");
    OK(load("7.0", "sm_70", ""));
    assert_int_equal(load("7.1", "sm_70", ""), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

TEST(given_a_module_that_is_unloaded_then_its_kernels_cannot_run)
{
    static const char code[] = ".version 6.3\n.target sm_70\n.address_size 64\n"
                               ".visible .entry k()\n{\nret;\n}\n";
    CudaModule module;
    CudaFunction function, again;
    OK(cuModuleLoadData(&module, code));
    OK(cuModuleGetFunction(&function, module, "k"));
    OK(cuModuleGetFunction(&again, module, "k"));
    assert_ptr_equal(function, again);
    assert_int_equal(cuModuleGetFunction(&again, module, "no"), CUDA_ERROR_NOT_FOUND);
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuModuleUnload(module));
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED); /* the first never ran */
}

/* -- launches -- */

TEST(given_launches_that_make_no_sense_then_they_are_refused)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaAddress memory = fixture_device_memory(SIZE);
    uint32_t value = 1;
    void *parameters[] = {&memory, &value};
    static const struct {
        unsigned grid[3], block[3], shared;
    } bad[] = {{{0, 1, 1}, {1, 1, 1}, 0},     {{1, 65536, 1}, {1, 1, 1}, 0},
               {{1, 1, 65536}, {1, 1, 1}, 0}, {{1u << 31, 1, 1}, {1, 1, 1}, 0},
               {{1, 1, 1}, {1025, 1, 1}, 0},  {{1, 1, 1}, {33, 32, 1}, 0},
               {{1, 1, 1}, {1, 1, 65}, 0},    {{1, 1, 1}, {0, 1, 1}, 0},
               {{1, 1, 1}, {1, 1, 1}, 49153}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(cuLaunchKernel(fill, bad[i].grid[0], bad[i].grid[1], bad[i].grid[2],
                                        bad[i].block[0], bad[i].block[1], bad[i].block[2],
                                        bad[i].shared, NULL, parameters, NULL),
                         CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    parameters[1] = NULL;
    assert_int_equal(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(emulated_cuda_count("launch"), 0);
}

/* -- graphs -- */

static CudaGraphNode add_fill(CudaGraph graph, CudaFunction fill, CudaAddress to, uint32_t value,
                              CudaGraphNode before)
{
    void *parameters[] = {&to, &value};
    const CudaKernelNode node = {.function = fill,
                                 .grid_x = 1,
                                 .grid_y = 1,
                                 .grid_z = 1,
                                 .block_x = 64,
                                 .block_y = 1,
                                 .block_z = 1,
                                 .parameters = parameters};
    CudaGraphNode added;
    OK(cuGraphAddKernelNode(&added, graph, &before, before != NULL, &node));
    return added;
}

static CudaGraphNode add_copy(CudaGraph graph, uint64_t to, CudaAddress from, size_t bytes,
                              CudaGraphNode before)
{
    const CudaCopy3D copy = {.src_type = CUDA_MEMORY_DEVICE,
                             .src_device = from,
                             .dst_type = CUDA_MEMORY_UNIFIED,
                             .dst_device = to,
                             .width = bytes,
                             .height = 1,
                             .depth = 1};
    CudaGraphNode added;
    OK(cuGraphAddMemcpyNode(&added, graph, &before, before != NULL, &copy, fixture_context));
    return added;
}

/* A fill, a copy to the host and an event, which may depend on each other. */
static uint32_t run_graph(bool depends)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaAddress memory = fixture_device_memory(SIZE);
    uint32_t *result = fixture_pinned(4);
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaGraph graph;
    CudaGraphExec exec;
    CudaGraphNode node;
    OK(cuGraphCreate(&graph, 0));
    OK(cuMemsetD8Async(memory, 1, 4, stream));
    node = add_fill(graph, fill, memory, 2, NULL);
    add_copy(graph, (uintptr_t)result, memory, 4, depends ? node : NULL);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphDestroy(graph)); /* it was copied */
    OK(cuGraphLaunch(exec, stream));
    OK(cuGraphExecDestroy(exec)); /* it still runs */
    assert_int_equal(*result, 0xdbdbdbdb);
    OK(cuStreamSynchronize(stream));
    return *result;
}

TEST(given_a_graph_then_only_dependencies_order_it)
{
    assert_int_equal(run_graph(true), 2);
    assert_int_equal(run_graph(false), 0x01010101);
    for (int seed = 1; seed < 6; seed++) {
        const char order[] = {(char)('0' + seed), '\0'};
        fixture_start(NULL, order);
        CudaFunction fill = fixture_fill_kernel();
        CudaAddress memory = fixture_device_memory(SIZE);
        CudaGraph graph;
        CudaGraphExec exec;
        CudaGraphNode node = NULL;
        OK(cuGraphCreate(&graph, 0));
        for (uint32_t i = 0; i < 20; i++)
            node = add_fill(graph, fill, memory, i, node);
        OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
        OK(cuGraphLaunch(exec, NULL));
        assert_int_equal(fixture_read(memory), 19);
        assert_int_equal(emulated_cuda_count("launch"), 20);
    }
}

TEST(given_a_graph_launched_twice_then_the_launches_follow_each_other)
{
    CudaStream a = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaStream b = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(SIZE), other = fixture_device_memory(SIZE);
    CudaFunction fill = fixture_fill_kernel();
    CudaGraph graph;
    CudaGraphExec exec;
    OK(cuGraphCreate(&graph, 0));
    add_copy(graph, other, memory, 4, NULL);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(fixture_fill(fill, memory, 3, 1, a));
    OK(cuGraphLaunch(exec, a));
    OK(cuGraphLaunch(exec, b)); /* so b waits for what is on a */
    OK(cuStreamSynchronize(b));
    assert_int_equal(fixture_read(other), 3);
    assert_int_equal(emulated_cuda_count("submission"), 2);
    OK(cuGraphExecDestroy(exec));
    assert_int_equal(cuGraphLaunch(exec, b), CUDA_ERROR_INVALID_HANDLE);
}

/* -- symbols -- */

TEST(given_a_driver_of_CUDA_11_0_then_it_lacks_what_is_newer)
{
    static const char *const newer[] = {"cuDeviceGetUuid_v2", "cuGraphInstantiateWithFlags"};
    void *library = dlopen(EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
    void *old = dlopen(EMULATED_CUDA_OLD, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    assert_non_null(old);
    assert_ptr_not_equal(library, old);
    assert_non_null(dlsym(old, "cuDeviceGetUuid"));
    for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
        assert_non_null(dlsym(library, newer[i]));
        if (dlsym(old, newer[i]))
            fail_msg("a driver of CUDA 11.0 has no %s", newer[i]);
    }
    assert_null(dlsym(library, "machine_read")); /* nothing of its own but what tests use */
    assert_non_null(dlsym(library, "emulated_cuda_configure"));
    dlclose(old);
    dlclose(library);
    assert_int_equal(cuLinkCreate(), CUDA_ERROR_NOT_SUPPORTED);
}
