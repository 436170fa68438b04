/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "device_input.h"

#include "backend_choice.h"
#include "common/messages.h"
#include "exit_status.h"
#include "media/read_ahead.h"
#include "output.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

unsigned device_input_index(const Options *options)
{
    const char *decoder = options->input.hwaccel;
    const char *name = decoder && !strcmp(decoder, "auto") ? options->backend : decoder;
    const BackendWord *word = name ? backend_words_find(&options->backends, name) : NULL;
    return word && backend_word_names_device(word) ? (unsigned)word->device : 0;
}

/* The device of the frames; NULL: the processor decodes, or nothing scores frames there. */
static const MediaDevice *device_of(const VideoReader *reader)
{
    const MediaDevice *device = reader->media ? &video_reader_properties(reader)->device : NULL;
    return device && device->backend ? device : NULL;
}

static bool can_stay(const Run *run, const VideoReader *reader, const char *role, Message *why)
{
    Message obstacle;
    if (device_frames_can_stay(reader, run_depth(run), &obstacle))
        return true;
    message_set(why, 0, "the %s video %s", role, obstacle.text);
    return false;
}

/* Whatever the backend is. */
static bool can_both_stay(const Run *run, Message *why)
{
    const VideoReader *reference = &run->reference->reader;
    if (run->options->n_distorted > 1)
        message_set(why, 0, "there are several distorted videos");
    else if (run->worst)
        message_set(why, 0, "a page shows some of them");
    else
        return can_stay(run, reference, "reference", why) &&
               can_stay(run, &run->distorted, "distorted", why);
    return false;
}

bool device_input_choose_backend(Run *run)
{
    Message unused;
    const MediaDevice *device = device_of(&run->reference->reader);
    if (!device || !can_both_stay(run, &unused) || !run_can_read_again(run) ||
        output_is_wanted(run->options, VMAF_OUTPUT_FORMAT_NDJSON) || /* cannot be taken back */
        !backend_choice_is_free(run->options, device->backend))
        return true;
    if (vmaf_backend_select(run->vmaf, device->backend, (int)device->index))
        return false;
    run->chose_backend = true;
    return true;
}

/* Is it chosen by name? Only then is there a device for pictures. */
static bool is_chosen(const Run *run, const char *backend)
{
    const char *named = run->options->backend;
    return run->chose_backend || (named && !strcmp(named, backend));
}

void device_input_decide(Run *run)
{
    VideoReader *reference = &run->reference->reader, *distorted = &run->distorted;
    const MediaDevice *device = device_of(reference) ? device_of(reference) : device_of(distorted);
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    VmafBackendDeviceUse second = {.struct_size = sizeof(second)};
    Message *why = &run->why_fetched;
    if (!device || !is_chosen(run, device->backend) || vmaf_backend_status(run->vmaf, &status))
        return;
    if (status.device_index != (int)device->index)
        message_set(why, 0, "device %d scores, device %u decodes", status.device_index,
                    device->index);
    else if (!vmaf_backend_device_use(run->vmaf, 1, &second))
        message_set(why, 0, "several devices score");
    else if (!backend_choice_uses_all(device->backend))
        message_set(why, 0, "there are devices that cannot score, so it may be another one");
    else if (can_both_stay(run, why))
        reference->stays_on_device = distorted->stays_on_device = true;
}

static bool is_of_device(int err)
{
    return err == -EIO || err == -ENODEV;
}

int device_input_failed(Run *run, int reference, int distorted)
{
    if (!run->distorted.stays_on_device || (!is_of_device(reference) && !is_of_device(distorted)))
        return STATUS_OK;
    if (run->chose_backend) {
        snprintf(run->distrusted, sizeof(run->distrusted), "%s",
                 device_of(&run->distorted)->backend);
        return STATUS_READ;
    }
    (void)vmaf_read_pictures(run->vmaf, NULL, NULL, 0); /* so that the library notices, too */
    return backend_choice_failed(run->options, run->vmaf);
}

void device_input_give_up(const Run *run, Options *options)
{
    if (!run->distorted.stays_on_device)
        return;
    say("vmaf: the processor decodes, not --hwaccel %s", options->input.hwaccel);
    options->input.hwaccel = NULL;
}

void device_input_note(const Run *run, const VideoReader *reader, const char *role, Notes *notes)
{
    const char *wanted = run->options->input.hwaccel;
    if (!wanted || !reader->media)
        return;
    const char *decoder = video_reader_properties(reader)->decoder;
    if (!strcmp(decoder, "software"))
        notes_add(notes, "no device decodes the %s video (--hwaccel %s): the processor does", role,
                  wanted);
    else if (reader->stays_on_device)
        notes_add(notes, "the %s video is decoded by %s and scored on that device", role, decoder);
    else
        notes_add(notes, "the %s video is decoded by %s and fetched from the device", role,
                  decoder);
}

void device_input_note_pair(const Run *run, Notes *notes)
{
    if (*run->why_fetched.text)
        notes_add(notes, "frames cannot be scored where they are decoded: %s",
                  run->why_fetched.text);
}
