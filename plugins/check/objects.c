/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Groups about probing, devices and plans. */
#include <pthread.h>
#include <string.h>

#include "check.h"

/* Calls the plugin like a host of version 1.0: nothing behind its structures may be written. */
static void check_older_host(const Subject *subject, uint32_t n_devices)
{
    const size_t probe_size = offsetof(VmafBackendProbe, n_unusable);
    const size_t info_size = offsetof(VmafBackendDeviceInfo, identities);
    union {
        VmafBackendProbe probe;
        VmafBackendDeviceInfo info;
        unsigned char bytes[1024];
    } small;
    memset(&small, 0xa5, sizeof(small));
    small.probe.struct_size = (uint32_t)probe_size;
    subject->api->probe(&small.probe);
    for (size_t i = probe_size; i < sizeof(small.bytes); i++)
        require(small.bytes[i] == 0xa5, 32, "probe writes beyond struct_size");
    for (uint32_t d = 0; d < n_devices; d++) {
        memset(&small, 0xa5, sizeof(small));
        small.info.struct_size = (uint32_t)info_size;
        subject->api->device_get(d, &small.info);
        for (size_t i = info_size; i < sizeof(small.bytes); i++)
            require(small.bytes[i] == 0xa5, 32, "device_get writes beyond struct_size");
    }
}

static bool is_nothing(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i])
            return false;
    }
    return true;
}

/* Checks the members that version 1.1 has added, all of which may be unknown. */
static void check_more_of_device(const VmafBackendDeviceInfo *info, uint32_t index)
{
    expect(is_text(info->pci, sizeof(info->pci)) && is_text(info->unusable, sizeof(info->unusable)),
           12, "device %u: its address or why it is unusable is no text", index);
    expect(!(info->identities & VMAF_BACKEND_IDENTITY_PCI) == !info->pci[0] &&
               !(info->identities & VMAF_BACKEND_IDENTITY_UUID) ==
                   is_nothing(info->uuid, sizeof(info->uuid)) &&
               !(info->identities & VMAF_BACKEND_IDENTITY_LUID) ==
                   is_nothing(info->luid, sizeof(info->luid)),
           12, "device %u: `identities` does not name the identities that are there", index);
}

static void check_unusable(const Subject *subject, const VmafBackendProbe *probe)
{
    for (uint32_t i = 0; i < probe->n_unusable && i < 64; i++) {
        const uint32_t index = probe->n_devices + i;
        VmafBackendDeviceInfo info = {.struct_size = sizeof(info)};
        require(!subject->api->device_get(index, &info), 12, "device_get(%u) fails", index);
        expect(info.name[0] && info.unusable[0], 12,
               "device %u is unusable, and has no name or no reason", index);
        check_more_of_device(&info, index);
    }
}

static void run_probe(const Subject *subject)
{
    const VmafBackend *api = subject->api;
    const ProcessState before = process_state_now();
    VmafBackendProbe probe = {.struct_size = sizeof(probe)};
    call_begin();
    const int32_t result = api->probe(&probe);
    call_end("probe");
    expect_process_state(&before, "probe");
    expect(is_text(probe.driver, sizeof(probe.driver)) &&
               is_text(probe.runtime, sizeof(probe.runtime)) &&
               is_text(probe.reason, sizeof(probe.reason)),
           11, "what it says of the driver is no text");
    expect(result == VMAF_BACKEND_OK || result == VMAF_BACKEND_NO_DRIVER ||
               result == VMAF_BACKEND_FAILED,
           11, "probe returns %d", result);
    expect((!result && probe.n_devices > 0) || probe.reason[0], 11,
           "there are no devices, and no reason why");
    for (uint32_t i = 0; !result && i < probe.n_devices && i < 64; i++) {
        VmafBackendDeviceInfo info = {.struct_size = sizeof(info)}, again = info;
        require(!api->device_get(i, &info) && !api->device_get(i, &again), 12,
                "device_get(%u) fails", i);
        expect(info.kind >= VMAF_BACKEND_DEVICE_DISCRETE &&
                   info.kind <= VMAF_BACKEND_DEVICE_SOFTWARE,
               12, "device %u: kind %u", i, info.kind);
        expect(info.id[0] && is_text(info.id, sizeof(info.id)) && info.name[0] &&
                   is_text(info.name, sizeof(info.name)) &&
                   is_text(info.vendor, sizeof(info.vendor)) &&
                   is_text(info.driver, sizeof(info.driver)),
               12, "device %u: id or name is no text", i);
        expect(!strcmp(info.id, again.id), 12, "device %u: the id is not stable", i);
        expect(!info.unusable[0], 12, "device %u is unusable, and counts in n_devices", i);
        check_more_of_device(&info, i);
    }
    if (!result)
        check_unusable(subject, &probe);
    check_older_host(subject, result ? 0 : probe.n_devices);
    VmafBackendDeviceInfo beyond = {.struct_size = sizeof(beyond)};
    const uint32_t n_described = result ? 0 : probe.n_devices + probe.n_unusable;
    expect(api->device_get(n_described, &beyond) == VMAF_BACKEND_INVALID, 12,
           "device_get beyond the last is not INVALID");
}

