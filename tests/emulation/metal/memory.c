/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Pages and buffers. */
#include "memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* New memory is full of it. */
enum { NEW = 0xdb };

/* Ranges that nobody can access any more, so that nobody else gets the addresses for a while. */
enum { QUARANTINE = 64 };
static struct {
    void *memory;
    size_t size;
} quarantine[QUARANTINE];
static size_t next_quarantined;

static Pages *open_pages;

/* -- pages -- */

static size_t in_pages(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

bool pages_map(Pages *pages, size_t size, int access)
{
    void *mapped =
        mmap(NULL, in_pages(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return false;
    *pages = (Pages){.bytes = mapped, .size = in_pages(size), .access = access};
    memset(mapped, NEW, size);
    mprotect(mapped, pages->size, access);
    return true;
}

void pages_unmap(Pages *pages)
{
    if (!pages->bytes)
        return;
    pages_close_all();
    mmap(pages->bytes, pages->size, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (quarantine[next_quarantined].memory)
        munmap(quarantine[next_quarantined].memory, quarantine[next_quarantined].size);
    quarantine[next_quarantined].memory = pages->bytes;
    quarantine[next_quarantined].size = pages->size;
    next_quarantined = (next_quarantined + 1) % QUARANTINE;
    pages->bytes = NULL;
}

void pages_allow(Pages *pages, int access)
{
    pages->access = access;
    if (!pages->is_open)
        mprotect(pages->bytes, pages->size, access);
}

unsigned char *pages_open(Pages *pages)
{
    if (pages->bytes && !pages->is_open && pages->access != (PROT_READ | PROT_WRITE)) {
        mprotect(pages->bytes, pages->size, PROT_READ | PROT_WRITE);
        pages->is_open = true;
        pages->next = open_pages;
        open_pages = pages;
    }
    return pages->bytes;
}

void pages_close_all(void)
{
    for (; open_pages; open_pages = open_pages->next) {
        mprotect(open_pages->bytes, open_pages->size, open_pages->access);
        open_pages->is_open = false;
    }
}

/* -- buffers -- */

/* What a block of a compiler begins with. */
struct Block {
    const void *class;
    int flags, reserved;
    void (*invoke)(const Block *block, void *bytes, NSUInteger length);
};
enum { BLOCK_IS_GLOBAL = 1 << 28 };

static void destroy_buffer(Object *object)
{
    Buffer *buffer = (Buffer *)object;
    const Block *deallocator = buffer->deallocator;
    buffer->device->memory_used -= buffer->pages.size;
    pages_unmap(&buffer->pages);
    object_unuse(buffer->device);
    if (deallocator) {
        MachineCall call;
        pages_close_all();
        machine_pause(&call);
        deallocator->invoke(deallocator, buffer->bytes, buffer->length);
        machine_resume(&call);
    }
}

static Buffer *create(Device *device, NSUInteger length, NSUInteger options)
{
    Buffer *buffer = object_create(&buffer_class);
    buffer->device = object_use(device);
    buffer->length = length;
    buffer->options = options;
    machine_note(" bytes=%lu %s = %s", length,
                 buffer_storage(buffer) == STORAGE_SHARED ? "shared" : "private",
                 object_words(&buffer->head));
    return buffer;
}

static void check_options(NSUInteger length, NSUInteger options)
{
    const NSUInteger storage = options >> 4 & 15;
    if (length == 0)
        metal_abort("a buffer of 0 bytes");
    if ((options & 15) > 1 || (options >> 8) > 2)
        metal_abort("a buffer with unknown options %lu", options);
    if (storage != STORAGE_SHARED && storage != STORAGE_PRIVATE)
        metal_abort("a buffer with storage mode %lu, which is not emulated", storage);
}

Object *buffer_create(Device *device, NSUInteger length, NSUInteger options)
{
    Pages pages;
    check_options(length, options);
    const bool is_private = (options >> 4 & 15) == STORAGE_PRIVATE;
    if (length > device_max_buffer(device) || !device_has_memory(device, in_pages(length)) ||
        !pages_map(&pages, length, is_private ? PROT_NONE : PROT_READ | PROT_WRITE)) {
        machine_note(" bytes=%lu = nil", length);
        return NULL;
    }
    Buffer *buffer = create(device, length, options);
    buffer->pages = pages;
    buffer->bytes = pages.bytes;
    device->memory_used += pages.size;
    return &buffer->head;
}

Object *buffer_create_around(Device *device, void *bytes, NSUInteger length, NSUInteger options,
                             const Block *deallocator)
{
    check_options(length, options);
    if ((options >> 4 & 15) != STORAGE_SHARED)
        metal_abort("a buffer around memory of the program whose storage is private");
    if (!bytes || in_pages((uintptr_t)bytes) != (uintptr_t)bytes || in_pages(length) != length)
        metal_abort("a buffer around %lu bytes at %p, which are no whole pages", length, bytes);
    if (deallocator && !(deallocator->flags & BLOCK_IS_GLOBAL))
        metal_abort("a deallocator that is no global block, which is not emulated");
    if (length > device_max_buffer(device) || !device_has_memory(device, 0)) {
        machine_note(" bytes=%lu = nil", length);
        return NULL;
    }
    Buffer *buffer = create(device, length, options);
    buffer->bytes = bytes;
    buffer->deallocator = deallocator;
    return &buffer->head;
}

static void *contents(const Buffer *buffer)
{
    return buffer_storage(buffer) == STORAGE_SHARED ? buffer->bytes : NULL;
}

static void *buffer_contents(Object *self, const Selector *message)
{
    ANSWER(void *, NULL, contents((Buffer *)self));
}

static NSUInteger buffer_length(Object *self, const Selector *message)
{
    ANSWER(NSUInteger, 0, ((Buffer *)self)->length);
}

static NSUInteger buffer_storage_mode(Object *self, const Selector *message)
{
    ANSWER(NSUInteger, 0, buffer_storage((Buffer *)self));
}

static Object *buffer_device(Object *self, const Selector *message)
{
    ANSWER(Object *, NULL, object_lend(((Buffer *)self)->device));
}

const Class buffer_class = {
    .head = CLASS_HEAD,
    .name = "MTLBuffer",
    .size = sizeof(Buffer),
    .destroy = destroy_buffer,
    .methods =
        (const Method[]){METHOD("contents", buffer_contents), METHOD("length", buffer_length),
                         METHOD("storageMode", buffer_storage_mode),
                         METHOD("device", buffer_device), METHODS_END},
};
