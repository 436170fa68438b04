# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sources that are compiled once for each instruction set; see src/core/support/cpu.h. src/metrics/CMakeLists.txt says
# which these are.

set(VMAF_ISA_LIBRARIES "") # all of the core library but vmaf_objects
set(VMAF_X86_LIBRARIES "")
set(VMAF_VNNI_LIBRARIES "")
set(VMAF_VECTOR_LIBRARIES "")
set(VMAF_NEON OFF)

function(vmaf_add_isa_library isa)
  add_library(vmaf_objects_${isa} OBJECT)
  target_compile_definitions(vmaf_objects_${isa} PRIVATE VMAF_ISA=${isa})
  target_include_directories(vmaf_objects_${isa} PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src/core" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(vmaf_objects_${isa} PRIVATE vmaf_settings)
  set_target_properties(vmaf_objects_${isa} PROPERTIES VMAF_ISA ${isa})
  set(VMAF_ISA_LIBRARIES ${VMAF_ISA_LIBRARIES} vmaf_objects_${isa} PARENT_SCOPE)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND NOT VMAF_X86_32)
  set(VMAF_ISA_OPTIONS_avx2 -mavx2)
  set(VMAF_ISA_OPTIONS_avx512
      -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mprefer-vector-width=512)
  foreach(isa avx2 avx512)
    vmaf_add_isa_library(${isa})
    target_compile_options(vmaf_objects_${isa} PRIVATE ${VMAF_ISA_OPTIONS_${isa}})
    target_compile_definitions(vmaf_objects_${isa} PRIVATE VMAF_ISA_VARIANTS)
  endforeach()
  target_compile_definitions(vmaf_objects PRIVATE VMAF_ISA_VARIANTS)
  set(VMAF_X86_LIBRARIES ${VMAF_ISA_LIBRARIES})
  set(VMAF_VECTOR_LIBRARIES ${VMAF_X86_LIBRARIES})
  # With VNNI one instruction multiplies 16-bit integers and adds the products. Compilers have that
  # of AVX2 later than AVX-512.
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-mavxvnni VMAF_HAS_AVX_VNNI)
  set(VMAF_ISA_OPTIONS_avx512icl ${VMAF_ISA_OPTIONS_avx512} -mavx512vnni)
  set(VMAF_ISA_OPTIONS_avxvnni ${VMAF_ISA_OPTIONS_avx2} -mavxvnni)
  set(VMAF_VNNI_LIBRARIES vmaf_objects_avx512icl)
  vmaf_add_isa_library(avx512icl)
  target_compile_options(vmaf_objects_avx512icl PRIVATE ${VMAF_ISA_OPTIONS_avx512icl})
  if(VMAF_HAS_AVX_VNNI AND NOT VMAF_SANITIZE) # which takes long to compile it, and finds it on few processors
    list(APPEND VMAF_VNNI_LIBRARIES vmaf_objects_avxvnni)
    vmaf_add_isa_library(avxvnni)
    target_compile_options(vmaf_objects_avxvnni PRIVATE ${VMAF_ISA_OPTIONS_avxvnni})
    target_compile_definitions(vmaf_objects PRIVATE VMAF_AVX_VNNI)
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  set(VMAF_NEON ON)
  target_compile_definitions(vmaf_objects PRIVATE VMAF_NEON)
  vmaf_add_isa_library(neon)
  target_compile_definitions(vmaf_objects_neon PRIVATE VMAF_NEON VMAF_ISA_NEON)
  set(VMAF_VECTOR_LIBRARIES ${VMAF_ISA_LIBRARIES})
endif()

function(vmaf_add_isa_variants)
  foreach(target vmaf_objects ${VMAF_X86_LIBRARIES})
    target_sources(${target} PRIVATE ${ARGN})
  endforeach()
endfunction()

# NEON is part of 64-bit Arm: plain C has it anyway. So only those sources have a variant there that
# contain intrinsics of it, all of them or where VMAF_ISA_NEON is defined.
function(vmaf_add_neon_variants)
  if(VMAF_NEON)
    target_sources(vmaf_objects_neon PRIVATE ${ARGN})
  endif()
endfunction()

# Sources that are written with vectors (src/core/support/vector.h), for AVX2, AVX-512 and NEON.
function(vmaf_add_vector_sources)
  foreach(target ${VMAF_VECTOR_LIBRARIES})
    target_sources(${target} PRIVATE ${ARGN})
  endforeach()
endfunction()

# Those of them for which 64-bit Arm has something better.
function(vmaf_add_x86_vector_sources)
  foreach(target ${VMAF_X86_LIBRARIES})
    target_sources(${target} PRIVATE ${ARGN})
  endforeach()
endfunction()

# Those for x86 that are faster with VNNI.
function(vmaf_add_vnni_vector_sources)
  foreach(target ${VMAF_X86_LIBRARIES} ${VMAF_VNNI_LIBRARIES})
    target_sources(${target} PRIVATE ${ARGN})
  endforeach()
endfunction()
