"""How different colours look to people with and without a deficiency of colour vision.

Deficiencies are simulated by the matrices of Machado, Oliveira and Fernandes (2009) at full
severity; differences are CIE's ΔE of 1976 in L*a*b* under D65. Below about 10 two colours of small
marks are hard to tell apart.
"""

from itertools import combinations

import numpy as np

SIMULATED = {
    "full colour vision": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip
"""Matrices on linear RGB."""
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip


def linear(colour):
    """#RRGGBB as linear RGB."""
    rgb = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Linear RGB as L*a*b*."""
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / (TO_XYZ @ np.ones(3))
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def seen(colour, vision):
    """A colour as L*a*b* to somebody with this vision."""
    return lab(SIMULATED[vision] @ linear(colour))


def difference(one, other, vision):
    """ΔE of two colours."""
    return float(np.linalg.norm(seen(one, vision) - seen(other, vision)))


def least_difference(colours, vision):
    """The two colours that look most alike, and how different they are."""
    return min((difference(*pair, vision), pair) for pair in combinations(colours, 2))


def lightness(colour):
    """L*, between 0 and 100."""
    return float(lab(linear(colour))[0])
