"""Topics that other programs found, as subjects of our measures."""
