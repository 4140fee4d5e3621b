"""The command line. Whatever goes wrong ends in one line on standard error and an exit code, never in a traceback.

Exit codes: 0 done, 1 a gate (``--fail-under``, ``--fail-if-worse``) failed, 2 bad input, 3 a fault of assay, 130 interrupted.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any, NoReturn, cast

BAD_INPUT, OUR_FAULT, INTERRUPTED, PIPE_CLOSED, TERMINATED = 2, 3, 130, 141, 143
LONGEST_WORD = 200


class StoppedError(Exception):
    """Ctrl-C in a command that has something better to say about it than that no result was written."""


def main(arguments: Sequence[str] | None = None) -> None:
    """The entry point."""
    if not os.environ.get("COLUMNS", "1").strip("0"):  # some shells and schedulers say 0, and nothing fits into that
        del os.environ["COLUMNS"]
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _terminated)
    _reopen()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show ≤ shows ? instead of failing
            stream.reconfigure(errors="replace")
    sys.exit(run(arguments))


def _reopen() -> None:
    """Streams that came closed (``>&-``), where Python has None.

    Writing to standard output fails as on a full disk, and does so in time for the exit code; complaints go nowhere.
    """
    if cast(Any, sys.stdout) is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115
    if cast(Any, sys.stderr) is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _terminated(number: int, frame: object) -> NoReturn:
    """End as after Ctrl-C, so that worker processes and half-written files are cleared away."""
    raise SystemExit(TERMINATED)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    from assay.core.errors import AssayError

    try:
        code = _dispatch(arguments)
        sys.stdout.flush()  # a full disk shows here, not when Python ends
        return code
    except AssayError as error:
        return complain(str(error))
    except StoppedError as stopped:
        return complain(str(stopped), INTERRUPTED)
    except KeyboardInterrupt:
        return complain("interrupted; no result was written.", INTERRUPTED)
    except BrokenPipeError:  # the reader has gone, as in `assay list | head`: nothing to say, and nobody to hear it
        _silence()
        return PIPE_CLOSED
    except OSError as error:  # a full disk, a file that vanished: the machine's doing, not ours
        _silence()
        why = "is closed" if error.errno == errno.EBADF else error.strerror or error
        return complain(f"{error.filename or 'standard output'}: {why}.")
    except Exception as error:
        if os.environ.get("ASSAY_DEBUG"):
            raise
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        return complain(
            f"this is our fault, not yours ({what}). Please report it; ASSAY_DEBUG=1 shows where it happened.",
            OUR_FAULT,
        )


def _silence() -> None:
    """Send what is still to be written to standard output nowhere: Python would try again at its end, and fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(arguments: Sequence[str] | None) -> int:
    import typer

    from assay.cli import config, settings
    from assay.cli.app import app, options_of

    settings.reset()
    given = sys.argv[1:] if arguments is None else list(arguments)
    file = config.found(config.named_in(given))
    more: dict[str, Any] = {} if file is None else {"default_map": config.defaults(*file, options_of())}
    # typer may come with its own copy of click or with the real one: the base of its errors is the same class in both.
    usage_error = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])
    try:
        result = app(args=given, prog_name="assay", standalone_mode=False, **more)
        if result == INTERRUPTED:  # typer takes Ctrl-C for a quiet exit
            raise KeyboardInterrupt
        if file is not None:
            settings.detail(f"options were read from {file[0]}.")
        return result if isinstance(result, int) else 0
    except typer.Abort:
        raise KeyboardInterrupt from None
    except usage_error as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "assay"
        message = " ".join(str(error.format_message()).split()).replace("?.", "?")
        if not message:  # no command was given: the help has been shown instead
            return 0
        return complain(
            f"{message}{'' if message.endswith(('.', '?')) else '.'} `{command} --help` shows what there is."
        )


def complain(message: str, code: int = BAD_INPUT) -> int:
    """One line on standard error; the exit code comes back."""
    from assay.core.escaping import visible

    print(f"assay: {visible(' '.join(map(_short, message.split())))}", file=sys.stderr)  # noqa: T201
    return code


def _short(word: str) -> str:
    """A header or cell of any length, as far as it helps to find it."""
    return word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD // 2]}… ({len(word):,} characters)"
