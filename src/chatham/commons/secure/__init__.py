"""The masked sum as pure functions: frames, keys, masks, tags, secrets that parties share."""
