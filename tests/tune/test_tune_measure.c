/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Parts of measuring that need neither an encoder nor a video. */

#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/hash.h"
#include "platform/path.h"
#include "platform/time.h"
#include "support/files.h"
#include "support/test_folder.h"
#include "tune/encode/scratch_folder.h"
#include "tune/measure/cache.h"
#include "tune/measure/measure_internal.h"
#include "tune/measure/scorer.h"
#include "tune/measure/source.h"
#include "tune/search/search_run.h"

/* -- hashes -- */

/* FIPS 180-4 has the first two as examples. */
CASE(given_data_in_parts_then_hashes_are_known)
{
    static const struct {
        const char *text, *hash;
    } cases[] = {
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t size = strlen(cases[i].text);
        for (size_t part = 1; part <= size + 1; part++) {
            Sha256 hash;
            char text[SHA256_TEXT_SIZE];
            sha256_start(&hash);
            for (size_t at = 0; at < size; at += part)
                sha256_add(&hash, cases[i].text + at, size - at < part ? size - at : part);
            sha256_text(&hash, text);
            assert_string_equal(text, cases[i].hash);
        }
    }
    /* A million times "a". */
    Sha256 hash;
    char text[SHA256_TEXT_SIZE], block[1000];
    memset(block, 'a', sizeof(block));
    sha256_start(&hash);
    for (int i = 0; i < 1000; i++)
        sha256_add(&hash, block, sizeof(block));
    sha256_text(&hash, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* -- names of formats and rates -- */

CASE(given_pixel_formats_then_what_can_be_scored_is_known)
{
    static const struct {
        const char *name;
        enum VmafPixelFormat format;
        unsigned depth;
    } known[] = {
        {"yuv420p", VMAF_PIX_FMT_YUV420P, 8},      {"yuv422p10le", VMAF_PIX_FMT_YUV422P, 10},
        {"yuv444p12le", VMAF_PIX_FMT_YUV444P, 12}, {"gray", VMAF_PIX_FMT_YUV400P, 8},
        {"gray10le", VMAF_PIX_FMT_YUV400P, 10},    {"yuv420p16le", VMAF_PIX_FMT_YUV420P, 16},
    };
    static const char *const others[] = {"yuv420p10be", "yuvj420p",  "nv12", "yuv420p11le",
                                         "rgb24",       "yuv420p 8", ""};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        VideoFormat format = {0};
        char name[PIXEL_FORMAT_SIZE];
        assert_true(pixel_format_parse(known[i].name, &format));
        assert_int_equal(format.pixel_format, known[i].format);
        assert_int_equal(format.bit_depth, known[i].depth);
        pixel_format_name(&format, name);
        assert_string_equal(name, known[i].name);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        VideoFormat format = {0};
        assert_false(pixel_format_parse(others[i], &format));
    }
}

CASE(given_frame_rates_then_the_usual_fractions_are_recognised)
{
    static const struct {
        const char *text;
        int numerator, denominator;
    } known[] = {
        {"24", 24, 1},           {"25/1", 25, 1},          {"24000/1001", 24000, 1001},
        {"23.976", 24000, 1001}, {"29.97", 30000, 1001},   {"59.94", 60000, 1001},
        {"12.5", 12500, 1000},   {"119.88", 120000, 1001}, {"30000/1001", 30000, 1001},
    };
    static const char *const others[] = {"0",      "-25", "25/0", "25/", "/1",
                                         "25.5/1", "x",   "25x",  "1e9"};
    FrameRate rate;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(frame_rate_parse(known[i].text, &rate));
        assert_int_equal(rate.numerator, known[i].numerator);
        assert_int_equal(rate.denominator, known[i].denominator);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(frame_rate_parse(others[i], &rate));
}

/* -- conditions -- */

CASE(given_conditions_then_each_part_is_known)
{
    TuneGates gates = {0};
    Message why;
    char label[GATE_LABEL_SIZE];
    assert_int_equal(tune_gates_parse(&gates, "vmaf.p1>=80.5,a.b.min>=-3", &why), 0);
    assert_int_equal(tune_gates_parse(&gates, "cambi.mean<=2", &why), 0);
    assert_int_equal(gates.n, 3);
    assert_string_equal(gates.gate[0].name, "vmaf");
    assert_int_equal(gates.gate[0].pool, POOL_P1);
    assert_true(gates.gate[0].target == 80.5 && !gates.gate[0].lower_is_better);
    assert_string_equal(gates.gate[1].name, "a.b");
    assert_int_equal(gates.gate[1].pool, POOL_MIN);
    assert_true(gates.gate[2].lower_is_better && gates.gate[2].target == 2);
    tune_gate_label(&gates.gate[0], label);
    assert_string_equal(label, "VMAF p1");
    gates.gate[0].pool = POOL_MEAN;
    tune_gate_label(&gates.gate[0], label);
    assert_string_equal(label, "VMAF");
    tune_gate_label(&gates.gate[1], label);
    assert_string_equal(label, "a.b min");
}

CASE(given_conditions_that_nothing_meets_then_they_are_refused)
{
    static const struct {
        const char *text;
        bool can_be_met;
    } cases[] = {
        {"vmaf.mean>=100", true},
        {"vmaf.p1>=100.5", false},
        {"ssimulacra2.mean>=70,psnr_y.mean>=101", true},
        {"vmaf.mean<=80,vmaf.mean>=90", false},
        {"vmaf.mean<=90,vmaf.mean>=90", true},
        {"vmaf.mean>=90,vmaf.p1<=80", true},
        {"vmaf.p1>=90,vmaf.p5<=80", false},
        {"vmaf.p5>=90,vmaf.p1<=80", true},
        {"cambi.min>=3,cambi.mean<=2", false},
        {"cambi.harmonic_mean>=3,cambi.mean<=2", false},
        {"cambi.mean>=3,cambi.harmonic_mean<=2", true},
        {"cambi.p10>=3,cambi.mean<=2", true},
        {"cambi.min>=3,vmaf.mean<=2", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TuneGates gates = {0};
        Message why;
        assert_int_equal(tune_gates_parse(&gates, cases[i].text, &why), 0);
        const int err = tune_gates_check(&gates, &why);
        if (err != (cases[i].can_be_met ? 0 : -EINVAL))
            fail_msg("%s: %d", cases[i].text, err);
    }
}

CASE(given_windows_then_means_count_them_by_what_they_stand_for)
{
    const SampleWindow windows[] = {{.frames = 1, .stands_for = 30},
                                    {.frames = 3, .stands_for = 10}};
    double scores[] = {40, 80, 90, 100}, values[SEARCH_MAX_GATES];
    char name[] = "vmaf";
    ScoreSeries series = {name, scores};
    const MeasuredEncode measured = {.scores = {.frames = 4, .series = &series, .n_series = 1}};
    TuneGates gates = {.windows = windows, .n_windows = 2};
    Message why;
    assert_int_equal(tune_gates_parse(&gates, "vmaf.mean>=1,vmaf.min>=1,vmaf.p10>=1", &why), 0);
    assert_int_equal(tune_gates_parse(&gates, "vmaf.harmonic_mean>=1", &why), 0);
    assert_int_equal(tune_gates_values(&gates, &measured, values, &why), 0);
    assert_true(fabs(values[0] - (40 * 30 + 90 * 10) / 40.0) < 1e-12);
    assert_true(values[1] == 40);
    /* The first score lies at 15 of 40, the second at 31 2/3, the last at 38 1/3. */
    assert_true(fabs(values[2] - (40 + 40 * (0.1 * 70 / 3) / (50.0 / 3))) < 1e-12);
    const double inverse = 30 / 41.0 + (1 / 81.0 + 1 / 91.0 + 1 / 101.0) * 10 / 3;
    assert_true(fabs(values[3] - (40 / inverse - 1)) < 1e-12);
    gates.n_windows = 0;
    assert_int_equal(tune_gates_values(&gates, &measured, values, &why), 0);
    assert_true(fabs(values[0] - 77.5) < 1e-12);
    const SampleWindow others[] = {{.frames = 5, .stands_for = 10}};
    gates.windows = others;
    gates.n_windows = 1;
    assert_int_equal(tune_gates_values(&gates, &measured, values, &why), -ENOENT);
}

CASE(given_what_is_no_condition_then_it_is_refused)
{
    static const char *const none[] = {
        "vmaf>=80",       "vmaf.mean>80",   "vmaf.mean=80",  "vmaf.mean>=",
        "vmaf.mean>=x",   "vmaf.p2>=80",    ".mean>=80",     "",
        "vmaf.mean>=80,", "vmaf.mean>=80;", "vmaf.mean>=inf"};
    Message why;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        TuneGates gates = {0};
        why.text[0] = '\0';
        assert_int_equal(tune_gates_parse(&gates, none[i], &why), -EINVAL);
        assert_true(strncmp(why.text, "--require: ", 11) == 0);
    }
    TuneGates many = {.n = SEARCH_MAX_GATES};
    assert_int_equal(tune_gates_parse(&many, "vmaf.mean>=1", &why), -EINVAL);
}

/* -- bitrates -- */

CASE(given_packets_then_the_bitrate_is_that_of_their_frames)
{
    const StreamFacts facts = {.frames = 100, .bytes = 28000};
    assert_float_equal(stream_kbps(&facts, (FrameRate){10, 1}), 28000 * 8 / 1000.0 / 10, 1e-9);
}

/* -- the cache -- */

/* The folder of the test is that of the cache. */
static TuneCache *open_cache(uint64_t most_bytes)
{
    TuneCache *cache;
    Message why;
    assert_int_equal(cache_open(&cache, test_folder_path(), most_bytes, &why), 0);
    return cache;
}

/* Opens and closes it, which removes what is too much. */
static void keep_bytes(uint64_t most_bytes)
{
    cache_close(open_cache(most_bytes));
}

#define CACHE_DEFAULT_BYTES (INT64_C(10) << 30)

static void write_bytes(const char *path, size_t size)
{
    static unsigned char bytes[40000];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i % 251);
    file_put(path, bytes, size);
}

