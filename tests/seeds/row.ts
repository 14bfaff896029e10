/** The program of each row of `docs/from-the-seeds.md`, by the first cell of the row. */
export const rows: Map<string, () => unknown> = new Map()

/** A program that shows what a row of the mapping says. It throws where that is not so. */
export function row(seeds: string, program: () => unknown): void {
  if (rows.has(seeds)) throw new Error(`two programs for the row ${seeds}`)
  rows.set(seeds, program)
}
