/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Members of a group that use the same device: the reference is uploaded to it once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/engine/harness.h"
#include "support/cases.h"

enum { N_FRAMES = 24, MEMBERS_MAX = 4, LEAVES_AT = 7 };

typedef struct Member {
    const char *backend; /* NULL: one that "auto" takes */
    bool luma_only;      /* motion alone */
    unsigned n_subsample;
    unsigned begins; /* has no pictures before this frame */
    bool leaves;     /* in the middle */
    bool may_fail;   /* its backend was chosen, so that its failure is an error */
} Member;

static Outcome outcomes[MEMBERS_MAX], truth;

static Clip clip_of(const Member *member)
{
    return (Clip){.backend = member->backend,
                  .n_frames = member->leaves ? LEAVES_AT : N_FRAMES,
                  .n_subsample = member->n_subsample,
                  .no_vif = true};
}

/* Each member has a video of its own. */
static VmafPicture distorted(unsigned frame, unsigned member)
{
    VmafPicture pic = clip_picture(frame, true);
    uint8_t *luma = pic.data[0];
    for (unsigned x = 0; x < pic.w[0]; x += 2 + member)
        luma[(frame % pic.h[0]) * (size_t)pic.stride[0] + x] ^= (uint8_t)(1 + member);
    return pic;
}

static VmafContext *open_member(const Member *member, const Clip *clip)
{
    if (!member->luma_only)
        return clip_open(clip);
    VmafContext *vmaf;
    const VmafConfiguration cfg = {.log_level = VMAF_LOG_LEVEL_NONE};
    assert_int_equal(vmaf_init(&vmaf, cfg), 0);
    assert_int_equal(vmaf_backend_select(vmaf, clip->backend, -1), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion", NULL), 0);
    return vmaf;
}

static void run_alone(unsigned member, const Member *who)
{
    Clip clip = clip_of(who);
    clip.backend = "cpu";
    memset(&truth, 0, sizeof(truth));
    VmafContext *vmaf = open_member(who, &clip);
    for (unsigned i = who->begins; i < clip.n_frames; i++) {
        VmafPicture ref = clip_picture(i, false), dist = distorted(i, member);
        assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, i), 0);
    }
    clip_end(vmaf, &clip, &truth);
}

typedef struct Team {
    VmafGroup *group;
    const Member *members;
    unsigned n;
    Clip clips[MEMBERS_MAX];
    VmafContext *contexts[MEMBERS_MAX];
} Team;

static Team open_team(const Member members[], unsigned n, unsigned n_threads, const Clip *settings)
{
    Team team = {.members = members, .n = n};
    const VmafGroupConfiguration cfg = {sizeof(cfg), n_threads};
    assert_int_equal(vmaf_group_create(&team.group, &cfg), 0);
    for (unsigned m = 0; m < n; m++) {
        team.clips[m] = clip_of(&members[m]);
        team.clips[m].in_flight = settings->in_flight;
        team.clips[m].time_limit = settings->time_limit;
        memset(&outcomes[m], 0, sizeof(outcomes[m]));
        team.contexts[m] = open_member(&members[m], &team.clips[m]);
        assert_int_equal(vmaf_group_add(team.group, team.contexts[m]), 0);
    }
    return team;
}

static void leave(Team *team, unsigned m)
{
    clip_end(team->contexts[m], &team->clips[m], &outcomes[m]);
    team->contexts[m] = NULL;
}

static void read_frame(Team *team, unsigned frame)
{
    VmafPicture ref = clip_picture(frame, false), dist[MEMBERS_MAX] = {0};
    int status[MEMBERS_MAX] = {0};
    for (unsigned m = 0; m < team->n; m++) {
        if (team->contexts[m] && !outcomes[m].error && frame >= team->members[m].begins)
            dist[m] = distorted(frame, m);
    }
    assert_int_equal(vmaf_group_read_pictures(team->group, &ref, dist, status, frame), 0);
    for (unsigned m = 0; m < team->n; m++) {
        if (status[m]) {
            assert_true(team->members[m].may_fail);
            outcomes[m].error = status[m];
            vmaf_picture_unref(&dist[m]);
        }
    }
}

/* Reads all frames, with a pause before the second for backends that "auto" takes. */
static void run_team(Team *team)
{
    for (unsigned i = 0; i < N_FRAMES; i++) {
        for (unsigned m = 0; m < team->n && i == 1; m++) {
            if (!team->members[m].begins)
                clip_wait(team->contexts[m]);
        }
        for (unsigned m = 0; m < team->n && i == LEAVES_AT; m++) {
            if (team->members[m].leaves)
                leave(team, m);
        }
        read_frame(team, i);
    }
    for (unsigned m = 0; m < team->n; m++) {
        if (team->contexts[m])
            leave(team, m);
    }
    assert_int_equal(vmaf_group_close(team->group), 0);
}

