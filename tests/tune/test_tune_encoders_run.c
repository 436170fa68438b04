/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs of encodes: a script plays ffmpeg, and does what a real one does rarely. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "encoder_fixture.h"
#include "platform/path.h"
#include "platform/time.h"
#include "support/cases.h"
#include "support/files.h"
#include "support/test_folder.h"
#include "tune/encode/encode_run.h"
#include "tune/encode/scratch_folder.h"

static const FfmpegLimits limits = {.limit_ms = 120000};

/* A program "./ffmpeg". $out is the last argument. */
static void put_ffmpeg(const char *script)
{
    char text[2048];
    snprintf(text, sizeof(text), "#!/bin/sh\nfor out; do :; done\nout=${out#file:}\n%s\n", script);
    file_put_text("ffmpeg", text);
    assert_int_equal(chmod("ffmpeg", 0755), 0);
}

static EncodeRequest scripted(const char *encoder)
{
    EncodeRequest request = request_of(encoder);
    request.settings.ffmpeg = "./ffmpeg";
    return request;
}

static bool any_name(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* The working directory has these and no more, sorted. */
static void expect_files(const char *expected)
{
    char **names, text[1024] = "";
    unsigned count;
    assert_int_equal(vmaf_folder_list(".", any_name, &names, &count), 0);
    for (unsigned i = 0; i < count; i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, names[i]);
    }
    vmaf_folder_list_free(names, count);
    assert_string_equal(text, expected);
}

