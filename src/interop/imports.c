/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "imports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/session/picture_import.h"
#include "support/log.h"

enum { WAITING_PAIRS_MAX = 8, REF = 0, DIST = 1 };

/* A picture, or the planes of it that were imported so far. */
typedef struct ImportedPicture {
    VmafPicture pic; /* valid once it is complete */
    unsigned planes;
    VmafBackendImport import;
} ImportedPicture;

struct ImportedPair {
    struct ImportedPair *next;
    unsigned index;
    ImportedPicture pictures[2];
};

struct MappedMemory {
    struct MappedMemory *next;
    BackendBuffer *buffer;
    void *address;
};

/* ---- pairs ---- */

static struct ImportedPair **find_pair(Imports *imports, unsigned index)
{
    struct ImportedPair **link = &imports->pairs;
    while (*link && (*link)->index != index)
        link = &(*link)->next;
    return link;
}

static void drop_pair(struct ImportedPair **link)
{
    struct ImportedPair *pair = *link;
    *link = pair->next;
    picture_unref(&pair->pictures[REF].pic);
    picture_unref(&pair->pictures[DIST].pic);
    free(pair);
}

static unsigned pairs_limit(const InteropState *state)
{
    return state->frames_in_flight ? state->frames_in_flight : WAITING_PAIRS_MAX;
}

static int add_pair(InteropState *state, unsigned index, struct ImportedPair **added)
{
    unsigned n = 0;
    for (const struct ImportedPair *pair = state->imports.pairs; pair; pair = pair->next)
        n++;
    if (n >= pairs_limit(state))
        return -EINVAL;
    struct ImportedPair *pair = calloc(1, sizeof(*pair));
    if (!pair)
        return -ENOMEM;
    pair->index = index;
    pair->next = state->imports.pairs;
    state->imports.pairs = pair;
    *added = pair;
    return 0;
}

/* ---- pictures that were read ---- */

static void forget_unused(Imports *imports)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < imports->n_handed_over; i++) {
        if (picture_is_last(&imports->handed_over[i]))
            picture_unref(&imports->handed_over[i]);
        else
            imports->handed_over[kept++] = imports->handed_over[i];
    }
    imports->n_handed_over = kept;
}

/* Makes room for a pair. */
static int reserve(Imports *imports)
{
    forget_unused(imports);
    VmafPicture *moved =
        reallocarray(imports->handed_over, imports->n_handed_over + 2, sizeof(*moved));
    if (moved)
        imports->handed_over = moved;
    return moved ? 0 : -ENOMEM;
}

/* ---- importing planes ---- */

static int check_format(Imports *imports, const ImportedPlanes *planes, PictureFormat *format)
{
    if (!planes->w || !planes->h ||
        picture_format_init(format, VMAF_PIX_FMT_YUV420P, planes->bpc, planes->w, planes->h))
        return -EINVAL;
    bool first = imports->format.bpc == 0;
    return first || picture_format_equal(format, &imports->format) ? 0 : -EINVAL;
}

static int make_picture(InteropState *state, ImportedPicture *picture, const PictureFormat *format)
{
    const PictureImport import = {
        .format = *format, .planes = picture->planes, .source = picture->import};
    Reason why = {{0}};
    int err = picture_import(&picture->pic, state->device, &import, &why);
    if (err)
        log_message(NULL, VMAF_LOG_LEVEL_WARNING, "%s", why.text);
    return err;
}

static int add_planes(InteropState *state, ImportedPicture *picture, const ImportedPlanes *planes,
                      const PictureFormat *format)
{
    if (picture->planes & planes->planes)
        return -EINVAL;
    picture->planes |= planes->planes;
    picture->import.kind = planes->kind;
    memcpy(picture->import.handles + planes->first_handle, planes->handles,
           planes->n_handles * sizeof(planes->handles[0]));
    unsigned end = planes->first_handle + planes->n_handles;
    if (picture->import.n_handles < end)
        picture->import.n_handles = end;
    int err = picture->planes == planes->whole ? make_picture(state, picture, format) : 0;
    if (err)
        picture->planes &= ~planes->planes;
    return err;
}

