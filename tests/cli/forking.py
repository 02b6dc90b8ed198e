"""The command run to its end in a process that was forked from one which has loaded all commands already.

A third to nine tenths of a second of a core is what loading takes each time it is run, and tests run it by the hundred.
Whoever forks has parsed nothing, opened nothing and started no thread: a process that comes from it differs from one
that was started by what it need not load. It has arguments, an environment, a folder and pipes of its own. What Python
itself reads from its environment counts for nothing here: who sets it starts a program.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import io
import json
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from select import select
from signal import SIGKILL
from subprocess import CompletedProcess, TimeoutExpired
from tempfile import TemporaryDirectory
from typing import NoReturn

ROOT = Path(__file__).parents[2]
COMMAND = "services.cli.main"
OF_PYDANTIC = ("litestar.plugins.pydantic",) if find_spec("pydantic") else ()
"""What Litestar loads where there is a pydantic: py4swiss, which has no wheel for every machine, brings it."""
AS_IT_STARTS = ("uvicorn.lifespan.on", "uvloop", *OF_PYDANTIC)
"""What a program that serves loads besides, as it starts: a quarter of its time."""
NUMBER = 8
"""Bytes of a length, a process or a code."""
GIVEN_MAX = 60_000
"""Bytes that a pipe takes before anybody reads."""


# ---- who asks -----------------------------------------------------------------------------------


def run(
    address: str, arguments: Sequence[str], environment: Mapping[str, str], given: str | None, within_s: float
) -> CompletedProcess[str]:
    """Run the command to its end, as `subprocess.run` would.

    Args:
        address: Where somebody forks.
        arguments: What stands behind the name of the command.
        environment: All of it.
        given: What it reads; nothing if there is none.
        within_s: Seconds after which it is killed, and `TimeoutExpired` raised as `subprocess` does.
    """
    said = (given or "").encode()
    assert len(said) <= GIVEN_MAX
    (reads, giving), (hears, says), (hears_aside, says_aside) = os.pipe(), os.pipe(), os.pipe()
    os.write(giving, said)
    os.close(giving)
    with begin(address, arguments, environment, (reads, says, says_aside)) as asking:
        for end in (reads, says, says_aside):
            os.close(end)
        with ThreadPoolExecutor(2) as readers:
            told = [readers.submit(_text_of, end) for end in (hears, hears_aside)]
            code = _code_of(asking, arguments, within_s)
            return CompletedProcess(list(arguments), code, *[each.result() for each in told])


def begin(
    address: str, arguments: Sequence[str], environment: Mapping[str, str], ends: tuple[int, int, int]
) -> socket.socket:
    """Let the command begin with these three as its input and outputs.

    Returns:
        What says which process it is, and when it has ended how, each in `NUMBER` bytes.
    """
    asking = socket.socket(socket.AF_UNIX)
    asking.connect(address)
    body = json.dumps([list(arguments), dict(environment)]).encode()
    socket.send_fds(asking, [len(body).to_bytes(NUMBER)], list(ends))
    asking.sendall(body)
    return asking


class ForkedCommand:
    """The command while it runs, as a process of `subprocess` that is talked to in lines; it says all in one place.

    Attributes:
        stdin: What it reads.
        stdout: What it says, aside as well.
        pid: Its process.
    """

    def __init__(self, address: str, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Begin it; the arguments are those of `run`."""
        (reads, giving), (hears, says) = os.pipe(), os.pipe()
        self.stdin, self.stdout = os.fdopen(giving, "w", encoding="utf-8"), os.fdopen(hears, encoding="utf-8")
        self._asking, self._arguments = begin(address, arguments, environment, (reads, says, says)), arguments
        for end in (reads, says):
            os.close(end)
        self._code: int | None = None
        self.pid = int.from_bytes(read_exactly(self._asking, NUMBER))

    def kill(self) -> None:
        """End it, unless it has ended."""
        if self._code is None and not select([self._asking], [], [], 0)[0]:
            os.kill(self.pid, SIGKILL)

    def wait(self, timeout: float) -> int:
        """Return how it ended; who has waited so many seconds kills it, as `run` does."""
        if self._code is None:
            self._code = _ended(self._asking, self.pid, self._arguments, timeout)
            self._asking.close()
        return self._code


