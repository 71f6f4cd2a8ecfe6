"""The command on a terminal."""

import fcntl
import os
import pty
import select
import struct
import termios

from commands import command
from forks import Popen


def on_a_terminal(words):
    """What a command writes to a terminal, and its status."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    process = Popen(command(*words), stdin=its, stdout=its, stderr=its)
    os.close(its)
    text = b""
    while True:
        ready, *_ = select.select([ours], [], [], 60)
        try:
            more = os.read(ours, 65536) if ready else b""
        except OSError:  # the other end was closed
            more = b""
        if not more:
            break
        text += more
    os.close(ours)
    return text.decode(), process.wait(60)
