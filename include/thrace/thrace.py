"""Annotations for Python, as thrace/annotate.h has them for C: what a program's threads work on, in the trace of
`thrace record`. thrace-annotate(3) describes them.

    import thrace

    with thrace.task("request"):
        with thrace.region("parse"):
            ...
        thrace.log("cache", "%d of %d found", hits, asked)

Nothing has to be installed: copy this file beside the program. Without thrace nothing happens, but that once in a second
it is looked for: `thrace attach` may have brought it, and then what is annotated is heard within a second. Names and
messages are str or bytes. Python 3.6 or later. Since: 0.1.
"""

import ctypes
import functools
import os
import time

__all__ = [
    "adopt", "carry", "count", "enabled", "label", "log", "region", "region_begin", "region_end", "task", "task_adopt",
    "task_begin", "task_current", "task_end",
]


def _functions(library):
    text, number = ctypes.c_char_p, ctypes.c_uint64
    found = {}
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
        function = found["_" + name] = getattr(library, "thrace_annotate_" + name)
        function.restype = result
        function.argtypes = arguments
    return found


def _find():
    """The library's functions; None: it is not loaded. What came later is found by its name only."""
    for name, mode in (None, ctypes.DEFAULT_MODE), ("libthrace-preload.so", getattr(os, "RTLD_NOLOAD", None)):
        try:
            # PyDLL keeps the interpreter's lock: to give it away and take it again would take longer than any of these.
            return _functions(ctypes.PyDLL(name, mode))
        except (AttributeError, OSError, TypeError):
            continue
    return None


def _nothing(*_):
    return 0


_enabled = _task_begin = _task_end = _task_current = _task_adopt = _nothing
_region_begin = _region_end = _log = _count = _label = _nothing
_library = None
_next_look = 0.0


def _look():
    """Is the library there by now?"""
    global _library, _next_look
    now = time.monotonic()
    if now < _next_look:
        return False
    _next_look = now + 1
    found = _find()
    if found:
        globals().update(found)
        _library = found
    return bool(found)


_look()


def _encoded(text):
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "replace")


def enabled():
    """Is anything recorded right now?"""
    return bool((_library or _look()) and _enabled())


def task_begin(name, parent=None):
    """Begins a task, a part of the one that the calling thread works for, or of parent. Returns its number."""
    if not (_library or _look()):
        return 0
    return _task_begin(_encoded(name), _task_current() if parent is None else parent)


def task_end(task):
    """Ends the task of that number, on any thread."""
    _task_end(task)


def task_current():
    """The number of the task that the calling thread works for; 0: none."""
    return _task_current()


def task_adopt(task):
    """From now on the calling thread works for the task of that number. Returns that of the one before."""
    return _task_adopt(task)


def region_begin(name):
    """Begins a region of the calling thread."""
    if _library or _look():
        _region_begin(_encoded(name))


def region_end():
    """Ends the calling thread's innermost region."""
    _region_end()


def log(category, message, *arguments):
    """A message in a category. With arguments it is message % arguments, made only when something is recorded."""
    if enabled():
        _log(_encoded(category), _encoded(message % arguments if arguments else message))


def count(name, value):
    """What a counter shows now."""
    if _library or _look():
        _count(_encoded(name), int(value))


def label(name):
    """Labels the calling thread from now on."""
    if _library or _look():
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
        self._name = name

    def _anew(self):
        return self

    def __enter__(self):
        if _library or _look():
            _region_begin(_encoded(self._name))
        return self

    def __exit__(self, *_):
        _region_end()


class adopt(_Block):
    """The thread works for the task of that number."""

    __slots__ = ("id", "_before")

    def __init__(self, task):
        self.id = task

    def _anew(self):
        return adopt(self.id)

    def __enter__(self):
        self._before = _task_adopt(self.id)
        return self

    def __exit__(self, *_):
        _task_adopt(self._before)


class task(adopt):
    """A task that the thread works for; its number is id."""

    __slots__ = ("_name", "_parent")

    def __init__(self, name, parent=None):
        adopt.__init__(self, 0)
        self._name = name
        self._parent = parent

    def _anew(self):
        return task(self._name, self._parent)

    def __enter__(self):
        self.id = task_begin(self._name, self._parent)
        return adopt.__enter__(self)

    def __exit__(self, *_):
        _task_end(self.id)
        adopt.__exit__(self)


def carry(function):
    """The function, for another thread to call: that works meanwhile for the task that the calling thread works for."""
    return adopt(_task_current())(function) if _library else function
