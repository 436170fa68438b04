# SPDX-License-Identifier: BSD-2-Clause-Patent
# Makes a C file of the table of encoders: cmake -DINPUT=encoders.json -DOUTPUT=file -P embed.cmake
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(.....................................................................................)"
       "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "extern const char encoders_builtin_table[];\n"
     "const char encoders_builtin_table[] = {\n${bytes}0};\n")
