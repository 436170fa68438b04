/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* SPIR-V on the processor: by pocl, with the translator where pocl does not read it. */
#define CL_TARGET_OPENCL_VERSION 300
#include "driver.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 512 };

extern char **environ;

/* What made the code can read it; "": there was none. */
#ifndef BUILD_TRANSLATOR
#define BUILD_TRANSLATOR ""
#endif
static char translator[] = BUILD_TRANSLATOR;

static bool write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    const bool ok = file && fwrite(data, 1, size, file) == size;
    return (file ? fclose(file) : -1) == 0 && ok;
}

/* All of a file, with a zero behind it. */
static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = malloc(1);
    *size = 0;
    while (file && !feof(file) && !ferror(file)) {
        data = realloc(data, *size + 65536 + 1);
        *size += fread(data + *size, 1, 65536, file);
    }
    if (file)
        fclose(file);
    data[*size] = '\0';
    return data;
}

static bool spawn(char *const *arguments, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const bool started = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* FNV-1a, which names what was translated. */
static uint64_t hash(const unsigned char *bytes, size_t size)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    return value;
}

/* Several processes may do so at once: the file appears when it is complete. */
static bool translate(const void *spirv, size_t size, const char *bitcode, char **log)
{
    char folder[PATH_SIZE + 16], input[PATH_SIZE + 32], output[PATH_SIZE + 32],
        said[PATH_SIZE + 32];
    size_t log_size;
    snprintf(folder, sizeof(folder), "%s.XXXXXX", bitcode);
    if (!mkdtemp(folder)) {
        *log = strdup("there is no folder for translated code");
        return false;
    }
    snprintf(input, sizeof(input), "%s/spv", folder);
    snprintf(output, sizeof(output), "%s/bc", folder);
    snprintf(said, sizeof(said), "%s/log", folder);
    char reverse[] = "-r", to[] = "-o";
    char *const arguments[] = {translator, reverse, input, to, output, NULL};
    const bool ok =
        write_file(input, spirv, size) && spawn(arguments, said) && rename(output, bitcode) == 0;
    *log = (char *)read_file(said, &log_size);
    unlink(input);
    unlink(output);
    unlink(said);
    rmdir(folder);
    return ok;
}

/* The bitcode, which has to be given back, or NULL; *log gets what the translator says. What was
 * translated before is in POCL_CACHE_DIR, beside what pocl keeps there. */
static unsigned char *translator_run(const void *spirv, size_t size, size_t *bitcode_size,
                                     char **log)
{
    const char *folder = getenv("POCL_CACHE_DIR");
    char bitcode[PATH_SIZE];
    if (!folder || !*folder)
        folder = "/tmp";
    mkdir(folder, 0777);
    snprintf(bitcode, sizeof(bitcode), "%.400s/%016" PRIx64 "-%zu.translated", folder,
             hash(spirv, size), size);
    if (access(bitcode, R_OK) != 0 && !translate(spirv, size, bitcode, log))
        return NULL;
    return read_file(bitcode, bitcode_size);
}

enum { MAX_ARGUMENTS = 32 };

/* Of the library, which is found when it is needed. */
#define OPENCL_FUNCTIONS(X)                                                                        \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clCreateCommandQueueWithProperties)                                                          \
    X(clCreateProgramWithBinary)                                                                   \
    X(clCreateProgramWithIL)                                                                       \
    X(clBuildProgram)                                                                              \
    X(clGetProgramBuildInfo)                                                                       \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clCreateBuffer)                                                                              \
    X(clReleaseMemObject)                                                                          \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clFinish)

static struct {
#define X(name) __typeof__(name) *name;
    OPENCL_FUNCTIONS(X)
#undef X
} cl;

static struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    bool reads_spirv;
} pocl;

struct OpenclProgram {
    OpenclProgram *next;
    unsigned char *code;
    size_t size;
    cl_program program;
};

static OpenclProgram *programs;

/* -- start -- */

/* Other implementations may be installed, too; and results of the compiler are kept. */
static void set_environment(void)
{
    static const char vendor[] = "/etc/OpenCL/vendors/pocl.icd";
    if (!getenv("OCL_ICD_VENDORS") && access(vendor, R_OK) == 0)
        setenv("OCL_ICD_VENDORS", vendor, 0);
#ifdef BUILD_CACHE_DIR
    setenv("POCL_CACHE_DIR", BUILD_CACHE_DIR, 0);
#endif
}

static bool load(char *reason, size_t reason_size)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(reason, reason_size, "no OpenCL: %s", dlerror());
        return false;
    }
#define X(name)                                                                                    \
    *(void **)&cl.name = dlsym(library, #name);                                                    \
    if (!cl.name) {                                                                                \
        snprintf(reason, reason_size, "libOpenCL.so.1 has no %s", #name);                          \
        return false;                                                                              \
    }
    OPENCL_FUNCTIONS(X)
#undef X
    return true;
}

static bool find_device(char *reason, size_t reason_size)
{
    cl_platform_id platforms[16];
    cl_uint n = 0;
    char text[256];
    if (cl.clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS)
        n = 0;
    for (cl_uint i = 0; i < n && i < 16; i++) {
        if (cl.clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(text), text, NULL) ==
                CL_SUCCESS &&
            strcmp(text, "Portable Computing Language") == 0 &&
            cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &pocl.device, NULL) ==
                CL_SUCCESS)
            return true;
    }
    snprintf(reason, reason_size, "no pocl among %u implementations of OpenCL", n);
    return false;
}

