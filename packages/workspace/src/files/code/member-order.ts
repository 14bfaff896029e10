import type { Pair } from './pairing.js'

/** The first element of a sequence that is out of place, and the one expected there. */
interface OutOfPlace {
  readonly expected: Pair
  readonly found: Pair
}

/** For each sequence whose order differs, the first element out of place. Only elements on both sides take part. */
export function outOfPlace(pairs: readonly Pair[]): readonly OutOfPlace[] {
  const sequences = new Map<string, Pair[]>()
  for (const pair of pairs) {
    const sequence = pair.reference.member.sequence
    if (!pair.same || sequence === undefined || sequence !== pair.actual.member.sequence) continue
    const elements = sequences.get(sequence) ?? []
    elements.push(pair)
    sequences.set(sequence, elements)
  }
  return [...sequences.values()].flatMap((elements) => firstOutOfPlace(elements) ?? [])
}

function firstOutOfPlace(elements: readonly Pair[]): OutOfPlace | undefined {
  const expected = settled([...elements].sort((one, other) => one.reference.position - other.reference.position))
  const found = settled([...elements].sort((one, other) => one.actual.position - other.actual.position))
  for (const [index, pair] of found.entries()) {
    const wanted = expected[index]
    if (wanted !== undefined && wanted !== pair) return { expected: wanted, found: pair }
  }
  return undefined
}

/** Neighbours that are free to change places, in the order of the reference. */
function settled(elements: readonly Pair[]): readonly Pair[] {
  const result: Pair[] = []
  let run: Pair[] = []
  for (const element of elements) {
    if (isMovable(element)) run.push(element)
    else {
      result.push(...inReferenceOrder(run), element)
      run = []
    }
  }
  return [...result, ...inReferenceOrder(run)]
}

function isMovable({ reference, actual }: Pair): boolean {
  return reference.member.movable === true && actual.member.movable === true
}

function inReferenceOrder(run: readonly Pair[]): readonly Pair[] {
  return [...run].sort((one, other) => one.reference.position - other.reference.position)
}
