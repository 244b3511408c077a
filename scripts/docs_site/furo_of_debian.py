"""Mends what Debian 12's build of furo lacks. The theme's own packages are built with other tools and pass through unchanged.

- Its script imports another one, which a page can do only as a module, and never from a file: both become one.
- Its style loads normalize.css from the root of a web server: it comes along.
- Its dark colours are for the button alone: they also go to readers whose system is dark.
"""

import pathlib
import re

NORMALIZE = pathlib.Path("/usr/share/javascript/normalize.css/normalize.css")


def mended_script(script, gumshoe):
    if not script.startswith("import Gumshoe"):
        return script
    return gumshoe + "\n" + script.split("\n", 1)[1]


def mended_style(style):
    style = re.sub(r"@import url\(/javascript/normalize\.css/[^)]*\);",
                   lambda _: NORMALIZE.read_text() if NORMALIZE.exists() else "", style)
    dark = re.search(r'body\[data-theme="dark"\] \{(.*?)\}', style, re.DOTALL)
    if dark and "prefers-color-scheme" not in style:
        style += f'\n@media screen and (prefers-color-scheme: dark) {{\n  body:not([data-theme="light"]) {{{dark[1]}}}\n}}\n'
    return style


def mend(html):
    static = pathlib.Path(html) / "_static"
    script, gumshoe, style = static / "scripts/furo.js", static / "scripts/gumshoe-patched.js", static / "styles/furo.css"
    if gumshoe.exists():
        script.write_text(mended_script(script.read_text(), gumshoe.read_text()))
    style.write_text(mended_style(style.read_text()))
