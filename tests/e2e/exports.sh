# Exports of one trace, each read by what it is for, with the sums of thrace stat. Needs lib.sh; works in this folder.
# shellcheck shell=sh disable=SC2154
export PYTHONDONTWRITEBYTECODE=1

sum_of() { # KIND FORMAT FILE
    python3 "$top_srcdir/tests/e2e/export-sums.py" "$@" 2>&1 | tail -n 1
}

pprof_sum() { # INDEX FILE: of the column, by go tool pprof
    go_tool pprof -raw "$2" 2>/dev/null | awk -v name="$1" '
        /^[a-z]+\/[a-z]+/ && !at { for (i = 1; i <= NF; i++) if ($i ~ "^" name "/") at = i; next }
        /^Locations/ { exit }
        at && /^ *[0-9]+( +[0-9]+)*:/ { line = $0; sub(/:.*/, "", line); split(line, v, " "); sum += v[at] }
        END { printf "%.0f", sum }'
}

exported() { # NAME FILE ARGUMENT…: without a word
    exported_name=$1 exported_to=$2
    shift 2
    "$thrace" export "$@" "$exported_to" 2>err
    is "$? $(cat err)" "0 " "$exported_name: is exported"
}

profilers_agree() { # NAME TRACE: pprof, speedscope, chrome, folded and svg
    agrees_name=$1
    "$thrace" stat --json "$2" >stat.json
    exported "$agrees_name: speedscope" x.speedscope.json "$2"
    exported "$agrees_name: pprof" x.pb.gz "$2"
    exported "$agrees_name: chrome" x.chrome.json "$2"
    for kind in cpu wait syscall runnable; do
        wanted=$(sum_of $kind stat stat.json)
        is "$(sum_of $kind chrome x.chrome.json)" "$wanted" "$agrees_name: chrome: $kind as thrace stat"
        "$thrace" export -f folded --sample $kind "$2" >x.folded 2>err
        if [ "$wanted" = 0 ] && [ ! -s x.folded ]; then
            like "$(cat err)" "^thrace export: .*: no " "$agrees_name: $kind: says that there is nothing"
            continue
        fi
        is "$(sum_of $kind folded x.folded)" "$wanted" "$agrees_name: folded: $kind as thrace stat"
        [ $kind = cpu ] || is "$(sum_of $kind speedscope x.speedscope.json)" "$wanted" "$agrees_name: speedscope: $kind"
        if have_go; then
            index=$kind
            [ $kind != cpu ] || index=samples
            is "$(pprof_sum $index x.pb.gz)" "$wanted" "$agrees_name: go tool pprof: $kind"
        else
            skip_mandatory "$agrees_name: go tool pprof: $kind" "no Go"
        fi
        "$thrace" export --sample $kind "$2" x.svg 2>err
        like "$? $(sum_of $kind svg x.svg)" "^0 [1-9][0-9]*$" "$agrees_name: svg: $kind is a tree"
    done
}

# The page of npm's package speedscope, or nothing.
speedscope_page() {
    speedscope_at=$(command -v speedscope) || return 0
    speedscope_at=$(dirname "$(readlink -f "$speedscope_at")")/../dist/release/index.html
    [ ! -f "$speedscope_at" ] || readlink -f "$speedscope_at"
}

pages_agree() { # NAME: x.svg and x.speedscope.json in a browser
    if ! has_browser 2>/dev/null; then
        skip "$1: a browser opens svg and speedscope" "optional: no chromium that begins"
        return
    fi
    page=$(speedscope_page)
    is "$(python3 "$top_srcdir/tests/e2e/export-pages.py" x.svg x.speedscope.json ${page:+"$page"} 2>&1 | tail -n 1)" \
        agrees "$1: a browser opens svg${page:+, and speedscope the largest of each kind}"
    [ -n "$page" ] || skip "$1: speedscope shows it" "optional: no speedscope of npm"
}

tables_agree() { # NAME: x.tables in DuckDB
    python=${THRACE_TEST_PYTHON:-python3}
    if ! "$python" -c 'import duckdb' 2>/dev/null; then
        skip "$1: DuckDB has the sums of thrace stat" "optional: no duckdb for $python"
        return
    fi
    is "$("$python" - 2>&1 <<'END_OF_PYTHON' | tail -n 1
import duckdb, json
stat, db = json.load(open("stat.json")), duckdb.connect()
db.execute("SET file_search_path = 'x.tables'")
db.execute(open("x.tables/duckdb.sql").read())
got = [db.execute("SELECT coalesce(sum(%s), 0)::BIGINT FROM %s" % what).fetchone()[0]
       for what in (("total_ns", "waits"), ("waits", "waits"), ("total_ns", "syscalls"), ("samples", "samples"))]
waits = [r for r in stat["states"] if r["state"] == "waiting"]
wanted = [sum(r["total_ns"] for r in waits), sum(r["count"] for r in waits),
          sum(r["total_ns"] for r in stat["syscalls"]), stat["samples"]]
print("agrees" if got == wanted else "%s, and not %s" % (got, wanted))
END_OF_PYTHON
)" agrees "$1: DuckDB has the sums of thrace stat"
}

exports_agree() { # NAME TRACE: all formats
    if ! command -v python3 >/dev/null; then
        skip_mandatory "$1: exports" "no python3"
        return
    fi
    profilers_agree "$1" "$2"
    "$thrace" export --sample wait "$2" x.svg 2>err
    pages_agree "$1"
    for form in perfetto firefox; do
        exported "$1: $form" x.$form -f $form "$2"
        like "$(python3 "$top_srcdir/tests/e2e/$form.py" x.$form stat.json 2>&1 | tail -n 1)" "^sums are equal" \
            "$1: $form: rules and sums"
    done
    rm -rf x.tables
    exported "$1: tables" x.tables "$2"
    is "$(python3 "$top_srcdir/tests/e2e/export-tables.py" x.tables stat.json 2>&1 | tail -n 1)" agrees \
        "$1: tables say what thrace stat does"
    tables_agree "$1"
    if python3 -c 'import sqlite3' 2>/dev/null && grep -q '^#define HAVE_SQLITE 1' "$top_builddir/config.h"; then
        exported "$1: sqlite" x.sqlite "$2"
        is "$(python3 "$top_srcdir/tests/e2e/export-sqlite.py" x.sqlite stat.json 2>&1 | tail -n 1)" agrees \
            "$1: SQLite says what thrace stat does"
    else
        skip "$1: SQLite says what thrace stat does" "optional: no SQLite here, or not for python3"
    fi
}
