# SPDX-License-Identifier: BSD-2-Clause-Patent
# JSON without what tells who has written it: paths of homes become "~", files of this run "TMP", names
# of the machine and of the user "(host)" and "(user)" where they are words of a text. Keys and single
# words, such as names of backends, remain. The environment has USER_NAME, USER_HOME, HOST_NAME and
# WORK_FOLDER.

function replace_all(text, old, new,    out, at) {
    if (old == "")
        return text
    out = ""
    while ((at = index(text, old)) > 0) {
        out = out substr(text, 1, at - 1) new
        text = substr(text, at + length(old))
    }
    return out text
}
function replace_word(text, word, new,    out, at, before, after) {
    if (word == "")
        return text
    out = ""
    while ((at = index(text, word)) > 0) {
        before = at > 1 ? substr(text, at - 1, 1) : substr(out, length(out), 1)
        after = substr(text, at + length(word), 1)
        out = out substr(text, 1, at - 1) ((before after) ~ /[A-Za-z0-9_]/ ? word : new)
        text = substr(text, at + length(word))
    }
    return out text
}
function clean(text) {
    text = replace_all(text, ENVIRON["WORK_FOLDER"], "TMP")
    text = replace_all(text, home, "~")
    gsub(/\/(home|Users)\/[^\/" ]+/, "~", text)
    if (text ~ /[^A-Za-z0-9_."]/) {
        text = replace_word(text, host, "(host)")
        text = replace_word(text, short_host, "(host)")
        text = replace_word(text, user, "(user)")
    }
    return text
}
BEGIN {
    home = ENVIRON["USER_HOME"]
    sub(/\/+$/, "", home)
    user = ENVIRON["USER_NAME"]
    if (user == "root")
        user = ""
    host = ENVIRON["HOST_NAME"]
    if (host == "localhost")
        host = ""
    short_host = host
    sub(/[.].*/, "", short_host)
}
{
    rest = $0
    out = ""
    while (match(rest, /"([^"\\]|\\.)*"/)) {
        out = out substr(rest, 1, RSTART - 1)
        string = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        out = out (rest ~ /^:/ ? string : clean(string))
    }
    print out rest
}
