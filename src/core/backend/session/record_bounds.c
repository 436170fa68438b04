/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/session/record_bounds.h"

#include <string.h>

#include "feature/adm/adm.h"
#include "feature/vif/vif.h"
#include "libvmaf/backend_records.h"

static uint64_t samples(const PictureFormat *format, unsigned plane)
{
    return (uint64_t)format->w[plane] * format->h[plane];
}

/* The largest sample that memory can hold: one above the nominal depth is harmless, and no reason
 * to take the backend for broken. */
static uint64_t peak(const PictureFormat *format)
{
    return format->bpc == 8 ? 255 : 65535;
}

static bool between(int64_t value, uint64_t limit)
{
    return value >= 0 && (uint64_t)value <= limit;
}

static bool vif_within(const void *record, const void *options, const PictureFormat *format)
{
    enum { LARGEST_LOGARITHM = 28673 };
    const VmafRecordVif *vif = record;
    const VifOptions *o = options;
    for (unsigned s = 0; s < 4; s++) {
        uint64_t n = (uint64_t)(format->w[0] >> s) * (format->h[0] >> s);
        if (s == 0 && o->skip_scale0)
            n = 0;
        if (!between(vif->flat_count[s], n) || !between(vif->log_den[s], LARGEST_LOGARITHM * n) ||
            !between(vif->log_num[s], LARGEST_LOGARITHM * n) ||
            !between(vif->flat_variance[s], n << 31))
            return false;
    }
    return true;
}

static bool adm_within(const void *record, const void *options, const PictureFormat *format)
{
    const VmafRecordAdm *adm = record;
    const AdmOptions *o = options;
    (void)format;
    for (unsigned s = 0; s < 4; s++) {
        for (unsigned band = 0; band < 3; band++) {
            bool skipped = s == 0 && o->skip_scale0;
            if ((skipped || o->skip_aim) && adm->aim[s][band])
                return false;
            if (skipped && (adm->den[s][band] || adm->num[s][band]))
                return false;
        }
    }
    return true;
}

static bool motion_within(const void *record, const void *options, const PictureFormat *format)
{
    const VmafRecordMotion *motion = record;
    (void)options;
    /* In units that depend on the nominal depth. */
    unsigned excess = format->bpc == 8 ? 0 : 16 - format->bpc;
    return motion->sad <= (65535 * samples(format, 0)) << excess;
}

static bool psnr_within(const void *record, const void *options, const PictureFormat *format)
{
    const VmafRecordPsnr *psnr = record;
    (void)options;
    for (unsigned p = 0; p < 3; p++) {
        if (psnr->sse[p] > peak(format) * peak(format) * samples(format, p))
            return false;
    }
    return true;
}

static bool float_psnr_within(const void *record, const void *options, const PictureFormat *format)
{
    const VmafRecordFloatPsnr *psnr = record;
    (void)options;
    return psnr->sse <= samples(format, 0) << 32;
}

static bool float_moment_within(const void *record, const void *options,
                                const PictureFormat *format)
{
    const VmafRecordFloatMoment *moment = record;
    (void)options;
    for (unsigned p = 0; p < 2; p++) {
        if (moment->first[p] > peak(format) * samples(format, 0) ||
            moment->second[p] > samples(format, 0) << 32)
            return false;
    }
    return true;
}

static const RecordKind kinds[] = {
    {VMAF_RECORD_VIF, VMAF_RECORD_VIF_VERSION, sizeof(VmafRecordVif), vif_within},
    {VMAF_RECORD_ADM, VMAF_RECORD_ADM_VERSION, sizeof(VmafRecordAdm), adm_within},
    {VMAF_RECORD_MOTION, VMAF_RECORD_MOTION_VERSION, sizeof(VmafRecordMotion), motion_within},
    {VMAF_RECORD_PSNR, VMAF_RECORD_PSNR_VERSION, sizeof(VmafRecordPsnr), psnr_within},
    {VMAF_RECORD_FLOAT_PSNR, VMAF_RECORD_FLOAT_PSNR_VERSION, sizeof(VmafRecordFloatPsnr),
     float_psnr_within},
    {VMAF_RECORD_FLOAT_MOMENT, VMAF_RECORD_FLOAT_MOMENT_VERSION, sizeof(VmafRecordFloatMoment),
     float_moment_within},
};

const RecordKind *record_kind_of(const FeatureExtractor *extractor)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (!strcmp(kinds[i].id, extractor->name))
            return &kinds[i];
    }
    return NULL;
}
