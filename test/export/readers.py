"""Readers of what the program exports, written from the descriptions of the formats: {stack: weight}."""


def folded_label(label):
    return label.translate({ord(";"): ":", ord("\n"): " ", ord("\r"): " ", 0: " "})


def folded(data):
    """Brendan Gregg's collapsed stacks: frames divided by semicolons, a blank, a number."""
    sums = {}
    for line in data.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        stack, weight = line.rsplit(" ", 1)
        key = tuple(stack.split(";"))
        assert key not in sums, f"a stack stands there twice: {stack}"
        sums[key] = int(weight)
    return sums


def as_folded(sums):
    """What folded stacks can say of a profile."""
    result = {}
    for path, value in sums.items():
        key = tuple(folded_label(label) for label in path)
        result[key] = result.get(key, 0) + value
    return result
