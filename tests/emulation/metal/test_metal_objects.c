/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* References, pools, messages. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "support/cases.h"

static Id new_string(const char *text)
{
    return metal_retain(fixture_string(text));
}

/* -- references -- */

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(given_an_object_when_released_as_often_as_retained_then_it_is_gone)
{
    const uint64_t before = emulated_metal_count("MTLBuffer");
    const Id buffer = metal_new_buffer(fixture_device, 16, SHARED);
    assert_int_equal(emulated_metal_count("MTLBuffer"), before + 1);
    assert_ptr_equal(metal_retain(buffer), buffer);
    metal_release(buffer);
    assert_int_equal(emulated_metal_count("MTLBuffer"), before + 1);
    metal_release(buffer);
    assert_int_equal(emulated_metal_count("MTLBuffer"), before);
    assert_int_equal(emulated_metal_count("memory"), 0);
}

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

TEST(given_a_pool_when_popped_then_what_it_holds_is_released)
{
    const uint64_t before = emulated_metal_count("NSString");
    void *outer = objc_autoreleasePoolPush();
    fixture_string("outer");
    void *inner = objc_autoreleasePoolPush();
    fixture_string("inner");
    const Id kept = new_string("kept");
    assert_int_equal(emulated_metal_count("NSString"), before + 3);
    objc_autoreleasePoolPop(inner);
    assert_int_equal(emulated_metal_count("NSString"), before + 2);
    assert_string_equal(metal_utf8(kept), "kept");
    objc_autoreleasePoolPush();
    objc_autoreleasePoolPop(outer); /* the one above it, too */
    assert_int_equal(emulated_metal_count("NSString"), before + 1);
    metal_release(kept);
}

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

TEST(given_an_unknown_class_when_asked_for_then_there_is_none)
{
    assert_null(objc_getClass("MTLNoSuchClass"));
    assert_non_null(objc_getClass("MTLCompileOptions"));
    assert_ptr_equal(sel_registerName("abc"), sel_registerName("abc"));
}

/* -- Foundation -- */

TEST(given_an_array_when_asked_for_more_than_it_has_then_the_program_ends)
{
    const Id devices = MTLCopyAllDevices();
    assert_aborts("object 1 of an array of 1", metal_object_at(devices, 1));
    metal_release(devices);
}
