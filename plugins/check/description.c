/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Groups about the description of a backend: its structure, names, features and options. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

bool is_text(const char *text, size_t size)
{
    size_t i = 0;
    while (i < size && text[i]) {
        const unsigned char c = (unsigned char)text[i++];
        if (c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xc2) || c > 0xf4)
            return false;
        for (int more = c < 0xc2 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3; more > 0; more--) {
            if (i >= size || ((unsigned char)text[i++] & 0xc0) != 0x80)
                return false;
        }
    }
    return i < size;
}

bool is_name(const char *name, size_t least, size_t most, bool underscores)
{
    const char *characters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    if (!name || name[0] < 'a' || name[0] > 'z')
        return false;
    const size_t length = strlen(name);
    return length >= least && length <= most && strspn(name, characters) == length &&
           (underscores || !strchr(name, '_'));
}

enum { LONGEST_TEXT = 1 << 16 };

static void expect_text(const char *text, const char *what)
{
    expect(text && is_text(text, LONGEST_TEXT), 6, "%s is no text", what);
}

static void check_name(const Subject *subject)
{
    const char *base = strrchr(subject->path, '/');
    base = base ? base + 1 : subject->path;
    char expected[64];
    const char *name = subject->api->name;
    require(is_name(name, 2, 16, false) && strcmp(name, "cpu") && strcmp(name, "auto"), 1,
            "its name is not [a-z][a-z0-9]{1,15}, or is reserved");
    snprintf(expected, sizeof(expected), "libvmaf-backend-%s.so", name);
    expect(!strcmp(base, expected), 1, "the file should be called %s", expected);
}

static void run_descriptor(const Subject *subject)
{
    const VmafBackend *api = subject->api;
    require(api->abi_major == VMAF_BACKEND_ABI_MAJOR, 5, "it is built for ABI %u, this is %u",
            api->abi_major, VMAF_BACKEND_ABI_MAJOR);
    require(api->struct_size >= offsetof(VmafBackend, memory_register), 5,
            "its descriptor has only %u bytes", api->struct_size);
    check_name(subject);
    expect(api->backend_class == VMAF_BACKEND_CLASS_NATIVE ||
               api->backend_class == VMAF_BACKEND_CLASS_PORTABLE,
           6, "its class is %u", api->backend_class);
    expect_text(api->version, "version");
    expect_text(api->description, "description");
    expect(!api->build_id || is_text(api->build_id, LONGEST_TEXT), 6, "build_id is no text");
    expect(api->reserved == 0, 6, "reserved is not 0");
    require(api->feature_get && api->feature_option && api->feature_output && api->probe &&
                api->device_get && api->device_open && api->device_close && api->plan_create &&
                api->plan_info && api->plan_answer && api->plan_destroy && api->session_open &&
                api->session_close && api->submit && api->collect && api->flush && api->cancel &&
                api->last_error,
            7, "a function that is not optional is missing");
}

const Group descriptor_group = {"descriptor", run_descriptor};

VmafBackendFeature get_feature(const Subject *subject, uint32_t index)
{
    VmafBackendFeature feature = {.struct_size = sizeof(feature)};
    require(subject->api->feature_get(index, &feature) == VMAF_BACKEND_OK, 8,
            "feature_get(%u) fails", index);
    require(feature.name != NULL, 8, "feature %u has no name", index);
    return feature;
}

static void check_ranges(const VmafBackendFeature *f)
{
    expect(f->pixel_formats & 0x1e, 9, "%s: no pixel format", f->name);
    expect(f->depth_min >= 8 && f->depth_min <= f->depth_max && f->depth_max <= 16, 9,
           "%s: depths from %u to %u", f->name, f->depth_min, f->depth_max);
    expect((!f->width_max || f->width_min <= f->width_max) &&
               (!f->height_max || f->height_min <= f->height_max),
           9, "%s: the smallest picture is larger than the largest", f->name);
    expect(f->planes && f->planes <= 7, 9, "%s: planes are %#x", f->name, f->planes);
    expect(f->ref_before <= 2 && f->dist_before <= 2, 9, "%s: needs more than two neighbours",
           f->name);
    expect(f->exactness == VMAF_BACKEND_EXACT || f->exactness == VMAF_BACKEND_BOUNDED, 9,
           "%s: exactness is %u", f->name, f->exactness);
    if (f->exactness == VMAF_BACKEND_BOUNDED)
        expect(f->bound > 0 && f->bound_reason && is_text(f->bound_reason, LONGEST_TEXT), 9,
               "%s: a bound needs a number and a reason", f->name);
}

