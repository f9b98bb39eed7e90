"""The parts of `hulls.py`: corpora, anchors, models with their scores, picture and page."""
