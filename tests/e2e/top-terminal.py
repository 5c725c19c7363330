"""
top-terminal.py THRACE PID [visit OPTION...]: uses thrace top on a terminal of 80 by 24, as somebody would who looks for
a deadlock; or for locks, in a process that is not recorded.
"""
import fcntl, os, pty, re, select, struct, sys, termios, time

ROWS, COLUMNS, PATIENCE = 24, 80, 120


class Screen:
    """What a terminal shows. It knows what thrace top writes, and nothing else."""

    def __init__(self):
        self.lines, self.row, self.column, self.left, self.bad = [""] * ROWS, 0, 0, "", []
        self.own = self.cursor = False

    def complain(self, text):
        if self.own:  # what is said before, and after, may be of any length
            self.bad.append(text)

    def sequence(self, text):
        if text in ("[?1049h", "[?1049l"):
            self.own = text.endswith("h")
        elif text in ("[?25h", "[?25l"):
            self.cursor = text.endswith("h")
        elif text == "[H":
            self.row = self.column = 0
        elif text == "[K":
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif text == "[J":
            self.lines[self.row] = self.lines[self.row][:self.column]
            self.lines[self.row + 1:] = [""] * (ROWS - self.row - 1)
        elif re.fullmatch(r"\[\d+;1H", text):
            self.row, self.column = int(text[1:-3]) - 1, 0
        elif not re.fullmatch(r"\[[0-9;]*m", text):
            self.bad.append("sequence %r" % text)

    def take(self, text):
        text = self.left + text
        at = 0
        while at < len(text):
            c = text[at]
            if c == "\033":
                m = re.match(r"\[[0-9;?]*[A-Za-z]", text[at + 1:])
                if not m:
                    break
                self.sequence(m.group())
                at += m.end()
            elif c == "\r":
                self.column = 0
            elif c == "\n":
                self.row += 1
                if self.row >= ROWS:
                    self.complain("it scrolls")
                    self.row = ROWS - 1
            else:
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = line[:self.column] + c + line[self.column + 1:]
                self.column += 1
                if self.column > COLUMNS or c < " ":
                    self.complain("a line is too long, or has %r" % c)
            at += 1
        self.left = text[at:]


class Terminal:
    """thrace top on it, with these arguments, and who sits there."""

    def __init__(self, thrace, arguments):
        self.screen = Screen()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ.update(TERM="xterm", LANG="C.UTF-8")
            os.execv(thrace, [thrace, "top"] + arguments)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def read(self, seconds):
        if select.select([self.fd], [], [], seconds)[0]:
            self.screen.take(os.read(self.fd, 1 << 16).decode(errors="replace"))

    def shows(self, what, pattern, without=None):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            self.read(0.2)
            text = "\n".join(self.screen.lines)
            if re.search(pattern, text, re.M) and not (without and re.search(without, text, re.M)):
                return
        raise SystemExit("%s: not shown:\n%s" % (what, "\n".join(self.screen.lines)))

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def is_left(self):
        self.press("q")
        until = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < until:
                self.read(0.1)
        except OSError:
            pass  # nobody has the terminal any more
        if time.monotonic() >= until:
            os.kill(self.pid, 9)
        status = os.waitpid(self.pid, 0)
        if status != (self.pid, 0):
            raise SystemExit("status %s of %s" % (status, self.pid))
        if self.screen.own or not self.screen.cursor:
            raise SystemExit("the terminal has not its own screen again")
        if self.screen.bad:
            raise SystemExit("; ".join(self.screen.bad[:5]))
        print("the terminal shows what it should")


def looks_for_deadlock(terminal):
    shows, press, screen = terminal.shows, terminal.press, terminal.screen
    shows("the first screen", r"^Threads$")
    if not screen.own or screen.cursor:
        raise SystemExit("it has no screen of its own")
    if termios.tcgetattr(terminal.fd)[3] & (termios.ICANON | termios.ECHO):
        raise SystemExit("keys do not come one by one")
    press("l")
    shows("locks", r"mutex accounts\[\d\]\.lock", r"^Threads$")
    press("t")
    shows("threads", r"^Threads$")
    press(">")
    shows("sorted by time", r"is +for$")
    press(">")
    shows("sorted by name", r"is +for\n *[-\d.]+ [%\s]*> *[\d.]+ \w+ +\d+ +accepter|is +for\n.* accepter ")
    press("\033[B\033[B")
    shows("scrolled", r"^ *CPU|accepter|again", r"^stuck")
    press("\033[A\033[A\033[A")
    shows("scrolled back", r"^stuck \(")
    press("/mö\x7fover\n")  # the whole letter goes
    shows("filtered", r"only threads that match mover(.|\n)*mover 2", r"taker|worker")
    press("/taker")
    shows("a filter that is written", r"whose names match: taker_")
    press("\033")
    shows("and left as it was", r"only threads that match mover", r"whose names match: ")
    press("/\n")
    shows("not filtered any more", r"taker", r"only threads")
    press("/(\n")
    shows("a wrong expression", r"\(: no regular expression")
    press(" ")
    shows("held", r"held; space goes on")
    press(" ")
    press("s")
    shows("stacks", r"^Deadlock: mover 1")
    press("x")
    shows("back", r"^Threads$")
    press("S")
    shows("a snapshot", r"no flight recorder runs there")
    press("a")
    shows("all", r"^Locks$")


def visits(terminal):
    """Of a process that is not recorded: locks that are contended."""
    shows, press = terminal.shows, terminal.press
    shows("the first screen", r"^attached to for the while, detached from at the end$")
    press("l")
    shows("locks", r"mutex contended \(attached\.c:\d+\)")
    shows("their holders", r"held by locks")
    press("S")
    shows("a snapshot", r"snapshot: .*attached\.\d+\.trace")
    press("t")
    shows("threads", r"^Threads$")


def main(thrace, number, *arguments):
    terminal = Terminal(thrace, list(arguments[1:]) + [number])
    visits(terminal) if arguments else looks_for_deadlock(terminal)
    terminal.is_left()


main(*sys.argv[1:])
