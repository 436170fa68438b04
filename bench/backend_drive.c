/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A plugin driven through backend.h alone. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend_bench.h"

double drive_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int complain(const Drive *drive, const char *what, int32_t status, const char *why)
{
    fprintf(stderr, "%s: %s: %s (%d)\n", drive->backend ? drive->backend->name : "plugin", what,
            why && *why ? why : "no reason was given", (int)status);
    return -1;
}

static void log_line(void *cookie, uint32_t level, const char *text)
{
    (void)cookie;
    (void)level;
    fprintf(stderr, "%s\n", text);
}

int drive_load(Drive *drive, const char *path)
{
    *drive = (Drive){.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!drive->library)
        return complain(drive, "cannot be loaded", 0, dlerror());
    union {
        void *object;
        VmafBackendEntry function;
    } entry = {.object = dlsym(drive->library, VMAF_BACKEND_ENTRY_SYMBOL)};
    drive->backend = entry.object ? entry.function() : NULL;
    if (!drive->backend || drive->backend->abi_major != VMAF_BACKEND_ABI_MAJOR)
        return complain(drive, "is no backend for this program", 0, path);
    return 0;
}

int drive_describe(Drive *drive, int device)
{
    const VmafBackend *backend = drive->backend;
    VmafBackendProbe probe = {.struct_size = sizeof probe};
    int32_t status = backend->probe(&probe);
    if (status || !probe.n_devices)
        return complain(drive, "there is no device", status, probe.reason);
    drive->info = (VmafBackendDeviceInfo){.struct_size = sizeof drive->info};
    status = backend->device_get(device < 0 ? 0 : (uint32_t)device, &drive->info);
    return status ? complain(drive, "there is no such device", status, NULL) : 0;
}

static int open_device(Drive *drive, int device, bool profiling)
{
    VmafBackendReason why = {.struct_size = sizeof why};
    if (drive_describe(drive, device))
        return -1;
    drive->host = (VmafBackendHost){.struct_size = sizeof drive->host,
                                    .abi_major = VMAF_BACKEND_ABI_MAJOR,
                                    .abi_minor = VMAF_BACKEND_ABI_MINOR,
                                    .log = log_line};
    const VmafBackendDeviceParams params = {
        .struct_size = sizeof params,
        .flags = profiling ? VMAF_BACKEND_DEVICE_FLAG_PROFILING : 0,
        .host = &drive->host,
        .id = drive->info.id,
    };
    const int32_t status = drive->backend->device_open(&params, &drive->device, &why);
    return status ? complain(drive, "the device does not open", status, why.text) : 0;
}

/* The type that the backend lists for an option. */
static uint32_t option_type(const Drive *drive, const char *name, const char *option)
{
    VmafBackendFeature feature = {.struct_size = sizeof feature};
    VmafBackendOptionSpec spec = {.struct_size = sizeof spec};
    for (uint32_t i = 0; i < drive->backend->n_features; i++) {
        if (drive->backend->feature_get(i, &feature) || strcmp(feature.name, name) != 0)
            continue;
        for (uint32_t k = 0; k < feature.n_options; k++) {
            if (!drive->backend->feature_option(i, k, &spec) && !strcmp(spec.name, option))
                return spec.type;
        }
    }
    return VMAF_BACKEND_TYPE_STRING;
}

static int read_value(VmafBackendOption *option, const char *value)
{
    char *end = NULL;
    option->number = strtod(value, &end);
    option->string = value;
    if (option->type == VMAF_BACKEND_TYPE_BOOL)
        option->integer = !strcmp(value, "true");
    else if (option->type == VMAF_BACKEND_TYPE_INT)
        option->integer = strtoll(value, &end, 10);
    const bool is_number =
        option->type == VMAF_BACKEND_TYPE_INT || option->type == VMAF_BACKEND_TYPE_DOUBLE;
    return is_number && (*end || end == value) ? -1 : 0;
}

static int read_request(const Drive *drive, const char *spec, DriveRequest *request)
{
    *request = (DriveRequest){.list = {NULL}};
    if (snprintf(request->text, sizeof request->text, "%s", spec) >= (int)sizeof request->text)
        return -1;
    char *rest = request->text;
    const char *name = strsep(&rest, "=");
    uint32_t n = 0;
    for (; rest && n < DRIVE_MAX_OPTIONS; n++) {
        char *value = strsep(&rest, ":");
        const char *option = strsep(&value, "=");
        request->options[n] = (VmafBackendOption){.struct_size = sizeof request->options[n],
                                                  .type = option_type(drive, name, option),
                                                  .name = option};
        request->list[n] = &request->options[n];
        if (!value || read_value(&request->options[n], value))
            return -1;
    }
    request->request = (VmafBackendRequest){.struct_size = sizeof request->request,
                                            .feature = name,
                                            .n_options = n,
                                            .options = request->list};
    return rest ? -1 : 0;
}

