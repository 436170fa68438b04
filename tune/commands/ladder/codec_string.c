/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/ladder/codec_string.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ITU-T H.264, profile_idc, and the byte of constraint flags behind it. */
typedef struct AvcProfile {
    const char *name;
    unsigned profile, constraints;
} AvcProfile;

static const AvcProfile avc_profiles[] = {
    {"Constrained Baseline", 0x42, 0xe0},
    {"Baseline", 0x42, 0x00},
    {"Main", 0x4d, 0x00},
    {"Extended", 0x58, 0x00},
    {"High", 0x64, 0x00},
    {"High 10", 0x6e, 0x00},
    {"High 10 Intra", 0x6e, 0x10},
    {"High 4:2:2", 0x7a, 0x00},
    {"High 4:2:2 Intra", 0x7a, 0x10},
    {"High 4:4:4 Predictive", 0xf4, 0x00},
    {"High 4:4:4 Intra", 0xf4, 0x10},
};

static bool print_avc(const StreamFacts *facts, char text[CODEC_STRING_SIZE])
{
    for (size_t i = 0; i < COUNT(avc_profiles) && facts->level > 0; i++) {
        const AvcProfile *profile = &avc_profiles[i];
        if (strcmp(facts->profile, profile->name))
            continue;
        snprintf(text, CODEC_STRING_SIZE, "avc1.%02X%02X%02X", profile->profile,
                 profile->constraints, (unsigned)facts->level & 0xff);
        return true;
    }
    return false;
}

/* ISO/IEC 14496-15, E.3: the profile and which profiles it is compatible with. */
static bool print_hevc(const StreamFacts *facts, char text[CODEC_STRING_SIZE])
{
    static const char *const profiles[][2] = {
        {"Main", "1.6"}, {"Main 10", "2.4"}, {"Main Still Picture", "3.E"}, {"Rext", "4.10"}};
    for (size_t i = 0; i < COUNT(profiles) && facts->level > 0; i++) {
        if (strcmp(facts->profile, profiles[i][0]))
            continue;
        snprintf(text, CODEC_STRING_SIZE, "hvc1.%s.L%d.B0", profiles[i][1], facts->level);
        return true;
    }
    return false;
}

/* What pictures and frames a level has room for. */
typedef struct Level {
    int number;
    double pixels, pixels_a_second;
} Level;

/* AV1 bitstream and decoding process specification, A.3: seq_level_idx. */
static const Level av1_levels[] = {
    {0, 147456, 4423680},       {1, 278784, 8363520},       {4, 665856, 19975680},
    {5, 1065024, 31950720},     {8, 2359296, 70778880},     {9, 2359296, 141557760},
    {12, 8912896, 267386880},   {13, 8912896, 534773760},   {14, 8912896, 1069547520},
    {16, 35651584, 1069547520}, {17, 35651584, 2139095040}, {18, 35651584, 4278190080.0},
};

/* VP9 levels, ten times. */
static const Level vp9_levels[] = {
    {10, 36864, 829440},          {11, 73728, 2764800},         {20, 122880, 4608000},
    {21, 245760, 9216000},        {30, 552960, 20736000},       {31, 983040, 36864000},
    {40, 2228224, 83558400},      {41, 2228224, 160432128},     {50, 8912896, 311951360},
    {51, 8912896, 588251136},     {52, 8912896, 1176502272},    {60, 35651584, 1176502272},
    {61, 35651584, 2353004544.0}, {62, 35651584, 4706009088.0},
};

/* The first one that has room, else the last. */
static int level_for(const Level *levels, size_t n, const StreamFacts *facts, FrameRate rate)
{
    const double pixels = (double)facts->width * facts->height;
    const double a_second = pixels * rate.numerator / rate.denominator;
    for (size_t i = 0; i < n; i++)
        if (pixels <= levels[i].pixels && a_second <= levels[i].pixels_a_second)
            return levels[i].number;
    return levels[n - 1].number;
}

static bool print_av1(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE])
{
    static const char *const profiles[] = {"Main", "High", "Professional"};
    const int level =
        facts->level >= 0 ? facts->level : level_for(av1_levels, COUNT(av1_levels), facts, rate);
    for (unsigned i = 0; i < COUNT(profiles); i++) {
        if (strcmp(facts->profile, profiles[i]))
            continue;
        snprintf(text, CODEC_STRING_SIZE, "av01.%u.%02dM.%02u", i, level, facts->bit_depth);
        return true;
    }
    return false;
}

static bool print_vp9(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE])
{
    unsigned profile;
    if (sscanf(facts->profile, "Profile %u", &profile) != 1)
        return false;
    const int level =
        facts->level > 0 ? facts->level : level_for(vp9_levels, COUNT(vp9_levels), facts, rate);
    snprintf(text, CODEC_STRING_SIZE, "vp09.%02u.%02d.%02u", profile & 0xf, level,
             facts->bit_depth);
    return true;
}

bool codec_string(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE])
{
    *text = '\0';
    if (!strcmp(facts->codec, "h264"))
        return print_avc(facts, text);
    if (!strcmp(facts->codec, "hevc"))
        return print_hevc(facts, text);
    if (!strcmp(facts->codec, "av1"))
        return print_av1(facts, rate, text);
    if (!strcmp(facts->codec, "vp9"))
        return print_vp9(facts, rate, text);
    if (strcmp(facts->codec, "vvc") || facts->level <= 0)
        return false;
    snprintf(text, CODEC_STRING_SIZE, "vvc1.1.L%d", facts->level);
    return true;
}
