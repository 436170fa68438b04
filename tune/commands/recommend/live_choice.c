/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/recommend/live_choice.h"

#include "common/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int append(RowChoices *all, const RowChoices *some)
{
    if (!some->n)
        return 0;
    RowChoice *more = realloc(all->choices, (all->n + some->n) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    memcpy(more + all->n, some->choices, some->n * sizeof(*more));
    all->choices = more;
    all->n += some->n;
    all->n_usable += some->n_usable;
    return 0;
}

/* The choices of one encoder and preset. */
static int add_choices(LiveChoices *live, size_t n, const ChoiceRequest *request, Message *why)
{
    RowChoices choices;
    int err = row_choices_make(&choices, live->rows, n, request, why);
    if (err == -ENODATA)
        return 0; /* all of them failed, which was said */
    if (err)
        return err;
    err = append(&live->choices, &choices);
    row_choices_free(&choices);
    return err ? message_set(why, err, "out of memory") : 0;
}

static int add_presets(LiveChoices *live, const EncodeGrid *grid, const Encoder *encoder,
                       ChoiceRequest request, Message *why)
{
    const TextList *presets = &grid->options->presets;
    int err = 0;
    request.encoder = encoder->name;
    request.most_compressed = true;
    for (size_t i = 0; i < (presets->n ? presets->n : 1) && !err; i++) {
        request.preset = presets->n ? presets->text[i] : encoder->default_preset;
        err = add_choices(live, grid->n_rows, &request, why);
    }
    return err;
}

int live_choices_make(LiveChoices *live, const EncodeGrid *grid, const ChoiceRequest *request,
                      Message *why)
{
    *live = (LiveChoices){.rows = calloc(grid->n_rows + 1, sizeof(*live->rows))};
    if (!live->rows)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < grid->n_rows; i++)
        live->rows[i] = grid->rows[i].row;
    int err = 0;
    for (size_t i = 0; i < grid->n_encoders && !err; i++)
        err = add_presets(live, grid, grid->encoders[i].encoder, *request, why);
    if (!err && !live->choices.n)
        err = message_set(why, -ENODATA, "all encodes failed");
    return err;
}

void live_choices_free(LiveChoices *live)
{
    row_choices_free(&live->choices);
    free(live->rows);
    *live = (LiveChoices){0};
}

bool live_choices_met(const LiveChoices *live)
{
    for (size_t i = 0; i < live->choices.n; i++)
        if (live->choices.choices[i].met)
            return true;
    return false;
}

static void print(const RowChoices *choices, bool names_encoder, FILE *out)
{
    for (size_t i = 0; i < choices->n; i++) {
        const RowChoice *choice = &choices->choices[i];
        const Row *row = choice->row;
        if (!choice->met)
            continue;
        print_line(out, "src=%s%s%s preset=%s crf=%lld vmaf=%.3f (visited %zu encodes)", row->src,
                   names_encoder ? " encoder=" : "", names_encoder ? row->encoder : "", row->preset,
                   (long long)row->crf, row->vmaf_score, choice->of);
    }
}

void live_choices_print(const RowChoices *choices, const ChoiceRequest *request, FILE *out)
{
    (void)request;
    print(choices, false, out);
}

void live_choices_print_encoders(const RowChoices *choices, const ChoiceRequest *request, FILE *out)
{
    (void)request;
    print(choices, true, out);
}

bool live_choices_explain(const LiveChoices *live, const ChoiceRequest *request)
{
    for (size_t i = 0; i < live->choices.n; i++) {
        const RowChoice *choice = &live->choices.choices[i];
        const Row *row = choice->row;
        if (!choice->met)
            say("vmaf-tune recommend: %s: %s %s: nothing of %zu encodes reaches VMAF %g; the best "
                "is %.3f at crf %lld",
                row->src, row->encoder, row->preset, choice->of, request->target, row->vmaf_score,
                (long long)row->crf);
    }
    return live_choices_met(live);
}
