"""Makes a large master out of a real one: every configuration N times, with one leaf changed in each copy.

    scale_master.py IN OUT COPIES [--fresh SHARE]

The changed leaf is the first dimension of the first tensor's shape, or the first number, so every copy is a
configuration of its own. --fresh changes that share of the configurations once more, for merges in which the rest is
known already. The text is written as Python's json.dump(indent=2) writes it.
"""

import json
import sys


def change(value, number):
    """Puts `number` into the first leaf of its kind; True when there was one."""
    if isinstance(value, dict):
        for key in ("original_shape", "logical_shape", "shape"):
            shape = value.get(key)
            if isinstance(shape, list) and shape and isinstance(shape[0], int):
                shape[0] = number
                return True
        for key in list(value):
            if key == "element_info":
                text = value[key]
                at = text.find('"logical_shape":[')
                if at >= 0:
                    start = at + len('"logical_shape":[')
                    end = min(i for i in (text.find(",", start), text.find("]", start)) if i >= 0)
                    value[key] = text[:start] + str(number) + text[end:]
                    return True
            elif change(value[key], number):
                return True
    elif isinstance(value, list):
        for item in value:
            if change(item, number):
                return True
    return False


def write_scaled(master, path, copies, fresh):
    count = 0
    with open(path, "w", encoding="ascii") as out:
        out.write('{\n  "operations": {')
        for position, (name, operation) in enumerate(master["operations"].items()):
            out.write(",\n" if position else "\n")
            out.write(f'    {json.dumps(name)}: {{\n      "configurations": [')
            first = True
            for configuration in operation["configurations"]:
                arguments = configuration["arguments"] if isinstance(configuration, dict) else configuration
                for copy in range(copies):
                    count += 1
                    # large, so that no copy is another configuration of the file
                    number = 100_000 + 2 * copy
                    is_fresh = fresh and count % round(1 / fresh) == 0
                    if copies > 1 or is_fresh:
                        change(arguments, number + (1 if is_fresh else 0))
                    text = json.dumps(configuration, indent=2).replace("\n", "\n        ")
                    out.write(("\n        " if first else ",\n        ") + text)
                    first = False
            out.write("\n      ]\n    }")
        metadata = json.dumps(master.get("metadata", {}), indent=2).replace("\n", "\n  ")
        out.write(f'\n  }},\n  "metadata": {metadata}\n}}\n')
    return count


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    fresh = float(sys.argv[sys.argv.index("--fresh") + 1]) if "--fresh" in sys.argv else 0.0
    source, path, copies = arguments[0], arguments[1], int(arguments[2])
    with open(source, encoding="utf-8") as file:
        master = json.load(file)
    print(write_scaled(master, path, copies, fresh))


if __name__ == "__main__":
    main()
