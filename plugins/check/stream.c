/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures, and a stream of them: plans, sessions and results as groups use them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static uint32_t plane_width(const Format *f, unsigned plane)
{
    return plane && f->pixel_format != VMAF_BACKEND_PIXEL_444 ? f->width / 2 : f->width;
}

static uint32_t plane_height(const Format *f, unsigned plane)
{
    return plane && f->pixel_format == VMAF_BACKEND_PIXEL_420 ? f->height / 2 : f->height;
}

size_t test_plane_size(const Format *format, unsigned plane)
{
    return (size_t)plane_width(format, plane) * plane_height(format, plane) *
           (format->depth > 8 ? 2 : 1);
}

/* A sample of a moving texture with some noise; the distorted texture is coarser. */
static uint32_t sample(const Format *format, unsigned frame, bool distorted, bool noise,
                       unsigned plane, uint32_t x, uint32_t y)
{
    uint32_t h = x * 374761393u + y * 668265263u + frame * 2246822519u + plane * 3266489917u;
    h = (h ^ h >> 13) * 1274126177u;
    h ^= h >> 16;
    if (noise)
        return h & 0xffff;
    const uint32_t ramp = (5 * x + 3 * y + 11 * frame + 60 * plane) % 256;
    uint32_t value = (ramp << (format->depth - 8)) + (h & ((1u << (format->depth - 4)) - 1));
    const uint32_t largest = (1u << format->depth) - 1;
    value = value < largest ? value : largest;
    return distorted ? value & ~((1u << (format->depth - 5)) - 1) : value;
}

TestPicture test_picture(const Format *format, unsigned frame, bool distorted, bool noise,
                         Layout layout)
{
    const unsigned n_planes = format->pixel_format == VMAF_BACKEND_PIXEL_400 ? 1 : 3;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = format->depth > 8 ? 2 : 1;
    size_t planes_size = 0, rows[3] = {0}, room[3] = {0};
    for (unsigned p = 0; p < n_planes; p++) {
        /* There is an odd number of bytes between rows, so that words are not aligned. */
        rows[p] = plane_width(format, p) * bytes + (layout == LAYOUT_BOTTOM_UP ? 7 : 0);
        room[p] = (rows[p] * plane_height(format, p) + page - 1) / page * page;
        planes_size += room[p] + page;
    }
    TestPicture picture = {.size = planes_size + page};
    picture.view.struct_size = sizeof(picture.view);
    picture.mapping = mmap(NULL, picture.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (picture.mapping == MAP_FAILED) {
        perror("vmaf-backend-check");
        _exit(2);
    }
    unsigned char *start = (unsigned char *)picture.mapping + page;
    for (unsigned p = 0; p < n_planes; p++) {
        const uint32_t w = plane_width(format, p), h = plane_height(format, p);
        /* The last sample of a tight plane, the first of one that is bottom up, is at the edge. */
        const size_t used = w && h ? rows[p] * (h - 1) + w * bytes : 0;
        unsigned char *first = layout == LAYOUT_TIGHT ? start + room[p] - used : start;
        mprotect(start, room[p], PROT_READ | PROT_WRITE);
        for (uint32_t y = 0; y < h; y++) {
            const uint32_t row = layout == LAYOUT_TIGHT ? y : h - 1 - y;
            for (uint32_t x = 0; x < w; x++) {
                const uint32_t v = sample(format, frame, distorted, noise, p, x, y);
                const uint16_t word = (uint16_t)v;
                if (bytes == 1)
                    first[row * rows[p] + x] = (unsigned char)v;
                else
                    memcpy(first + row * rows[p] + x * 2, &word, 2);
            }
        }
        mprotect(start, room[p], PROT_READ);
        picture.view.data[p] = layout == LAYOUT_TIGHT || !h ? first : first + (h - 1) * rows[p];
        picture.view.stride[p] = layout == LAYOUT_TIGHT ? (int64_t)rows[p] : -(int64_t)rows[p];
        start += room[p] + page;
    }
    return picture;
}

void test_picture_forbid(TestPicture *picture)
{
    if (picture->mapping)
        mprotect(picture->mapping, picture->size, PROT_NONE);
}

void test_picture_free(TestPicture *picture)
{
    if (picture->mapping)
        munmap(picture->mapping, picture->size);
    picture->mapping = NULL;
}

enum { MAX_REQUESTS = 200, CANARY = 0x5c, CANARY_SIZE = 64, UNSET = 987654 };

static void *allocate(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory) {
        perror("vmaf-backend-check");
        exit(2);
    }
    return memory;
}

