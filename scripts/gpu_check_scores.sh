# SPDX-License-Identifier: BSD-2-Clause-Patent
# Sourced by gpu-check.sh: whether a backend computes what the CPU computes.
# shellcheck shell=sh
# shellcheck disable=SC2154 # from gpu-check.sh

# What a report says, without what differs from run to run, and what tells who has computed it.
scores_of() { # report
    awk '
        /^  "fps":/ { next }
        /^  "(feature_backends|backend_events)": \[/ { if (!/\]/) inside = 1; next }
        inside { if (/^  \]/) inside = 0; next }
        /^  "backend_(used|spot_checks)":/ { next }
        { sub(/,$/, ""); print }' "$1"
}

# Features that a report says the CPU has computed, although the backend passed the self-test.
on_cpu() { # report
    features_of "$backend" >"$work/passed"
    sed -n 's/^ *{"extractor": "\([a-z0-9_]*\)", "backend": "cpu"}.*/\1/p' "$1" | sort -u |
        while read -r feature; do
            ! grep -qx "$feature" "$work/passed" || echo "$feature"
        done
}

make_clip() { # width, height, depth, format, frames: sets ref, dist, width, height, depth, format
    width=$1 height=$2 depth=$3 format=$4
    clip=$1x$2.$3.$4
    ref=$work/clips/$clip.ref.y4m
    dist=$work/clips/$clip.dist.y4m
    [ -e "$dist" ] && return
    for distortion in identical quant; do
        [ $distortion = identical ] && file=$ref || file=$dist
        limited "$synth" --scene texture --distortion $distortion --size "$1x$2" --depth "$3" \
            --format "$4" --frames "$5" --output "$file.part" 2>"$work/log" &&
            mv "$file.part" "$file" || return
    done
}

run_vmaf() { # report, arguments...
    report=$1
    shift
    rm -f "$report"
    limited "$vmaf" --reference "$ref" --distorted "$dist" --quiet --json --precision max \
        --output "$report" "$@" >"$work/log" 2>&1
}

# What the self-test has found to be right, with this depth.
features_of() { # backend
    sed -n "s/^{\"row\":\"self_test\",\"backend\":\"$1\",.*\"depth\":$depth,.*\"feature\":\"\([a-z0-9_]*\)\",\"outcome\":\"passed\".*/\1/p" \
        "$work/rows" | sort -u
}

status_refused=234 # of the program, for pictures that a feature does not take

# Those of them that take the clip: some refuse small pictures, on the CPU too.
taken_features() {
    mkdir -p "$work/taken"
    for feature in $(features_of "$backend"); do
        taken=$work/taken/$clip.$feature
        if [ ! -e "$taken" ]; then
            run_vmaf "$work/reports/taken" --backend cpu --no_prediction --frame_cnt 1 --feature "$feature"
            echo $? >"$taken"
        fi
        # Any other failure shows in the comparison.
        [ "$(cat "$taken")" -eq "$status_refused" ] || echo "$feature"
        [ "$(cat "$taken")" -ne 124 ] || rm "$taken"
    done
}

models_of() { # versions...
    for version; do
        printf '%s ' --model "version=$version:name=$version"
    done
}

arguments_of() { # subject
    case $1 in
    features) echo "--no_prediction $(taken_features | sed 's/^/--feature /' | tr '\n' ' ')" ;;
    float) models_of vmaf_float_v0.6.1 vmaf_float_v0.6.1neg vmaf_float_4k_v0.6.1 vmaf_float_b_v0.6.3 ;;
    v1)
        for version in 3d0h 5d0h 3d0h_2160 1d5h_2160; do
            models_of "vmaf_v1.0.16_$version" "vmaf_v1.0.16_hfr_$version"
        done
        ;;
    psnr) echo "--no_prediction --feature psnr" ;;
    all)
        echo "--model version=vmaf_v0.6.1 --model version=vmaf_v0.6.1neg:name=neg" \
            "--model version=vmaf_4k_v0.6.1:name=uhd --model version=vmaf_4k_v0.6.1neg:name=uhdneg" \
            "--model version=vmaf_b_v0.6.3:name=b --feature psnr"
        ;;
    *) echo "--model version=$1" ;;
    esac
}

