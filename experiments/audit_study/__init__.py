"""What a fit gives away, by the thesis's measure and by ours: see `ksdp_nmf.py`, `ksdp_svd.py` and
`audit_learners.py`."""
