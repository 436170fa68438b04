/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "special_cases.h"

#include <math.h>

/* Results are those of glibc 2.36 on x86-64 with FMA, those of sin, cos and atan2 correctly
 * rounded. */

/* What second arguments begin with. */
static const double second[] = {0,      -0.0,    INFINITY, -INFINITY, NAN, 1, -1,
                                0x1p-1, -0x1p-1, 3,        -3,        2,   -2};

static const SpecialRow power_rows[] = {
    {0, {1, 1, 0, INFINITY, NAN, 0, INFINITY, 0, INFINITY, 0, INFINITY, 0, INFINITY}},
    {-0.0, {1, 1, 0, INFINITY, NAN, -0.0, -INFINITY, 0, INFINITY, -0.0, -INFINITY, 0, INFINITY}},
    {INFINITY, {1, 1, INFINITY, 0, NAN, INFINITY, 0, INFINITY, 0, INFINITY, 0, INFINITY, 0}},
    {-INFINITY,
     {1, 1, INFINITY, 0, NAN, -INFINITY, -0.0, INFINITY, 0, -INFINITY, -0.0, INFINITY, 0}},
    {NAN, {1, 1, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}},
    {-1, {1, 1, 1, 1, NAN, -1, -1, NAN, NAN, -1, -1, 1, 1}},
};

static const SpecialRow few_powers_rows[] = {
    {1, {1, 1, 1, 1, 1}},
    {0x1p-1, {1, 1, 0, INFINITY, NAN}},
    {-0x1p-1, {1, 1, 0, INFINITY, NAN}},
    {2, {1, 1, INFINITY, 0, NAN}},
    {-2, {1, 1, INFINITY, 0, NAN}},
};

static const SpecialRow atan2_rows[] = {
    {0, {0, 0x1.921fb54442d18p1, 0, 0x1.921fb54442d18p1, NAN, 0, 0x1.921fb54442d18p1}},
    {-0.0,
     {-0.0, -0x1.921fb54442d18p1, -0.0, -0x1.921fb54442d18p1, NAN, -0.0, -0x1.921fb54442d18p1}},
    {INFINITY,
     {0x1.921fb54442d18p0, 0x1.921fb54442d18p0, 0x1.921fb54442d18p-1, 0x1.2d97c7f3321d2p1, NAN,
      0x1.921fb54442d18p0, 0x1.921fb54442d18p0}},
    {-INFINITY,
     {-0x1.921fb54442d18p0, -0x1.921fb54442d18p0, -0x1.921fb54442d18p-1, -0x1.2d97c7f3321d2p1, NAN,
      -0x1.921fb54442d18p0, -0x1.921fb54442d18p0}},
    {NAN, {NAN, NAN, NAN, NAN, NAN, NAN, NAN}},
    {1,
     {0x1.921fb54442d18p0, 0x1.921fb54442d18p0, 0, 0x1.921fb54442d18p1, NAN, 0x1.921fb54442d18p-1,
      0x1.2d97c7f3321d2p1}},
    {-1,
     {-0x1.921fb54442d18p0, -0x1.921fb54442d18p0, -0.0, -0x1.921fb54442d18p1, NAN,
      -0x1.921fb54442d18p-1, -0x1.2d97c7f3321d2p1}},
};