static void expect_members_as_alone(const Team *team)
{
    for (unsigned m = 0; m < team->n; m++) {
        if (outcomes[m].error) {
            assert_true(team->members[m].may_fail);
            continue;
        }
        run_alone(m, &team->members[m]);
        assert_true(clip_equal(&team->clips[m], &outcomes[m], &truth));
    }
}

static void run(const Member members[], unsigned n, unsigned n_threads)
{
    Team team = open_team(members, n, n_threads, &(Clip){.in_flight = 3});
    run_team(&team);
    expect_members_as_alone(&team);
}

static void expect_nothing_left(const FakeSettings *fake)
{
    assert_int_equal(atomic_load(&fake->n_buffers), 0);
    assert_int_equal(atomic_load(&fake->n_buffers_misused), 0);
    fake_expect_closed(fake);
}

static void expect_uploads(const FakeSettings *fake, unsigned n, unsigned n_refs_on_host)
{
    assert_int_equal(atomic_load(&fake->n_uploads), n);
    assert_int_equal(atomic_load(&fake->n_refs_on_host), n_refs_on_host);
}

static const Member three[] = {
    {.backend = "sharedone"}, {.backend = "sharedone"}, {.backend = "sharedone"}};

CASE(given_members_on_one_device_then_each_reference_is_uploaded_once)
{
    for (unsigned n_threads = 0; n_threads <= 2; n_threads++) {
        FakeSettings *fake = fake_reset("sharedone");
        run(three, 3, n_threads);
        assert_int_equal(atomic_load(&fake->n_uploads), N_FRAMES);
        assert_int_equal(atomic_load(&fake->n_planes_uploaded), 3 * N_FRAMES);
        assert_int_equal(atomic_load(&fake->n_refs_uploaded), 3 * N_FRAMES);
        assert_int_equal(atomic_load(&fake->n_refs_on_host), 0);
        expect_nothing_left(fake);
    }
}

/* One for each frame that is in work, and no more. */
CASE(given_many_frames_then_buffers_are_used_again)
{
    FakeSettings *fake = fake_reset("sharedone");
    fake->answer_us = 500;
    run(three, 3, 0);
    const unsigned made = atomic_load(&fake->n_buffers_made);
    assert_in_range(made, 1, N_FRAMES / 2);
    expect_nothing_left(fake);
}

CASE(given_one_member_on_a_device_then_nothing_is_shared)
{
    static const Member members[] = {
        {.backend = "sharedone"}, {.backend = "cpu"}, {.backend = "sharedtwo"}};
    FakeSettings *one = fake_reset("sharedone"), *two = fake_reset("sharedtwo");
    run(members, 3, 1);
    assert_int_equal(atomic_load(&one->n_refs_on_host), N_FRAMES);
    assert_int_equal(atomic_load(&two->n_refs_on_host), N_FRAMES);
    assert_int_equal(atomic_load(&one->n_buffers_made) + atomic_load(&two->n_buffers_made), 0);
}

CASE(given_two_devices_then_only_the_one_with_two_members_shares)
{
    static const Member members[] = {
        {.backend = "sharedone"}, {.backend = "sharedtwo"}, {.backend = "sharedone"}};
    FakeSettings *one = fake_reset("sharedone"), *two = fake_reset("sharedtwo");
    run(members, 3, 1);
    expect_uploads(one, N_FRAMES, 0);
    expect_uploads(two, 0, N_FRAMES);
    expect_nothing_left(one);
    expect_nothing_left(two);
}

CASE(given_two_devices_then_it_is_uploaded_to_each)
{
    static const Member members[] = {{.backend = "sharedone"},
                                     {.backend = "sharedtwo"},
                                     {.backend = "sharedone"},
                                     {.backend = "sharedtwo"}};
    FakeSettings *one = fake_reset("sharedone"), *two = fake_reset("sharedtwo");
    run(members, 4, 1);
    assert_int_equal(atomic_load(&one->n_uploads), N_FRAMES);
    assert_int_equal(atomic_load(&two->n_uploads), N_FRAMES);
    assert_int_equal(atomic_load(&one->n_refs_uploaded), 2 * N_FRAMES);
    assert_int_equal(atomic_load(&two->n_refs_uploaded), 2 * N_FRAMES);
    expect_nothing_left(one);
    expect_nothing_left(two);
}

