/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A backend whose records have the kind BYTES: float_motion, one number for each row. It has
 * computed when submit returns. The environment variable VMAF_TEST_ROWS makes it wrong: "size" (one
 * row more), "kind" (it calls its records SUMS), "small" (rows that are not numbers), "last" (the
 * last row of all is wrong by the least), "overrun" (it writes a row too many). "narrow", "low",
 * "wide" and "high" make it take fewer sizes, as its description says.
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libvmaf/backend.h>
#include <libvmaf/backend_records.h>

enum { N_PLANES = 3, SLOTS = 4, MAX_RADIUS = 2, LEAST_SIDE = 5 };

typedef struct Request {
    bool accepted, chroma;
    int radius; /* of the filter */
    uint32_t n_rows;
    const char *why;
} Request;

struct VmafBackendPlan {
    uint32_t width[N_PLANES], height[N_PLANES], depth, planes, n_requests;
    Request requests[];
};

struct VmafBackendSession {
    const VmafBackendPlan *plan;
    pthread_mutex_t lock;
    bool cancelled;
    float *earlier[N_PLANES], *now[N_PLANES]; /* samples of the reference, centred on 0 */
    bool has_earlier;
    uint64_t next; /* sequence number of the neighbour to come */
    unsigned first, n;
    struct {
        uint64_t sequence;
        float **rows; /* by request */
        bool *wanted;
    } slots[SLOTS];
};

static bool is_way(const char *way)
{
    const char *asked = getenv("VMAF_TEST_ROWS");
    return asked && !strcmp(asked, way);
}

/* ---- Sizes that it takes ---- */

enum { WIDTH_MIN = 240, HEIGHT_MIN = 120, WIDTH_MAX = 70, HEIGHT_MAX = 40 };

static uint32_t width_min(void)
{
    return is_way("wide") ? WIDTH_MIN : LEAST_SIDE;
}

static uint32_t height_min(void)
{
    return is_way("high") ? HEIGHT_MIN : LEAST_SIDE;
}

static bool is_too_large(uint32_t width, uint32_t height)
{
    return (is_way("narrow") && width > WIDTH_MAX) || (is_way("low") && height > HEIGHT_MAX);
}

/* ---- The arithmetic: docs/metrics/float_motion.md ---- */

static const float taps[MAX_RADIUS + 1][2 * MAX_RADIUS + 1] = {
    {1},
    {0.166378498f, 0.667243004f, 0.166378498f},
    {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f, 0.054488685f},
};

static uint32_t mirror(int i, uint32_t n)
{
    return (uint32_t)(i < 0 ? -i : i < (int)n ? i : 2 * (int)n - 2 - i);
}

static float down_column(const float *plane, uint32_t w, uint32_t h, uint32_t x, uint32_t y, int r)
{
    float sum = 0;
    for (int k = 0; k <= 2 * r; k++) {
        const float term = plane[mirror((int)y + k - r, h) * w + x] * taps[r][k];
        sum = k ? sum + term : term;
    }
    return sum;
}

static float filtered(const float *plane, uint32_t w, uint32_t h, uint32_t x, uint32_t y, int r)
{
    float sum = 0;
    for (int k = 0; k <= 2 * r && r; k++) {
        const float term = down_column(plane, w, h, mirror((int)x + k - r, w), y, r) * taps[r][k];
        sum = k ? sum + term : term;
    }
    return r ? sum : plane[y * w + x];
}

static void accumulate(const VmafBackendSession *s, const Request *request, float *rows)
{
    const VmafBackendPlan *plan = s->plan;
    memset(rows, 0, request->n_rows * sizeof(*rows));
    for (unsigned p = 0; s->has_earlier && p < (request->chroma ? N_PLANES : 1); p++) {
        const uint32_t w = plan->width[p], h = plan->height[p];
        for (uint32_t y = 0; y < h; y++) {
            float sum = 0;
            for (uint32_t x = 0; x < w; x++)
                sum += fabsf(filtered(s->earlier[p], w, h, x, y, request->radius) -
                             filtered(s->now[p], w, h, x, y, request->radius));
            rows[y] = is_way("small") ? NAN : sum;
        }
        rows += h;
    }
    if (s->has_earlier && is_way("last"))
        rows[-1] = nextafterf(rows[-1], INFINITY);
}

