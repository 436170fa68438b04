/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/session/search_options.h"

#include "tune/measure/measurer.h"

#include <string.h>

#define AT(member) .target = offsetof(SearchChoice, member)

static const TuneOption rows[] = {
    {.name = "crf-min",
     .argument = "Q",
     .type = TUNE_INTEGER,
     AT(lowest),
     .lowest = 0,
     .highest = 255,
     .help = "the least value of the quality knob (all that the encoder has)"},
    {.name = "crf-max",
     .argument = "Q",
     .type = TUNE_INTEGER,
     AT(highest),
     .lowest = 0,
     .highest = 255,
     .help = "the greatest one"},
    {.name = "max-iterations",
     .argument = "N",
     .type = TUNE_INTEGER,
     AT(max_iterations),
     .lowest = 1,
     .highest = 1000,
     .help = "encodes at most (as many as are needed)"},
    {.name = "vmaf-tolerance",
     .argument = "D",
     .type = TUNE_NUMBER,
     AT(tolerance),
     .lowest = 0,
     .highest = 100,
     .help = "good enough: reached, and better by no more than this (0)"},
    {.name = "on-nonmonotonic",
     .type = TUNE_CHOICE,
     AT(on_non_monotonic),
     .values = "fail|keep|scan",
     .help = "if stronger compression scores clearly better: give up (default), go on, or measure "
             "all that is left"},
    {.name = "strategy",
     .type = TUNE_CHOICE,
     AT(strategy),
     .values = "interpolate|bisect",
     .help = "how the next encode is chosen (interpolate)"},
    {.name = "max-encoded-percent",
     .argument = "P",
     .type = TUNE_NUMBER,
     AT(max_percent),
     .lowest = 0,
     .highest = 1e6,
     .help = "of the bitrate of the source; more is no result"},
};

SearchChoice search_choice(void)
{
    return (SearchChoice){.lowest = -1, .highest = -1};
}

OptionGroup search_option_group(SearchChoice *choice)
{
    return (OptionGroup){"Search", rows, sizeof rows / sizeof *rows, choice};
}

static int lowest_of(const SearchChoice *choice, const Knob *knob)
{
    return choice->lowest < 0 ? knob->lowest : choice->lowest;
}

static int highest_of(const SearchChoice *choice, const Knob *knob)
{
    return choice->highest < 0 ? knob->highest : choice->highest;
}

int search_check_choice(const Session *session, const SearchChoice *choice,
                        const SessionEncoder *found)
{
    const Encoder *encoder = found->encoder;
    const Knob knob = session_knob(found);
    const int lowest = lowest_of(choice, &knob), highest = highest_of(choice, &knob);
    if (lowest > highest)
        return command_fail(session->command, TUNE_USAGE, "--crf-min %d is above --crf-max %d",
                            lowest, highest);
    if (lowest < knob.lowest || highest > knob.highest)
        return command_fail(session->command, TUNE_USAGE, "%s has %s from %d to %d", encoder->name,
                            encoder->knob_name, knob.lowest, knob.highest);
    return 0;
}

/* What the video of the source takes. */
static int source_kbps(const Session *session, const TuneSource *source, double *kbps)
{
    StreamFacts facts;
    Message why;
    FileLayout layout;
    if (source->is_raw) {
        if (video_format_layout(&source->format, &layout, &why))
            return command_fail(session->command, TUNE_USAGE, "%s", why.text);
        *kbps = (double)layout.frame_bytes * (double)source->frames * 8 / 1000 / source->seconds;
        return 0;
    }
    const int err = stream_examine(source->path, source->stream, source->rate, &facts, &why);
    if (!err)
        *kbps = stream_kbps(&facts, source->rate);
    stream_free(&facts);
    return err ? command_fail(session->command, TUNE_USAGE, "%s", why.text) : 0;
}

void search_set_target(SearchPlan *plan, const TuneSource *source, const SearchChoice *choice,
                       double target)
{
    plan->gates.gate[0].target = target;
    tune_gates_for_search(&plan->gates, plan->spec.encoder, (int)source->format.height,
                          choice->tolerance, &plan->search);
}

int search_make_plan(const Session *session, const SearchChoice *choice, const TuneSource *source,
                     const SessionEncoder *encoder, const char *preset, SearchPlan *plan)
{
    int status = session_check_preset(session, encoder->encoder, preset);
    if (!status)
        status = search_check_choice(session, choice, encoder);
    if (status)
        return status;
    const Knob knob = session_knob(encoder);
    *plan = (SearchPlan){
        .spec = session_spec(session, encoder, preset),
        .gates = session->gates,
        .search =
            {
                .strategy = (SearchStrategy)choice->strategy,
                .knob = knob,
                .first = lowest_of(choice, &knob),
                .last = highest_of(choice, &knob),
                .max_probes = choice->max_iterations,
                .on_non_monotonic = (OnNonMonotonic)choice->on_non_monotonic,
            },
    };
    search_set_target(plan, source, choice, plan->gates.gate[0].target);
    if (choice->max_percent > 0) {
        double kbps = 0;
        status = source_kbps(session, source, &kbps);
        plan->search.max_kbps = status ? 0 : kbps * choice->max_percent / 100;
    }
    return status;
}
