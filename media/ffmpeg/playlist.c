/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/playlist.h"

#include "platform/file.h"
#include "platform/path.h"
#include "platform/time.h"

#include <errno.h>
#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PARTS = 100000,
    MOST_TEXT = 64 << 20, /* bytes of a list */
    MOST_TIME = 60000,    /* milliseconds until a list is open */
};

/* -- which formats -- */

/* Formats of FFmpeg that open further files, and how the name of such a list has to end. */
static const struct {
    const char *format, *endings;
} lists[] = {
    {"hls", "m3u8,m3u"},
    {"concat", "ffconcat,concat"},
};

/* These are not read at all: lists whose files FFmpeg opens without asking, scripts, addresses. */
static const char rejected[] =
    "dash,imf,webm_dash_manifest,dvdvideo,avisynth,vapoursynth,sdp,rtsp,rtp,sap";
/* Pictures of letters. */
static const char texts[] = "tty,bin,xbin,adf,idf";

static const char *endings_of(const char *format)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (av_match_name(lists[i].format, format))
            return lists[i].endings;
    }
    return NULL;
}

static int check_format(const char *format, const char *path, Message *why)
{
    const char *endings = endings_of(format);
    if (endings && !av_match_ext(path, endings))
        return message_set(why, -EACCES,
                           "it is a list of other files (%s); such are read only if their name "
                           "ends in .%.*s",
                           format, (int)strcspn(endings, ","), endings);
    if (av_match_name(format, rejected))
        return message_set(why, -EACCES,
                           "it names other files or addresses (%s), which are not followed; make "
                           "one file of them first: ffmpeg -i INPUT -c copy OUTPUT",
                           format);
    if (av_match_name(format, texts))
        return message_set(why, -EPROTONOSUPPORT, "it is text and no video");
    return 0;
}

/* -- files that are named -- */

/* NULL: it is no file of this machine. */
static const char *local_path(const char *url)
{
    const char *path = url, *protocol = avio_find_protocol_name(url);
    if (!protocol || strcmp(protocol, "file"))
        return NULL;
    (void)av_strstart(url, "file:", &path);
    return path;
}

static bool is_below(const char *folder, const char *real)
{
    const size_t length = strlen(folder);
    return !strncmp(real, folder, length) && (real[length] == '/' || real[length] == '\\');
}

static int fail(Playlist *playlist, int err, const char *name, const char *reason)
{
    if (playlist->err)
        return err;
    playlist->err = err;
    const bool is_itself = !strcmp(name, playlist->path);
    return message_set(&playlist->failure, err, "%s%s %s", is_itself ? "it" : name,
                       is_itself ? "" : ", which it names,", reason);
}

/* A list of HTTP Live Streaming (RFC 8216): the names are those of lists if it is a master. */
static int check_hls(Playlist *playlist, const char *name, const char *text)
{
    if (strstr(text, "#EXT-X-STREAM-INF")) {
        if (++playlist->n_masters > 1)
            return fail(playlist, -EINVAL, name,
                        "is a list of lists, of which there may be one: lists have two levels");
    } else if (!strstr(text, "#EXT-X-ENDLIST")) {
        return fail(playlist, -EINVAL, name, "is a list without an end (#EXT-X-ENDLIST)");
    }
    unsigned parts = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line != '\0')
        parts += *line != '#' && *line != '\r' && *line != '\n';
    return parts > MOST_PARTS ? fail(playlist, -EINVAL, name, "is a list of more than 100000 parts")
                              : 0;
}

static bool begins_with(const char *path, const char *magic)
{
    char head[16];
    size_t got = 0;
    VmafFile file;
    if (vmaf_file_open(&file, path))
        return false;
    (void)vmaf_file_read_at(&file, head, strlen(magic), 0, &got);
    vmaf_file_close(&file);
    return got == strlen(magic) && !memcmp(head, magic, got);
}

static int check_text(Playlist *playlist, const char *name, const char *path)
{
    char *text;
    size_t size;
    if (!begins_with(path, "#EXTM3U"))
        return 0;
    int err = vmaf_file_load(path, MOST_TEXT, &text, &size);
    if (err)
        return fail(playlist, err, name, "cannot be read");
    err = check_hls(playlist, name, text);
    free(text);
    return err;
}