static size_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}

static void shell(const char *command)
{
    assert_int_equal(system(command), 0);
}

/* As long as a hash. */
#define KEY_8(digit) digit digit digit digit digit digit digit digit
#define KEY(digit)                                                                                 \
    KEY_8(digit)                                                                                   \
    KEY_8(digit) KEY_8(digit) KEY_8(digit) KEY_8(digit) KEY_8(digit) KEY_8(digit) KEY_8(digit)

#define IN_FOLDER(test) CASE_WITH(test, test_folder_enter, test_folder_remove)

IN_FOLDER(given_results_then_the_cache_has_them_later)
{
    TuneCache *cache = open_cache(CACHE_DEFAULT_BYTES);
    assert_null(cache_read(cache, KEY("a")));
    json_t *document = json_pack("{s:i}", "a", 1);
    assert_int_equal(cache_write(cache, KEY("a"), document), 0);
    write_bytes("encode", 5000);
    char *moved;
    assert_int_equal(cache_add_file(cache, KEY("c"), "encode", &moved), 0);
    assert_int_equal(size_of("encode"), 0);
    assert_int_equal(size_of(moved), 5000);
    cache_close(cache);

    cache = open_cache(CACHE_DEFAULT_BYTES);
    json_t *again = cache_read(cache, KEY("a"));
    assert_true(json_equal(again, document));
    char *found = cache_find_file(cache, KEY("c"), 5000);
    assert_string_equal(found, moved);
    assert_null(cache_find_file(cache, KEY("d"), 5000));
    cache_close(cache);
    json_decref(again);
    json_decref(document);
    free(moved);
    free(found);
}

