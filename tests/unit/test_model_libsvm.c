/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Support-vector text: what is understood, what is rejected, and as what. */

#include <errno.h>
#include <locale.h>
#include <string.h>

#include "model/svr.h"
#include "support/cases.h"

#define TYPE   "svm_type nu_svr\nkernel_type rbf\n"
#define HEADER TYPE "gamma 0.25\nnr_class 2\ntotal_sv 2\nrho -1.5\nSV\n"

static int parse(const char *text)
{
    SvrTable *svr = NULL;
    Reason why;
    int err = libsvm_parse(&svr, text, &why);
    assert_true((svr != NULL) == (err == 0));
    svr_destroy(svr);
    return err;
}

CASE(vectors_are_stored_dense_with_components_apart)
{
    SvrTable *svr = NULL;
    assert_int_equal(libsvm_parse(&svr, HEADER "-4 1:0.5 3:1e-2 \n0.125 2:-7\n", NULL), 0);
    assert_true(svr->gamma == 0.25 && svr->rho == -1.5);
    assert_int_equal(svr->n_vectors, 2);
    assert_int_equal(svr->dimensions, 3);
    assert_int_equal(svr->stride, SVR_LANES);
    assert_true(svr->coefficients[0] == -4 && svr->coefficients[1] == 0.125);
    const double expected[3][2] = {{0.5, 0}, {0, -7}, {0.01, 0}};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < SVR_LANES; k++)
            assert_true(svr->vectors[i * SVR_LANES + k] == (k < 2 ? expected[i][k] : 0.0));
    svr_destroy(svr);
}

CASE(variations_of_the_format_are_understood)
{
    static const char *const texts[] = {
        HEADER "1 1:1\n2 1:2",              /* no final newline */
        HEADER "1 1:1 \n2 1:2 ",            /* trailing spaces */
        HEADER "1\n2\n",                    /* zero vectors */
        HEADER "1 1:1\n2 1:2\nmore\nlines", /* lines beyond total_sv */
        "total_sv 1 rho 0 gamma 1 kernel_type rbf svm_type epsilon_svr SV 1 1:1\n",
        TYPE "degree 3\ngamma 1\ncoef0 0\nnr_class 2\ntotal_sv 1\nrho 1\nprobA 0.5\n"
             "label 1 2\nnr_sv 1 0\nSV\n1 64:1\n",
        TYPE "gamma 1\ntotal_sv 0\nrho 1\nSV\n",
    };
    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (parse(texts[i]) != 0)
            fail_msg("refused: %s", texts[i]);
}

CASE(malformed_text_is_refused)
{
    static const struct {
        const char *text;
        int expected;
    } cases[] = {
        {"", -ENOMEM},
        {"garbage", -ENOMEM},
        {TYPE, -ENOMEM},
        {"svm_type\n", -ENOMEM},
        {"svm_type nosuch\n", -ENOMEM},
        {"svm_type nu_svr\nkernel_type nosuch\n", -ENOMEM},
        {TYPE "gamma x\n", -ENOMEM},
        {TYPE "gamma 0,5\n", -ENOMEM},
        {TYPE "gamma nan\n", -ENOMEM},
        {TYPE "gamma 1e999\n", -ENOMEM},
        {TYPE "gamma  1\n", -ENOMEM},
        {TYPE "\ngamma 1\n", -ENOMEM},
        {TYPE "gamma 1\r\n", -ENOMEM},
        {TYPE "nosuch 1\n", -ENOMEM},
        {TYPE "nr_class 3\n", -ENOMEM},
        {TYPE "gamma 1\nrho 0\nSV\n", -ENOMEM},               /* no total_sv */
        {TYPE "total_sv 1\nrho 0\nSV\n1 1:1\n", -ENOMEM},     /* no gamma */
        {TYPE "gamma 1\ntotal_sv 1\nSV\n1 1:1\n", -ENOMEM},   /* no rho */
        {"gamma 1\nrho 0\ntotal_sv 1\nSV\n1 1:1\n", -ENOMEM}, /* no types */
        {TYPE "gamma 1\ntotal_sv -1\nrho 0\nSV\n", -ENOMEM},
        {TYPE "gamma 1\ntotal_sv 4294967297\nrho 0\nSV\n1 1:1\n", -ENOMEM},
        {TYPE "gamma 1\ntotal_sv 4000000000\nrho 0\nSV\n1 1:1\n", -ENOMEM},
        {HEADER, -ENOMEM},
        {HEADER "1 1:1\n", -ENOMEM},
        {HEADER "1 1:1\n\n2 1:1\n", -ENOMEM},
        {HEADER "1 1:1\nx 1:1\n", -ENOMEM},
        {HEADER "1 1:1\n2 1\n", -ENOMEM},
        {HEADER "1 1:1\n2 1:\n", -ENOMEM},
        {HEADER "1 1:1\n2 :1\n", -ENOMEM},
        {HEADER "1 1:1\n2 0:1\n", -ENOMEM},
        {HEADER "1 1:1\n2 -1:1\n", -ENOMEM},
        {HEADER "1 1:1\n2 1:1x\n", -ENOMEM},
        {HEADER "1 1:1\n2 2:1 1:1\n", -ENOMEM},
        {HEADER "1 1:1\n2 1:1 1:1\n", -ENOMEM},
        {HEADER "1 1:1\n2 1:inf\n", -ENOMEM},
        /* well-formed, but not something that a quality model is */
        {HEADER "1 1:1\n2 65:1\n", -EINVAL},
        {HEADER "1 1:1\n2 4000000000:1\n", -EINVAL},
        {"svm_type c_svc\n", -EINVAL},
        {"svm_type one_class\n", -EINVAL},
        {"svm_type nu_svr\nkernel_type sigmoid\n", -EINVAL},
        {"svm_type nu_svr\nkernel_type linear\n", -EINVAL},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int err = parse(cases[i].text);
        if (err != cases[i].expected)
            fail_msg("%d, expected %d: %s", err, cases[i].expected, cases[i].text);
    }
}

CASE(every_truncation_is_refused_or_understood)
{
    static const char text[] = HEADER "-4 1:0.5 3:1e-2 \n0.125 2:-7\n";
    char cut[sizeof(text)];
    for (size_t length = 0; length < sizeof(text) - 1; length++) {
        memcpy(cut, text, length);
        cut[length] = '\0';
        int err = parse(cut);
        /* The second line is whole as soon as it has a coefficient. */
        if (err == 0)
            assert_true(length > sizeof(HEADER "-4 1:0.5 3:1e-2 \n") - 1);
        else
            assert_int_equal(err, -ENOMEM);
    }
}

CASE(decimal_point_does_not_depend_on_the_locale)
{
    static const char *const comma_locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                                "fr_FR.UTF-8", "fr_FR",      "pt_BR.UTF-8"};
    const char *found = NULL;
    for (unsigned i = 0; !found && i < sizeof(comma_locales) / sizeof(comma_locales[0]); i++)
        found = setlocale(LC_ALL, comma_locales[i]);
    if (!found)
        skip();
    SvrTable *svr = NULL;
    int err = libsvm_parse(&svr, HEADER "0.5 1:0.5\n2 1:2\n", NULL);
    setlocale(LC_ALL, "C");
    assert_int_equal(err, 0);
    assert_true(svr->gamma == 0.25 && svr->coefficients[0] == 0.5 && svr->vectors[0] == 0.5);
    svr_destroy(svr);
}
