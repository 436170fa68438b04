/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shards that are incomplete, damaged, or of different runs; and runs that have none. */
#include "clip.h"
#include "parts.h"
#include "platform/file.h"
#include "program.h"
#include "report_files.h"
#include "support/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cases.h"
#include "support/files.h"

enum { FRAMES = 24 };

/* With a sanitizer each start of the program takes half a second: then a part of the variants. */
#ifdef VMAF_SANITIZED
enum { STEP = 5 };
#else
enum { STEP = 1 };
#endif

static int make_clips(void **state)
{
    if (program_enter_folder(state))
        return -1;
    Clip clip = {.width = 96, .height = 80, .frames = FRAMES};
    clip_write_pair(&clip);
    clip.frames = FRAMES - 3;
    clip_write(&clip, "short.y4m");
    clip.cut = 100;
    clip_write(&clip, "cut.y4m");
    clip = (Clip){.width = 96, .height = 80, .frames = FRAMES, .raw = true};
    clip_write_pair(&clip);
    return 0;
}

CASE(gaps_and_overlaps_are_refused)
{
    make_shards("ref.y4m dis.y4m", 4);
    expect_rejection("part-0.vmafs part-1.vmafs part-3.vmafs", "no part has frames 12 to 17");
    expect_rejection("part-1.vmafs part-2.vmafs part-3.vmafs", "no part has frames 0 to 5");
    expect_rejection("part-0.vmafs part-1.vmafs part-2.vmafs", "no part has frames 18 to 23");
    expect_rejection("part-0.vmafs part-1.vmafs part-1.vmafs part-2.vmafs part-3.vmafs",
                     "part-1.vmafs and part-1.vmafs have the same frames");
    do_words("ref.y4m dis.y4m --shard 1/3 -o x.vmafs");
    expect_rejection("part-0.vmafs part-1.vmafs x.vmafs part-2.vmafs part-3.vmafs",
                     "have the same frames, from 8 on");
    /* A lost shard can be made anew in smaller ones. */
    do_words("ref.y4m dis.y4m -o whole.csv");
    do_words("ref.y4m dis.y4m --shard 4/8 -o x.vmafs");
    do_words("ref.y4m dis.y4m --shard 5/8 -o y.vmafs");
    do_words("merge part-0.vmafs part-1.vmafs x.vmafs y.vmafs part-3.vmafs -o other.csv");
    expect_equal_reports("other.csv", "whole.csv");
    remove("x.vmafs");
    remove("y.vmafs");
    remove_shards(4);
}

CASE(parts_of_other_runs_are_refused)
{
    static const char *const others[][2] = {
        {"ref.y4m dis.y4m -m version=vmaf_v0.6.1neg", "models"},
        {"ref.y4m dis.y4m -m version=vmaf_v0.6.1:name=b", "models"},
        {"ref.y4m dis.y4m --feature psnr", "features"},
        {"ref.y4m dis.y4m -n --feature psnr", "other"},
        {"ref.y4m dis.y4m --subsample 2", "subsample"},
        {"ref.y4m dis.y4m --frames 23", "pairs"},
        {"ref.y4m dis.y4m --align check", "align"},
        {"ref.y4m short.y4m", "pairs"},
        {"ref.yuv dis.yuv -w 96 -h 80 -p 420 -b 8", "another reference video"},
    };
    do_words("ref.y4m dis.y4m --shard 0/2 -o part-0.vmafs");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        run_free(&(Run[]){run_words("%s --shard 1/2 -o part-1.vmafs", others[i][0])}[0]);
        expect_rejection("part-0.vmafs part-1.vmafs", others[i][1]);
        expect_rejection("part-0.vmafs part-1.vmafs", "part-1.vmafs");
    }
    remove_shards(2);
}

/* Names are for people. */
CASE(videos_may_have_other_names)
{
    assert_int_equal(symlink("dis.y4m", "other-name.y4m"), 0);
    do_words("ref.y4m dis.y4m -o whole.json");
    do_words("ref.y4m dis.y4m --shard 0/2 -o part-0.vmafs");
    do_words("ref.y4m other-name.y4m --shard 1/2 -o part-1.vmafs");
    do_words("merge part-0.vmafs part-1.vmafs -o other.json");
    expect_equal_reports("other.json", "whole.json");
    remove("other-name.y4m");
    remove_shards(2);
}

