/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Records that a run keeps: other models are scored from them, and an interrupted run goes on. */
#include "clip.h"
#include "options/catalogue.h"
#include "parts.h"
#include "program.h"
#include "report_files.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"

enum { FRAMES = 80 };

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 80, .frames = FRAMES};
    clip_write_pair(&clip);
    clip.frames = FRAMES - 7;
    clip_write(&clip, "short.y4m");
    clip = (Clip){.width = 96, .height = 80, .frames = FRAMES, .raw = true};
    clip_write_pair(&clip);
    return 0;
}

CASE(keeping_records_changes_no_report)
{
    do_words("ref.y4m dis.y4m --feature psnr -o whole.json");
    do_words("ref.y4m dis.y4m --feature psnr -o other.json --keep-records run.vmafs");
    expect_equal_reports("other.json", "whole.json");
    assert_true(file_exists("run.vmafs"));
    remove("run.vmafs");
}

CASE(a_merge_of_the_records_gives_the_reports_again)
{
    score_whole("ref.y4m dis.y4m --feature psnr=enable_apsnr=true --feature speed_temporal");
    do_words("ref.y4m dis.y4m --feature psnr=enable_apsnr=true --feature speed_temporal "
             "--keep-records run.vmafs");
    expect_whole("merge", "run.vmafs", "");
    remove_whole();
    remove("run.vmafs");
}

/* -- other models -- */

CASE(a_rescore_equals_a_run_with_that_model)
{
    static const char *const choices[] = {
        "-m version=vmaf_v0.6.1",
        "-m version=vmaf_v0.6.1:enable_transform:name=phone",
        "-m version=vmaf_4k_v0.6.1",
        "-m version=vmaf_b_v0.6.3",
        "-m version=vmaf_v0.6.1 -m version=vmaf_4k_v0.6.1:name=b",
        "-m version=vmaf_v0.6.1 --feature psnr",
        "-n --feature psnr",
        "-n --feature motion",
        "-n --feature motion=motion_five_frame_window=false:motion_max_val=3",
        "-m auto",
    };
    do_words("ref.y4m dis.y4m --feature psnr --keep-records run.vmafs -q");
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        char run[256];
        snprintf(run, sizeof(run), "ref.y4m dis.y4m %s", choices[i]);
        score_whole(run);
        expect_whole("rescore", "run.vmafs", choices[i]);
        remove_whole();
    }
    remove("run.vmafs");
}

CASE(records_that_are_missing_are_named)
{
    do_words("ref.y4m dis.y4m --keep-records run.vmafs");
    const unsigned before = file_count();
    expect_status(run_words("rescore run.vmafs --feature ciede -o other.csv"), 234,
                  "run.vmafs has no records of ciede");
    expect_status(run_words("rescore run.vmafs -m version=vmaf_v0.6.1neg -n -o other.csv"), 234,
                  "run.vmafs has no records of ");
    expect_status(run_words("rescore run.vmafs --feature nosuch -o other.csv"), 255, "nosuch");
    assert_int_equal(file_count(), before);
    remove("run.vmafs");
}

CASE(all_features_that_are_stored)
{
    do_words("ref.y4m dis.y4m --feature psnr --feature ciede --keep-records run.vmafs");
    do_words("rescore run.vmafs --all -o other.json");
    char *report = take_report("other.json");
    assert_non_null(strstr(report, "\"psnr_y\""));
    assert_non_null(strstr(report, "\"ciede2000\""));
    assert_non_null(strstr(report, "\"integer_motion2\""));
    assert_non_null(strstr(report, "\"vmaf\""));
    free(report);
    remove("run.vmafs");
}

/* Defaults outside the range of their options, as those of cambi, are no options that were given.
 */
