/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_FIXTURE_H
#define TESTS_EMULATION_METAL_FIXTURE_H

#include <string.h>

#include "control.h"
#include "machine_fixture.h"
#include "metal_api.h"

/* What the tests of the emulated Metal share: messages as the backend sends them, and helpers. */

typedef MetalObject Id;
typedef MetalUInteger NSUInteger;
typedef MetalInteger NSInteger;
typedef MetalSize Size3;

void CFRelease(const void *reference);

/* Messages that the backend does not send. */
ASK_0(Id, new, "new")
ASK_0(Id, autorelease, "autorelease")
ASK_0(Id, unknown, "thereIsNoSuchSelector")
ASK_0(Id, domain, "domain")
SEND_0(wait_until_completed, "waitUntilCompleted")

static inline Id new_queue(Id device)
{
    return metal_new_queue(device, 64);
}

static inline Id compute_encoder(Id commands)
{
    return metal_compute_encoder(commands, 0);
}

/* From any sample on. */
static inline void copy_texture(Id encoder, Id texture, MetalOrigin origin, Size3 size, Id dst,
                                NSUInteger offset, NSUInteger stride)
{
    metal_send_copy_texture(
        encoder,
        sel_registerName("copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:"
                         "destinationOffset:destinationBytesPerRow:destinationBytesPerImage:"),
        texture, 0, 0, origin, size, dst, offset, stride, stride * size.height);
}

enum {
    SHARED = 0,
    PRIVATE = 2 << 4,
    UNTRACKED = 1 << 8,
    SERIAL = 0,
    CONCURRENT = 1,
    COMMITTED = 2,
    SCHEDULED = 3,
    COMPLETED = 4,
    FAILED = 5,
};

/* -- machines; each test has one of its own, a pool, its default device and a queue on it -- */

extern Id fixture_device, fixture_queue;

/* -- kernels of the tests of kernels; all as text of this fixture -- */

/* Releases what it makes on the way. */
Id fixture_pipeline(const char *kernel);
Id fixture_options(void);
extern const char fixture_text[];
Id fixture_string(const char *text);

/* A buffer of 32-bit words, which are first, first + 1 and so on. */
Id fixture_words(NSUInteger count, uint32_t first);
uint32_t *words_of(Id buffer);

/* "reads_outside": dst[i] = src[i + distance] for the first 8 * groups words. */
void encode_shift(Id encoder, Id src, Id dst, int32_t distance, NSUInteger groups);
/* The same in an encoder of its own. */
void commit_shift(Id commands, Id src, Id dst, int32_t distance, NSUInteger groups);
extern Id fixture_shift;

#endif
