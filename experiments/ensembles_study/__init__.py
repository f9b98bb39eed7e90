"""Topic modelling ensembles: the corpora, both phases with their times, the scores, the page."""
