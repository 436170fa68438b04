/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Every word of the kernel dialect means the same on a device as in C. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "kernels/dialect_check_args.h"
#include "kernels/histogram_args.h"
#include "support/cases.h"
#include "test_sets.h"

enum { LANES_X = 16, LANES_Y = 4, LANES = LANES_X * LANES_Y, ELEMENTS = 1000 };
enum { GROUPS_X = 3, GROUPS_Y = 2, GROUPS_Z = 2, GROUPS = GROUPS_X * GROUPS_Y * GROUPS_Z };
enum { RUNS = GROUPS * LANES };

static const dialect_check_args args = {.wide = -5000000000, .n = ELEMENTS, .mask = 0x3fff};
static uint8_t bytes[ELEMENTS];
static int16_t words[ELEMENTS];

static uint32_t hash(uint32_t x)
{
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ (x >> 12);
}

static unsigned top_bit(uint64_t x)
{
    unsigned bit = 0;
    while (x >>= 1)
        bit++;
    return bit;
}

/* floor(x / 2^n + 1/2), with no shift of a negative number. */
static int64_t rounded(int64_t x, unsigned n)
{
    const int64_t divisor = (int64_t)1 << n;
    const int64_t sum = x + divisor / 2;
    return sum >= 0 ? sum / divisor : -((-sum + divisor - 1) / divisor);
}

static int64_t floor_eighth(int64_t x)
{
    return x >= 0 ? x / 8 : -((-x + 7) / 8);
}

static uint32_t tile_of(unsigned group, unsigned lane)
{
    return bytes[(group * LANES + lane) % ELEMENTS] * 256u + lane % LANES_X * 16u + lane / LANES_X;
}

static int64_t total_of(unsigned group, unsigned lane)
{
    const int64_t word = words[(group * LANES + lane) % ELEMENTS];
    int64_t total = word * word * 0x7fffffff + args.wide;
    for (unsigned turn = 0; turn < 3; turn++)
        total += (int64_t)tile_of(group, (lane + 1 + turn) % LANES) << (turn * 8);
    return total;
}

static void expect(uint64_t results[DIALECT_RESULTS], unsigned run)
{
    static const int32_t weights[4] = {7, -3, 65536, 1};
    const unsigned group = run / LANES;
    const int32_t word = words[run % ELEMENTS];
    const uint32_t h = hash(bytes[run % ELEMENTS]) | 1;
    const uint64_t wide = (uint64_t)h * h;
    uint64_t sum = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        sum += (uint64_t)total_of(group, lane);
    int64_t weighted = 0;
    for (int t = 0; t < 4; t++)
        weighted += (int64_t)weights[t] * (word + t);
    results[0] = (uint64_t)total_of(group, run % LANES);
    results[1] = sum;
    results[2] = LANES;
    results[3] = (uint64_t)weighted;
    results[4] = top_bit(h) * 100 + top_bit(wide);
    results[5] = (uint64_t)rounded((int64_t)word * 1000003, 7);
    results[6] = (wide + ((uint64_t)1 << 32)) / ((uint64_t)1 << 33);
    results[7] = (uint64_t)h * 0xdeadbeefu / 0x100000000u + (uint64_t)abs(word);
    results[8] = wide / ((hash(run) & args.mask) + 1);
    results[9] = (uint64_t)(int64_t)((word < -100 ? -100 : word > 100 ? 100 : word) + abs(word));
    results[10] = (uint64_t)floor_eighth(word);
    results[11] = (uint64_t)(group % GROUPS_X) << 40 |
                  (uint64_t)(group / GROUPS_X % GROUPS_Y) << 20 | group / (GROUPS_X * GROUPS_Y);
    const int64_t small = word < -255 ? -255 : word > 255 ? 255 : word;
    const uint64_t weighted_words = 60000 * (uint64_t)h + 5536 * (uint64_t)~h + 32768;
    results[12] = (uint64_t)(word * 255 * small + word);
    results[13] = weighted_words / 65536;
    results[14] = (uint32_t)(weighted_words / 32);
}

static void check_dialect(const EmulatorOptions *options)
{
    static uint64_t results[RUNS * DIALECT_RESULTS];
    static uint16_t halves[RUNS];
    static uint8_t packed[RUNS];
    Fixture fixture;
    fixture_open_kernels(&fixture, test_kernel_set(layer_name), options);
    const FixtureBuffer buffers[] = {
        {.size = sizeof(bytes), .in = bytes},      {.size = sizeof(words), .in = words},
        {.size = sizeof(results), .out = results}, {.size = sizeof(halves), .out = halves},
        {.size = sizeof(packed), .out = packed},
    };
    const uint32_t groups[3] = {GROUPS_X, GROUPS_Y, GROUPS_Z};
    assert_int_equal(fixture_run(&fixture, "dialect_check", buffers, &args, groups), 0);
    fixture_close(&fixture);

    for (unsigned run = 0; run < RUNS; run++) {
        uint64_t expected[DIALECT_RESULTS];
        expect(expected, run);
        for (unsigned i = 0; i < DIALECT_RESULTS; i++) {
            if (results[run * DIALECT_RESULTS + i] != expected[i])
                fail_msg("run %u, result %u: %llx instead of %llx", run, i,
                         (unsigned long long)results[run * DIALECT_RESULTS + i],
                         (unsigned long long)expected[i]);
        }
        const uint32_t h = hash(bytes[run % ELEMENTS]) | 1;
        assert_int_equal(halves[run], h >> 3 & 0xffff);
        assert_int_equal(packed[run], h & 0xff);
    }
}

CASE(every_word_means_what_it_means_in_c)
{
    for (unsigned i = 0; i < ELEMENTS; i++) {
        bytes[i] = (uint8_t)hash(i + 17);
        words[i] = (int16_t)hash(i + 4711);
    }
    words[0] = INT16_MIN;
    words[1] = INT16_MAX;
    if (!is_emulator()) {
        check_dialect(NULL);
        return;
    }
    for (uint32_t seed = 0; seed < 4; seed++) {
        const EmulatorOptions options = {.order = seed < 2 ? seed : EMULATOR_ORDER_RANDOM,
                                         .seed = seed};
        check_dialect(&options);
    }
}

CASE(given_atomic_additions_then_none_is_lost)
{
    enum { N = 100000, HISTOGRAM_GROUPS = 37 };
    static uint8_t values[N];
    uint32_t expected[HISTOGRAM_BINS], counts[HISTOGRAM_BINS], before[HISTOGRAM_BINS];
    for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
        expected[i] = before[i] = hash(i + 5);
    for (uint32_t i = 0; i < N; i++) {
        values[i] = (uint8_t)(hash(i) % 3 ? 200 : hash(i + 1)); /* most lanes add to one */
        expected[values[i]]++;
    }
    Fixture fixture;
    const histogram_args given = {.n = N};
    const FixtureBuffer buffers[] = {{.size = sizeof(values), .in = values},
                                     {.size = sizeof(counts), .in = before, .out = counts}};
    const uint32_t groups[3] = {HISTOGRAM_GROUPS, 1, 1};
    fixture_open_kernels(&fixture, test_kernel_set(layer_name), NULL);
    assert_int_equal(fixture_run(&fixture, "histogram", buffers, &given, groups), 0);
    fixture_close(&fixture);
    assert_memory_equal(counts, expected, sizeof(counts));
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    return run_cases(argc, argv);
}
