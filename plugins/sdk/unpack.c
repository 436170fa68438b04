/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "unpack.h"

#include "picture/unpack_args.h"
#include "rounding.h"

enum { STRIDE_ALIGNMENT = 64, PLANE_ALIGNMENT = 256, GROUP_W = 64, GROUP_H = 4 };

/* Interleaved planes take no more than two planes. */
static uint64_t raw_picture_size(const struct VmafBackendPlan *plan)
{
    const VmafGeometry *geometry = &plan->geometry;
    uint64_t size = 0;
    for (uint32_t p = 0; p < 2; p++) {
        const uint64_t row = (uint64_t)geometry->w[p] * geometry->bytes_per_sample;
        const uint64_t stride = round_up(row, STRIDE_ALIGNMENT);
        size += round_up(stride * geometry->h[p], PLANE_ALIGNMENT) * (p + 1);
    }
    return size;
}

uint64_t vmaf_raw_size(const struct VmafBackendPlan *plan)
{
    return 2 * raw_picture_size(plan);
}

VmafRawPlane vmaf_raw_plane(const struct VmafBackendPlan *plan, enum VmafBufferKind side,
                            const VmafPacking *packing, uint32_t raw_plane)
{
    const VmafGeometry *geometry = &plan->geometry;
    VmafRawPlane found = {0};
    uint64_t next = side == VMAF_BUFFER_DIST ? raw_picture_size(plan) : 0;
    for (uint32_t p = 0; p <= raw_plane; p++) {
        const uint64_t per_sample = p > 0 && packing->semiplanar ? 2 : 1;
        found.row_size = geometry->w[p] * per_sample * geometry->bytes_per_sample;
        found.stride = round_up(found.row_size, STRIDE_ALIGNMENT);
        found.rows = geometry->h[p];
        found.offset = next;
        next += round_up(found.stride * found.rows, PLANE_ALIGNMENT);
    }
    return found;
}

const char *vmaf_unpack_kernel(const struct VmafBackendPlan *plan)
{
    return plan->geometry.bytes_per_sample == 1 ? "unpack_8" : "unpack_16";
}

static int record_plane(VmafDeviceCommandList *list, const VmafDeviceKernel *kernel,
                        const struct VmafBackendPlan *plan, const VmafPacking *packing,
                        uint32_t plane, const VmafRawPlane *raw, VmafDeviceBinding from,
                        VmafDeviceBinding to)
{
    const VmafGeometry *geometry = &plan->geometry;
    const bool interleaved = packing->semiplanar && plane > 0;
    const unpack_args args = {
        .w = (int32_t)geometry->w[plane],
        .h = (int32_t)geometry->h[plane],
        .raw_stride = (int32_t)(raw->stride / geometry->bytes_per_sample),
        .out_stride = (int32_t)(geometry->stride[plane] / geometry->bytes_per_sample),
        .step = interleaved ? 2 : 1,
        .first = interleaved ? (int32_t)plane - 1 : 0,
        .shift = (int32_t)packing->shift,
    };
    const VmafDeviceDispatch dispatch = {
        .kernel = kernel,
        .bindings = {from, to},
        .args = &args,
        .groups = {(geometry->w[plane] + GROUP_W - 1) / GROUP_W,
                   (geometry->h[plane] + GROUP_H - 1) / GROUP_H, 1},
    };
    return vmaf_device_cmd_dispatch(list, &dispatch);
}

int vmaf_unpack_record(VmafDeviceCommandList *list, const VmafDeviceKernel *kernel,
                       const struct VmafBackendPlan *plan, enum VmafBufferKind side,
                       const VmafPacking *packing, VmafDeviceBuffer *raw, VmafDeviceBuffer *pixels)
{
    int err = 0;
    for (uint32_t p = 0; p < 3 && !err; p++) {
        const VmafGeometry *geometry = &plan->geometry;
        if (!(plan->program->planes >> p & 1) || !geometry->h[p] || !geometry->w[p] ||
            !vmaf_is_packed(packing, p))
            continue;
        const VmafRawPlane place =
            vmaf_raw_plane(plan, side, packing, packing->semiplanar && p > 1 ? 1 : p);
        const VmafDeviceBinding from = {
            .buffer = raw, .offset = place.offset, .size = place.stride * place.rows};
        const VmafDeviceBinding to = {.buffer = pixels,
                                      .offset = vmaf_plan_plane_offset(plan, side, p),
                                      .size = (uint64_t)geometry->stride[p] * geometry->h[p]};
        err = record_plane(list, kernel, plan, packing, p, &place, from, to);
    }
    return err;
}