static void load(const VmafBackendSession *s, const VmafBackendPicture *picture)
{
    const VmafBackendPlan *plan = s->plan;
    const float to_8bit = 1.0f / (float)(1u << (plan->depth - 8));
    for (unsigned p = 0; p < N_PLANES; p++) {
        for (uint32_t y = 0; (plan->planes >> p & 1) && y < plan->height[p]; y++) {
            const uint8_t *row = (const uint8_t *)picture->data[p] + y * picture->stride[p];
            for (uint32_t x = 0; x < plan->width[p]; x++) {
                uint16_t sample = row[x];
                if (plan->depth > 8)
                    memcpy(&sample, row + 2 * (size_t)x, sizeof(sample));
                s->now[p][y * plan->width[p] + x] = (float)sample * to_8bit - 128;
            }
        }
    }
}

/* ---- What it is ---- */

static void store(void *target, const void *source, uint32_t size)
{
    uint32_t room;
    memcpy(&room, target, sizeof(room));
    memcpy((char *)target + sizeof(room), (const char *)source + sizeof(room),
           (size < room ? size : room) - sizeof(room));
}

static const VmafBackendOptionSpec options[] = {
    {.struct_size = sizeof(options[0]),
     .type = VMAF_BACKEND_TYPE_INT,
     .name = "motion_filter_size"},
    {.struct_size = sizeof(options[0]), .type = VMAF_BACKEND_TYPE_BOOL, .name = "motion_add_uv"},
};
enum { FILTER_SIZE, ADD_UV, N_OPTIONS };

static int32_t feature_get(uint32_t index, VmafBackendFeature *feature)
{
    const VmafBackendFeature rows = {
        .struct_size = sizeof(rows),
        .name = "float_motion",
        .record_kind = is_way("kind") ? VMAF_BACKEND_RECORD_SUMS : VMAF_BACKEND_RECORD_BYTES,
        .record_version = VMAF_RECORD_FLOAT_MOTION_VERSION,
        .record = VMAF_RECORD_FLOAT_MOTION,
        .pixel_formats = 0x1e,
        .depth_min = 8,
        .depth_max = 16,
        .width_min = width_min(),
        .height_min = height_min(),
        .width_max = is_way("narrow") ? WIDTH_MAX : 0,
        .height_max = is_way("low") ? HEIGHT_MAX : 0,
        .planes = 7,
        .ref_before = 1,
        .exactness = VMAF_BACKEND_EXACT,
        .n_options = N_OPTIONS,
    };
    if (index)
        return VMAF_BACKEND_INVALID;
    store(feature, &rows, sizeof(rows));
    return VMAF_BACKEND_OK;
}

static int32_t feature_option(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec)
{
    if (index || option >= N_OPTIONS)
        return VMAF_BACKEND_INVALID;
    store(spec, &options[option], sizeof(options[option]));
    return VMAF_BACKEND_OK;
}

static int32_t feature_output(uint32_t index, uint32_t output, VmafBackendOutput *out)
{
    (void)index, (void)output, (void)out;
    return VMAF_BACKEND_INVALID;
}

static int32_t probe(VmafBackendProbe *result)
{
    const VmafBackendProbe found = {.struct_size = sizeof(found), .n_devices = 1};
    store(result, &found, sizeof(found));
    return VMAF_BACKEND_OK;
}

static int32_t device_get(uint32_t index, VmafBackendDeviceInfo *info)
{
    const VmafBackendDeviceInfo device = {.struct_size = sizeof(device),
                                          .kind = VMAF_BACKEND_DEVICE_VIRTUAL,
                                          .id = "rows-0",
                                          .name = "one row after the other"};
    if (index)
        return VMAF_BACKEND_INVALID;
    store(info, &device, sizeof(device));
    return VMAF_BACKEND_OK;
}

static void explain(VmafBackendReason *why, const char *text)
{
    VmafBackendReason reason = {.struct_size = sizeof(reason)};
    snprintf(reason.text, sizeof(reason.text), "%s", text);
    store(why, &reason, sizeof(reason));
}

static int32_t device_open(const VmafBackendDeviceParams *params, VmafBackendDevice **device,
                           VmafBackendReason *why)
{
    if (params->external || (params->flags & ~3u) || !params->id || strcmp(params->id, "rows-0")) {
        explain(why, "there is no such device");
        return VMAF_BACKEND_INVALID;
    }
    *device = malloc(1);
    return *device ? VMAF_BACKEND_OK : VMAF_BACKEND_OUT_OF_MEMORY;
}

static void device_close(VmafBackendDevice *device)
{
    free(device);
}

/* ---- Plans ---- */

