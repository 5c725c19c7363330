"""annotated: what a Python program says of itself by thrace.py, on its main thread and on one of a pool."""

from concurrent.futures import ThreadPoolExecutor

import thrace


@thrace.region("factorial")
def factorial(n):
    thrace.count("n", n)
    return n * factorial(n - 1) if n > 1 else 1


@thrace.task("job")
def job():
    return thrace.task_current()


def work(what):
    with thrace.region("work"):
        thrace.log("does", what)
    return thrace.task_current()


def fails():
    with thrace.task("failing") as failing, thrace.region("fails"):
        raise ValueError(failing.id)


def main():
    thrace.label("snake")
    with thrace.task("request") as request, ThreadPoolExecutor(1) as pool:
        with thrace.region("parse \u20ac"):
            thrace.log("size", "%d bytes", 12)
            thrace.log("odd", b"\xff%s")
        assert thrace.task_current() == request.id
        assert pool.submit(thrace.carry(work), "this").result() == request.id
        assert pool.submit(work, "that").result() in (0, request.id)
        assert factorial(2) == 2
        with thrace.adopt(0):
            assert thrace.task_current() == 0
            first, second = job(), job()
    assert thrace.task_current() == 0
    assert (first, second) == (0, 0) if not thrace.enabled() else first != second
    try:
        fails()
    except ValueError:
        pass
    part = thrace.task_begin("part", request.id)
    thrace.region_begin("outer")
    thrace.task_end(part)
    thrace.region_end()
    print("trace: annotated * 1 label:snake task+request region+parse_\u20ac@request log@request:size=12_bytes "
          "log@request:odd=\\xff%s region-parse_\u20ac@request region+factorial@request log@request:n=2 "
          "region+factorial@request log@request:n=1 region-factorial@request region-factorial@request "
          "task+job task-job task+job task-job task-request "
          "task+failing region+fails@failing region-fails@failing task-failing "
          "task+part<request region+outer task-part<request region-outer")
    print("trace: annotated * 1 region+work@request log@request:does=this region-work@request "
          "region+work@request log@request:does=that region-work@request")


main()
