/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/window_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int window_reader_open(WindowReader *windows, VideoReader *reader, const ReadAheadConfig *config,
                       const SampleWindow *window, size_t n_windows)
{
    *windows = (WindowReader){.reader = reader,
                              .config = *config,
                              .windows = window,
                              .n_windows = n_windows,
                              .ahead = calloc(n_windows, sizeof(*windows->ahead))};
    return windows->ahead ? 0 : -ENOMEM;
}

/* Media files seek; others pass over frames, which costs nothing in files. */
static int start_window(WindowReader *windows, Message *why)
{
    const SampleWindow *window = &windows->windows[windows->window];
    ReadAheadConfig config = windows->config;
    config.skip = (unsigned)(window->first - windows->position);
    config.limit = (unsigned)window->frames;
    if (windows->reader->media && config.skip) {
        config.skip = 0;
        const int more = video_reader_skip_to(windows->reader, (unsigned)window->first);
        if (more < 0)
            return message_set(why, more, "%s", windows->reader->error.text);
    }
    windows->position = window->first + window->frames;
    windows->left = window->frames;
    const int err = read_ahead_start(&windows->ahead[windows->window], windows->reader, &config);
    return err ? message_set(why, err, "%s", strerror(-err)) : 0;
}

static int take(ReadAhead *ahead, VmafPicture *picture, Message *why)
{
    enum { PATIENCE_MS = 1000 };
    int got;
    do
        got = read_ahead_next(ahead, PATIENCE_MS, picture, why);
    while (got == -EAGAIN);
    return got;
}

int window_reader_next(WindowReader *windows, VmafPicture *picture, Message *why)
{
    while (windows->window < windows->n_windows) {
        ReadAhead **ahead = &windows->ahead[windows->window];
        const int err = *ahead ? 0 : start_window(windows, why);
        if (err)
            return err;
        if (windows->left) {
            windows->left--;
            return take(*ahead, picture, why);
        }
        const int more = take(*ahead, picture, why); /* until the thread reads no more */
        if (more == 1)
            vmaf_picture_unref(picture);
        if (more)
            return more < 0 ? more : -EIO;
        read_ahead_stop(*ahead);
        windows->window++;
    }
    return 0;
}

void window_reader_close(WindowReader *windows)
{
    if (windows->window < windows->n_windows)
        read_ahead_stop(windows->ahead ? windows->ahead[windows->window] : NULL);
    for (size_t i = 0; i < windows->n_windows && windows->ahead; i++)
        read_ahead_destroy(windows->ahead[i]);
    free(windows->ahead);
    windows->ahead = NULL;
}