static int check_place(Playlist *playlist, const char *name, const char *path)
{
    char *real = NULL;
    VmafFileStatus status;
    int err = vmaf_path_real(path, &real);
    if (err == -ENOENT)
        err = fail(playlist, -EIO, name, "does not exist");
    else if (err)
        err = fail(playlist, -EIO, name, "cannot be found");
    else if (!playlist->is_pattern && (!playlist->folder || !is_below(playlist->folder, real)))
        err = fail(playlist, -EACCES, name, "does not lie in its folder or below");
    else if (vmaf_file_status_at(real, &status) || status.kind != VMAF_FILE_REGULAR)
        err = fail(playlist, -EACCES, name, "is no regular file");
    else if (++playlist->n_parts > MOST_PARTS)
        err = fail(playlist, -EINVAL, name, "is one of more than 100000");
    else if (playlist->deadline_ms && vmaf_steady_ms() > playlist->deadline_ms)
        err = fail(playlist, -EINVAL, name, "was not reached within a minute");
    else if (playlist->folder)
        err = check_text(playlist, name, real);
    free(real);
    return err;
}

int playlist_allow(Playlist *playlist, const char *url)
{
    const char *path = local_path(url);
    if (!path)
        return fail(playlist, -EACCES, url, "is no file of this machine");
    if (!playlist->folder && !strcmp(path, playlist->path))
        return 0;
    return check_place(playlist, path, path);
}

void playlist_fail(Playlist *playlist, const char *url, int err, const char *reason)
{
    const char *path = local_path(url);
    if (playlist->folder)
        (void)fail(playlist, err, path ? path : url, reason);
}

int playlist_take_failure(Playlist *playlist, Message *why)
{
    const int err = playlist->err;
    playlist->err = 0;
    if (err)
        *why = playlist->failure;
    return err;
}

/* -- lists of FFmpeg's own kind, whose files are opened without asking -- */

/* No list: those in lists are not asked about, either. */
static int check_content(Playlist *playlist, const char *path)
{
    AVIOContext *file = NULL;
    const AVInputFormat *format = NULL;
    if (avio_open(&file, path, AVIO_FLAG_READ) < 0)
        return fail(playlist, -EIO, path, "cannot be read");
    (void)av_probe_input_buffer(file, &format, path, NULL, 0, 0);
    avio_closep(&file);
    if (!format || (!endings_of(format->name) && !av_match_name(format->name, rejected)))
        return 0;
    return fail(playlist, -EINVAL, path, "is a list as well, which such a list may not name");
}

/* "file NAME". */
static int check_line(Playlist *playlist, const char *line)
{
    static const char blank[] = " \t\r\n", keyword[] = "file";
    const size_t length = strlen(keyword);
    line += strspn(line, blank);
    if (strncmp(line, keyword, length) || !line[length] || !strchr(blank, line[length]))
        return 0;
    line += length + strspn(line + length, blank);
    char *name = av_get_token(&line, blank);
    const size_t folder = (size_t)(vmaf_path_name(playlist->path) - playlist->path);
    char *path = name ? av_asprintf("%.*s%s", (int)folder, playlist->path, name) : NULL;
    int err = path ? check_place(playlist, path, path) : -ENOMEM;
    if (!err)
        err = check_content(playlist, path);
    av_free(path);
    av_free(name);
    return err;
}

static int check_concat(Playlist *playlist)
{
    char *text;
    size_t size;
    int err = vmaf_file_load(playlist->path, MOST_TEXT, &text, &size);
    if (err)
        return fail(playlist, err, playlist->path, "cannot be read");
    char *line = text;
    while (!err && line) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        err = check_line(playlist, line);
        line = next;
    }
    free(text);
    return err;
}

/* -- the list -- */

static int find_folder(Playlist *playlist)
{
    const char *name = vmaf_path_name(playlist->path);
    char *folder = name == playlist->path
                       ? strdup(".")
                       : strndup(playlist->path, (size_t)(name - playlist->path));
    const int err = folder ? vmaf_path_real(folder, &playlist->folder) : -ENOMEM;
    free(folder);
    if (!err && strlen(playlist->folder) == 1) /* the root */
        playlist->folder[0] = '\0';
    return err;
}

int playlist_start(Playlist *playlist, const char *format, const char *path, Message *why)
{
    int err = check_format(format, path, why);
    if (err)
        return err;
    *playlist = (Playlist){
        .path = path,
        .is_pattern = av_match_name(format, "image2") && strchr(path, '%'),
        .deadline_ms = vmaf_steady_ms() + MOST_TIME,
    };
    if (!endings_of(format))
        return 0;
    if (find_folder(playlist))
        return message_set(why, -EIO, "its folder cannot be found");
    if (!av_match_name(format, "concat"))
        return 0;
    err = check_concat(playlist);
    return err ? playlist_take_failure(playlist, why) : 0;
}

void playlist_is_open(Playlist *playlist)
{
    playlist->deadline_ms = 0;
}

void playlist_end(Playlist *playlist)
{
    free(playlist->folder);
    *playlist = (Playlist){.folder = NULL};
}
