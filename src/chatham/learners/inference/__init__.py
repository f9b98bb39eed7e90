"""Document inference: the weights of each document under fixed topics (Lee 2018, chapter 4)."""

from chatham.learners.inference.base import Inference
from chatham.learners.inference.least_squares import LeastSquares
from chatham.learners.inference.linear import SPI, TLI, coefficients, left_inverse
from chatham.learners.inference.methods import inference_by
from chatham.learners.inference.padd import PADD, learn_dual, topic_moments
from chatham.learners.settings.inference import METHODS

__all__ = [
    "METHODS",
    "PADD",
    "SPI",
    "TLI",
    "Inference",
    "LeastSquares",
    "coefficients",
    "inference_by",
    "learn_dual",
    "left_inverse",
    "topic_moments",
]
