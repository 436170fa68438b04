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

static const VmafBackendOption *find(const VmafBackendRequest *request, const char *name)
{
    for (uint32_t i = 0; i < request->n_options; i++) {
        if (!strcmp(request->options[i]->name, name))
            return request->options[i];
    }
    return NULL;
}

double vmaf_request_double(const VmafBackendRequest *request, const char *option, double absent)
{
    const VmafBackendOption *found = find(request, option);
    return found ? found->number : absent;
}

int64_t vmaf_request_int(const VmafBackendRequest *request, const char *option, int64_t absent)
{
    const VmafBackendOption *found = find(request, option);
    return found ? found->integer : absent;
}
