"""A party's side: its sums through a relay, its records, its ledger."""
