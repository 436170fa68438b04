/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which formats of this FFmpeg are read under which names. */
#include "media/ffmpeg/playlist.h"

#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <string.h>

#include "support/cases.h"

/* They open the files of a name themselves, which the user has given. */
static const char pictures[] = "image2,alias_pix,brender_pix";

/* Formats that open other files than the one that the user has named, or none that is a film. */
static const char not_read[] =
    "hls,concat,dash,imf,webm_dash_manifest,dvdvideo,avisynth,vapoursynth,sdp,rtsp,rtp,sap,"
    "tty,bin,xbin,adf,idf";

static bool is_read(const char *format, const char *path)
{
    Playlist playlist = {.folder = NULL};
    Message why;
    const int err = playlist_start(&playlist, format, path, &why);
    playlist_end(&playlist);
    return !err;
}

CASE(formats_that_open_other_files_need_a_name_that_says_so)
{
    static const char *const paths[] = {"film.mkv", "film.ts", "m3u8", "film.m3u8.mkv", "-", ""};
    const AVInputFormat *format;
    for (void *place = NULL; (format = av_demuxer_iterate(&place));) {
        const bool is_listed = av_match_name(format->name, not_read);
        for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
            if (is_read(format->name, paths[i]) == is_listed)
                fail_msg("%s is %s as \"%s\"", format->name, is_listed ? "read" : "refused",
                         paths[i]);
        }
    }
}

CASE(only_two_formats_are_read_as_lists)
{
    const AVInputFormat *format;
    for (void *place = NULL; (format = av_demuxer_iterate(&place));) {
        if (!av_match_name(format->name, not_read))
            continue;
        const bool is_hls = av_match_name("hls", format->name);
        assert_int_equal(is_read(format->name, "list.m3u8"), is_hls);
        assert_int_equal(is_read(format->name, "list.M3U"), is_hls);
        assert_false(is_read(format->name, "list.mpd"));
        assert_false(is_read(format->name, "list.xml"));
        assert_false(is_read(format->name, "list.txt"));
    }
}

/* A newer FFmpeg may have more of them. */
CASE(formats_whose_names_tell_of_lists_are_known)
{
    static const char *const words[] = {"hls", "dash", "list", "manifest", "concat",
                                        "sdp", "rts",  "rtp",  "synth",    "imf"};
    const AVInputFormat *format;
    for (void *place = NULL; (format = av_demuxer_iterate(&place));) {
        bool is_suspect = false;
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            is_suspect |= strstr(format->name, words[i]) != NULL;
        /* They open their files, or connections, themselves. */
        is_suspect |= (format->flags & AVFMT_NOFILE) && !av_match_name(format->name, pictures);
        if (is_suspect && !av_match_name(format->name, not_read))
            fail_msg("does %s open other files than the one that was named?", format->name);
    }
}
