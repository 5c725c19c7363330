"""Annotations for Python, as thrace/annotate.h has them for C: what a program's threads work on, in the trace of
`thrace record`. thrace-annotate(3) describes them.

    import thrace

    with thrace.task("request"):
        with thrace.region("parse"):
            ...
        thrace.log("cache", "%d of %d found", hits, asked)

Nothing has to be installed: copy this file beside the program. Without thrace, regions and tasks are an object that
does nothing, and the functions do nothing. Names and messages are str or bytes. Python 3.6 or later. Since: 0.1.
"""

import ctypes
import functools

__all__ = [
    "adopt", "carry", "count", "enabled", "label", "log", "region", "region_begin", "region_end", "task", "task_adopt",
    "task_begin", "task_current", "task_end",
]


def _find():
    """The library's functions; None: it is not loaded."""
    text, number = ctypes.c_char_p, ctypes.c_uint64
    found = {}
    try:
        # PyDLL keeps the interpreter's lock: to give it away and take it again would take longer than any of these.
        process = ctypes.PyDLL(None)
        for name, result, arguments in (
            ("enabled", ctypes.c_int, ()),
            ("task_begin", number, (text, number)),
            ("task_end", None, (number,)),
            ("task_current", number, ()),
            ("task_adopt", number, (number,)),
            ("region_begin", None, (text,)),
            ("region_end", None, ()),
            ("log", None, (text, text)),
            ("count", None, (text, ctypes.c_int64)),
            ("label", None, (text,)),
        ):
            function = found[name] = getattr(process, "thrace_annotate_" + name)
            function.restype = result
            function.argtypes = arguments
    except (AttributeError, OSError, TypeError):
        return None
    return found


_library = _find()


def _nothing(*_, **__):
    return 0


def _function(name):
    return _library[name] if _library else _nothing


_enabled, _task_begin, _region_begin = map(_function, ("enabled", "task_begin", "region_begin"))
_log, _count, _label = map(_function, ("log", "count", "label"))

region_end, task_end, task_current, task_adopt = map(
    _function, ("region_end", "task_end", "task_current", "task_adopt"))


def _encoded(text):
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "replace")


def enabled():
    """Is anything recorded right now?"""
    return bool(_enabled())


def task_begin(name, parent=None):
    """Begins a task, a part of the one that the calling thread works for, or of parent. Returns its number."""
    return _task_begin(_encoded(name), task_current() if parent is None else parent)


def region_begin(name):
    """Begins a region of the calling thread."""
    _region_begin(_encoded(name))


def log(category, message, *arguments):
    """A message in a category. With arguments it is message % arguments, made only when something is recorded."""
    if _enabled():
        _log(_encoded(category), _encoded(message % arguments if arguments else message))


def count(name, value):
    """What a counter shows now."""
    _count(_encoded(name), int(value))


def label(name):
    """Labels the calling thread from now on."""
    _label(_encoded(name))


class _Block:
    """Annotates a block of code, by a with statement, or each call of a function, as a decorator."""

    __slots__ = ()

    def __call__(self, function):
        @functools.wraps(function)
        def annotated(*arguments, **named):
            with self._anew():
                return function(*arguments, **named)

        return annotated


class region(_Block):
    """A region of the calling thread."""

    __slots__ = ("_name",)

    def __init__(self, name):
        self._name = _encoded(name)

    def _anew(self):
        return self

    def __enter__(self):
        _region_begin(self._name)
        return self

    def __exit__(self, *_):
        region_end()


class adopt(_Block):
    """The thread works for the task of that number."""

    __slots__ = ("id", "_before")

    def __init__(self, task):
        self.id = task

    def _anew(self):
        return adopt(self.id)

    def __enter__(self):
        self._before = task_adopt(self.id)
        return self

    def __exit__(self, *_):
        task_adopt(self._before)


class task(adopt):
    """A task that the thread works for; its number is id."""

    __slots__ = ("_name", "_parent")

    def __init__(self, name, parent=None):
        adopt.__init__(self, 0)
        self._name = _encoded(name)
        self._parent = parent

    def _anew(self):
        return task(self._name, self._parent)

    def __enter__(self):
        self.id = task_begin(self._name, self._parent)
        return adopt.__enter__(self)

    def __exit__(self, *_):
        task_end(self.id)
        adopt.__exit__(self)


def carry(function):
    """The function, for another thread to call: that works meanwhile for the task that the calling thread works for."""
    return adopt(task_current())(function) if _library else function


class _Nothing:
    """What stands for every block without thrace."""

    __slots__ = ()
    id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def __call__(self, function):
        return function


if not _library:
    _no_block = _Nothing()

    def _blocks(*_, **__):
        return _no_block

    region = adopt = task = _blocks
    task_begin = region_begin = log = count = label = _nothing
