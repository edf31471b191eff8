/**
 * The edit distance between two texts: letters to insert, delete, replace, or swap with the next one. Texts that differ by
 * more than `most` are told at once, by a greater number.
 */
export const editsBetween = (from: string, to: string, most: number): number => {
  let before: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const differs = from[row - 1] === to[column - 1] ? 0 : 1
      let edits = Math.min((current[column - 1] ?? 0) + 1, (last[column] ?? 0) + 1, (last[column - 1] ?? 0) + differs)
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (isSwapped) edits = Math.min(edits, (before[column - 2] ?? 0) + 1)
      current.push(edits)
    }
    if (Math.min(...current) > most) return most + 1
    before = last
    last = current
  }
  return last[to.length] ?? 0
}
