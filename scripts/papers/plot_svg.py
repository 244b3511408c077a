"""Plots of measured numbers as SVG: lines over one or two logarithmic axes, and bars."""

import math
from html import escape

INK, FAINT, RULE = "#222222", "#555555", "#e6e6e6"


def number(value):
    if value == 0:
        return "0"
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size and value / size == round(value / size, 1):
            return f"{value / size:g}{unit}"
    return f"{value:g}"


class Scale:
    """From values to pixels, and the values that get a mark."""

    def __init__(self, values, first, last, logarithmic, from_zero=True):
        low, high = min(values), max(values)
        self.logarithmic = logarithmic
        if logarithmic:
            self.low, self.high = math.log10(low) - 0.04, math.log10(high) + 0.04
            decades = range(math.floor(self.low), math.ceil(self.high) + 1)
            few = self.high - self.low < 2.2
            self.marks = [m * 10.0 ** d for d in decades for m in ((1, 2, 5) if few else (1,))]
        else:
            self.low, self.high = (0 if from_zero else low), high * 1.03
            rough = (self.high - self.low) / 6
            step = 10 ** math.floor(math.log10(rough))
            step *= next(m for m in (1, 2, 5, 10) if m * step >= rough)
            self.marks = [step * i for i in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]
        self.first, self.last = first, last
        self.marks = [m for m in self.marks if first <= self(m) <= last or last <= self(m) <= first]

    def __call__(self, value):
        at = math.log10(value) if self.logarithmic else value
        return self.first + (self.last - self.first) * (at - self.low) / (self.high - self.low)


def begin(width, height, title):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="system-ui, sans-serif" font-size="13">', f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            f'<text x="16" y="26" font-size="16" font-weight="600" fill="{INK}">{escape(title)}</text>']


def lines(title, x_label, y_label, series, log_x=True, log_y=True, limits=()):
    """`series`: (name, or nothing, colour, dashes, [(x, y)]); `limits`: (y, words) across the plot."""
    width, height, left, right, top, bottom = 860, 440, 72, 250, 44, 58
    series = [(name, colour, dashes, [(x, y) for x, y in points if y]) for name, colour, dashes, points in series]
    series = [one for one in series if one[3]]
    x = Scale([p[0] for s in series for p in s[3]], left, width - right, log_x, from_zero=False)
    y = Scale([p[1] for s in series for p in s[3]] + [at for at, _ in limits], height - bottom, top, log_y)
    parts = begin(width, height, title)
    for mark in y.marks:
        at = y(mark)
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{at:.1f}" y2="{at:.1f}" stroke="{RULE}"/>'
                     f'<text x="{left - 8}" y="{at + 4.5:.1f}" text-anchor="end" fill="{FAINT}">{number(mark)}</text>')
    for mark in x.marks:
        at = x(mark)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{height - bottom}" stroke="{RULE}"/>'
                     f'<text x="{at:.1f}" y="{height - bottom + 19}" text-anchor="middle" fill="{FAINT}">{number(mark)}</text>')
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 14}" text-anchor="middle" fill="{INK}">{escape(x_label)}</text>')
    parts.append(f'<text transform="translate(18 {(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle" '
                 f'fill="{INK}">{escape(y_label)}</text>')
    for at, words in limits:
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y(at):.1f}" y2="{y(at):.1f}" stroke="#999999" stroke-dasharray="2 3"/>'
                     f'<text x="{width - right - 6}" y="{y(at) - 5:.1f}" text-anchor="end" fill="{FAINT}">{escape(words)}</text>')
    ends = []
    for name, colour, dashes, points in series:
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        if name and len(points) <= 20:
            parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="2.6" fill="{colour}"/>' for a, b in points]
        if name:
            ends.append([y(points[-1][1]), x(points[-1][0]), name, colour])
    # names at the ends of their lines, moved apart
    ends.sort()
    at = top - 20
    for end in ends:
        at = max(at + 16, end[0])
        end.append(at)
    at = height - bottom + 30
    for end in reversed(ends):
        at = min(at - 16, end[4])
        end[4] = at
    for end_y, end_x, name, colour, label_y in ends:
        parts.append(f'<path d="M{end_x + 4:.1f} {end_y:.1f} L{width - right + 10} {label_y:.1f}" stroke="{colour}" '
                     f'stroke-width="0.7" fill="none"/><text x="{width - right + 14}" y="{label_y + 4.5:.1f}" '
                     f'fill="{colour}">{escape(name)}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def bars(title, x_label, rows, log_x=True):
    """`rows`: (name, [(colour, value, words)]), a group of bars for each."""
    left, right, top, bar, gap = 110, 150, 44, 15, 9
    width = 860
    height = top + sum(bar * len(group) + gap for _, group in rows) + 50
    x = Scale([value for _, group in rows for _, value, _ in group], left, width - right, log_x)
    parts = begin(width, height, title)
    for mark in x.marks:
        parts.append(f'<line x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="{top}" y2="{height - 44}" stroke="{RULE}"/>'
                     f'<text x="{x(mark):.1f}" y="{height - 27}" text-anchor="middle" fill="{FAINT}">{number(mark)}</text>')
    at = top
    for name, group in rows:
        parts.append(f'<text x="{left - 8}" y="{at + bar * len(group) / 2 + 4.5:.1f}" text-anchor="end" fill="{INK}">{escape(name)}</text>')
        for colour, value, words in group:
            parts.append(f'<rect x="{left}" y="{at + 1}" width="{max(1, x(value) - left):.1f}" height="{bar - 2}" fill="{colour}"/>'
                         f'<text x="{max(left + 1, x(value)) + 6:.1f}" y="{at + bar - 3}" font-size="12" fill="{FAINT}">{escape(words)}</text>')
            at += bar
        at += gap
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 8}" text-anchor="middle" fill="{INK}">{escape(x_label)}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"