static const SpecialRow logs_rows[] = {
    {0, {-INFINITY, -INFINITY, -INFINITY}},
    {-0.0, {-INFINITY, -INFINITY, -INFINITY}},
    {-1, {NAN, NAN, NAN}},
    {-INFINITY, {NAN, NAN, NAN}},
    {-0x0.0000000000001p-1022, {NAN, NAN, NAN}},
    {INFINITY, {INFINITY, INFINITY, INFINITY}},
    {NAN, {NAN, NAN, NAN}},
    {0x1.fffffffffffffp-1, {-0x1p-53, -0x1.71547652b82fep-53, -0x1.bcb7b1526e50ep-55}},
    {1, {0, 0, 0}},
    {0x1.0000000000001p0, {0x1.fffffffffffffp-53, 0x1.71547652b82fdp-52, 0x1.bcb7b1526e50dp-54}},
    {0x0.0000000000001p-1022, {-0x1.74385446d71c3p9, -1074, -0x1.434e6420f4374p8}},
    {0x0.fffffffffffffp-1022, {-0x1.6232bdd7abcd2p9, -1022, -0x1.33a7146f72a42p8}},
    {0x1p-1022, {-0x1.6232bdd7abcd2p9, -1022, -0x1.33a7146f72a42p8}},
    {0x1.fffffffffffffp1023, {0x1.62e42fefa39efp9, 1024, 0x1.34413509f79ffp8}},
    {0x1.6p-1, {-0x1.7fafa3bd8151cp-2, -0x1.14c560fe68af9p-1, -0x1.4d43f8275a483p-3}},
    {0x1.5ffffffffffffp-1, {-0x1.7fafa3bd8151fp-2, -0x1.14c560fe68afbp-1, -0x1.4d43f8275a486p-3}},
    {0x1.6p0, {0x1.4618bc21c5ec2p-2, 0x1.d6753e032ea0fp-2, 0x1.1b3e71ec94f7ap-3}},
    {0x1.5ffffffffffffp0, {0x1.4618bc21c5ecp-2, 0x1.d6753e032ea0bp-2, 0x1.1b3e71ec94f78p-3}},
    {2, {0x1.62e42fefa39efp-1, 1, 0x1.34413509f79ffp-2}},
    {0x1p-1, {-0x1.62e42fefa39efp-1, -1, -0x1.34413509f79ffp-2}},
};

static const SpecialRow sin_cos_rows[] = {
    {0, {0, 1}},
    {-0.0, {-0.0, 1}},
    {0x0.0000000000001p-1022, {0x0.0000000000001p-1022, 1}},
    {0x1p-27, {0x1p-27, 1}},
    {0x1.fffffffffffffp-28, {0x1.fffffffffffffp-28, 1}},
    {0x1.921fb54442d18p-6, {0x1.92155f7a3667ep-6, 0x1.ffd886084cd0dp-1}},
    {0x1.921fb54442d18p-5, {0x1.91f65f10dd814p-5, 0x1.ff621e3796d7ep-1}},
    {0x1.921fb54442d18p0, {1, 0x1.1a62633145c07p-54}},
    {0x1.921fb54442d18p1, {0x1.1a62633145c07p-53, -1}},
    {-0x1.921fb54442d18p1, {-0x1.1a62633145c07p-53, -1}},
    {0x1.921fb54442d18p2, {-0x1.1a62633145c07p-52, 1}},
    {1, {0x1.aed548f090ceep-1, 0x1.14a280fb5068cp-1}},
    {-1, {-0x1.aed548f090ceep-1, 0x1.14a280fb5068cp-1}},
    {3, {0x1.210386db6d55bp-3, -0x1.fae04be85e5d2p-1}},
    {355, {-0x1.f9bd0307d1de3p-16, -0x1.fffffffc18e4cp-1}},
    {10, {-0x1.1689ef5f34f52p-1, -0x1.ad9ac890c6b1fp-1}},
    {-26, {-0x1.866e0fac32583p-1, 0x1.4b3902691a9edp-1}},
    {32768, {0x1.db0ffc3ecc6e4p-1, 0x1.7de36a119d74bp-2}},
    {-32768, {-0x1.db0ffc3ecc6e4p-1, 0x1.7de36a119d74bp-2}},
    {0x1.0000000000001p15, {NAN, NAN}},
    {0x1.fffffffffffffp1023, {NAN, NAN}},
    {INFINITY, {NAN, NAN}},
    {-INFINITY, {NAN, NAN}},
    {NAN, {NAN, NAN}},
};