/* One sample of the last frame of dis.y4m differs. */
static void write_changed_video(const char *name)
{
    const Clip clip = {.width = 96, .height = 80, .frames = FRAMES, .distorted = true};
    clip_write(&clip, name);
    FILE *file = fopen(name, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -1, SEEK_END), 0);
    const int last = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_END), 0);
    assert_int_equal(fputc(last ^ 1, file), last ^ 1);
    assert_int_equal(fclose(file), 0);
}

CASE(with_hashes_videos_that_are_alike_are_told_apart)
{
    write_changed_video("alike.y4m");
    do_words("ref.y4m dis.y4m -o whole.json");
    do_words("ref.y4m dis.y4m --sha256 --shard 0/2 -o part-0.vmafs");
    do_words("ref.y4m dis.y4m --sha256 --shard 1/2 -o part-1.vmafs");
    do_words("merge part-0.vmafs part-1.vmafs -o other.json");
    expect_equal_reports("other.json", "whole.json");
    remove("other.json"); /* so that nothing is there to be taken for a report */
    static const char *const others[][2] = {
        {"ref.y4m alike.y4m --sha256", "another distorted video than part-0.vmafs: other sha256"},
        {"alike.y4m dis.y4m --sha256", "another reference video than part-0.vmafs: other sha256"},
        {"ref.y4m dis.y4m", "another reference video than part-0.vmafs: other sha256"},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        do_words("%s --shard 1/2 -o part-1.vmafs", others[i][0]);
        expect_rejection("part-0.vmafs part-1.vmafs", others[i][1]);
        expect_rejection("part-1.vmafs part-0.vmafs", "other sha256");
    }
    remove("alike.y4m");
    remove_shards(2);
}

CASE(info_tells_the_hash_of_a_video)
{
    size_t size;
    char hex[SHA256_HEX_SIZE], *content;
    assert_int_equal(vmaf_file_load("dis.y4m", 1 << 24, &content, &size), 0);
    sha256_hex(content, size, hex); /* which is not the program's */
    free(content);
    do_words("ref.y4m dis.y4m --sha256 --shard 0/2 -o part-0.vmafs");
    Run run = run_words("merge part-0.vmafs --info");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, hex));
    run_free(&run);
    remove("part-0.vmafs");
}

/* test_shard_file.c tries every byte. */
CASE(damage_is_one_line_and_nothing_is_written)
{
    make_shards("ref.y4m dis.y4m", 2);
    size_t size;
    unsigned char *bytes = file_bytes("part-1.vmafs", &size);
    for (unsigned i = 0; i < 20; i += STEP) {
        const size_t at = i * (size - 1) / 19;
        bytes[at] ^= 0x10;
        file_put("part-1.vmafs", bytes, size);
        bytes[at] ^= 0x10;
        const unsigned before = file_count();
        Run run = run_words("merge part-0.vmafs part-1.vmafs -o other.json -o other.ndjson");
        assert_int_equal(run.status, 234);
        assert_int_equal(occurrences(run.err, "\n"), 1);
        assert_non_null(strstr(run.err, "part-1.vmafs: "));
        assert_int_equal(file_count(), before);
        run_free(&run);
        file_put("part-1.vmafs", bytes, at);
        expect_rejection("part-0.vmafs part-1.vmafs", "part-1.vmafs: ");
    }
    free(bytes);
    expect_rejection("ref.y4m", "ref.y4m: it is no file of stored records");
    expect_rejection("none.vmafs", "none.vmafs: No such file or directory");
    expect_rejection(".", ".: it is no file");
    remove_shards(2);
}

/* A shard without frames overlaps nothing, wherever it lies. */
CASE(an_empty_shard_may_lie_anywhere)
{
    do_words("ref.y4m dis.y4m -o whole.csv");
    do_words("ref.y4m dis.y4m --shard 0/1 -o part-0.vmafs");
    do_words("ref.y4m dis.y4m --shard 50/100 -o part-1.vmafs");
    Run info = run_words("merge --info part-1.vmafs");
    assert_non_null(strstr(info.out, "none of 24"));
    run_free(&info);
    do_words("merge part-0.vmafs part-1.vmafs -o other.csv");
    expect_equal_reports("other.csv", "whole.csv");
    remove_shards(2);
}

