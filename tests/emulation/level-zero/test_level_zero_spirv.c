/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What is read off SPIR-V. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "spirv.h"
#include "support/cases.h"

static Spirv *read_spirv(const char *path)
{
    char error[256] = "";
    size_t size;
    uint8_t *code = fixture_read_file(path, &size);
    Spirv *spirv = spirv_read(code, size, error);
    assert_string_equal(error, "");
    free(code);
    return spirv;
}

static const SpirvKernel *find(const Spirv *spirv, const char *name)
{
    for (size_t i = 0; i < spirv->n_kernels; i++) {
        if (strcmp(spirv->kernels[i].name, name) == 0)
            return &spirv->kernels[i];
    }
    fail_msg("there is no kernel %s", name);
    return NULL;
}

CASE(arguments_have_kinds_and_sizes)
{
    static const size_t sizes[] = {8, 4, 8, 1, 16};
    Spirv *spirv = read_spirv(KERNELS "/kernels.spv");
    const SpirvKernel *places = find(spirv, "places"), *fill = find(spirv, "fill");
    assert_int_equal(spirv->n_kernels, 3);
    assert_int_equal(places->n_arguments, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(places->arguments[i].size, sizes[i]);
        assert_int_equal(places->arguments[i].kind, i == 0 ? SPIRV_POINTER : SPIRV_VALUE);
        assert_true(places->arguments[i].offset + sizes[i] <= places->values_size);
    }
    assert_int_equal(places->group_size[0], 0);
    assert_int_equal(fill->arguments[1].kind, SPIRV_VALUE); /* a structure */
    assert_int_equal(fill->arguments[1].size, 8);
    assert_int_equal(fill->group_size[0], 64);
    spirv_free(spirv);
}

CASE(what_kernels_need_is_known)
{
    Spirv *plain = read_spirv(KERNELS "/kernels.spv"),
          *fp64 = read_spirv(KERNELS "/kernels_fp64.spv");
    assert_false(plain->uses_fp64);
    assert_true(fp64->uses_fp64);
    assert_int_equal(plain->version >> 16, 1);
    assert_true(spirv_stop_unrolling(plain) > 0);
    assert_int_equal(spirv_stop_unrolling(fp64), 0);
    spirv_free(plain);
    spirv_free(fp64);
}

/* Wherever it ends, nothing beyond is read (sanitizers see it). */
CASE(code_may_end_anywhere)
{
    size_t size;
    uint8_t *code = fixture_read_file(KERNELS "/kernels.spv", &size);
    for (size_t length = 0; length < size; length += length < 256 ? 1 : 52) {
        char error[256] = "";
        uint8_t *cut = malloc(length + 1);
        memcpy(cut, code, length);
        Spirv *spirv = spirv_read(cut, length, error);
        assert_true(spirv != NULL || *error);
        if (spirv)
            spirv_free(spirv);
        free(cut);
    }
    free(code);
}
