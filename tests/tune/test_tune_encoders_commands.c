/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Command lines of encoders: nothing is started. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder_fixture.h"
#include "support/cases.h"
#include "tune/encode/arguments.h"
#include "tune/encode/encode_request.h"

#define GLOBAL_PQ                                                                                  \
    "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv"

CASE(each_encoder_has_its_arguments)
{
    static const struct {
        const char *encoder, *arguments;
    } cases[] = {
        {"libx264", "-c:v libx264 -preset medium -crf 23"},
        {"libx265", "-c:v libx265 -preset medium -crf 28"},
        {"libsvtav1", "-c:v libsvtav1 -preset 7 -crf 35"},
        {"libaom-av1", "-c:v libaom-av1 -cpu-used 4 -crf 35 -b:v 0 -row-mt 1"},
        {"libvpx-vp9", "-c:v libvpx-vp9 -deadline good -cpu-used 3 -crf 32 -b:v 0 -row-mt 1"},
        {"libvvenc", "-c:v libvvenc -preset medium -qp 32"},
        {"av1_nvenc", "-c:v av1_nvenc -preset p4 -rc vbr -cq 23 -b:v 0"},
        {"hevc_qsv", "-c:v hevc_qsv -preset medium -global_quality 23"},
        {"librav1e", "-c:v librav1e -speed 6 -qp 100"},
        {"h264_amf", "-c:v h264_amf -quality balanced -rc cqp -qp_i 23 -qp_p 23"},
        {"hevc_videotoolbox", "-c:v hevc_videotoolbox -realtime 0 -q:v 50"},
        {"prores_videotoolbox", "-c:v prores_videotoolbox -realtime 0 -profile:v hq"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const EncodeRequest request = request_of(cases[i].encoder);
        char expected[1024];
        snprintf(expected, sizeof(expected), "%s%s%s", START "-i file:in.mkv -vf " COUNT " " ONLY,
                 cases[i].arguments, " file:out.mkv");
        expect_command(&request, expected);
    }
}

CASE(qualities_between_whole_numbers_are_those_of_the_encoder)
{
    static const struct {
        const char *encoder;
        double q;
        const char *arguments; /* NULL: rejected */
    } cases[] = {
        {"libx264", 23.1, "-c:v libx264 -preset medium -crf 23.1"},
        {"libx265", 17.9, "-c:v libx265 -preset medium -crf 17.9"},
        {"libsvtav1", 35.25, "-c:v libsvtav1 -preset 7 -svtav1-params crf=35.25"},
        {"libsvtav1", 36, "-c:v libsvtav1 -preset 7 -crf 36"},
        {"libx264", 23.15, NULL},
        {"libsvtav1", 35.1, NULL},
        {"libaom-av1", 30.5, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        EncodeRequest request = request_of(cases[i].encoder);
        char expected[1024];
        Message message = {""};
        request.spec.q = cases[i].q;
        assert_int_equal(encode_check(&request, &message), cases[i].arguments ? 0 : -EINVAL);
        if (!cases[i].arguments)
            continue;
        snprintf(expected, sizeof(expected), "%s%s%s", START "-i file:in.mkv -vf " COUNT " " ONLY,
                 cases[i].arguments, " file:out.mkv");
        expect_command(&request, expected);
    }
    EncodeRequest request = request_of("libx264");
    Message message;
    request.spec.q = 23.15;
    encode_check(&request, &message);
    assert_string_equal(message.text, "libx264: crf 23.15 is not a multiple of 0.1");
}

#define UPLOADED "'" COUNT ",format=nv12|p010le,hwupload'"

/* The last filter sends frames to the hardware; what it takes is said there alone. */
CASE(hardware_that_takes_no_frames_of_memory_gets_them_by_a_filter)
{
    EncodeRequest request = request_of("hevc_vaapi");
    expect_command(&request, START "-i file:in.mkv -vf " UPLOADED " " ONLY
                                   "-init_hw_device vaapi=gpu -filter_hw_device gpu "
                                   "-c:v hevc_vaapi -compression_level 4 "
                                   "-rc_mode CQP -global_quality 23 file:out.mkv");
    request = request_of("av1_vulkan");
    request.settings.pixel_format = "p010le";
    expect_command(&request, START "-i file:in.mkv -vf " COUNT ",format=p010le,hwupload " ONLY
                                   "-init_hw_device vulkan=gpu -filter_hw_device gpu "
                                   "-c:v av1_vulkan -quality 0 -rc_mode cqp -qp 128 file:out.mkv");
}

CASE(windows_are_sought_a_little_early)
{
    const SampleWindow windows[] = {{100, 24, 1}, {1000, 12, 1}};
    EncodeRequest request = request_of("libx264");
    request.windows = windows;
    request.n_windows = 1;
    /* 99.75 * 1001 / 24000 */
    expect_command(&request, START "-ss 4.160406 -i file:in.mkv -vf " COUNT
                                   " -map 0:0 -frames:v 24 -r 24000/1001 -an -sn -dn "
                                   "-c:v libx264 -preset medium -crf 23 file:out.mkv");
    source.first_frame_time = 0.08;
    request.n_windows = 2;
    expect_command(&request,
                   START "-ss 4.240406 -i file:in.mkv -ss 41.777906 -i file:in.mkv "
                         "-filter_complex '[0:0]trim=end_frame=24[w0];[1:0]trim=end_frame=12[w1];"
                         "[w0][w1]concat=n=2:v=1:a=0," COUNT
                         "[v]' -map '[v]' -frames:v 36 -r 24000/1001 -an -sn -dn "
                         "-c:v libx264 -preset medium -crf 23 file:out.mkv");
    source.is_irregular = true;
    request.spec.width = 640;
    request.spec.height = 360;
    expect_command(&request,
                   START "-i file:in.mkv -vf 'select='\\''between(n,100,123)+between(n,1000,"
                         "1011)'\\'',scale=640:360:flags=lanczos,setsar=1," COUNT
                         "' -map 0:0 -frames:v 36 -r 24000/1001 -an -sn -dn "
                         "-c:v libx264 -preset medium -crf 23 file:out.mkv");
    assert_int_equal(encode_frames(&request), 36);
}

CASE(frames_keep_times_that_vary)
{
    const SampleWindow windows[] = {{100, 24, 1}, {1000, 12, 1}};
    EncodeRequest request = request_of("libx265");
    source.is_variable = true;
    source.times.num = 1;
    source.times.den = 90000;
#define KEPT         "-fps_mode passthrough -enc_time_base "
#define X265_IN      "-c:v libx265 -preset medium -crf 28 -x265-params fps=24000/1001 "
#define X265_IN_FILE "-c:v libx265 -preset medium -crf 28 -x265-params fps=24000/1001' file:out.mkv"
#define X265         X265_IN "file:out.mkv"
    expect_command(&request, START "-i file:in.mkv -map 0:0 " KEPT "1/90000 -an -sn -dn " X265);
    request.windows = windows;
    request.n_windows = 1;
    expect_command(&request, START "-ss 4.160000 -i file:in.mkv -vf "
                                   "settb=1/1000,setpts=PTS-STARTPTS -map 0:0 -frames:v 24 " KEPT
                                   "1/1000 -an -sn -dn " X265);
    request.n_windows = 2;
    expect_command(&request,
                   START "-ss 4.160000 -i file:in.mkv -ss 41.697000 "
                         "-i file:in.mkv -filter_complex "
                         "'[0:0]trim=end_frame=24,setpts=PTS-STARTPTS[w0];"
                         "[1:0]trim=end_frame=12,setpts=PTS-STARTPTS[w1];"
                         "[w0][w1]concat=n=2:v=1:a=0,settb=1/1000[v]' -map '[v]' -frames:v 36 " KEPT
                         "1/1000 -an -sn -dn " X265);
    source.is_irregular = true;
    expect_command(&request,
                   START "-i file:in.mkv -vf "
                         "'select='\\''between(n,100,123)+between(n,1000,1011)'\\'',settb=1/1000,"
                         "setpts='\\''if(N,PREV_OUTPTS+if(eq(N,24),42,PTS-PREV_INPTS),0)'\\''' "
                         "-map 0:0 -frames:v 36 " KEPT "1/1000 -an -sn -dn " X265);
    request.n_windows = 0;
    request.spec.streams = ENCODE_WITH_ALL_STREAMS;
    source.first_frame_time = 0.5;
    expect_command(&request, START "-i file:in.mkv -map 0:0 " KEPT
                                   "1/90000 -map '0:a?' -map '0:s?' -c:a copy "
                                   "-c:s copy -dn -map_metadata 0 -map_chapters 0 " X265_IN
                                   "-metadata:s:v:0 'ENCODER_SETTINGS=" X265_IN_FILE);
    request.output = "out.mp4"; /* which has no such metadata, and a name for it */
    expect_command(&request, START "-i file:in.mkv -map 0:0 " KEPT
                                   "1/90000 -map '0:a?' -map '0:s?' -c:a copy "
                                   "-c:s copy -dn -map_metadata 0 -map_chapters 0 " X265_IN
                                   "-tag:v hvc1 file:out.mp4");
    request.output = "out.mov";
    expect_command(&request, START "-i file:in.mkv -map 0:0 " KEPT
                                   "1/90000 -map '0:a?' -map '0:s?' -c:a copy "
                                   "-c:s copy -dn -map_metadata 0 -map_chapters 0 " X265_IN
                                   "-tag:v hvc1 file:out.mov");
}

CASE(a_window_at_the_start_is_not_sought)
{
    const SampleWindow window = {0, 24, 1};
    EncodeRequest request = request_of("libx264");
    request.windows = &window;
    request.n_windows = 1;
    expect_command(&request, START "-i file:in.mkv -vf " COUNT
                                   " -map 0:0 -frames:v 24 -r 24000/1001 -an -sn -dn "
                                   "-c:v libx264 -preset medium -crf 23 file:out.mkv");
}

CASE(raw_frames_are_found_by_their_place)
{
    const SampleWindow windows[] = {{0, 5, 1}, {10, 4, 1}};
    EncodeRequest request = request_of("libx264");
    source = (TuneSource){.encoded_path = "in.yuv",
                          .rate = {30, 1},
                          .stored_rate = {30, 1},
                          .is_raw = true,
                          .stored = {.width = 64, .height = 48},
                          .raw_bytes = 9216,
                          .pixel_format = "yuv420p10le"};
#define RAW  "-f rawvideo -pix_fmt yuv420p10le -s 64x48 -r 30/1 "
#define X264 "-an -sn -dn -c:v libx264 -preset medium -crf 23 file:out.mkv"
    expect_command(&request, START RAW "-i file:in.yuv -map 0:0 " X264);
    request.windows = &windows[1];
    request.n_windows = 1;
    expect_command(&request,
                   START RAW "-skip_initial_bytes 92160 -i file:in.yuv -map 0:0 -frames:v 4 " X264);
    request.windows = windows;
    request.n_windows = 2;
    expect_command(&request, START RAW
                   "-i file:in.yuv " RAW "-skip_initial_bytes 92160 -i file:in.yuv -filter_complex "
                   "'[0:0]trim=end_frame=5[w0];[1:0]trim=end_frame=4[w1];"
                   "[w0][w1]concat=n=2:v=1:a=0,settb=1/30,setpts=N[v]' -map '[v]' "
                   "-frames:v 9 " X264);
}

CASE(everything_at_once_has_its_place)
{
    const double forced[] = {0, 1.5, 2.0000004};
    const char *const extra[] = {"-x264-params", "aq-mode=3",    "-tune",
                                 "film",         "-x264-params", "me=umh"};
    EncodeRequest request = request_of("libx264");
    request.spec.preset = "slow";
    request.spec.q = 30;
    request.spec.width = 1280;
    request.spec.height = 720;
    request.settings.pixel_format = "yuv420p";
    request.spec.keyframes = (Keyframes){48, forced, 3};
    request.settings.threads = 4;
    request.settings.extra = extra;
    request.settings.n_extra = 6;
    request.spec.stats = true;
    request.settings.ffmpeg = "/opt/my ffmpeg";
    source.encoded_path = "-it's: a.mkv";
    request.output = "x:y.mp4";
    expect_pass(&request, (EncodePass){.log = "log"},
                "'/opt/my ffmpeg' -y -nostdin -hide_banner -loglevel level+info -nostats -progress "
                "pipe:1 -i 'file:-it'\\''s: a.mkv' "
                "-vf scale=1280:720:flags=lanczos,setsar=1," COUNT " " ONLY
                "-pix_fmt yuv420p -c:v libx264 -preset slow -crf 30 -pass 1 -passlogfile log "
                "-fastfirstpass 0 -g 48 -force_key_frames "
                "0.000000,1.500000,2.000000 -threads 4 -x264-params aq-mode=3:me=umh -tune film "
                "file:x:y.mp4");
    request = request_of("hevc_nvenc");
    request.spec.keyframes = (Keyframes){0, forced, 2};
    expect_command(&request,
                   START "-i file:in.mkv -vf " COUNT " " ONLY
                         "-c:v hevc_nvenc -preset p4 -rc vbr -cq 23 -b:v 0 "
                         "-force_key_frames 0.000000,1.500000 -forced-idr 1 file:out.mkv");
}

CASE(two_passes_have_a_quality_and_then_a_bitrate)
{
    EncodeRequest request = request_of("libx264");
#define BEFORE START "-i file:in.mkv -vf " COUNT " " ONLY
    request.spec.two_pass = true;
    assert_int_equal(encode_passes(&request.spec), 2);
    expect_pass(&request, (EncodePass){1, NULL, "a:b/log", 0, false},
                BEFORE "-c:v libx264 -preset medium -crf 23 -pass 1 -passlogfile a:b/log "
                       "-fastfirstpass 0 -f null -");
    expect_pass(&request, (EncodePass){2, "t.mkv", "a:b/log", 1234.6, false},
                BEFORE
                "-c:v libx264 -preset medium -b:v 1235k -pass 2 -passlogfile a:b/log file:t.mkv");
    expect_pass(&request, (EncodePass){2, NULL, NULL, 0, false},
                BEFORE
                "-c:v libx264 -preset medium -b:v KBPSk -pass 2 -passlogfile LOG file:out.mkv");
    const char *const extra[] = {"-x265-params", "aq-mode=3"};
    request.spec.encoder = find_encoder("libx265");
    request.settings.extra = extra;
    request.settings.n_extra = 2;
    expect_pass(&request, (EncodePass){1, NULL, "a:b/it's log", 0, false},
                BEFORE
                "-c:v libx265 -preset medium -crf 23 -x265-params "
                "'pass=1:slow-firstpass=1:stats=a\\:b/it\\'\\''s\\ log:aq-mode=3' -f null -");
    expect_pass(&request, (EncodePass){2, NULL, "log", 99.4, false},
                BEFORE "-c:v libx265 -preset medium -b:v 99k -x265-params "
                       "pass=2:stats=log:aq-mode=3 file:out.mkv");
    request.spec.encoder = find_encoder("libvpx-vp9");
    request.settings.n_extra = 0;
    expect_pass(&request, (EncodePass){2, NULL, "log", 0, false},
                BEFORE
                "-c:v libvpx-vp9 -deadline good -cpu-used 3 -crf 23 -b:v 0 -row-mt 1 -pass 2 "
                "-passlogfile log file:out.mkv");
    request.spec.encoder = find_encoder("libsvtav1");
    assert_int_equal(encode_passes(&request.spec), 1);
}

#define TAGGED(transfer)                                                                           \
    START "-i file:in.mkv -vf " COUNT ",setparams=color_primaries=bt2020:color_trc=" transfer      \
          " " ONLY

CASE(hdr_is_told_to_each_encoder_in_its_way)
{
    const MediaLight light = {
        true, true, {0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, {0.3127, 0.3290}, 0.0001, 1000,
        1000, 400};
    static const struct {
        const char *encoder, *format, *arguments;
    } cases[] = {
        {"libx264", "",
         GLOBAL_PQ " -x264-params 'mastering-display=G(8500,39850)B(6550,2300)R(35400,14600)WP("
                   "15635,16450)L(10000000,1):cll=1000,400'"},
        {"libaom-av1", "", GLOBAL_PQ},
        {"libvvenc", "", GLOBAL_PQ},
        {"libx265", "",
         GLOBAL_PQ " -x265-params 'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range="
                   "limited:hdr10-opt=1:master-display=G(8500,39850)B(6550,2300)R(35400,14600)WP("
                   "15635,16450)L(10000000,1):max-cll=1000,400'"},
        {"libsvtav1", "",
         GLOBAL_PQ
         " -svtav1-params 'color-primaries=9:transfer-characteristics=16:matrix-coefficients"
         "=9:color-range=0:mastering-display=G(0.17000,0.79700)B(0.13100,0.04600)R(0.70800,"
         "0.29200)WP(0.31270,0.32900)L(1000.0000,0.0001):content-light=1000,400'"},
        {"hevc_nvenc", "-pix_fmt p010le ", "-profile:v main10 " GLOBAL_PQ},
        {"hevc_qsv", "-pix_fmt p010le ", "-profile:v main10 " GLOBAL_PQ},
        {"hevc_amf", "-pix_fmt p010le ", "-profile:v main10 " GLOBAL_PQ},
        {"hevc_videotoolbox", "-pix_fmt p010le ", "-profile:v main10 " GLOBAL_PQ},
        {"av1_nvenc", "-pix_fmt p010le ", GLOBAL_PQ},
        {"av1_qsv", "-pix_fmt p010le ", GLOBAL_PQ},
        {"av1_amf", "-pix_fmt p010le ", GLOBAL_PQ},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        EncodeRequest request = request_of(cases[i].encoder);
        ArgumentList plain, with;
        Message message;
        const EncodePass pass = {.number = 0};
        assert_int_equal(encode_command(&request, &pass, &plain, &message), 0);
        source.light = light;
        request.settings.hdr = HDR_PQ;
        assert_int_equal(encode_command(&request, &pass, &with, &message), 0);
        encode_warning(&request.spec, request.settings.hdr, &message);
        assert_string_equal(message.text, "");
        char *before = arguments_line(&plain, " ", QUOTES_WHERE_NEEDED),
             *after = arguments_line(&with, " ", QUOTES_WHERE_NEEDED);
        char expected[2048];
        const char *codec = strstr(before, "-c:v "), *output = strstr(before, " file:out.mkv");
        snprintf(expected, sizeof(expected), "%s%s%.*s %s file:out.mkv", TAGGED("smpte2084"),
                 cases[i].format, (int)(output - codec), codec, cases[i].arguments);
        assert_string_equal(after, expected);
        free(before);
        free(after);
        arguments_free(&plain);
        arguments_free(&with);
    }
    EncodeRequest request = request_of("libx265");
    request.settings.hdr = HDR_HLG;
    strcpy(source.matrix, "bt2020c");
    strcpy(source.range, "full");
    expect_command(
        &request,
        TAGGED(
            "arib-std-b67") "-c:v libx265 -preset medium -crf 28 -color_primaries bt2020 "
                            "-color_trc "
                            "arib-std-b67 -colorspace bt2020c -color_range pc -x265-params "
                            "colorprim=bt2020:transfer=arib-std-b67:colormatrix=bt2020c:range=full "
                            "file:out.mkv");
    request.spec.encoder = find_encoder("hevc_nvenc");
    request.settings.pixel_format = "yuv420p10le"; /* what is asked for wins */
    request.spec.q = 23;
    expect_command(
        &request,
        TAGGED("arib-std-b67") "-pix_fmt yuv420p10le -c:v hevc_nvenc -preset p4 -rc vbr -cq 23 "
                               "-b:v 0 -profile:v main10 -color_primaries bt2020 -color_trc "
                               "arib-std-b67 -colorspace bt2020c -color_range pc file:out.mkv");
}

CASE(what_an_encoder_cannot_do_is_told)
{
    EncodeRequest request = request_of("h264_nvenc");
    Message warning;
    request.settings.hdr = HDR_PQ;
    request.spec.two_pass = true;
    request.spec.stats = true;
    encode_warning(&request.spec, request.settings.hdr, &warning);
    assert_string_equal(warning.text,
                        "h264_nvenc: nobody can tell it the colours of HDR; it has no two "
                        "passes, so there is one; it writes no statistics");
    expect_command(&request,
                   BEFORE "-c:v h264_nvenc -preset p4 -rc vbr -cq 23 -b:v 0 file:out.mkv");
    request.settings.hdr = HDR_NONE;
    request.spec.encoder = find_encoder("libx265");
    encode_warning(&request.spec, request.settings.hdr, &warning);
    assert_string_equal(warning.text, "");
}

CASE(encodes_for_people_keep_all_streams)
{
    EncodeRequest request = request_of("libx264");
    request.spec.streams = ENCODE_WITH_ALL_STREAMS;
    request.spec.width = 640;
    request.spec.height = 360;
    expect_command(&request,
                   START "-i file:in.mkv -vf scale=640:360:flags=lanczos,setsar=1," COUNT
                         " -map 0:0 -r 24000/1001 -map '0:a?' "
                         "-map '0:s?' -c:a copy -c:s copy -dn -map_metadata 0 -map_chapters 0 "
                         "-c:v libx264 -preset medium -crf 23 "
                         "-metadata:s:v:0 'ENCODER_SETTINGS=-c:v libx264 -preset medium -crf 23' "
                         "file:out.mkv");
    /* The video, whose first frame is at 0 now, is moved behind the others again. */
    source.first_frame_time = 0.5;
    request.spec.width = request.spec.height = 0;
    expect_command(&request,
                   START "-i file:in.mkv -itsoffset -0.500000 -i file:in.mkv -vf " COUNT
                         " -map 0:0 -r 24000/1001 -map '1:a?' -map '1:s?' -c:a copy -c:s copy -dn "
                         "-map_metadata 0 -map_chapters 0 -output_ts_offset 0.500000 "
                         "-c:v libx264 -preset medium -crf 23 "
                         "-metadata:s:v:0 'ENCODER_SETTINGS=-c:v libx264 -preset medium -crf 23' "
                         "file:out.mkv");
    source.first_frame_time = 0;
    request.spec.two_pass = true;
    request.spec.width = request.spec.height = 0;
    expect_pass(&request, (EncodePass){1, NULL, "log", 0, false},
                START "-i file:in.mkv -vf " COUNT " -map 0:0 -r 24000/1001 -an -sn -dn "
                      "-c:v libx264 -preset medium -crf 23 -pass 1 "
                      "-passlogfile log -fastfirstpass 0 -f null -");
    /* One part of it, and the others from its first frame on. */
    const SampleWindow windows[] = {{100, 24, 1}, {200, 24, 1}};
    Message message;
    request.spec.two_pass = false;
    request.windows = windows;
    request.n_windows = 1;
    source.part_begin = 4.170833;
    source.part_seconds = 1.001;
    expect_command(&request,
                   START "-ss 4.160406 -i file:in.mkv -ss 4.170833 -i file:in.mkv "
                         "-vf trim=end_frame=24," COUNT
                         " -map 0:0 -r 24000/1001 -map '1:a?' -map '1:s?' -c:a copy "
                         "-c:s copy -copypriorss 0 -t 1.001000 -dn -map_metadata 0 -map_chapters 1 "
                         "-c:v libx264 -preset medium -crf 23 "
                         "-metadata:s:v:0 'ENCODER_SETTINGS=-c:v libx264 -preset medium -crf 23' "
                         "file:out.mkv");
    request.n_windows = 2;
    assert_int_equal(encode_check(&request, &message), -EINVAL);
    assert_string_equal(message.text,
                        "audio and subtitles can only be kept with one part of the video");
}

static void expect_kept(const OtherStreams *others, const char *output, const char *expected,
                        const char *explained)
{
    ArgumentList list = {0};
    Message text;
    other_streams_keep(others, 1, output, &list);
    char *line = arguments_line(&list, " ", QUOTES_WHERE_NEEDED);
    assert_string_equal(line, expected);
    other_streams_explain(others, output, &text);
    assert_string_equal(text.text, explained);
    free(line);
    arguments_free(&list);
}

CASE(other_streams_become_what_the_container_holds)
{
    const OtherStream streams[] = {
        {MEDIA_AUDIO, "aac"},  {MEDIA_TEXT, "mov_text"},  {MEDIA_BITMAP, "dvd_subtitle"},
        {MEDIA_TEXT, "ass"},   {MEDIA_ATTACHMENT, "ttf"}, {MEDIA_COVER, "mjpeg"},
        {MEDIA_VIDEO, "h264"}, {MEDIA_DATA, "bin_data"},  {MEDIA_DATA, "none"},
    };
    const OtherStreams all = {.stream = streams, .n = 9}, few = {.stream = streams, .n = 2},
                       none = {.n = 0};
    expect_kept(&none, "out.mp4", "-map '1:a?' -map '1:s?' -c:a copy -c:s copy", "");
    expect_kept(&few, "out.MP4", "-map '1:a?' -map '1:s?' -c:a copy -c:s copy", "");
    expect_kept(&few, "out.ts", "-map '1:a?' -map '1:s?' -c:a copy -c:s copy", "");
    expect_kept(&all, "a.b/out.mkv",
                "-map '1:a?' -map '1:s?' -map '1:t?' -c:a copy -c:s:0 srt -c:s:1 copy -c:s:2 copy "
                "-disposition:v:0 default -c:t copy",
                "left out: cover art (1), further video streams (1), data streams (2); subtitles "
                "that are converted to srt: 1");
    expect_kept(&all, "out.mov",
                "-map '1:a?' -map '1:s?' -c:a copy -c:s:0 copy -c:s:1 copy -c:s:2 mov_text "
                "-disposition:v:0 default",
                "left out: attachments, such as fonts (1), cover art (1), further video streams "
                "(1), data streams (2); subtitles that are converted to mov_text: 1");
    expect_kept(&few, "out.webm", "-map '1:a?' -map '1:s?' -c:a copy -c:s:0 webvtt",
                "subtitles that are converted to webvtt: 1");
}

static void expect_rejection(const EncodeRequest *request, const char *expected)
{
    Message message = {""};
    ArgumentList command;
    const EncodePass pass = {.number = 0};
    assert_int_equal(encode_command(request, &pass, &command, &message), -EINVAL);
    assert_string_equal(message.text, expected);
    assert_null(command.items);
}

CASE(impossible_requests_are_refused)
{
    const EncodeRequest good = request_of("libsvtav1");
    EncodeRequest request = good;
    request.spec.q = 0;
    expect_rejection(&request, "libsvtav1: crf 0 is not within 1 to 63");
    request.spec.q = 64;
    expect_rejection(&request, "libsvtav1: crf 64 is not within 1 to 63");
    request = good;
    source.rate.denominator = 0;
    expect_rejection(&request, "in.mkv: the frame rate is not known");
    source.rate.denominator = 1001;
    const SampleWindow overlapping[] = {{0, 10, 1}, {9, 10, 1}}, empty[] = {{5, 0, 1}};
    request = good;
    request.windows = overlapping;
    request.n_windows = 2;
    expect_rejection(&request, "sample windows are empty or overlap");
    request.windows = empty;
    request.n_windows = 1;
    expect_rejection(&request, "sample windows are empty or overlap");
    request = good;
    const char *const filter[] = {"-tune", "0", "-vf", "hflip"}, *const bare[] = {"film"};
    request.settings.extra = filter;
    request.settings.n_extra = 4;
    expect_rejection(&request,
                     "extra argument '-vf' cannot be used: it is set by the encode itself");
    request.settings.extra = bare;
    request.settings.n_extra = 1;
    expect_rejection(&request, "extra argument 'film' would be an output file");
    request = good;
    request.output = "some.folder/out";
    expect_rejection(&request,
                     "some.folder/out: the output needs an extension such as .mkv, which tells "
                     "its format");
    request = good;
    request.spec.preset = "superfast";
    expect_rejection(&request,
                     "libsvtav1 has no preset 'superfast'; it has veryfast, faster, fast, "
                     "medium, slow, slower, slowest, placebo, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "
                     "10, 11, 12, 13");
}

static void expect_key(const EncodeRequest *request, const char *expected)
{
    ArgumentList key = {0};
    Message message;
    assert_int_equal(encode_key_arguments(request, &key, &message), 0);
    char *line = arguments_line(&key, " ", QUOTES_WHERE_NEEDED);
    assert_string_equal(line, expected);
    free(line);
    arguments_free(&key);
}

CASE(keys_know_what_decides_about_the_content)
{
    EncodeRequest request = request_of("libx265");
    const char *const extra[] = {"-x265-params", "me=3"};
#define KEY "-vf " COUNT " " ONLY "-c:v libx265 -preset medium "
    request.settings.extra = extra;
    request.settings.n_extra = 2;
    request.settings.threads = 8;
    expect_key(&request, KEY "-crf 28 -threads 8 -x265-params me=3");
    request.spec.two_pass = true;
    request.output = "other.mkv";
    source.encoded_path = "other source.mkv";
    expect_key(&request, KEY
               "-crf 28 -x265-params pass=1:slow-firstpass=1:stats=LOG:me=3 -threads 8 -f null " KEY
               "-b:v KBPSk -x265-params pass=2:stats=LOG:me=3 -threads 8");
    request = request_of("libsvtav1");
    request.settings.film_grain = 8;
    expect_key(&request, "-vf " COUNT " " ONLY "-c:v libsvtav1 -preset 7 -crf 35 "
                         "-svtav1-params film-grain=8");
}

/* ---- Arguments ---- */

CASE(shell_lines_are_quoted)
{
    ArgumentList list = {0};
    static const char *const items[] = {"a",         "",  "it's", "$HOME", "a b",
                                        "x=y:z,1/2", "*", "ä",    "\n"};
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
        arguments_add(&list, items[i]);
    char *line = arguments_line(&list, " ", QUOTES_WHERE_NEEDED);
    assert_string_equal(line, "a '' 'it'\\''s' '$HOME' 'a b' x=y:z,1/2 '*' 'ä' '\n'");
    free(line);
    line = arguments_line(&list, " ", QUOTES_ALWAYS);
    assert_string_equal(line, "'a' '' 'it'\\''s' '$HOME' 'a b' 'x=y:z,1/2' '*' 'ä' '\n'");
    free(line);
    arguments_free(&list);
}

CASE(only_fragments_of_one_name_are_merged)
{
    static const struct {
        const char *const items[10];
        const char *expected;
    } cases[] = {
        {{"-p", "a=1", "-q", "b", "-p", "c=2", "-p", "d=3"}, "-p a=1:c=2:d=3 -q b"},
        {{"-p", "a=1"}, "-p a=1"},
        {{"-p", "", "-p", "b=1"}, "-p b=1"},
        {{"-p", "a=1", "-p", ""}, "-p a=1"},
        {{"-q", "a", "-p"}, "-q a -p"},
        {{NULL}, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ArgumentList list = {0};
        for (size_t j = 0; cases[i].items[j]; j++)
            arguments_add(&list, cases[i].items[j]);
        arguments_merge(&list, "-p");
        char *line = arguments_line(&list, " ", QUOTES_WHERE_NEEDED);
        assert_string_equal(line, cases[i].expected);
        free(line);
        arguments_free(&list);
    }
}

CASE(placeholders_are_replaced)
{
    ArgumentList values = {0}, list = {0};
    size_t length;
    arguments_add(&values, "q=7");
    arguments_add(&values, "log=a:b c\\'");
    template_add(&list, "x{q}y{q}", &values, false);
    template_add(&list, "{log}", &values, false);
    template_add(&list, "s={log}", &values, true);
    assert_string_equal(list.items[0], "x7y7");
    assert_string_equal(list.items[1], "a:b c\\'");
    assert_string_equal(list.items[2], "s=a\\:b\\ c\\\\\\'");
    template_add(&list, "{preset}", &values, false);
    arguments_add(&list, "what follows is dropped");
    assert_int_equal(list.error, -EINVAL);
    assert_int_equal(list.n, 3);
    assert_null(template_find_unknown("{q} {preset}", &length));
    assert_string_equal(template_find_unknown("{q} {qq}", &length), "{qq}");
    assert_int_equal(length, 4);
    assert_string_equal(template_find_unknown("{q", &length), "{q");
    assert_string_equal(template_find_unknown("{}", &length), "{}");
    arguments_free(&list);
    arguments_free(&values);
}

CASES_SHARE(open_encoders, close_encoders);