static void understand(Request *request, const VmafBackendRequest *asked,
                       const VmafBackendPlan *plan)
{
    if (strcmp(asked->feature, "float_motion") != 0)
        request->why = "there is no such feature";
    request->radius = MAX_RADIUS;
    for (uint32_t i = 0; i < asked->n_options; i++) {
        const VmafBackendOption *option = asked->options[i];
        if (!strcmp(option->name, "motion_filter_size"))
            request->radius = option->integer == 1 ? 0 : option->integer == 3 ? 1 : 2;
        else if (!strcmp(option->name, "motion_add_uv"))
            request->chroma = option->integer;
        else if (!option->is_default)
            request->why = "it has an option that is not known here";
    }
    if (request->chroma && !plan->height[1])
        request->why = "there is no chroma";
    for (unsigned p = 0; p < (request->chroma ? N_PLANES : 1); p++) {
        request->n_rows += plan->height[p];
        if (plan->width[p] < LEAST_SIDE || plan->height[p] < LEAST_SIDE)
            request->why = "the pictures are too small";
    }
    if (plan->width[0] < width_min() || plan->height[0] < height_min())
        request->why = "the pictures are too small";
    if (is_too_large(plan->width[0], plan->height[0]))
        request->why = "the pictures are too large";
    request->accepted = !request->why;
}

static int32_t plan_create(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                           VmafBackendPlan **plan, VmafBackendReason *why)
{
    (void)device;
    if (params->flags) {
        explain(why, "unknown flags");
        return VMAF_BACKEND_INVALID;
    }
    VmafBackendPlan *p = calloc(1, sizeof(*p) + params->n_requests * sizeof(p->requests[0]));
    if (!p)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    const uint32_t format = params->pixel_format;
    p->depth = params->depth;
    p->n_requests = params->n_requests;
    for (unsigned i = 0; i < (format == VMAF_BACKEND_PIXEL_400 ? 1 : N_PLANES); i++) {
        p->width[i] = params->width / (i && format != VMAF_BACKEND_PIXEL_444 ? 2 : 1);
        p->height[i] = params->height / (i && format == VMAF_BACKEND_PIXEL_420 ? 2 : 1);
    }
    for (uint32_t i = 0; i < p->n_requests; i++) {
        understand(&p->requests[i], params->requests[i], p);
        if (p->requests[i].accepted)
            p->planes |= p->requests[i].chroma ? 7 : 1;
    }
    *plan = p;
    return VMAF_BACKEND_OK;
}

static int32_t plan_info(const VmafBackendPlan *plan, VmafBackendPlanInfo *info)
{
    const VmafBackendPlanInfo result = {
        .struct_size = sizeof(result), .planes = plan->planes, .slots = SLOTS};
    store(info, &result, sizeof(result));
    return VMAF_BACKEND_OK;
}

static int32_t plan_answer(const VmafBackendPlan *plan, uint32_t index, VmafBackendAnswer *target)
{
    if (index >= plan->n_requests)
        return VMAF_BACKEND_INVALID;
    const Request *request = &plan->requests[index];
    VmafBackendAnswer answer = {.struct_size = sizeof(answer), .accepted = request->accepted};
    if (request->accepted) {
        answer.record_kind = is_way("kind") ? VMAF_BACKEND_RECORD_SUMS : VMAF_BACKEND_RECORD_BYTES;
        answer.record_version = VMAF_RECORD_FLOAT_MOTION_VERSION;
        answer.record_size = (request->n_rows + is_way("size")) * sizeof(float);
        answer.count = 1;
    } else {
        snprintf(answer.reason, sizeof(answer.reason), "%s", request->why);
    }
    store(target, &answer, sizeof(answer));
    return VMAF_BACKEND_OK;
}

static void plan_destroy(VmafBackendPlan *plan)
{
    free(plan);
}

/* ---- Sessions ---- */