static void log_line(void *cookie, uint32_t level, const char *text)
{
    (void)cookie;
    if (level <= VMAF_BACKEND_LOG_WARNING)
        fprintf(stderr, "  (log) %s\n", text);
}

VmafBackendDevice *open_device(const Subject *subject)
{
    static const VmafBackendHost host = {.struct_size = sizeof(host),
                                         .abi_major = VMAF_BACKEND_ABI_MAJOR,
                                         .abi_minor = VMAF_BACKEND_ABI_MINOR,
                                         .log = log_line};
    VmafBackendProbe probe = {.struct_size = sizeof(probe)};
    VmafBackendDeviceInfo info = {.struct_size = sizeof(info)};
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendDevice *device = NULL;
    require(!subject->api->probe(&probe) && probe.n_devices > subject->device, 11,
            "there is no device %u: %.255s", subject->device, probe.reason);
    require(!subject->api->device_get(subject->device, &info), 12, "device_get fails");
    const VmafBackendDeviceParams params = {
        .struct_size = sizeof(params), .host = &host, .id = info.id};
    require(!subject->api->device_open(&params, &device, &why) && device, 14,
            "the device cannot be opened: %.255s", why.text);
    return device;
}

/* ---- Plans ---- */

typedef struct RequestList {
    uint32_t n;
    VmafBackendRequest requests[MAX_REQUESTS];
    const VmafBackendRequest *pointers[MAX_REQUESTS];
    VmafBackendOption options[MAX_REQUESTS];
    const VmafBackendOption *option_pointers[MAX_REQUESTS];
} RequestList;

static void add_request(RequestList *list, const char *feature, const VmafBackendOption *option)
{
    if (list->n == MAX_REQUESTS)
        return;
    const uint32_t i = list->n++;
    list->requests[i] = (VmafBackendRequest){
        .struct_size = sizeof(VmafBackendRequest), .id = i, .feature = feature};
    if (option) {
        list->options[i] = *option;
        list->option_pointers[i] = &list->options[i];
        list->requests[i].n_options = 1;
        list->requests[i].options = &list->option_pointers[i];
    }
    list->pointers[i] = &list->requests[i];
}

static void add_feature(RequestList *list, const Subject *subject, uint32_t index)
{
    const VmafBackendFeature feature = get_feature(subject, index);
    const bool own = feature.flags & VMAF_BACKEND_FEATURE_OWN;
    add_request(list, feature.name, NULL);
    for (uint32_t i = 0; i < feature.n_options; i++) {
        VmafBackendOptionSpec spec = {.struct_size = sizeof(spec)};
        require(!subject->api->feature_option(index, i, &spec), 10, "feature_option fails");
        /* The ranges of libvmaf's own options are unknown here, except those of switches. */
        const bool is_switch = spec.type == VMAF_BACKEND_TYPE_BOOL;
        if (!is_switch && !(own && spec.type == VMAF_BACKEND_TYPE_INT))
            continue;
        VmafBackendOption option = {
            .struct_size = sizeof(option), .type = spec.type, .name = spec.name};
        option.integer = is_switch ? 0 : (int64_t)spec.min;
        add_request(list, feature.name, &option);
        option.integer = is_switch ? 1 : (int64_t)spec.max;
        add_request(list, feature.name, &option);
    }
}

VmafBackendPlan *plan_everything(const Subject *subject, VmafBackendDevice *device,
                                 const Format *format, uint32_t in_flight, uint32_t *n_requests,
                                 uint32_t feature[256])
{
    RequestList *list = allocate(sizeof(*list));
    for (uint32_t i = 0; i < subject->api->n_features; i++) {
        const uint32_t first = list->n;
        add_feature(list, subject, i);
        for (uint32_t k = first; k < list->n; k++)
            feature[k] = i;
    }
    const VmafBackendPlanParams params = {.struct_size = sizeof(params),
                                          .width = format->width,
                                          .height = format->height,
                                          .depth = format->depth,
                                          .pixel_format = format->pixel_format,
                                          .frames_in_flight = in_flight,
                                          .n_requests = list->n,
                                          .requests = list->pointers};
    VmafBackendPlan *plan = NULL;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    const int32_t result = subject->api->plan_create(device, &params, &plan, &why);
    require(!result && plan, 16, "plan_create for %ux%u, %u bits fails: %.255s", format->width,
            format->height, format->depth, why.text);
    *n_requests = list->n;
    /* A plan must not refer to the parameters that it was created from. */
    memset(list, 0xa5, sizeof(*list));
    free(list);
    return plan;
}

