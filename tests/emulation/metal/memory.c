/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Buffers, surfaces, and textures that are planes of them. */
#include "metal.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control.h"

/* -- buffers -- */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t in_pages(size_t size)
{
    return (size + page_size() - 1) / page_size() * page_size();
}

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
    if (buffer->address)
        guarded_free(guarded_find_whole(buffer->address));
    object_unuse(buffer->device);
    if (deallocator) {
        MachineCall call;
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
    check_options(length, options);
    const bool is_private = (options >> 4 & 15) == STORAGE_PRIVATE;
    const Memory wanted = {.kind = is_private ? MEMORY_DEVICE : MEMORY_SHARED,
                           .size = length,
                           .device = device->state,
                           .charge = in_pages(length)};
    const Memory *added = NULL;
    if (length <= device_max_buffer(device) && device_has_memory(device, wanted.charge))
        added = guarded_allocate(&wanted, page_size(), -1);
    if (!added) {
        machine_note(" bytes=%lu = nil", length);
        return NULL;
    }
    Buffer *buffer = create(device, length, options);
    buffer->address = added->address;
    buffer->bytes = added->storage;
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

MESSAGE(void *, buffer_contents, (SELF), contents((Buffer *)self))
MESSAGE(Object *, buffer_device, (SELF), object_lend(((Buffer *)self)->device))

const Class buffer_class = {
    .head = CLASS_HEAD,
    .name = "MTLBuffer",
    .size = sizeof(Buffer),
    .destroy = destroy_buffer,
    .methods = (const Method[]){METHOD("contents", buffer_contents),
                                METHOD("device", buffer_device), METHODS_END},
};

/* -- surfaces -- */

enum { ROW_ALIGNMENT = 64, LOCK_READ_ONLY = 1, LOCK_FAILED = -1 };

/* Only who has locked it may access it, and write to it only who did not lock it for reading. */
void surface_close(const Surface *surface)
{
    guarded_protect(guarded_find_whole(surface->address), surface->writers ? PROT_READ | PROT_WRITE
                                                          : surface->readers ? PROT_READ
                                                                             : PROT_NONE);
}

unsigned char *surface_open(const Surface *surface)
{
    const Memory *memory = guarded_find_whole(surface->address);
    guarded_protect(memory, PROT_READ | PROT_WRITE);
    return memory->storage;
}

static void destroy_surface(Object *object)
{
    const Surface *surface = (const Surface *)object;
    if (!surface->address)
        return;
    surface_open(surface);
    guarded_free(guarded_find_whole(surface->address));
}

const Class surface_class = {
    .head = CLASS_HEAD,
    .name = "IOSurface",
    .size = sizeof(Surface),
    .destroy = destroy_surface,
    .methods = (const Method[]){METHODS_END},
};

static Object *create_surface(const EmulatedMetalSurface *description)
{
    const unsigned n = description->n_planes ? description->n_planes : 1;
    Surface *surface = object_create(&surface_class);
    surface->format = description->pixel_format;
    surface->n_planes = description->n_planes;
    for (unsigned i = 0; i < n && i < MAX_PLANES; i++) {
        SurfacePlane *plane = &surface->planes[i];
        *plane = (SurfacePlane){.width = description->planes[i].width,
                                .height = description->planes[i].height,
                                .element_size = description->planes[i].element_size,
                                .offset = surface->size};
        const size_t row = plane->width * plane->element_size;
        plane->stride = (row + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
        surface->size += plane->stride * plane->height;
    }
    const Memory wanted = {.kind = MEMORY_HOST, .size = surface->size};
    const Memory *added = guarded_allocate(&wanted, ROW_ALIGNMENT, -1);
    if (!added) {
        object_release(&surface->head);
        return NULL;
    }
    surface->address = added->address;
    surface_close(surface);
    machine_note(" = %s", object_words(&surface->head));
    return &surface->head;
}

void *emulated_metal_create_surface(const EmulatedMetalSurface *description)
{
    machine_begin(__func__);
    Object *surface = create_surface(description);
    machine_end(__func__, 0);
    return surface;
}

static SurfacePlane plane_of(const Surface *surface, size_t plane)
{
    const size_t n = surface->n_planes ? surface->n_planes : 1;
    return plane < n ? surface->planes[plane] : (SurfacePlane){0};
}

static int lock_surface(Surface *surface, uint32_t options, int change, const uint32_t *seed)
{
    (void)seed;
    unsigned *locks = options & LOCK_READ_ONLY ? &surface->readers : &surface->writers;
    if (change < 0 && *locks == 0)
        metal_abort("%s is unlocked, but was not locked so", object_words(&surface->head));
    *locks += (unsigned)change;
    surface_close(surface);
    return 0;
}

/* A function about a surface, with what it returns: 0 of planes that are not there. */
#define SURFACE_FUNCTION(type, name, parameters, expression)                                       \
    __attribute__((visibility("default"))) type name parameters;                                   \
    type name parameters                                                                           \
    {                                                                                              \
        machine_begin(__func__);                                                                   \
        Surface *surface = object_check(reference, &surface_class, __func__);                      \
        machine_note(" %s", object_words(&surface->head));                                         \
        type answer = (expression);                                                                \
        machine_end(__func__, 0);                                                                  \
        return answer;                                                                             \
    }
SURFACE_FUNCTION(size_t, IOSurfaceGetPlaneCount, (const void *reference), surface->n_planes)
SURFACE_FUNCTION(uint32_t, IOSurfaceGetPixelFormat, (const void *reference), surface->format)
SURFACE_FUNCTION(size_t, IOSurfaceGetWidthOfPlane, (const void *reference, size_t plane),
                 plane_of(surface, plane).width)
SURFACE_FUNCTION(size_t, IOSurfaceGetHeightOfPlane, (const void *reference, size_t plane),
                 plane_of(surface, plane).height)
SURFACE_FUNCTION(size_t, IOSurfaceGetBytesPerElementOfPlane, (const void *reference, size_t plane),
                 plane_of(surface, plane).element_size)
SURFACE_FUNCTION(size_t, IOSurfaceGetBytesPerRowOfPlane, (const void *reference, size_t plane),
                 plane_of(surface, plane).stride)
SURFACE_FUNCTION(void *, IOSurfaceGetBaseAddressOfPlane, (const void *reference, size_t plane),
                 (unsigned char *)(uintptr_t)surface->address + plane_of(surface, plane).offset)
SURFACE_FUNCTION(int, IOSurfaceLock, (const void *reference, uint32_t options, uint32_t *seed),
                 lock_surface(surface, options, 1, seed))
SURFACE_FUNCTION(int, IOSurfaceUnlock, (const void *reference, uint32_t options, uint32_t *seed),
                 lock_surface(surface, options, -1, seed))

/* -- textures -- */

size_t texture_element_size(NSUInteger format)
{
    static const struct {
        NSUInteger format;
        size_t size;
    } formats[] = {{10, 1}, {13, 1}, {20, 2}, {23, 2}, {30, 2}, {33, 2}, {60, 4}, {63, 4}};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (formats[i].format == format)
            return formats[i].size;
    }
    return 0;
}

static Object *describe(NSUInteger format, NSUInteger width, NSUInteger height, bool mipmapped)
{
    if (texture_element_size(format) == 0 || width == 0 || height == 0 || mipmapped)
        metal_abort("a texture of format %lu, %lu x %lu%s, which is not emulated", format, width,
                    height, mipmapped ? ", with mipmaps" : "");
    TextureDescriptor *descriptor = object_create_autoreleased(&texture_descriptor_class);
    descriptor->format = format;
    descriptor->width = width;
    descriptor->height = height;
    return &descriptor->head;
}

MESSAGE(Object *, descriptor_2d,
        (SELF, NSUInteger format, NSUInteger width, NSUInteger height, bool mipmapped),
        describe(format, width, height, mipmapped))

const Class texture_descriptor_class = {
    .head = CLASS_HEAD,
    .name = "MTLTextureDescriptor",
    .size = sizeof(TextureDescriptor),
    .class_methods =
        (const Method[]){
            METHOD("texture2DDescriptorWithPixelFormat:width:height:mipmapped:", descriptor_2d),
            METHODS_END},
    .methods = (const Method[]){METHODS_END},
};

static void destroy_texture(Object *object)
{
    Texture *texture = (Texture *)object;
    object_unuse(texture->surface);
    object_unuse(texture->device);
}

Object *texture_create(Device *device, const Object *described, Object *of, NSUInteger index)
{
    const char *message = "newTextureWithDescriptor:iosurface:plane:";
    const TextureDescriptor *descriptor =
        object_check(described, &texture_descriptor_class, message);
    Surface *surface = object_check(of, &surface_class, message);
    const SurfacePlane plane = plane_of(surface, index);
    if (descriptor->width > plane.width || descriptor->height > plane.height ||
        texture_element_size(descriptor->format) != plane.element_size)
        metal_abort("%s: %lu x %lu samples of %zu bytes do not fit plane %lu of %s", message,
                    descriptor->width, descriptor->height, texture_element_size(descriptor->format),
                    index, object_words(of));
    if (!device_has_memory(device, 0))
        return NULL;
    Texture *texture = object_create(&texture_class);
    texture->device = object_use(device);
    texture->surface = object_use(surface);
    texture->plane = &surface->planes[index];
    texture->format = descriptor->format;
    texture->width = descriptor->width;
    texture->height = descriptor->height;
    machine_note(" = %s", object_words(&texture->head));
    return &texture->head;
}

MESSAGE(Object *, texture_device, (SELF), object_lend(((Texture *)self)->device))
MESSAGE(NSUInteger, texture_width, (SELF), ((Texture *)self)->width)
MESSAGE(NSUInteger, texture_height, (SELF), ((Texture *)self)->height)
MESSAGE(NSUInteger, texture_format, (SELF), ((Texture *)self)->format)

static NSUInteger texture_type(Object *self, const Selector *message)
{
    enum { TYPE_2D = 2 };
    ANSWER(NSUInteger, 0, TYPE_2D);
}

const Class texture_class = {
    .head = CLASS_HEAD,
    .name = "MTLTexture",
    .size = sizeof(Texture),
    .destroy = destroy_texture,
    .methods =
        (const Method[]){METHOD("device", texture_device), METHOD("width", texture_width),
                         METHOD("height", texture_height), METHOD("pixelFormat", texture_format),
                         METHOD("textureType", texture_type), METHODS_END},
};
