"""Settings of Sphinx. scripts/make_docs.py assembles the sources and states version, stubs and Doxygen's XML in the environment."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from docstrings import as_rst  # noqa: E402
import furo_of_debian  # noqa: E402

project = "kinema"
author = "the authors of kinema"
copyright = "the authors of kinema, MIT licence"
version = release = os.environ["KINEMA_DOCS_VERSION"]
language = "en"

extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
suppress_warnings = ["myst.header"]  # a notebook or a page may go from # to ###
smartquotes = False  # or the -- of options become dashes
toc_object_entries = False  # or every member is copied into the contents beside every page

if os.environ.get("KINEMA_DOCS_STUBS"):
    sys.path.insert(0, os.environ["KINEMA_DOCS_STUBS"])
    extensions.append("sphinx.ext.autodoc")
    autodoc_mock_imports = ["numpy", "pandas"]
    autodoc_member_order = "bysource"
    autodoc_preserve_defaults = True
    autodoc_typehints = "signature"
    autodoc_typehints_format = "short"
    add_module_names = False

if os.environ.get("KINEMA_DOCS_XML"):
    extensions.append("breathe")
    breathe_projects = {"kinema": os.environ["KINEMA_DOCS_XML"]}
    breathe_default_project = "kinema"
    breathe_default_members = ("members", "undoc-members")

html_theme = "furo"
html_title = f"kinema {version}"
html_static_path = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")]
html_css_files = ["kinema.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6a4f", "color-brand-content": "#0b6a4f"},
    "dark_css_variables": {"color-brand-primary": "#6fd3ae", "color-brand-content": "#6fd3ae"},
}
pygments_style = "friendly"
pygments_dark_style = "monokai"


def setup(app):
    def in_rst(_app, _what, _name, _object, _options, lines):
        lines[:] = as_rst(lines)

    def mend(app, exception):
        if exception is None and app.builder.format == "html":
            furo_of_debian.mend(app.outdir)

    if "sphinx.ext.autodoc" in extensions:
        app.connect("autodoc-process-docstring", in_rst)
    app.connect("build-finished", mend)
