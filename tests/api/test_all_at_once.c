/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* All extractors in one context: reports do not depend on the number of threads. */
#include "api/api_support.h"

#include <stdlib.h>

#include "engine/context.h"
#include "engine/queue/row_worker.h"
#include "support/cases.h"

/* Extractors whose records merge, so that several workers can share a frame. */
enum { N_DIVISIBLE = 8 };

static char *report_with_threads(unsigned n_threads, unsigned n_frames)
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
    read_frames(vmaf, shape, n_frames);
    assert_success(flush(vmaf));
    /* A single frame leaves no other work for the second thread. */
    if (n_threads < 2)
        assert_int_equal(frame_queue_band_count(vmaf->queue), 0);
    else if (n_frames == 1)
        assert_true(frame_queue_band_count(vmaf->queue) >= 2 * N_DIVISIBLE);
    char *text = report_text(vmaf, VMAF_OUTPUT_FORMAT_XML);
    assert_success(vmaf_close(vmaf));
    return text;
}

static void given_all_extractors_then_threads_change_no_byte(void **state)
{
#ifdef __SANITIZE_THREAD__ /* which makes it thirty times slower */
    static const unsigned threads[] = {2, 7}, frames[] = {1, 4};
#else
    static const unsigned threads[] = {1, 2, 3, 7}, frames[] = {1, 2, 6};
#endif
    for (unsigned f = 0; f < sizeof(frames) / sizeof(frames[0]); f++) {
        char *serial = report_with_threads(0, frames[f]);
        for (unsigned i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
            char *parallel = report_with_threads(threads[i], frames[f]);
            assert_string_equal(serial, parallel);
            free(parallel);
        }
        free(serial);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_all_extractors_then_threads_change_no_byte),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