/* CIEDE2000 of equal frames is infinite, which JSON has no number for. */
IN_FOLDER(given_scores_then_they_come_back_to_the_last_bit)
{
    double vmaf[] = {93.123456789012345, 0.1, 1.0 / 3}, adm[] = {1, 0.9999999999999999, 1e-300},
           ciede[] = {INFINITY, 50, -INFINITY};
    char names[][16] = {"vmaf", "integer_adm2", "ciede2000", "cuda", "a \"device\""};
    ScoreSeries series[] = {{names[0], vmaf}, {names[1], adm}, {names[2], ciede}};
    EncodeScores scores = {3, series, 3, names[3], names[4], 12.5}, back;
    TuneCache *cache = open_cache(CACHE_DEFAULT_BYTES);
    score_record_store(cache, KEY("a"), &scores);
    assert_true(score_record_find(cache, KEY("a"), &back));
    assert_int_equal(back.frames, 3);
    assert_string_equal(back.backend, "cuda");
    assert_string_equal(back.device, "a \"device\"");
    assert_memory_equal(encode_scores_find(&back, "vmaf")->values, vmaf, sizeof vmaf);
    assert_memory_equal(encode_scores_find(&back, "adm2")->values, adm, sizeof adm);
    assert_memory_equal(encode_scores_find(&back, "ciede2000")->values, ciede, sizeof ciede);
    assert_ptr_equal(encode_scores_find(&back, "integer_vmaf"), encode_scores_find(&back, "vmaf"));
    assert_null(encode_scores_find(&back, "vif"));
    encode_scores_free(&back);
    json_t *json = cache_read(cache, KEY("a"));
    json_array_clear(json_object_get(json_object_get(json, "scores"), "vmaf"));
    assert_int_equal(cache_write(cache, KEY("a"), json), 0);
    assert_false(score_record_find(cache, KEY("a"), &back));
    json_decref(json);
    cache_close(cache);
}

