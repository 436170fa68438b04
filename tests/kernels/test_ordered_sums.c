/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Sums whose order is part of a metric, on devices, against loops in C: bit for bit, for terms that
 * are about where rounding and powers of two decide, and with few chunks added term by term where
 * units can be counted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "ordered_sum.h"
#include "random_numbers.h"
#include "reduce/reduce_args.h"
#include "support/cases.h"
#include "test_sets.h"

static bool is_chosen; /* of the long cases, some: the device is slow */

/* -- running the kernels of a program -- */

/* What the kernels leave in a buffer of partial sums. */
enum { N_RESULTS = ORDERED_SUM_RESULTS, ALIGNMENT = 256 };

static uint64_t aligned(uint64_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Runs a program whose first scratch buffer is `in`; `out` gets the buffer of that kind and index.
 */
static void run_program(Fixture *fixture, const VmafProgram *program, const void *in,
                        uint64_t in_size, VmafBufferName from, void *out, uint64_t out_size)
{
    const VmafDeviceLayer *layer = fixture->layer;
    VmafDeviceBuffer **scratch = calloc(program->n_scratch, sizeof(VmafDeviceBuffer *));
    assert_non_null(scratch);
    for (uint32_t i = 0; i < program->n_scratch; i++)
        scratch[i] = fixture_buffer(fixture, VMAF_MEMORY_DEVICE, aligned(program->scratch[i]));
    VmafDeviceBuffer *partials = fixture_buffer(fixture, VMAF_MEMORY_DEVICE,
                                                aligned(program->n_partials * sizeof(uint64_t)));
    VmafDeviceBuffer *up = fixture_buffer(fixture, VMAF_MEMORY_UPLOAD, aligned(in_size));
    VmafDeviceBuffer *down = fixture_buffer(fixture, VMAF_MEMORY_DOWNLOAD, aligned(out_size));
    memcpy(up->mapped, in, in_size);

    VmafDeviceCommandList *list = NULL;
    VmafDeviceTicket ticket;
    assert_int_equal(layer->command_list_begin(fixture->device, &list), 0);
    const VmafDeviceCopy copy = {.dst = scratch[0], .src = up, .row_size = in_size, .rows = 1};
    assert_int_equal(vmaf_device_cmd_copy(list, &copy), 0);
    for (uint32_t stage = 0; stage < VMAF_PROGRAM_MAX_STAGES; stage++) {
        assert_int_equal(layer->cmd_barrier(list), 0);
        for (uint32_t i = 0; i < program->n_steps; i++) {
            const VmafProgramStep *step = &program->steps[i];
            VmafDeviceDispatch dispatch = {.args = step->args};
            if (step->stage != stage)
                continue;
            assert_int_equal(
                layer->kernel_find(fixture->device, &dispatch.kernel, step->run.kernel), 0);
            memcpy(dispatch.groups, step->run.groups, sizeof(dispatch.groups));
            for (uint32_t slot = 0; slot < dispatch.kernel->kernel->n_buffers; slot++) {
                const VmafBufferName *name = &step->run.buffers[slot];
                dispatch.bindings[slot] = (VmafDeviceBinding){
                    .buffer = name->kind == VMAF_BUFFER_SCRATCH ? scratch[name->index] : partials,
                    .offset = name->offset,
                    .size = name->size,
                };
            }
            assert_int_equal(vmaf_device_cmd_dispatch(list, &dispatch), 0);
        }
    }
    const VmafDeviceCopy back = {
        .dst = down,
        .src = from.kind == VMAF_BUFFER_SCRATCH ? scratch[from.index] : partials,
        .src_offset = from.offset,
        .row_size = out_size,
        .rows = 1,
    };
    assert_int_equal(layer->cmd_barrier(list), 0);
    assert_int_equal(vmaf_device_cmd_copy(list, &back), 0);
    assert_int_equal(layer->command_list_end(list), 0);
    assert_int_equal(fixture_submit(fixture, list, &ticket), 0);
    assert_int_equal(fixture_wait(fixture, ticket, UINT64_MAX), 0);
    memcpy(out, down->mapped, out_size);

    layer->command_list_destroy(list);
    layer->buffer_destroy(fixture->device, up);
    layer->buffer_destroy(fixture->device, down);
    layer->buffer_destroy(fixture->device, partials);
    for (uint32_t i = 0; i < program->n_scratch; i++)
        layer->buffer_destroy(fixture->device, scratch[i]);
    free(scratch);
}

static VmafProgram *new_program(void)
{
    static const VmafGeometry geometry = {.w = {1}, .h = {1}, .depth = 8, .bytes_per_sample = 1};
    static VmafRequest request, *const requests[] = {&request};
    VmafProgram *program = vmaf_program_create(&geometry);
    assert_non_null(program);
    vmaf_program_begin_pass(program, requests, 1);
    return program;
}

/* -- ordered sums -- */

typedef struct Numbers {
    int is_f64;
    uint32_t count;
    union {
        float *f32;
        double *f64;
        void *any;
    };
} Numbers;

static Numbers numbers_create(int is_f64, uint32_t count)
{
    Numbers numbers = {.is_f64 = is_f64, .count = count};
    numbers.any = calloc((size_t)count + 1, sizeof(double));
    assert_non_null(numbers.any);
    return numbers;
}

static void set(Numbers *numbers, uint32_t i, double x)
{
    if (numbers->is_f64)
        numbers->f64[i] = x;
    else
        numbers->f32[i] = (float)x;
}

static uint64_t bits_of_sum(const Numbers *numbers)
{
    uint64_t bits = 0;
    if (numbers->is_f64) {
        double sum = 0;
        for (uint32_t i = 0; i < numbers->count; i++)
            sum += numbers->f64[i];
        memcpy(&bits, &sum, sizeof(sum));
    } else {
        float sum = 0;
        for (uint32_t i = 0; i < numbers->count; i++)
            sum += numbers->f32[i];
        memcpy(&bits, &sum, sizeof(sum));
    }
    return bits;
}

/* How much work the last step had that others should have spared it. */
typedef struct Effort {
    uint32_t added, counted; /* segments, term by term; times that units were counted */
} Effort;

static bool is_nan(const Numbers *numbers, uint64_t bits)
{
    return numbers->is_f64 ? bits << 1 > UINT64_C(0x7ff) << 53
                           : (uint32_t)bits << 1 > UINT32_C(0xff) << 24;
}

/* Compares the sum by kernels; `part`: as vmaf_program_ordered_sum_in_parts, or 0. */
static Effort check_parts(Fixture *fixture, const Numbers *numbers, int32_t magnitude,
                          const char *what, uint32_t part)
{
    const uint64_t size =
        (uint64_t)numbers->count * (numbers->is_f64 ? sizeof(double) : sizeof(float));
    VmafProgram *program = new_program();
    const VmafOrderedSum sum = {
        .terms = vmaf_program_scratch(program, size),
        .count = numbers->count,
        .is_f64 = numbers->is_f64,
        .magnitude = magnitude,
    };
    uint32_t stage = 0;
    uint64_t results[N_RESULTS];
    const partial_sum result = part ? vmaf_program_ordered_sum_in_parts(program, &stage, &sum, part)
                                    : vmaf_program_ordered_sum(program, &stage, &sum);
    assert_int_equal(stage, part ? 2 + (numbers->count + part - 1) / part : 3);
    vmaf_program_result(program, 0, &result);
    vmaf_program_finish(program);
    assert_int_equal(vmaf_program_status(program), 0);
    const VmafBufferName from = {.kind = VMAF_BUFFER_PARTIALS,
                                 .offset = program->sums[0].first * sizeof(uint64_t)};
    run_program(fixture, program, numbers->any, size, from, results, sizeof(results));
    vmaf_program_destroy(program);
    const uint64_t expected = bits_of_sum(numbers);
    if (results[0] != expected && !(is_nan(numbers, results[0]) && is_nan(numbers, expected)))
        fail_msg("%s, %u terms of %d bits: %016llx, not %016llx", what, numbers->count,
                 numbers->is_f64 ? 64 : 32, (unsigned long long)results[0],
                 (unsigned long long)expected);
    return (Effort){(uint32_t)results[1], (uint32_t)results[2]};
}

static Effort check_sum(Fixture *fixture, const Numbers *numbers, int32_t magnitude,
                        const char *what)
{
    return check_parts(fixture, numbers, magnitude, what, 0);
}

/* From 0 to 1. */
static double uniform(void)
{
    return (double)(random_bits() >> 11) * 0x1p-53;
}

/* Half a unit of sums from 1 to 2. */
static double half_unit(const Numbers *numbers)
{
    return numbers->is_f64 ? 0x1p-53 : 0x1p-24;
}

static double smallest(const Numbers *numbers)
{
    return numbers->is_f64 ? 0x1p-1074 : 0x1p-149;
}

/* Terms; those that depend on half a unit begin with one that puts the sum where it matters. */
static double near_one(const Numbers *numbers, uint32_t i)
{
    return 0.5 + uniform();
}

static double zero(const Numbers *numbers, uint32_t i)
{
    return i % 3 ? 0 : -0.0;
}

static double one(const Numbers *numbers, uint32_t i)
{
    return 1;
}

static double ties_from_even(const Numbers *numbers, uint32_t i)
{
    return i ? half_unit(numbers) : 1;
}

static double ties_from_odd(const Numbers *numbers, uint32_t i)
{
    return i == 0 ? 1 : i == 1 ? 2 * half_unit(numbers) : half_unit(numbers);
}

/* One, three, five and so on halves of a unit, up and down. */
static double ties_of_both_signs(const Numbers *numbers, uint32_t i)
{
    const double halves = (double)(2 * (random_bits() % 64) + 1);
    return i == 0 ? 1.5 : (i & 1 ? halves : -halves) * half_unit(numbers);
}

static double ties_and_units(const Numbers *numbers, uint32_t i)
{
    return i == 0 ? 1.5 : (double)(random_bits() % 4) * half_unit(numbers);
}

static double almost_ties(const Numbers *numbers, uint32_t i)
{
    const double off = numbers->is_f64 ? 0x1p-90 : 0x1p-40;
    return i == 0 ? 1 : half_unit(numbers) + ((double)(random_bits() % 3) - 1) * off;
}

/* The sum passes a power of two at which its unit doubles, or halves, many times. */
static double about_a_power(const Numbers *numbers, uint32_t i)
{
    const double step = (double)(random_bits() % 1000) * half_unit(numbers);
    return i == 0 ? 1 : i / 50 % 2 ? step : -step;
}

/* The same in quarters of a unit, so that every few terms decide about one. */
static double close_to_a_power(const Numbers *numbers, uint32_t i)
{
    const double step = (double)(random_bits() % 9) - 4;
    return i == 0 ? 1 : step * half_unit(numbers) / 2;
}

static double down_to_a_power(const Numbers *numbers, uint32_t i)
{
    return i == 0 ? 1.25 : -0.5 * (double)(random_bits() % 4) * half_unit(numbers);
}

static double falling(const Numbers *numbers, uint32_t i)
{
    return i == 0 ? numbers->count : -uniform();
}

static double through_zero(const Numbers *numbers, uint32_t i)
{
    return i == 0 ? 0.4 * numbers->count : -uniform();
}

static double alternating(const Numbers *numbers, uint32_t i)
{
    return i & 1 ? -1.25 : 1.25;
}

static double to_zero_and_on(const Numbers *numbers, uint32_t i)
{
    return i % 8 < 4 ? 0.1 : -0.1;
}

static double denormal(const Numbers *numbers, uint32_t i)
{
    return smallest(numbers) * (double)(random_bits() % 1000);
}

static double denormal_of_both_signs(const Numbers *numbers, uint32_t i)
{
    return smallest(numbers) * ((double)(random_bits() % 2001) - 1000);
}

/* To zero from below, in another chunk. */
static double denormals_to_zero(const Numbers *numbers, uint32_t i)
{
    return (i == 0 ? -5 : i == numbers->count - 1 ? 5 : 0) * smallest(numbers);
}

/* About the smallest normal number. */
static double about_normal(const Numbers *numbers, uint32_t i)
{
    const double least = numbers->is_f64 ? 0x1p-1022 : 0x1p-126;
    return least * (uniform() - 0.49) * 4;
}

static double any_magnitude(const Numbers *numbers, uint32_t i)
{
    return ldexp(1 + uniform(), (int)(random_bits() % 157) - 126);
}

static double any_magnitude_and_sign(const Numbers *numbers, uint32_t i)
{
    return (random_bits() & 1 ? -1 : 1) * any_magnitude(numbers, i);
}

static double one_huge(const Numbers *numbers, uint32_t i)
{
    return i == numbers->count / 2 ? 0x1p70 : uniform();
}

static double huge_and_back(const Numbers *numbers, uint32_t i)
{
    return i == numbers->count / 3 ? 0x1p70 : i == numbers->count / 2 ? -0x1p70 : uniform();
}

static double noise_of_both_signs(const Numbers *numbers, uint32_t i)
{
    return uniform() - 0.5;
}

static double mostly_zero(const Numbers *numbers, uint32_t i)
{
    return random_bits() % 1000 ? 0 : 10000 * uniform();
}

static double to_infinity(const Numbers *numbers, uint32_t i)
{
    const double most = numbers->is_f64 ? 0x1p1023 : 0x1p127;
    return i == numbers->count / 2 || i == numbers->count / 2 + 1 ? most : i & 1;
}

static double infinite(const Numbers *numbers, uint32_t i)
{
    return (numbers->is_f64 ? 0x1p1023 : 0x1p127) * uniform();
}

static double not_a_number(const Numbers *numbers, uint32_t i)
{
    const double most = numbers->is_f64 ? 0x1p1023 : 0x1p127;
    return i == numbers->count / 2 ? -INFINITY : i < 7 ? most : most * uniform();
}

static double about_the_greatest(const Numbers *numbers, uint32_t i)
{
    const double most = numbers->is_f64 ? 0x1.ffffffffffff8p1023 : 0x1.fffff0p127;
    return i == 0 ? most : (numbers->is_f64 ? 0x1p969 : 0x1p102) * (double)(random_bits() % 3);
}

typedef struct Case {
    const char *what;
    double (*term)(const Numbers *numbers, uint32_t i);
    int32_t magnitude;
    uint32_t most; /* segments of MANY terms that are added term by term, and a quarter of the times
                      that units are counted again */
} Case;

/* A sum of ONCE passes no power of two after its first terms, one of POWERS passes about twenty,
 * and one of OFTEN so many as numbers of both signs that are added up; one of ALWAYS has no two
 * terms in a row that leave its power. */
enum { MANY = 300000, ONCE = 1, POWERS = 20, OFTEN = 2000, ALWAYS = MANY };

static const Case cases[] = {
    {"near one", near_one, 1, POWERS},
    {"zeros", zero, 0, ONCE},
    {"ones", one, 1, POWERS},
    {"ties from an even sum", ties_from_even, 0, ONCE},
    {"ties from an odd sum", ties_from_odd, 0, ONCE},
    {"ties of both signs", ties_of_both_signs, 0, ONCE},
    {"ties and units", ties_and_units, 0, ONCE},
    {"almost ties", almost_ties, 0, ONCE},
    {"about a power", about_a_power, 0, OFTEN},
    {"close to a power", close_to_a_power, 0, ALWAYS},
    {"down to a power", down_to_a_power, 0, ONCE},
    {"falling", falling, 1, POWERS},
    {"through zero", through_zero, 1, 2 * POWERS},
    {"alternating", alternating, 1, ALWAYS},
    {"to zero and on", to_zero_and_on, 1, ALWAYS},
    {"denormals", denormal, -110, POWERS},
    {"denormals of both signs", denormal_of_both_signs, -110, ONCE},
    {"denormals to zero", denormals_to_zero, -110, ONCE},
    {"about the least normal number", about_normal, -120, OFTEN},
    {"any magnitude", any_magnitude, 30, POWERS},
    {"any magnitude and sign", any_magnitude_and_sign, 30, OFTEN},
    {"one huge", one_huge, 1, 2 * POWERS},
    {"huge and back", huge_and_back, 1, 2 * POWERS},
    {"noise", noise_of_both_signs, 0, OFTEN},
    {"mostly zero", mostly_zero, 14, POWERS},
    {"to infinity", to_infinity, 1, ALWAYS},
    {"infinite", infinite, 1, ALWAYS},
    {"to what is no number", not_a_number, 1, ALWAYS},
    {"about the greatest number", about_the_greatest, 100, 2 * POWERS},
};

static Numbers make(const Case *c, int is_f64, uint32_t count)
{
    Numbers numbers = numbers_create(is_f64, count);
    random_state = 88172645463325252u + count;
    for (uint32_t i = 0; i < count; i++)
        set(&numbers, i, c->term(&numbers, i));
    return numbers;
}

CASE(given_terms_that_are_hard_to_add_sums_equal_those_of_a_loop)
{
    /* clang-format off */
    static const uint32_t counts[] = {
        1, 2, ORDERED_SUM_CHUNK - 1, ORDERED_SUM_CHUNK, ORDERED_SUM_CHUNK + 1,
        5 * ORDERED_SUM_CHUNK + 3, ORDERED_SUM_TILE - 1, ORDERED_SUM_TILE + 1, ORDERED_SUM_BLOCK,
        ORDERED_SUM_BLOCK + 1, 5 * ORDERED_SUM_BLOCK - 7,
    };
    /* clang-format on */
    const size_t n_counts = sizeof(counts) / sizeof(counts[0]);
    for (unsigned turn = is_chosen ? 2 : 0; turn < 3; turn++) {
        Fixture fixture;
        fixture_open_order(&fixture, turn);
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
            for (size_t n = turn; n < n_counts; n += 3) {
                for (int is_f64 = 0; is_f64 < 2; is_f64++) {
                    Numbers numbers = make(&cases[c], is_f64, counts[n]);
                    check_sum(&fixture, &numbers, cases[c].magnitude, cases[c].what);
                    free(numbers.any);
                }
            }
        }
        fixture_close(&fixture);
    }
}