static const SpecialCase exp_cases[] = {
    {0, 0, 1},
    {-0.0, 0, 1},
    {0x0.0000000000001p-1022, 0, 1},
    {0x1p-54, 0, 1},
    {-0x1p-54, 0, 1},
    {0x1p-53, 0, 1},
    {-0x1p-53, 0, 0x1.fffffffffffffp-1},
    {1, 0, 0x1.5bf0a8b145769p1},
    {-1, 0, 0x1.78b56362cef38p-2},
    {0x1p-1, 0, 0x1.a61298e1e069cp0},
    {0x1.62e42fefa39efp-1, 0, 2},
    {512, 0, 0x1.9476504ba852ep738},
    {-512, 0, 0x1.44109edb20931p-739},
    {0x1.62e42fefa39eep9, 0, 0x1.ffffffffffb2ap1023},
    {0x1.62e42fefa39efp9, 0, 0x1.fffffffffff2ap1023},
    {0x1.62e42fefa39fp9, 0, INFINITY},
    {-0x1.6232bdd7abcd3p9, 0, 0x0.ffffffffffe7cp-1022},
    {-0x1.6232bdd7abcd2p9, 0, 0x1.000000000007cp-1022},
    {-0x1.6232bdd7abcd1p9, 0, 0x1.000000000027cp-1022},
    {-0x1.74910d52d3052p9, 0, 0},
    {-0x1.74910d52d3051p9, 0, 0x0.0000000000001p-1022},
    {-0x1.74910d52d305p9, 0, 0x0.0000000000001p-1022},
    {-746, 0, 0},
    {1000, 0, INFINITY},
    {-1000, 0, 0},
    {1024, 0, INFINITY},
    {-1024, 0, 0},
    {0x1.fffffffffffffp1023, 0, INFINITY},
    {-0x1.fffffffffffffp1023, 0, 0},
    {INFINITY, 0, INFINITY},
    {-INFINITY, 0, 0},
    {NAN, 0, NAN},
    /* Each shows that one operation, of those that are, is fused. */
    {-0x1.cadec2d774bap-3, 0, 0x1.9939c9f078badp-1},
    {0x1.0049e20e2804ep-1, 0, 0x1.a64f8547bfd08p0},
    {-0x1.09dcf35054e04p5, 0, 0x1.09f674e12d7dfp-48},
    {0x1.848e1c62643p-4, 0, 0x1.19794dfba2541p0},
};

static const SpecialCase log_cases[] = {
    {0x1.dffffffffffffp-1, 0, -0x1.08598b59e3a0fp-4},
    {0x1.ep-1, 0, -0x1.08598b59e3a07p-4},
    {0x1.e000000000001p-1, 0, -0x1.08598b59e39fep-4},
    {0x1.108ffffffffffp0, 0, 0x1.00c7c14184eb6p-4},
    {0x1.109p0, 0, 0x1.00c7c14184ec5p-4},
    {0x1.1090000000001p0, 0, 0x1.00c7c14184ed4p-4},
    {0x1.5bf0a8b145769p1, 0, 1},
    {10, 0, 0x1.26bb1bbb55516p1},
    /* Each shows that one operation, of those that are, is fused. */
    {0x1.e3e16e58a2fdp-1, 0, -0x1.cebcb33fc2141p-5},
    {0x1.0fdaef3d90a45p0, 0, 0x1.ec466cce70be3p-5},
    {0x1.06bc6da2f3eeap0, 0, 0x1.a98868815d5e9p-6},
    {0x1.e0c8c2c2e74cp-1, 0, -0x1.01a9c898d42aep-4},
    {0x1.0ec406af4b415p0, 0, 0x1.cb60ffee7da83p-5},
    {0x1.e2f469a96ecfbp-1, 0, -0x1.de6d373177f09p-5},
    {0x1.4ad7e409bec14p0, 0, 0x1.069f68edef5b8p-2},
    {0x1.ca4539816c728p-1, 0, -0x1.c61a9759cf3dcp-4},
    {0x1.9bf7bd0b80958p0, 0, 0x1.e72f9d5256b98p-2},
};

