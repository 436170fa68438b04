/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The emulated Metal: references, pools, messages; memory; libraries and pipelines; encoders. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"

/* -- references -- */

static void release_twice(Id object)
{
    metal_release(object);
    metal_release(object);
}

static void ask_freed(Id object)
{
    metal_release(object);
    metal_contents(object);
}

static void retain_freed(Id object)
{
    metal_release(object);
    metal_retain(object);
}

TEST(given_a_freed_object_when_used_then_the_program_ends)
{
    const Id buffer = metal_new_buffer(fixture_device, 16, SHARED);
    assert_aborts("released, but was freed", release_twice(buffer));
    assert_aborts("contents is sent to MTLBuffer", ask_freed(buffer));
    assert_aborts("retained, but was freed", retain_freed(buffer));
    metal_release(buffer);
}

static void ask_device_of_buffer(Id buffer)
{
    metal_release(fixture_queue);
    metal_release(fixture_device);
    metal_name(fixture_device); /* the buffer still has a reference */
    (void)buffer;
}

TEST(given_an_object_that_only_others_keep_when_used_then_the_program_ends)
{
    const Id buffer = metal_new_buffer(fixture_device, 16, SHARED);
    assert_aborts("no reference any more", ask_device_of_buffer(buffer));
    assert_ptr_equal(metal_device_of(buffer), fixture_device);
    metal_release(buffer);
}

TEST(given_nil_when_messages_are_sent_then_the_answer_is_nothing)
{
    metal_release(NULL);
    assert_null(metal_retain(NULL));
    assert_null(metal_contents(NULL));
    assert_int_equal(metal_count(NULL), 0);
    assert_true(metal_end_time(NULL) == 0);
}

/* -- pools -- */

static void use_after_pop(void)
{
    void *pool = objc_autoreleasePoolPush();
    const Id commands = metal_command_buffer(fixture_queue);
    objc_autoreleasePoolPop(pool);
    metal_commit(commands);
}

static void pop_twice(void)
{
    void *pool = objc_autoreleasePoolPush();
    objc_autoreleasePoolPop(pool);
    objc_autoreleasePoolPop(pool);
}

TEST(given_a_popped_pool_when_it_or_what_it_held_is_used_then_the_program_ends)
{
    assert_aborts("commit is sent to MTLCommandBuffer", use_after_pop());
    assert_aborts("no such pool", pop_twice());
}

TEST(given_a_pool_when_the_machine_was_replaced_then_it_can_be_popped)
{
    void *pool = objc_autoreleasePoolPush();
    fixture_string("of the machine before");
    assert_int_equal(emulated_metal_configure(NULL, NULL), 0);
    assert_int_equal(emulated_metal_count("objects"), 0);
    objc_autoreleasePoolPop(pool);
    fixture_device = fixture_queue = NULL;
}

typedef struct Thread {
    Id string;
    bool has_pool;
} Thread;

static void *make_string(void *argument)
{
    Thread *thread = argument;
    if (thread->has_pool)
        objc_autoreleasePoolPush();
    thread->string = fixture_string("of a thread");
    return NULL;
}

static void run_thread(Thread *thread)
{
    pthread_t id;
    assert_int_equal(pthread_create(&id, NULL, make_string, thread), 0);
    pthread_join(id, NULL);
}

static void leak_in_thread(void)
{
    run_thread(&(Thread){.has_pool = false});
    abort();
}

static void leave_pool_in_thread(void)
{
    run_thread(&(Thread){.has_pool = true});
    abort();
}

TEST(given_a_thread_without_a_pool_when_it_makes_objects_then_they_leak)
{
    const uint64_t before = emulated_metal_count("NSString");
    Thread thread = {.has_pool = false};
    run_thread(&thread);
    assert_int_equal(emulated_metal_count("NSString"), before + 1);
    metal_release(thread.string);
    assert_aborts("there is no pool: it leaks", leak_in_thread());
}

TEST(given_a_thread_that_leaves_a_pool_when_it_ends_then_the_pool_is_popped)
{
    const uint64_t before = emulated_metal_count("NSString");
    run_thread(&(Thread){.has_pool = true});
    assert_int_equal(emulated_metal_count("NSString"), before);
    assert_aborts("a pool that was not popped", leave_pool_in_thread());
}

/* -- messages -- */

void send_plainly(Id, const void *) METAL_SEND;

static void send_unregistered(Id object)
{
    static const char *const selector[2] = {"length", NULL};
    send_plainly(object, selector);
}