static void session_close(VmafBackendSession *s)
{
    for (unsigned p = 0; p < N_PLANES; p++) {
        free(s->earlier[p]);
        free(s->now[p]);
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        for (uint32_t r = 0; r < s->plan->n_requests; r++)
            free(s->slots[i].rows[r]);
        free(s->slots[i].rows);
        free(s->slots[i].wanted);
    }
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static int32_t session_open(VmafBackendPlan *plan, VmafBackendSession **session,
                            VmafBackendReason *why)
{
    (void)why;
    VmafBackendSession *s = calloc(1, sizeof(*s));
    if (!s)
        abort();
    s->plan = plan;
    pthread_mutex_init(&s->lock, NULL);
    for (unsigned p = 0; p < N_PLANES; p++) {
        const size_t size = (size_t)plan->width[p] * plan->height[p] + 1;
        s->earlier[p] = calloc(size, sizeof(float));
        s->now[p] = calloc(size, sizeof(float));
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        s->slots[i].rows = calloc(plan->n_requests + 1, sizeof(float *));
        s->slots[i].wanted = calloc(plan->n_requests + 1, sizeof(bool));
        for (uint32_t r = 0; r < plan->n_requests; r++)
            s->slots[i].rows[r] = calloc(plan->requests[r].n_rows + 1, sizeof(float));
    }
    *session = s;
    return VMAF_BACKEND_OK;
}

static void remember(VmafBackendSession *s, uint64_t sequence)
{
    for (unsigned p = 0; p < N_PLANES; p++) {
        float *swapped = s->earlier[p];
        s->earlier[p] = s->now[p];
        s->now[p] = swapped;
    }
    s->has_earlier = true;
    s->next = sequence + 1;
}

static int32_t submit_locked(VmafBackendSession *s, const VmafBackendFrame *frame)
{
    if (s->cancelled)
        return VMAF_BACKEND_CANCELLED;
    if (frame->flags & ~VMAF_BACKEND_SUBMIT_CONTEXT)
        return VMAF_BACKEND_INVALID;
    if (s->has_earlier && frame->sequence != s->next)
        s->has_earlier = false;
    load(s, frame->ref);
    if (!frame->flags) {
        if (s->n == SLOTS)
            return VMAF_BACKEND_INVALID;
        const unsigned slot = (s->first + s->n++) % SLOTS;
        s->slots[slot].sequence = frame->sequence;
        for (uint32_t r = 0; r < s->plan->n_requests; r++) {
            s->slots[slot].wanted[r] = frame->wanted[r / 64] >> r % 64 & 1;
            if (s->slots[slot].wanted[r])
                accumulate(s, &s->plan->requests[r], s->slots[slot].rows[r]);
        }
    }
    remember(s, frame->sequence);
    return VMAF_BACKEND_OK;
}

static int32_t submit(VmafBackendSession *s, const VmafBackendFrame *frame)
{
    pthread_mutex_lock(&s->lock);
    const int32_t result = submit_locked(s, frame);
    pthread_mutex_unlock(&s->lock);
    return result;
}

static int32_t collect_locked(VmafBackendSession *s, VmafBackendResult *result)
{
    if (s->cancelled)
        return VMAF_BACKEND_CANCELLED;
    if (!s->n)
        return VMAF_BACKEND_NOTHING;
    result->sequence = s->slots[s->first].sequence;
    for (uint32_t r = 0; r < s->plan->n_requests; r++) {
        if (!s->slots[s->first].wanted[r])
            continue;
        const size_t n = s->plan->requests[r].n_rows + is_way("overrun");
        memcpy(result->records[r], s->slots[s->first].rows[r], n * sizeof(float));
        result->status[r] = VMAF_BACKEND_OK;
    }
    s->first = (s->first + 1) % SLOTS;
    s->n--;
    return VMAF_BACKEND_OK;
}

static int32_t collect(VmafBackendSession *s, uint32_t timeout_ms, VmafBackendResult *result)
{
    (void)timeout_ms;
    pthread_mutex_lock(&s->lock);
    const int32_t outcome = collect_locked(s, result);
    pthread_mutex_unlock(&s->lock);
    return outcome;
}

static int32_t flush(VmafBackendSession *s)
{
    pthread_mutex_lock(&s->lock);
    const int32_t outcome = s->cancelled ? VMAF_BACKEND_CANCELLED : VMAF_BACKEND_OK;
    pthread_mutex_unlock(&s->lock);
    return outcome;
}

static void cancel(VmafBackendSession *s)
{
    pthread_mutex_lock(&s->lock);
    s->cancelled = true;
    pthread_mutex_unlock(&s->lock);
}

static void last_error(uint32_t object_kind, const void *object, char *text, uint32_t size)
{
    (void)object_kind, (void)object;
    if (size)
        text[0] = '\0';
}

VMAF_BACKEND_EXPORT const VmafBackend *vmaf_backend_entry(void)
{
    static const VmafBackend backend = {
        .struct_size = sizeof(backend),
        .abi_major = VMAF_BACKEND_ABI_MAJOR,
        .abi_minor = VMAF_BACKEND_ABI_MINOR,
        .backend_class = VMAF_BACKEND_CLASS_NATIVE,
        .name = BACKEND_NAME,
        .version = "1",
        .description = "records of kind BYTES, for tests",
        .n_features = 1,
        .feature_get = feature_get,
        .feature_option = feature_option,
        .feature_output = feature_output,
        .probe = probe,
        .device_get = device_get,
        .device_open = device_open,
        .device_close = device_close,
        .plan_create = plan_create,
        .plan_info = plan_info,
        .plan_answer = plan_answer,
        .plan_destroy = plan_destroy,
        .session_open = session_open,
        .session_close = session_close,
        .submit = submit,
        .collect = collect,
        .flush = flush,
        .cancel = cancel,
        .last_error = last_error,
    };
    return &backend;
}
