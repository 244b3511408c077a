"""The commands that the pages print: each verb exists, and so does each option."""

import json
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ["KINEMA_COMMAND"]
TABLE = json.loads(subprocess.run([COMMAND, "command-table"], check=True, capture_output=True).stdout)


def calls(text):
    """(line, words) of each call of kinema in the shell blocks of a page; comments, quotes and continuations are resolved."""
    shell, joined, first = False, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            shell = line[3:].strip() in ("sh", "bash")
            continue
        if not shell:
            continue
        first = first or number
        joined += line
        if line.endswith("\\"):
            joined = joined[:-1]
            continue
        bare = re.sub(r"'[^']*'|\"[^\"]*\"", "QUOTED", joined)
        for part in re.split(r"[|;&]+|\$\(|\)", bare.partition(" #")[0]):
            words = part.split()
            while words and (words[0] in ("do", "sudo", "time", "env", "mpirun", "srun") or "=" in words[0]):
                words = words[1:]
            if words and words[0].rpartition("/")[2] == "kinema":
                yield first, words[1:]
        joined, first = "", 0


def wrong(words):
    """What is wrong with a call; nothing if it would be understood."""
    verb = TABLE
    while words and (inner := next((v for v in verb["verbs"] if v["name"] == words[0]), None)):
        verb, words = inner, words[1:]
    if verb["verbs"] and not (words and words[0] in ("--help", "--version")):
        return f"no verb {' '.join(words[:1]) or 'given'}"
    names = {name for option in verb["options"] for name in option["names"]} | {"--help", "--version"}
    for word in words:
        option = word.partition("=")[0]
        if re.fullmatch(r"--[a-z][\w-]*", option) and option not in names:
            return f"{verb['name']} has no {option}"
    return None


class Commands(unittest.TestCase):
    def test_of_all_pages_would_be_understood(self):
        mistakes, count = [], 0
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "HACKING.md", ROOT / "samples" / "README.md"]:
            for line, words in calls(page.read_text()):
                count += 1
                if mistake := wrong(words):
                    mistakes.append(f"{page.relative_to(ROOT)}:{line}: {mistake}")
        self.assertGreater(count, 60)
        self.assertEqual(mistakes, [])

    def test_mistakes_are_found(self):
        page = "```sh\nkinema body trak --input x\nkinema body track --inptu x | kinema cameras  # --nonsense\n```\n"
        self.assertEqual([bool(wrong(words)) for _, words in calls(page)], [True, True, False])


if __name__ == "__main__":
    unittest.main()
