# What the nvtx package offers, in the order in which it is expected; a range ends on another thread.
import threading

import nvtx


@nvtx.annotate("decorated")
def decorated():
    nvtx.mark("here")


with nvtx.annotate("outer", domain="mine"):
    with nvtx.annotate("inner", domain="mine", category="some"):
        decorated()
started = nvtx.start_range("range", domain="mine")
thread = threading.Thread(target=lambda: nvtx.end_range(started))
thread.start()
thread.join()
nvtx.push_range("pushed")
nvtx.pop_range()
nvtx.mark("marked", domain="mine", category="some")
print("done")
