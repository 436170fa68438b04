# SPDX-License-Identifier: BSD-2-Clause-Patent
"""A headless Chromium that is told what to do through pipes, as its DevTools protocol says."""
import base64
import json
import os
import shutil
import subprocess

# Nothing but the page: no connection is tried.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]
READ_FD, WRITE_FD = 3, 4  # where it reads orders and writes answers


def find_chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page. EOFError: it has ended."""

    def __init__(self, chromium, folder):
        orders, self._orders = os.pipe()
        self._answers, answers = os.pipe()

        def place():
            far = os.dup(orders), os.dup(answers)  # neither of them is overwritten
            os.dup2(far[0], READ_FD)
            os.dup2(far[1], WRITE_FD)

        self._process = subprocess.Popen(
            [chromium, *FLAGS, f"--user-data-dir={folder}/driven", "--remote-debugging-pipe",
             "--window-size=1200,900", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(orders)
        os.close(answers)
        self._count, self._pending, self._session, self.events = 0, b"", None, []
        target = self.order("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.order("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.order("Runtime.enable")
        self.order("Page.enable")

    def _read(self):
        while b"\0" not in self._pending:
            part = os.read(self._answers, 1 << 16)
            if not part:
                raise EOFError
            self._pending += part
        message, self._pending = self._pending.split(b"\0", 1)
        return json.loads(message)

    def order(self, method, **parameters):
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        try:
            os.write(self._orders, json.dumps(message).encode() + b"\0")
        except BrokenPipeError as error:
            raise EOFError from error
        while True:
            answer = self._read()
            if answer.get("id") != self._count:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def open(self, path):
        self.order("Page.navigate", url="file://" + path)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def value(self, expression):
        result = self.order("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def mouse(self, kind, place, **more):
        self.order("Input.dispatchMouseEvent", type="mouse" + kind, x=place[0], y=place[1], **more)

    def drag(self, begin, end):
        self.mouse("Moved", begin)
        self.mouse("Pressed", begin, button="left", clickCount=1)
        for i in range(1, 5):
            self.mouse("Moved", tuple(a + (b - a) * i / 4 for a, b in zip(begin, end)), button="left", buttons=1)
        self.mouse("Released", end, button="left", clickCount=1)

    def double_click(self, place):
        for count in (1, 2):
            self.mouse("Pressed", place, button="left", clickCount=count)
            self.mouse("Released", place, button="left", clickCount=count)

    def key(self, key):
        self.order("Input.dispatchKeyEvent", type="keyDown", key=key)
        self.order("Input.dispatchKeyEvent", type="keyUp", key=key)

    def print(self):
        return base64.b64decode(self.order("Page.printToPDF")["data"])

    def exceptions(self):
        return [event for event in self.events if event.get("method") == "Runtime.exceptionThrown"]

    def close(self):
        self._process.terminate()
        self._process.wait()
        os.close(self._orders)
        os.close(self._answers)
