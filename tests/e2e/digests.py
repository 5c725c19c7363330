"""Threads that hand blocks to each other, by queues and pipes, and check their digests, until SIGTERM."""
import hashlib
import os
import queue
import signal
import sys
import threading

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
over = threading.Event()
blocks = queue.Queue(4)
wrong, checked = [], []


def make(seed):
    n = seed
    while not over.is_set():
        n = (n + 1) % 256
        block = bytes([n]) * 4096
        blocks.put((block, hashlib.sha256(block).digest()))
    blocks.put(None)


def check():
    reads, writes = os.pipe()
    while (item := blocks.get()) is not None:
        block, digest = item
        os.write(writes, block)
        if hashlib.sha256(os.read(reads, 4096)).digest() != digest:
            wrong.append(1)
        checked.append(1)
        if len(checked) > 100000:
            del checked[1:]


threads = [threading.Thread(target=make, args=(i,)) for i in range(3)] + [
    threading.Thread(target=check) for _ in range(3)]
for t in threads:
    t.start()
print("ready", flush=True)
signal.sigwait({signal.SIGTERM})
over.set()
for t in threads:
    t.join()
print("all right" if checked and not wrong else "wrong")
sys.exit(bool(wrong))
