"""The parts of `seventeen_measures.py`: documents, search, tables, and the page that is written."""
