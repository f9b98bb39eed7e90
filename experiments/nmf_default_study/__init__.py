"""Which of NMF's settings suit text: the corpora, the settings, the trials, the page."""
