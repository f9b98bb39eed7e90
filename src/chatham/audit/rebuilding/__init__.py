"""Rebuilding: attacks that return documents, or parts of them, from what a coalition sees."""

from chatham.audit.rebuilding.exposing import Exposed, findings_of
from chatham.audit.rebuilding.finding import Certificate, Finding
from chatham.audit.rebuilding.known import Effort, Known
from chatham.audit.rebuilding.rebuild import rebuild

__all__ = ["Certificate", "Effort", "Exposed", "Finding", "Known", "findings_of", "rebuild"]
