/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_kernels.h"

const int16_t adm_low_pass[4] = {ADM_LOW0, ADM_LOW1, ADM_LOW2, ADM_LOW3};
const int16_t adm_high_pass[4] = {ADM_HIGH0, ADM_HIGH1, ADM_HIGH2, ADM_HIGH3};

size_t adm_wavelet_workspace(int input_columns)
{
    return 2 * sizeof(int32_t) * ((size_t)input_columns + 4 + 4 * ADM_ROW_MARGIN);
}

void adm_kernels_init(AdmKernels *kernels, unsigned cpu_flags)
{
    ISA_SELECT_PORTABLE(adm_kernels_fill_wavelet, cpu_flags)(kernels);
    ISA_SELECT_PORTABLE(adm_kernels_fill_coarse, cpu_flags)(kernels);
    ISA_SELECT_PORTABLE(adm_kernels_fill_decouple, cpu_flags)(kernels);
    ISA_SELECT_PORTABLE(adm_kernels_fill_masking, cpu_flags)(kernels);
}
