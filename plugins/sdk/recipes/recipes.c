/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "recipe.h"

#include <string.h>

#define VMAF_RECIPE_ADDRESS(name) &vmaf_recipe_##name,
const VmafRecipe *const vmaf_recipes[VMAF_N_RECIPES] = {VMAF_RECIPES(VMAF_RECIPE_ADDRESS)};

const VmafRecipe *vmaf_recipe_find(const char *name)
{
    for (int i = 0; i < VMAF_N_RECIPES; i++) {
        if (!strcmp(vmaf_recipes[i]->name, name))
            return vmaf_recipes[i];
    }
    return NULL;
}

const OptionSpec *vmaf_recipe_option(const VmafRecipe *recipe, const char *name)
{
    for (const OptionSpec *spec = recipe->options; spec->name; spec++) {
        if (vmaf_recipe_honours(spec) && !strcmp(spec->name, name))
            return spec;
    }
    return NULL;
}