CASE(given_a_backend_without_such_buffers_then_nothing_is_different)
{
    static const Member members[] = {{.backend = "unshared"}, {.backend = "unshared"}};
    FakeSettings *fake = fake_reset("unshared");
    run(members, 2, 1);
    assert_int_equal(atomic_load(&fake->n_refs_on_host), 2 * N_FRAMES);
    expect_nothing_left(fake);
}

/* What any of them reads is uploaded, in any order, and nothing besides. */
CASE(given_members_that_read_other_planes_then_all_are_uploaded_once)
{
    static const Member orders[][3] = {
        {{.backend = "sharedone", .luma_only = true}, {.backend = "sharedone"}, {.backend = "cpu"}},
        {{.backend = "sharedone"}, {.backend = "cpu"}, {.backend = "sharedone", .luma_only = true}},
        {{.backend = "sharedone", .luma_only = true},
         {.backend = "sharedone", .luma_only = true},
         {.backend = "cpu"}}};
    for (int order = 0; order < 3; order++) {
        FakeSettings *fake = fake_reset("sharedone");
        run(orders[order], 3, 1);
        expect_uploads(fake, N_FRAMES, 0);
        assert_int_equal(atomic_load(&fake->n_planes_uploaded), (order < 2 ? 3 : 1) * N_FRAMES);
        expect_nothing_left(fake);
    }
}

/* Buffers that were made when nobody read chroma are too small for one that does. */
CASE(given_a_member_that_begins_later_then_what_it_reads_is_uploaded)
{
    enum { BEGINS = 6 };
    static const Member members[] = {{.backend = "sharedone", .luma_only = true},
                                     {.backend = "sharedone", .luma_only = true},
                                     {.backend = "sharedone", .begins = BEGINS}};
    FakeSettings *fake = fake_reset("sharedone");
    run(members, 3, 1);
    expect_uploads(fake, N_FRAMES, 0);
    assert_int_equal(atomic_load(&fake->n_planes_uploaded), BEGINS + 3 * (N_FRAMES - BEGINS));
    expect_nothing_left(fake);
}

/* A member that scores every third frame still needs every reference for motion. */
CASE(given_a_member_that_samples_then_the_others_share_all_the_same)
{
    static const Member members[] = {{.backend = "sharedone"},
                                     {.backend = "sharedone", .n_subsample = 3}};
    FakeSettings *fake = fake_reset("sharedone");
    run(members, 2, 1);
    expect_uploads(fake, N_FRAMES, 0);
    expect_nothing_left(fake);
}

CASE(given_a_member_that_leaves_then_those_that_stay_share)
{
    static const Member of_three[] = {{.backend = "sharedone"},
                                      {.backend = "sharedone", .leaves = true},
                                      {.backend = "sharedone"}};
    FakeSettings *fake = fake_reset("sharedone");
    run(of_three, 3, 1);
    expect_uploads(fake, N_FRAMES, 0);
    assert_int_equal(atomic_load(&fake->n_refs_uploaded), 2 * N_FRAMES + LEAVES_AT);
    expect_nothing_left(fake);
}

CASE(given_a_member_that_leaves_then_the_last_one_is_alone)
{
    static const Member of_two[] = {{.backend = "sharedone"},
                                    {.backend = "sharedone", .leaves = true}};
    FakeSettings *fake = fake_reset("sharedone");
    run(of_two, 2, 1);
    expect_uploads(fake, LEAVES_AT, N_FRAMES - LEAVES_AT);
    expect_nothing_left(fake);
}

CASE(given_no_memory_for_buffers_then_references_are_handed_over_as_ever)
{
    FakeSettings *fake = fake_reset("sharedone");
    fake->refuse_buffers = true;
    run(three, 3, 1);
    expect_uploads(fake, 0, 3 * N_FRAMES);
    expect_nothing_left(fake);
}

CASE(given_uploads_that_fail_then_references_are_handed_over_as_ever)
{
    FakeSettings *fake = fake_reset("sharedone");
    fake->n_good_uploads = 5;
    run(three, 3, 1);
    /* Those that were in work when it was found out may have been tried, too. */
    assert_in_range(atomic_load(&fake->n_uploads), 6, 12);
    assert_int_equal(atomic_load(&fake->n_refs_uploaded), 3 * 5);
    assert_int_equal(atomic_load(&fake->n_refs_on_host), 3 * (N_FRAMES - 5));
    expect_nothing_left(fake);
}

CASE(given_a_device_lost_in_an_upload_then_the_cpu_scores)
{
    static const Member members[] = {{.backend = NULL}, {.backend = NULL}};
    FakeSettings *fakes[] = {fake_reset("sharedone"), fake_reset("sharedtwo"),
                             fake_reset("unshared")};
    for (int i = 0; i < 3; i++) {
        fakes[i]->lose_device_in_upload = true;
        fakes[i]->fault = FAULT_SUBMIT_LOST;
        fakes[i]->fault_frame = 1;
    }
    run(members, 2, 1);
    for (int i = 0; i < 3; i++)
        expect_nothing_left(fakes[i]);
}