CASE(given_no_terms_there_is_no_sum)
{
    VmafProgram *program = new_program();
    const VmafOrderedSum none = {.terms = vmaf_program_scratch(program, 4)};
    uint32_t stage = 0;
    assert_int_equal(vmaf_program_ordered_sum(program, &stage, &none).rows, 0);
    assert_int_equal(program->n_steps, 0);
    assert_int_equal(vmaf_program_status(program), 0);
    vmaf_program_destroy(program);
}

CASE(given_many_terms_few_are_added_one_after_the_other)
{
    Fixture fixture;
    fixture_open_order(&fixture, 0);
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        for (int is_f64 = 0; is_f64 < 2; is_f64++) {
            Numbers numbers = make(&cases[c], is_f64, is_chosen ? MANY / 20 : MANY);
            const Effort effort = check_sum(&fixture, &numbers, cases[c].magnitude, cases[c].what);
            if (effort.added > cases[c].most || effort.counted > 4 * cases[c].most)
                fail_msg("%s: %u segments term by term, counted %u times", cases[c].what,
                         effort.added, effort.counted);
            free(numbers.any);
        }
    }
    fixture_close(&fixture);
}

CASE(given_more_terms_than_a_kernel_binds_parts_follow_one_another)
{
    enum { PART = 32 * ORDERED_SUM_BLOCK };
    Fixture fixture;
    fixture_open_order(&fixture, 1);
    for (size_t c = 0; c < (is_chosen ? 1 : sizeof(cases) / sizeof(cases[0])); c += 3) {
        Numbers numbers =
            make(&cases[c], (int)(c & 1), (is_chosen ? 1 : 2) * PART + ORDERED_SUM_BLOCK + 100);
        const Effort effort =
            check_parts(&fixture, &numbers, cases[c].magnitude, cases[c].what, PART);
        assert_in_range(effort.counted, 0, 5 * cases[c].most); /* parts go on with estimates */
        free(numbers.any);
    }
    fixture_close(&fixture);
}

