"""Runs where the code under test is. Every process of tests that connects gets a process of its own that loads the code,
calls it, and answers with values. It knows nothing of the tests but the arguments that they pass.

    python3 -I serve.py <parent, or 0> <milliseconds it may run> <socket>
"""

import os
import signal
import socket
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import code_side  # noqa: E402


def serve(place):
    server = socket.socket(socket.AF_UNIX)
    server.bind(place + "-")
    server.listen(64)
    # It has its name when it listens, not before.
    os.rename(place + "-", place)
    while True:
        connection, _ = server.accept()
        child = os.fork()
        if child == 0:
            server.close()
            code_side.answer_all(connection)
            os._exit(0)
        threading.Thread(target=report_end, args=(child, connection), daemon=True).start()


def report_end(child, connection):
    _, status = os.waitpid(child, 0)
    reason = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit code {os.WEXITSTATUS(status)}"
    try:
        connection.sendall(('{"ended": "%s"}\n' % reason).encode())
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()


def end_all():
    """Ends everything of this run: what code started may have left the group of this process, but it has its mark."""
    mark = f"JURIST_RUN={os.environ.get('JURIST_RUN')}".encode()
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
        try:
            if entry.isdigit() and entry != str(os.getpid()):
                with open(f"/proc/{entry}/environ", "rb") as environment:
                    if mark in environment.read().split(b"\0"):
                        os.kill(int(entry), signal.SIGKILL)
        except OSError:
            pass  # It has ended, or belongs to another user.
    # Zero: everything in the group of this process, of which it is the first.
    os.killpg(0, signal.SIGKILL)


def end_with(parent, most_seconds):
    """Ends with the process that started it, however that ended, and takes the code with it: code may loop."""
    end = time.monotonic() + most_seconds
    # In a container nothing shows that the one that started it has gone.
    while os.getppid() == parent and time.monotonic() < end:
        time.sleep(0.5)
    end_all()


parent, most_ms, place = sys.argv[1:]
threading.Thread(target=end_with, args=(int(parent) or os.getppid(), int(most_ms) / 1000), daemon=True).start()
serve(place)
