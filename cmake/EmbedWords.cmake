# SPDX-License-Identifier: BSD-2-Clause-Patent
# Writes a file of little-endian 32-bit words as the initializers of a C array. Zeros fill the last
# word; of a text, at least one ends it.
#   cmake -DINPUT=module.spv -DOUTPUT=module.inc [-DTEXT=ON] -P EmbedWords.cmake

file(READ "${INPUT}" hex HEX)
if(TEXT)
  string(APPEND hex "00")
endif()
string(LENGTH "${hex}" digits)
math(EXPR missing "(8 - ${digits} % 8) % 8")
string(REPEAT "0" ${missing} zeros)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${hex}${zeros}")
set(line "0x........,")
string(REGEX REPLACE "(${line}${line}${line}${line}${line}${line}${line}${line})" "\\1\n"
       words "${words}")
file(WRITE "${OUTPUT}" "${words}\n")