int imports_add(InteropState *state, const Vendor *vendor, const ImportedPlanes *planes)
{
    PictureFormat format;
    if (!state)
        return vendor_refusal(vendor);
    if (backend_device_is_foreign(state->device))
        return -EIO;
    int err = check_format(&state->imports, planes, &format);
    if (err)
        return err;
    forget_unused(&state->imports);
    struct ImportedPair *pair = *find_pair(&state->imports, planes->index);
    bool is_new = !pair;
    if (is_new)
        err = add_pair(state, planes->index, &pair);
    if (err)
        return err;
    err = add_planes(state, &pair->pictures[planes->is_ref ? REF : DIST], planes, &format);
    if (err && is_new)
        drop_pair(find_pair(&state->imports, planes->index));
    if (!err)
        state->imports.format = format;
    return vendor_error(err);
}

/* ---- reading ---- */

int imports_read(VmafContext *context, const Vendor *vendor, unsigned index)
{
    InteropState *state = interop_state_of(context, vendor);
    if (!state)
        return vendor_refusal(vendor);
    Imports *imports = &state->imports;
    struct ImportedPair **link = find_pair(imports, index);
    struct ImportedPair *pair = *link;
    if (context->flushed || !pair || !pair->pictures[REF].pic.ref || !pair->pictures[DIST].pic.ref)
        return -EINVAL;
    int err = reserve(imports);
    if (err)
        return err;
    for (int i = REF; i <= DIST; i++)
        imports->handed_over[imports->n_handed_over++] = picture_ref(&pair->pictures[i].pic);
    err = context_read(context, &pair->pictures[REF].pic, &pair->pictures[DIST].pic, index);
    drop_pair(link);
    forget_unused(imports);
    return err;
}

int imports_wait(InteropState *state, const Vendor *vendor)
{
    if (!state)
        return vendor_refusal(vendor);
    if (backend_device_is_foreign(state->device))
        return -EIO;
    Imports *imports = &state->imports;
    if (state->context) /* errors of features do not matter here */
        context_wait(state->context);
    forget_unused(imports);
    int err = 0;
    for (unsigned i = 0; i < imports->n_handed_over && !err; i++)
        err = buffer_picture_detach(&imports->handed_over[i]);
    for (struct ImportedPair *pair = imports->pairs; pair && !err; pair = pair->next) {
        for (int i = REF; i <= DIST && !err; i++)
            err = buffer_picture_detach(&pair->pictures[i].pic);
    }
    return err ? -EIO : 0;
}

/* ---- memory ---- */

int imports_map(InteropState *state, const Vendor *vendor, const VmafBackendImport *memory,
                size_t size, void **address)
{
    PictureFormat format;
    if (!state)
        return vendor_refusal(vendor);
    /* A picture of one row of bytes: backends know pictures only. */
    if (!size || size > UINT32_MAX ||
        picture_format_init(&format, VMAF_PIX_FMT_YUV400P, 8, (unsigned)size, 1))
        return -EINVAL;
    struct MappedMemory *mapped = calloc(1, sizeof(*mapped));
    if (!mapped)
        return -ENOMEM;
    int err =
        backend_buffer_import(&mapped->buffer, state->device, &format, PLANE_Y, memory, NULL, NULL);
    if (err) {
        free(mapped);
        return vendor_error(err);
    }
    void *data[3];
    ptrdiff_t stride[3];
    backend_buffer_place(mapped->buffer, data, stride);
    if (!data[0]) {
        backend_buffer_release(mapped->buffer);
        free(mapped);
        return -ENOTSUP;
    }
    *address = mapped->address = data[0];
    mapped->next = state->imports.mapped;
    state->imports.mapped = mapped;
    return 0;
}

static void drop_mapped(struct MappedMemory **link)
{
    struct MappedMemory *mapped = *link;
    *link = mapped->next;
    backend_buffer_release(mapped->buffer);
    free(mapped);
}

void imports_unmap(InteropState *state, void *address)
{
    struct MappedMemory **link = &state->imports.mapped;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    if (*link)
        drop_mapped(link);
}

/* ---- the end ---- */

void imports_leave_context(InteropState *state)
{
    Imports *imports = &state->imports;
    while (imports->pairs)
        drop_pair(&imports->pairs);
    for (unsigned i = 0; i < imports->n_handed_over; i++)
        picture_unref(&imports->handed_over[i]);
    free(imports->handed_over);
    *imports = (Imports){.mapped = imports->mapped};
}

void imports_clear(InteropState *state)
{
    imports_leave_context(state);
    while (state->imports.mapped)
        drop_mapped(&state->imports.mapped);
}
