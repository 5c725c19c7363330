"""A headless Chromium, driven by its DevTools protocol over a pipe: no network, no modules."""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile


def program():
    """The browser's path, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Failed(Exception):
    pass


class Browser:
    def __init__(self, width=1400, height=900):
        self.folder = tempfile.mkdtemp()
        down, up = os.pipe(), os.pipe()
        # It reads commands from 3 and writes answers to 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{down[0]} 4>&{up[1]}', program(), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars",
             f"--user-data-dir={self.folder}", f"--window-size={width},{height}", "about:blank"],
            pass_fds=(down[0], up[1]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, env={**os.environ, "TMPDIR": self.folder})
        os.close(down[0])
        os.close(up[1])
        self.to, self.answers = down[1], os.fdopen(up[0], "rb")
        self.number, self.left, self.events = 0, b"", []
        targets = self.call("Target.getTargets", session=None)["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b"\0" not in self.left:
            more = os.read(self.answers.fileno(), 1 << 16)
            if not more:
                raise Failed("the browser has ended")
            self.left += more
        text, self.left = self.left.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session="", **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if session == "" and self.session:
            command["sessionId"] = self.session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    session = None

    def open(self, path):
        """Opens a file; waits until its scripts say that it is ready, and it has been painted, or failed."""
        self.events.clear()
        self.call("Page.navigate", url=path if ":" in path else "file://" + os.path.abspath(path))
        self.wait("document.body && (document.body.dataset.ready === 'yes' || document.body.classList.contains('failed'))")
        self.painted()

    def eval(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failed(f"{expression}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def wait(self, expression):
        """Until it is true, which is returned; or false after a minute."""
        return self.eval("""new Promise((done) => {
            const began = performance.now();
            const look = () => {
                let is = false;
                try { is = (%s); } catch (e) {}
                is || performance.now() - began > 60000 ? done(is) : setTimeout(look, 20);
            };
            look(); })""" % expression)

    def painted(self):
        """Until all that changed before has been painted."""
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def settled(self):
        """Until the page's timers, which are shorter, have run as well: timers run in the order in which they are due."""
        self.eval("new Promise((done) => setTimeout(done, 300))")
        self.painted()

    def key(self, key, shift=False):
        codes = {"Enter": ("\r", 13), "ArrowLeft": ("", 37), "ArrowUp": ("", 38), "ArrowRight": ("", 39), "ArrowDown": ("", 40),
                 "Escape": ("", 27), "Tab": ("", 9)}
        text, code = codes.get(key, (key, ord(key.upper()) if len(key) == 1 else 0))
        event = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, begin, end, modifiers=0):
        pressed = {"button": "left", "buttons": 1, "modifiers": modifiers}
        self.mouse("mousePressed", *begin, clickCount=1, **pressed)
        for part in (0.3, 0.6, 1):
            self.mouse("mouseMoved", begin[0] + part * (end[0] - begin[0]), begin[1] + part * (end[1] - begin[1]), **pressed)
        self.mouse("mouseReleased", *end, button="left", clickCount=1, modifiers=modifiers)

    def click(self, x, y):
        self.drag((x, y), (x, y))

    def errors(self):
        """What scripts threw, and what the page asked of a network."""
        said = [e["params"]["exceptionDetails"] for e in self.events if e["method"] == "Runtime.exceptionThrown"]
        said += [e["params"]["entry"]["text"] for e in self.events if e["method"] == "Log.entryAdded"
                 and e["params"]["entry"]["level"] == "error"]
        return said

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"
                and not e["params"]["request"]["url"].startswith(("file:", "data:"))]

    def screenshot(self, path):
        with open(path, "wb") as to:
            to.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
