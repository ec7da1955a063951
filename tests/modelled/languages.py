"""languages.py: clocks and waits as Python makes them. Prints the name of each, the seconds that it should take, or a clock show, and
those that it does. The argument is the number of cores."""
import os
import queue
import select
import signal
import sys
import threading
import time

UNIT = 0.02


def show(name, work, clock=time.monotonic):
    begun = clock()
    work()
    print('%s\t%g\t%.6f' % (name, UNIT, clock() - begun))


def from_queue():
    try:
        queue.Queue().get(timeout=UNIT)
    except queue.Empty:
        pass


def joined():
    thread = threading.Thread(target=time.sleep, args=(UNIT,))
    thread.start()
    thread.join()


def from_pipe():
    ends = os.pipe()
    writer = threading.Thread(target=lambda: (time.sleep(UNIT), os.write(ends[1], b'x')))
    writer.start()
    os.read(ends[0], 1)
    writer.join()


def alarmed():
    signal.signal(signal.SIGALRM, lambda *unused: None)
    signal.setitimer(signal.ITIMER_REAL, UNIT)
    signal.pause()


show('time.sleep', lambda: time.sleep(UNIT), time.time)
show('time.perf_counter', lambda: time.sleep(UNIT), time.perf_counter)
show('time.monotonic', lambda: time.sleep(UNIT), time.monotonic)
show('Event.wait', lambda: threading.Event().wait(UNIT))
show('Queue.get', from_queue)
show('select.select', lambda: select.select([], [], [], UNIT))
show('Thread.join', joined)
show('os.read', from_pipe)
show('signal.pause', alarmed)
print('os.cpu_count\t%s\t%d' % (sys.argv[1], os.cpu_count()))
print('os.sched_getaffinity\t%s\t%d' % (sys.argv[1], len(os.sched_getaffinity(0))))
