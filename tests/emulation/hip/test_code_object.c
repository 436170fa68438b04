/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Code objects: what they say, and what is wrong with damaged ones. */
#include <stdlib.h>
#include <string.h>

#include "chips.h"
#include "code_object.h"
#include "hip_fixture.h"
#include "msgpack.h"
#include "support/cases.h"

/* -- chips -- */

CASE(given_names_of_chips_then_the_kernel_has_numbers_for_them)
{
    assert_int_equal(chip_target_version("gfx1030"), 100300);
    assert_int_equal(chip_target_version("gfx90a"), 90010);
    assert_int_equal(chip_target_version("gfx906:sramecc+:xnack-"), 90006);
    assert_int_equal(chip_target_version("gfx1201"), 120001);
    assert_int_equal(chip_target_version("gfx2077"), 200707); /* which nobody knows yet */
    assert_int_equal(chip_target_version("navi"), 0);
    assert_int_equal(chip_target_version("gfx"), 0);
    assert_true(chip_is_known("gfx1100"));
    assert_false(chip_is_known("gfx2077"));
    assert_false(chip_is_known("gfx11-generic"));
}

CASE(given_code_for_a_chip_then_it_runs_there_and_nowhere_else)
{
    static const struct {
        const char *chip;
        uint32_t flags;
        const char *target;
        enum ChipMatch match;
    } cases[] = {
        {"gfx1030", 0x36, "gfx1030", CHIP_MATCHES},
        {"gfx1031", 0x36, "gfx1030", CHIP_DIFFERS},
        {"gfx1030", 0x37, "gfx1030", CHIP_CONTRADICTION},
        {"gfx1030", 0x136, "gfx1030", CHIP_CONTRADICTION},
        {"gfx2077", 0x36, "gfx1030", CHIP_DIFFERS},
        {"gfx1030", 0x36, "gfx2077", CHIP_CONTRADICTION},
        /* of a family */
        {"gfx1036", 0x01000053, "gfx10-3-generic", CHIP_MATCHES},
        {"gfx1010", 0x01000053, "gfx10-3-generic", CHIP_DIFFERS},
        {"gfx1010", 0x01000152, "gfx10-1-generic", CHIP_MATCHES},
        {"gfx1151", 0x01000054, "gfx11-generic", CHIP_MATCHES},
        {"gfx1201", 0x01000059, "gfx12-generic", CHIP_MATCHES},
        {"gfx90c", 0x01000151, "gfx9-generic", CHIP_MATCHES},
        {"gfx90a", 0x01000151, "gfx9-generic", CHIP_DIFFERS},
        {"gfx942", 0x0100055f, "gfx9-4-generic", CHIP_MATCHES},
        /* features */
        {"gfx906", 0x52f, "gfx906", CHIP_MATCHES},
        {"gfx906:sramecc+:xnack-", 0x52f, "gfx906", CHIP_MATCHES},
        {"gfx906:sramecc+:xnack-", 0xe2f, "gfx906:sramecc+:xnack-", CHIP_MATCHES},
        {"gfx906", 0xe2f, "gfx906:sramecc+:xnack-", CHIP_DIFFERS},
        {"gfx90a:xnack+", 0x73f, "gfx90a:xnack+", CHIP_MATCHES},
        {"gfx90a", 0x73f, "gfx90a:xnack+", CHIP_DIFFERS},
        {"gfx90a", 0x53f, "gfx90a:xnack+", CHIP_CONTRADICTION},
        {"gfx90a", 0x03f, "gfx90a", CHIP_CONTRADICTION},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char error[200] = "";
        const enum ChipMatch match =
            chip_match(cases[i].chip, cases[i].flags, cases[i].target, error, sizeof(error));
        if (match != cases[i].match || (match == CHIP_MATCHES) != (error[0] == '\0'))
            fail_msg("%zu: %d, %s", i, (int)match, error);
    }
}

/* -- MessagePack -- */

