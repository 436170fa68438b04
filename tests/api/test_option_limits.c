/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Every option of every extractor is used at both ends of its range, on pictures of 8 and of 10
 * bits: frames are scored, or the request or the first pair is refused; there is no third outcome.
 */
#include "api/api_support.h"
#include "support/cases.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

/* 1 if frames were scored, 0 if the request or the first pair was refused correctly. */
static int try_value(const char *extractor, const char *option, const char *value, unsigned bpc)
{
    const Shape shape = {VMAF_PIX_FMT_YUV420P, bpc, 332, 182};
    VmafContext *vmaf = open_context(0, 0);
    VmafFeatureDictionary *dict = options(option, value, NULL);
    int scored = 0;
    if (vmaf_use_feature(vmaf, extractor, dict)) {
        assert_success(vmaf_feature_dictionary_free(&dict));
    } else {
        int err = 0;
        for (unsigned i = 0; i < 3 && !err; i++)
            err = read_frame(vmaf, shape, i, i);
        const int flush_err = flush(vmaf);
        if (err ? err != -EINVAL || flush_err != err : flush_err)
            fail_msg("%s=%s=%s at %u bits: %d, flush %d", extractor, option, value, bpc, err,
                     flush_err);
        scored = !err;
    }
    assert_success(vmaf_close(vmaf));
    return scored;
}

static void number(char *text, size_t size, double value)
{
    snprintf(text, size, "%.6g", value);
}

static void try_option(const char *extractor, const VmafOptionInfo *option, unsigned *n_tried,
                       unsigned *n_scored)
{
    char low[32] = "false", high[32] = "true";
    if (option->type == VMAF_OPTION_TYPE_STRING)
        return;
    if (option->type != VMAF_OPTION_TYPE_BOOL) {
        number(low, sizeof(low), option->min);
        number(high, sizeof(high), option->max < DBL_MAX ? option->max : 1e300);
    }
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        *n_scored += (unsigned)try_value(extractor, option->name, low, bpc);
        *n_scored += (unsigned)try_value(extractor, option->name, high, bpc);
        *n_tried += 2;
    }
}

static void given_every_option_at_its_limits_then_scored_or_refused(void **state)
{
    unsigned n_tried = 0, n_scored = 0;
    VmafExtractorInfo extractor = {.struct_size = sizeof(extractor)};
    for (unsigned e = 0; !vmaf_extractor_info(e, &extractor); e++) {
        VmafOptionInfo option = {.struct_size = sizeof(option)};
        for (unsigned o = 0; !vmaf_extractor_option_info(extractor.name, o, &option); o++)
            try_option(extractor.name, &option, &n_tried, &n_scored);
    }
    print_message("%u of %u option values give scores\n", n_scored, n_tried);
    /* The rest are refused, for example windows that are too large for such small pictures. */
    assert_true(n_scored * 10 > n_tried * 8);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_every_option_at_its_limits_then_scored_or_refused),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
