/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SEARCH_SEARCH_H
#define TUNE_SEARCH_SEARCH_H

/*
 * The strongest compression whose scores still reach their targets: which encode to make next, and
 * when it is found. The caller makes the encodes:
 *
 *     search_start(&search, &options);
 *     for (;;) {
 *         while (search_next(&search, &q))
 *             start an encode at q
 *         if (search_is_over(&search))
 *             break;
 *         wait for one; search_report(&search, &measurement)
 *     }
 *     search_result(&search, &result);
 *
 * A Search is used by one thread at a time.
 */

#include "tune/encode/encode_point.h"

#include <stdbool.h>
#include <stddef.h>

/* -- curves -- */

/*
 * What is known of score over compression before, and after, encodes are measured.
 *
 * The compression index k at which a video has a score is nearly a straight line over a function u
 * of the score: for VMAF, the logarithm of what is missing to 100. (Bitrate falls by the same
 * factor with each step of k, so this is a power law of the missing quality over bitrate.) Two
 * numbers of that line differ between videos, its position and its slope, and their distribution is
 * the prior; how far curves deviate from lines is a third. Encodes make of it the posterior of a
 * Gaussian process over u, which goes through all that was measured.
 */
typedef enum CurveScale {
    CURVE_MISSING_SCORE, /* u = ln(100.5 - score), for scores that saturate at 100 */
    CURVE_LINEAR,        /* u = -score, for PSNR and the like */
} CurveScale;

typedef struct CurvePrior {
    CurveScale scale;
    double reference_score;       /* where the position is */
    double position, position_sd; /* the index there, in units of the quality parameter */
    double slope, slope_sd;       /* units of quality for each unit of u; above 0 */
    double bend, bend_sd;         /* how much earlier than at 100 a curve saturates; else 0 */
    double deviation; /* of curves from their line, in units of quality: a standard deviation */
} CurvePrior;

/* Here k is in units of the quality parameter from its best value, however many steps a unit has:
 * curves and priors are the same for all of them. */
typedef struct CurvePoint {
    double k, score;
} CurvePoint;

typedef struct CurveEstimate {
    double k, sd; /* where the score is reached; sd is that of an encode, which the curve is near */
} CurveEstimate;

enum { CURVE_MAX_POINTS = 24 };

/* Finds where the curve through n points has that score. Points beyond CURVE_MAX_POINTS are not
 * used. */
CurveEstimate curve_crossing(const CurvePrior *prior, const CurvePoint *points, size_t n,
                             double score);

/*
 * What is known of the mean VMAF of an encoder (ffmpeg's name), for a video of that height. For
 * other encoders, or NULL: the middle of the quality parameter's range, and little certainty.
 */
CurvePrior curve_prior_of_vmaf(const char *encoder, const QualityRange *qualities, int height);

/* The prior for a pool of lower scores, such as the minimum: the same scores come at less
 * compression, and with less certainty. */
CurvePrior curve_prior_of_low_pool(const CurvePrior *mean);

/* The prior for a metric that nothing is known about, whose scores fall by `per_unit` with each
 * unit of the quality parameter, give or take a factor of 2. */
CurvePrior curve_prior_unknown(const QualityRange *qualities, double target, double per_unit);

/*
 * After n points of a video, what to expect of a similar one, such as the next shot: its line, with
 * `position_sd` and half the uncertainty of slope.
 */
CurvePrior curve_prior_of_neighbour(const CurvePrior *prior, const CurvePoint *points, size_t n,
                                    double position_sd);

/* -- searches -- */

enum { SEARCH_MAX_INDICES = 640, SEARCH_DEFAULT_PROBES = 8 };

#define SEARCH_DEFAULT_GUARD 0.5
#define SEARCH_SAVINGS       0.01

/* A score that must be reached: value >= target. */
typedef struct SearchGate {
    double target;
    bool lower_is_better; /* then value <= target; the prior is of negated values */
    bool is_percentage;   /* values outside of [0, 100] are failures */
    double guard;         /* how much better a more compressed encode may be without a violation */
    double stop_within;   /* good enough: reached, and better by no more than this; 0 for off */
    CurvePrior prior;
} SearchGate;

typedef enum OnNonMonotonic {
    NON_MONOTONIC_FAIL, /* end without a result */
    NON_MONOTONIC_KEEP, /* note it, and go on */
    NON_MONOTONIC_SCAN, /* the first that passes from the most compressed end of what is left */
} OnNonMonotonic;

