"""docs/notebook/*.ipynb: the cells, run in their order, give the outputs that are stored in the notebook.

TS_REBASELINE=1 stores what they give now. What a front end does is done here: the last expression of a cell is shown as text and, where it
has one, as HTML. Cells with the tag "pandas" are left out where there is no pandas; of what pandas shows only the text is compared.
"""

import ast
import contextlib
import glob
import importlib.util
import io
import json
import os

import common
from common import SOURCE, Case

FOLDER = os.path.join(SOURCE, "docs", "notebook")
HAS_PANDAS = importlib.util.find_spec("pandas") is not None


def lines(text):
    return text.splitlines(True)


def shown(value):
    """What Jupyter stores of a value."""
    data = {"text/plain": lines(repr(value))}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = lines(value._repr_html_())
    return data


def run_cell(source, names, count):
    """The outputs of a cell."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out, value = io.StringIO(), None
    with contextlib.redirect_stdout(out):
        exec(compile(tree, f"cell {count}", "exec"), names)  # the examples of this repository
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    outputs = []
    if out.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(out.getvalue())})
    if value is not None:
        outputs.append({"data": shown(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return outputs


def comparable(outputs, pandas):
    """Without what differs from version to version of pandas."""
    found = []
    for output in outputs:
        data = output.get("data", {})
        if pandas and "text/html" in data:
            output = {**output, "data": {"text/plain": [line.split() for line in data["text/plain"]]}}
        found.append(output)
    return found


class Notebooks(Case):
    def test_outputs(self):
        notebooks = sorted(glob.glob(os.path.join(FOLDER, "*.ipynb")))
        self.assertTrue(notebooks)
        os.chdir(FOLDER)
        for path in notebooks:
            with self.subTest(path):
                self.notebook(path)

    def notebook(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        book = json.loads(text)
        self.assertEqual((book["nbformat"], book["nbformat_minor"]), (4, 5))
        names = {"__name__": "__main__"}
        ids, count, compared = set(), 0, 0
        for cell in book["cells"]:
            self.assertNotIn(cell["id"], ids)
            ids.add(cell["id"])
            self.assertIn(cell["cell_type"], ("markdown", "code"))
            if cell["cell_type"] == "markdown":
                continue
            count += 1
            pandas = "pandas" in cell["metadata"].get("tags", [])
            if pandas and not HAS_PANDAS:
                continue
            outputs = run_cell("".join(cell["source"]), names, count)
            compared += len(outputs)
            if os.environ.get("TS_REBASELINE"):
                cell["outputs"], cell["execution_count"] = outputs, count
                continue
            self.assertEqual(cell["execution_count"], count)
            self.assertEqual(comparable(cell["outputs"], pandas), comparable(outputs, pandas), f"cell {count}")
        self.assertGreater(compared, 3)
        print(f"{os.path.basename(path)}: {count} cells, {compared} outputs{'' if HAS_PANDAS else ', without pandas'}")
        if os.environ.get("TS_REBASELINE"):
            with open(path, "w", encoding="utf-8") as f:
                f.write(json.dumps(book, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    common.main()
