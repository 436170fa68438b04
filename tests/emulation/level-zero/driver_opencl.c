/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#define CL_TARGET_OPENCL_VERSION 300
#include "driver_opencl.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    if (!translator_start() && !pocl.reads_spirv) {
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
