"""The explorer: topics, their documents and what people think of them, on one page, offline."""