CASE(given_items_of_all_kinds_then_they_are_read_and_passed_over)
{
    static const unsigned char bytes[] = {
        0x83, 0xa1, 'a',  0x05, /* {"a": 5, */
        0xa1, 'b',  0x94, 0xcd, 0x12, 0x34, 0xc3, 0xc0,
        0x91, 0x07, /* "b": [0x1234, true, nil, [7]], */
        0xd9, 0x01, 'c',  0xde, 0x00, 0x01, 0xa1, 'x',
        0xcb, 1,                                        /* "c": {"x": a fraction}} */
        2,    3,    4,    5,    6,    7,    8,    0x2a, /* 42 */
    };
    MsgpackReader reader = {bytes, bytes + sizeof(bytes), false};
    char text[4];
    MsgpackItem item = msgpack_next(&reader);
    assert_int_equal(item.kind, MSGPACK_MAP);
    assert_int_equal(item.value, 3);
    item = msgpack_next(&reader);
    assert_true(msgpack_is(&item, "a"));
    assert_false(msgpack_is(&item, "ab"));
    item = msgpack_next(&reader);
    assert_int_equal(item.value, 5);
    item = msgpack_next(&reader);
    assert_true(msgpack_copy(&item, text, sizeof(text)));
    assert_string_equal(text, "b");
    assert_false(msgpack_copy(&item, text, 1));
    item = msgpack_next(&reader);
    assert_int_equal(item.kind, MSGPACK_ARRAY);
    msgpack_skip(&reader, &item);
    item = msgpack_next(&reader);
    assert_true(msgpack_is(&item, "c"));
    item = msgpack_next(&reader);
    msgpack_skip(&reader, &item);
    item = msgpack_next(&reader);
    assert_int_equal(item.value, 42);
    assert_int_equal(msgpack_next(&reader).kind, MSGPACK_END);
    assert_true(reader.failed);
    reader = (MsgpackReader){bytes, bytes + 24, false}; /* ends in the fraction */
    item = msgpack_next(&reader);
    msgpack_skip(&reader, &item);
    assert_true(reader.failed);
}

CASE(given_arguments_that_the_runtime_adds_then_they_do_not_count)
{
    static const char notes[] = "\x82"
                                "\xad"
                                "amdhsa.target"
                                "\xba"
                                "amdgcn-amd-amdhsa--gfx1030"
                                "\xae"
                                "amdhsa.kernels"
                                "\x91\x82"
                                "\xa5"
                                ".name"
                                "\xa1"
                                "k"
                                "\xa5"
                                ".args"
                                "\x92"
                                "\x83\xa7"
                                ".offset"
                                "\x00\xa5"
                                ".size"
                                "\x08\xab"
                                ".value_kind"
                                "\xad"
                                "global_buffer"
                                "\x83\xa7"
                                ".offset"
                                "\x08\xa5"
                                ".size"
                                "\x04\xab"
                                ".value_kind"
                                "\xb4"
                                "hidden_block_count_x";
    CodeObject object = {0};
    char error[CODE_OBJECT_ERROR_SIZE] = "";
    assert_true(code_notes_read(&object, notes, sizeof(notes) - 1, error));
    assert_string_equal(object.target, "gfx1030");
    assert_int_equal(object.n_kernels, 1);
    assert_int_equal(object.kernels[0].n_args, 1);
    assert_int_equal(object.kernels[0].args_size, 8);
    free(object.kernels);
}

/* -- code objects -- */

CASE(given_a_code_object_then_it_says_what_the_kernel_takes)
{
    char error[CODE_OBJECT_ERROR_SIZE] = "";
    size_t size;
    unsigned char *code = fixture_code("histogram", "gfx1030", &size);
    CodeObject *object = code_object_read(code, error);
    assert_string_equal(error, "");
    assert_non_null(object);
    assert_int_equal(object->version, 4);
    assert_string_equal(object->target, "gfx1030");
    assert_int_equal(object->n_kernels, 1);
    const CodeObjectKernel *kernel = &object->kernels[0];
    assert_string_equal(kernel->name, "histogram");
    assert_int_equal(kernel->n_args, 3);
    assert_true(kernel->args[0].is_buffer && !kernel->args[0].is_write_only);
    assert_true(kernel->args[1].is_buffer && !kernel->args[1].is_write_only);
    assert_int_equal(kernel->args[1].offset, 8);
    assert_false(kernel->args[2].is_buffer);
    assert_int_equal(kernel->args[2].size, 4);
    assert_int_equal(kernel->args_size, 20);
    assert_int_equal(kernel->group_size, 1024);
    assert_int_equal(kernel->max_lanes, 64);
    assert_true(kernel->n_registers > 0);
    code_object_free(object);
    free(code);
}