TEST(given_a_selector_that_the_object_has_not_when_sent_then_the_program_ends)
{
    const Id buffer = metal_new_buffer(fixture_device, 16, SHARED);
    assert_aborts("unrecognized selector thereIsNoSuchSelector sent to MTLBuffer",
                  metal_unknown(buffer));
    assert_aborts("sel_registerName did not make", send_unregistered(buffer));
    assert_aborts("unrecognized selector waitUntilCompleted", metal_wait_until_completed(buffer));
    assert_aborts("instead of MTLFunction", metal_new_pipeline(fixture_device, buffer, NULL));
    assert_true(metal_responds_to(buffer, sel_registerName("contents")));
    assert_true(metal_responds_to(buffer, sel_registerName("release")));
    assert_false(metal_responds_to(buffer, sel_registerName("commit")));
    metal_release(buffer);
}

/* -- Foundation -- */

TEST(given_an_array_when_asked_for_more_than_it_has_then_the_program_ends)
{
    const Id devices = MTLCopyAllDevices();
    assert_aborts("object 1 of an array of 1", metal_object_at(devices, 1));
    metal_release(devices);
}

/* -- buffers -- */

TEST(given_wrong_options_when_a_buffer_is_made_then_the_program_ends)
{
    assert_aborts("a buffer of 0 bytes", metal_new_buffer(fixture_device, 0, SHARED));
    assert_aborts("storage mode 1", metal_new_buffer(fixture_device, 16, 1 << 4));
    assert_aborts("storage mode 3", metal_new_buffer(fixture_device, 16, 3 << 4));
    assert_aborts("unknown options", metal_new_buffer(fixture_device, 16, 1 << 12));
}

/* -- memory of the program -- */

TEST(given_parts_of_pages_when_wrapped_then_the_program_ends)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const char *text = "no whole pages";
    assert_aborts(text, metal_new_buffer_around(fixture_device, memory + 16, page, SHARED, NULL));
    assert_aborts(text, metal_new_buffer_around(fixture_device, memory, page + 16, SHARED, NULL));
    assert_aborts("is private",
                  metal_new_buffer_around(fixture_device, memory, page, PRIVATE, NULL));
    munmap(memory, 2 * page);
}

/* -- surfaces -- */

void *IOSurfaceGetBaseAddressOfPlane(Id surface, size_t plane);

size_t IOSurfaceGetPlaneCount(Id surface);

size_t IOSurfaceGetWidthOfPlane(Id surface, size_t plane);

size_t IOSurfaceGetHeightOfPlane(Id surface, size_t plane);

size_t IOSurfaceGetBytesPerRowOfPlane(Id surface, size_t plane);

size_t IOSurfaceGetBytesPerElementOfPlane(Id surface, size_t plane);

uint32_t IOSurfaceGetPixelFormat(Id surface);

int IOSurfaceLock(Id surface, uint32_t options, uint32_t *seed);

int IOSurfaceUnlock(Id surface, uint32_t options, uint32_t *seed);

enum { READ_ONLY = 1, R8_UNORM = 10, RG8_UNORM = 30 };

/* A picture of 20 x 6 samples with interleaved chroma, each byte of which has another value. */
static Id create_picture(void)
{
    const EmulatedMetalSurface description = {
        .pixel_format = 0x34323076, .n_planes = 2, .planes = {{20, 6, 1}, {10, 3, 2}}};
    const Id surface = emulated_metal_create_surface(&description);
    assert_int_equal(IOSurfaceLock(surface, 0, NULL), 0);
    for (size_t plane = 0; plane < 2; plane++) {
        unsigned char *bytes = IOSurfaceGetBaseAddressOfPlane(surface, plane);
        for (size_t y = 0; y < IOSurfaceGetHeightOfPlane(surface, plane); y++)
            for (size_t x = 0; x < 20; x++)
                bytes[y * IOSurfaceGetBytesPerRowOfPlane(surface, plane) + x] =
                    (unsigned char)(100 * plane + 20 * y + x);
    }
    assert_int_equal(IOSurfaceUnlock(surface, 0, NULL), 0);
    return surface;
}

TEST(given_a_surface_when_not_locked_then_it_cannot_be_accessed)
{
    const Id surface = create_picture();
    unsigned char *bytes = IOSurfaceGetBaseAddressOfPlane(surface, 0);
    assert_crashes(read_byte(bytes));
    IOSurfaceLock(surface, READ_ONLY, NULL);
    assert_int_equal(bytes[3], 3);
    assert_crashes(write_byte(bytes));
    assert_aborts("was not locked so", IOSurfaceUnlock(surface, 0, NULL));
    IOSurfaceUnlock(surface, READ_ONLY, NULL);
    assert_crashes(read_byte(bytes));
    CFRelease(surface);
}