static int list_features(Drive *drive, const char *const features[], unsigned n)
{
    drive->n_features = n ? n : drive->backend->n_features;
    if (drive->n_features > DRIVE_MAX_FEATURES)
        drive->n_features = DRIVE_MAX_FEATURES;
    for (unsigned i = 0; i < drive->n_features; i++) {
        VmafBackendFeature feature = {.struct_size = sizeof feature, .name = ""};
        if (!n)
            drive->backend->feature_get(i, &feature);
        if (read_request(drive, n ? features[i] : feature.name, &drive->requests[i]))
            return complain(drive, "no such feature or options", 0, features[i]);
        drive->requests[i].request.id = i;
    }
    return 0;
}

static int make_plan(Drive *drive, const BenchClips *clips, unsigned in_flight)
{
    const VmafBackendRequest *list[DRIVE_MAX_FEATURES];
    for (unsigned i = 0; i < drive->n_features; i++)
        list[i] = &drive->requests[i].request;
    const VmafBackendPlanParams params = {.struct_size = sizeof params,
                                          .width = clips->synth.width,
                                          .height = clips->synth.height,
                                          .depth = clips->synth.depth,
                                          .pixel_format = VMAF_BACKEND_PIXEL_420,
                                          .frames_in_flight = in_flight,
                                          .n_requests = drive->n_features,
                                          .requests = list};
    VmafBackendReason why = {.struct_size = sizeof why};
    const int32_t status = drive->backend->plan_create(drive->device, &params, &drive->plan, &why);
    return status ? complain(drive, "there is no plan", status, why.text) : 0;
}

static int read_answers(Drive *drive)
{
    bool any = false;
    for (unsigned i = 0; i < drive->n_features; i++) {
        VmafBackendAnswer answer = {.struct_size = sizeof answer};
        if (drive->backend->plan_answer(drive->plan, i, &answer) || !answer.accepted) {
            fprintf(stderr, "%s is declined: %s\n", drive->requests[i].request.feature,
                    answer.reason);
            continue;
        }
        drive->accepted[i] = any = true;
        const size_t size = (answer.record_size + 15) / 16 * 16;
        drive->records[i] = aligned_alloc(16, size);
        if (!drive->records[i])
            return complain(drive, "out of memory", 0, NULL);
    }
    drive->plan_info = (VmafBackendPlanInfo){.struct_size = sizeof drive->plan_info};
    const int32_t status = drive->backend->plan_info(drive->plan, &drive->plan_info);
    return any && !status ? 0 : complain(drive, "computes none of it", status, NULL);
}

int drive_open(Drive *drive, int device, bool profiling, const BenchClips *clips,
               unsigned in_flight, const char *const features[], unsigned n)
{
    VmafBackendReason why = {.struct_size = sizeof why};
    if (list_features(drive, features, n))
        return -1;
    const double begin = drive_now();
    int err = open_device(drive, device, profiling);
    if (!err)
        err = make_plan(drive, clips, in_flight);
    if (!err)
        err = read_answers(drive);
    if (!err) {
        const int32_t status = drive->backend->session_open(drive->plan, &drive->session, &why);
        err = status ? complain(drive, "no session opens", status, why.text) : 0;
    }
    drive->opening = drive_now() - begin;
    if (err)
        drive_close(drive);
    return err;
}

static void release_pictures(Drive *drive)
{
    for (unsigned i = 0; i < 2 * BENCH_DISTINCT_FRAMES; i++) {
        VmafBackendBuffer **picture = &drive->pictures[i % 2][i / 2];
        if (*picture)
            drive->backend->buffer_release(*picture);
        *picture = NULL;
    }
}

void drive_close(Drive *drive)
{
    if (drive->session)
        drive->backend->session_close(drive->session);
    release_pictures(drive);
    if (drive->plan)
        drive->backend->plan_destroy(drive->plan);
    if (drive->device)
        drive->backend->device_close(drive->device);
    for (unsigned i = 0; i < drive->n_features; i++)
        free(drive->records[i]);
    drive->session = NULL;
    drive->plan = NULL;
    drive->device = NULL;
    memset(drive->records, 0, sizeof drive->records);
    memset(drive->accepted, 0, sizeof drive->accepted);
}

