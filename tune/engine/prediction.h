/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_PREDICTION_H
#define TUNE_ENGINE_PREDICTION_H

/*
 * Scores and bitrates guessed from one cheap encode, and how far such guesses are to be trusted.
 * The coefficients were not fitted to anything: they are where a search or a refit begins.
 */

#include <stdbool.h>
#include <stddef.h>

/* What is known of a shot before it is encoded for good. */
typedef struct PredictionFeatures {
    double probe_kbps;                                  /* of a fast encode */
    double probe_i_bytes, probe_p_bytes, probe_b_bytes; /* means of its frames of a type */
    double saliency_mean, saliency_variance;            /* 0: nobody looks for it */
    double frame_difference, luma_mean, luma_variance;  /* of samples in [0, 1] */
    double frames, fps;
    int width, height;
} PredictionFeatures;

/* Height classes of PredictionFeatures, as models name them. */
typedef enum HeightClass { HEIGHT_SD, HEIGHT_720, HEIGHT_1080, HEIGHT_2160 } HeightClass;
HeightClass height_class(int height);

/* score(q) = a - b d - c d^2 + d_rate log10(probe kbps), limited to [0, 100], with d = q -
 * reference_q. */
typedef struct ScoreModel {
    double a, b, c, rate_weight;
    int reference_q;
} ScoreModel;

/* The model for an encoder (ffmpeg's name); libx264's if it is unknown, or NULL. */
ScoreModel score_model_of(const char *encoder);
double score_predicted(const ScoreModel *model, double q, double probe_kbps);

typedef struct QPrediction {
    int q;          /* the highest whose predicted score reaches the target */
    double score;   /* predicted there */
    bool reachable; /* false: not even the lowest does, which is q then */
} QPrediction;

/* Predicts q within lowest..highest, where the model falls. */
QPrediction q_predicted(const ScoreModel *model, double target, double probe_kbps, int lowest,
                        int highest);

/* Bitrate at q, from that of an encode at probe_q: doubled every 6 steps; at least 1. */
double kbps_predicted(double probe_kbps, int probe_q, int q);

typedef struct GopHint {
    int keyint, min_keyint; /* frames */
} GopHint;

GopHint gop_hint(const PredictionFeatures *features);

typedef enum Verdict {
    VERDICT_GOSPEL,      /* predictions hold */
    VERDICT_RECALIBRATE, /* all are off by the same */
    VERDICT_FALL_BACK,   /* they are not to be used */
} Verdict;

typedef struct Validation {
    Verdict verdict;
    double bias;  /* measured minus predicted, on average; 0 unless RECALIBRATE */
    double worst; /* largest absolute residual; 0 of none */
} Validation;

#define VALIDATION_DEFAULT_THRESHOLD 1.5

/* Judges predictions by their residuals: measured minus predicted scores. */
Validation validate_predictions(const double *residuals, size_t n, double threshold);

/*
 * Chooses which of n shots to measure: `wanted` of them, from quarters of the probe bitrates.
 * chosen has room for min(n, wanted) indices, ascending. Their number; -ENOMEM.
 */
int validation_choose(const double *probe_kbps, size_t n, size_t wanted, size_t *chosen);

typedef struct ScoredQ {
    double q, score, probe_kbps;
} ScoredQ;

enum { REFIT_MIN_POINTS = 3 };

/*
 * a, b and c by least squares; the others stay. 0; -EINVAL if there are fewer than 3 points or
 * fewer than 3 values of q, or the fit rises somewhere in lowest..highest: then the model is as it
 * was.
 */
int score_model_refit(ScoreModel *model, const ScoredQ *points, size_t n, int lowest, int highest);

#endif