# What is wrong with the report of a run with the backend: nothing if all is well.
difference() { # scores of the CPU, report
    scores_of "$2" >"$work/scores"
    if ! grep -q '"frameNum"' "$1"; then
        echo "the CPU has scored no frame"
    elif ! cmp -s "$1" "$work/scores"; then
        awk 'NR == FNR { said[FNR] = $0; n = FNR; next }
            said[FNR] != $0 { found = 1; print "line " FNR " of the report is" $0 ", of the CPU" said[FNR]; exit }
            { last = FNR }
            END { if (!found) print "the report has " last " lines, that of the CPU " n }' \
            "$1" "$work/scores" | tr -s ' '
    fi
}

note_scores() { # outcome, reason
    row scores "\"width\":$width,\"height\":$height,\"depth\":$depth,\"format\":\"$format\",\"subject\":\"$subject\",\"mode\":\"$mode\",\"outcome\":\"$1\",\"reason\":$(quoted "$2")"
}

# One run with the backend against one with the CPU, at 17 digits.
compare() { # subject, mode: strict or auto
    subject=$1 mode=$2
    what="$backend, $subject, ${width}x$height, $depth bits, $format"
    [ "$mode" = strict ] || what="$what, auto"
    expected=$work/reports/$clip.$subject.cpu
    if [ "$subject" = features ]; then
        expected=$expected.$backend
        [ -n "$(features_of "$backend")" ] || {
            note_skipped "$what" "no feature has passed the self-test"
            return
        }
    fi
    # shellcheck disable=SC2046 # several arguments
    if [ ! -e "$expected" ]; then
        run_vmaf "$work/reports/cpu" --backend cpu $(arguments_of "$subject")
        status=$?
        [ $status -ne 124 ] || {
            note_skipped "$what" "there is no time left"
            return
        }
        if [ $status -ne 0 ] && [ "$subject" = features ]; then
            note_skipped "$what" "the CPU cannot: $(tail -n 1 "$work/log")"
            return
        fi
        [ $status -eq 0 ] || die 255 "the CPU fails: $(tail -n 1 "$work/log")"
        scores_of "$work/reports/cpu" >"$expected"
        sed -n 's/^ *{"extractor": "\([a-z0-9_]*\)".*/\1/p' "$work/reports/cpu" | sort -u >"$expected.needs"
    fi
    if [ "$mode" = strict ] && ! features_of "$backend" | grep -qxFf "$expected.needs"; then
        note_skipped "$what" "the backend computes none of it"
        return
    fi
    [ "$mode" = strict ] && choice=$backend || choice=auto
    # shellcheck disable=SC2046 # several arguments
    run_vmaf "$work/reports/backend" --backend "$choice" --backend-device "$backend:$number" \
        $(arguments_of "$subject")
    status=$?
    if [ $status -eq 124 ] && [ "$(left)" -le 0 ]; then
        note_skipped "$what" "there is no time left"
        return
    fi
    if [ $status -ne 0 ]; then
        reason="status $status: $(tail -n 1 "$work/log")"
        note_different "$what" "$reason"
        note_scores failed "$reason"
        return
    fi
    reason=$(difference "$expected" "$work/reports/backend")
    if [ -z "$reason" ] && [ "$mode" = strict ] && [ -n "$(on_cpu "$work/reports/backend")" ]; then
        reason="the CPU has computed $(on_cpu "$work/reports/backend" | tr '\n' ' ')"
    fi
    if [ -n "$reason" ]; then
        note_different "$what" "$reason"
        note_scores different "$reason"
    elif [ "$mode" = strict ] && ! grep -q "\"backend\": \"$backend\"}" "$work/reports/backend"; then
        note_skipped "$what" "the backend computes none of it"
    else
        say "equal      $what"
        compared=$((compared + 1))
        note_scores equal ""
    fi
}

compare_clip() { # width, height, depth, format, frames, subjects...
    [ "$frames" -ge "$5" ] && few=$5 || few=$frames
    make_clip "$1" "$2" "$3" "$4" "$few" || {
        reason="the clip cannot be made: $(tail -n 1 "$work/log")"
        [ "$(left)" -gt 0 ] || reason="there is no time left"
        note_skipped "$backend, scores at $1x$2, $3 bits, $4" "$reason"
        return
    }
    shift 5
    for wanted; do
        case $wanted in
        auto-*) compare "${wanted#auto-}" auto ;;
        *) compare "$wanted" strict ;;
        esac
    done
}