static char *content_of(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

#define SUCCESS "echo frame=24; echo fps=48.5; echo progress=end"

static EncodeOutcome encode(const EncodeRequest *request, const EncodeControl *control, int error,
                            const char *said)
{
    EncodeOutcome outcome;
    Message message = {""};
    assert_int_equal(encode_run(request, control, &outcome, &message), error);
    assert_string_equal(message.text, said);
    return outcome;
}

#define IN_A_FOLDER(test) CASE_WITH(test, test_folder_enter, test_folder_remove)

IN_A_FOLDER(an_encode_appears_when_all_is_done)
{
    put_ffmpeg("[ -e out.mkv ] && exit 9; echo '[libx264 @ 0x1] [info] 264 - core 164 r1' >&2\n"
               "printf video >\"$out\"; " SUCCESS);
    const EncodeRequest request = scripted("libx264");
    const EncodeOutcome outcome = encode(&request, NULL, 0, "");
    assert_int_equal(outcome.size, 5);
    assert_int_equal(outcome.frames, 24);
    assert_int_equal(outcome.exit_status, 0);
    assert_true(outcome.wall_ms > 0);
    assert_false(outcome.has_stats);
    assert_string_equal(outcome.rate_control, "crf");
    assert_string_equal(outcome.encoder_version, "libx264-164");
    assert_string_equal(content_of("out.mkv"), "video");
    expect_files("ffmpeg out.mkv");
}

/* The output, if there was one, is as it was. */
static void expect_failure(const char *script, int error, const char *expected)
{
    file_put_text("out.mkv", "old");
    put_ffmpeg(script);
    const EncodeRequest request = scripted("libx264");
    encode(&request, NULL, error, expected);
    assert_string_equal(content_of("out.mkv"), "old");
    expect_files("ffmpeg out.mkv");
}

IN_A_FOLDER(a_failure_leaves_nothing_and_one_line)
{
    expect_failure(
        "echo half >\"$out\"; echo '[info] Input' >&2; echo 'x264 [error]: no preset' >&2\n"
        "echo '[info] Conversion failed!' >&2; exit 187",
        -EIO, "libx264: ffmpeg failed with status 187: x264: no preset");
    expect_failure(
        "echo half >\"$out\"; echo '[h264 @ 0x1] [error] broken' >&2\n"
        "echo '[error] av_interleaved_write_frame(): No space left on device' >&2; exit 1",
        -EIO,
        "libx264: ffmpeg failed with status 1: av_interleaved_write_frame(): No space left "
        "on device");
    /* FFmpeg 5.1 calls this a success. */
    expect_failure("printf half >\"$out\"; " SUCCESS "\n"
                   "echo '[error] Error writing trailer of x.mkv: No space left on device' >&2",
                   -EIO, "libx264: Error writing trailer of x.mkv: No space left on device");
    expect_failure("mkfifo \"$out\"; " SUCCESS, -EIO, "libx264: ffmpeg has made no regular file");
    expect_failure("exit 3", -EIO, "libx264: ffmpeg failed with status 3");
    expect_failure("kill -SEGV $$", -EIO, "libx264: ffmpeg was ended by SIGSEGV");
    expect_failure("echo x >\"$out\"; exit 0", -EIO, "libx264: ffmpeg encoded no frames");
    expect_failure("echo x >\"$out\"; echo frame=5; echo progress=continue", -EIO,
                   "libx264: ffmpeg encoded no frames");
    expect_failure(SUCCESS, -ENOENT, "out.mkv: No such file or directory");
}

/* FFmpeg 7 counts no frames where nothing is written, which is no lack of progress either. */
IN_A_FOLDER(a_first_pass_may_report_no_frames)
{
    EncodeRequest request = scripted("libvpx-vp9");
    request.spec.two_pass = true;
    EncodeControl control = {.limit_ms = 500};
    EncodeOutcome outcome;
    Message message = {""};
    int err = -ETIMEDOUT;
    for (; err == -ETIMEDOUT; control.limit_ms *= 4) {
        char script[512]; /* it reports ten times within the limit, and takes longer */
        const int ms = (int)control.limit_ms / 10;
        snprintf(script, sizeof(script),
                 "case \"$*\" in *'-pass 1'*) for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do\n"
                 "echo frame=0; echo total_size=N/A; echo progress=continue; sleep %d.%03d\n"
                 "done; echo frame=0; echo progress=end ;;\n"
                 "*) echo x >\"$out\"; " SUCCESS ";; esac",
                 ms / 1000, ms % 1000);
        put_ffmpeg(script);
        err = encode_run(&request, &control, &outcome, &message);
    }
    assert_int_equal(err, 0);
    assert_int_equal(outcome.frames, 24);
    put_ffmpeg("echo x >\"$out\"; echo frame=0; echo progress=end");
    encode(&request, NULL, -EIO, "libvpx-vp9: ffmpeg encoded no frames");
}

IN_A_FOLDER(too_few_frames_are_a_failure)
{
    const SampleWindow windows[] = {{0, 10, 1}, {20, 15, 1}};
    put_ffmpeg("echo x >\"$out\"; " SUCCESS);
    EncodeRequest request = scripted("libx264");
    request.windows = windows;
    request.n_windows = 2;
    encode(&request, NULL, -EIO, "libx264: ffmpeg encoded 24 frames instead of 25");
    expect_files("ffmpeg");
}

IN_A_FOLDER(a_missing_program_is_told)
{
    EncodeRequest request = scripted("libx264");
    request.settings.ffmpeg = "no-such-ffmpeg";
    Message message = {""};
    FfmpegDescription description;
    const EncodeOutcome outcome =
        encode(&request, NULL, -ENOENT, "no-such-ffmpeg: there is no such program");
    assert_int_equal(outcome.exit_status, -1);
    assert_int_equal(ffmpeg_describe("no-such-ffmpeg", &limits, &description, &message), -ENOENT);
    assert_string_equal(message.text, "no-such-ffmpeg: there is no such program");
    expect_files("");
}

IN_A_FOLDER(an_output_that_cannot_be_is_told)
{
    file_put_text("file", "");
    put_ffmpeg("echo x >\"$out\"; " SUCCESS);
    EncodeRequest request = scripted("libx264");
    request.output = "file/out.mkv";
    encode(&request, NULL, -ENOTDIR, "file/out.mkv: Not a directory");
    assert_int_equal(mkdir("folder.mkv", 0755), 0);
    request.output = "folder.mkv";
    encode(&request, NULL, -EISDIR, "folder.mkv: Is a directory");
    expect_files("ffmpeg file folder.mkv");
}

static bool is_running(long process)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof(path), "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const bool read = fgets(text, sizeof(text), file) != NULL;
    fclose(file);
    const char *end = strrchr(text, ')');
    return read && end && end[2] != 'Z' && end[2] != 'X';
}

