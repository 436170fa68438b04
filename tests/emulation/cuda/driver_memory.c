/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver_stream.h"

enum { NEW = 0xdb, GAP = 65536, QUARANTINE = 256, DEVICE_UNIT = 512 };

static Allocation *table; /* in the order of addresses */
static size_t n_table, capacity;
static uint64_t range_begin, range_size, range_next;

/* Host memory that was given back: nobody can access it for a while. */
static struct {
    void *memory;
    size_t size;
} quarantine[QUARANTINE];
static unsigned next_quarantined;

/* -- the table -- */

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

static Allocation *find(uint64_t address)
{
    const size_t i = search(address);
    return i < n_table && table[i].address <= address ? &table[i] : NULL;
}

const Allocation *driver_find_memory(uint64_t address)
{
    return find(address);
}

bool driver_is_device_range(uint64_t address)
{
    return range_size && address - range_begin < range_size;
}

static Allocation *insert(uint64_t address, size_t size)
{
    const size_t at = search(address);
    if (n_table == capacity) {
        capacity = capacity ? 2 * capacity : 64;
        table = realloc(table, capacity * sizeof(*table));
    }
    memmove(&table[at + 1], &table[at], (n_table - at) * sizeof(*table));
    n_table++;
    table[at] = (Allocation){.address = address, .size = size, .id = ++driver.serial};
    return &table[at];
}

/* Takes it out of the table; what it names is still there. */
static Allocation take_out(Allocation *allocation)
{
    const Allocation taken = *allocation;
    const size_t at = (size_t)(allocation - table);
    memmove(allocation, allocation + 1, (n_table - at - 1) * sizeof(*table));
    n_table--;
    return taken;
}

bool driver_measure(const char *what, uint64_t *value)
{
    if (strcmp(what, "memory") != 0)
        return false;
    *value = n_table;
    return true;
}

const Allocation *driver_memory(size_t *count)
{
    *count = n_table;
    return table;
}

bool driver_can_access(CudaContext context, const Allocation *allocation)
{
    return allocation->kind != ALLOCATION_DEVICE || allocation->context == context;
}

/* -- memory itself -- */

static bool reserve_range(void)
{
#ifdef __SANITIZE_THREAD__
    const unsigned most = 36; /* there is not as much room */
#else
    const unsigned most = 42;
#endif
    for (unsigned bits = most; bits >= 32 && !range_size; bits--) {
        void *range = mmap(NULL, (size_t)1 << bits, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range != MAP_FAILED) {
            range_begin = (uintptr_t)range;
            range_size = UINT64_C(1) << bits;
            range_next = range_begin;
        }
    }
    return range_size != 0;
}

/* Room behind everything that was allocated; at the end, from the beginning again. */
static bool find_room(size_t bytes, uint64_t *address)
{
    if (!range_size && !reserve_range())
        return false;
    for (unsigned round = 0; round < 2; round++) {
        uint64_t at = range_next;
        while (at - range_begin + bytes + GAP <= range_size) {
            const size_t i = search(at);
            if (i == n_table || table[i].address >= at + bytes + GAP) {
                *address = at;
                range_next = (at + bytes + 2 * GAP - 1) / GAP * GAP;
                return true;
            }
            at = (table[i].address + table[i].size + 2 * GAP - 1) / GAP * GAP;
        }
        range_next = range_begin;
    }
    return false;
}

static size_t in_units(size_t bytes)
{
    return (bytes + DEVICE_UNIT - 1) / DEVICE_UNIT * DEVICE_UNIT;
}

static bool is_out_of_memory(const Device *device, size_t bytes)
{
    const Machine *machine = &emulated_machine;
    const uint64_t used = device ? device->memory_used : 0;
    if (machine_denies_memory())
        return true;
    if (!device)
        return false;
    if (bytes > device->machine->memory) /* which is not rounded yet: it may be anything */
        return true;
    const uint64_t all = used + in_units(bytes);
    return all > device->machine->memory || (machine->memory_limit && all > machine->memory_limit);
}

