"""A notebook as a Markdown page: its text, its code, and what it showed when it was last run."""

import base64
import html
import json
import re


def text_of(value):
    return value if isinstance(value, str) else "".join(value)


def plain(text):
    """A block of text as it was printed."""
    return f"```text\n{text.rstrip()}\n```\n"


def table(markup):
    """A table of pandas without its own style; it gets that of the page."""
    markup = re.sub(r"(?s)<style.*?</style>", "", markup)
    return "\n".join(line for line in markup.splitlines() if line.strip()) + "\n"


def page(path, keep_picture):
    """The page of a notebook; `keep_picture(name, bytes)` keeps a picture beside it."""
    notebook = json.loads(path.read_text())
    parts, pictures = [], 0
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source + "\n")
            continue
        parts.append(f"```python\n{source}\n```\n")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "text" in output:
                parts.append(plain(text_of(output["text"])))
            elif "image/png" in data:
                pictures += 1
                name = f"{path.stem}-{pictures}.png"
                keep_picture(name, base64.b64decode(text_of(data["image/png"])))
                parts.append(f"![what cell {cell['execution_count']} draws]({name})\n")
            elif "text/html" in data:
                parts.append(f'<div class="table-wrapper">\n{table(text_of(data["text/html"]))}</div>\n')
            elif "text/plain" in data:
                parts.append(plain(html.unescape(text_of(data["text/plain"]))))
    return "\n".join(parts)
