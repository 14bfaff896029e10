/** What a choice costs and what it brings; `null`: not known. */
export interface Choice {
  readonly costUsd: number | null
  readonly passRate: number | null
}

/**
 * The choices that no other one beats: none costs less and passes as much, or passes more and costs as much. By their
 * measured values, whose intervals may overlap. Choices of which one of the two is not known are left out.
 *
 * @returns the indexes of the choices, the cheapest first
 *
 * @example
 * paretoFront([{ costUsd: 2, passRate: 0.9 }, { costUsd: 1, passRate: 0.5 }, { costUsd: 3, passRate: 0.8 }]) // [1, 0]
 */
export function paretoFront(choices: readonly Choice[]): readonly number[] {
  const known = choices.flatMap(({ costUsd, passRate }, index) =>
    costUsd === null || passRate === null ? [] : [{ index, costUsd, passRate }],
  )
  known.sort((one, other) => one.costUsd - other.costUsd || other.passRate - one.passRate || one.index - other.index)
  const front: typeof known = []
  for (const choice of known) {
    const last = front.at(-1)
    const isEqual = last?.costUsd === choice.costUsd && last.passRate === choice.passRate
    if (last === undefined || choice.passRate > last.passRate || isEqual) front.push(choice)
  }
  return front.map(({ index }) => index)
}