CudaResult driver_allocate(CudaContext context, uint64_t *address, size_t bytes)
{
    machine_note(" bytes=%zu", bytes);
    if (!address || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (is_out_of_memory(context->device, bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    unsigned char *storage = malloc(bytes);
    if (!storage || !find_room(bytes, address)) {
        free(storage);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memset(storage, NEW, bytes);
    Allocation *added = insert(*address, bytes);
    added->storage = storage;
    added->kind = ALLOCATION_DEVICE;
    added->context = context;
    context->device->memory_used += in_units(bytes);
    return CUDA_SUCCESS;
}

static CudaResult map_host(CudaContext context, void **memory, size_t bytes, unsigned flags,
                           enum AllocationKind kind)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    machine_note(" bytes=%zu", bytes);
    if (!memory || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (is_out_of_memory(kind == ALLOCATION_MANAGED ? context->device : NULL, bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    void *mapped = mmap(NULL, (bytes + page - 1) / page * page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memset(mapped, NEW, bytes);
    Allocation *added = insert((uintptr_t)mapped, bytes);
    added->storage = mapped;
    added->kind = kind;
    added->flags = flags;
    added->context = context;
    if (kind == ALLOCATION_MANAGED)
        context->device->memory_used += in_units(bytes);
    *memory = mapped;
    return CUDA_SUCCESS;
}

/* Nobody can access it any more, and for a while nobody else gets the addresses. */
static void unmap_host(void *memory, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t size = (bytes + page - 1) / page * page;
    mmap(memory, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (quarantine[next_quarantined].memory)
        munmap(quarantine[next_quarantined].memory, quarantine[next_quarantined].size);
    quarantine[next_quarantined].memory = memory;
    quarantine[next_quarantined].size = size;
    next_quarantined = (next_quarantined + 1) % QUARANTINE;
}

static void give_back(Allocation *allocation)
{
    const Allocation taken = take_out(allocation);
    if (taken.kind == ALLOCATION_DEVICE)
        free(taken.storage);
    else if (taken.kind != ALLOCATION_REGISTERED)
        unmap_host(taken.storage, taken.size);
    if (taken.kind == ALLOCATION_DEVICE || taken.kind == ALLOCATION_MANAGED)
        taken.context->device->memory_used -= in_units(taken.size);
}

void driver_drop_memory(CudaContext context)
{
    for (size_t i = n_table; i-- > 0;) {
        if (table[i].context == context)
            give_back(&table[i]);
    }
}

/* One that begins at the address. */
static Allocation *find_whole(uint64_t address)
{
    Allocation *found = find(address);
    return found && found->address == address ? found : NULL;
}

CudaResult driver_free(uint64_t address)
{
    Allocation *found = find_whole(address);
    if (!found || (found->kind != ALLOCATION_DEVICE && found->kind != ALLOCATION_MANAGED))
        return CUDA_ERROR_INVALID_VALUE;
    if (emulated_machine.free_waits) {
        const CudaResult result = driver_finish_context(found->context);
        if (result != CUDA_SUCCESS)
            return result;
        found = find_whole(address);
    }
    if (found)
        give_back(found);
    return CUDA_SUCCESS;
}

static CudaResult free_host(void *memory, enum AllocationKind kind, CudaResult unknown)
{
    Allocation *found = find_whole((uintptr_t)memory);
    if (!found || found->kind != kind)
        return unknown;
    give_back(found);
    return CUDA_SUCCESS;
}

/* -- calls -- */

CudaResult cuMemAlloc_v2(CudaAddress *address, size_t bytes)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, driver_allocate(context, address, bytes));
}

static CudaResult allocate_pitch(CudaContext context, CudaAddress *address, size_t *pitch,
                                 size_t width, size_t height, unsigned element_size)
{
    if (!pitch || width == 0 || height == 0 ||
        (element_size != 4 && element_size != 8 && element_size != 16))
        return CUDA_ERROR_INVALID_VALUE;
    *pitch = in_units(width);
    if (height > SIZE_MAX / 2 / *pitch)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return driver_allocate(context, address, *pitch * height);
}

CudaResult cuMemAllocPitch_v2(CudaAddress *address, size_t *pitch, size_t width, size_t height,
                              unsigned element_size)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT,
                allocate_pitch(context, address, pitch, width, height, element_size));
}

static CudaResult allocate_managed(CudaContext context, CudaAddress *address, size_t bytes,
                                   unsigned flags)
{
    void *memory = NULL;
    if (flags != 1 && flags != 2)
        return CUDA_ERROR_INVALID_VALUE;
    const CudaResult result =
        map_host(context, address ? &memory : NULL, bytes, flags, ALLOCATION_MANAGED);
    if (result == CUDA_SUCCESS)
        *address = (uintptr_t)memory;
    return result;
}

CudaResult cuMemAllocManaged(CudaAddress *address, size_t bytes, unsigned flags)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, allocate_managed(context, address, bytes, flags));
}

CudaResult cuMemFree_v2(CudaAddress address)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, driver_free(address));
}

CudaResult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT,
                flags > 7 ? CUDA_ERROR_INVALID_VALUE
                          : map_host(context, memory, bytes, flags, ALLOCATION_HOST));
}

