/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "va.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_SURFACES = 256, PLANES = 2, PITCH_UNIT = 256, HEIGHT_UNIT = 32, NEW = 0xdb };

/* Formats of DRM: of one plane, by plane and bytes of a sample. */
enum {
    DRM_FORMAT_R8 = 0x20203852,
    DRM_FORMAT_GR88 = 0x38385247,
    DRM_FORMAT_R16 = 0x20363152,
    DRM_FORMAT_GR1616 = 0x32335247,
};

typedef struct Plane {
    unsigned object;
    uint32_t offset, pitch;
    uint32_t row_size, rows;
    unsigned char *pending; /* rows without gaps that are not seen yet */
} Plane;

typedef struct Surface {
    uint32_t fourcc, width, height;
    uint64_t modifier;
    unsigned n_objects;
    int descriptors[PLANES];
    uint32_t sizes[PLANES];
    Plane planes[PLANES];
} Surface;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Surface *surfaces[MAX_SURFACES]; /* surface i + 1 */
static VAStatus sync_status, export_status;
static char display;

static Surface *find(VASurfaceID id)
{
    return id >= 1 && id <= MAX_SURFACES ? surfaces[id - 1] : NULL;
}

static uint32_t round_up(uint32_t size, uint32_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static uint32_t sample_size(const Surface *surface)
{
    return surface->fourcc == VA_FOURCC_P010 ? 2 : 1;
}

static void lay_out(Surface *surface)
{
    const uint32_t size = sample_size(surface);
    for (unsigned p = 0; p < PLANES; p++) {
        Plane *plane = &surface->planes[p];
        const uint32_t height = p ? (surface->height + 1) / 2 : surface->height;
        plane->row_size = (p ? (surface->width + 1) / 2 * 2 : surface->width) * size;
        plane->rows = height;
        plane->pitch = round_up(plane->row_size, PITCH_UNIT);
        plane->object = p < surface->n_objects ? p : 0;
        plane->offset = surface->sizes[plane->object];
        surface->sizes[plane->object] += plane->pitch * round_up(height, HEIGHT_UNIT);
    }
}

static void close_all(Surface *surface)
{
    for (unsigned i = 0; i < surface->n_objects; i++)
        close(surface->descriptors[i]);
    for (unsigned p = 0; p < PLANES; p++)
        free(surface->planes[p].pending);
    free(surface);
}

/* Objects that hold a pattern. */
static bool create_objects(Surface *surface)
{
    unsigned char *memory = malloc(surface->sizes[0] + surface->sizes[1]);
    bool ok = true;
    memset(memory, NEW, surface->sizes[0] + surface->sizes[1]);
    for (unsigned i = 0; i < surface->n_objects; i++) {
        surface->descriptors[i] = memfd_create("surface", MFD_CLOEXEC);
        ok =
            ok && surface->descriptors[i] >= 0 &&
            write(surface->descriptors[i], memory, surface->sizes[i]) == (ssize_t)surface->sizes[i];
    }
    free(memory);
    return ok;
}

VASurfaceID emulated_va_create(uint32_t fourcc, uint32_t width, uint32_t height, uint64_t modifier,
                               unsigned n_objects)
{
    VASurfaceID id = 0;
    if ((fourcc != VA_FOURCC_NV12 && fourcc != VA_FOURCC_P010) || n_objects < 1 ||
        n_objects > PLANES || width == 0 || height == 0)
        return 0;
    Surface *surface = calloc(1, sizeof(*surface));
    *surface = (Surface){.fourcc = fourcc,
                         .width = width,
                         .height = height,
                         .modifier = modifier,
                         .n_objects = n_objects};
    lay_out(surface);
    pthread_mutex_lock(&lock);
    while (id < MAX_SURFACES && surfaces[id])
        id++;
    const bool ok = create_objects(surface) && id < MAX_SURFACES;
    if (ok)
        surfaces[id] = surface;
    pthread_mutex_unlock(&lock);
    if (!ok)
        close_all(surface);
    return ok ? id + 1 : 0;
}

int emulated_va_write(VASurfaceID id, unsigned p, const void *data)
{
    pthread_mutex_lock(&lock);
    Surface *surface = find(id);
    const bool ok = surface && p < PLANES;
    if (ok) {
        Plane *plane = &surface->planes[p];
        const size_t size = (size_t)plane->row_size * plane->rows;
        free(plane->pending);
        plane->pending = malloc(size);
        memcpy(plane->pending, data, size);
    }
    pthread_mutex_unlock(&lock);
    return ok ? 0 : -1;
}

void emulated_va_destroy(VASurfaceID id)
{
    pthread_mutex_lock(&lock);
    Surface *surface = find(id);
    if (surface) {
        surfaces[id - 1] = NULL;
        close_all(surface);
    }
    pthread_mutex_unlock(&lock);
}

void emulated_va_fail(VAStatus sync, VAStatus export_handle)
{
    pthread_mutex_lock(&lock);
    sync_status = sync;
    export_status = export_handle;
    pthread_mutex_unlock(&lock);
}

VADisplay emulated_va_display(void)
{
    return &display;
}

/* -- VA-API -- */

static VAStatus show_pending(Surface *surface)
{
    for (unsigned p = 0; p < PLANES; p++) {
        Plane *plane = &surface->planes[p];
        for (uint32_t y = 0; plane->pending && y < plane->rows; y++) {
            const off_t at = (off_t)plane->offset + (off_t)y * plane->pitch;
            if (pwrite(surface->descriptors[plane->object],
                       plane->pending + (size_t)y * plane->row_size, plane->row_size,
                       at) != (ssize_t)plane->row_size)
                return VA_STATUS_ERROR_OPERATION_FAILED;
        }
        free(plane->pending);
        plane->pending = NULL;
    }
    return VA_STATUS_SUCCESS;
}

VAStatus vaSyncSurface(VADisplay used, VASurfaceID id)
{
    if (used != &display)
        return VA_STATUS_ERROR_INVALID_DISPLAY;
    pthread_mutex_lock(&lock);
    Surface *surface = find(id);
    VAStatus status = sync_status;
    if (status == VA_STATUS_SUCCESS)
        status = surface ? show_pending(surface) : VA_STATUS_ERROR_INVALID_SURFACE;
    pthread_mutex_unlock(&lock);
    return status;
}

/* Each plane is a layer, or one layer has all. */
static void describe_layers(const Surface *surface, bool is_separate,
                            VADRMPRIMESurfaceDescriptor *described)
{
    static const uint32_t formats[2][PLANES] = {{DRM_FORMAT_R8, DRM_FORMAT_GR88},
                                                {DRM_FORMAT_R16, DRM_FORMAT_GR1616}};
    described->num_layers = is_separate ? PLANES : 1;
    for (unsigned p = 0; p < PLANES; p++) {
        const unsigned layer = is_separate ? p : 0, place = is_separate ? 0 : p;
        described->layers[layer].drm_format =
            is_separate ? formats[sample_size(surface) - 1][p] : surface->fourcc;
        described->layers[layer].num_planes = is_separate ? 1 : PLANES;
        described->layers[layer].object_index[place] = surface->planes[p].object;
        described->layers[layer].offset[place] = surface->planes[p].offset;
        described->layers[layer].pitch[place] = surface->planes[p].pitch;
    }
}

static VAStatus export_surface(const Surface *surface, uint32_t memory_type, uint32_t flags,
                               VADRMPRIMESurfaceDescriptor *described)
{
    const uint32_t layers =
        flags & (VA_EXPORT_SURFACE_SEPARATE_LAYERS | VA_EXPORT_SURFACE_COMPOSED_LAYERS);
    if (!surface)
        return VA_STATUS_ERROR_INVALID_SURFACE;
    if (memory_type != VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2)
        return VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE;
    if (!described || !(flags & 3) ||
        (layers != VA_EXPORT_SURFACE_SEPARATE_LAYERS &&
         layers != VA_EXPORT_SURFACE_COMPOSED_LAYERS))
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    memset(described, 0, sizeof(*described));
    described->fourcc = surface->fourcc;
    described->width = surface->width;
    described->height = surface->height;
    described->num_objects = surface->n_objects;
    for (unsigned i = 0; i < surface->n_objects; i++) {
        described->objects[i].fd = fcntl(surface->descriptors[i], F_DUPFD_CLOEXEC, 0);
        described->objects[i].size = surface->sizes[i];
        described->objects[i].drm_format_modifier = surface->modifier;
    }
    describe_layers(surface, layers == VA_EXPORT_SURFACE_SEPARATE_LAYERS, described);
    return VA_STATUS_SUCCESS;
}

VAStatus vaExportSurfaceHandle(VADisplay used, VASurfaceID id, uint32_t memory_type, uint32_t flags,
                               void *descriptor)
{
    if (used != &display)
        return VA_STATUS_ERROR_INVALID_DISPLAY;
    pthread_mutex_lock(&lock);
    VAStatus status = export_status;
    if (status == VA_STATUS_SUCCESS)
        status = export_surface(find(id), memory_type, flags, descriptor);
    pthread_mutex_unlock(&lock);
    return status;
}