static const SpecialCase log2_cases[] = {
    {0x1.ea4aeffffffffp-1, 0, -0x1.00007a842d2c9p-4},
    {0x1.ea4afp-1, 0, -0x1.00007a842d2bdp-4},
    {0x1.ea4af00000001p-1, 0, -0x1.00007a842d2bp-4},
    {0x1.0b558ffffffffp0, 0, 0x1.0000cb1ea2bccp-4},
    {0x1.0b559p0, 0, 0x1.0000cb1ea2be2p-4},
    {0x1.0b55900000001p0, 0, 0x1.0000cb1ea2bf8p-4},
    {3, 0, 0x1.95c01a39fbd68p0},
    {1024, 0, 10},
    /* Each shows that one operation, of those that are, is fused. */
    {0x1.eaa71686b5e8p-1, 0, -0x1.f754798eb47acp-5},
    {0x1.ef1b571166f74p-1, 0, -0x1.8c86a8a949b0ap-5},
    {0x1.07c44096c5419p0, 0, 0x1.61394aca3e07cp-5},
    {0x1.faa21365f296cp-1, 0, -0x1.f227649af2defp-7},
    {0x1.f38f5552ec30dp-1, 0, -0x1.22b3d82fac713p-5},
    {0x1.0a5e85ccc1048p0, 0, 0x1.d544767e70dc9p-5},
    {0x1.0760ea0e0b489p0, 0, 0x1.4fd2fd067102cp-5},
    {0x1.a073005935b62p1, 0, 0x1.b3b60fd92d63cp0},
    {0x1.b10b255218a2cp-1, 0, -0x1.eedc9db9ea49fp-3},
    {0x1.0f07e10c4971ap0, 0, 0x1.51274f8833e27p-4},
    {0x1.0eebfff8344eap0, 0, 0x1.4ec756ace01bep-4},
    {0x1.7091faa60e5dep1, 0, 0x1.869a8cb3aafd9p0},
    {0x1.1336a1163b49ep0, 0, 0x1.aba68cf88d84ap-4},
};

static const SpecialCase log10_cases[] = {
    {10, 0, 1},
    {100, 0, 2},
    {1000, 0, 3},
    {0x1.c6bf52634p49, 0, 15},
    {0x1.0f0cf064dd592p73, 0, 22},
    {0x1.4f8b588e368f1p-17, 0, -5},
    {0x1.7e43c8800759cp996, 0, 300},
    {3, 0, 0x1.e8927964fd5fdp-2},
    {0x1.fffffffffffffp0, 0, 0x1.34413509f79fep-2},
};

static const SpecialCase pow_cases[] = {
    {2, 1023, 0x1p1023},
    {2, 1024, INFINITY},
    {-2, 1023, -0x1p1023},
    {-2, 1025, -INFINITY},
    {2, -1022, 0x1p-1022},
    {2, -1023, 0x0.8p-1022},
    {2, -1074, 0x0.0000000000001p-1022},
    {-2, -1073, -0x0.0000000000002p-1022},
    {2, -1075, 0},
    {-2, -1075, -0.0},
    {0x1.0000000000001p1, -1075, 0},
    {0x1.fffffffffffffp0, -1075, 0x0.0000000000001p-1022},
    {2, -1076, 0},
    {0x1p-1, 1074, 0x0.0000000000001p-1022},
    {-0x1p-1, 1075, -0.0},
    {0x1.0000000000001p0, 0x1p62, INFINITY},
    {0x1.0000000000001p0, 0x1p63, INFINITY},
    {0x1.fffffffffffffp-1, 0x1p63, 0},
    {1, 0x1p63, 1},
    {-1, 0x1p63, 1},
    {2, 0x1p-65, 1},
    {2, 0x1p-66, 1},
    {0x1p-1, 0x1p-66, 1},
    {1, 0x1p-66, 1},
    {2, 0x0.0000000000001p-1022, 1},
    {2, -0x0.0000000000001p-1022, 1},
    {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, INFINITY},
    {0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0},
    {0x0.0000000000001p-1022, 0x1.fffffffffffffp1023, 0},
    {-1, 0x1.fffffffffffffp52, -1},
    {-1, 0x1p53, 1},
    {-3, 0x1.0000000000001p52, -INFINITY},
    {-3, -0x1.0000000000001p52, -0.0},
    {-1, 0x1p52, 1},
    {-1, 0x1.0000000000001p51, NAN},
    {-8, 0x1.5555555555555p-2, NAN},
    {3, 2, 9},
    {10, 22, 0x1.0f0cf064dd592p73},
    {10, 23, 0x1.52d02c7e14af7p76},
    {7, -2, 0x1.4e5e0a72f0539p-6},
    {-3, 3, -27},
    {-3, 4, 81},
    {0x0.0000000000001p-1022, 0x1p-1, 0x1p-537},
    {-0x0.0000000000001p-1022, 3, -0.0},
    {-0x0.0000000000001p-1022, -1, -INFINITY},
    {0x0.fffffffffffffp-1022, 2, 0},
    {0x1p-1022, 1, 0x1p-1022},
    {0x0.0000000000001p-1022, 1, 0x0.0000000000001p-1022},
    {0x1.fffffffffffffp1023, 1, 0x1.fffffffffffffp1023},
    {0x1p-2, 0x1p-1, 0x1p-1},
    {4, -0x1p-1, 0x1p-1},
    {0x1.56e1fc2f8f359p-997, 0x1.199999999999ap0, 0},
    /* Each shows that one operation, of those that are, is fused. */
    {0x1.04f1735396ae2p0, 0x1.3b2dca30088ap4, 0x1.7520761ac6af4p0},
    {0x1.43c69bdd332dap0, -0x1.f645bb0ed29ap-2, 0x1.c8491bca65405p-1},
    {0x1.e2aa58258b1fp-1, 0x1.7455f756527cp0, 0x1.d5e562ce1ff35p-1},
    {0x1.564c0b8c06b11p1, 0x1.0ae86a1728f08p0, 0x1.64f2c6ca357bfp1},
    {0x1.16a6ffa46521ap1, -0x1.0929647ec072p2, 0x1.464c64f1d35b2p-5},
    {0x1.16cb0b5c2a21dp0, 0x1.aff6c29ffc8fcp4, 0x1.400a21ebabadfp3},
    {0x1.eeb1f75ae7203p-1, 0x1.8e6b0782efe2p-3, 0x1.fc9634a6f1a81p-1},
    {0x1.1601aa833326cp0, 0x1.b49e21249c994p4, 0x1.2fbb87f2616c6p3},
    {0x1.06079ee7c1d68p1, -0x1.d13b814b6e91ep4, 0x1.ed5098c498e6dp-31},
    {0x1.0d07585b47909p1, -0x1.9e72cf82983d6p4, 0x1.2ebb22d2a0706p-28},
};

