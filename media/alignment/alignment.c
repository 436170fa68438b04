/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/alignment/alignment.h"

#include "media/alignment/signature.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LEVEL = 256,
    STILL = 2,             /* distance of frames that are repeated: rounding in a decoder */
    MOVES = 3 * LEVEL / 2, /* from one frame to the next; coding would not leave that out */
    MOVED = 3 * LEVEL,     /* from the beginning of a freeze */
    BLACK = 20 * LEVEL,    /* luma of black is 16 in limited range */
    PICTURE = 40 * LEVEL,  /* certainly not black, whatever the range */
    LONG_STILL = 48,       /* frames */
    LONG_BLACK = 24,
    LONG_BORDERS = 24,
    LEAST_REPEATS = 3,   /* places */
    REPEATS_SHARE = 100, /* one frame in so many */
};

static bool row_is_black(const Signature *signature, unsigned row)
{
    for (unsigned i = 0; i < SIGNATURE_COLUMNS; i++)
        if (signature->mean[row * SIGNATURE_COLUMNS + i] >= BLACK)
            return false;
    return true;
}

static bool column_is_black(const Signature *signature, unsigned column)
{
    for (unsigned j = 0; j < SIGNATURE_ROWS; j++)
        if (signature->mean[j * SIGNATURE_COLUMNS + column] >= BLACK)
            return false;
    return true;
}

