import { type Member, textOf } from './declaration.js'
import type { TokenStream } from './token-stream.js'

/** The members of one scope of a file. */
export interface MemberList {
  readonly stream: TokenStream
  readonly members: readonly Member[]
}

/** A member with its position in the scope and the name that messages give it. */
export interface Placed {
  readonly member: Member
  readonly position: number
  /** The key; repeated ones are numbered `#2`, `#3`. */
  readonly name: string
}

/** A member of the reference and its counterpart. */
export interface Pair {
  readonly reference: Placed
  readonly actual: Placed
  /** Whether they are the same element, so that their order can be compared. */
  readonly same: boolean
}

/** The members of two scopes: those on both sides, those on one only. */
interface Pairing {
  readonly pairs: readonly Pair[]
  readonly missing: readonly Placed[]
  readonly unexpected: readonly Placed[]
}

/**
 * Pairs the members of two scopes by what they are and their key, anonymous ones by their text. What is left is paired
 * by key alone (a type that became an interface); anonymous ones by their first word (a call with another argument),
 * then one by one when as many are left on both sides (a statement in the place of another).
 */
export function pairMembers(reference: MemberList, actual: MemberList): Pairing {
  const exact = pairBy(placed(reference), placed(actual), true)
  const named = pairBy(exact.missing, exact.unexpected, false, ({ member }) => byKey(member))
  const begun = pairBy(named.missing, named.unexpected, false, ({ member }, side) =>
    member.anonymous === true ? (side === 'reference' ? reference : actual).stream.texts[member.first] : undefined,
  )
  const replaced = pairBy(begun.missing, begun.unexpected, false, inEqualNumbers(begun.missing, begun.unexpected))
  return { ...replaced, pairs: [...exact.pairs, ...named.pairs, ...begun.pairs, ...replaced.pairs] }
}

/** Identifies anonymous members by sort and key alone, where both sides have equally many of them. */
function inEqualNumbers(references: readonly Identified[], actuals: readonly Identified[]): Identify {
  const surplus = new Map<string, number>()
  for (const { member } of references) surplus.set(bySort(member), (surplus.get(bySort(member)) ?? 0) + 1)
  for (const { member } of actuals) surplus.set(bySort(member), (surplus.get(bySort(member)) ?? 0) - 1)
  return ({ member }) => {
    return member.anonymous === true && surplus.get(bySort(member)) === 0 ? bySort(member) : undefined
  }
}

function bySort({ sort = '', key }: Member): string {
  return `${sort}\0${key}`
}

interface Identified extends Placed {
  readonly identity: string
}

function byKey(member: Member): string | undefined {
  return member.anonymous === true ? undefined : member.key
}

function placed({ stream, members }: MemberList): readonly Identified[] {
  const repeats = new Map<string, number>()
  return members.map((member, position) => {
    const { sort = '', key, anonymous } = member
    const text =
      anonymous === true
        ? textOf(
            stream,
            member.parts.flatMap(({ items }) => items),
          )
        : key
    const repeat = (repeats.get(`${sort}\0${text}`) ?? 0) + 1
    repeats.set(`${sort}\0${text}`, repeat)
    const name = repeat > 1 && anonymous !== true ? `${key}#${repeat}` : key
    return { member, position, name, identity: `${sort}\0${text}\0${repeat}` }
  })
}

type Identify = (placed: Identified, side: 'reference' | 'actual') => string | undefined

/** Pairs what has the same identity; what has none stays alone. */
function pairBy(
  references: readonly Identified[],
  actuals: readonly Identified[],
  same: boolean,
  identify: Identify = ({ identity }) => identity,
) {
  const waiting = new Map<string, Identified[]>()
  for (const reference of references.toReversed()) {
    const identity = identify(reference, 'reference')
    const namesakes = waiting.get(identity ?? '')
    if (namesakes !== undefined) namesakes.push(reference)
    else if (identity !== undefined) waiting.set(identity, [reference])
  }
  const pairs: Pair[] = []
  const paired = new Set<Placed>()
  const unexpected: Identified[] = []
  for (const actual of actuals) {
    const reference = waiting.get(identify(actual, 'actual') ?? '')?.pop()
    if (reference === undefined) unexpected.push(actual)
    else {
      pairs.push({ reference, actual, same })
      paired.add(reference)
    }
  }
  return { pairs, missing: references.filter((reference) => !paired.has(reference)), unexpected }
}

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
