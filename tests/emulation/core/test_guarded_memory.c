/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Memory that emulated runtimes allocate, and what guards it. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "toy_runtime.h"

enum { SIZE = 1000 };
static int owners[2];

static Memory *allocate_aligned(enum MemoryKind kind, size_t size, size_t alignment)
{
    const Memory wanted = {.kind = kind,
                           .size = size,
                           .owner = &owners[0],
                           .device = kind == MEMORY_DEVICE ? &machine_devices[0] : NULL,
                           .charge = size};
    Memory *added = guarded_allocate(&wanted, alignment, -1);
    assert_non_null(added);
    return added;
}

static Memory *allocate(enum MemoryKind kind)
{
    return allocate_aligned(kind, SIZE, 8);
}

static void *at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

TEST(the_host_cannot_touch_memory_of_devices)
{
    allocate(MEMORY_DEVICE);
    allocate(MEMORY_HOST);
    for (size_t i = 0; i < 2; i++) {
        size_t n;
        const Memory *memory = &guarded_list(&n)[i];
        const bool is_device = memory->kind == MEMORY_DEVICE;
        assert_int_equal(n, 2);
        assert_dies(is_device ? SIGSEGV : 0, "", read_byte(at(memory->address)));
        assert_dies(is_device ? SIGSEGV : 0, "", write_byte(at(memory->address)));
        assert_int_equal(memory->storage == at(memory->address), !is_device);
        assert_int_equal(guarded_is_device_range(memory->address), is_device);
        assert_true(guarded_is_own_range(memory->address));
    }
    assert_false(guarded_is_own_range((uintptr_t)&owners[0]));
}

TEST(there_is_nothing_behind_memory)
{
    const Memory *memory = allocate(MEMORY_HOST);
    assert_survives(write_byte(memory->storage + SIZE - 1));
    assert_crashes(write_byte(memory->storage + SIZE));
    assert_crashes(write_byte(memory->storage - 4096));
    assert_false(guarded_is_gap(memory->address));
    assert_true(guarded_is_gap(memory->address + SIZE));
    assert_false(guarded_is_gap((uintptr_t)&owners[0]));
}

TEST(new_memory_holds_a_pattern)
{
    const Memory *memory = allocate(MEMORY_DEVICE);
    for (size_t i = 0; i < SIZE; i++)
        assert_int_equal(memory->storage[i], 0xdb);
}

TEST(addresses_are_aligned)
{
    for (size_t alignment = 1; alignment <= 65536; alignment *= 4) {
        assert_int_equal(allocate_aligned(MEMORY_DEVICE, 100, alignment)->address % alignment, 0);
        assert_int_equal(allocate_aligned(MEMORY_HOST, 100, alignment)->address % alignment, 0);
    }
}

TEST(what_was_freed_cannot_be_used)
{
    uint64_t before[32];
    for (size_t i = 0; i < 32; i++) {
        Memory *memory = allocate(MEMORY_HOST);
        before[i] = memory->address;
        guarded_free(memory);
        assert_null(guarded_find(before[i]));
        for (size_t k = 0; k < i; k++)
            assert_true(before[k] != before[i]);
    }
    assert_crashes(read_byte(at(before[31])));
}

TEST(what_is_written_beside_memory_is_noticed)
{
    Memory *memory = allocate_aligned(MEMORY_HOST, SIZE, 64);
    memory->storage[SIZE] = 1; /* on the same page */
    assert_true(guarded_is_overrun(memory));
    assert_false(guarded_is_overrun(memory)); /* it is as new */
    memory->storage[-1] = 1;
    guarded_free(memory);
    assert_int_equal(machine_counted("complaint"), 1);
    guarded_free(allocate(MEMORY_HOST));
    assert_int_equal(machine_counted("complaint"), 1);
}

TEST(memory_is_found_by_its_addresses)
{
    static unsigned char own[64];
    const uint64_t address = allocate(MEMORY_DEVICE)->address;
    const uint64_t id = guarded_find(address)->id;
    guarded_register(&(Memory){.address = (uintptr_t)own, .size = sizeof(own)});
    assert_int_equal(guarded_find(address + SIZE - 1)->id, id);
    assert_null(guarded_find(address + SIZE));
    assert_null(guarded_find(address - 1));
    assert_null(guarded_find_whole(address + 1));
    assert_int_equal(guarded_find_whole(address)->id, id);
    assert_ptr_equal(guarded_find((uintptr_t)own + 63)->storage, own);
    assert_int_not_equal(guarded_find((uintptr_t)own)->id, id);
    assert_true(guarded_is_known((uintptr_t)own - 8, 9));
    assert_false(guarded_is_known((uintptr_t)own - 8, 8));
    assert_false(guarded_is_known((uintptr_t)own + 64, 8));
    guarded_free(guarded_find((uintptr_t)own));
    own[0] = 1; /* it is still the program's */
}

TEST(owners_are_freed_alone)
{
    size_t n;
    allocate(MEMORY_DEVICE);
    allocate(MEMORY_HOST)->owner = &owners[1];
    allocate(MEMORY_HOST);
    guarded_free_all(&owners[0]);
    guarded_list(&n);
    assert_int_equal(n, 1);
    assert_int_equal(machine_devices[0].memory_used, 0);
}

TEST(memory_of_a_device_is_limited)
{
    DeviceState *device = &machine_devices[0];
    assert_int_equal(machine_configure("device; memory 2K", NULL), 0);
    assert_false(machine_has_memory(device, 2049));
    assert_false(machine_has_memory(device, SIZE_MAX - 100));
    allocate(MEMORY_DEVICE);
    assert_true(machine_has_memory(device, 1048));
    assert_false(machine_has_memory(device, 1049));
    assert_true(machine_has_memory(NULL, 1049)); /* of the host */
    guarded_free_all(NULL);
    assert_int_equal(machine_configure("out-of-memory beyond 1K; out-of-memory at 3", NULL), 0);
    assert_true(machine_has_memory(device, 1024));
    assert_false(machine_has_memory(device, 1025));
    assert_false(machine_has_memory(device, 1)); /* the third */
    assert_true(machine_has_memory(device, 1));
}

TEST(files_are_imported_and_pages_protected)
{
    const long page = sysconf(_SC_PAGESIZE);
    const int file = memfd_create("test", 0);
    assert_int_equal(ftruncate(file, page), 0);
    const Memory wanted = {.kind = MEMORY_HOST, .size = (size_t)page};
    Memory *memory = guarded_allocate(&wanted, 64, file);
    memory->storage[5] = 9;
    unsigned char byte = 0;
    assert_int_equal(pread(file, &byte, 1, 5), 1);
    assert_int_equal(byte, 9);
    guarded_protect(memory, PROT_READ);
    assert_crashes(write_byte(memory->storage));
    assert_survives(read_byte(memory->storage));
    guarded_free(memory);
    close(file);
    assert_null(guarded_allocate(&wanted, 64, file));
}
