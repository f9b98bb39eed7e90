"""The masked sum as pure functions: frames, keys, masks, tags, shared secrets."""