/* -- textures -- */

static Id texture_of(Id surface, NSUInteger plane, NSUInteger format, NSUInteger width,
                     NSUInteger height)
{
    return metal_new_texture_of(fixture_device,
                                metal_texture_descriptor(objc_getClass("MTLTextureDescriptor"),
                                                         format, width, height, false),
                                surface, plane);
}

TEST(given_a_surface_when_copied_from_then_it_still_cannot_be_accessed)
{
    const Id surface = create_picture();
    const Id texture = texture_of(surface, 0, R8_UNORM, 20, 6);
    const Id dst = metal_new_buffer(fixture_device, 256, SHARED);
    const Id commands = metal_command_buffer(fixture_queue);
    const Id encoder = metal_blit_encoder(commands);
    copy_texture(encoder, texture, (MetalOrigin){0, 0, 0}, (Size3){20, 6, 1}, dst, 0, 32);
    metal_end_encoding(encoder);
    metal_commit(commands);
    metal_wait_until_completed(commands);
    assert_int_equal(((unsigned char *)metal_contents(dst))[33], 21);
    assert_crashes(read_byte(IOSurfaceGetBaseAddressOfPlane(surface, 0)));
    CFRelease(surface);
    metal_release(texture);
    metal_release(dst);
}

typedef struct Part {
    const char *text;
    NSUInteger format, width, stride;
    MetalOrigin origin;
    Size3 size;
} Part;

static void copy_part(const Part *part, Id surface, Id dst)
{
    const Id texture = texture_of(surface, 0, part->format, part->width, 6);
    const Id encoder = metal_blit_encoder(metal_command_buffer(fixture_queue));
    copy_texture(encoder, texture, part->origin, part->size, dst, 0, part->stride);
}

TEST(given_copies_of_textures_that_do_not_fit_when_encoded_then_the_program_ends)
{
    static const Part cases[] = {
        {"do not fit plane 0", RG8_UNORM, 20, 20, {0, 0, 0}, {20, 3, 1}},
        {"do not fit plane 0", R8_UNORM, 21, 20, {0, 0, 0}, {20, 3, 1}},
        {"of 20 x 6", R8_UNORM, 20, 20, {1, 0, 0}, {20, 3, 1}},
        {"20 x 3 x 0", R8_UNORM, 20, 20, {0, 0, 0}, {20, 3, 0}},
        {"19 bytes a row", R8_UNORM, 20, 19, {0, 0, 0}, {20, 3, 1}},
        {"which has 64", R8_UNORM, 20, 20, {0, 0, 0}, {20, 4, 1}},
    };
    const Id surface = create_picture();
    const Id dst = metal_new_buffer(fixture_device, 64, SHARED);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_aborts(cases[i].text, copy_part(&cases[i], surface, dst));
    CFRelease(surface);
    metal_release(dst);
}

/* -- libraries -- */

enum { COMPILE_WARNING = 4 };

static Id library_with(Id options, const char *text, Id *error)
{
    *error = NULL;
    return metal_new_library(fixture_device, fixture_string(text), options, error);
}

static void expect_refused(Id options, const char *text, const char *why)
{
    Id error;
    assert_null(library_with(options, text, &error));
    assert_non_null(strstr(metal_utf8(metal_description(error)), why));
    assert_string_equal(metal_utf8(metal_domain(error)), "MTLLibraryErrorDomain");
}

TEST(given_fast_math_when_compiled_then_the_library_is_refused)
{
    const Id fast = metal_autorelease(metal_new(objc_getClass("MTLCompileOptions")));
    expect_refused(NULL, fixture_text, "fast math is on");
    expect_refused(fast, fixture_text, "fast math is on");
    const Id options = fixture_options();
    metal_set_fast_math(options, 1);
    expect_refused(options, fixture_text, "fast math is on");
    assert_false(metal_responds_to(options, sel_registerName("setMathMode:")));
}

TEST(given_a_library_when_compiled_then_an_error_may_be_a_warning)
{
    Id error;
    const Id library = library_with(fixture_options(), fixture_text, &error);
    assert_non_null(library);
    assert_int_equal(metal_code(error), COMPILE_WARNING);
    assert_null(metal_new_function(library, fixture_string("absent")));
    const Id function = metal_new_function(library, fixture_string("races"));
    assert_string_equal(metal_utf8(metal_name(function)), "races");
    metal_release(function);
    metal_release(library);
}

