/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_RECIPE_H
#define VMAF_SDK_RECIPE_H

#include <libvmaf/backend.h>

#include "definition/option.h"
#include "program.h"
#include "recipes/recipe_list.h"

/*
 * A recipe: how a feature is computed with kernels. It says what it can do and which requests it
 * computes together, writes the program of those, and turns the sums that come back into the
 * feature's record. Recipes know no device; one folder each in recipes/, and a name in
 * recipes/recipe_list.h. What the feature is, options and numbers, is not said here: definition/.
 */

/* Requests of a pass: they share kernels. */
typedef struct VmafRecipePass {
    const void *const *options; /* of each: the feature's option struct */
    uint32_t n_requests;        /* at least 1 */
} VmafRecipePass;

typedef struct VmafRecipe {
    const char *name; /* of the extractor */
    const char *record;
    uint32_t record_version;
    uint64_t record_size;
    uint32_t pixel_formats; /* set of 1u << VMAF_BACKEND_PIXEL_* */
    uint32_t depth_min, depth_max;
    uint32_t width_min, height_min;
    uint32_t width_max, height_max;           /* 0: no limit */
    uint32_t planes, ref_before, dist_before; /* at most, over all options */
    /* The feature's options. Those that change the record are honoured, numbers and bool in their
     * range; all others are the host's business. */
    const OptionSpec *options;
    size_t options_size; /* of the struct that is handed to the functions below */

    /* Whether a request can be computed, for pictures that the limits above admit; if not, why.
     * NULL: each can. */
    bool (*admits)(const VmafGeometry *geometry, const void *options, VmafBackendReason *why);
    /* Whether these requests, which were admitted, make one pass; without the last they do. */
    bool (*is_pass)(const VmafGeometry *geometry, const VmafRecipePass *pass);
    /* Writes the program of a pass. */
    void (*build)(VmafProgram *program, const VmafGeometry *geometry, const VmafRecipePass *pass);
    /* Makes the record of the request's results, in the order in which build asked for them. */
    void (*decode)(const VmafGeometry *geometry, const void *options, const uint64_t *results,
                   void *record);
} VmafRecipe;

#define VMAF_RECIPE_COUNT(name) +1
enum { VMAF_N_RECIPES = 0 VMAF_RECIPES(VMAF_RECIPE_COUNT) };

#define VMAF_RECIPE_DECLARE(name) extern const VmafRecipe vmaf_recipe_##name;
VMAF_RECIPES(VMAF_RECIPE_DECLARE)
extern const VmafRecipe *const vmaf_recipes[VMAF_N_RECIPES];

const VmafRecipe *vmaf_recipe_find(const char *name);

/* The option, if it is honoured; else NULL. */
const OptionSpec *vmaf_recipe_option(const VmafRecipe *recipe, const char *name);
/* Whether an option of the table is: whether it changes the record. */
static inline bool vmaf_recipe_honours(const OptionSpec *spec)
{
    return (spec->flags & OPTION_ACCUMULATE) && spec->type != OPTION_STRING;
}

#endif
