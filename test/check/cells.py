"""How many cells a reader has compared, said at its end."""


class Cells:
    def __init__(self):
        self.compared = 0

    def add(self, rows):
        """Rows of cells, in whatever they are nested; a text or number is one."""
        waiting = [rows]
        while waiting:
            v = waiting.pop()
            if isinstance(v, (tuple, list, set, frozenset)):
                waiting.extend(v)
            elif isinstance(v, dict):
                waiting.extend(v.values())
            else:
                self.compared += 1
        return rows

    def end(self, wrong, path):
        """The last word of a reader."""
        if wrong:
            raise SystemExit("%s: %s" % (path, wrong))
        print("%d cells compared" % self.compared)


cells = Cells()
