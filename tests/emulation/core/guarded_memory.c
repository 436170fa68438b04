/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NEW = 0xdb, BESIDE = 0xb5, GAP = 1 << 20 };

static Memory *table; /* in the order of addresses */
static size_t n_table, capacity;
static uint64_t last_id;

/* Two ranges of range_size bytes; next is where room is looked for in both. */
static unsigned char *storage_range, *device_range;
static size_t range_size, range_next;

/* -- the table -- */

static bool is_in(const unsigned char *range, uint64_t address)
{
    return range_size && address - (uintptr_t)range < range_size;
}

bool guarded_is_device_range(uint64_t address)
{
    return is_in(device_range, address);
}

bool guarded_is_own_range(uint64_t address)
{
    return is_in(device_range, address) || is_in(storage_range, address);
}

/* The first that ends behind the address. */
static size_t search(uint64_t address)
{
    size_t low = 0, high = n_table;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (table[middle].address + table[middle].size > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

Memory *guarded_find(uint64_t address)
{
    const size_t i = search(address);
    return i < n_table && table[i].address <= address ? &table[i] : NULL;
}

Memory *guarded_find_whole(uint64_t address)
{
    Memory *found = guarded_find(address);
    return found && found->address == address ? found : NULL;
}

bool guarded_is_known(uint64_t address, size_t size)
{
    const size_t next = search(address);
    return next < n_table && table[next].address < address + size;
}

const Memory *guarded_list(size_t *count)
{
    *count = n_table;
    return table;
}

bool guarded_measure(const char *what, uint64_t *value)
{
    if (strcmp(what, "memory") != 0)
        return false;
    *value = n_table;
    return true;
}

static Memory *insert(const Memory *added)
{
    const size_t at = search(added->address);
    if (n_table == capacity) {
        capacity = capacity ? 2 * capacity : 64;
        table = realloc(table, capacity * sizeof(*table));
    }
    memmove(&table[at + 1], &table[at], (n_table - at) * sizeof(*table));
    n_table++;
    table[at] = *added;
    table[at].id = ++last_id;
    if (added->device)
        added->device->memory_used += added->charge;
    return &table[at];
}

/* -- room -- */

static bool reserve_ranges(void)
{
#ifdef __SANITIZE_THREAD__
    const unsigned most = 35; /* there is not as much room */
#else
    const unsigned most = 41;
#endif
    for (unsigned bits = most; bits >= 32 && !range_size; bits--) {
        const size_t size = (size_t)1 << bits;
        unsigned char *range =
            mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range != MAP_FAILED) {
            storage_range = range;
            device_range = range + size;
            range_size = size;
            range_next = GAP;
        }
    }
    return range_size != 0;
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* Where something is on the pages from that offset, or in the gap behind them: its end; 0: none. */
static size_t end_of_obstacle(size_t at, size_t size)
{
    for (size_t i = 0; i < n_table; i++) {
        if (table[i].kind == MEMORY_REGISTERED)
            continue;
        const size_t begin = (size_t)(table[i].pages - storage_range);
        const size_t end = begin + table[i].pages_size;
        if (begin < at + size + GAP && at < end + GAP)
            return end;
    }
    return 0;
}

/* Room behind everything that was allocated; at the end, from the beginning again. 0: none. */
static size_t find_room(size_t size, size_t unit)
{
    if (!range_size && !reserve_ranges())
        return 0;
    for (unsigned round = 0; round < 2; round++) {
        size_t end, at = round_up(range_next, unit);
        while (size <= range_size - GAP && at <= range_size - GAP - size) {
            end = end_of_obstacle(at, size);
            if (end == 0) {
                range_next = round_up(at + size, GAP) + GAP;
                return at;
            }
            at = round_up(round_up(end, GAP) + GAP, unit);
        }
        range_next = GAP;
    }
    return 0;
}

/* -- memory itself -- */

/* What lies on the pages beside the memory holds a pattern. */
static void set_beside(const Memory *memory)
{
    const size_t before = (size_t)(memory->storage - memory->pages);
    const size_t after = memory->pages_size - before - memory->size;
    memset(memory->pages, BESIDE, before);
    memset(memory->storage + memory->size, BESIDE, after);
}

static bool is_all(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != BESIDE)
            return false;
    }
    return true;
}

bool guarded_is_overrun(const Memory *memory)
{
    const size_t before = (size_t)(memory->storage - memory->pages);
    const size_t after = memory->pages_size - before - memory->size;
    if (memory->kind == MEMORY_REGISTERED || memory->is_imported ||
        (is_all(memory->pages, before) && is_all(memory->storage + memory->size, after)))
        return false;
    set_beside(memory);
    return true;
}

static void make_inaccessible(unsigned char *pages, size_t size)
{
    mmap(pages, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static unsigned char *page_of(uint64_t address)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return storage_range + (address - (uintptr_t)storage_range) / page * page;
}

bool guarded_is_gap(uint64_t address)
{
    if (!is_in(storage_range, address))
        return false;
    const unsigned char *at = page_of(address);
    for (size_t i = 0; i < n_table; i++) {
        if (at >= table[i].pages && at < table[i].pages + table[i].pages_size)
            return false;
    }
    return true;
}

void guarded_close_gap(uint64_t address)
{
    make_inaccessible(page_of(address), (size_t)sysconf(_SC_PAGESIZE));
}

void guarded_protect(const Memory *memory, int access)
{
    mprotect(memory->pages, memory->pages_size, access);
}

/* The end is as close to the end of a page as the alignment allows. */
Memory *guarded_allocate(const Memory *wanted, size_t alignment, int descriptor)
{
    Memory added = *wanted;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (wanted->size > SIZE_MAX / 2)
        return NULL;
    const size_t extent = round_up(wanted->size, alignment);
    added.pages_size = round_up(extent, page);
    const size_t at = find_room(added.pages_size, alignment > page ? alignment : page);
    if (at == 0)
        return NULL;
    const size_t before = descriptor >= 0 ? 0 : added.pages_size - extent;
    added.pages = storage_range + at;
    added.storage = added.pages + before;
    added.address =
        (uintptr_t)(added.kind == MEMORY_DEVICE ? device_range + at + before : added.storage);
    added.is_imported = descriptor >= 0;
    const int flags = MAP_FIXED | (descriptor >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
    if (mmap(added.pages, added.pages_size, PROT_READ | PROT_WRITE, flags, descriptor, 0) ==
        MAP_FAILED) {
        make_inaccessible(added.pages, added.pages_size);
        return NULL;
    }
    if (!added.is_imported) {
        memset(added.storage, NEW, added.size);
        set_beside(&added);
    }
    return insert(&added);
}

void guarded_register(const Memory *wanted)
{
    Memory added = *wanted;
    added.kind = MEMORY_REGISTERED;
    added.storage = (unsigned char *)(uintptr_t)wanted->address;
    insert(&added);
}

void guarded_free(Memory *memory)
{
    const size_t at = (size_t)(memory - table);
    if (guarded_is_overrun(memory))
        machine_complain("something was written beside %zu bytes that are given back",
                         memory->size);
    if (memory->kind != MEMORY_REGISTERED)
        make_inaccessible(memory->pages, memory->pages_size);
    if (memory->device)
        memory->device->memory_used -= memory->charge;
    memmove(memory, memory + 1, (n_table - at - 1) * sizeof(*table));
    n_table--;
}

void guarded_free_all(const void *owner)
{
    for (size_t i = n_table; i-- > 0;) {
        if (!owner || table[i].owner == owner)
            guarded_free(&table[i]);
    }
}