static void expect_gone(long process)
{
    assert_true(process > 1);
    for (int i = 0; i < 3000 && is_running(process); i++)
        vmaf_sleep_ns(10000000);
    assert_false(is_running(process));
}

typedef struct Seen {
    unsigned reports;
    int pass, passes;
    size_t frames;
    atomic_bool stop;
    size_t stop_at;
} Seen;

static void see(void *cookie, int pass, int passes, size_t frames)
{
    Seen *seen = cookie;
    assert_true(seen->reports == 0 || pass > seen->pass || frames >= seen->frames);
    seen->reports++;
    seen->pass = pass;
    seen->passes = passes;
    seen->frames = frames;
    if (frames >= seen->stop_at)
        atomic_store(&seen->stop, true);
}

/* It reports, but it gets nowhere; its child does not want to end. */
IN_A_FOLDER(an_encode_that_hangs_is_ended_with_its_children)
{
    put_ffmpeg("echo x >\"$out\"; (trap '' TERM; sleep 1000) & echo $! >child\n"
               "while :; do i=$((i+1)); echo frame=7; echo total_size=$((i%3)); echo out_time=$i; "
               "echo progress=continue\n"
               "sleep 0.1; done");
    const EncodeRequest request = scripted("libx264");
    Seen seen = {.stop_at = 1000};
    EncodeControl control = {.limit_ms = 500, .on_progress = see, .cookie = &seen};
    EncodeOutcome outcome;
    Message message = {""};
    for (; seen.reports < 3; seen = (Seen){.stop_at = 1000}) { /* it may need longer to begin */
        assert_int_equal(encode_run(&request, &control, &outcome, &message), -ETIMEDOUT);
        if (seen.reports >= 3)
            break;
        control.limit_ms *= 4;
    }
    assert_non_null(strstr(message.text, " s, so it was ended"));
    assert_non_null(strstr(message.text, "libx264: no progress for "));
    assert_int_equal(outcome.exit_status, -1);
    expect_gone(strtol(content_of("child"), NULL, 10));
    expect_files("child ffmpeg");
}

IN_A_FOLDER(an_encode_can_be_stopped)
{
    put_ffmpeg(
        "echo x >\"$out\"; i=0\n"
        "while :; do i=$((i+1)); echo frame=$i; echo fps=2; echo progress=continue; sleep 0.1; "
        "done");
    const EncodeRequest request = scripted("libx264");
    Seen seen = {.stop_at = 3};
    const EncodeControl control = {.stop = &seen.stop, .on_progress = see, .cookie = &seen};
    encode(&request, &control, -ECANCELED, "libx264: stopped");
    assert_true(seen.reports >= 3);
    assert_int_equal(seen.pass, 1);
    assert_int_equal(seen.passes, 1);
    expect_files("ffmpeg");
}

/* The first pass leaves statistics: 3 frames, 3000 bits, at 24000/1001 frames in a second. */
IN_A_FOLDER(the_second_pass_has_the_bitrate_of_the_first)
{
    put_ffmpeg("echo \"$@\" >>lines; log=$(echo \"$@\" | sed 's/.*-passlogfile //; s/ .*//')\n"
               "case \"$*\" in *'-pass 1'*) for i in 0 1 2; do\n"
               "echo \"in:$i type:P q:20 tex:50000 mv:0 misc:0\" >>\"$log-0.log\"; done ;;\n"
               "*) [ -e \"$log-0.log\" ] || exit 8; echo x >\"$out\" ;; esac; " SUCCESS);
    EncodeRequest request = scripted("libx264");
    request.spec.two_pass = true;
    Seen seen = {.stop_at = 1000};
    const EncodeControl control = {.on_progress = see, .cookie = &seen};
    EncodeOutcome outcome = encode(&request, &control, 0, "");
    assert_true(outcome.anchor_kbps > 1198.80 && outcome.anchor_kbps < 1198.81);
    assert_string_equal(outcome.rate_control, "crf2pass");
    assert_false(outcome.has_stats);
    assert_int_equal(seen.pass, 2);
    assert_int_equal(seen.passes, 2);
    const char *lines = content_of("lines");
    assert_non_null(strstr(lines, "-crf 23 -pass 1 "));
    assert_non_null(strstr(lines, "-f null -\n"));
    assert_non_null(strstr(lines, "-b:v 1199k -pass 2 "));
    expect_files("ffmpeg lines out.mkv");
    request.spec.stats = true;
    outcome = encode(&request, NULL, 0, "");
    assert_true(outcome.has_stats && outcome.stats.frames == 3);
}

