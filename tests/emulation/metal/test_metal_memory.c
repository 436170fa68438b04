/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Buffers, surfaces, textures. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "support/cases.h"

enum { NEW = 0xdb };

/* Copies a buffer to a new shared one. */
static Id copy_of(Id buffer, NSUInteger length)
{
    const Id copied = metal_new_buffer(fixture_device, length, SHARED);
    const Id commands = metal_command_buffer(fixture_queue);
    const Id encoder = metal_blit_encoder(commands);
    metal_copy(encoder, buffer, 0, copied, 0, length);
    metal_end_encoding(encoder);
    metal_commit(commands);
    metal_wait_until_completed(commands);
    assert_int_equal(metal_status(commands), COMPLETED);
    return copied;
}

/* -- buffers -- */

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(given_a_new_buffer_when_read_then_it_is_poisoned)
{
    const Id shared = metal_new_buffer(fixture_device, 64, SHARED);
    const Id hidden = metal_new_buffer(fixture_device, 64, PRIVATE);
    const Id copied = copy_of(hidden, 64);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(((unsigned char *)metal_contents(shared))[i], NEW);
        assert_int_equal(((unsigned char *)metal_contents(copied))[i], NEW);
    }
    assert_null(metal_contents(hidden));
    metal_release(shared);
    metal_release(hidden);
    metal_release(copied);
}

TEST(given_a_shared_buffer_when_freed_then_its_memory_cannot_be_accessed)
{
    const Id buffer = metal_new_buffer(fixture_device, 5000, SHARED);
    unsigned char *memory = metal_contents(buffer);
    memory[4999] = 1;
    metal_release(buffer);
    assert_crashes(read_byte(memory));
    assert_crashes(write_byte(memory + 4999));
}

TEST(given_wrong_options_when_a_buffer_is_made_then_the_program_ends)
{
    assert_aborts("a buffer of 0 bytes", metal_new_buffer(fixture_device, 0, SHARED));
    assert_aborts("storage mode 1", metal_new_buffer(fixture_device, 16, 1 << 4));
    assert_aborts("storage mode 3", metal_new_buffer(fixture_device, 16, 3 << 4));
    assert_aborts("unknown options", metal_new_buffer(fixture_device, 16, 1 << 12));
}

TEST(given_more_than_fits_when_buffers_are_made_then_there_are_none)
{
    fixture_tear_down(NULL);
    fixture_start("memory 64M; max-buffer 24M", NULL);
    assert_int_equal(metal_max_buffer_length(fixture_device), 24 << 20);
    assert_null(metal_new_buffer(fixture_device, (24 << 20) + 1, PRIVATE));
    Id buffers[3];
    buffers[0] = metal_new_buffer(fixture_device, 24 << 20, PRIVATE);
    buffers[1] = metal_new_buffer(fixture_device, 24 << 20, SHARED);
    assert_non_null(buffers[1]);
    assert_null(metal_new_buffer(fixture_device, 24 << 20, PRIVATE));
    metal_release(buffers[0]);
    assert_int_equal(emulated_metal_count("memory"), 24 << 20);
    buffers[2] = metal_new_buffer(fixture_device, 24 << 20, PRIVATE);
    assert_non_null(buffers[2]);
    metal_release(buffers[1]);
    metal_release(buffers[2]);
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