static const SpecialCase powf_cases[] = {
    {2, 127, 0x1p127},
    {2, 128, INFINITY},
    {-2, 127, -0x1p127},
    {-2, 129, -INFINITY},
    {2, -126, 0x1p-126},
    {2, -127, 0x1p-127},
    {2, -149, 0x1p-149},
    {-2, -149, -0x1p-149},
    {2, -150, 0},
    {-2, -151, -0.0},
    {0x1.000002p1, -150, 0},
    {0x1.fffffep0, -150, 0x1p-149},
    {2, 0x1.fffffep6, 0x1.ffff4ep127},
    {0x1.fffffep0, 128, 0x1.ffffp127},
    {0x1p-1, 149, 0x1p-149},
    {0x1p-1, 150, 0},
    {0x1p-1, 151, 0},
    {-0x1p-1, 151, -0.0},
    {0x1.000002p0, 0x1.62e43p29, 0x1.ffff56p127},
    {0x1.000002p0, 0x1.dcd65p29, INFINITY},
    {0x1.fffffep-1, 0x1.2a05f2p33, 0},
    {0x1.fffffep127, 1, 0x1.fffffep127},
    {0x1.fffffep127, -1, 0x1p-128},
    {0x1.fffffep127, 2, INFINITY},
    {0x1p-149, 1, 0x1p-149},
    {-0x1p-149, 3, -0.0},
    {-0x1p-149, -1, -INFINITY},
    {0x1p-149, 0x1p-1, 0x1.6a09e6p-75},
    {0x1.fffffcp-127, 1, 0x1.fffffcp-127},
    {0x1p-126, 1, 0x1p-126},
    {-1, 0x1.fffffep23, -1},
    {-1, 0x1p24, 1},
    {-3, 0x1.000002p23, -INFINITY},
    {-3, -0x1.000002p23, -0.0},
    {-1, 0x1.000002p22, NAN},
    {-8, 0x1.555556p-2, NAN},
    {8, 0x1.555556p-2, 2},
    {27, 0x1.555556p-2, 3},
    {3, 7, 2187},
    {-3, 7, -2187},
    {-3, 4, 81},
    {7, -2, 0x1.4e5e0ap-6},
    {25, 7, 0x1.6bcc42p32},
    {0x1p-2, 0x1p-1, 0x1p-1},
    {10, 10, 0x1.2a05f2p33},
    {0x1.65e354p-1, 1, 0x1.65e354p-1},
    {2, 0x1p-149, 1},
    {2, -0x1p-149, 1},
};