bool format_to_try(const Subject *subject, unsigned n, Format *format)
{
    static const uint32_t depths[] = {8, 10, 16};
    if (n >= N_FORMATS)
        return false;
    *format = (Format){67, 51, depths[n % 3], VMAF_BACKEND_PIXEL_420 + n % 4};
    for (uint32_t i = 0; i < subject->api->n_features; i++) {
        const VmafBackendFeature f = get_feature(subject, i);
        format->width = f.width_min > format->width ? f.width_min | 1 : format->width;
        format->height = f.height_min > format->height ? f.height_min | 1 : format->height;
    }
    return true;
}

/* ---- Streams ---- */

static void check_answers(Stream *s)
{
    s->answers = allocate(s->n_requests * sizeof(*s->answers));
    for (uint32_t i = 0; i < s->n_requests; i++) {
        VmafBackendAnswer *a = &s->answers[i];
        a->struct_size = sizeof(*a);
        require(!s->subject->api->plan_answer(s->plan, i, a), 18, "plan_answer(%u) fails", i);
        if (!a->accepted)
            expect(a->reason[0] && is_text(a->reason, sizeof(a->reason)), 18,
                   "request %u is declined without a reason", i);
        else
            require(a->record_size && a->record_size <= MAX_RECORD && a->count > 0 &&
                        (a->record_kind == VMAF_BACKEND_RECORD_SUMS ||
                         a->record_kind == VMAF_BACKEND_RECORD_BYTES ||
                         (a->record_kind == VMAF_BACKEND_RECORD_SCORES &&
                          a->record_size == a->count * sizeof(double))),
                    18, "the answer to request %u contradicts itself", i);
    }
}

Stream stream_open(const Subject *subject, VmafBackendDevice *device, const Format *format,
                   uint32_t in_flight)
{
    Stream s = {.subject = subject, .device = device, .format = *format};
    s.plan = plan_everything(subject, device, format, in_flight, &s.n_requests, s.feature);
    check_answers(&s);
    VmafBackendPlanInfo info = {.struct_size = sizeof(info)};
    require(!subject->api->plan_info(s.plan, &info) && info.slots > 0 && info.slots <= 4096, 17,
            "plan_info fails, or there are no slots");
    s.slots = info.slots;
    s.planes = info.planes;
    expect(!(info.planes & ~7u), 17, "planes are %#x", info.planes);
    VmafBackendReason why = {.struct_size = sizeof(why)};
    require(!subject->api->session_open(s.plan, &s.session, &why) && s.session, 19,
            "session_open fails: %.255s", why.text);
    return s;
}

void stream_close(Stream *s)
{
    if (s->session)
        s->subject->api->session_close(s->session);
    if (s->plan)
        s->subject->api->plan_destroy(s->plan);
    free(s->answers);
    *s = (Stream){0};
}

bool is_wanted(unsigned every, unsigned frame, uint32_t request)
{
    return every == 1 || (frame + request) % every == 0;
}

static VmafBackendPicture planes_of(const TestPicture *picture, uint32_t planes)
{
    VmafBackendPicture view = picture->view;
    for (unsigned p = 0; p < 3; p++) {
        if (!(planes >> p & 1)) {
            view.data[p] = NULL;
            view.stride[p] = 0;
        }
    }
    return view;
}

