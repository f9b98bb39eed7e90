"""The normalised secure sum: s/‖s‖ over direct links between parties, and nothing else."""
