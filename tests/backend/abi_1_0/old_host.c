/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A host of version 1.0, for plugins of later versions: it scores frames with them. Each structure
 * ends where memory ends, so a plugin that reads or writes a member that this host does not have
 * crashes.
 *   old_host <plugin> [device]
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <libvmaf/backend.h>
#include <libvmaf/backend_records.h>

#if VMAF_BACKEND_ABI_MINOR != 0
#error "This is to be compiled with the frozen header."
#endif

enum { WIDTH = 96, HEIGHT = 64, N_FRAMES = 3, WAIT_MS = 10000 };
enum { RECORD_ROOM = (sizeof(VmafRecordPsnr) + 15) / 16 * 16 }; /* where it is aligned */

static const VmafBackend *api;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "old_host: %s\n", what);
    exit(1);
}

/* Zeroed memory that ends at the end of a page, with nothing behind it. Never freed. */
static void *at_the_edge(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    char *memory =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(memory != MAP_FAILED && !mprotect(memory + whole, page, PROT_NONE), "no memory");
    char *object = memory + whole - size;
    const uint32_t struct_size = (uint32_t)size;
    memcpy(object, &struct_size, sizeof(struct_size));
    return object;
}
#define NEW(type) ((type *)at_the_edge(sizeof(type)))

static void ignore_log(void *cookie, uint32_t level, const char *text)
{
    (void)cookie, (void)level, (void)text;
}

static void load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    require(library != NULL, library ? "" : dlerror());
    VmafBackendEntry entry;
    *(void **)&entry = dlsym(library, VMAF_BACKEND_ENTRY_SYMBOL);
    require(entry != NULL, "no entry");
    api = entry();
    require(api && api->abi_major == VMAF_BACKEND_ABI_MAJOR &&
                api->struct_size >= offsetof(VmafBackend, memory_register),
            "not a plugin of this major version");
}

static void list_features(void)
{
    bool has_psnr = false;
    for (uint32_t i = 0; i < api->n_features; i++) {
        VmafBackendFeature *feature = NEW(VmafBackendFeature);
        require(!api->feature_get(i, feature), "feature_get");
        has_psnr |= !strcmp(feature->name, "psnr");
        for (uint32_t o = 0; o < feature->n_options; o++)
            require(!api->feature_option(i, o, NEW(VmafBackendOptionSpec)), "feature_option");
        for (uint32_t o = 0; o < feature->n_outputs; o++)
            require(!api->feature_output(i, o, NEW(VmafBackendOutput)), "feature_output");
    }
    require(has_psnr, "there is no psnr to score with");
}

static VmafBackendDeviceInfo *describe(uint32_t index)
{
    VmafBackendProbe *probe = NEW(VmafBackendProbe);
    require(!api->probe(probe), "probe");
    require(probe->n_devices > index, "there is no such device");
    VmafBackendDeviceInfo *info = NULL;
    for (uint32_t i = 0; i < probe->n_devices; i++) {
        VmafBackendDeviceInfo *one = NEW(VmafBackendDeviceInfo);
        require(!api->device_get(i, one) && one->id[0], "device_get");
        if (i == index)
            info = one;
    }
    return info;
}

static VmafBackendDevice *open_device(const VmafBackendDeviceInfo *info)
{
    VmafBackendHost *host = NEW(VmafBackendHost);
    host->abi_major = VMAF_BACKEND_ABI_MAJOR;
    host->log = ignore_log;
    VmafBackendDeviceParams *params = NEW(VmafBackendDeviceParams);
    params->host = host;
    params->id = info->id;
    VmafBackendDevice *device = NULL;
    VmafBackendReason *why = NEW(VmafBackendReason);
    const int32_t result = api->device_open(params, &device, why);
    require(!result && device, result ? why->text : "device_open gives no device");
    params = NEW(VmafBackendDeviceParams); /* and fails as it should */
    params->host = host;
    params->id = "no such device";
    VmafBackendDevice *none = NULL;
    why = NEW(VmafBackendReason);
    require(api->device_open(params, &none, why) < 0 && why->text[0], "an unknown id is opened");
    return device;
}

static VmafBackendPlan *plan_psnr(VmafBackendDevice *device)
{
    VmafBackendOption *option = NEW(VmafBackendOption);
    option->type = VMAF_BACKEND_TYPE_BOOL;
    option->name = "enable_chroma";
    option->is_default = 1;
    option->integer = 1;
    const VmafBackendOption *const options[] = {option};
    VmafBackendRequest *request = NEW(VmafBackendRequest);
    request->feature = "psnr";
    request->n_options = 1;
    request->options = options;
    const VmafBackendRequest *const requests[] = {request};
    VmafBackendPlanParams *params = NEW(VmafBackendPlanParams);
    params->width = WIDTH;
    params->height = HEIGHT;
    params->depth = 8;
    params->pixel_format = VMAF_BACKEND_PIXEL_420;
    params->frames_in_flight = 2;
    params->n_requests = 1;
    params->requests = requests;
    VmafBackendPlan *plan = NULL;
    require(!api->plan_create(device, params, &plan, NEW(VmafBackendReason)) && plan,
            "plan_create");
    VmafBackendPlanInfo *info = NEW(VmafBackendPlanInfo);
    require(!api->plan_info(plan, info) && info->slots > 0 && info->planes == 7, "plan_info");
    VmafBackendAnswer *answer = NEW(VmafBackendAnswer);
    require(!api->plan_answer(plan, 0, answer), "plan_answer");
    require(answer->accepted && answer->record_size == sizeof(VmafRecordPsnr), answer->reason);
    return plan;
}

/* ---- Frames ---- */

static uint32_t plane_width(unsigned plane)
{
    return plane ? WIDTH / 2 : WIDTH;
}

