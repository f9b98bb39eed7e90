"""What pictures of topics show, as numbers: who is near whom, in which order, with which words."""
