/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Why a search has no answer, and what it says of values that it has not measured. */
#include "tune/engine/search.h"

#include <math.h>
#include <stdio.h>

/* The sample that is nearest to pass that gate, or passes it best; NULL if there is none. */
static const Measurement *closest_sample(const Search *search, size_t gate)
{
    const double sign = search->options.gates[gate].lower_is_better ? -1 : 1;
    const Measurement *best = NULL;
    for (size_t i = 0; i < search->n_samples; i++) {
        const Measurement *sample = &search->samples[i];
        if (!best || sign * sample->values[gate] > sign * best->values[gate])
            best = sample;
    }
    return best;
}

/* The smallest one that passes; NULL if none does. */
static const Measurement *smallest_passing(const Search *search)
{
    return search->best < 0 ? NULL : &search->samples[search->sample_of[search->best]];
}

static const char *reason(const Search *search)
{
    switch (search->status) {
    case SEARCH_RUNNING:
        return "not decided yet";
    case SEARCH_FOUND:
        return NULL;
    case SEARCH_UNREACHABLE:
        return "unreachable";
    case SEARCH_NON_MONOTONIC:
        return "not decidable, a more compressed encode scored higher (--on-nonmonotonic scan "
               "looks "
               "at all, keep takes the best),";
    case SEARCH_FAILED:
        return "not decidable, an encode or its score failed,";
    case SEARCH_TOO_LARGE:
        return smallest_passing(search) ? "reached only above the bitrate limit"
                                        : "not reached within the bitrate limit";
    case SEARCH_EXHAUSTED:
        break;
    }
    return "not reached";
}

size_t search_missed_gate(const Search *search)
{
    const SearchOptions *options = &search->options;
    const Measurement *best = NULL;
    for (size_t i = 0; i < search->n_samples; i++) {
        const Measurement *sample = &search->samples[i];
        if (!best || quality_index(&options->qualities, sample->q) <
                         quality_index(&options->qualities, best->q))
            best = sample;
    }
    for (size_t i = 0; best && i < options->n_gates; i++) {
        const SearchGate *gate = &options->gates[i];
        if (gate->lower_is_better ? best->values[i] > gate->target : best->values[i] < gate->target)
            return i;
    }
    return 0;
}

void search_explain(const Search *search, size_t gate, const char *score_name,
                    const char *quality_name, char *text, size_t size)
{
    const char *why = reason(search);
    if (!why) {
        snprintf(text, size, "%s", "");
        return;
    }
    const SearchOptions *options = &search->options;
    const Measurement *passing = smallest_passing(search), *closest = closest_sample(search, gate);
    int used =
        snprintf(text, size, "target %s %g %s in %s window [%g, %g] after %d iterations",
                 score_name, options->gates[gate].target, why, quality_name,
                 options->first < options->last ? options->first : options->last,
                 options->first < options->last ? options->last : options->first, search->probes);
    closest = passing ? passing : closest;
    if (closest && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " (best sample: %s %s=%g at %s %g",
                         passing ? "the smallest that reaches it," : "closest miss", score_name,
                         closest->values[gate], quality_name, closest->q);
    if (closest && search->status == SEARCH_TOO_LARGE && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, ", %.1f kbit/s of at most %.1f",
                         closest->kbps, options->max_kbps);
    if (closest && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ")");
}
