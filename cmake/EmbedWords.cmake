# SPDX-License-Identifier: BSD-2-Clause-Patent
# Writes a file of little-endian 32-bit words as the initializers of a C array.
#   cmake -DINPUT=module.spv -DOUTPUT=module.inc -P EmbedWords.cmake

file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${hex}")
set(line "0x........,")
string(REGEX REPLACE "(${line}${line}${line}${line}${line}${line}${line}${line})" "\\1\n"
       words "${words}")
file(WRITE "${OUTPUT}" "${words}\n")