const Group probe_group = {"probe", run_probe};

static void ignore_log(void *cookie, uint32_t level, const char *text)
{
    (void)cookie, (void)level, (void)text;
}

static void expect_rejection(const Subject *subject, VmafBackendDeviceParams params,
                             const char *what)
{
    static const VmafBackendHost host = {.struct_size = sizeof(host),
                                         .abi_major = VMAF_BACKEND_ABI_MAJOR,
                                         .abi_minor = VMAF_BACKEND_ABI_MINOR,
                                         .log = ignore_log};
    VmafBackendDevice *device = NULL;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    params.struct_size = sizeof(params);
    params.host = &host;
    const int32_t result = subject->api->device_open(&params, &device, &why);
    expect(result < 0, 14, "%s is accepted", what);
    expect(why.text[0] && is_text(why.text, sizeof(why.text)), 14, "%s is refused without a reason",
           what);
}

static void run_device(const Subject *subject)
{
    const ProcessState before = process_state_now();
    VmafBackendDevice *first = open_device(subject), *second = open_device(subject);
    expect_process_state(&before, "device_open");
    char text[8];
    memset(text, 0x7e, sizeof(text));
    subject->api->last_error(VMAF_BACKEND_OBJECT_DEVICE, first, text, 4);
    expect(is_text(text, 4) && text[4] == 0x7e, 32, "last_error does not keep to its buffer");
    subject->api->device_close(second);
    subject->api->device_close(first);
    expect_process_state(&before, "device_close");

    VmafBackendDeviceInfo info = {.struct_size = sizeof(info)};
    subject->api->device_get(subject->device, &info);
    expect_rejection(subject, (VmafBackendDeviceParams){.id = "no such device"}, "an unknown id");
    expect_rejection(subject, (VmafBackendDeviceParams){.id = info.id, .flags = 1u << 31},
                     "an unknown flag");
    expect_rejection(subject, (VmafBackendDeviceParams){.external = 99, .n_handles = 1},
                     "an unknown kind of external device");
}

const Group device_group = {"device", run_device};

/* True if the backend lists the feature for such pictures. */
static bool claims(const VmafBackendFeature *f, const Format *format)
{
    return (f->pixel_formats >> format->pixel_format & 1) && format->depth >= f->depth_min &&
           format->depth <= f->depth_max && format->width >= f->width_min &&
           format->height >= f->height_min && (!f->width_max || format->width <= f->width_max) &&
           (!f->height_max || format->height <= f->height_max);
}

