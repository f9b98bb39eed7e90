"""Topics that other programs found, as subjects of Chatham's measures."""
