/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CHECK_H
#define CHECK_H

/*
 * vmaf-backend-check: tests a plugin against the requirements of docs/backend-authors.md, as far as
 * they can be observed from outside. The numbers of requirements in the source are those of that
 * page.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <libvmaf/backend.h>

/* The plugin under test. */
typedef struct Subject {
    const char *path;
    void *library;
    const VmafBackend *api;
    uint32_t device;        /* index of the device to use */
    unsigned time_limit_ms; /* time limit for the result of a frame */
} Subject;

/* One group of checks. Each runs in a process of its own. */
typedef struct Group {
    const char *name;
    void (*run)(const Subject *subject);
} Group;

extern const Group descriptor_group, features_group, probe_group, device_group, plan_group;
extern const Group order_group, context_group, pixels_group, noise_group, cancel_group;
extern const Group close_group, parallel_group, buffers_group;
/* The group whose process ends like a program, with destructors and exit handlers. */
extern const Group ending_group;

/* Counts a requirement as broken and prints it on stderr unless the condition holds. */
void expect(bool condition, unsigned requirement, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for conditions that the rest of the group needs: ends the process if one fails. */
void require(bool condition, unsigned requirement, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- process_state.c: the state that a call must not change ---- */

typedef struct ProcessState {
    int rounding;
    char directory[4096], locale[256];
    void (*handlers[32])(int);
    long long printed; /* bytes on stdout */
    mode_t mask;
    struct rlimit limits[8];
    struct stat streams[3];
} ProcessState;

/* Makes stdout this file, at the start of the process, so that output is noticed. */
void capture_output(int file);
/* Returns the number of bytes in the file, after flushing stdout. */
long long printed_bytes(void);
ProcessState process_state_now(void);
void expect_process_state(const ProcessState *before, const char *during);

/* Called before and after one call: they check errno and the floating-point environment. */
void call_begin(void);
void call_end(const char *call);

/* Numbers of threads and open files of this process; 0 where the system does not report them. */
unsigned count_threads(void);
unsigned count_files(void);
/* Number of threads, without the calling one, that do not block all signals. */
unsigned count_interruptible_threads(void);

/* ---- description.c ---- */

/* True for UTF-8 without control characters that is terminated within `size` bytes. */
bool is_text(const char *text, size_t size);
/* True for `least` to `most` lower-case letters, digits and, if allowed, underscores, of which the
 * first is a letter. */
bool is_name(const char *name, size_t least, size_t most, bool underscores);
VmafBackendFeature get_feature(const Subject *subject, uint32_t index);

/* ---- frames.c: pictures between guard pages ---- */

typedef struct Format {
    uint32_t width, height, depth, pixel_format;
} Format;

typedef enum Layout {
    LAYOUT_TIGHT,    /* rows after each other, the last one ends at the guard page */
    LAYOUT_BOTTOM_UP /* negative stride, rows not aligned */
} Layout;

typedef struct TestPicture {
    VmafBackendPicture view;
    void *mapping;
    size_t size;
} TestPicture;

/* Makes a picture whose content is computed from `frame`, and which is read-only then. `noise`: its
 * samples are any 16 bits. */
TestPicture test_picture(const Format *format, unsigned frame, bool distorted, bool noise,
                         Layout layout);
/* Bytes of a plane without gaps between its rows, as in LAYOUT_TIGHT. */
size_t test_plane_size(const Format *format, unsigned plane);
/* Makes the pixels inaccessible: from now on reading them ends the process. */
void test_picture_forbid(TestPicture *picture);
void test_picture_free(TestPicture *picture);

/* ---- stream.c: a session and its records ---- */

enum { N_FRAMES = 10, MAX_RECORD = 1 << 16 };

typedef struct Records {
    size_t size[256];             /* bytes of the record of each request; 0: declined */
    uint8_t *data[N_FRAMES][256]; /* NULL: not wanted */
} Records;

typedef struct Stream {
    const Subject *subject;
    VmafBackendDevice *device;
    VmafBackendPlan *plan;
    VmafBackendSession *session;
    Format format;
    uint32_t n_requests, slots, planes;
    uint32_t feature[256]; /* by request: index of its feature in the backend's list */
    VmafBackendAnswer *answers;
} Stream;

VmafBackendDevice *open_device(const Subject *subject);
/* Creates a plan with requests for every feature with every value of its switches, fewer than 256.
 * feature[i] receives the feature index of request i. */
VmafBackendPlan *plan_everything(const Subject *subject, VmafBackendDevice *device,
                                 const Format *format, uint32_t in_flight, uint32_t *n_requests,
                                 uint32_t feature[256]);
/* Returns the n-th format to try, or false past the last. The first SOME_FORMATS have every depth
 * and every pixel format once, which is enough for checks that do not depend on the pixels. */
enum { SOME_FORMATS = 4, N_FORMATS = 12 };
bool format_to_try(const Subject *subject, unsigned n, Format *format);

Stream stream_open(const Subject *subject, VmafBackendDevice *device, const Format *format,
                   uint32_t in_flight);
void stream_close(Stream *stream);
/* Submits a frame as number `sequence` of the stream. `every` names the wanted requests: 1 all of
 * them, 2 every other one, starting with the parity of the frame. */
int32_t stream_submit(Stream *stream, uint64_t sequence, TestPicture *ref, TestPicture *dist,
                      bool context, unsigned every);
/* Collects frame number `sequence` into records->data[frame], checking everything about it. */
int32_t stream_collect(Stream *stream, uint64_t sequence, unsigned frame, unsigned every,
                       Records *records);
bool is_wanted(unsigned every, unsigned frame, uint32_t request);

/* Scores one frame after the other; the records are the reference for all other checks. */
void stream_score(Stream *stream, Records *records);
void expect_equal(const Records *a, const Records *b, unsigned frame, unsigned requirement,
                  const char *what);
void records_free(Records *records);

#endif