static VmafBackendAnswer ask(const Subject *subject, VmafBackendDevice *device,
                             const Format *format, const char *feature,
                             const VmafBackendOption *option)
{
    const VmafBackendOption *const options[] = {option};
    const VmafBackendRequest request = {.struct_size = sizeof(request),
                                        .feature = feature,
                                        .n_options = option != NULL,
                                        .options = options};
    const VmafBackendRequest *const requests[] = {&request};
    const VmafBackendPlanParams params = {.struct_size = sizeof(params),
                                          .width = format->width,
                                          .height = format->height,
                                          .depth = format->depth,
                                          .pixel_format = format->pixel_format,
                                          .frames_in_flight = 4,
                                          .n_requests = 1,
                                          .requests = requests};
    VmafBackendPlan *plan = NULL;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendAnswer answer = {.struct_size = sizeof(answer)};
    require(!subject->api->plan_create(device, &params, &plan, &why) && plan, 16,
            "plan_create with %s fails instead of declining: %.255s", feature, why.text);
    require(!subject->api->plan_answer(plan, 0, &answer), 18, "plan_answer fails");
    expect(subject->api->plan_answer(plan, 1, &answer) == VMAF_BACKEND_INVALID, 18,
           "plan_answer beyond the last request is not INVALID");
    subject->api->plan_destroy(plan);
    return answer;
}

/* Checks that a listed feature is accepted for some pictures, with all options at their defaults.
 */
static void expect_ever_accepted(const Subject *subject, VmafBackendDevice *device,
                                 const VmafBackendFeature *f)
{
    Format format;
    bool accepted = false;
    for (uint32_t scale = 1; !accepted && scale <= 4; scale *= 2) { /* some need large pictures */
        for (unsigned n = 0; !accepted && format_to_try(subject, n, &format); n++) {
            format.width = scale * format.width | 1;
            format.height = scale * format.height | 1;
            accepted = claims(f, &format) && ask(subject, device, &format, f->name, NULL).accepted;
        }
    }
    expect(accepted, 16, "%s is listed, but always declined", f->name);
}

static void *plan_repeatedly(void *argument)
{
    const Subject *subject = argument;
    VmafBackendDevice *device = open_device(subject);
    Format format;
    for (unsigned n = 0; format_to_try(subject, n, &format); n++) {
        uint32_t n_requests, feature[256];
        subject->api->plan_destroy(
            plan_everything(subject, device, &format, 4, &n_requests, feature));
    }
    subject->api->device_close(device);
    return NULL;
}

static void run_plan(const Subject *subject)
{
    VmafBackendDevice *device = open_device(subject);
    const ProcessState before = process_state_now();
    const Format tiny = {1, 1, 8, VMAF_BACKEND_PIXEL_400};
    Format format;
    format_to_try(subject, 0, &format);
    VmafBackendOption option = {
        .struct_size = sizeof(option), .type = VMAF_BACKEND_TYPE_BOOL, .name = "no_such_option"};
    for (uint32_t i = 0; i < subject->api->n_features; i++) {
        const VmafBackendFeature f = get_feature(subject, i);
        expect_ever_accepted(subject, device, &f);
        const bool plain = ask(subject, device, &format, f.name, NULL).accepted;
        option.is_default = 1;
        expect(ask(subject, device, &format, f.name, &option).accepted == plain, 16,
               "%s: an unknown option at its default is not ignored", f.name);
        option.is_default = 0;
        expect(!ask(subject, device, &format, f.name, &option).accepted, 16,
               "%s: an unknown option is not declined", f.name);
        expect(claims(&f, &tiny) || !ask(subject, device, &tiny, f.name, NULL).accepted, 16,
               "%s: accepts smaller pictures than its list says", f.name);
    }
    expect(!ask(subject, device, &format, "no_such_feature", NULL).accepted, 16,
           "an unknown feature is accepted");
    const VmafBackendPlanParams unknown_flag = {.struct_size = sizeof(unknown_flag),
                                                .flags = 1u << 31,
                                                .width = format.width,
                                                .height = format.height,
                                                .depth = 8,
                                                .pixel_format = VMAF_BACKEND_PIXEL_420};
    VmafBackendPlan *plan = NULL;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    expect(subject->api->plan_create(device, &unknown_flag, &plan, &why) == VMAF_BACKEND_INVALID,
           16, "plan_create accepts an unknown flag");
    expect_process_state(&before, "planning");
    subject->api->device_close(device);

    pthread_t threads[4];
    for (unsigned i = 0; i < 4; i++)
        require(!pthread_create(&threads[i], NULL, plan_repeatedly, (void *)subject), 30,
                "no thread can be created");
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

const Group plan_group = {"plan", run_plan};