static uint32_t plane_height(unsigned plane)
{
    return plane ? HEIGHT / 2 : HEIGHT;
}

static VmafBackendPicture *draw(unsigned frame, bool distorted)
{
    VmafBackendPicture *picture = NEW(VmafBackendPicture);
    for (unsigned p = 0; p < 3; p++) {
        const uint32_t w = plane_width(p), h = plane_height(p);
        uint8_t *plane = at_the_edge((size_t)w * h);
        for (uint32_t i = 0; i < w * h; i++)
            plane[i] = (uint8_t)(i * 7 + i / w * 3 + frame * 11 + p + (distorted ? i % 5 : 0));
        picture->data[p] = plane;
        picture->stride[p] = w;
    }
    return picture;
}

static uint64_t squared_differences(const VmafBackendPicture *a, const VmafBackendPicture *b,
                                    unsigned plane)
{
    const uint8_t *x = a->data[plane], *y = b->data[plane];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < plane_width(plane) * plane_height(plane); i++)
        sum += (uint64_t)((x[i] - y[i]) * (x[i] - y[i]));
    return sum;
}

static void score(VmafBackendSession *session, uint64_t sequence, const VmafBackendPicture *ref,
                  const VmafBackendPicture *dist, const VmafBackendPicture *ref_pixels,
                  const VmafBackendPicture *dist_pixels)
{
    VmafBackendFrame *frame = NEW(VmafBackendFrame);
    frame->sequence = sequence;
    frame->wanted[0] = 1;
    frame->ref = ref;
    frame->dist = dist;
    require(!api->submit(session, frame), "submit");
    require(!api->flush(session), "flush");
    VmafRecordPsnr *record = at_the_edge(RECORD_ROOM);
    memset(record, 0, RECORD_ROOM);
    void *const records[] = {record};
    int32_t status = -1;
    VmafBackendResult *result = NEW(VmafBackendResult);
    result->n_requests = 1;
    result->records = records;
    result->status = &status;
    require(!api->collect(session, WAIT_MS, result) && !status && result->sequence == sequence,
            "collect");
    for (unsigned p = 0; p < 3; p++)
        require(record->sse[p] == squared_differences(ref_pixels, dist_pixels, p),
                "the record is wrong");
}

static VmafBackendPicture *in_buffer(VmafBackendDevice *device, uint32_t kind,
                                     const VmafBackendPicture *pixels)
{
    VmafBackendBufferParams *params = NEW(VmafBackendBufferParams);
    params->kind = kind;
    params->width = WIDTH;
    params->height = HEIGHT;
    params->depth = 8;
    params->pixel_format = VMAF_BACKEND_PIXEL_420;
    params->planes = 7;
    VmafBackendBuffer *buffer = NULL;
    if (api->buffer_create(device, params, &buffer) == VMAF_BACKEND_NOT_SUPPORTED)
        return NULL;
    require(buffer != NULL, "buffer_create");
    require(!api->buffer_info(buffer, NEW(VmafBackendBufferInfo)), "buffer_info");
    require(!api->buffer_upload(buffer, pixels->data, pixels->stride), "buffer_upload");
    VmafBackendPicture *picture = NEW(VmafBackendPicture);
    picture->buffer = buffer;
    return picture;
}

static void score_buffers(VmafBackendDevice *device, VmafBackendSession *session, uint32_t kind,
                          uint64_t sequence)
{
    const VmafBackendPicture *ref = draw(0, false), *dist = draw(0, true);
    VmafBackendPicture *on_device[2] = {in_buffer(device, kind, ref),
                                        in_buffer(device, kind, dist)};
    if (!on_device[0] || !on_device[1])
        return;
    score(session, sequence, on_device[0], on_device[1], ref, dist);
    api->buffer_release(on_device[0]->buffer);
    api->buffer_release(on_device[1]->buffer);
}

/* Pictures of each kind that the device takes, with no handle at all: rejected. */
static void try_imports(VmafBackendDevice *device, uint32_t kinds)
{
    for (uint32_t kind = 0; kind < 32; kind++) {
        if (!(kinds >> kind & 1))
            continue;
        VmafBackendImport *import = NEW(VmafBackendImport);
        import->kind = kind;
        import->width = WIDTH;
        import->height = HEIGHT;
        import->depth = 8;
        import->pixel_format = VMAF_BACKEND_PIXEL_420;
        import->planes = 7;
        VmafBackendBuffer *buffer = NULL;
        require(api->buffer_import(device, import, &buffer) < 0, "nothing at all is imported");
    }
}

int main(int argc, char **argv)
{
    require(argc == 2 || argc == 3, "which plugin?");
    load(argv[1]);
    list_features();
    const VmafBackendDeviceInfo *info =
        describe(argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0);
    VmafBackendDevice *device = open_device(info);
    VmafBackendPlan *plan = plan_psnr(device);
    VmafBackendSession *session = NULL;
    require(!api->session_open(plan, &session, NEW(VmafBackendReason)) && session, "session_open");
    uint64_t sequence = 0;
    for (unsigned f = 0; f < N_FRAMES; f++) {
        const VmafBackendPicture *ref = draw(f, false), *dist = draw(f, true);
        score(session, sequence++, ref, dist, ref, dist);
    }
    if (api->buffer_create) {
        score_buffers(device, session, VMAF_BACKEND_BUFFER_DEVICE, sequence++);
        score_buffers(device, session, VMAF_BACKEND_BUFFER_PINNED, sequence++);
    }
    if (api->buffer_import)
        try_imports(device, info->imports);
    api->session_close(session);
    api->plan_destroy(plan);
    api->device_close(device);
    printf("%s: version %u.%u, scored by a host of 1.0\n", api->name, api->abi_major,
           api->abi_minor);
    return 0;
}
