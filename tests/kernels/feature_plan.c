/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature_plan.h"

#include "support/cases.h"

static VmafBackendOption option_of(const void *options, const OptionSpec *spec)
{
    const char *value = (const char *)options + spec->offset;
    VmafBackendOption option = {.struct_size = sizeof(option),
                                .name = spec->name,
                                .is_default = option_is_default(options, spec)};
    if (spec->type == VMAF_OPTION_TYPE_BOOL) {
        option.type = VMAF_BACKEND_TYPE_BOOL;
        option.integer = *(const bool *)value;
    } else if (spec->type == VMAF_OPTION_TYPE_INT) {
        option.type = VMAF_BACKEND_TYPE_INT;
        option.integer = *(const int *)(const void *)value;
    } else if (spec->type == VMAF_OPTION_TYPE_STRING) {
        option.type = VMAF_BACKEND_TYPE_STRING;
        option.string = *(const char *const *)(const void *)value;
    } else {
        option.type = VMAF_BACKEND_TYPE_DOUBLE;
        option.number = *(const double *)(const void *)value;
    }
    return option;
}

VmafBackendPlan *feature_plan_create(VmafDevice *device, const FeaturePlanParams *given)
{
    static const uint32_t formats[] = {
        [VMAF_PIX_FMT_YUV420P] = VMAF_BACKEND_PIXEL_420,
        [VMAF_PIX_FMT_YUV422P] = VMAF_BACKEND_PIXEL_422,
        [VMAF_PIX_FMT_YUV444P] = VMAF_BACKEND_PIXEL_444,
        [VMAF_PIX_FMT_YUV400P] = VMAF_BACKEND_PIXEL_400,
    };
    VmafBackendOption options[FEATURE_PLAN_MAX_REQUESTS][FEATURE_PLAN_MAX_OPTIONS];
    const VmafBackendOption *option_list[FEATURE_PLAN_MAX_REQUESTS][FEATURE_PLAN_MAX_OPTIONS];
    VmafBackendRequest requests[FEATURE_PLAN_MAX_REQUESTS];
    const VmafBackendRequest *request_list[FEATURE_PLAN_MAX_REQUESTS];
    for (uint32_t i = 0; i < given->n_requests; i++) {
        uint32_t n = 0;
        for (const OptionSpec *spec = given->feature->options; spec->name; spec++) {
            if (!(spec->flags & OPTION_ACCUMULATE))
                continue;
            assert_in_range(n, 0, FEATURE_PLAN_MAX_OPTIONS - 1);
            options[i][n] = option_of(given->options[i], spec);
            option_list[i][n] = &options[i][n];
            n++;
        }
        requests[i] = (VmafBackendRequest){.struct_size = sizeof(requests[i]),
                                           .id = i,
                                           .feature = given->feature->name,
                                           .n_options = n,
                                           .options = option_list[i]};
        request_list[i] = &requests[i];
    }
    const VmafBackendPlanParams params = {
        .struct_size = sizeof(params),
        .width = given->format->w[0],
        .height = given->format->h[0],
        .depth = given->format->bpc,
        .pixel_format = formats[given->format->pix_fmt],
        .frames_in_flight = given->frames_in_flight,
        .n_requests = given->n_requests,
        .requests = request_list,
    };
    VmafBackendPlan *plan;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    const int32_t result = vmaf_plan_create(device, &params, &plan, &why);
    if (result != VMAF_BACKEND_OK)
        fail_msg("no plan for %s: %d, %s", given->feature->name, result, why.text);
    return plan;
}

VmafBackendAnswer feature_plan_answer(const VmafBackendPlan *plan, uint32_t request)
{
    VmafBackendAnswer answer = {.struct_size = sizeof(answer)};
    assert_int_equal(vmaf_plan_answer(plan, request, &answer), VMAF_BACKEND_OK);
    return answer;
}

VmafBackendSession *feature_plan_session(VmafBackendPlan *plan)
{
    VmafBackendSession *session;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    if (vmaf_session_open(plan, &session, &why) != VMAF_BACKEND_OK)
        fail_msg("no session: %s", why.text);
    return session;
}

VmafBackendPicture feature_plan_picture(const VmafPicture *pic)
{
    VmafBackendPicture picture = {.struct_size = sizeof(picture)};
    for (unsigned p = 0; p < 3; p++) {
        picture.data[p] = pic->data[p];
        picture.stride[p] = pic->stride[p];
    }
    return picture;
}