static BorderWatch borders_of(const Signature *signature)
{
    BorderWatch border = {0};
    while (border.top < SIGNATURE_ROWS && row_is_black(signature, border.top))
        border.top++;
    while (border.bottom < SIGNATURE_ROWS &&
           row_is_black(signature, SIGNATURE_ROWS - 1 - border.bottom))
        border.bottom++;
    while (border.left < SIGNATURE_COLUMNS && column_is_black(signature, border.left))
        border.left++;
    while (border.right < SIGNATURE_COLUMNS &&
           column_is_black(signature, SIGNATURE_COLUMNS - 1 - border.right))
        border.right++;
    return border;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void watch_borders(PairWatch *watch, unsigned side, const Signature *signature)
{
    const BorderWatch here = borders_of(signature);
    BorderWatch *all = &watch->border[side];
    if (!watch->frames)
        *all = here;
    all->top = smaller(all->top, here.top);
    all->bottom = smaller(all->bottom, here.bottom);
    all->left = smaller(all->left, here.left);
    all->right = smaller(all->right, here.right);
    for (unsigned i = 0; i < SIGNATURE_ROWS * SIGNATURE_COLUMNS; i++)
        if (signature->mean[i] > watch->brightest[side].mean[i])
            watch->brightest[side].mean[i] = signature->mean[i];
}

/* Does a side move, and not just flicker? Noise changes as much over one frame as over two. */
static bool moves(const PairWatch *watch, unsigned side, const Signature *now, double change)
{
    const double over_two = signature_distance(now, &watch->second[side]);
    return change >= MOVES && over_two >= 1.4 * change;
}

/* Frames that are repeated several times over, as at the end of a padded video, are one place. */
static void watch_repeats(PairWatch *watch, const Signature *const now[WATCH_SIDES],
                          const double change[WATCH_SIDES])
{
    for (unsigned side = 0; side < WATCH_SIDES; side++) {
        StillWatch *repeats = &watch->repeats[side];
        const bool still = change[side] <= STILL;
        if (still && !repeats->still && moves(watch, !side, now[!side], change[!side]) &&
            !repeats->count++)
            repeats->first = watch->frames;
        repeats->still = still;
    }
}

static bool is_black(const Signature *signature)
{
    for (unsigned row = 0; row < SIGNATURE_ROWS; row++)
        if (!row_is_black(signature, row))
            return false;
    return true;
}

static bool has_picture(const Signature *signature)
{
    for (unsigned i = 0; i < SIGNATURE_ROWS * SIGNATURE_COLUMNS; i++)
        if (signature->mean[i] >= PICTURE)
            return true;
    return false;
}

/* Counts frames for which something holds without a gap; true once they are enough. */
static bool run_goes_on(RunWatch *run, bool holds, unsigned long long frame, unsigned enough)
{
    if (!holds) {
        run->frames = 0;
        return false;
    }
    if (!run->frames++)
        run->begin = frame;
    return run->frames >= enough && !run->reported;
}

/* Noise changes as much from one frame to the next as over many, and is no movement. */
static WatchEvent watch_freeze(PairWatch *watch, const Signature *reference,
                               const double change[WATCH_SIDES])
{
    enum { MORE_THAN_NOISE = 2 };
    const bool still = watch->frames && change[WATCH_DISTORTED] <= STILL;
    if (still && !watch->frozen.frames)
        watch->begin_of_still = watch->before[WATCH_REFERENCE];
    if (!run_goes_on(&watch->frozen, still, watch->frames, LONG_STILL))
        return WATCH_NOTHING;
    const double moved = signature_distance(&watch->begin_of_still, reference);
    if (moved < MOVED || moved < MORE_THAN_NOISE * change[WATCH_REFERENCE])
        return WATCH_NOTHING;
    watch->frozen.reported = true;
    return WATCH_FROZEN;
}

WatchEvent pair_watch_add(PairWatch *watch, const Signature *reference, const Signature *distorted)
{
    const Signature *now[WATCH_SIDES] = {reference, distorted};
    double change[WATCH_SIDES] = {0};
    for (unsigned side = 0; side < WATCH_SIDES; side++) {
        watch_borders(watch, side, now[side]);
        if (watch->frames)
            change[side] = signature_distance(now[side], &watch->before[side]);
    }
    if (watch->frames > 1)
        watch_repeats(watch, now, change);
    WatchEvent event = WATCH_NOTHING;
    const bool black = is_black(distorted) && has_picture(reference);
    if (run_goes_on(&watch->black, black, watch->frames, LONG_BLACK)) {
        watch->black.reported = true;
        event = WATCH_BLACK;
    } else if (!black) {
        event = watch_freeze(watch, reference, change);
    }
    for (unsigned side = 0; side < WATCH_SIDES; side++) {
        watch->second[side] = watch->before[side];
        watch->before[side] = *now[side];
    }
    watch->frames++;
    return event;
}

unsigned long long pair_watch_repeats(const PairWatch *watch, unsigned side,
                                      unsigned long long *first)
{
    const StillWatch *repeats = &watch->repeats[side];
    *first = repeats->first;
    const bool many =
        repeats->count >= LEAST_REPEATS && repeats->count * REPEATS_SHARE >= watch->frames;
    return many && repeats->count > watch->repeats[!side].count ? repeats->count : 0;
}

/* Do blocks from row `begin` to `end` of columns `left` to `right` show a picture at some time? */
static bool shows(const Signature *brightest, unsigned begin, unsigned end, unsigned left,
                  unsigned right)
{
    for (unsigned j = begin; j < end; j++)
        for (unsigned i = left; i < right; i++)
            if (brightest->mean[j * SIGNATURE_COLUMNS + i] >= PICTURE)
                return true;
    return false;
}

/* Has this side black borders where the other one has a picture? */
static bool pair_watch_has_borders(const PairWatch *watch, unsigned side)
{
    enum { ROWS = SIGNATURE_ROWS, COLUMNS = SIGNATURE_COLUMNS };
    const BorderWatch *mine = &watch->border[side];
    const Signature *other = &watch->brightest[!side];
    if (watch->frames < LONG_BORDERS || mine->top == ROWS)
        return false;
    const bool rows = shows(other, 0, mine->top, 0, COLUMNS) &&
                      shows(other, ROWS - mine->bottom, ROWS, 0, COLUMNS);
    const bool columns = shows(other, 0, ROWS, 0, mine->left) &&
                         shows(other, 0, ROWS, COLUMNS - mine->right, COLUMNS);
    return rows || columns;
}

enum {
    ROOM = 256,                  /* signatures that are kept of each side */
    STEP = ALIGNMENT_WINDOW / 2, /* from one window to the next */
    MAX_FINDINGS = 64,           /* a video of two rates would give thousands */
};

struct Alignment {
    SignatureTrack track[2];
    unsigned long long paired;      /* frames of which both sides were watched */
    unsigned long long next_window; /* its first frame */
    bool judged_any;                /* a window was certain */
    int first_offset;               /* of the first of them */
    int offset;                     /* that holds so far */
    unsigned long long holds_at;    /* middle of the last window in which it was seen */
    bool doubted;                   /* the last certain window had another offset, */
    int other_offset;               /* this one, */
    unsigned long long other_at;    /* in this middle */
    PairWatch watch;
    unsigned n_findings;
    AlignmentFinding findings[MAX_FINDINGS];
};

int alignment_create(Alignment **alignment)
{
    Alignment *created = calloc(1, sizeof(*created));
    if (!created)
        return -ENOMEM;
    for (unsigned side = 0; side < 2; side++) {
        SignatureTrack *track = &created->track[side];
        track->room = ROOM;
        track->ring = calloc(ROOM, sizeof(*track->ring));
        if (!track->ring) {
            alignment_destroy(created);
            return -ENOMEM;
        }
    }
    *alignment = created;
    return 0;
}

void alignment_destroy(Alignment *alignment)
{
    if (!alignment)
        return;
    free(alignment->track[0].ring);
    free(alignment->track[1].ring);
    free(alignment);
}

static void find(Alignment *alignment, AlignmentFinding finding)
{
    if (alignment->n_findings < MAX_FINDINGS)
        alignment->findings[alignment->n_findings++] = finding;
}

/* The other offset holds from some frame on. */
static void change_offset(Alignment *alignment)
{
    unsigned long long frame = 0;
    if (alignment->holds_at)
        frame = window_change(&alignment->track[0], &alignment->track[1], alignment->holds_at,
                              alignment->other_at, alignment->offset, alignment->other_offset);
    alignment->offset = alignment->other_offset;
    alignment->holds_at = alignment->other_at;
    find(alignment, (AlignmentFinding){
                        .kind = ALIGNMENT_OFFSET,
                        .frame = frame,
                        .offset = alignment->offset,
                    });
}

/* One window alone could be a mistake: the next that is certain has to agree, if there is one. */
static void consider(Alignment *alignment, WindowVerdict verdict, unsigned long long middle,
                     bool is_last)
{
    if (!verdict.certain)
        return;
    if (!alignment->judged_any) {
        alignment->judged_any = true;
        alignment->first_offset = verdict.offset;
    }
    if (verdict.offset == alignment->offset) {
        alignment->doubted = false;
        alignment->holds_at = middle;
        return;
    }
    const bool confirmed = alignment->doubted && verdict.offset == alignment->other_offset;
    if (!confirmed) {
        alignment->doubted = true;
        alignment->other_offset = verdict.offset;
        alignment->other_at = middle;
    }
    if (confirmed || is_last) {
        alignment->doubted = false;
        change_offset(alignment);
    }
}

static unsigned long long paired_end(const Alignment *alignment)
{
    const unsigned long long a = alignment->track[0].end, b = alignment->track[1].end;
    return a < b ? a : b;
}

static void judge(Alignment *alignment, unsigned long long begin, unsigned long long end,
                  bool is_last)
{
    const WindowVerdict verdict =
        window_judge(&alignment->track[0], &alignment->track[1], begin, end);
    consider(alignment, verdict, begin + (end - begin) / 2, is_last);
}

static void watch_pair(Alignment *alignment)
{
    const unsigned long long frame = alignment->paired++;
    const WatchEvent event =
        pair_watch_add(&alignment->watch, track_at(&alignment->track[0], frame),
                       track_at(&alignment->track[1], frame));
    if (event == WATCH_FROZEN) {
        find(alignment,
             (AlignmentFinding){.kind = ALIGNMENT_FROZEN, .frame = alignment->watch.frozen.begin});
    }
    if (event == WATCH_BLACK) {
        find(alignment,
             (AlignmentFinding){.kind = ALIGNMENT_BLACK, .frame = alignment->watch.black.begin});
    }
}

void alignment_add_signature(Alignment *alignment, AlignmentSide side, const Signature *signature)
{
    SignatureTrack *track = &alignment->track[side];
    track->ring[track->end % track->room] = *signature;
    track->end++;
    if (track->end - track->begin > track->room)
        track->begin = track->end - track->room;
    while (alignment->paired < paired_end(alignment))
        watch_pair(alignment);
    while (paired_end(alignment) >= alignment->next_window + ALIGNMENT_AHEAD) {
        const unsigned long long begin = alignment->next_window;
        judge(alignment, begin, begin + ALIGNMENT_WINDOW, false);
        alignment->next_window += STEP;
    }
}

void alignment_add(Alignment *alignment, AlignmentSide side, const VmafPicture *picture)
{
    Signature signature;
    signature_take(picture, &signature);
    alignment_add_signature(alignment, side, &signature);
}

static void report_counts(Alignment *alignment)
{
    for (unsigned side = 0; side < 2; side++) {
        const AlignmentSide named = side ? ALIGNMENT_DISTORTED : ALIGNMENT_REFERENCE;
        unsigned long long first;
        const unsigned long long count = pair_watch_repeats(&alignment->watch, side, &first);
        if (count)
            find(alignment, (AlignmentFinding){
                                .kind = ALIGNMENT_REPEATED,
                                .side = named,
                                .frame = first,
                                .count = count,
                            });
        if (pair_watch_has_borders(&alignment->watch, side))
            find(alignment, (AlignmentFinding){.kind = ALIGNMENT_BORDERS, .side = named});
    }
}

void alignment_end(Alignment *alignment)
{
    const unsigned long long end = paired_end(alignment);
    const unsigned long long begin = end > ALIGNMENT_WINDOW ? end - ALIGNMENT_WINDOW : 0;
    if (end >= ALIGNMENT_LEAST)
        judge(alignment, begin, end, true);
    if (alignment->doubted) /* it was seen, and nothing has contradicted it since */
        change_offset(alignment);
    report_counts(alignment);
}

const AlignmentFinding *alignment_finding(const Alignment *alignment, unsigned n)
{
    return n < alignment->n_findings ? &alignment->findings[n] : NULL;
}

bool alignment_first_offset(const Alignment *alignment, int *offset)
{
    *offset = alignment->first_offset;
    return alignment->judged_any;
}

/* "2 frames late" */
static void describe_offset(int offset, char *text, size_t size)
{
    const unsigned frames = (unsigned)abs(offset);
    snprintf(text, size, "%u frame%s %s", frames, frames == 1 ? "" : "s",
             offset > 0 ? "late" : "early");
}

static void describe_shift(const AlignmentFinding *finding, const char *distorted, bool can_apply,
                           Message *line)
{
    char how[64];
    describe_offset(finding->offset, how, sizeof(how));
    if (!finding->frame) {
        message_set(line, 0, "alignment: %s is %s: scores compare different frames%s", distorted,
                    how, can_apply ? "; try --align auto" : "");
    } else if (finding->offset) {
        message_set(line, 0,
                    "alignment: from frame %llu on %s is %s: a frame was dropped or repeated",
                    finding->frame, distorted, how);
    } else {
        message_set(line, 0, "alignment: from frame %llu on %s is in line again", finding->frame,
                    distorted);
    }
}

void alignment_describe(const AlignmentFinding *finding, const char *distorted, bool can_apply,
                        Message *line)
{
    const bool of_distorted = finding->side == ALIGNMENT_DISTORTED;
    const char *side = of_distorted ? distorted : "the reference";
    const char *other = of_distorted ? "the reference" : distorted;
    switch (finding->kind) {
    case ALIGNMENT_OFFSET:
        describe_shift(finding, distorted, can_apply, line);
        break;
    case ALIGNMENT_BORDERS:
        message_set(line, 0,
                    "alignment: %s has black borders where %s has a picture: is one of them "
                    "cropped?",
                    side, other);
        break;
    case ALIGNMENT_REPEATED:
        message_set(line, 0,
                    "alignment: %s repeats %llu frames that move in %s (the first is %llu): was "
                    "its rate changed?",
                    side, finding->count, other, finding->frame);
        break;
    case ALIGNMENT_FROZEN:
        message_set(line, 0,
                    "alignment: %s stands still from frame %llu on, while the reference moves",
                    distorted, finding->frame);
        break;
    case ALIGNMENT_BLACK:
        message_set(line, 0,
                    "alignment: %s is black from frame %llu on, while the reference is not",
                    distorted, finding->frame);
        break;
    }
}
