import { doesNotParse, type Finding } from '../comparator.js'
import { differs, excerpts, type FoundDifference, missing, outOfOrder, unexpected } from '../difference.js'
import { firstMismatch, type Member, type Mismatch, type Part, textOf } from './declaration.js'
import { type TokenStream, tokenFinding } from './token-stream.js'

interface EnclosingScope {
  readonly name: string
  /** The line of the type in the workspace's file; absent for the file itself. */
  readonly line?: number
}

/**
 * Compares two files by the declarations that `read` returns. Files so unusual that reading them exhausts the stack are
 * compared by their tokens.
 */
export function declarationFinding(
  reference: TokenStream,
  actual: TokenStream,
  fileName: string,
  read: (side: 'reference' | 'actual') => readonly Member[],
): Finding {
  try {
    const expected = { stream: reference, members: read('reference') }
    const differences = compareMembers(expected, { stream: actual, members: read('actual') }, { name: fileName })
    return { by: 'declarations', differences, notes: [] }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    const problem = { message: 'too large for its declarations to be compared', line: null }
    return tokenFinding(reference, actual, [doesNotParse('workspace', problem)])
  }
}

/**
 * Compares the members of one scope, and of the types in it, key by key: what is missing, what is unexpected, what
 * differs and in which part, and which sequences are out of order.
 */
function compareMembers(reference: MemberList, actual: MemberList, scope: EnclosingScope): readonly FoundDifference[] {
  const pairing = pairMembers(reference, actual)
  const enclosing = scope.line === undefined ? {} : { enclosingLine: scope.line }
  return [
    ...pairing.missing.map(({ member, name }) =>
      missing({ member: name, referenceLine: reference.stream.lineOf(member.first), ...enclosing }),
    ),
    ...pairing.unexpected.map(({ member, name }) =>
      unexpected({ member: name, line: actual.stream.lineOf(member.first) }),
    ),
    ...pairing.pairs.flatMap((pair) => pairDifferences(reference.stream, actual.stream, pair)),
    ...orderDifferences(reference.stream, actual.stream, pairing.pairs, scope),
  ]
}

function pairDifferences(reference: TokenStream, actual: TokenStream, pair: Pair): readonly FoundDifference[] {
  const expected = { stream: reference, member: pair.reference.member }
  const found = { stream: actual, member: pair.actual.member }
  const differences: FoundDifference[] = []
  const kinds = new Set<Part['kind']>()
  const count = Math.max(expected.member.parts.length, found.member.parts.length)
  for (let index = 0; index < count; index++) {
    const part = expected.member.parts[index] ?? nothing(found.member.parts[index], expected.member)
    const counterpart = found.member.parts[index] ?? nothing(part, found.member)
    if (kinds.has(part.kind)) continue
    const mismatch = firstMismatch(
      { stream: reference, items: part.items },
      { stream: actual, items: counterpart.items },
    )
    if (mismatch === undefined) continue
    kinds.add(part.kind)
    differences.push(
      partDifference(pair.reference.name, { ...expected, part }, { ...found, part: counterpart }, mismatch),
    )
  }
  if (expected.member.sort !== found.member.sort) return differences.slice(0, 1)
  if (expected.member.members === undefined && found.member.members === undefined) return differences
  const scope = { name: pair.reference.name, line: actual.lineOf(found.member.first) }
  const inside = (side: typeof expected) => ({ stream: side.stream, members: side.member.members ?? [] })
  return [...differences, ...compareMembers(inside(expected), inside(found), scope)]
}

/** Represents a part that a member does not have, after its end. */
function nothing(counterpart: Part | undefined, { last }: Member): Part {
  return { kind: counterpart?.kind ?? 'differs', label: counterpart?.label ?? '', items: [], end: last + 1 }
}

interface PartOfMember {
  readonly stream: TokenStream
  readonly member: Member
  readonly part: Part
}

function partDifference(
  name: string,
  reference: PartOfMember,
  actual: PartOfMember,
  mismatch: Mismatch,
): FoundDifference {
  const expected = tokenAt(reference, mismatch.reference)
  const found = tokenAt(actual, mismatch.actual)
  return differs({
    kind: actual.part.kind,
    member: name,
    part: actual.part.label,
    line: found.line,
    referenceLine: expected.line,
    ...excerpts(expected.text, found.text),
  })
}

/**
 * Returns the token of a mismatch: past the end of a part, the next token; past the end of the member, one on its last
 * line.
 */
function tokenAt({ stream, member, part }: PartOfMember, index: number | undefined) {
  const at = index ?? part.end
  const isInside = at <= member.last && at < stream.texts.length
  return {
    line: stream.lineOf(isInside ? at : Math.min(member.last, stream.texts.length - 1)),
    text: isInside ? stream.texts[at] : undefined,
  }
}

function orderDifferences(
  reference: TokenStream,
  actual: TokenStream,
  pairs: readonly Pair[],
  scope: EnclosingScope,
): readonly FoundDifference[] {
  return outOfPlace(pairs).map(({ expected, found }) => {
    const line = actual.lineOf(found.actual.member.first)
    const referenceLine = reference.lineOf(expected.reference.member.first)
    return outOfOrder({ member: scope.name, element: elementName(actual, found.actual), line, referenceLine })
  })
}

/** Names an element. An anonymous statement is shown as it is written. */
function elementName({ texts }: TokenStream, { member, name }: Placed): string {
  const { first, last } = member
  return member.anonymous === true ? texts.slice(first, Math.min(last, first + 20) + 1).join(' ') : name
}

/** The members of one scope of a file. */
interface MemberList {
  readonly stream: TokenStream
  readonly members: readonly Member[]
}

/** A member with its position in the scope and its name in messages. */
interface Placed {
  readonly member: Member
  readonly position: number
  /** The key; repeated ones are numbered `#2`, `#3`. */
  readonly name: string
}

interface Pair {
  readonly reference: Placed
  readonly actual: Placed
  /** Whether they are the same element, so that their order can be compared. */
  readonly same: boolean
}

/** The members of two scopes: those on both sides, and those on one side only. */
interface Pairing {
  readonly pairs: readonly Pair[]
  readonly missing: readonly Placed[]
  readonly unexpected: readonly Placed[]
}

/**
 * Pairs the members of two scopes by sort and key, anonymous ones by their source. The rest is paired by key alone (a
 * type that became an interface); anonymous ones by their first word (a call with another argument), and then one by
 * one if the same number is left on both sides (a statement that replaces another).
 */
function pairMembers(reference: MemberList, actual: MemberList): Pairing {
  const exact = pairBy(placed(reference), placed(actual), true)
  const named = pairBy(exact.missing, exact.unexpected, false, ({ member }) => byKey(member))
  const begun = pairBy(named.missing, named.unexpected, false, ({ member }, side) =>
    member.anonymous === true ? (side === 'reference' ? reference : actual).stream.texts[member.first] : undefined,
  )
  const replaced = pairBy(begun.missing, begun.unexpected, false, inEqualNumbers(begun.missing, begun.unexpected))
  return { ...replaced, pairs: [...exact.pairs, ...named.pairs, ...begun.pairs, ...replaced.pairs] }
}

/** Identifies anonymous members by sort and key alone, if both sides have the same number of them. */
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

/** Pairs members with the same identity. Members without an identity stay alone. */
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

/** Finds the first element out of place in each sequence whose order differs. Only elements on both sides take part. */
function outOfPlace(pairs: readonly Pair[]): readonly OutOfPlace[] {
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

/** Sorts neighbours that are free to change places by the order of the reference. */
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
