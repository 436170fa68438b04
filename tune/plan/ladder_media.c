/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The files of a ladder: its rungs and the sound of the source, as players read them. */
#include "tune/plan/ladder_internal.h"

#include "common/output_guard.h"
#include "platform/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files of earlier ladders are replaced. */
static int spare_source(const Ladder *ladder, const char *path, Message *why)
{
    const GuardedOutput output = {.path = path, .name = "a rung", .overwrites = true};
    OutputGuard guard = {0};
    int err = output_guard_read(&guard, ladder->source->path, "the source", why);
    if (!err)
        err = output_guard_write(&guard, &output, why);
    output_guard_free(&guard);
    return err;
}

char *ladder_path(const Ladder *ladder, const char *manifest, const char *name, const char *ending)
{
    char *path;
    const int folder = manifest ? (int)(vmaf_path_name(manifest) - manifest) : 0;
    const int n = manifest
                      ? asprintf(&path, "%.*s%s.%s", folder, manifest, name, ending)
                      : asprintf(&path, "%s/%s.%s", ladder->session->scratch.path, name, ending);
    return n < 0 ? NULL : path;
}

/* Segments of video begin where all rungs have keyframes, and nowhere else: a moment less than a
 * segment, so that rounded times are on the right side. */
static void add_format(const Ladder *ladder, const char *container, bool is_audio,
                       ArgumentList *list)
{
    arguments_option(list, "-f", "%s", container);
    arguments_option(list, "-movflags", "+dash+delay_moov+global_sidx+skip_trailer%s",
                     is_audio ? "" : "+frag_keyframe");
    arguments_option(list, is_audio ? "-frag_duration" : "-min_frag_duration", "%lld",
                     (long long)(ladder->segment_seconds * 1e6) - 1000);
}

/* Makes one file by a command without its output, which is freed, and reads what manifests say of
 * it. Beside `manifest` it stays and gets its name when it is whole; NULL: it goes. A trial may
 * have no segments. */
static int make_track(const Ladder *ladder, const char *manifest, bool is_trial,
                      ArgumentList *command, LadderTrack *track, Message *why)
{
    const FfmpegLimits limits = {.stop = session_interrupt};
    char *path = ladder_path(ladder, manifest, track->name, "mp4");
    char *partial = ladder_path(ladder, manifest, track->name, "mp4.part");
    int err = -ENOMEM;
    if (path && partial) {
        arguments_add_path(command, partial);
        err = command->error;
    }
    if (err)
        message_set(why, err, "out of memory");
    else
        err = spare_source(ladder, path, why);
    if (!err)
        err = ffmpeg_run(command, &limits, why);
    if (!err && !is_trial)
        err = track_read(partial, ladder->segment_seconds, track, why);
    if (!err && manifest && rename(partial, path))
        err = message_set(why, -errno, "%s cannot be written", path);
    if (partial && (err || !manifest))
        remove(partial);
    free(path);
    free(partial);
    arguments_free(command);
    return err;
}

/* -- rungs -- */

/* An encode whose file is still there. */
static int provide_file(const Ladder *ladder, MeasuredEncode *encode, Message *why)
{
    MeasuredEncode measured;
    EncodeSpec spec = encode->spec;
    if (encode->path)
        return 0;
    spec.keeps_file = true;
    measure_encode(ladder->measurer->measurer, &spec, NULL, &measured);
    const int err = measured.error;
    *why = measured.why;
    measured_encode_free(err ? &measured : encode);
    if (!err)
        *encode = measured;
    return err;
}

static int copy_rung(const Ladder *ladder, const char *manifest, const char *container,
                     LadderRung *rung, Message *why)
{
    ArgumentList command = {0};
    ffmpeg_begin(ladder->session->options->ffmpeg, &command);
    arguments_add(&command, "-i");
    arguments_add_path(&command, rung->encode->path);
    arguments_option(&command, "-map", "0:v:0");
    arguments_option(&command, "-map_chapters", "-1"); /* they would be a second stream */
    arguments_option(&command, "-c", "copy");
    output_add_tags("rung.mp4", rung->encode->spec.encoder->codec, NULL, &command);
    add_format(ladder, container, false, &command);
    return make_track(ladder, manifest, false, &command, &rung->track, why);
}

/* What players do not know goes into a file of QuickTime, where only its bits are counted. */
static int make_rung(const Ladder *ladder, const char *manifest, LadderRung *rung, Message *why)
{
    int err = provide_file(ladder, rung->encode, why);
    if (err)
        return err;
    err = copy_rung(ladder, manifest, "mp4", rung, why);
    if (!err || err == -ECANCELED || manifest)
        return err;
    progress_print(ladder->session->progress,
                   "vmaf-tune ladder: %dx%d: no MP4 file, so CODECS is left out: %s",
                   rung->point.width, rung->point.height, why->text);
    return copy_rung(ladder, NULL, "mov", rung, why);
}

/* -- audio -- */

/* Players take or leave a group of audio as a whole, so that all of it has one codec: that of the
 * source, if MP4 and players take it, or AAC. */
static bool is_copied(const OtherStreams *others)
{
    const char *codec = NULL;
    for (size_t i = 0; i < others->n; i++) {
        const OtherStream *stream = &others->stream[i];
        if (stream->kind != MEDIA_AUDIO)
            continue;
        if (codec ? strcmp(codec, stream->codec) != 0
                  : strcmp(stream->codec, "aac") != 0 && strcmp(stream->codec, "ac3") != 0 &&
                        strcmp(stream->codec, "eac3") != 0)
            return false;
        codec = stream->codec;
    }
    return true;
}