/* Encodes of 40000 bytes with these keys, and when the index says that they were used. */
static void fill_cache(const char *const keys[], const json_int_t used[], int n)
{
    TuneCache *cache = open_cache(CACHE_DEFAULT_BYTES);
    json_t *index = json_object();
    for (int i = 0; i < n; i++) {
        char *path;
        write_bytes("encode", 40000);
        assert_int_equal(cache_add_file(cache, keys[i], "encode", &path), 0);
        json_object_set_new(index, path + strlen(test_folder_path()) + 1, json_integer(used[i]));
        free(path);
    }
    cache_close(cache);
    assert_int_equal(json_dump_file(index, "__index__.json", 0), 0);
    json_decref(index);
}

static bool finds(TuneCache *cache, const char *key)
{
    char *path = cache_find_file(cache, key, 40000);
    free(path);
    return path != NULL;
}

static const char *const keys[] = {KEY("a"), KEY("b"), KEY("c")};

/* What was used last stays: by the index, not by the order in which files were written. */
IN_FOLDER(given_too_much_then_the_least_recently_used_goes)
{
    fill_cache(keys, (const json_int_t[]){2000, 1000, 3000}, 3);
    keep_bytes(90000);
    TuneCache *cache = open_cache(90000);
    assert_false(finds(cache, keys[1]));
    assert_true(finds(cache, keys[0]) && finds(cache, keys[2]));
    cache_close(cache);
}

/* What is found is used by that. */
IN_FOLDER(given_a_file_that_was_found_then_it_stays)
{
    fill_cache(keys, (const json_int_t[]){1000, 2000}, 2);
    TuneCache *cache = open_cache(50000);
    assert_true(finds(cache, keys[0]));
    cache_close(cache);
    cache = open_cache(50000);
    assert_true(finds(cache, keys[0]) && !finds(cache, keys[1]));
    cache_close(cache);
}

IN_FOLDER(given_damage_then_a_document_is_not_there)
{
    TuneCache *cache = open_cache(CACHE_DEFAULT_BYTES);
    write_bytes("meta/" KEY("a") ".json", 100);
    assert_null(cache_read(cache, KEY("a")));
    cache_close(cache);
    write_bytes("__index__.json", 100);
    keep_bytes(CACHE_DEFAULT_BYTES);
    char file[256];
    Message why;
    snprintf(file, sizeof file, "%s/meta/" KEY("a") ".json/x", test_folder_path());
    assert_true(cache_open(&cache, file, CACHE_DEFAULT_BYTES, &why) < 0);
    assert_null(cache_read(NULL, KEY("a")));
    assert_null(cache_find_file(NULL, KEY("a"), 1));
}