/* One picture of the clips as a buffer on the device: a status of backend.h. */
static int32_t upload_picture(Drive *drive, const BenchClips *clips, unsigned side, unsigned t)
{
    const SynthClip *synth = &clips->synth;
    const VmafBackendBufferParams params = {.struct_size = sizeof params,
                                            .kind = VMAF_BACKEND_BUFFER_DEVICE,
                                            .width = synth->width,
                                            .height = synth->height,
                                            .depth = synth->depth,
                                            .pixel_format = VMAF_BACKEND_PIXEL_420,
                                            .planes = drive->plan_info.planes};
    const void *data[3] = {NULL};
    int64_t stride[3] = {0};
    for (unsigned p = 0; p < 3; p++) {
        if (params.planes & 1u << p) {
            data[p] = clips->planes[side][t][p];
            stride[p] = clips->stride[p];
        }
    }
    const int32_t status =
        drive->backend->buffer_create(drive->device, &params, &drive->pictures[side][t]);
    return status ? status : drive->backend->buffer_upload(drive->pictures[side][t], data, stride);
}

int drive_upload(Drive *drive, const BenchClips *clips, char reason[VMAF_BACKEND_TEXT_SIZE])
{
    const VmafBackend *backend = drive->backend;
    int32_t status = backend->buffer_create && backend->buffer_upload && backend->buffer_release
                         ? VMAF_BACKEND_OK
                         : VMAF_BACKEND_NOT_SUPPORTED;
    for (unsigned i = 0; i < 2 * BENCH_DISTINCT_FRAMES && !status; i++)
        status = upload_picture(drive, clips, i % 2, i / 2);
    if (!status)
        return 0;
    backend->last_error(VMAF_BACKEND_OBJECT_DEVICE, drive->device, reason, VMAF_BACKEND_TEXT_SIZE);
    release_pictures(drive);
    if (status != VMAF_BACKEND_NOT_SUPPORTED)
        return complain(drive, "pictures do not get onto the device", status, reason);
    snprintf(reason, VMAF_BACKEND_TEXT_SIZE, "the backend has no pictures on the device");
    return 1;
}

static VmafBackendPicture picture_of(const Drive *drive, unsigned side, unsigned t,
                                     const VmafPicture *from)
{
    VmafBackendPicture picture = {.struct_size = sizeof picture,
                                  .buffer = drive->pictures[side][t]};
    for (int p = 0; p < 3 && !picture.buffer; p++) {
        picture.data[p] = from->data[p];
        picture.stride[p] = from->stride[p];
    }
    return picture;
}

static int submit(Drive *drive, const BenchClips *clips, unsigned number)
{
    VmafPicture pics[2];
    if (bench_clips_pair(clips, number, &pics[0], &pics[1]))
        return complain(drive, "out of memory", 0, NULL);
    const unsigned t = bench_clips_index(number);
    const VmafBackendPicture ref = picture_of(drive, 0, t, &pics[0]);
    const VmafBackendPicture dist = picture_of(drive, 1, t, &pics[1]);
    VmafBackendFrame frame = {
        .struct_size = sizeof frame, .sequence = number, .ref = &ref, .dist = &dist};
    for (unsigned i = 0; i < drive->n_features; i++)
        frame.wanted[0] |= (uint64_t)drive->accepted[i] << i;
    const int32_t status = drive->backend->submit(drive->session, &frame);
    for (int side = 0; side < 2; side++)
        vmaf_picture_unref(&pics[side]); /* the planes belong to the clips */
    return status ? complain(drive, "a frame is refused", status, NULL) : 0;
}

static int collect(Drive *drive)
{
    int32_t statuses[DRIVE_MAX_FEATURES];
    VmafBackendResult result = {.struct_size = sizeof result,
                                .n_requests = drive->n_features,
                                .records = drive->records,
                                .status = statuses};
    const int32_t status = drive->backend->collect(drive->session, 60000, &result);
    return status ? complain(drive, "no answer", status, NULL) : 0;
}

int drive_run(Drive *drive, const BenchClips *clips, DriveRun *run)
{
    enum { MAX_SLOTS = 64, LEAST_FRAMES = 4 };
    double submitted[MAX_SLOTS] = {0.0};
    const unsigned slots = drive->plan_info.slots < MAX_SLOTS ? drive->plan_info.slots : MAX_SLOTS;
    const double begin = drive_now();
    unsigned n = 0; /* handed over */
    run->done = 0;
    while (run->first + n < run->end || run->done < n) {
        const bool late = run->limit > 0.0 && n >= LEAST_FRAMES && drive_now() - begin > run->limit;
        if (late)
            run->end = run->first + n;
        if (run->first + n < run->end && n - run->done < slots) {
            submitted[n % MAX_SLOTS] = drive_now();
            if (submit(drive, clips, run->first + n))
                return -1;
            n++;
            continue;
        }
        if (run->done == n)
            break;
        if (collect(drive))
            return -1;
        if (run->latency)
            run->latency[run->done] = drive_now() - submitted[run->done % MAX_SLOTS];
        run->done++;
    }
    return 0;
}
