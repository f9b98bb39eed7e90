"""From files to tables of texts, or to bags of words already counted."""
