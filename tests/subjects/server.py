"""Clients and servers in one program: sockets, queues, locks and conditions between threads, for so many seconds."""

import queue
import socket
import sys
import threading
import time

# More workers than there is work for: most of the time most of them wait for some.
CLIENTS, WORKERS = 3, 10


def main():
    end = time.monotonic() + float(sys.argv[1])
    work = queue.Queue(maxsize=8)
    totals = {"asked": 0, "answered": 0}
    totals_lock = threading.Lock()
    done = threading.Condition()
    wrong = []

    def serve(connection):
        with connection, connection.makefile("rwb") as stream:
            for line in stream:
                work.put((stream, int(line)))

    def work_off():
        while (item := work.get()) is not None:
            stream, number = item
            stream.write(b"%d\n" % (number * number))
            stream.flush()
            with totals_lock:
                totals["answered"] += 1

    def ask(address, first):
        with socket.create_connection(address) as connection, connection.makefile("rwb") as stream:
            number = first
            while time.monotonic() < end:
                stream.write(b"%d\n" % number)
                stream.flush()
                if int(stream.readline()) != number * number:
                    wrong.append(number)
                with totals_lock:
                    totals["asked"] += 1
                number += CLIENTS
                if number % 200 == first:
                    time.sleep(0.01)
        with done:
            clients_left.remove(first)
            done.notify_all()

    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        for _ in range(CLIENTS):
            connection, _ = listener.accept()
            threads.append(threading.Thread(target=serve, args=(connection,)))
            threads[-1].start()

    clients_left = set(range(CLIENTS))
    threads = [threading.Thread(target=work_off) for _ in range(WORKERS)] + [threading.Thread(target=accept)]
    threads += [threading.Thread(target=ask, args=(listener.getsockname(), n)) for n in range(CLIENTS)]
    for thread in list(threads):
        thread.start()
    with done:
        done.wait_for(lambda: not clients_left)
    for _ in range(WORKERS):
        work.put(None)
    for thread in threads:
        thread.join()
    print("all answers were right" if not wrong and totals["asked"] == totals["answered"] else "something was wrong")
    print(totals["answered"], "answers")


main()
