"""Document inference: the weights of each document under fixed topics (Lee 2018, chapter 4)."""

from chatham.models.inference.base import Inference
from chatham.models.inference.infer import METHODS, infer, inference_by
from chatham.models.inference.inverse import left_inverse
from chatham.models.inference.least_squares import LeastSquares
from chatham.models.inference.linear import SPI, TLI, coefficients
from chatham.models.inference.padd import PADD, learn_dual, topic_moments

__all__ = [
    "METHODS",
    "PADD",
    "SPI",
    "TLI",
    "Inference",
    "LeastSquares",
    "coefficients",
    "infer",
    "inference_by",
    "learn_dual",
    "left_inverse",
    "topic_moments",
]
