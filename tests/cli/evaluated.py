"""What `chatham evaluate --json` told."""

import json


def found(result):
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)


def values(model):
    return {row["measure"]: row["value"] for row in model["measures"]}