typedef struct Damage {
    const char *text; /* what stands before; NULL: the beginning */
    int offset;       /* from there */
    unsigned char value;
    const char *error;
} Damage;

CASE(given_a_damaged_code_object_then_what_is_wrong_is_said)
{
    static const Damage cases[] = {
        {NULL, 0, 'M', "no ELF file"},
        {NULL, 4, 1, "no code object"},              /* 32 bits */
        {NULL, 7, 0, "no code object: OS ABI 0"},    /* Linux */
        {NULL, 8, 1, "version 3"},                   /* of the format */
        {NULL, 16, 2, "type 2"},                     /* a program */
        {NULL, 18, 62, "machine 62"},                /* x86-64 */
        {NULL, 43, 0x7f, "table of sections"},       /* where it is */
        {NULL, 40, 0x01, "table of sections"},       /* at an odd place */
        {NULL, 58, 10, "table of sections"},         /* size of one */
        {NULL, 60, 0, "table of sections"},          /* their number */
        {"AMDGPU", -4, 33, "no notes"},              /* the note's type */
        {"AMDGPU", -6, 1, "is damaged"},             /* its length: 64 KiB more */
        {"amdhsa.target", 0, 'x', "understood"},     /* there is no target */
        {"amdhsa.kernels", 15, 0xc1, "understood"},  /* a byte that means nothing */
        {"amdgcn-amd", 0, 'b', "understood"},        /* another vendor's */
        {".kernarg_segment_size", 21, 8, "and the"}, /* not what the descriptor says */
        {".private_segment_fixed_size", 27, 4, "lane memory"},
        {"histogram.kd", 0, 'x', "no descriptor"}, /* the first is the notes' */
        {".offset", 7, 0x40, "beyond its"},        /* an argument */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char error[CODE_OBJECT_ERROR_SIZE] = "";
        size_t size;
        unsigned char *code = fixture_code("histogram", "gfx1030", &size);
        unsigned char *at = cases[i].text ? fixture_find(code, size, cases[i].text) : code;
        at[cases[i].offset] = cases[i].value;
        CodeObject *object = code_object_read(code, error);
        if (object || !strstr(error, cases[i].error))
            fail_msg("%zu: \"%s\"", i, error);
        free(code);
    }
}

CASE(given_a_descriptor_that_names_other_code_then_it_is_refused)
{
    char error[CODE_OBJECT_ERROR_SIZE] = "";
    size_t size;
    unsigned char *code = fixture_code("histogram", "gfx1030", &size);
    fixture_descriptor(code, size, 1024)[16] ^= 0x40;
    assert_null(code_object_read(code, error));
    assert_non_null(strstr(error, "does not name its code"));
    free(code);
}

/* Everything that it looks at is inside of the file, whatever a byte of its tables says. */
CASE(given_any_byte_that_is_wrong_then_nothing_beyond_the_file_is_read)
{
    size_t size, rejected = 0;
    unsigned char *code = fixture_code("histogram", "gfx1030", &size);
    for (size_t i = 0; i < size; i++) {
        static const unsigned char values[] = {0, 0x7f, 0xff};
        const unsigned char was = code[i];
        for (size_t v = 0; v < sizeof(values); v++) {
            char error[CODE_OBJECT_ERROR_SIZE] = "";
            /* Where the table of sections is, or ends, nobody can check without the file's size. */
            if ((i >= 40 && i < 48) || i == 60 || i == 61)
                continue;
            code[i] = values[v];
            CodeObject *object = code_object_read(code, error);
            rejected += object == NULL;
            code_object_free(object);
        }
        code[i] = was;
    }
    assert_true(rejected > 500);
    free(code);
}

CASE(given_a_bundle_or_an_address_that_is_odd_then_it_is_refused)
{
    char error[CODE_OBJECT_ERROR_SIZE] = "";
    size_t size;
    static _Alignas(8) const char bundle[64] = "__CLANG_OFFLOAD_BUNDLE__";
    assert_null(code_object_read(bundle, error));
    assert_non_null(strstr(error, "bundles"));
    unsigned char *code = fixture_code("histogram", "gfx1030", &size);
    unsigned char *odd = malloc(size + 4);
    memcpy(odd + 4, code, size);
    assert_null(code_object_read(odd + 4, error));
    assert_non_null(strstr(error, "aligned"));
    free(odd);
    free(code);
}
