"""Which lines have run, noted by ``sys.monitoring`` (Python 3.12 or later).

As a profiler: beside a debugger or coverage astad runs other texts.
"""

import sys

TOOL = 2


class Reached:
    """The lines in functions of some folders that have run: each tells once, then costs nothing.

    Attributes
    ----------
    lines : set of (str, int)
        File and number.
    """

    def __init__(self, folders):
        self.folders = tuple(map(str, folders))
        self.lines = set()

    def __enter__(self):
        watch = sys.monitoring
        watch.use_tool_id(TOOL, "reached")
        watch.register_callback(TOOL, watch.events.LINE, self._line)
        watch.set_events(TOOL, watch.events.LINE)
        return self

    def __exit__(self, *error):
        watch = sys.monitoring
        watch.set_events(TOOL, watch.events.NO_EVENTS)
        watch.free_tool_id(TOOL)

    def _line(self, code, line):
        if code.co_filename.startswith(self.folders) and code.co_name != "<module>":
            self.lines.add((code.co_filename, line))
        return sys.monitoring.DISABLE

    def forget(self):
        """From now on: every line tells again."""
        self.lines.clear()
        sys.monitoring.restart_events()