IN_A_FOLDER(missing_statistics_are_a_failure)
{
    put_ffmpeg("echo x >\"$out\"; " SUCCESS);
    EncodeRequest request = scripted("libx264");
    request.spec.stats = true;
    encode(&request, NULL, -EIO, "libx264: it has left no statistics: No such file or directory");
    expect_files("ffmpeg");
}

static int reject(void *cookie, const char *path, Message *why)
{
    assert_string_equal(content_of(path), "short");
    return message_set(why, *(int *)cookie, "it is short");
}

IN_A_FOLDER(an_encode_can_be_rejected_before_it_appears)
{
    int error = -EIO;
    file_put_text("out.mkv", "old");
    put_ffmpeg("printf short >\"$out\"; " SUCCESS);
    const EncodeRequest request = scripted("libx264");
    const EncodeControl control = {.check = reject, .cookie = &error};
    encode(&request, &control, -EIO, "libx264: it is short");
    assert_string_equal(content_of("out.mkv"), "old");
    expect_files("ffmpeg out.mkv");
}

/* A link stays one, and the file behind it is replaced. */
IN_A_FOLDER(an_output_behind_a_link_is_replaced)
{
    put_ffmpeg("echo new >\"$out\"; " SUCCESS);
    assert_int_equal(mkdir("there", 0755), 0);
    assert_int_equal(symlink("there/real.mkv", "out.mkv"), 0);
    const EncodeRequest request = scripted("libx264");
    encode(&request, NULL, 0, "");
    assert_string_equal(content_of("there/real.mkv"), "new\n");
    expect_files("ffmpeg out.mkv there");
}

/* ---- What works here ---- */

#define LIST                                                                                       \
    "case \"$*\" in -version) echo 'ffmpeg version 9.1-test Copyright'; exit ;;\n"                 \
    "*-encoders) printf ' V..... = Video\\n ------\\n V....D libx264   H.264 (codec h264)\\n'\n"   \
    "printf ' V....D av1_nvenc NVIDIA\\n A....D libvpx-vp9 audio\\n'; exit ;;\n"                   \
    "*encoder=av1_nvenc) echo '  -cq  <float>  E..V... Set (from 0 to 51) (default 0)'; exit ;;\n" \
    "*encoder=libx264) echo '  -crf <float> E..V... CRF (from -1 to FLT_MAX) (default -1)'; exit " \
    ";;\n"

static EncoderAvailability probe(const char *name)
{
    FfmpegDescription description;
    EncoderAvailability availability;
    Message message = {""};
    assert_int_equal(ffmpeg_describe("./ffmpeg", &limits, &description, &message), 0);
    assert_string_equal(description.version, "9.1-test");
    assert_string_equal(description.line, "ffmpeg version 9.1-test Copyright");
    assert_int_equal(
        encoder_probe("./ffmpeg", &description, find_encoder(name), &limits, &availability), 0);
    ffmpeg_description_free(&description);
    return availability;
}

