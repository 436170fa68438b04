# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes a C file of the style sheet and the script: cmake -DSOURCE=folder -DOUTPUT=file -P assets.cmake
set(text "#include \"html/assets.h\"\n")
foreach(asset IN ITEMS style_sheet:page.css script:page.js)
  string(REPLACE ":" ";" asset "${asset}")
  list(GET asset 0 name)
  list(GET asset 1 file)
  file(READ "${SOURCE}/${file}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(.....................................................................................)"
         "\\1\n" bytes "${bytes}")
  string(APPEND text "const char html_${name}[] = {\n${bytes}0};\n"
         "const size_t html_${name}_size = sizeof(html_${name}) - 1;\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
