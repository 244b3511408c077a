// Jitter of a position: what remains when steady movement is subtracted. The second difference of white
// noise of deviation s has deviation s √6.
const length = 30;

export class Jitter {
  private last: [number, number][] = [];
  private squares: number[] = [];

  add(x: number, y: number) {
    this.last.push([x, y]);
    if (this.last.length < 3) return;
    const [a, b, c] = this.last;
    this.last.shift();
    this.squares.push((a[0] - 2 * b[0] + c[0]) ** 2 + (a[1] - 2 * b[1] + c[1]) ** 2);
    if (this.squares.length > length) this.squares.shift();
  }

  get value() {
    if (this.squares.length === 0) return 0;
    return Math.sqrt(this.squares.reduce((sum, square) => sum + square, 0) / this.squares.length / 12);
  }
}