/* How audio is coded: as the user has it, as it is, or in AAC. */
static void add_codec(const char *wish, bool is_kept, ArgumentList *list)
{
    const OtherStreams wished = {.audio = wish, .subs = "none"};
    ArgumentList words = {0};
    if (wish && strcmp(wish, "copy") != 0) {
        other_streams_keep(&wished, 0, "audio.mp4", &words);
        for (size_t i = 2; i < words.n; i++) /* behind -map */
            arguments_add(list, words.items[i]);
        arguments_free(&words);
        return;
    }
    arguments_option(list, "-c:a", is_kept ? "copy" : "aac");
    /* AAC has numbers for these, which are all that players know. */
    if (!is_kept)
        arguments_option(list, "-af", "aformat=channel_layouts=mono|stereo|3.0|4.0|5.0|5.1");
}

/* Stream `n` of the source's audio, beginning and ending with the video. */
static int make_audio(const Ladder *ladder, const char *manifest, size_t n, bool is_kept,
                      LadderTrack *track, Message *why)
{
    const TuneSource *source = ladder->source;
    ArgumentList command = {0};
    ffmpeg_begin(ladder->session->options->ffmpeg, &command);
    if (source->first_frame_time >= 1e-6)
        arguments_option(&command, "-ss", "%.6f", source->first_frame_time);
    arguments_add(&command, "-i");
    arguments_add_path(&command, source->path);
    arguments_option(&command, "-t", "%.6f", manifest ? source->seconds : 1);
    arguments_option(&command, "-map", "0:a:%zu", n);
    arguments_option(&command, "-map_chapters", "-1");
    add_codec(source->others.audio, is_kept, &command);
    add_format(ladder, "mp4", true, &command);
    snprintf(track->name, TRACK_NAME_SIZE, "audio_%zu", n);
    const int err = make_track(ladder, manifest, !manifest, &command, track, why);
    const Message what = *why;
    return err && err != -ECANCELED
               ? message_set(why, err, "audio %zu (--audio): %.400s", n + 1, what.text)
               : err;
}

int ladder_make_audio(Ladder *ladder, const char *manifest, Message *why)
{
    const OtherStreams *others = &ladder->source->others;
    const char *wish = others->audio && strcmp(others->audio, "copy") ? others->audio : NULL;
    const bool copies = is_copied(others), none = wish && !strcmp(wish, "none");
    LadderTrack *tracks = calloc(others->n + 1, sizeof(*tracks));
    size_t n = 0;
    int err = tracks ? 0 : message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < others->n && !err; i++) {
        const OtherStream *stream = &others->stream[i];
        const bool is_kept = copies || !strcmp(stream->codec, "aac");
        const bool is_text = stream->kind == MEDIA_TEXT || stream->kind == MEDIA_BITMAP;
        if (!manifest && is_text)
            progress_print(ladder->session->progress, "subtitles (%s) are left out", stream->codec);
        if (stream->kind != MEDIA_AUDIO || none)
            continue;
        if (!manifest && !is_kept && !wish)
            progress_print(ladder->session->progress, "audio %zu: %s becomes AAC", n + 1,
                           stream->codec);
        err = make_audio(ladder, manifest, n, is_kept, &tracks[n], why);
        n++;
    }
    ladder->audio = tracks;
    ladder->n_audio = tracks ? n : 0;
    if (!manifest)
        ladder_free_audio(ladder);
    return err;
}

int ladder_make_tracks(Ladder *ladder, const char *manifest, Message *why)
{
    int err = 0;
    for (size_t i = 0; i < ladder->n_rungs && !err; i++)
        err = make_rung(ladder, manifest, &ladder->rungs[i], why);
    return err || !manifest ? err : ladder_make_audio(ladder, manifest, why);
}

/* -- files of an earlier ladder -- */

static bool is_own(const Ladder *ladder, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < ladder->n_rungs; i++)
        found |= !strcmp(ladder->rungs[i].track.name, name);
    for (size_t i = 0; i < ladder->n_audio; i++)
        found |= !strcmp(ladder->audio[i].name, name);
    return found;
}

/* Names as this program writes them, which are never in another folder. */
static bool is_track_name(const char *name)
{
    const char *digits = !strncmp(name, "audio_", 6)        ? name + 6
                         : !strncmp(name, "rendition_", 10) ? name + 10
                                                            : "/";
    return !digits[strspn(digits, "0123456789xkq_.e-")];
}

void ladder_remove_old(const Ladder *ladder, const char *manifest, const char *earlier)
{
    for (const char *end, *at = earlier; (end = strstr(at, ".m3u8")); at = end + 5) {
        const char *begin = end;
        while (begin > earlier && !strchr("\"\n", begin[-1]))
            begin--;
        char *name = strndup(begin, (size_t)(end - begin));
        if (name && is_track_name(name) && !is_own(ladder, name))
            for (int i = 0; i < 2; i++) {
                char *path = ladder_path(ladder, manifest, name, i ? "mp4" : "m3u8");
                if (path)
                    remove(path);
                free(path);
            }
        free(name);
    }
}
