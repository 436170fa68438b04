# SPDX-License-Identifier: BSD-2-Clause-Patent
# The list for vmaf-backend-bench --operations, from the table of operations per sample in
# docs/kernels.md: lines "KERNEL OPERATIONS", per luma sample of a frame of 4:2:0 pictures.
BEGIN { FS = " *[|] *" }
/^\| kernel \| operations \|/ { inside = 1; next }
inside && !/^\|/ { inside = 0 }
inside && $2 ~ /^`[a-z]/ && $2 !~ /sum_partials/ {
    name = $2
    gsub(/`/, "", name)
    operations = $3
    sub(/.*→ */, "", operations)
    share = 1 # samples of all dispatches for a frame, over those of luma
    if (name ~ /^vif_scale_[1-3]/)
        share = 1 / 4 ^ substr(name, 11, 1)
    else if (name ~ /^adm_coarse_16/)
        share = 1 / 4
    else if (name ~ /^adm_coarse_32/)
        share = 1 / 16 + 1 / 64
    else if (name ~ /^psnr/)
        share = 1.5
    printf "%s %.3f\n", name, operations * share
}
