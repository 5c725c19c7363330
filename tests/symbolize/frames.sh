# Shared by the tests of debug info in its many places: a small program with an inlined call, and the frames that it
# must have.
tool=$top_builddir/tests/symbolize/symbolize-tool
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cc=${CC:-cc}
for need in objcopy readelf nm strip; do
    command -v $need >"$tmp/null" || { echo "1..0 # SKIP $need is missing"; exit 0; }
done

cat >"$tmp/p.c" <<'C'
int main(int argc, char **argv);
static volatile int sink;
static inline __attribute__((always_inline)) void inner(int v)
{
    sink = v; /* line 5 */
}
__attribute__((noinline)) void outer(int v)
{
    inner(v + 1); /* line 9 */
}
int main(int argc, char **argv)
{
    outer(argc);
    return 0;
}
C
cd "$tmp"
n=0
result() { n=$((n + 1)); echo "$1 $n - $2"; }

# The store of inner inside of outer: the first address of outer that has two frames.
frames() {
    base=$(nm --defined-only "$original" | sed -n 's/^\([0-9a-f]*\) [Tt] outer$/\1/p')
    seq $((0x$base)) $((0x$base + 20)) | awk '{ printf "%x\n", $1 }' | "$tool" -m -r "$tmp/root" "$@" 2>said |
        paste -s -d ' ' -
}
full() { # NAME FILE
    case $(frames "$2") in
    *"inner $tmp/p.c:5 outer $tmp/p.c:9"*) result ok "$1" ;;
    *) echo "# $(frames "$2") $(cat said)"; result "not ok" "$1" ;;
    esac
}
function_only() { # NAME FILE MESSAGE
    case "$(frames "$2")/$(cat said)" in
    *inner*) result "not ok" "$1" ;;
    outer\ *:1\ */*$3*) result ok "$1" ;;
    *) echo "# $(frames "$2") $(cat said)"; result "not ok" "$1" ;;
    esac
}
offset_only() { # NAME FILE MESSAGE
    case "$(frames "$2")/$(cat said)" in
    *outer*) result "not ok" "$1" ;;
    *+0x*:1*/*$3*) result ok "$1" ;;
    *) echo "# $(frames "$2") $(cat said)"; result "not ok" "$1" ;;
    esac
}
build() { $cc -O1 -Wl,--build-id "$@" "$tmp/p.c" -o p; original=p; }