check_scores() { # first or rest
    w=${size%%x*} h=${size#*x}
    auto=auto-all
    each='vmaf_v0.6.1 features vmaf_v0.6.1neg vmaf_4k_v0.6.1 vmaf_b_v0.6.3 psnr all float'
    # The newer models do not take small pictures.
    newer=
    { [ "${w:-576}" -lt 320 ] || [ "${h:-324}" -lt 320 ]; } || newer='v1 auto-v1'
    more='all vmaf_v0.6.1 psnr features'
    [ -z "$only" ] || each=features more=features newer='' auto=''
    # shellcheck disable=SC2086 # several subjects
    if [ "$1" = first ]; then
        compare_clip "${w:-576}" "${h:-324}" 8 420 10 $each $newer $auto
        compare_clip "$((${w:-576} + 1))" "$((${h:-324} - 1))" 10 420 6 $each $newer
    else
        compare_clip "$((${w:-576} + 1))" "$((${h:-324} + 1))" 8 444 6 $more
        [ -z "$only" ] || return
        compare_clip "${w:-576}" "${h:-324}" 10 444 6 all psnr
        [ -n "$size" ] || compare_clip 1920 1080 8 420 4 all vmaf_v0.6.1 features $newer auto-all
        [ -n "$size" ] || compare_clip 3840 2160 10 420 3 all vmaf_v0.6.1 $newer
        compare_clip "${w:-576}" "${h:-324}" 10 420 6 auto-all
        compare_clip "${w:-576}" "${h:-324}" 8 422 6 all
    fi
    rm -f "$work"/clips/3840x2160.*
}

# The self-test of the library, at both depths.
check_self_test() {
    for depth in 8 10; do
        what="$backend, self-test, $depth bits"
        # shellcheck disable=SC2086 # several arguments, or none
        limited "$bench" --plugin "$plugin" --device "$number" --size "${size:-576x324}" \
            --depth $depth $wanted_features --table selftest --json "$work/rows" >"$work/out" 2>"$work/log"
        status=$?
        driver=$(driver_of)
        if [ $status -eq 0 ]; then
            say "passed     $what"
            compared=$((compared + 1))
        elif [ $status -eq 124 ] && [ "$(left)" -le 0 ]; then
            note_skipped "$what" "there is no time left"
        else
            note_different "$what" "$(grep -m 1 -E 'refused|failed' "$work/out" || tail -n 1 "$work/log")"
        fi
    done
}

# The test programs of kernels and of the device layer that were built for this backend, those first
# that say most in little time.
check_kernels() {
    # The layer that test programs load, in a folder that was moved.
    layer=$tests/liblayer_$backend.so
    [ ! -e "$layer" ] || export "VMAF_TEST_LAYER_$(printf '%s' "$backend" | tr '[:lower:]' '[:upper:]')=$layer"
    awk -v end="_$backend" 'substr($1, length($1) - length(end) + 1) == end {
            print ($1 ~ /^(dialect|layer|psnr)/ ? 1 : $1 ~ /^metric/ ? 2 : 3), $0
        }' "$work/kernel_tests" | sort -n -s -k 1,1 | cut -d ' ' -f 2- >"$work/tests"
    if [ ! -s "$work/tests" ]; then
        note_skipped "$backend, tests of kernels" "there are none in this build"
        return
    fi
    while read -r name program arguments; do
        what="$backend, $name"
        if [ ! -x "$tests/$program" ]; then
            note_skipped "$what" "$program was not built"
            continue
        fi
        begin=$(now)
        # shellcheck disable=SC2086 # several arguments
        limited env LD_LIBRARY_PATH="$tests/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
            "$tests/$program" $arguments >"$work/log" 2>&1 </dev/null
        status=$?
        outcome=failed
        reason=$(grep -m 1 -aE '\[  (ERROR|FAILED)|error|not equal' "$work/log" || tail -n 1 "$work/log")
        if [ $status -eq 124 ] && [ "$(left)" -le 0 ]; then
            note_skipped "$what" "there is no time left"
            continue
        elif [ $status -eq 77 ]; then
            note_skipped "$what" "$(tail -n 1 "$work/log")"
            continue
        elif [ $status -eq 0 ]; then
            outcome=passed reason=
            compared=$((compared + 1))
            say "passed     $what"
        else
            note_different "$what" "status $status: $reason"
        fi
        row kernels "\"test\":\"$name\",\"outcome\":\"$outcome\",\"reason\":$(quoted "$reason"),\"seconds\":$(($(now) - begin))"
    done <"$work/tests"
}
