/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_RECIPES_RECIPE_LIST_H
#define VMAF_SDK_RECIPES_RECIPE_LIST_H

/* All recipes; recipes/<name>/<name>.c defines vmaf_recipe_<name>. */
#define VMAF_RECIPES(X) X(adm) X(motion) X(psnr) X(vif)

#endif