CudaResult cuMemAllocHost_v2(void **memory, size_t bytes)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, map_host(context, memory, bytes, 0, ALLOCATION_HOST));
}

CudaResult cuMemFreeHost(void *memory)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, free_host(memory, ALLOCATION_HOST, CUDA_ERROR_INVALID_VALUE));
}

static CudaResult register_host(CudaContext context, void *memory, size_t bytes, unsigned flags)
{
    const uint64_t address = (uintptr_t)memory;
    machine_note(" bytes=%zu", bytes);
    if (!memory || bytes == 0 || flags > 15 || address + bytes < address ||
        driver_is_device_range(address))
        return CUDA_ERROR_INVALID_VALUE;
    const size_t next = search(address);
    if (next < n_table && table[next].address < address + bytes)
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (is_out_of_memory(NULL, bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    Allocation *added = insert(address, bytes);
    added->storage = memory;
    added->kind = ALLOCATION_REGISTERED;
    added->flags = flags;
    added->context = context;
    return CUDA_SUCCESS;
}

CudaResult cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, register_host(context, memory, bytes, flags));
}

CudaResult cuMemHostUnregister(void *memory)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT,
                free_host(memory, ALLOCATION_REGISTERED, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED));
}

static bool is_host(const Allocation *allocation)
{
    return allocation &&
           (allocation->kind == ALLOCATION_HOST || allocation->kind == ALLOCATION_REGISTERED);
}

static CudaResult get_device_pointer(CudaAddress *address, void *memory, unsigned flags)
{
    if (!address || flags != 0 || !is_host(find((uintptr_t)memory)))
        return CUDA_ERROR_INVALID_VALUE;
    *address = (uintptr_t)memory;
    return CUDA_SUCCESS;
}

CudaResult cuMemHostGetDevicePointer_v2(CudaAddress *address, void *memory, unsigned flags)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_device_pointer(address, memory, flags));
}

static CudaResult get_flags(unsigned *flags, void *memory)
{
    const Allocation *found = find((uintptr_t)memory);
    if (!flags || !is_host(found))
        return CUDA_ERROR_INVALID_VALUE;
    *flags = found->flags;
    return CUDA_SUCCESS;
}

CudaResult cuMemHostGetFlags(unsigned *flags, void *memory)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_flags(flags, memory));
}

static CudaResult get_info(const Device *device, size_t *available, size_t *total)
{
    if (!available || !total)
        return CUDA_ERROR_INVALID_VALUE;
    *total = device->machine->memory;
    *available = *total > device->memory_used ? *total - device->memory_used : 0;
    return CUDA_SUCCESS;
}

CudaResult cuMemGetInfo_v2(size_t *available, size_t *total)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_info(context->device, available, total));
}

static CudaResult get_range(CudaAddress *base, size_t *size, CudaAddress address)
{
    const Allocation *found = find(address);
    if (!found)
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = found->address;
    if (size)
        *size = found->size;
    return CUDA_SUCCESS;
}

CudaResult cuMemGetAddressRange_v2(CudaAddress *base, size_t *size, CudaAddress address)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_range(base, size, address));
}

static CudaResult get_pointer_attribute(void *value, int attribute, CudaAddress address)
{
    const Allocation *found = find(address);
    const uint64_t pointer = address;
    if (!value || !found)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case 1: /* context */
        memcpy(value, &found->context, sizeof(found->context));
        return CUDA_SUCCESS;
    case 2: /* type of memory */
        *(unsigned *)value = is_host(found) ? CUDA_MEMORY_HOST : CUDA_MEMORY_DEVICE;
        return CUDA_SUCCESS;
    case 3: /* device pointer */
        memcpy(value, &pointer, sizeof(pointer));
        return CUDA_SUCCESS;
    case 4: /* host pointer */
        if (found->kind == ALLOCATION_DEVICE)
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(value, &pointer, sizeof(pointer));
        return CUDA_SUCCESS;
    case 7: /* id */
        memcpy(value, &found->id, sizeof(found->id));
        return CUDA_SUCCESS;
    case 8: /* managed */
        *(unsigned *)value = found->kind == ALLOCATION_MANAGED;
        return CUDA_SUCCESS;
    case 9: /* device */
        *(int *)value = found->context->device->ordinal;
        return CUDA_SUCCESS;
    case 11: /* where it begins */
        memcpy(value, &found->address, sizeof(found->address));
        return CUDA_SUCCESS;
    case 12: /* its size */
        memcpy(value, &found->size, sizeof(found->size));
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CudaResult cuPointerGetAttribute(void *value, int attribute, CudaAddress address)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, get_pointer_attribute(value, attribute, address));
}
