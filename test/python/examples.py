"""The examples of docs/python.md, run as doctests in a copy of test/data; those after <!-- pandas --> only where there is pandas."""

import doctest
import importlib.util
import os
import re
import shutil

import common
from common import DATA, SOURCE, Case

HAS_PANDAS = importlib.util.find_spec("pandas") is not None


class Examples(Case):
    def test_examples(self):
        with open(os.path.join(SOURCE, "docs", "python.md"), encoding="utf-8") as f:
            text = f.read()
        data = shutil.copytree(DATA, self.path("data"))
        os.chdir(data)
        names = {}
        runner = doctest.DocTestRunner()
        blocks = re.findall(r"(<!-- pandas -->\n)?```pycon\n(.*?)^```", text, re.M | re.S)
        self.assertEqual(text.count("```pycon"), len(blocks))
        for n, (pandas, block) in enumerate(blocks):
            if pandas and not HAS_PANDAS:
                continue
            test = doctest.DocTestParser().get_doctest(block, names, f"block {n + 1}", "python.md", 0)
            runner.run(test, clear_globs=False)
            names.update(test.globs)
        self.assertEqual(runner.summarize().failed, 0)
        self.assertGreater(runner.tries, 15)
        self.assertEqual(sorted(os.listdir(data)), sorted(os.listdir(DATA)))
        os.chdir("/")


if __name__ == "__main__":
    common.main()
