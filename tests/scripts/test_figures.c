/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The model of known cards, and lists of operations. */
#include <stdio.h>
#include <stdlib.h>

#include "speed_model.h"
#include "support/cases.h"

static double model_of(const char *device, unsigned width, unsigned height, unsigned depth)
{
    const SpeedModel *model = speed_model_find(device);
    return model ? speed_model_fps(model, width, height, depth) : -1.0;
}

CASE(cards_are_found_by_the_names_of_their_drivers)
{
    assert_int_equal(model_of("NVIDIA H100 80GB HBM3", 3840, 2160, 10), 1490);
    assert_int_equal(model_of("NVIDIA H200", 1920, 1080, 8), 5000);
    assert_int_equal(model_of("NVIDIA GeForce RTX 4090", 3840, 2160, 10), 1990);
    assert_int_equal(model_of("NVIDIA GeForce RTX 5090", 1920, 1080, 8), 7400);
    assert_int_equal(model_of("Radeon 8060S Graphics (RADV GFX1151)", 3840, 2160, 10), 476);
    assert_int_equal(model_of("Intel(R) Arc(tm) A770 Graphics (DG2)", 1920, 1080, 8), 1000);
}

CASE(smaller_cards_with_similar_names_are_not)
{
    assert_null(speed_model_find("NVIDIA GeForce RTX 4090 Laptop GPU"));
    assert_null(speed_model_find("NVIDIA GeForce RTX 4090 D"));
    assert_null(speed_model_find("NVIDIA H100 80GB HBM3 MIG 1g.10gb"));
    assert_null(speed_model_find("llvmpipe (LLVM 15.0.6, 256 bits)"));
}

CASE(the_model_says_nothing_about_other_pictures)
{
    assert_int_equal(model_of("NVIDIA H100", 1920, 1080, 10), 0);
    assert_int_equal(model_of("NVIDIA H100", 3840, 2160, 8), 0);
    assert_int_equal(model_of("NVIDIA H100", 1920, 1088, 8), 0);
}

static int read_list(KernelOperations *list, const char *text)
{
    char path[] = "/tmp/vmaf-test-figures-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    const int err = kernel_operations_read(list, path);
    remove(path);
    return err;
}

CASE(operations_are_read)
{
    KernelOperations list;
    assert_int_equal(read_list(&list, "# KERNEL OPERATIONS\n\n"
                                      "vif_scale_0_8 612.5 from 1920x1080\n"
                                      "vif_scale_0_8_x2 700\nnothing\nwrong x\nnegative -3\n"),
                     0);
    assert_int_equal(list.n, 2);
    assert_true(kernel_operations_of(&list, "vif_scale_0_8") == 612.5);
    assert_true(kernel_operations_of(&list, "vif_scale_0_8_x2") == 700.0);
    assert_true(kernel_operations_of(&list, "vif_scale_0") == 0.0);
}

CASE(a_list_without_lines_is_an_error)
{
    KernelOperations list;
    assert_int_equal(read_list(&list, "# nothing\n"), -1);
    assert_int_equal(kernel_operations_read(&list, "/nonexistent/list"), -1);
    assert_true(kernel_operations_of(&list, "anything") == 0.0);
}