CASE(every_feature_of_the_library_is_rescored_by_all)
{
    Clip clip = {.width = 240, .height = 216, .frames = 2};
    clip_write_pair(&clip);
    char options[1024];
    size_t used = 0;
    VmafExtractorInfo info;
    for (unsigned i = 0; catalogue_next_extractor(&i, &info);) {
        if (strcmp(info.name, "null") != 0)
            used += (size_t)snprintf(options + used, sizeof(options) - used, " --feature %s",
                                     info.name);
    }
    assert_true(used < sizeof(options));
    do_words("ref.y4m dis.y4m -n%s --keep-records run.vmafs -o whole.csv", options);
    do_words("rescore run.vmafs -n --all -o other.csv");
    expect_equal_reports("other.csv", "whole.csv");
    do_words("ref.y4m dis.y4m -n --feature cambi=enc_width=300:cambi_eotf=pq:topk=0.1 "
             "--keep-records run.vmafs -o whole.csv");
    do_words("rescore run.vmafs -n --all -o other.csv");
    expect_equal_reports("other.csv", "whole.csv");
    remove("run.vmafs");
    clip = (Clip){.width = 96, .height = 80, .frames = FRAMES};
    clip_write_pair(&clip);
}

CASE(subsampling_is_that_of_the_run)
{
    do_words("ref.y4m dis.y4m --subsample 3 --feature psnr --keep-records run.vmafs");
    score_whole("ref.y4m dis.y4m --subsample 3 -n --feature psnr");
    expect_whole("rescore", "run.vmafs", "-n --feature psnr");
    expect_status(run_words("rescore run.vmafs --subsample 2 -o other.csv"), 1,
                  "not for vmaf rescore");
    remove_whole();
    remove("run.vmafs");
}

/* -- resuming -- */

static long size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) ? -1 : (long)status.st_size;
}

CASE(a_run_goes_on_wherever_its_file_ends)
{
    static const char run[] = "ref.y4m dis.y4m --feature psnr=enable_apsnr=true --feature motion";
    score_whole(run);
    do_words("%s --keep-records run.vmafs", run);
    const long size = size_of("run.vmafs");
    for (int i = 0; i <= 6; i++) {
        /* The header survives: a_file_that_is_not_there_is_begun has the other case. */
        const long cut = size - (long)i * (size / 2) / 6 - (i > 0);
        assert_int_equal(truncate("run.vmafs", cut), 0);
        if (cut < size)
            expect_status(run_words("merge run.vmafs -o other.csv"), 234, "run.vmafs: ");
        char line[256];
        snprintf(line, sizeof(line), "%s --threads %d", run, i % 3);
        do_words("%s --resume run.vmafs -o other.csv", line);
        do_words("ref.y4m dis.y4m --feature psnr=enable_apsnr=true --feature motion -o again.csv");
        expect_equal_reports("other.csv", "again.csv");
        expect_whole("merge", "run.vmafs", "");
    }
    remove_whole();
    remove("run.vmafs");
}

CASE(all_reports_of_a_resumed_run)
{
    score_whole("ref.y4m dis.y4m");
    do_words("ref.y4m dis.y4m --keep-records run.vmafs");
    assert_int_equal(truncate("run.vmafs", size_of("run.vmafs") * 2 / 3), 0);
    expect_whole("ref.y4m dis.y4m --resume run.vmafs", "", "");
    expect_whole("ref.y4m dis.y4m --resume run.vmafs", "", ""); /* which is complete */
    remove_whole();
    remove("run.vmafs");
}

CASE(a_hash_lets_no_other_video_go_on)
{
    do_words("ref.y4m dis.y4m --sha256 --keep-records run.vmafs");
    assert_int_equal(truncate("run.vmafs", size_of("run.vmafs") * 2 / 3), 0);
    expect_status(run_words("ref.y4m ref.y4m --sha256 --resume run.vmafs"), 234, "other sha256");
    expect_status(run_words("ref.y4m dis.y4m --resume run.vmafs"), 234, "other sha256");
    do_words("ref.y4m dis.y4m --sha256 --resume run.vmafs");
    remove("run.vmafs");
    static const char *const arguments[] = {"ref.y4m",        "-",         "-q", "--sha256",
                                            "--keep-records", "run.vmafs", NULL};
    expect_status(program_run_fed("cat dis.y4m", arguments), 234, "--sha256 needs a file");
    assert_false(file_exists("run.vmafs"));
}