typedef struct SearchOptions {
    QualityRange qualities;
    double first, last; /* values of q to be searched, in either order; both inclusive */
    SearchGate gates[SEARCH_MAX_GATES];
    size_t n_gates; /* at least 1 */
    int max_probes; /* encodes that may be started; 0 for as many as are needed, and no fewer than
                     * SEARCH_DEFAULT_PROBES for each job */
    int jobs;       /* encodes at the same time; at least 1 */
    bool has_start; /* the first probe is at `start`, a value of q */
    double start;
    double max_kbps; /* an answer with more is none; 0 for no limit */
    /* On a scale of fractions: an answer is found as well once the curve says that at most this
     * part of its bits could be saved (SEARCH_SAVINGS); 0: only if its neighbour was measured. */
    double savings;
    OnNonMonotonic on_non_monotonic;
} SearchOptions;

typedef struct Measurement {
    double q;
    double values[SEARCH_MAX_GATES]; /* of the gates */
    double kbps;
    double encode_ms;
} Measurement;

typedef enum SearchStatus {
    SEARCH_RUNNING,
    SEARCH_FOUND,
    SEARCH_UNREACHABLE,   /* not even the best quality reaches the targets */
    SEARCH_NON_MONOTONIC, /* a more compressed encode was clearly better */
    SEARCH_FAILED,        /* an encode or score failed */
    SEARCH_TOO_LARGE,     /* what reaches the targets has more than max_kbps */
    SEARCH_EXHAUSTED,     /* max_probes were made, and none of them reaches the targets */
} SearchStatus;

/* State of a search; its members are its own. */
typedef struct Search {
    SearchOptions options;
    SearchStatus status;
    int low, high; /* of k: low - 1 passes and high + 1 fails, or is outside */
    int best;      /* k that passes; -1 if there is none */
    int probes, in_flight;
    bool non_monotonic, scanning;
    bool good_enough;                        /* ended by stop_within or savings */
    short places[SEARCH_MAX_INDICES];        /* by k: what there is of it */
    Measurement samples[SEARCH_MAX_INDICES]; /* in the order in which they came */
    size_t n_samples;
    bool bisecting; /* because the estimate was no good */
} Search;

/* 0; -EINVAL: no gate or too many, a window that is empty or outside of the range of q, a range of
 * more than SEARCH_MAX_INDICES values, a number that is not finite, no job. */
int search_start(Search *search, const SearchOptions *options);

/* A measurement from elsewhere, such as a search for another target: it counts as none of the
 * probes. Before the first search_next. 0; -EINVAL if q is not in its range. */
int search_know(Search *search, const Measurement *measurement);

/* True: start an encode at *q. False: wait for one, or the search is over. */
bool search_next(Search *search, double *q);

/* An encode that search_next asked for. 0; -EINVAL if it did not, or was told before. */
int search_report(Search *search, const Measurement *measurement);
/* The encode, or its score, failed: the search ends. 0; -EINVAL as above. */
int search_report_failure(Search *search, double q);

bool search_is_over(const Search *search);

/* No more probes, as if max_probes had been started: what is in flight still counts. */
void search_end(Search *search);

/* True if nothing depends any more on the encode at q, which was asked for: it may be stopped, and
 * is reported by search_cancelled then. */
bool search_is_unneeded(const Search *search, double q);
int search_cancelled(Search *search, double q);

typedef struct SearchResult {
    SearchStatus status;
    bool ok;
    double best_q; /* -1 if there is none */
    Measurement best;
    int n_iterations; /* probes that were asked for */
    bool converged;   /* the next cheaper q was measured and fails, or is outside, or good enough */
    bool non_monotonic; /* was noticed */
    const Measurement *samples;
    size_t n_samples;
} SearchResult;

/* Whenever; of a search that runs, the best so far. `samples` are the search's. */
void search_result(const Search *search, SearchResult *result);

/* Why there is no result, in English: "target VMAF 99 unreachable in CRF window [0, 51] after 6
 * iterations (best sample: closest miss VMAF=98.3 at CRF 0)". The names are those of that gate and
 * of the quality parameter. "" if there is one. Cut off at `size`. */
void search_explain(const Search *search, size_t gate, const char *score_name,
                    const char *quality_name, char *text, size_t size);

/* The first gate that the least compressed sample misses; 0 if there is none. */
size_t search_missed_gate(const Search *search);

/* Bitrate at q, interpolated in its logarithm from what was measured; NAN without 2 encodes. */
double search_predicted_kbps(const Search *search, double q);

/* What gate number `gate` taught, for the next video like this one. */
CurvePrior search_learned(const Search *search, size_t gate, double position_sd);

#endif
