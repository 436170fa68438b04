# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs the recipe for Conan: what Conan brings is noted instead of done.

conan_recipe.py <conanfile.py> <version> <backend>...
"""
import importlib.util
import sys
import types
from unittest import mock

path, version, *backends = sys.argv[1:]
sys.dont_write_bytecode = True


class ConanFile:
    pass


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made


toolchain = mock.Mock(cache_variables={})
module("conan", ConanFile=ConanFile)
module("conan.errors", ConanInvalidConfiguration=type("ConanInvalidConfiguration", (Exception,), {}))
module("conan.tools")
module("conan.tools.cmake", CMake=mock.Mock(), CMakeToolchain=lambda recipe: toolchain, cmake_layout=mock.Mock())
module("conan.tools.files", copy=mock.Mock(), get=mock.Mock())
module("conan.tools.gnu", PkgConfigDeps=mock.Mock())

specification = importlib.util.spec_from_file_location("conanfile", path)
recipe = importlib.util.module_from_spec(specification)
specification.loader.exec_module(recipe)
classes = [value for value in vars(recipe).values()
           if isinstance(value, type) and issubclass(value, ConanFile) and value is not ConanFile]
assert len(classes) == 1, classes
libvmaf = classes[0]()
assert (libvmaf.name, libvmaf.version) == ("libvmaf", version), (libvmaf.name, libvmaf.version)
assert set(libvmaf.options) == {"shared", "tools", *(f"backend_{name}" for name in backends)}, libvmaf.options
assert set(libvmaf.default_options) == set(libvmaf.options)

# With everything.
libvmaf.options = mock.Mock(shared=True, tools=True, get_safe=lambda name: True,
                            **{f"backend_{name}": True for name in backends})
libvmaf.settings = mock.Mock(os="Macos")
libvmaf.requires = mock.Mock()
libvmaf.cpp_info = mock.Mock()
libvmaf.folders = libvmaf.source_folder = libvmaf.package_folder = "folder"
libtool = types.SimpleNamespace(cpp_info=types.SimpleNamespace(includedirs=["include"], libdirs=["lib"]))
libvmaf.dependencies = {"libtool": libtool}
for step in ("configure", "layout", "requirements", "validate", "source", "generate", "build", "package",
             "package_info"):
    getattr(libvmaf, step)()
assert sorted(toolchain.cache_variables["VMAF_BACKENDS"].split(";")) == sorted(backends)
assert libvmaf.cpp_info.libs == ["vmaf"]
required = [call.args[0].split("/")[0] for call in libvmaf.requires.call_args_list]
assert required == ["jansson", "libtool", "zlib"], required
said = dict(call.args for call in libvmaf.cpp_info.set_property.call_args_list)
assert said == {"cmake_file_name": "libvmaf", "cmake_target_name": "libvmaf::vmaf", "pkg_config_name": "libvmaf"}, said
copied = {call.args[1] for call in sys.modules["conan.tools.files"].copy.call_args_list}
assert copied == {"LICENSE", "NOTICE"}, copied