CASE(a_file_that_is_not_there_is_begun)
{
    score_whole("ref.y4m dis.y4m");
    expect_whole("ref.y4m dis.y4m --resume run.vmafs", "", "");
    expect_whole("merge", "run.vmafs", "");
    static const long cuts[] = {0, 3, 8, 15, 16, 40}; /* all within the header */
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        assert_int_equal(truncate("run.vmafs", cuts[i]), 0);
        expect_whole("ref.y4m dis.y4m --resume run.vmafs", "", "");
        expect_whole("merge", "run.vmafs", "");
    }
    remove_whole();
    remove("run.vmafs");
}

/* As the system does it when memory is short. */
CASE(a_killed_run_goes_on)
{
    static const char run[] =
        "ref.yuv dis.yuv -w 640 -h 360 -p 420 -b 8 --feature ciede --feature motion";
    char command[1024];
    Clip clip = {.width = 640, .height = 360, .frames = 110, .raw = true};
    clip_write_pair(&clip);
    score_whole(run);
    for (int blocks = 1; blocks <= 2; blocks++) {
        snprintf(
            command, sizeof(command),
            "'%s' %s --threads 1 --keep-records run.vmafs >/dev/null 2>&1 & job=$!\n"
            "until [ $(grep -a -o ROWS run.vmafs 2>/dev/null | wc -l) -ge %d ]; do sleep 0.01\n"
            "done; kill -9 $job; wait $job 2>/dev/null; true",
            getenv("VMAF"), run, blocks);
        Run merged = {.status = 0};
        while (merged.status == 0) { /* on a busy machine it may be done by then */
            run_free(&merged);
            remove("run.vmafs");
            assert_int_equal(system(command), 0);
            merged = run_words("merge run.vmafs -o other.csv");
        }
        expect_status(merged, 234, "run.vmafs: ");
        char line[256];
        snprintf(line, sizeof(line), "%s --resume run.vmafs", run);
        expect_whole(line, "", "");
        expect_whole("merge", "run.vmafs", "");
        remove("run.vmafs");
    }
    remove_whole();
    clip = (Clip){.width = 96, .height = 80, .frames = FRAMES, .raw = true};
    clip_write_pair(&clip);
}

CASE(a_run_that_has_all_frames_asked_for_is_done)
{
    do_words("ref.y4m dis.y4m --frames 7 --keep-records run.vmafs -o whole.csv");
    do_words("ref.y4m dis.y4m --frames 7 --resume run.vmafs -o other.csv");
    expect_equal_reports("other.csv", "whole.csv");
    remove("run.vmafs");
}

CASE(what_does_not_belong_is_refused)
{
    static const char *const others[][2] = {
        {"ref.y4m dis.y4m --feature psnr", "other"},
        {"ref.y4m dis.y4m -m version=vmaf_v0.6.1neg", "other models"},
        {"ref.y4m dis.y4m --subsample 2", "other subsample"},
        {"ref.y4m dis.y4m --frame_skip_ref 1", "other skip_reference"},
        {"ref.y4m short.y4m", "another distorted video"},
        {"ref.yuv dis.yuv -w 96 -h 80 -p 420 -b 8", "another reference video"},
        {"ref.y4m dis.y4m --frames 79", "more than are to be scored"},
        {"ref.y4m dis.y4m --frames 90", "other frames"},
    };
    do_words("ref.y4m dis.y4m --keep-records run.vmafs");
    const long size = size_of("run.vmafs");
    const unsigned before = file_count();
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        expect_status(run_words("%s --resume run.vmafs -o other.csv", others[i][0]), 234,
                      others[i][1]);
    expect_status(run_words("ref.y4m dis.y4m --resume dis.yuv -o other.csv"), 234,
                  "it is no file of stored records");
    assert_int_equal(size_of("run.vmafs"), size);
    assert_int_equal(file_count(), before);
    remove("run.vmafs");
    do_words("ref.y4m dis.y4m --shard 0/1 -o run.vmafs");
    expect_status(run_words("ref.y4m dis.y4m --resume run.vmafs -o other.csv"), 234, "other");
    remove("run.vmafs");
}

