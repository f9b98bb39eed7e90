"""The page."""


def page(records):
    """Later."""
    return ""