TEST(given_wrong_texts_when_compiled_then_they_are_refused)
{
    const Id options = fixture_options();
    expect_refused(options, "float f() { double x; }", "'double' is not supported in Metal");
    expect_refused(options, "void f() { {", "braces");
    expect_refused(options, "#include \"dialect/kernel.h\"\n", "not Metal's is included");
    metal_set_language_version(options, 4 << 16);
    expect_refused(options, fixture_text, "language version 4.0");
    metal_set_language_version(options, (2 << 16) + 3);
    Id error;
    const Id library = library_with(options, "/* double */ void f() {} // double", &error);
    assert_non_null(library);
    metal_release(library);
}

/* The text of the fixture with one part replaced. */
static void expect_no_pipeline(const char *part, const char *by, const char *kernel,
                               const char *why)
{
    char text[4096];
    Id error;
    const char *at = strstr(fixture_text, part);
    assert_non_null(at);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - fixture_text), fixture_text, by,
             at + strlen(part));
    const Id library = library_with(fixture_options(), text, &error);
    const Id function = metal_new_function(library, fixture_string(kernel));
    assert_non_null(function);
    assert_null(metal_new_pipeline(fixture_device, function, &error));
    assert_non_null(strstr(metal_utf8(metal_description(error)), why));
    metal_release(function);
    metal_release(library);
}

TEST(given_a_kernel_that_differs_from_that_in_c_when_a_pipeline_is_made_then_there_is_none)
{
    const char *kernel = "reads_outside";
    expect_no_pipeline("void reads_outside", "void other", "other", "no kernel other");
    expect_no_pipeline("((8 * 1))", "((8 * 2))", kernel, "groups of 16 threads, not 8");
    expect_no_pipeline("device u32 *dst", "device const u32 *dst", kernel, "another buffer 1");
    expect_no_pipeline("device const u32 *src", "device u32 *src", kernel, "another buffer 0");
    expect_no_pipeline("[[buffer(1)]]", "[[buffer(3)]]", kernel, "another buffer 1");
    expect_no_pipeline("constant broken_args &p", "device const broken_args &p", kernel,
                       "another buffer 2");
}

/* -- encoders -- */

enum { PAGE_FAULT = 3 };

/* -- kernels -- */

static void finish(Id commands)
{
    metal_commit(commands);
    metal_wait_until_completed(commands);
}

TEST(given_a_kernel_that_reads_too_much_when_it_runs_then_the_command_buffer_fails)
{
    const Id src = fixture_words(16, 0), dst = fixture_words(16, 0);
    Id commands = metal_command_buffer(fixture_queue);
    commit_shift(commands, src, dst, 1, 2);
    finish(commands);
    assert_int_equal(metal_status(commands), FAILED);
    assert_int_equal(metal_code(metal_error(commands)), PAGE_FAULT);
    assert_non_null(
        strstr(metal_utf8(metal_description(metal_error(commands))), "element 16 of src"));
    commands = metal_command_buffer(fixture_queue);
    commit_shift(commands, src, dst, 0, 2);
    finish(commands);
    assert_int_equal(metal_status(commands), COMPLETED);
    assert_null(metal_error(commands));
    metal_release(src);
    metal_release(dst);
}

/* A dispatch of which one thing is wrong. */
typedef struct Wrong {
    const char *text;
    NSUInteger offset, args_size;
    Size3 groups, threads;
    bool has_no_target, has_no_pipeline;
} Wrong;

static void encode_wrong(const Wrong *wrong, Id src, Id dst)
{
    const int32_t distance[1024] = {0};
    const Id pipeline = fixture_pipeline("reads_outside");
    const Id encoder = compute_encoder(metal_command_buffer(fixture_queue));
    if (!wrong->has_no_pipeline)
        metal_set_pipeline(encoder, pipeline);
    metal_set_buffer(encoder, src, wrong->offset, 0);
    metal_set_buffer(encoder, wrong->has_no_target ? NULL : dst, 0, 1);
    metal_set_bytes(encoder, distance, wrong->args_size, 2);
    metal_dispatch(encoder, wrong->groups, wrong->threads);
}