CASE(what_goes_without_records_is_refused)
{
    static const char *const lines[][2] = {
        {"ref.y4m dis.y4m --keep-records a.vmafs --resume a.vmafs", "without --keep-records"},
        {"ref.y4m - --resume a.vmafs", "standard input"},
        {"ref.y4m dis.y4m --duration 1s --resume a.vmafs", "--duration"},
        {"ref.y4m dis.y4m --sync time --resume a.vmafs", "--sync time"},
        {"-r ref.y4m -d dis.y4m -d short.y4m --keep-records a.vmafs", "one distorted video"},
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        expect_status(run_words("%s", lines[i][0]), 1, lines[i][1]);
    expect_status(run_words("ref.y4m dis.y4m --keep-records dis.y4m"), 255,
                  "the records would replace a video");
    expect_status(run_words("ref.y4m dis.y4m --keep-records a.vmafs -o ./a.vmafs"), 255,
                  "the report would replace the records");
    expect_status(run_words("ref.y4m dis.y4m --keep-records none/a.vmafs"), 255,
                  "could not open file: none/a.vmafs");
    assert_false(file_exists("a.vmafs"));
}

/* A run that failed leaves what it has. */
CASE(a_file_that_cannot_grow_fails_the_run)
{
    if (access("/dev/full", W_OK))
        skip();
    expect_status(run_words("ref.y4m dis.y4m --keep-records /dev/full -o other.csv"), 255,
                  "/dev/full");
    assert_false(file_exists("other.csv"));
}

/* All rows are in the last blocks, which have no room. */
CASE(an_end_that_cannot_be_written_fails_the_run)
{
    static const char *const options[] = {"--keep-records", "--shard 0/1 -o"};
    struct rlimit usual;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        do_words("ref.y4m dis.y4m --frames 7 %s run.vmafs", options[i]);
        const struct rlimit less = {(rlim_t)size_of("run.vmafs") - 1, usual.rlim_max};
        remove("run.vmafs");
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
        Run run = run_words("ref.y4m dis.y4m --frames 7 %s run.vmafs", options[i]);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
        expect_status(run, 255, "problem writing run.vmafs");
        remove("run.vmafs");
    }
    signal(SIGXFSZ, SIG_DFL);
}

/* Its layout is asked for before frames are, which starts the backend. */
CASE(a_backend_that_does_not_start_has_its_status)
{
    static const char *const behaviours[] = {
        "open-fails", "plan-fails", "submit-fails", "collect-fails", "collect-loses-device",
    };
    static const char *const options[] = {"--keep-records", "--shard 0/2 -o"};
    setenv("VMAF_BACKEND_PATH", getenv("HOSTILE_BACKEND"), 1);
    for (unsigned i = 0; i < sizeof(behaviours) / sizeof(behaviours[0]); i++) {
        setenv("VMAF_TEST_HOSTILE", behaviours[i], 1);
        for (int j = 0; j < 2; j++) {
            expect_status(run_words("ref.y4m dis.y4m -n --feature psnr --backend hostile %s "
                                    "run.vmafs",
                                    options[j]),
                          100, "refusing to silently fall back to CPU");
            assert_false(file_exists("run.vmafs"));
        }
    }
    unsetenv("VMAF_TEST_HOSTILE");
    unsetenv("VMAF_BACKEND_PATH");
}

CASE(records_of_a_pipe)
{
    score_whole("ref.y4m dis.y4m");
    static const char *const arguments[] = {"-r", "ref.y4m",        "-d",        "-",
                                            "-q", "--keep-records", "run.vmafs", NULL};
    expect_status(program_run_fed("cat dis.y4m", arguments), 0, "");
    expect_whole("merge", "run.vmafs", "");
    remove_whole();
    remove("run.vmafs");
}

CASES_SHARE(make_clips, program_leave_folder);
