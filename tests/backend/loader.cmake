# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tests of how plugins are found, probed and loaded, and the hostile plugins that they
# use: hostile/hostile.c, each made wrong in one way.

set(VMAF_HOSTILE_DIR "${CMAKE_CURRENT_BINARY_DIR}/hostile")

# A library that is there when a plugin is linked and nowhere when it is loaded.
add_library(hostile_vendor SHARED hostile/vendor.c)
set_target_properties(hostile_vendor PROPERTIES OUTPUT_NAME vmaf-test-vendor
  C_VISIBILITY_PRESET default LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/vendor")

add_library(hostile_misbehaviour OBJECT hostile/misbehaviour.c)
target_compile_definitions(hostile_misbehaviour PRIVATE _GNU_SOURCE)

#   vmaf_add_hostile_plugin(name [definition ...])
set(VMAF_HOSTILE_PLUGINS "")
function(vmaf_add_hostile_plugin name)
  set(target hostile_${name})
  add_library(${target} MODULE hostile/hostile.c $<TARGET_OBJECTS:hostile_misbehaviour>)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME vmaf-backend-${name} PREFIX lib SUFFIX .so
    LIBRARY_OUTPUT_DIRECTORY "${VMAF_HOSTILE_DIR}" BUILD_WITH_INSTALL_RPATH ON)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_compile_definitions(${target} PRIVATE FILE_NAME="${name}" ${ARGN})
  list(APPEND VMAF_HOSTILE_PLUGINS ${target})
  set(VMAF_HOSTILE_PLUGINS ${VMAF_HOSTILE_PLUGINS} PARENT_SCOPE)
endfunction()

vmaf_add_hostile_plugin(good)

# Not a plugin, or not one for this host.
vmaf_add_hostile_plugin(nosymbol ENTRY=some_other_function)
vmaf_add_hostile_plugin(returnsnull RETURN_NULL)
vmaf_add_hostile_plugin(newermajor ABI_MAJOR=2)
vmaf_add_hostile_plugin(oldermajor ABI_MAJOR=0)
vmaf_add_hostile_plugin(newerminor ABI_MINOR=7 "CLAIMED_SIZE=(sizeof(VmafBackend)+64)")
vmaf_add_hostile_plugin(olderminor JUNK_BEHIND_REQUIRED ABI_MINOR=0
  "CLAIMED_SIZE=offsetof(VmafBackend,memory_register)")
vmaf_add_hostile_plugin(undefined UNDEFINED_SYMBOL)
target_link_options(hostile_undefined PRIVATE LINKER:-z,lazy)
vmaf_add_hostile_plugin(novendor VENDOR_LIBRARY)
target_link_libraries(hostile_novendor PRIVATE hostile_vendor)

# Wrong descriptors.
vmaf_add_hostile_plugin(sizezero CLAIMED_SIZE=0)
vmaf_add_hostile_plugin(sizesmall CLAIMED_SIZE=100)
vmaf_add_hostile_plugin(sizehuge CLAIMED_SIZE=0xffffffffu)
vmaf_add_hostile_plugin(sizelie JUNK_BEHIND_REQUIRED)
vmaf_add_hostile_plugin(illegalname CLAIMED_NAME="Bad-Name")
vmaf_add_hostile_plugin(othername CLAIMED_NAME="cuda")
vmaf_add_hostile_plugin(noname CLAIMED_NAME=NULL)
vmaf_add_hostile_plugin(nofunction SUBMIT=NULL)
vmaf_add_hostile_plugin(badclass BACKEND_CLASS=9)
vmaf_add_hostile_plugin(badtext DESCRIPTION="caf\\303\\251\\377\\033[31m\\nred")
vmaf_add_hostile_plugin(notext DESCRIPTION=NULL)
vmaf_add_hostile_plugin(samefeature N_FEATURES=2)
vmaf_add_hostile_plugin(sameoption N_OPTIONS=2)
vmaf_add_hostile_plugin(manyfeatures N_FEATURES=1000000)
vmaf_add_hostile_plugin(badfeature FEATURE_NAME="No Good")
vmaf_add_hostile_plugin(baddepth DEPTH_MIN=4)
vmaf_add_hostile_plugin(norecord RECORD_NAME=NULL)
vmaf_add_hostile_plugin(newrecord RECORD_VERSION=99)
vmaf_add_hostile_plugin(overrun FEATURE_OVERRUN=1)
vmaf_add_hostile_plugin(overrunoption OPTION_OVERRUN=1)
vmaf_add_hostile_plugin(overrunprobe PROBE_OVERRUN=1)
vmaf_add_hostile_plugin(overrundevice DEVICE_OVERRUN=1)
vmaf_add_hostile_plugin(overrunopen OPEN_OVERRUN=1)
vmaf_add_hostile_plugin(noplanes PLANES=0)
vmaf_add_hostile_plugin(threebefore REF_BEFORE=3)
vmaf_add_hostile_plugin(somebuffers BUFFERS_WITHOUT_INFO)
vmaf_add_hostile_plugin(unregister UNREGISTER_ALONE)
vmaf_add_hostile_plugin(marksalone MARK_ALONE)

