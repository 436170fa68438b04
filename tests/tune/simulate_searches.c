/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Prints the tables of docs/tune.md: searches simulated over recorded curves, and what the engine
 * should know of encoders. simulate_searches rd_curves.txt */
#include "tests/tune/simulation.h"

#include <stdio.h>
#include <string.h>

static const char *const encoders[] = {"libx264", "libx265", "libsvtav1"};

static void print_row(const char *name, const SimulatedSummary *summary)
{
    printf("| %s | %.2f | %.2f | %.2f | **%.2f** | %d | %.2f | %d of %d | %.2f |\n", name,
           summary->probes[0], summary->probes[1], summary->probes[2], summary->mean_probes,
           summary->most_probes, summary->mean_rounds, summary->wrong, summary->searches,
           summary->worst_error);
}

int main(int argc, char **argv)
{
    static RdCurves curves;
    if (argc != 2 || !rd_curves_read(&curves, argv[1])) {
        fprintf(stderr, "usage: simulate_searches rd_curves.txt\n");
        return 2;
    }
    for (int kind = 0; kind < N_SIMULATED_SEARCHES; kind++) {
        const SimulatedSummary summary = simulate_all(&curves, (SimulatedSearch)kind, NULL);
        print_row(simulated_search_names[kind], &summary);
    }
    for (size_t i = 0; i < sizeof(encoders) / sizeof(encoders[0]); i++) {
        char name[64];
        const SimulatedSummary summary = simulate_all(&curves, SIMULATED_OURS, encoders[i]);
        snprintf(name, sizeof(name), "interpolation with a prior, %s", encoders[i]);
        print_row(name, &summary);
    }
    for (size_t i = 0; i < sizeof(encoders) / sizeof(encoders[0]); i++) {
        const CurvePrior prior = rd_curves_prior(&curves, encoders[i], NULL);
        printf("| `%s` | %.1f | %.1f | %.1f | %.1f | %.2f |\n", encoders[i], prior.position,
               prior.position_sd, prior.slope, prior.slope_sd, prior.deviation);
    }
    return 0;
}