CASE(what_a_shard_cannot_do_is_refused)
{
    static const char *const lines[][2] = {
        {"ref.y4m dis.y4m --shard 2/2 -o a.vmafs", "should be I/N"},
        {"ref.y4m dis.y4m --shard 1 -o a.vmafs", "should be I/N"},
        {"ref.y4m dis.y4m --shard -1/2 -o a.vmafs", "should be I/N"},
        {"ref.y4m dis.y4m --shard 0/0 -o a.vmafs", "should be I/N"},
        {"ref.y4m dis.y4m --shard 0/2x -o a.vmafs", "should be I/N"},
        {"ref.y4m dis.y4m --shard 0/2", "--shard writes one file"},
        {"ref.y4m dis.y4m --shard 0/2 -o a.vmafs -o b.vmafs", "--shard writes one file"},
        {"ref.y4m dis.y4m --shard 0/2 -o a.json", "a shard is no report"},
        {"ref.y4m dis.y4m --shard 0/2 -o a.html", "a shard is no report"},
        {"ref.y4m dis.y4m --shard 0/2 --csv -o a.vmafs", "a shard is no report"},
        {"ref.y4m dis.y4m --shard 0/2 --pool p1 -o a.vmafs", "for vmaf merge"},
        {"ref.y4m dis.y4m --shard 0/2 --precision max -o a.vmafs", "for vmaf merge"},
        {"ref.y4m dis.y4m --shard 0/2 --require vmaf.mean>=1 -o a.vmafs", "for vmaf merge"},
        {"ref.y4m dis.y4m --shard 0/2 --align auto -o a.vmafs", "--align auto"},
        {"ref.y4m dis.y4m --shard 0/2 --sync time -o a.vmafs", "--sync time"},
        {"ref.y4m dis.y4m --shard 0/2 --errors ignore -o a.vmafs", "--errors ignore"},
        {"ref.y4m dis.y4m --shard 0/2 --keep-records b.vmafs -o a.vmafs", "--keep-records"},
        {"ref.y4m - --shard 0/2 -o a.vmafs", "standard input"},
        {"ref.y4m /dev/null --shard 0/2 -o a.vmafs", ""},
        {"-r ref.y4m -d dis.y4m -d short.y4m --shard 0/2 -o a-{}.vmafs", ""},
        {"ref.y4m dis.y4m -n --feature psnr_vulkan --shard 0/2 -o a.vmafs", "psnr_vulkan"},
        {"merge", "files of stored records are required"},
        {"merge part-0.vmafs -m version=vmaf_v0.6.1 -o a.csv", "not for vmaf merge"},
        {"merge part-0.vmafs --shard 0/2 -o a.csv", "not for vmaf merge"},
        {"rescore part-0.vmafs --info -o a.csv", "not for vmaf rescore"},
        {"ref.y4m dis.y4m --sha256 -o a.csv", "--sha256 goes into files of records"},
        {"merge part-0.vmafs --sha256 -o a.csv", "not for vmaf merge"},
        {"ref.y4m dis.y4m --info", "is for vmaf merge"},
        {"ref.y4m dis.y4m --all", "is for vmaf rescore"},
    };
    const unsigned before = file_count();
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        Run run = run_words("%s", lines[i][0]);
        const bool is_opened = strstr(lines[i][0], "/dev/null") != NULL;
        if (is_opened ? !run.status : run.status != 1 || !strstr(run.err, lines[i][1]))
            fail_msg("%s: status %d\n%s", lines[i][0], run.status, run.err);
        run_free(&run);
    }
    assert_int_equal(file_count(), before);
}

CASE(a_named_pipe_is_refused)
{
    assert_int_equal(mkfifo("pipe.y4m", 0600), 0);
    static const char *const arguments[] = {"ref.y4m", "pipe.y4m", "--shard", "0/2",
                                            "-o",      "a.vmafs",  NULL};
    expect_status(program_run_fed("cat dis.y4m > pipe.y4m", arguments), 1, "pipe.y4m is a pipe");
    assert_false(file_exists("a.vmafs"));
    remove("pipe.y4m");
}

CASE(what_cannot_be_read_fails_as_in_the_run)
{
    run_free(&(Run[]){run_words("ref.y4m cut.y4m -o whole.csv")}[0]);
    assert_false(file_exists("whole.csv"));
    expect_status(run_words("ref.y4m cut.y4m --shard 0/2 -o a.vmafs"), 234, "frame 20");
    assert_false(file_exists("a.vmafs"));
    expect_same_in_shards("ref.y4m cut.y4m --frames 20", 3);
    expect_status(run_words("ref.y4m dis.y4m --frame_skip_ref 24 --shard 0/2 -o a.vmafs"), 234,
                  "there are no frames to score");
    expect_status(run_words("ref.y4m dis.y4m --shard 0/2 -o ref.y4m"), 255,
                  "would replace a video");
    expect_status(run_words("ref.y4m dis.y4m --shard 0/2 -o none/a.vmafs"), 255,
                  "could not open file: none/a.vmafs");
}

CASES_SHARE(make_clips, program_leave_folder);
