/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver_schedule.h"

enum { NEW = 0xdb, BESIDE = 0xb5, GAP = 1 << 20, LEAST_ALIGNMENT = 64 };

static Allocation *table; /* in the order of addresses of storage */
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

bool driver_is_own_range(uint64_t address)
{
    return is_in(device_range, address) || is_in(storage_range, address);
}

/* The first that ends behind the place in storage. */
static size_t search(const unsigned char *storage)
{
    size_t low = 0, high = n_table;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (table[middle].storage + table[middle].size > storage)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static Allocation *find(uint64_t address)
{
    const bool is_device = is_in(device_range, address);
    if (!is_device && !is_in(storage_range, address))
        return NULL;
    const uint64_t offset = address - (uintptr_t)(is_device ? device_range : storage_range);
    const size_t i = search(storage_range + offset);
    return i < n_table && table[i].address <= address && address - table[i].address < table[i].size
               ? &table[i]
               : NULL;
}

const Allocation *driver_find_memory(uint64_t address)
{
    return find(address);
}

static Allocation *insert(const Allocation *added)
{
    const size_t at = search(added->storage);
    if (n_table == capacity) {
        capacity = capacity ? 2 * capacity : 64;
        table = realloc(table, capacity * sizeof(*table));
    }
    memmove(&table[at + 1], &table[at], (n_table - at) * sizeof(*table));
    n_table++;
    table[at] = *added;
    table[at].id = ++last_id;
    return &table[at];
}

bool driver_measure(const char *what, uint64_t *value)
{
    if (strcmp(what, "memory") != 0)
        return false;
    *value = n_table;
    return true;
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

/* Room behind everything that was allocated; at the end, from the beginning again. 0: none. */
static size_t find_room(size_t size, size_t unit)
{
    if (!range_size && !reserve_ranges())
        return 0;
    for (unsigned round = 0; round < 2; round++) {
        size_t at = round_up(range_next, unit);
        while (size <= range_size - GAP && at <= range_size - GAP - size) {
            const size_t i = search(storage_range + at);
            if (i == n_table || table[i].pages >= storage_range + at + size + GAP) {
                range_next = round_up(at + size, GAP) + GAP;
                return at;
            }
            const size_t end = (size_t)(table[i].pages - storage_range) + table[i].pages_size;
            at = round_up(round_up(end, GAP) + GAP, unit);
        }
        range_next = GAP;
    }
    return 0;
}

/* -- memory itself -- */

/* What lies on the pages beside the allocation holds a pattern. */
static void set_beside(const Allocation *allocation)
{
    const size_t before = (size_t)(allocation->storage - allocation->pages);
    const size_t after = allocation->pages_size - before - allocation->size;
    memset(allocation->pages, BESIDE, before);
    memset(allocation->storage + allocation->size, BESIDE, after);
}

static bool is_all(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != BESIDE)
            return false;
    }
    return true;
}

bool driver_is_overrun(const Allocation *allocation)
{
    const size_t before = (size_t)(allocation->storage - allocation->pages);
    const size_t after = allocation->pages_size - before - allocation->size;
    if (allocation->is_imported || (is_all(allocation->pages, before) &&
                                    is_all(allocation->storage + allocation->size, after)))
        return false;
    set_beside(allocation);
    return true;
}

