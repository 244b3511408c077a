#!/usr/bin/env python3
"""Runs the cells of a notebook, in the current folder and in plain Python; --write keeps what they show in the notebook.

    scripts/run_notebook.py examples/joint_angles.ipynb [--write]
"""

import argparse
import ast
import base64
import contextlib
import io
import json
import pathlib


def lines(text):
    return text.splitlines(keepends=True)


def pictures():
    """What the cell has drawn."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return []
    shown = []
    for number in plt.get_fignums():
        png = io.BytesIO()
        plt.figure(number).savefig(png, dpi=70, bbox_inches="tight", metadata={"Software": None})
        shown.append({"data": {"image/png": base64.b64encode(png.getvalue()).decode()}, "metadata": {},
                      "output_type": "display_data"})
    plt.close("all")
    return shown


def run_cell(source, names, count):
    """Its outputs, as Jupyter stores them: what it prints, the value of its last line, what it draws."""
    tree = ast.parse(source)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {count}>", "exec"), names)
        if last is not None:
            value = eval(compile(last, f"<cell {count}>", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        outputs.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return outputs + pictures()


def run(path):
    """The notebook with its outputs. An exception of a cell reaches the caller."""
    with contextlib.suppress(ImportError):
        import matplotlib

        matplotlib.use("Agg")
    notebook = json.loads(pathlib.Path(path).read_text())
    names = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = run_cell("".join(cell["source"]), names, count)
    return notebook


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebook", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="keep the outputs in the notebook")
    options = parser.parse_args()
    notebook = run(options.notebook)
    if options.write:
        options.notebook.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
