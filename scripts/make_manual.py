#!/usr/bin/env python3
"""Makes the manual pages of the command, and its completion for bash, zsh and fish, from the table of its own options.

  scripts/make_manual.py build/release/kinema OUT

writes OUT/man1/*.1 and OUT/completion/{kinema,_kinema,kinema.fish}. Nothing in them is written by hand but the sections that
all pages share: whoever changes an option changes its help, and both follow.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import time

EXIT_STATUS = [
    ("0", "Success."),
    ("1", "The run failed."),
    ("2", "The call or its input is wrong; one line says where and how to correct it."),
]
ENVIRONMENT = [
    ("KINEMA_BACKEND", "The backend where --backend is auto: reference, cpu or cuda."),
]


def roff(text):
    """Text that roff prints as it stands."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def is_list(verb):
    return bool(verb["verbs"])


def option_label(option):
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option["names"])
    value = option.get("value", "")
    if not names:
        return f"\\fI{roff(option['position'])}\\fR"
    return f"{names} \\fI{roff(value)}\\fR" if value else names


def option_text(option):
    text = option["help"]
    if "default" in option:
        text += f" (default: {option['default']})"
    if option.get("required"):
        text += " (required)"
    return roff(text)


def page(words, verb, version, date):
    """One manual page: of the command, a group of verbs, or a verb."""
    name = "-".join(words)
    call = " ".join(words)
    lines = [f'.TH {name.upper()} 1 "{date}" "kinema {version}" "kinema"', ".SH NAME",
             f"{roff(name)} \\- {roff(verb['help'].rstrip('.'))}", ".SH SYNOPSIS"]
    positions = [option["position"] for option in verb["options"] if "position" in option]
    lines.append(f".B {roff(call)}")
    lines.append("\\fIVERB\\fR [\\fIOPTIONS\\fR]" if is_list(verb)
                 else " ".join(["[\\fIOPTIONS\\fR]"] + [f"[\\fI{roff(p)}\\fR]" for p in positions]))
    if is_list(verb):
        lines.append(".SH VERBS")
        for inner in verb["verbs"]:
            lines += [".TP", f".B {roff(inner['name'])}", roff(inner["help"])
                      + f"; see \\fB{roff('-'.join(words + [inner['name']]))}\\fR(1)"]
    groups = {}
    for option in verb["options"]:
        groups.setdefault(option["group"], []).append(option)
    for group, options in groups.items():
        lines.append(f".SH {roff(group.upper())}")
        for option in options:
            lines += [".TP", option_label(option), option_text(option)]
    if "footer" in verb:
        lines += [".SH NOTES", ".nf", roff(verb["footer"].strip()), ".fi"]
    for title, entries in (("EXIT STATUS", EXIT_STATUS), ("ENVIRONMENT", ENVIRONMENT)):
        lines.append(f".SH {title}")
        for label, text in entries:
            lines += [".TP", f".B {label}", roff(text)]
    if len(words) > 1:
        lines += [".SH SEE ALSO", f".BR {roff('-'.join(words[:-1]))} (1)"]
    return "\n".join(lines) + "\n"


def pages(words, verb, version, date):
    yield "-".join(words), page(words, verb, version, date)
    for inner in verb["verbs"]:
        yield from pages(words + [inner["name"]], inner, version, date)


def choices(option):
    """The words that a value may be, where the help lists them as a|b|c."""
    value = option.get("value", "")
    return value.split("|") if re.fullmatch(r"[a-z0-9.-]+(\|[a-z0-9.-]+)+", value) else []


def takes_value(option):
    return bool(option.get("value"))


def walk(words, verb):
    yield words, verb
    for inner in verb["verbs"]:
        yield from walk(words + [inner["name"]], inner)


def bash_completion(table):
    """A function that knows, for each verb, the words that may follow, and the values that options take."""
    follow, values, plain = [], [], []
    for words, verb in walk([], table):
        key = " ".join(words)
        names = [name for option in verb["options"] for name in option["names"]]
        follow.append(f"    '{key}') words='{' '.join([v['name'] for v in verb['verbs']] + names)}' ;;")
        for option in verb["options"]:
            pattern = "|".join(f"'{key} {name}'" for name in option["names"])
            if not pattern or not takes_value(option):
                continue
            if choices(option):
                values.append(f"    {pattern}) values='{' '.join(choices(option))}' ;;")
            else:
                plain.append(pattern)
    verbs = "|".join(f"'{' '.join(words)}'" for words, _ in walk([], table) if words)
    newline = "\n"
    return f"""# bash completion of kinema, made by scripts/make_manual.py
_kinema() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local verb='' word words='' values='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{verb:+$verb }}${{COMP_WORDS[i]}}"
    case $word in {verbs}) verb=$word ;; esac
  done
  COMPREPLY=()
  case "$verb $previous" in
{newline.join(values)}
    {("|" + chr(92) + newline + "    ").join(plain)}) return ;;  # a file or a number: left to the shell
  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case $verb in
{newline.join(follow)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _kinema kinema
"""


def zsh_completion():
    return """#compdef kinema
# zsh completion of kinema: that of bash, which zsh can run
autoload -U +X bashcompinit && bashcompinit
source /usr/share/bash-completion/completions/kinema
"""


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_completion(table):
    lines = ["# fish completion of kinema, made by scripts/make_manual.py"]
    for words, verb in walk([], table):
        seen = [f"__fish_seen_subcommand_from {word}" for word in words]
        inner = " ".join(v["name"] for v in verb["verbs"])
        unseen = seen + ([f"not __fish_seen_subcommand_from {inner}"] if inner else [])
        condition = f" -n {fish_quoted('; and '.join(unseen))}" if unseen else ""
        for v in verb["verbs"]:
            lines.append(f"complete -c kinema{condition} -f -a {v['name']} -d {fish_quoted(v['help'])}")
        for option in verb["options"]:
            names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option["names"])
            if not names:
                continue
            value = f" -x -a {fish_quoted(' '.join(choices(option)))}" if choices(option) else \
                " -r" if takes_value(option) else ""
            lines.append(f"complete -c kinema{condition} {names}{value} -d {fish_quoted(option['help'])}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", help="the kinema command")
    parser.add_argument("out", type=pathlib.Path, help="where to write")
    options = parser.parse_args()

    table = json.loads(subprocess.run([options.command, "command-table"], check=True, capture_output=True).stdout)
    version = subprocess.run([options.command, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).date().isoformat()

    manual, completion = options.out / "man1", options.out / "completion"
    for folder in (manual, completion):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(["kinema"], table, version, date):
        (manual / f"{name}.1").write_text(text)
    (completion / "kinema").write_text(bash_completion(table))
    (completion / "_kinema").write_text(zsh_completion())
    (completion / "kinema.fish").write_text(fish_completion(table))


if __name__ == "__main__":
    main()
