/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder/ladder.h"

#include "common/output_guard.h"
#include "platform/child.h"
#include "platform/file.h"
#include "platform/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a file beside the manifest is, as no program takes for an option or a protocol. */
static void add_place(ArgumentList *list, const char *manifest, const char *name,
                      const char *extension)
{
    const int length = (int)(vmaf_path_name(manifest) - manifest);
    arguments_print(list, "%s%.*s%s.%s", vmaf_path_is_absolute(manifest) ? "" : "./", length,
                    manifest, name, extension);
}

static void add_all(ArgumentList *list, const char *const *arguments)
{
    for (; *arguments; arguments++)
        arguments_add(list, *arguments);
}

/* A moment less than a segment, so that rounded times are on the right side. */
static long long segment_us(const Ladder *ladder)
{
    return (long long)(ladder->segment_seconds * 1e6) - 1000;
}

/* Segments begin where all rungs have keyframes, and nowhere else. */
static void add_segments(const Ladder *ladder, bool playlist, ArgumentList *list)
{
    static const char *const hls[] = {
        "-f",   "hls",        "-hls_playlist_type", "vod",       "-hls_segment_type",
        "fmp4", "-hls_flags", "single_file",        "-hls_time", NULL};
    static const char *const mp4[] = {"-f",
                                      "mp4",
                                      "-movflags",
                                      "+dash+delay_moov+global_sidx+skip_trailer+frag_keyframe",
                                      "-min_frag_duration",
                                      NULL};
    add_all(list, playlist ? hls : mp4);
    arguments_print(list, playlist ? "%lldus" : "%lld", segment_us(ladder));
}

static void make_command(const Ladder *ladder, const LadderRung *rung, const char *manifest,
                         bool playlist, ArgumentList *list)
{
    static const char *const start[] = {"-nostdin", "-hide_banner", "-loglevel",
                                        "error",    "-y",           NULL};
    static const char *const copy[] = {"-map", "0:v:0", "-c", "copy", NULL};
    const char *path = rung->encode->path;
    arguments_add(list, ladder->session->options->ffmpeg);
    add_all(list, start);
    arguments_add(list, "-i");
    arguments_print(list, "%s%s", vmaf_path_is_absolute(path) ? "" : "./", path);
    add_all(list, copy);
    if (!strncmp(rung->codecs, "hvc1", 4)) {
        arguments_add(list, "-tag:v");
        arguments_add(list, "hvc1");
    }
    add_segments(ladder, playlist, list);
    add_place(list, manifest, rung->name, playlist ? "m3u8" : "mp4");
}

static int run(const ArgumentList *command, Message *why)
{
    VmafChildResult result;
    const VmafChildRun child = {
        .program = command->items[0],
        .arguments = (const char *const *)command->items,
        .stop = session_interrupt(),
    };
    int err = vmaf_child_run(&child, &result);
    if (err)
        return message_set(why, err, "%s: %s", command->items[0], strerror(-err));
    if (result.ending == VMAF_CHILD_STOPPED)
        err = message_set(why, -ECANCELED, "interrupted");
    else if (result.ending != VMAF_CHILD_EXITED || result.number)
        err = message_set(why, -EIO, "ffmpeg could not write %s: %.300s",
                          command->items[command->n - 1], result.error_tail);
    vmaf_child_result_free(&result);
    return err;
}

static uint64_t big_endian(const unsigned char *bytes, size_t n)
{
    uint64_t number = 0;
    for (size_t i = 0; i < n; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* Where the index is among the outermost boxes (ISO/IEC 14496-12). */
static int find_index(const char *path, LadderRung *rung)
{
    VmafFile file;
    int64_t position = 0;
    int err = vmaf_file_open(&file, path);
    if (err)
        return err;
    for (;;) {
        unsigned char head[16];
        size_t got = 0;
        err = vmaf_file_read_at(&file, head, sizeof head, position, &got);
        if (err || got < 8)
            break;
        uint64_t size = big_endian(head, 4);
        if (size == 1 && got == sizeof head)
            size = big_endian(head + 8, 8);
        if (size < 8 || size > INT64_MAX / 2)
            break;
        if (!memcmp(head + 4, "sidx", 4)) {
            rung->index_begin = (uint64_t)position;
            rung->index_end = (uint64_t)position + size;
            break;
        }
        position += (int64_t)size;
    }
    vmaf_file_close(&file);
    return err || rung->index_end ? err : -EINVAL;
}

/* Files of earlier ladders are replaced. */
static int spare_source(const Ladder *ladder, const char *path, Message *why)
{
    const TextList *sources = &ladder->session->options->sources;
    const GuardedOutput output = {.path = path, .name = "a rung", .overwrites = true};
    OutputGuard guard = {0};
    int err = 0;
    for (size_t i = 0; i < sources->n && !err; i++)
        err = output_guard_read(&guard, sources->text[i], "the source", why);
    if (!err)
        err = output_guard_write(&guard, &output, why);
    output_guard_free(&guard);
    return err;
}

int ladder_emit(Ladder *ladder, const char *manifest, bool playlists, Message *why)
{
    int err = 0;
    for (size_t i = 0; i < ladder->n_rungs && !err; i++) {
        LadderRung *rung = &ladder->rungs[i];
        ArgumentList command = {0};
        make_command(ladder, rung, manifest, playlists, &command);
        err = command.error ? message_set(why, command.error, "out of memory")
                            : spare_source(ladder, command.items[command.n - 1], why);
        if (!err)
            err = run(&command, why);
        if (!err && !playlists && (err = find_index(command.items[command.n - 1], rung)))
            message_set(why, err, "%s has no index", command.items[command.n - 1]);
        arguments_free(&command);
    }
    ladder->has_media = !err;
    return err;
}