static bool create_queue(char *reason, size_t reason_size)
{
    cl_int error;
    char il[256] = "";
    cl.clGetDeviceInfo(pocl.device, CL_DEVICE_IL_VERSION, sizeof(il), il, NULL);
    pocl.reads_spirv = strstr(il, "SPIR-V") != NULL;
    if (access(translator, X_OK) != 0 && !pocl.reads_spirv) {
        snprintf(reason, reason_size, "no llvm-spirv, and this pocl does not read SPIR-V");
        return false;
    }
    pocl.context = cl.clCreateContext(NULL, 1, &pocl.device, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        pocl.queue = cl.clCreateCommandQueueWithProperties(pocl.context, pocl.device, NULL, &error);
    if (error != CL_SUCCESS)
        snprintf(reason, reason_size, "pocl has no queue: error %d", (int)error);
    return error == CL_SUCCESS;
}

bool opencl_start(char *reason, size_t reason_size)
{
    if (pocl.queue)
        return true;
    set_environment();
    return load(reason, reason_size) && find_device(reason, reason_size) &&
           create_queue(reason, reason_size);
}

/* -- programs -- */

static cl_program create_program(const void *spirv, size_t size, char **log)
{
    cl_int error = CL_INVALID_VALUE, status;
    cl_program program = NULL;
    size_t bitcode_size = 0;
    *log = NULL;
    if (pocl.reads_spirv)
        return cl.clCreateProgramWithIL(pocl.context, spirv, size, &error);
    unsigned char *bitcode = translator_run(spirv, size, &bitcode_size, log);
    const unsigned char *binary = bitcode;
    if (bitcode)
        program = cl.clCreateProgramWithBinary(pocl.context, 1, &pocl.device, &bitcode_size,
                                               &binary, &status, &error);
    free(bitcode);
    return program;
}

static bool build(cl_program program, char **log)
{
    size_t size = 0;
    const char *options = pocl.reads_spirv ? "" : "-x spir -spir-std=1.2";
    if (cl.clBuildProgram(program, 1, &pocl.device, options, NULL, NULL) == CL_SUCCESS)
        return true;
    cl.clGetProgramBuildInfo(program, pocl.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    free(*log);
    *log = calloc(1, size + 1);
    cl.clGetProgramBuildInfo(program, pocl.device, CL_PROGRAM_BUILD_LOG, size, *log, NULL);
    return false;
}

OpenclProgram *opencl_build(const void *spirv, size_t size, char **log)
{
    for (OpenclProgram *found = programs; found; found = found->next) {
        if (found->size == size && memcmp(found->code, spirv, size) == 0)
            return found;
    }
    cl_program program = create_program(spirv, size, log);
    if (!program || !build(program, log)) {
        if (program)
            cl.clReleaseProgram(program);
        return NULL;
    }
    free(*log);
    *log = NULL;
    OpenclProgram *added = malloc(sizeof(*added));
    *added =
        (OpenclProgram){.next = programs, .code = malloc(size), .size = size, .program = program};
    memcpy(added->code, spirv, size);
    programs = added;
    return added;
}

/* -- kernels -- */

OpenclKernel *opencl_create_kernel(OpenclProgram *program, const char *name)
{
    cl_int error;
    return cl.clCreateKernel(program->program, name, &error);
}

void opencl_destroy_kernel(OpenclKernel *kernel)
{
    cl.clReleaseKernel(kernel);
}

/* Memory that is there already. */
static cl_mem wrap(const OpenclArgument *argument)
{
    cl_int error;
    void *memory;
    memcpy(&memory, argument->value, sizeof(memory));
    return memory ? cl.clCreateBuffer(pocl.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                      argument->memory_size, memory, &error)
                  : NULL;
}

bool opencl_run(OpenclKernel *kernel, const OpenclArgument *arguments, uint32_t n_arguments,
                const uint32_t group_size[3], const uint32_t group_count[3], char error[128])
{
    cl_mem buffers[MAX_ARGUMENTS] = {NULL};
    size_t global[3], local[3];
    cl_int result = CL_SUCCESS;
    for (uint32_t i = 0; i < n_arguments && result == CL_SUCCESS; i++) {
        if (arguments[i].is_memory)
            buffers[i] = wrap(&arguments[i]);
        result = cl.clSetKernelArg(
            kernel, i, arguments[i].is_memory ? sizeof(buffers[i]) : arguments[i].size,
            arguments[i].is_memory ? (const void *)&buffers[i] : arguments[i].value);
    }
    for (int i = 0; i < 3; i++) {
        local[i] = group_size[i];
        global[i] = (size_t)group_size[i] * group_count[i];
    }
    if (result == CL_SUCCESS)
        result =
            cl.clEnqueueNDRangeKernel(pocl.queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
    if (result == CL_SUCCESS)
        result = cl.clFinish(pocl.queue);
    for (uint32_t i = 0; i < n_arguments; i++) {
        if (buffers[i])
            cl.clReleaseMemObject(buffers[i]);
    }
    if (result != CL_SUCCESS)
        snprintf(error, 128, "pocl does not run it: error %d", (int)result);
    return result == CL_SUCCESS;
}