IN_A_FOLDER(encoders_have_to_be_listed_and_to_work)
{
    put_ffmpeg(LIST "*' av1_nvenc '*) echo '[error] Cannot load libcuda.so.1' >&2; exit 1 ;; esac");
    EncoderAvailability found = probe("libx264");
    assert_true(found.listed && found.usable);
    assert_int_equal(found.qualities.highest, 51);
    assert_int_equal(found.qualities.lowest, 0);
    found = probe("av1_nvenc");
    assert_true(found.listed);
    assert_false(found.usable);
    assert_string_equal(
        found.reason.text,
        "av1_nvenc does not work here: Cannot load libcuda.so.1; it takes an NVIDIA "
        "GPU that encodes AV1 (Ada or newer), with its driver, and ffmpeg 6.0 or "
        "newer that is built with NVENC");
    found = probe("libvvenc");
    assert_false(found.listed || found.usable);
    assert_string_equal(
        found.reason.text,
        "ffmpeg 9.1-test has no encoder libvvenc; it takes ffmpeg 7.1 or newer, built "
        "with --enable-libvvenc; Debian 12 has none");
    assert_false(probe("libvpx-vp9").listed); /* listed as audio */
    assert_false(probe("libx265").listed);
}

/* An SVT-AV1 that says the q of its log, and makes what its hash says. */
static int steps_of(const char *says, const char *makes)
{
    char script[1024];
    EncoderAvailability availability = {.usable = true};
    snprintf(script, sizeof(script),
             "q=${*##*crf=}; q=${q%%%% *}\n"
             "echo \"Svt[info]: SVT [config]: BRC mode / CRF : CRF / %s\" >&2; echo MD5=%s",
             says, makes);
    put_ffmpeg(script);
    assert_int_equal(
        encoder_find_steps("./ffmpeg", find_encoder("libsvtav1"), &limits, &availability), 0);
    return availability.qualities.per_unit;
}

IN_A_FOLDER(steps_exist_if_neighbours_differ_and_the_encoder_says_their_values)
{
    assert_int_equal(steps_of("$q", "$q"), 4);
    assert_int_equal(steps_of("$(printf %.2f $q)", "$q"), 4); /* as SVT-AV1 4.2 does: 35.50 */
    assert_int_equal(steps_of("${q%.*}", "$q"), 1);
    assert_int_equal(steps_of("1$q", "$q"), 1);
    assert_int_equal(steps_of("$q.1", "$q"), 1);
    assert_int_equal(steps_of("${q}5", "$q"), 1);
    assert_int_equal(steps_of("$q", "${q%.*}"), 1);
    put_ffmpeg("exit 1");
    EncoderAvailability availability = {.usable = true};
    assert_int_equal(
        encoder_find_steps("./ffmpeg", find_encoder("libsvtav1"), &limits, &availability), 0);
    assert_int_equal(availability.qualities.per_unit, 1);
    /* Nobody has to be asked. */
    assert_int_equal(encoder_find_steps("./none", find_encoder("libx264"), &limits, &availability),
                     0);
    assert_int_equal(availability.qualities.per_unit, 10);
    assert_int_equal(
        encoder_find_steps("./none", find_encoder("libaom-av1"), &limits, &availability), 0);
    assert_int_equal(availability.qualities.per_unit, 1);
}

IN_A_FOLDER(the_range_is_what_ffmpeg_accepts)
{
    put_ffmpeg(LIST "esac");
    const EncoderAvailability found = probe("av1_nvenc");
    assert_true(found.usable);
    assert_int_equal(found.qualities.lowest, 1);
    assert_int_equal(found.qualities.highest, 51);
    assert_string_equal(found.version, "av1_nvenc");
}

IN_A_FOLDER(other_programs_are_no_ffmpeg)
{
    FfmpegDescription description;
    Message message = {""};
    put_ffmpeg("echo 'ls (GNU coreutils)'");
    assert_int_equal(ffmpeg_describe("./ffmpeg", &limits, &description, &message), -EIO);
    assert_string_equal(message.text, "./ffmpeg: it does not say that it is ffmpeg");
    put_ffmpeg("echo 'cannot open shared object file' >&2; exit 127");
    assert_int_equal(ffmpeg_describe("./ffmpeg", &limits, &description, &message), -EIO);
    assert_string_equal(message.text,
                        "./ffmpeg: it does not work as ffmpeg does: cannot open shared "
                        "object file");
    assert_null(description.encoders);
}

/* ---- Folders for what is in work ---- */

static bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

