"""What the tests of a page of `thrace view` share: a browser, and TAP lines. Arguments: THRACE FILE.trace FILE.html NAME."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser

thrace, trace, page, title = sys.argv[1:5]
number = 0


def ok(is_so, name, why=""):
    global number
    number += 1
    print(("ok " if is_so else "not ok ") + f"{title}: {name}")
    if not is_so:
        print(f"# {why}")
    sys.stdout.flush()


def same(got, wanted, name):
    ok(got == wanted, name, f"the page has {got}, and not {wanted}"[:1500])


def stat(*options):
    """What thrace stat says, with what cannot be seen as the page has it."""
    said = subprocess.run([thrace, "stat", "--json", *options, trace], capture_output=True, check=False).stdout.decode()
    return json.loads(re.sub("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]",
                             lambda m: f"U+{ord(m[0]):04X}", said))


b = browser.Browser()


def text(id):
    return b.eval(f"document.getElementById('{id}').textContent")


def view():
    """What is visible, in ns, as the address says it."""
    b.settled()
    said = b.eval("location.hash")
    return [int(n) for n in said.split("view=")[1].split("&")[0].split("-")]


def center(id, x=0.5, y=0.5):
    return b.eval(f"(() => {{ const r = document.getElementById('{id}').getBoundingClientRect();"
                  f" return [r.left + {x} * r.width, r.top + {y} * r.height]; }})()")
