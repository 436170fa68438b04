/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Prints the tables of docs/tune_search.md: searches simulated over recorded curves, what the engine
 * should know of encoders, the comparison with ab-av1's search, and searches over curves that are
 * made up. simulate_searches rd_curves.txt evaluation_curves.txt long_curves.txt */
#include "tests/tune/comparison.h"
#include "tests/tune/known_curves.h"
#include "tests/tune/simulation.h"

#include <stdio.h>

static const char *const encoders[] = {"libx264", "libx265", "libsvtav1"};

int main(int argc, char **argv)
{
    static RdCurves curves, evaluation, long_ones;
    if (argc != 4 || !rd_curves_read(&curves, argv[1]) || !rd_curves_read(&evaluation, argv[2]) ||
        !rd_curves_read(&long_ones, argv[3])) {
        fprintf(stderr, "usage: simulate_searches rd_curves.txt evaluation_curves.txt "
                        "long_curves.txt\n");
        return 2;
    }
    char row[SIMULATED_ROW_SIZE], other[COMPARISON_ROW_SIZE];
    for (int i = 0; simulated_row(&curves, i, row); i++)
        puts(row);
    for (size_t i = 0; i < sizeof(encoders) / sizeof(encoders[0]); i++) {
        const CurvePrior prior = rd_curves_prior(&curves, encoders[i], NULL);
        printf("| `%s` | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.2f |\n", encoders[i],
               prior.position, prior.position_sd, prior.slope, prior.slope_sd, prior.bend,
               prior.bend_sd, prior.deviation);
    }
    const ComparedCurves compared[] = {{.curves = &evaluation},
                                       {.curves = &long_ones, .fitted = &curves}};
    for (int set = 0; set < 2; set++)
        for (int i = 0; comparison_row(&compared[set], i, other); i++)
            puts(other);
    for (int i = 0; known_curves_row(i, other); i++)
        puts(other);
    return 0;
}