int32_t stream_submit(Stream *s, uint64_t sequence, TestPicture *ref, TestPicture *dist,
                      bool context, unsigned every)
{
    const VmafBackendPicture r = planes_of(ref, s->planes);
    const VmafBackendPicture d = dist ? planes_of(dist, s->planes) : r;
    VmafBackendFrame frame = {.struct_size = sizeof(frame),
                              .flags = context ? VMAF_BACKEND_SUBMIT_CONTEXT : 0,
                              .sequence = sequence,
                              .ref = &r,
                              .dist = dist ? &d : NULL};
    for (uint32_t i = 0; !context && i < s->n_requests; i++) {
        if (s->answers[i].accepted && is_wanted(every, (unsigned)sequence, i))
            frame.wanted[i / 64] |= (uint64_t)1 << i % 64;
    }
    call_begin();
    const int32_t result = s->subject->api->submit(s->session, &frame);
    call_end("submit");
    return result;
}

/* A record at the end of its allocation, so that tools notice writes beyond it. */
static uint8_t *new_record(size_t size)
{
    uint8_t *record = allocate(size + CANARY_SIZE);
    memset(record, CANARY, size + CANARY_SIZE);
    return record;
}

static void check_record(const Stream *s, uint32_t request, const uint8_t *record, int32_t status)
{
    const VmafBackendAnswer *a = &s->answers[request];
    expect(status == VMAF_BACKEND_OK, 24, "status of request %u is %d", request, status);
    for (unsigned k = 0; k < CANARY_SIZE; k++)
        require(record[a->record_size + k] == CANARY, 24, "request %u: writes beyond its record",
                request);
    for (uint32_t k = 0; a->record_kind == VMAF_BACKEND_RECORD_SCORES && k < a->count; k++) {
        double score;
        memcpy(&score, record + k * sizeof(score), sizeof(score));
        expect(isfinite(score), 25, "request %u: score %u is not finite", request, k);
    }
}

int32_t stream_collect(Stream *s, uint64_t sequence, unsigned frame, unsigned every,
                       Records *records)
{
    void *pointers[256] = {NULL};
    int32_t status[256];
    for (uint32_t i = 0; i < s->n_requests; i++) {
        const bool wanted = s->answers[i].accepted && is_wanted(every, (unsigned)sequence, i);
        pointers[i] = wanted ? new_record(s->answers[i].record_size) : NULL;
        status[i] = UNSET;
    }
    VmafBackendResult result = {.struct_size = sizeof(result),
                                .n_requests = s->n_requests,
                                .sequence = UINT64_MAX,
                                .records = pointers,
                                .status = status};
    call_begin();
    const int32_t outcome =
        s->subject->api->collect(s->session, s->subject->time_limit_ms, &result);
    call_end("collect");
    if (!outcome)
        expect(result.sequence == sequence, 24, "frame %llu was to be collected, not %llu",
               (unsigned long long)sequence, (unsigned long long)result.sequence);
    for (uint32_t i = 0; i < s->n_requests; i++) {
        if (!outcome && pointers[i])
            check_record(s, i, pointers[i], status[i]);
        if (!outcome && records) {
            records->size[i] = s->answers[i].accepted ? s->answers[i].record_size : 0;
            free(records->data[frame][i]);
            records->data[frame][i] = pointers[i];
        } else {
            free(pointers[i]);
        }
    }
    return outcome;
}

void stream_score(Stream *s, Records *records)
{
    for (unsigned f = 0; f < N_FRAMES; f++) {
        TestPicture ref = test_picture(&s->format, f, false, false, LAYOUT_TIGHT);
        TestPicture dist = test_picture(&s->format, f, true, false, LAYOUT_TIGHT);
        require(!stream_submit(s, f, &ref, &dist, false, 1), 20, "submit fails");
        require(!stream_collect(s, f, f, 1, records), 24, "collect fails");
        test_picture_free(&ref);
        test_picture_free(&dist);
    }
}

void expect_equal(const Records *a, const Records *b, unsigned frame, unsigned requirement,
                  const char *what)
{
    for (uint32_t i = 0; i < 256; i++) {
        if (a->data[frame][i] && b->data[frame][i])
            expect(a->size[i] == b->size[i] &&
                       !memcmp(a->data[frame][i], b->data[frame][i], a->size[i]),
                   requirement, "%s: frame %u, request %u: another record than one by one", what,
                   frame, i);
    }
}

void records_free(Records *records)
{
    for (unsigned f = 0; f < N_FRAMES; f++) {
        for (unsigned i = 0; i < 256; i++)
            free(records->data[f][i]);
    }
    *records = (Records){0};
}
