/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SEARCH_QUALITY_SEARCH_H
#define TUNE_SEARCH_QUALITY_SEARCH_H

/*
 * The one search for a quality: on samples of a film, then, if that is wanted, on encodes of all of
 * it, the smallest of which that reaches the goal is the answer.
 */

#include "tune/search/search_plan.h"

/* The frames that stand for a video. */
typedef struct Samples {
    SampleWindow *windows;
    size_t n; /* 0: all of it */
} Samples;

/* What is wanted. */
typedef struct QualityChoice {
    SearchChoice search;
    TextList targets;
    double min_vmaf, min_xpsnr; /* NAN: not given */
    double quality;             /* that is measured instead of searching; -1: search */
    double usual_vmaf;          /* if there is no condition; NAN: none */
    const char *samples;        /* "none", or how many; NULL: by the length of the film */
    double sample_seconds, sample_every;
    double chunk_seconds; /* of three samples together; 0: as above */
    double time_budget;   /* seconds after which no further encode of samples begins; 0: none */
    bool is_thorough, verifies, no_verify;
    int width, height; /* to scale encodes to; 0: as the source */
    bool any_threads;  /* as many as the encoder chooses */
} QualityChoice;

/* The defaults. */
QualityChoice quality_choice(void);

enum { QUALITY_GROUPS = 5 };

/* Options of goals, limits, encoders, searches and samples. */
void quality_option_groups(QualityChoice *choice, OptionGroup groups[QUALITY_GROUPS]);

/* Takes the goal over into the session's options and the target of its first gate, which is VMAF 95
 * if there is none; and one count of encoder threads for all encodes. 0; a status. */
int quality_prepare(const TuneCommand *command, QualityChoice *choice, SessionOptions *options,
                    double *target);

enum { QUALITY_MAX_FILMS = 8 };

/* An encode of all of it. */
typedef struct FilmEncode {
    const MeasuredEncode *encode; /* one of the first step, or this: */
    MeasuredEncode own;
    double values[SEARCH_MAX_GATES];
    bool reaches;
} FilmEncode;

typedef struct QualitySearch {
    Session *session;
    const TuneSource *source;
    const QualityChoice *choice;
    SessionEncoder encoder;
    SearchPlan plan; /* of the samples */
    Samples samples; /* none: the film is measured from the beginning */
    SessionMeasurer on_samples, on_film;
    SearchRun run;
    EncodeStreams streams; /* of encodes of all of it */
    bool keeps_films;      /* their files */
    const char *output;    /* of commands that are printed only; NULL: those of measurements */
    FilmEncode films[QUALITY_MAX_FILMS];
    size_t n_films;
    json_t *shots; /* see quality_search_shots; NULL: nobody looked */
    int64_t start_ms;
} QualitySearch;

/* Where encodes of all of it are made. */
typedef struct FilmPlace {
    bool is_wanted;                 /* step two is to come, or commands for it are printed */
    const char *folder, *extension; /* NULL: as others */
    EncodeStreams streams;
    const char *output; /* what the commands of --dry-run make; NULL: as those that are run */
} FilmPlace;

/* Looks at the source, chooses samples and finds the encoder. A status; close in either case. */
int quality_search_open(QualitySearch *search, Session *session, const TuneSource *source,
                        const QualityChoice *choice, const FilmPlace *place);
void quality_search_close(QualitySearch *search);

/* Step one: on samples. A status, of what was printed; 0 as well if there is no answer. */
int quality_search_samples(QualitySearch *search);
/* The same without printing, with the error of its run. */
int quality_search_measure(QualitySearch *search);
/* Step two: on all of it, from the answer on, or at the quality that was given. */
int quality_search_films(QualitySearch *search);
/* One more of these encodes, the last of `films`, at most QUALITY_MAX_FILMS; or the same of step
 * one. A status: an error was printed, which the encode has. */
int quality_search_film(QualitySearch *search, double q);

/* Finds the quality of each shot, a list: first_frame, frames, crf, reachable, measured_vmaf,
 * bitrate_kbps. A status. */
int quality_search_shots(QualitySearch *search);

/* The smallest film that reaches the goal; NULL: none does. */
const FilmEncode *quality_answer(const QualitySearch *search);
/* The film that is nearest to the goal; NULL: there is none. */
const FilmEncode *quality_nearest(const QualitySearch *search);

/* The encode that the answer is: a film, else what the samples have; NULL: there is none. */
const MeasuredEncode *quality_best(const QualitySearch *search, bool *is_film);

/* What the samples say of a gate's score there: measured, or interpolated; NAN of fewer than 2. */
double quality_curve(const SearchRun *run, size_t gate, double q);

/* Why there is no answer. */
void quality_explain(const QualitySearch *search, Message *why);

/* What the source's video has of the frames that are encoded. */
double quality_source_kbps(const QualitySearch *search, bool of_samples);

/* -- what was found -- */

/* What a file is that was made, or was not. */
typedef struct FilmOutput {
    const char *path; /* NULL: nobody asked for one */
    const char *left; /* where the nearest is instead; NULL: the answer is at `path` */
} FilmOutput;

/* {schema, request, source, measurements, answer}. A new reference; NULL without memory. */
json_t *quality_record(const QualitySearch *search, const FilmOutput *output);

/* The windows of samples: first_frame, frames, stands_for. */
json_t *samples_to_json(const Samples *samples);

/* For people: the answer, and how to make it again. */
void quality_print(const QualitySearch *search, const FilmOutput *output, FILE *out);

/* What a file is called that nobody has named. */
#define QUALITY_OUTPUT "output.mkv"

/* The commands that make the same packets of all of it, in that file or QUALITY_OUTPUT; free. NULL
 * without memory, or if no film was to be encoded, or only a part of it. */
char *quality_commands(const QualitySearch *search, const EncodeSpec *spec, const char *output);

/* A line of the table on a terminal; nothing elsewhere. */
void quality_show(const QualitySearch *search, const MeasuredEncode *measured, bool is_film);

#endif