static void make_inaccessible(unsigned char *pages, size_t size)
{
    mmap(pages, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

bool driver_is_gap(uint64_t address)
{
    if (!is_in(storage_range, address))
        return false;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned char *at = storage_range + (address - (uintptr_t)storage_range) / page * page;
    for (size_t i = 0; i < n_table; i++) {
        if (at >= table[i].pages && at < table[i].pages + table[i].pages_size)
            return false;
    }
    return true;
}

void driver_close_gap(uint64_t address)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    make_inaccessible(storage_range + (address - (uintptr_t)storage_range) / page * page, page);
}

/* Whether the machine has that much left. */
static bool is_out_of_memory(const Device *device, size_t size)
{
    const uint64_t used = device ? device->memory_used : 0;
    if (machine_denies_memory())
        return true;
    if (!device)
        return false;
    if (size > device->machine->memory)
        return true;
    return used + size > device->machine->memory ||
           (emulated_machine.memory_limit && used + size > emulated_machine.memory_limit);
}

/* The end of an allocation is as close to the end of a page as its alignment allows. */
static ze_result_t map(Allocation *allocation, size_t alignment, int descriptor)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t extent = round_up(allocation->size, alignment);
    const size_t unit = alignment > page ? alignment : page;
    allocation->pages_size = round_up(extent, page);
    const size_t at = find_room(allocation->pages_size, unit);
    if (at == 0)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    const size_t before = descriptor >= 0 ? 0 : allocation->pages_size - extent;
    allocation->pages = storage_range + at;
    allocation->storage = allocation->pages + before;
    allocation->address = (uintptr_t)allocation->storage;
    if (allocation->type == ZE_MEMORY_TYPE_DEVICE)
        allocation->address = (uintptr_t)device_range + at + before;
    const int flags = MAP_FIXED | (descriptor >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
    if (mmap(allocation->pages, allocation->pages_size, PROT_READ | PROT_WRITE, flags, descriptor,
             0) == MAP_FAILED) {
        make_inaccessible(allocation->pages, allocation->pages_size);
        return descriptor >= 0 ? ZE_RESULT_ERROR_INVALID_ARGUMENT
                               : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (descriptor < 0) {
        memset(allocation->storage, NEW, allocation->size);
        set_beside(allocation);
    }
    return ZE_RESULT_SUCCESS;
}

/* As Intel's driver does, imports what there is where the program says that there is more. */
static ze_result_t check_descriptor(const ze_external_memory_import_fd_t *import, size_t *size)
{
    struct stat status;
    if (import->flags != ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF)
        return ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
    if (fstat(import->fd, &status) != 0) {
        machine_complain("descriptor %d, which is to be imported, is not open", import->fd);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (status.st_size <= 0)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    if ((uint64_t)status.st_size < *size)
        *size = (size_t)status.st_size;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t allocate(Allocation added, size_t alignment, const void *next, void **memory)
{
    int descriptor = -1;
    machine_note(" bytes=%zu", added.size);
    if (!memory)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (added.size == 0)
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if (alignment & (alignment - 1))
        return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    if (next) {
        const ze_external_memory_import_fd_t *import = next;
        if (import->stype != ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD || import->pNext ||
            added.type != ZE_MEMORY_TYPE_DEVICE)
            return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        const ze_result_t result = check_descriptor(import, &added.size);
        if (result != ZE_RESULT_SUCCESS)
            return result;
        descriptor = import->fd;
        added.is_imported = true;
    }
    if (!added.is_imported && added.device && added.size > added.device->machine->memory / 2)
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if (is_out_of_memory(added.is_imported ? NULL : added.device, added.size))
        return added.device ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
                            : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    const ze_result_t result =
        map(&added, alignment < LEAST_ALIGNMENT ? LEAST_ALIGNMENT : alignment, descriptor);
    if (result != ZE_RESULT_SUCCESS)
        return result;
    if (added.device && !added.is_imported)
        added.device->memory_used += added.size;
    *memory = (void *)(uintptr_t)insert(&added)->address;
    return ZE_RESULT_SUCCESS;
}

static void give_back(Allocation *allocation)
{
    const size_t at = (size_t)(allocation - table);
    if (driver_is_overrun(allocation))
        machine_complain("something was written beside %zu bytes that are given back",
                         allocation->size);
    make_inaccessible(allocation->pages, allocation->pages_size);
    if (allocation->device && !allocation->is_imported)
        allocation->device->memory_used -= allocation->size;
    memmove(allocation, allocation + 1, (n_table - at - 1) * sizeof(*table));
    n_table--;
}

void driver_drop_memory(void)
{
    while (n_table > 0)
        give_back(&table[n_table - 1]);
}

/* -- calls -- */

static ze_result_t allocate_device(ze_context_handle_t context, ze_device_handle_t device,
                                   const ze_device_mem_alloc_desc_t *desc, size_t size,
                                   size_t alignment, void **memory, ze_memory_type_t type)
{
    ze_result_t result;
    Allocation added = {.type = type, .size = size};
    added.context = driver_find(context, OBJECT_CONTEXT, &result);
    if (!added.context)
        return result;
    if (device || type == ZE_MEMORY_TYPE_DEVICE) {
        added.device = driver_find(device, OBJECT_DEVICE, &result);
        if (!added.device)
            return result;
    }
    if (!desc)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->ordinal != 0)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return allocate(added, alignment, desc->pNext, memory);
}

ze_result_t emulated_zeMemAllocDevice(ze_context_handle_t context,
                                      const ze_device_mem_alloc_desc_t *desc, size_t size,
                                      size_t alignment, ze_device_handle_t device, void **memory)
{
    DRIVER_CALL(
        allocate_device(context, device, desc, size, alignment, memory, ZE_MEMORY_TYPE_DEVICE));
}

ze_result_t emulated_zeMemAllocShared(ze_context_handle_t context,
                                      const ze_device_mem_alloc_desc_t *desc,
                                      const ze_host_mem_alloc_desc_t *host, size_t size,
                                      size_t alignment, ze_device_handle_t device, void **memory)
{
    DRIVER_CALL(host ? allocate_device(context, device, desc, size, alignment, memory,
                                       ZE_MEMORY_TYPE_SHARED)
                     : ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

static ze_result_t allocate_host(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc,
                                 size_t size, size_t alignment, void **memory)
{
    ze_result_t result;
    Allocation added = {.type = ZE_MEMORY_TYPE_HOST, .size = size};
    added.context = driver_find(context, OBJECT_CONTEXT, &result);
    if (!added.context)
        return result;
    if (!desc)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return allocate(added, alignment, desc->pNext, memory);
}

ze_result_t emulated_zeMemAllocHost(ze_context_handle_t context,
                                    const ze_host_mem_alloc_desc_t *desc, size_t size,
                                    size_t alignment, void **memory)
{
    DRIVER_CALL(allocate_host(context, desc, size, alignment, memory));
}

static ze_result_t give_back_memory(ze_context_handle_t handle, void *memory)
{
    ze_result_t result;
    Context *context = driver_find_lost(handle, OBJECT_CONTEXT, &result);
    if (!context)
        return result;
    Allocation *found = find((uintptr_t)memory);
    if (!found || found->address != (uintptr_t)memory || found->context != context) {
        machine_complain("memory is given back that is none of the context's allocations");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (emulated_machine.free_waits)
        driver_finish_context(context);
    found = find((uintptr_t)memory);
    if (found)
        give_back(found);
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeMemFree(ze_context_handle_t handle, void *memory)
{
    DRIVER_CALL(give_back_memory(handle, memory));
}

static ze_result_t get_properties(ze_context_handle_t handle, const void *memory,
                                  ze_memory_allocation_properties_t *properties,
                                  ze_device_handle_t *device)
{
    ze_result_t result;
    const Context *context = driver_find(handle, OBJECT_CONTEXT, &result);
    if (!context)
        return result;
    if (!properties)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const Allocation *found = find((uintptr_t)memory);
    if (found && found->context != context)
        found = NULL;
    properties->type = found ? found->type : ZE_MEMORY_TYPE_UNKNOWN;
    properties->id = found ? found->id : 0;
    properties->pageSize = found ? (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    if (device)
        *device = found ? (ze_device_handle_t)found->device : NULL;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeMemGetAllocProperties(ze_context_handle_t handle, const void *memory,
                                             ze_memory_allocation_properties_t *properties,
                                             ze_device_handle_t *device)
{
    DRIVER_CALL(get_properties(handle, memory, properties, device));
}

static ze_result_t get_range(ze_context_handle_t handle, const void *memory, void **base,
                             size_t *size)
{
    ze_result_t result;
    const Context *context = driver_find(handle, OBJECT_CONTEXT, &result);
    if (!context)
        return result;
    const Allocation *found = find((uintptr_t)memory);
    if (!found || found->context != context)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (base)
        *base = (void *)(uintptr_t)found->address;
    if (size)
        *size = found->size;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeMemGetAddressRange(ze_context_handle_t handle, const void *memory,
                                          void **base, size_t *size)
{
    DRIVER_CALL(get_range(handle, memory, base, size));
}
