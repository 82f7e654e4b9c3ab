"""Runs in the viewer's environment: prints what it answers, as JSON."""

import json

from ttnn_visualizer.app import create_app

print()
print(
    json.dumps(
        sorted(
            (method, rule.rule)
            for rule in create_app().url_map.iter_rules()
            for method in rule.methods - {"HEAD", "OPTIONS"}
        )
    )
)
