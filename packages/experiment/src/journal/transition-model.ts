import { optionInvalid } from '@jurist/core/internal'

/** Trajectories of many runs as an absorbing Markov chain. */
export interface TransitionModel {
  /** Transient states, sorted: the rows. */
  readonly states: readonly string[]
  /** Ends, sorted. */
  readonly absorbing: readonly string[]
  /** From the state of the row to each state, then to each end. Rows sum to 1; a state that nothing follows has zeros. */
  readonly matrix: readonly (readonly number[])[]
  readonly counts: readonly (readonly number[])[]
  /** Steps from a state to the end; `null`: no end was ever reached from it. */
  readonly expectedSteps: Readonly<Record<string, number | null>>
  /** The probability of each end, from each state that can reach one. */
  readonly absorption: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Trajectories, the empty ones too. */
  readonly runs: number
}

/** The way of one run through states, and how it ended; `''`: it has not ended. */
export interface EndedSequence {
  readonly sequence: readonly string[]
  readonly end: string
}

/**
 * The Markov chain that several trajectories make: how likely each step is, how many steps each state is away from the end
 * (t = (I − Q)⁻¹ · 1), and how likely each end is (B = (I − Q)⁻¹ · R). Kemeny and Snell, Finite Markov Chains, 1960, chapter 3.
 *
 * @throws `option-invalid` when a name is a state and an end
 *
 * @example
 * import { transitionModel } from '@jurist/experiment/journal'
 *
 * const model = transitionModel([{ sequence: ['read', 'write', 'test'], end: 'pass' }])
 * model.expectedSteps // { read: 3, test: 1, write: 2 }
 */
export function transitionModel(trajectories: readonly EndedSequence[]): TransitionModel {
  const moved = trajectories.filter(({ sequence }) => sequence.length > 0)
  const states = [...new Set(moved.flatMap(({ sequence }) => sequence))].sort()
  const absorbing = [...new Set(moved.flatMap(({ end }) => (hasEnd(end) ? [end] : [])))].sort()
  refuseOverlap(states, absorbing)
  const counts = countsOf(moved, states, absorbing)
  const matrix = counts.map((row) => {
    const total = row.reduce((sum, count) => sum + count, 0)
    return row.map((count) => (total === 0 ? 0 : count / total))
  })
  return { states, absorbing, matrix, counts, ...fundamental(states, absorbing, matrix), runs: trajectories.length }
}

function hasEnd(end: string | null | undefined): boolean {
  return end !== '' && end !== null && end !== undefined
}

function refuseOverlap(states: readonly string[], absorbing: readonly string[]): void {
  const both = states.filter((state) => absorbing.includes(state))
  if (both.length === 0) return
  const message = `transitionModel: ${both.join(', ')} is a state and an end. Give ends names of their own, such as pass and fail.`
  optionInvalid('trajectories', message)
}

function countsOf(
  trajectories: readonly EndedSequence[],
  states: readonly string[],
  absorbing: readonly string[],
): readonly (readonly number[])[] {
  const column = new Map([...states, ...absorbing].map((name, index) => [name, index]))
  const counts = states.map(() => Array.from(column, () => 0))
  for (const { sequence, end } of trajectories) {
    const way = hasEnd(end) ? [...sequence, end] : sequence
    way.slice(1).forEach((name, index) => {
      const row = counts[column.get(way[index] ?? '') ?? -1]
      const at = column.get(name)
      if (row !== undefined && at !== undefined) row[at] = (row[at] ?? 0) + 1
    })
  }
  return counts
}

/** Steps and ends over the states from which an end can be reached: only there is (I − Q) regular. */
function fundamental(
  states: readonly string[],
  absorbing: readonly string[],
  matrix: readonly (readonly number[])[],
): Pick<TransitionModel, 'expectedSteps' | 'absorption'> {
  const ending = endingStates(states.length, matrix)
  const identityLessQ = ending.map((row) =>
    ending.map((column) => (row === column ? 1 : 0) - (matrix[row]?.[column] ?? 0)),
  )
  const right = ending.map((row) => [1, ...absorbing.map((_, end) => matrix[row]?.[states.length + end] ?? 0)])
  const solved = solve(identityLessQ, right) ?? []
  const steps = states.map((state, index) => [state, solved[ending.indexOf(index)]?.[0] ?? null] as const)
  const ends = ending.map((state, row) => {
    const shares = absorbing.map((end, at) => [end, solved[row]?.[at + 1] ?? 0] as const)
    return [states[state] ?? '', Object.fromEntries(shares)] as const
  })
  return { expectedSteps: Object.fromEntries(steps), absorption: Object.fromEntries(ends) }
}

/** Indexes of the states from which some end can be reached. */
function endingStates(size: number, matrix: readonly (readonly number[])[]): readonly number[] {
  const reached = new Set<number>()
  for (let before = -1; before !== reached.size; ) {
    before = reached.size
    matrix.forEach((row, state) => {
      if (row.some((share, next) => share > 0 && (next >= size || reached.has(next)))) reached.add(state)
    })
  }
  return [...reached].sort((one, other) => one - other)
}

/**
 * Solves `matrix · X = right` by Gaussian elimination with partial pivoting; `null` when the matrix is singular.
 *
 * @param right one row for each row of the matrix, any number of columns
 */
function solve(
  matrix: readonly (readonly number[])[],
  right: readonly (readonly number[])[],
): readonly (readonly number[])[] | null {
  const size = matrix.length
  const rows = matrix.map((row, index) => [...row, ...(right[index] ?? [])])
  for (let column = 0; column < size; column += 1) {
    const pivot = pivotRow(rows, column)
    const chosen = rows[pivot]
    const value = chosen?.[column] ?? 0
    if (chosen === undefined || Math.abs(value) < Number.EPSILON) return null
    rows[pivot] = rows[column] ?? chosen
    rows[column] = chosen.map((entry) => entry / value)
    eliminate(rows, column)
  }
  return rows.map((row) => row.slice(size))
}

function pivotRow(rows: readonly (readonly number[])[], column: number): number {
  let best = column
  for (let index = column; index < rows.length; index += 1)
    if (Math.abs(rows[index]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = index
  return best
}

function eliminate(rows: number[][], column: number): void {
  const chosen = rows[column] ?? []
  rows.forEach((row, index) => {
    const factor = row[column] ?? 0
    if (index === column || factor === 0) return
    rows[index] = row.map((entry, at) => entry - factor * (chosen[at] ?? 0))
  })
}