/* All that is too much goes, and nothing else. */
IN_FOLDER(given_foreign_files_then_eviction_leaves_them)
{
    fill_cache(keys, (const json_int_t[]){1000}, 1);
    shell("echo precious >precious && cd blobs && echo film >film.mkv && echo x >" KEY("b") ".mkv");
    shell("cd blobs && ln -s ../precious " KEY("c") ".bin && mkdir " KEY("d") ".bin");
    shell("cd blobs && ln ../precious ../meta/notes.json");
    TuneCache *cache = open_cache(1);
    assert_null(cache_find_file(cache, KEY("c"), 9)); /* a link is none of its files */
    cache_close(cache);
    shell("test ! -e blobs/" KEY("a") ".bin && test -f blobs/film.mkv");
    shell("test -f blobs/" KEY("b") ".mkv && test -L blobs/" KEY("c") ".bin");
    shell("test -d blobs/" KEY("d") ".bin && test -f meta/notes.json && test -f precious");
}

/* Links and pipes that somebody put where a result belongs. */
IN_FOLDER(given_links_then_nothing_is_written_through_them)
{
    TuneCache *cache = open_cache(CACHE_DEFAULT_BYTES);
    shell("echo precious >precious && ln -s ../precious meta/" KEY("a") ".json");
    shell("ln -s ../precious blobs/" KEY("b") ".bin && mkfifo meta/" KEY("c") ".json");
    json_t *document = json_pack("{s:i}", "a", 1);
    assert_true(cache_write(cache, KEY("a"), document) < 0);
    char *path;
    write_bytes("encode", 100);
    assert_true(cache_add_file(cache, KEY("b"), "encode", &path) < 0);
    assert_null(cache_read(cache, KEY("c")));
    shell("test \"$(cat precious)\" = precious");
    cache_close(cache);
    json_decref(document);
}

/* Files that are in work take room, those of a killed run go, and other files of the folder stay.
 */
IN_FOLDER(given_work_then_it_is_counted_and_cleaned)
{
    char file[256];
    ScratchFolder scratch;
    fill_cache(keys, (const json_int_t[]){1000}, 1);
    snprintf(file, sizeof file, "%s/work/" SCRATCH_OF_RUN, test_folder_path());
    assert_int_equal(scratch_folder_make(&scratch, file), 0);
    shell("echo film >work/film.mkv && mkdir -m 700 work/vmaf-tune.0123456789abcdef.part && "
          "touch work/vmaf-tune.0123456789abcdef.part/lock");
    snprintf(file, sizeof file, "%s/video.mkv", scratch.path);
    write_bytes(file, 30000);
    keep_bytes(60000);
    assert_int_equal(size_of(file), 30000);
    scratch_folder_remove(&scratch);
    shell("test \"$(ls work)\" = film.mkv && test ! -e blobs/" KEY("a") ".bin");
}

/* What says that it is of the future, or of before 1970, has the time when it was written. */
IN_FOLDER(given_impossible_times_then_they_are_not_believed)
{
    fill_cache(keys, (const json_int_t[]){INT64_MAX, INT64_MIN, 1500000000}, 3);
    shell("touch -t 200101010000 blobs/" KEY("a") ".bin");
    keep_bytes(90000);
    shell("test ! -e blobs/" KEY("a") ".bin && test -e blobs/" KEY("b") ".bin");
    shell("test -e blobs/" KEY("c") ".bin");
}

/* -- jobs -- */

static void sleep_and_count(void *cookie, void *job)
{
    vmaf_sleep_ns(1000000);
    *(int *)job += *(int *)cookie;
}

CASE(given_jobs_then_each_is_done_once)
{
    enum { N = 40 };
    int jobs[N] = {0}, step = 3, seen = 0;
    JobQueue *queue;
    assert_int_equal(job_queue_create(&queue, 4, sleep_and_count, &step), 0);
    assert_null(job_queue_wait(queue, 1));
    for (int i = 0; i < N; i++)
        assert_int_equal(job_queue_submit(queue, &jobs[i]), 0);
    while (job_queue_pending(queue)) {
        int *job = job_queue_wait(queue, 1000);
        if (!job)
            continue;
        assert_int_equal(*job, 3);
        *job = 0;
        seen++;
    }
    assert_int_equal(seen, N);
    assert_int_equal(job_queue_submit(queue, &jobs[0]), 0);
    job_queue_destroy(queue); /* which does what was submitted */
    assert_int_equal(jobs[0], 3);
}
