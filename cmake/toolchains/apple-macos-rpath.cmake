# SPDX-License-Identifier: BSD-2-Clause-Patent
# CMake asks the system that it runs on for its version, and takes one that is no macOS for one so old that
# it has no @rpath.
set(CMAKE_SHARED_LIBRARY_RUNTIME_C_FLAG -Wl,-rpath,)
set(CMAKE_LINK_DEPENDENT_LIBRARY_FILES OFF)
