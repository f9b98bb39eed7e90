"""Topics by group and over time: documents fall into cells, and what is told of a cell is a sum."""