/* A wrong magnitude costs time alone. */
CASE(given_a_wrong_magnitude_the_sum_is_right)
{
    static const int32_t magnitudes[] = {-1000, -60, -9, 9, 30, 64, 2000};
    Fixture fixture;
    fixture_open_order(&fixture, 2);
    for (size_t i = 0; i < sizeof(magnitudes) / sizeof(magnitudes[0]); i++) {
        Numbers numbers = make(&cases[0], (int)(i & 1), 2 * ORDERED_SUM_BLOCK);
        check_sum(&fixture, &numbers, magnitudes[i], "a wrong magnitude");
        free(numbers.any);
    }
    fixture_close(&fixture);
}

CASE(given_long_sums_most_of_it_is_counted)
{
    Fixture fixture;
    if (is_chosen)
        skip();
    fixture_open_order(&fixture, 0);
    for (int is_f64 = 0; is_f64 < 2; is_f64++) {
        Numbers numbers = make(&cases[0], is_f64, 1000000);
        const Effort effort = check_sum(&fixture, &numbers, 1, "a million");
        assert_in_range(effort.added, 1, 25);
        assert_in_range(effort.counted, 1, 60);
        free(numbers.any);
    }
    fixture_close(&fixture);
}

/* -- rows -- */

static void check_rows(Fixture *fixture, uint32_t rows, uint32_t columns, uint32_t stride,
                       double (*term)(const Numbers *numbers, uint32_t i))
{
    enum { BEFORE = 5 }; /* elements before the sums */
    Numbers numbers = numbers_create(0, rows * stride);
    float *sums = calloc(rows + BEFORE, sizeof(*sums));
    random_state = 88172645463325252u + rows;
    for (uint32_t i = 0; i < rows * stride; i++)
        set(&numbers, i, term(&numbers, i));
    VmafProgram *program = new_program();
    uint32_t stage = 1;
    const VmafRowSums wanted = {
        .terms = vmaf_program_scratch(program, rows * stride * sizeof(float)),
        .rows = rows,
        .columns = columns,
        .stride = stride,
        .sums = vmaf_program_scratch(program, (rows + BEFORE) * sizeof(float)),
        .first = BEFORE,
    };
    vmaf_program_row_sums(program, &stage, &wanted);
    assert_int_equal(stage, 2);
    const partial_sum total =
        vmaf_program_total_in_order(program, &stage, wanted.sums, BEFORE, rows);
    assert_int_equal(stage, 3);
    vmaf_program_result(program, 0, &total);
    vmaf_program_finish(program);
    assert_int_equal(vmaf_program_status(program), 0);
    run_program(fixture, program, numbers.f32, rows * stride * sizeof(float), wanted.sums, sums,
                (rows + BEFORE) * sizeof(float));
    Numbers by_row = numbers_create(0, rows);
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t x = 0; x < columns; x++)
            by_row.f32[r] += numbers.f32[r * stride + x];
    }
    assert_memory_equal(sums + BEFORE, by_row.f32, rows * sizeof(float));

    uint64_t bits;
    const VmafBufferName from = {.kind = VMAF_BUFFER_PARTIALS,
                                 .offset = program->sums[0].first * sizeof(uint64_t)};
    run_program(fixture, program, numbers.f32, rows * stride * sizeof(float), from, &bits,
                sizeof(bits));
    assert_int_equal(bits, bits_of_sum(&by_row));
    vmaf_program_destroy(program);
    free(by_row.any);
    free(sums);
    free(numbers.any);
}

CASE(given_rows_their_sums_equal_those_of_a_loop)
{
    static const struct {
        uint32_t rows, columns, stride;
    } sizes[] = {{1, 1, 1},    {31, 33, 40}, {32, 32, 32},    {33, 31, 31},
                 {65, 64, 65}, {255, 7, 10}, {257, 200, 201}, {600, 3, 3}};
    for (unsigned turn = 0; turn < 3; turn++) {
        Fixture fixture;
        fixture_open_order(&fixture, turn);
        for (size_t i = turn % 2; i < sizeof(sizes) / sizeof(sizes[0]); i += 2) {
            check_rows(&fixture, sizes[i].rows, sizes[i].columns, sizes[i].stride, near_one);
            check_rows(&fixture, sizes[i].rows, sizes[i].columns, sizes[i].stride,
                       any_magnitude_and_sign);
        }
        fixture_close(&fixture);
    }
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    is_chosen = take_argument(&argc, &argv, "chosen");
    return run_cases(argc, argv);
}
