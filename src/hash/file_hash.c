/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "hash/file_hash.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/file.h"

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