static const SpecialCase sin_cases[] = {
    {-0x1p-27, 0, -0x1p-27},
    {22, 0, -0x1.220a29f6eb9f4p-7},
};

static const SpecialCase cos_cases[] = {
    {0x1.2d97c7f3321d2p2, 0, -0x1.a79394c9e8a0ap-53},
    {11, 0, 0x1.220ae41ee2fdfp-8},
    {-11, 0, 0x1.220ae41ee2fdfp-8},
};

static const SpecialCase atan2_cases[] = {
    {2, 1, 0x1.1b6e192ebbe44p0},
    {1, 2, 0x1.dac670561bb4fp-2},
    {-2, -1, -0x1.0468a8ace4df6p1},
    {0x0.0000000000001p-1022, 1, 0x0.0000000000001p-1022},
    {-0x0.0000000000001p-1022, 1, -0x0.0000000000001p-1022},
    {0x0.0000000000001p-1022, -1, 0x1.921fb54442d18p1},
    {0x0.0000000000001p-1022, 0x1.fffffffffffffp1023, 0},
    {0x0.0000000000001p-1022, -0x1.fffffffffffffp1023, 0x1.921fb54442d18p1},
    {0x1.fffffffffffffp1023, 0x0.0000000000001p-1022, 0x1.921fb54442d18p0},
    {-0x1.fffffffffffffp1023, 0x0.0000000000001p-1022, -0x1.921fb54442d18p0},
    {0x1.fffffffffffffp1023, -0x0.0000000000001p-1022, 0x1.921fb54442d18p0},
    {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, 0x1.921fb54442d18p-1},
    {0x0.0000000000001p-1022, 0x0.0000000000001p-1022, 0x1.921fb54442d18p-1},
    {-0x0.0000000000001p-1022, -0x0.0000000000001p-1022, -0x1.2d97c7f3321d2p1},
    {0x0.0000000000001p-1022, 0x0.0000000000002p-1022, 0x1.dac670561bb4fp-2},
    {0x0.0000000000002p-1022, -0x0.0000000000001p-1022, 0x1.0468a8ace4df6p1},
    {0x1p-1022, 0x1.8p-1022, 0x1.2d0ead6066395p-1},
    {1, 0x1p59, 0x1p-59},
    {1, 0x1p60, 0x1p-60},
    {1, 0x1p61, 0x1p-61},
    {1, -0x1p59, 0x1.921fb54442d18p1},
    {1, -0x1p61, 0x1.921fb54442d18p1},
    {0x1p61, 1, 0x1.921fb54442d18p0},
    {0x1p61, -1, 0x1.921fb54442d18p0},
    {0x1p53, 1, 0x1.921fb54442d18p0},
    {3, -0x1p54, 0x1.921fb54442d18p1},
    {1, 128, 0x1.fffd555bbba97p-8},
    {1, 127, 0x1.0202aa9db2ea1p-7},
    {63, 64, 0x1.8e17aa99cc05ep-1},
    {0x1.fffffffffffffp-1, 1, 0x1.921fb54442d18p-1},
    {1, 3, 0x1.4978fa3269ee1p-2},
    {-1, 3, -0x1.4978fa3269ee1p-2},
    {0x1.fffffffffffffp1023, 0x1.8p0, 0x1.921fb54442d18p0},
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define CASES(name) const SpecialCases special_cases_of_##name = {name##_cases, COUNT(name##_cases)}
#define ROWS(name, ...)                                                                            \
    const SpecialRows special_rows_of_##name = {name##_rows, COUNT(name##_rows), __VA_ARGS__}

CASES(exp);
CASES(log);
CASES(log2);
CASES(log10);
CASES(pow);
CASES(powf);
CASES(sin);
CASES(cos);
CASES(atan2);
ROWS(power, 13, second);
ROWS(few_powers, 5, second);
ROWS(atan2, 7, second);
ROWS(logs, 3, NULL);
ROWS(sin_cos, 2, NULL);
