"""annotates: says what it does by thrace.py, on two threads, until it is told to end; nothing of that may fail."""

import signal
import threading
from time import sleep

from thrace import adopt, count, enabled, label, log, region, region_begin, region_end, task, task_begin, task_end

over = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: over.set())


@region("decorated")
def square(n):
    return n * n


@task("job")
def job():
    sleep(0.001)


def rounds():
    n = 0
    label("labelled")
    while not over.is_set():
        n += 1
        with task("request"), region("outer"):
            log("cache", "%d found", n)
            count("rounds", n)
            assert square(n) == n * n
        job()
        part = task_begin("part")
        region_begin("inner")
        with adopt(part):
            enabled()
        region_end()
        task_end(part)
    return n


def main():
    made = []
    other = threading.Thread(target=lambda: made.append(rounds()))
    other.start()
    print("ready", flush=True)
    made.append(rounds())
    other.join()
    print("done, many rounds" if min(made) > 10 else "done, few rounds", flush=True)


main()
