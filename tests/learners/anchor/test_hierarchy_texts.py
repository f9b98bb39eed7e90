"""The tree and the graph of a hierarchy that is known."""

import numpy as np

from chatham.learners.anchor.hierarchy import build_hierarchy


def test_the_tree_and_the_graph_of_blocks():
    hierarchy = build_hierarchy(np.kron([[0.5, 0.1], [0.1, 0.3]], np.full((2, 2), 0.25)), [2])
    words = [[["tea"], ["milk"], ["rain"], ['"\\\x1b']], [["sky"], ["drink"]]]
    sky, drink = (hierarchy.main_parents(2)[topic] for topic in (2, 0))
    words[1] = [["sky"], ["drink"]] if sky < drink else [["drink"], ["sky"]]
    assert hierarchy.show(words).splitlines() == [
        f"0.60 level 2 topic {drink}: drink",
        "  0.50 topic 0: tea",
        "  0.50 topic 1: milk",
        f"0.40 level 2 topic {sky}: sky",
        "  0.50 topic 2: rain",
        r'  0.50 topic 3: "\\x1b',
    ]
    dot = hierarchy.to_dot(words)
    assert dot.startswith("digraph hierarchy {")
    assert dot.endswith("}\n")
    assert dot.count("->") == 4
    assert f"t2_{drink} -> t1_1 [penwidth=3.50" in dot
    assert r't1_3 [label="topic 3: \"\\\\x1b"];' in dot
