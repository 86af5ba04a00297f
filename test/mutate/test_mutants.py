#!/usr/bin/env python3
"""What mutants.py makes of small texts, worked out by hand."""

import unittest

import mutants

C = '''#include <a.h>
/* if (x == 1) */
int f(int n)
{
    int k = 2; // k == 2
    if (n == 10 && !g("a == b"))
        k++;
    g(n, "x;");
    return n - k;
}
'''


def made(path, text):
    return {(line, old, new) for _, line, _, old, new, _ in mutants.of_text(path, text)}


class Mutants(unittest.TestCase):
    def test_c(self):
        self.assertEqual(made("a.c", C), {
            (5, "2", "3"), (5, "2", "0"),
            (6, "==", "!="), (6, "&&", "||"), (6, "10", "11"), (6, "10", "0"), (6, "!", ""),
            (6, 'n == 10 && !g("a == b")', '!(n == 10 && !g("a == b"))'),
            (7, "++", "--"), (7, "k++;", ";"),
            (8, 'g(n, "x;");', ";"),
            (9, "-", "+"),
        })

    def test_signs_and_pointers_stay(self):
        self.assertEqual(made("a.c", "int *f(char *p)\n{\n    return p->x(-y, &z);\n}\n"), set())

    def test_sql(self):
        self.assertEqual(made("v.sql", "-- a = b\nSELECT 'x = y', a + 1 FROM t WHERE b <= 0 AND c\n"), {
            (2, "+", "-"), (2, "1", "0"), (2, "<=", "<"), (2, "0", "1"), (2, "AND", "OR"),
        })

    def test_apply(self):
        for m in mutants.of_text("a.c", C):
            changed = mutants.apply(C, m)
            self.assertNotEqual(changed, C)
            self.assertEqual(len(changed) - len(C), len(m[4]) - len(m[3]))

    def test_equal_seeds_draw_equal_mutants(self):
        files = {"a.c": C, "b.c": C}
        self.assertEqual(mutants.sample(files, 5, 1), mutants.sample(files, 5, 1))
        self.assertNotEqual(mutants.sample(files, 5, 1), mutants.sample(files, 5, 2))
        self.assertEqual(len({m[:2] for m in mutants.sample(files, 8, 1)}), 8)


if __name__ == "__main__":
    unittest.main()
