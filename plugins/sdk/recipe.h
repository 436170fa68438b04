/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_RECIPE_H
#define VMAF_SDK_RECIPE_H

#include <libvmaf/backend.h>

#include "program.h"

/*
 * A recipe: how a feature is computed with kernels. It says what it can do and which requests it
 * computes together, writes the program of those, and turns the sums that come back into the
 * feature's record. Recipes know no device; one file each in recipes/, and a name in VMAF_RECIPES.
 */

/* Requests of a pass: they share kernels. */
typedef struct VmafRecipePass {
    const VmafBackendRequest *const *requests;
    uint32_t n_requests; /* at least 1 */
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
    /* Names of the options that are honoured, whatever their value; ends with a NULL name. */
    const struct VmafRecipeOption {
        const char *name;
        uint32_t type; /* VMAF_BACKEND_TYPE_* */
    } * options;

    /* Whether a request can be computed, for pictures that the limits above admit; if not, why.
     * NULL: each can. */
    bool (*admits)(const VmafGeometry *geometry, const VmafBackendRequest *request,
                   VmafBackendReason *why);
    /* Whether these requests, which were admitted, make one pass; without the last they do. */
    bool (*is_pass)(const VmafGeometry *geometry, const VmafRecipePass *pass);
    /* Writes the program of a pass. */
    void (*build)(VmafProgram *program, const VmafGeometry *geometry, const VmafRecipePass *pass);
    /* Makes the record of the request's results, in the order in which build asked for them. */
    void (*decode)(const VmafGeometry *geometry, const VmafBackendRequest *request,
                   const uint64_t *results, void *record);
} VmafRecipe;

/* All recipes, one per file recipes/<name>.c, which defines vmaf_recipe_<name>. */
#define VMAF_RECIPES(X) X(adm) X(motion) X(psnr) X(vif)

#define VMAF_RECIPE_COUNT(name) +1
enum { VMAF_N_RECIPES = 0 VMAF_RECIPES(VMAF_RECIPE_COUNT) };

#define VMAF_RECIPE_DECLARE(name) extern const VmafRecipe vmaf_recipe_##name;
VMAF_RECIPES(VMAF_RECIPE_DECLARE)
extern const VmafRecipe *const vmaf_recipes[VMAF_N_RECIPES];

const VmafRecipe *vmaf_recipe_find(const char *name);

/* The value of an option of a request; `absent` where it is not listed. */
double vmaf_request_double(const VmafBackendRequest *request, const char *option, double absent);
int64_t vmaf_request_int(const VmafBackendRequest *request, const char *option, int64_t absent);

#endif
