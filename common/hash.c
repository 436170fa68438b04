/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void expand(const uint8_t *block, uint32_t w[64])
{
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        const uint32_t s0 = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3;
        const uint32_t s1 = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void add_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64], v[8];
    expand(block, w);
    memcpy(v, state, sizeof(v));
    for (int i = 0; i < 64; i++) {
        const uint32_t a = v[0], e = v[4];
        const uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        const uint32_t choice = (e & v[5]) ^ (~e & v[6]);
        const uint32_t t1 = v[7] + s1 + choice + round_constants[i] + w[i];
        const uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        const uint32_t majority = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof(*v));
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

void sha256_start(Sha256 *hash)
{
    *hash = (Sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                               0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(Sha256 *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    while (size) {
        const size_t used = hash->size % sizeof(hash->block), room = sizeof(hash->block) - used;
        const size_t n = size < room ? size : room;
        memcpy(hash->block + used, bytes, n);
        hash->size += n;
        bytes += n;
        size -= n;
        if (n == room)
            add_block(hash->state, hash->block);
    }
}

void sha256_text(Sha256 *hash, char text[SHA256_TEXT_SIZE])
{
    static const uint8_t padding[64] = {0x80};
    static const char digits[] = "0123456789abcdef";
    const uint64_t bits = hash->size * 8;
    const size_t used = hash->size % 64;
    sha256_add(hash, padding, used < 56 ? 56 - used : 120 - used);
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_add(hash, length, sizeof(length));
    for (int i = 0; i < 64; i++)
        text[i] = digits[hash->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    text[64] = 0;
}

int file_sha256(const char *path, char text[SHA256_TEXT_SIZE])
{
    enum { PIECE = 1 << 20 };
    VmafFile file = VMAF_FILE_NONE;
    Sha256 hash;
    unsigned char *piece = malloc(PIECE);
    int err = piece ? vmaf_file_open(&file, path) : -ENOMEM;
    int64_t position = 0;
    size_t got = 1;
    sha256_start(&hash);
    while (!err && got) {
        err = vmaf_file_read_at(&file, piece, PIECE, position, &got);
        if (!err)
            sha256_add(&hash, piece, got);
        position += (int64_t)got;
    }
    vmaf_file_close(&file);
    free(piece);
    if (!err)
        sha256_text(&hash, text);
    return err;
}