# Misbehaviour wherever a plugin gets to run.
foreach(place CONSTRUCTOR ENTRY PROBE OPEN DESTRUCTOR ATEXIT)
  string(SUBSTRING "${place}" 0 4 short)
  string(TOLOWER "${short}" short)
  foreach(what crash abort exit loop allocate)
    string(TOUPPER "${what}" misbehaviour)
    vmaf_add_hostile_plugin(${what}${short} IN_${place}=${misbehaviour})
  endforeach()
endforeach()
vmaf_add_hostile_plugin(spinprob IN_PROBE=SPIN)
vmaf_add_hostile_plugin(corrupt IN_PROBE=FREE_TWICE)
vmaf_add_hostile_plugin(quitprob IN_PROBE=QUIT)
vmaf_add_hostile_plugin(quitdest IN_DESTRUCTOR=QUIT)
vmaf_add_hostile_plugin(printdest IN_DESTRUCTOR=PRINT)
vmaf_add_hostile_plugin(printatex IN_ATEXIT=PRINT)
vmaf_add_hostile_plugin(printcons IN_CONSTRUCTOR=PRINT)
vmaf_add_hostile_plugin(printprob IN_PROBE=PRINT)
vmaf_add_hostile_plugin(localecons IN_CONSTRUCTOR=SET_LOCALE)
vmaf_add_hostile_plugin(localeprob IN_PROBE=SET_LOCALE)
vmaf_add_hostile_plugin(handlercons IN_CONSTRUCTOR=SET_HANDLER)
vmaf_add_hostile_plugin(handlerprob IN_PROBE=SET_HANDLER)
vmaf_add_hostile_plugin(signals IN_PROBE=WANT_SIGNALS)
vmaf_add_hostile_plugin(umaskcons IN_CONSTRUCTOR=SET_UMASK)
vmaf_add_hostile_plugin(umaskprob IN_PROBE=SET_UMASK)
vmaf_add_hostile_plugin(limitcons IN_CONSTRUCTOR=SET_LIMIT)
vmaf_add_hostile_plugin(limitprob IN_PROBE=SET_LIMIT)
vmaf_add_hostile_plugin(limitclos IN_CLOSE=SET_LIMIT)
vmaf_add_hostile_plugin(streamcons IN_CONSTRUCTOR=CLOSE_STREAM)
vmaf_add_hostile_plugin(streamprob IN_PROBE=CLOSE_STREAM)
vmaf_add_hostile_plugin(closecons IN_CONSTRUCTOR=CLOSE_ALL)
vmaf_add_hostile_plugin(closeopen IN_OPEN=CLOSE_ALL)
vmaf_add_hostile_plugin(flagsprob IN_PROBE=SET_FLAGS)
vmaf_add_hostile_plugin(directory IN_ENTRY=SET_DIRECTORY)
vmaf_add_hostile_plugin(flushtozero IN_CONSTRUCTOR=SET_FLUSH_TO_ZERO)
vmaf_add_hostile_plugin(denormals IN_CONSTRUCTOR=SET_DENORMALS_ARE_ZERO)
vmaf_add_hostile_plugin(traps IN_CONSTRUCTOR=SET_TRAPS)
vmaf_add_hostile_plugin(threadlocale IN_CONSTRUCTOR=SET_THREAD_LOCALE)
vmaf_add_hostile_plugin(leaveschild IN_PROBE=LEAVE_CHILD)
vmaf_add_hostile_plugin(rounding IN_ENTRY=SET_ROUNDING)
vmaf_add_hostile_plugin(fpuprob IN_PROBE=SET_FLUSH_TO_ZERO)

