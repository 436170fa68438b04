/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* All extractors in one context: threads change no byte of the report. */
#include "api/api_support.h"

#include <stdlib.h>

enum { N_FRAMES = 6 };

static char *report_with_threads(unsigned n_threads)
{
    static const Shape shape = {VMAF_PIX_FMT_YUV420P, 8, 332, 182};
    VmafContext *vmaf = open_context(n_threads, 0);
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    for (unsigned e = 0; !vmaf_extractor_info(e, &info); e++)
        use(vmaf, info.name, NULL);
    /* A second instance of some, with work in common. */
    use(vmaf, "vif", options("vif_enhn_gain_limit", "1", NULL));
    use(vmaf, "adm", options("adm_enhn_gain_limit", "1", NULL));
    use(vmaf, "motion", options("motion_five_frame_window", "true", NULL));
    use(vmaf, "float_vif", options("vif_enhn_gain_limit", "1", NULL));
    use(vmaf, "float_adm", options("adm_enhn_gain_limit", "1", NULL));
    use(vmaf, "psnr", options("enable_mse", "true", NULL));
    read_frames(vmaf, shape, N_FRAMES);
    assert_success(flush(vmaf));
    char *text = report_text(vmaf, VMAF_OUTPUT_FORMAT_XML);
    assert_success(vmaf_close(vmaf));
    return text;
}

static void given_all_extractors_then_threads_change_no_byte(void **state)
{
    (void)state;
    char *serial = report_with_threads(0);
    static const unsigned threads[] = {1, 2, 7};
    for (unsigned i = 0; i < 3; i++) {
        char *parallel = report_with_threads(threads[i]);
        assert_string_equal(serial, parallel);
        free(parallel);
    }
    free(serial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_all_extractors_then_threads_change_no_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
