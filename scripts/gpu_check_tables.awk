# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tables in Markdown of the lines of JSON that gpu-check.sh collects: those of speed.

function text(key,    rest) {
    rest = $0
    if (!sub(".*[{,]\"" key "\":\"", "", rest))
        return ""
    sub(/",?["}].*/, "", rest)
    gsub(/\\"/, "\"", rest)
    return rest
}
function number(key,    rest) {
    rest = $0
    if (!sub(".*[{,]\"" key "\":", "", rest))
        return ""
    sub(/[,}].*/, "", rest)
    return rest == "null" ? "" : rest
}
function fixed(value, digits) {
    return value == "" ? "" : sprintf("%." digits "f", value)
}
function percent(value) {
    return value == "" ? "" : sprintf("%.0f %%", 100 * value)
}
function size() {
    return number("width") "x" number("height") ", " number("depth") " bits"
}
function add(table, line) {
    lines[table] = lines[table] line "\n"
}
function print_table(table, title, head, align) {
    if (lines[table] != "")
        printf "\n### %s\n\n%s\n%s\n%s", title, head, align, lines[table]
}

text("row") == "speed" {
    if (text("path") == "library")
        how = "library, pictures of the host"
    else
        how = "backend alone, pictures of the " text("source")
    begin = "| " text("backend") " | " text("subject") " | " size() " | " how
    if (text("path") == "library" && text("chosen") != text("backend"))
        begin = begin ", " text("chosen") " with " number("threads") " threads"
    if (index($0, "\"offered\":false"))
        add("speed", begin " | not offered | | | | | |")
    else
        add("speed", begin " | " fixed(number("fps"), 1) " | " fixed(number("ms_per_frame"), 3) " | " \
            number("frames") " | " fixed(number("latency_p50_ms"), 2) " | " \
            fixed(number("latency_p99_ms"), 2) " | " fixed(number("host_cores_per_1000_fps"), 2) " |")
}
text("row") == "stage" {
    add("stage", "| " text("backend") " | " text("subject") " | " size() " | `" text("stage") "` | " number("runs_per_frame") " | " \
        fixed(number("ms_per_frame"), 4) " | " percent(number("share")) " | " \
        fixed(number("mb_per_frame"), 2) " | " fixed(number("gb_per_s"), 1) " | " \
        percent(number("of_bandwidth")) " | " fixed(number("gop_per_s"), 0) " | " \
        percent(number("of_issue_rate")) " |")
    if (number("of_issue_rate") == "" && text("stage") != "upload" && text("stage") != "read-back")
        no_issue_rate = 1
}
text("row") == "bandwidth" && !seen[text("backend") text("copy")]++ {
    add("bandwidth", "| " text("backend") " | " text("copy") " | " fixed(number("gb_per_s"), 1) " |")
}
text("row") == "opening" {
    add("opening", "| " text("backend") " | " size() " | " text("state") " | " \
        fixed(number("opened_s"), 3) " | " fixed(number("first_record_s"), 3) " |")
}
text("row") == "auto" {
    add("auto", "| " text("backend") " | " text("subject") " | " size() " | " number("threads") " | " \
        fixed(number("fps_cpu"), 1) " | " fixed(number("fps_auto"), 1) " | " fixed(number("ratio"), 2) " |")
}
text("row") == "distance" {
    add("distance", "| " text("backend") " | " text("card") " | " size() " | " text("source") " | " \
        number("model_fps") " | " fixed(number("fps"), 1) " | " percent(number("ratio")) " |")
}

END {
    print_table("speed", "Frames per second",
        "| backend | what | size, depth | how | frames/s | ms per frame | frames | latency, ms: half of the frames | 99 % | cores of the host per 1000 frames/s |",
        "|---|---|---|---|---:|---:|---:|---:|---:|---:|")
    print_table("distance", "Distance to the model",
        "| backend | card | size, depth | pictures of the | derived, frames/s | measured | share |",
        "|---|---|---|---|---:|---:|---:|")
    print_table("stage", "On the device",
        "| backend | what | size, depth | stage | runs | ms per frame | share | MB | GB/s | of what copies reach | Gop/s | of the issue rate |",
        "|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    if (lines["stage"] != "" && no_issue_rate)
        print "\nWhere the last columns are empty, the operations of the kernel, or the units and the clock of the device, are not known."
    print_table("bandwidth", "Copies", "| backend | within, to or from the device | GB/s |", "|---|---|---:|")
    print_table("opening", "Starts", "| backend | size, depth | caches | opened, s | first record, s |",
        "|---|---|---|---:|---:|")
    print_table("auto", "`auto` and the CPU",
        "| backend | what | size, depth | threads | CPU, frames/s | `auto` | ratio |",
        "|---|---|---|---:|---:|---:|---:|")
}