static void check_kind(const VmafBackendFeature *f)
{
    const bool own = f->flags & VMAF_BACKEND_FEATURE_OWN;
    expect(is_name(f->name, 1, 31, true), 8, "'%s' is no name of a feature", f->name);
    if (f->record_kind == VMAF_BACKEND_RECORD_SUMS || f->record_kind == VMAF_BACKEND_RECORD_BYTES)
        expect(f->record && !own && f->n_outputs == 0, 8,
               "%s: sums and bytes are records of libvmaf's features, which have no outputs here",
               f->name);
    else
        expect(f->record_kind == VMAF_BACKEND_RECORD_SCORES && !f->record, 8,
               "%s: the record is neither sums nor bytes nor scores", f->name);
    if (own)
        expect(f->n_outputs > 0 && f->help && is_text(f->help, LONGEST_TEXT), 8,
               "%s: an own feature needs outputs and a line of help", f->name);
}

static void check_lists(const Subject *subject, uint32_t index, const VmafBackendFeature *f)
{
    const VmafBackend *api = subject->api;
    VmafBackendOptionSpec option = {.struct_size = sizeof(option)};
    VmafBackendOutput output = {.struct_size = sizeof(output)};
    for (uint32_t i = 0; i < f->n_options; i++) {
        require(!api->feature_option(index, i, &option) && option.name, 10,
                "%s: feature_option(%u) fails", f->name, i);
        expect(is_name(option.name, 1, 64, true), 10, "%s: '%s' is no name of an option", f->name,
               option.name);
        expect(option.type <= VMAF_BACKEND_TYPE_STRING, 10, "%s: type of %s", f->name, option.name);
        if (f->flags & VMAF_BACKEND_FEATURE_OWN)
            expect(option.help && is_text(option.help, LONGEST_TEXT), 10, "%s: %s has no help",
                   f->name, option.name);
    }
    expect(api->feature_option(index, f->n_options, &option) == VMAF_BACKEND_INVALID, 10,
           "%s: feature_option beyond the last is not INVALID", f->name);
    for (uint32_t i = 0; i < f->n_outputs; i++)
        expect(!api->feature_output(index, i, &output) && is_name(output.name, 1, 64, true), 10,
               "%s: feature_output(%u)", f->name, i);
    expect(api->feature_output(index, f->n_outputs, &output) == VMAF_BACKEND_INVALID, 10,
           "%s: feature_output beyond the last is not INVALID", f->name);
}

static void run_features(const Subject *subject)
{
    const VmafBackend *api = subject->api;
    expect(api->n_features > 0, 8, "it computes nothing");
    for (uint32_t i = 0; i < api->n_features; i++) {
        const VmafBackendFeature f = get_feature(subject, i);
        check_kind(&f);
        check_ranges(&f);
        check_lists(subject, i, &f);
        for (uint32_t k = 0; k < i; k++)
            expect(strcmp(f.name, get_feature(subject, k).name), 8, "%s is listed twice", f.name);
    }
    VmafBackendFeature feature = {.struct_size = sizeof(feature)};
    expect(api->feature_get(api->n_features, &feature) == VMAF_BACKEND_INVALID, 8,
           "feature_get beyond the last is not INVALID");

    /* A host that knows only the first members. */
    unsigned char small[sizeof(VmafBackendFeature)];
    const uint32_t size = offsetof(VmafBackendFeature, record_kind);
    memset(small, 0xa5, sizeof(small));
    memcpy(small, &size, sizeof(size));
    api->feature_get(0, (VmafBackendFeature *)(void *)small);
    for (size_t i = size; i < sizeof(small); i++)
        require(small[i] == 0xa5, 32, "feature_get writes beyond struct_size");
}

const Group features_group = {"features", run_features};
