#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause-Patent
# The plugin needs the loader of Level Zero, finds it nowhere but where the system looks, binds all of
# it when it is loaded, and of newer loaders' functions needs none.
#   linkage.sh <plugin>
set -eu
command -v readelf >/dev/null || { echo "readelf is not installed"; exit 77; }
head=$(LC_ALL=C readelf -d "$1")
fail() {
    printf '%s: %s\n%s\n' "$1" "$2" "$head" >&2
    exit 1
}
case $head in *"[libze_loader.so.1]"*) ;; *) fail "$1" "does not need the loader" ;; esac
case $head in *"[libze_intel"* | *"[libva"* | *"[libOpenCL"*) fail "$1" "needs a driver" ;; esac
case $head in *RPATH* | *RUNPATH*) fail "$1" "has a search path of its own" ;; esac
case $head in *NOW*) ;; *) fail "$1" "binds symbols at first use" ;; esac
# Those of version 1.0, which all loaders have; others are weak.
known=$(tr "\n" " " <<END
zeCommandListAppendBarrier zeCommandListAppendLaunchKernel zeCommandListAppendMemoryCopy
zeCommandListAppendMemoryCopyRegion zeCommandListAppendWriteGlobalTimestamp zeCommandListCreateImmediate
zeCommandListDestroy zeContextCreate zeContextDestroy zeDeviceGet zeDeviceGetCommandQueueGroupProperties
zeDeviceGetComputeProperties zeDeviceGetExternalMemoryProperties zeDeviceGetMemoryAccessProperties
zeDeviceGetMemoryProperties zeDeviceGetModuleProperties zeDeviceGetProperties zeDriverGet zeDriverGetApiVersion
zeDriverGetProperties zeEventCreate zeEventDestroy zeEventHostReset zeEventHostSynchronize zeEventPoolCreate
zeEventPoolDestroy zeEventQueryStatus zeInit zeKernelCreate zeKernelDestroy zeKernelSetArgumentValue
zeKernelSetGroupSize zeMemAllocDevice zeMemAllocHost zeMemFree zeMemGetAddressRange zeMemGetAllocProperties
zeModuleBuildLogDestroy zeModuleBuildLogGetString zeModuleCreate zeModuleDestroy
END
)
for name in $(LC_ALL=C readelf --dyn-syms -W "$1" | awk '$7 == "UND" && $5 == "GLOBAL" && $8 ~ /^ze/ { print $8 }'); do
    case " $known " in *" ${name%%@*} "*) ;; *) fail "$1" "needs $name" ;; esac
done