/* By every way in which a session ends, with the backend chosen and without. */
CASE(given_a_member_whose_session_fails_then_the_others_go_on)
{
    static const FakeFault faults[] = {FAULT_SUBMIT_LOST, FAULT_COLLECT_LOST, FAULT_COLLECT_FAILED,
                                       FAULT_OVERWRITE};
    static const Member members[] = {{.backend = "sharedone", .may_fail = true},
                                     {.backend = "sharedone", .may_fail = true},
                                     {.backend = "sharedone", .may_fail = true}};
    for (size_t f = 0; f < sizeof(faults) / sizeof(faults[0]); f++) {
        FakeSettings *fake = fake_reset("sharedone");
        fake->fault = faults[f];
        fake->fault_session = 2;
        fake->fault_frame = 5;
        run(members, 3, 1);
        assert_int_equal(outcomes[0].error, 0);
        assert_true(outcomes[1].error != 0);
        assert_int_equal(outcomes[2].error, 0);
        expect_uploads(fake, N_FRAMES, 0);
        expect_nothing_left(fake);
    }
}

/* While pictures are on the device: they go when the last frame that has one goes. */
CASE(given_all_sessions_fail_then_nothing_of_the_device_is_left)
{
    static const Member members[] = {{.backend = "sharedone", .may_fail = true},
                                     {.backend = "sharedone", .may_fail = true}};
    FakeSettings *fake = fake_reset("sharedone");
    fake->fault = FAULT_COLLECT_LOST;
    fake->fault_frame = 3;
    run(members, 2, 1);
    assert_true(outcomes[0].error && outcomes[1].error);
    expect_nothing_left(fake);
}

CASE(given_auto_when_a_session_fails_then_all_scores_are_there)
{
    static const Member members[] = {{.backend = NULL}, {.backend = NULL}, {.backend = NULL}};
    for (unsigned session = 0; session <= 3; session++) { /* 0: all of them */
        FakeSettings *fakes[] = {fake_reset("sharedone"), fake_reset("sharedtwo"),
                                 fake_reset("unshared")};
        for (int i = 0; i < 3; i++) {
            fakes[i]->fault = FAULT_COLLECT_LOST;
            fakes[i]->fault_session = session;
            fakes[i]->fault_frame = 2;
        }
        run(members, 3, 1);
        for (int i = 0; i < 3; i++)
            expect_nothing_left(fakes[i]);
    }
}

/* Of the group, or of the last member: in any order. */
CASE(given_the_group_is_closed_first_then_members_still_have_their_scores)
{
    FakeSettings *fake = fake_reset("sharedone");
    fake->answer_us = 2000;
    Team team = open_team(three, 3, 1, &(Clip){.in_flight = 4});
    for (unsigned i = 0; i < N_FRAMES; i++)
        read_frame(&team, i);
    assert_int_equal(vmaf_group_close(team.group), 0);
    for (unsigned m = 0; m < 3; m++)
        leave(&team, m);
    expect_members_as_alone(&team);
    expect_nothing_left(fake);
}

/* The backend is given up; nobody waits for it, and nothing that it may read is freed. */
static void given_an_upload_that_hangs_then_the_cpu_scores(void **state)
{
    enum { TIME_LIMIT = 300 };
    static const Member members[] = {{.backend = "sharedone", .may_fail = true},
                                     {.backend = "sharedone", .may_fail = true},
                                     {.backend = "cpu"}};
    FakeSettings *fake = fake_reset("sharedone");
    fake->hang_upload = true;
    Team team = open_team(members, 3, 1, &(Clip){.time_limit = TIME_LIMIT});
    run_team(&team);
    expect_members_as_alone(&team);
    for (unsigned m = 0; m < 2; m++) {
        assert_int_equal(outcomes[m].error, -ETIMEDOUT);
        assert_non_null(strstr(outcomes[m].reason, "it does not return from submit"));
    }
    assert_int_equal(outcomes[2].error, 0);
    assert_int_equal(atomic_load(&fake->n_uploads), 1);
    atomic_store(&fake->release, true);
}

int main(int argc, char **argv)
{
    if (take_argument(&argc, &argv, "hang")) {
        const struct CMUnitTest tests[] = {
            cmocka_unit_test(given_an_upload_that_hangs_then_the_cpu_scores)};
        return run_cases_of(argc, argv, tests);
    }
    return run_cases(argc, argv);
}