TEST(given_a_wrong_dispatch_when_encoded_then_the_program_ends)
{
    static const Wrong cases[] = {
        {"groups of 4 x 1 x 1 threads", 0, 4, {2, 1, 1}, {4, 1, 1}, false, false},
        {"groups of 4 x 2 x 1 threads", 0, 4, {2, 1, 1}, {4, 2, 1}, false, false},
        {"groups of 8 x 2 x 1 threads", 0, 4, {2, 1, 1}, {8, 2, 1}, false, false},
        {"2 x 0 x 1 groups", 0, 4, {2, 0, 1}, {8, 1, 1}, false, false},
        {"8 bytes of arguments", 0, 8, {2, 1, 1}, {8, 1, 1}, false, false},
        {"4097 bytes", 0, 4097, {2, 1, 1}, {8, 1, 1}, false, false},
        {"has no buffer 1", 0, 4, {2, 1, 1}, {8, 1, 1}, true, false},
        {"no multiple of its elements", 2, 4, {2, 1, 1}, {8, 1, 1}, false, false},
        {"offset 64 of MTLBuffer", 64, 4, {2, 1, 1}, {8, 1, 1}, false, false},
        {"there is no pipeline", 0, 4, {2, 1, 1}, {8, 1, 1}, false, true},
    };
    const Id src = fixture_words(16, 0), dst = fixture_words(16, 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_aborts(cases[i].text, encode_wrong(&cases[i], src, dst));
    metal_release(src);
    metal_release(dst);
}

/* -- copies -- */

static void encode_copy(Id src, Id dst, NSUInteger from, NSUInteger to, NSUInteger size)
{
    metal_copy(metal_blit_encoder(metal_command_buffer(fixture_queue)), src, from, dst, to, size);
}

TEST(given_a_wrong_copy_when_encoded_then_the_program_ends)
{
    const Id src = fixture_words(16, 0), dst = fixture_words(16, 0);
    const char *multiple = "not all are multiples of 4";
    assert_aborts("which has 64", encode_copy(src, dst, 8, 0, 60));
    assert_aborts("which has 64", encode_copy(src, dst, 0, 64, 4));
    assert_aborts(multiple, encode_copy(src, dst, 2, 0, 4));
    assert_aborts(multiple, encode_copy(src, dst, 0, 1, 4));
    assert_aborts(multiple, encode_copy(src, dst, 0, 0, 7));
    assert_aborts(multiple, encode_copy(src, dst, 0, 0, 0));
    assert_aborts("overlap", encode_copy(src, src, 0, 4, 8));
    metal_release(src);
    metal_release(dst);
}

/* -- the life of encoders and command buffers -- */

static void commit_with_open_encoder(void)
{
    const Id commands = metal_command_buffer(fixture_queue);
    compute_encoder(commands);
    metal_commit(commands);
}

static void open_two_encoders(void)
{
    const Id commands = metal_command_buffer(fixture_queue);
    compute_encoder(commands);
    metal_blit_encoder(commands);
}

static void encode_after_end(void)
{
    const Id encoder = compute_encoder(metal_command_buffer(fixture_queue));
    metal_end_encoding(encoder);
    metal_memory_barrier(encoder, 1);
}

static void forget_to_end(void)
{
    void *pool = objc_autoreleasePoolPush();
    compute_encoder(metal_command_buffer(fixture_queue));
    objc_autoreleasePoolPop(pool);
}

static void commit_twice(void)
{
    const Id commands = metal_command_buffer(fixture_queue);
    metal_commit(commands);
    metal_commit(commands);
}

TEST(given_an_encoder_used_out_of_turn_when_told_then_the_program_ends)
{
    assert_aborts("has an encoder that has not ended", commit_with_open_encoder());
    assert_aborts("has an encoder that has not ended", open_two_encoders());
    assert_aborts("after endEncoding", encode_after_end());
    assert_aborts("was not told endEncoding", forget_to_end());
    assert_aborts("was committed before", commit_twice());
    assert_aborts("was not committed",
                  metal_wait_until_completed(metal_command_buffer(fixture_queue)));
}

TEST(given_a_resource_when_released_before_the_work_runs_then_the_command_buffer_keeps_it)
{
    const Id src = fixture_words(8, 5), dst = fixture_words(8, 0);
    const Id commands = metal_command_buffer(fixture_queue);
    commit_shift(commands, src, dst, 0, 1);
    metal_release(src);
    finish(commands);
    assert_int_equal(metal_status(commands), COMPLETED);
    assert_int_equal(words_of(dst)[7], 12);
    metal_release(dst);
    assert_int_equal(emulated_metal_count("memory"), 0);
}