def _text_of(end: int) -> str:
    with open(end, encoding="utf-8") as file:
        return file.read()


def _code_of(asking: socket.socket, arguments: Sequence[str], within_s: float) -> int:
    return _ended(asking, int.from_bytes(read_exactly(asking, NUMBER)), arguments, within_s)


def _ended(asking: socket.socket, process: int, arguments: Sequence[str], within_s: float) -> int:
    asking.settimeout(within_s)
    try:
        return int.from_bytes(read_exactly(asking, NUMBER), signed=True)
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.kill(process, SIGKILL)
        raise TimeoutExpired(list(arguments), within_s) from None


def read_exactly(peer: socket.socket, length: int) -> bytes:
    """Return the next so many bytes."""
    found = b""
    while len(found) < length:
        more = peer.recv(length - len(found))
        assert more, "whoever forks has gone"
        found += more
    return found


# ---- who forks ----------------------------------------------------------------------------------


@asynccontextmanager
async def forker(_folder: Path) -> AsyncIterator[dict[str, str]]:
    """Somebody who forks for all workers of a run."""
    with TemporaryDirectory(prefix="truecup-") as short:
        # The path of a socket has a hundred bytes at most, and the folder of a run's files may be deep.
        address = str(Path(short) / "commands")
        # Not in the group of whoever presses Ctrl-C: it ends with the other servers of the run, or when its pipe does.
        pipe, argv = asyncio.subprocess.PIPE, [sys.executable, "-m", "tests.cli.forking", address]
        program = await asyncio.create_subprocess_exec(*argv, cwd=ROOT, stdin=pipe, stdout=pipe, process_group=0)
        assert program.stdout is not None
        try:
            assert await program.stdout.readline() == b"forks\n"
            yield {"address": address}
        finally:
            program.kill()
            await program.wait()


def main() -> None:
    """Load every command, and fork for whoever asks."""
    command = import_module(COMMAND)
    for place in [*command.PLACES.values(), *AS_IT_STARTS]:
        import_module(place.partition(":")[0])
    # What a process of a pool begins with is what the program began with.
    sys.modules["__main__"] = command
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.argv[1])
        listening.listen(64)
        print("forks", flush=True)  # noqa: T201 - to whoever waits
        while listening.fileno() in select([listening.fileno(), 0], [], [])[0]:
            peer, _ = listening.accept()
            _reap()
            if os.fork() == 0:
                _watch(peer)
            peer.close()


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _watch(peer: socket.socket) -> None:
    """Fork the process itself, and say which it is and how it ended; in that process, be the command."""
    length, ends, _, _ = socket.recv_fds(peer, NUMBER, 3)
    arguments, environment = json.loads(read_exactly(peer, int.from_bytes(length)))
    process = os.fork()
    if process == 0:
        peer.close()
        _become(arguments, environment, ends)
    for end in ends:
        os.close(end)
    with suppress(BrokenPipeError):
        peer.sendall(process.to_bytes(NUMBER))
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        peer.sendall(code.to_bytes(NUMBER, signed=True))
    os._exit(0)


def _become(arguments: list[str], environment: dict[str, str], ends: list[int]) -> NoReturn:
    for end, standard in zip(ends, (0, 1, 2), strict=True):
        os.dup2(end, standard)
        os.close(end)
    os.environ.clear()
    os.environ.update(environment)
    # As Python opens them where the language is C.UTF-8 and nothing is to be kept back.
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), "utf-8", "surrogateescape")
    sys.stdout = _written(1, "surrogateescape")
    sys.stderr = _written(2, "backslashreplace")
    command = sys.modules["__main__"]
    sys.argv[:] = [str(command.__file__), *arguments]
    try:
        command.main()
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        _leave(ended.code or 0)
    _leave(0)


def _leave(code: int) -> NoReturn:
    """End as Python does, but for taking apart all that is loaded, which has been written to nothing.

    Nothing of what was said waits: it was written through.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001 - waits for threads, which nothing else does
    atexit._run_exitfuncs()  # noqa: SLF001 - likewise
    os._exit(code)


def _written(end: int, errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.FileIO(end, "w"), "utf-8", errors, write_through=True)


if __name__ == "__main__":
    main()