# Devices.
vmaf_add_hostile_plugin(nodevice N_DEVICES=0 PROBE_REASON="nothing is plugged in")
vmaf_add_hostile_plugin(manydevices N_DEVICES=10000)
vmaf_add_hostile_plugin(nodriver PROBE_RESULT=VMAF_BACKEND_NO_DRIVER N_DEVICES=0
                        PROBE_REASON="the driver is not loaded")
vmaf_add_hostile_plugin(probefails PROBE_RESULT=VMAF_BACKEND_FAILED
                        PROBE_REASON="firmware too old\\n\\033[1m")
vmaf_add_hostile_plugin(openfails OPEN_RESULT=VMAF_BACKEND_OUT_OF_MEMORY)
vmaf_add_hostile_plugin(sameid N_DEVICES=3 ID_STEP=0)
vmaf_add_hostile_plugin(sameidlater N_DEVICES=3 "ID_STEP=1%2")
vmaf_add_hostile_plugin(badid DEVICE_ID="\\033%u")
vmaf_add_hostile_plugin(noid DEVICE_ID="%.0u")
vmaf_add_hostile_plugin(software N_DEVICES=2)
vmaf_add_hostile_plugin(secondonly N_DEVICES=3 ONLY_DEVICE="test:1")
vmaf_add_hostile_plugin(hangsclose IN_CLOSE=LOOP)
vmaf_add_hostile_plugin(busy OPEN_RESULT=VMAF_BACKEND_FAILED
                        OPEN_REASON="another process uses it exclusively")
vmaf_add_hostile_plugin(oldcards N_DEVICES=1 N_UNUSABLE=2)
vmaf_add_hostile_plugin(onlyold N_DEVICES=0 N_UNUSABLE=1 PROBE_REASON="driver 8")
vmaf_add_hostile_plugin(manyold N_DEVICES=0 N_UNUSABLE=0xffffffffu)

foreach(test test_names test_limited_call test_foreign_text)
  vmaf_add_test(${test} SOURCES ${test}.c LABELS "backend;threads")
endforeach()
target_link_options(test_limited_call PRIVATE -Wl,--wrap=vmaf_steady_ms) # the test has its own clock
set(memory_test "")
if(VMAF_HAVE_GLIBC AND NOT VMAF_SANITIZE) # see tests/api/CMakeLists.txt
  set(memory_test test_loading_memory)
endif()
foreach(test ${memory_test} test_hostile_loading test_inprocess test_registry test_probe_cache test_device
             test_startup_cost)
  vmaf_add_test(${test} SOURCES ${test}.c loader_harness.c LIBRARIES patient_clock LABELS backend)
  target_compile_definitions(${test} PRIVATE
    HOSTILE_DIR="${VMAF_HOSTILE_DIR}" HELPER="$<TARGET_FILE:vmaf_backend_probe>"
    VENDOR_LIBRARY="$<TARGET_FILE:hostile_vendor>" INSTALLED_HELPER="${VMAF_HELPER_INSTALLED}")
  add_dependencies(${test} vmaf_backend_probe ${VMAF_HOSTILE_PLUGINS})
endforeach()
if(memory_test)
  target_sources(${memory_test} PRIVATE "${PROJECT_SOURCE_DIR}/tests/api/failing_malloc.c")
endif()
set_property(TEST test_registry test_device APPEND PROPERTY LABELS threads)
set_tests_properties(test_hostile_loading PROPERTIES COST 1000) # it waits for time limits; others run meanwhile

if(NOT VMAF_SANITIZE)
  vmaf_add_command_test(helper-symbols COMMAND helper_symbols.sh "$<TARGET_FILE:vmaf_backend_probe>"
    LABELS backend)
endif()

if(TARGET vmaf_cli)
  vmaf_add_command_test(backend-messages-program COMMAND messages.sh "$<TARGET_FILE:vmaf_cli>"
      "${VMAF_HOSTILE_DIR}"
    LABELS backend)
endif()

# Sanitizers keep the paths of sources in what they build.
if(TARGET vmaf_cli AND VMAF_HELPER_FROM_LIBRARIES AND NOT VMAF_SANITIZE)
  vmaf_add_command_test(install-relocated COMMAND relocated.sh "${PROJECT_BINARY_DIR}"
      "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_LIBDIR}" "${CMAKE_INSTALL_BINDIR}"
      "$<TARGET_FILE:hostile_good>" good
    LABELS backend install)
endif()