IN_A_FOLDER(a_scratch_folder_is_new_and_private)
{
    ScratchFolder first, second;
    struct stat status;
    umask(0);
    assert_int_equal(scratch_folder_make(&first, "out.mkv"), 0);
    umask(022);
    assert_int_equal(scratch_folder_make(&second, "out.mkv"), 0); /* the first is in use */
    assert_string_not_equal(first.path, second.path);
    assert_int_equal(stat(first.path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    scratch_folder_remove(&first);
    scratch_folder_remove(&second);
    expect_files("");
}

/* A name as the folders have it, and a place in it. */
#define LEFT(digit, place) "out.mkv.000000000000000" digit ".part" place

/* A process that was killed leaves its folder, whose lock is free. */
IN_A_FOLDER(scratch_folders_that_were_left_are_removed)
{
    ScratchFolder folder;
    static const char *const left[] = {LEFT("1", ""), LEFT("1", "/v.mkv.0000000000000001.part"),
                                       "other.mkv.0000000000000001.part"};
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
        char lock[128];
        snprintf(lock, sizeof(lock), "%s/lock", left[i]);
        assert_int_equal(mkdir(left[i], 0700), 0);
        file_put_text(lock, "");
    }
    file_put_text("precious", "");
    file_put_text(LEFT("1", "/video.mkv"), "half");
    assert_int_equal(symlink("../precious", LEFT("1", "/link")), 0);
    assert_int_equal(scratch_folder_make(&folder, "out.mkv"), 0);
    assert_false(exists(LEFT("1", "")));
    assert_true(exists("other.mkv.0000000000000001.part/lock"));
    assert_true(exists("precious"));
    scratch_folder_remove(&folder);
    assert_int_equal(system("rm -r other.mkv.*"), 0);
}

/* Not a folder that others can change, what a link leads to, or what has no lock. */
IN_A_FOLDER(only_scratch_folders_are_removed)
{
    ScratchFolder folder;
    assert_int_equal(mkdir(LEFT("1", ""), 0700), 0); /* no lock yet */
    assert_int_equal(mkdir(LEFT("2", ""), 0700), 0);
    file_put_text(LEFT("2", "/lock"), "");
    assert_int_equal(chmod(LEFT("2", ""), 0770), 0);
    assert_int_equal(mkdir("mine", 0700), 0);
    file_put_text("mine/lock", "");
    file_put_text("mine/precious", "");
    assert_int_equal(symlink("mine", LEFT("3", "")), 0);
    file_put_text(LEFT("4", ""), "a file");
    assert_int_equal(mkdir("out.mkv.part", 0700), 0);
    assert_int_equal(scratch_folder_make(&folder, "out.mkv"), 0);
    scratch_folder_remove(&folder);
    assert_true(exists(LEFT("1", "")) && exists(LEFT("2", "/lock")) && exists(LEFT("3", "")) &&
                exists(LEFT("4", "")) && exists("mine/precious") && exists("out.mkv.part"));
    assert_int_equal(system("rm -r out.mkv.* mine"), 0);
}

/* Each line that it prints comes in time. */
IN_A_FOLDER(an_ffmpeg_that_talks_for_ever_is_ended)
{
    const FfmpegLimits short_ones = {.limit_ms = 300};
    FfmpegDescription description = {.encoders = NULL};
    EncoderAvailability availability;
    Message message = {""};
    put_ffmpeg("while :; do echo 'ffmpeg version 9'; sleep 0.05; done");
    assert_int_equal(ffmpeg_describe("./ffmpeg", &short_ones, &description, &message), -EIO);
    assert_string_equal(message.text, "./ffmpeg: it does not work as ffmpeg does: it does not end");
    description.encoders = strdup(" V....D libx264 H.264\n");
    assert_int_equal(encoder_probe("./ffmpeg", &description, find_encoder("libx264"), &short_ones,
                                   &availability),
                     0);
    assert_false(availability.usable);
    assert_non_null(strstr(availability.reason.text, "libx264 does not work here: it hangs"));
    ffmpeg_description_free(&description);
}

CASES_SHARE(open_encoders, close_encoders);
