# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes a C file of files, which the header declares:
#   cmake -DSOURCE=folder -DOUTPUT=file -DHEADER=header -DASSETS=name:file,... -P assets.cmake
set(text "#include \"${HEADER}\"\n")
string(REPLACE "," ";" ASSETS "${ASSETS}")
foreach(asset IN LISTS ASSETS)
  string(REPLACE ":" ";" asset "${asset}")
  list(GET asset 0 name)
  list(GET asset 1 file)
  file(READ "${SOURCE}/${file}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(.....................................................................................)"
         "\\1\n" bytes "${bytes}")
  string(APPEND text "const char ${name}[] = {\n${bytes}0};\n"
         "const size_t ${name}_size = sizeof(${name}) - 1;\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
