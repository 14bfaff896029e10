import { doesNotParse, type Finding } from '../comparator.js'
import { differs, type FoundDifference, missing, outOfOrder, unexpected } from '../difference.js'
import type { Member, Part } from './declaration.js'
import { firstMismatch, type Mismatch } from './declaration.js'
import { type MemberList, outOfPlace, type Pair, type Placed, pairMembers } from './pairing.js'
import type { TokenStream } from './token-stream.js'
import { excerpts, tokenFinding } from './token-stream.js'

/** The type or file whose members are compared. */
interface EnclosingScope {
  readonly name: string
  /** The line of the type in the workspace's file; absent for the file itself. */
  readonly line?: number
}

/**
 * The finding of two files whose declarations `read` gives. Files so strange that reading them exhausts the stack are
 * judged by their tokens.
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

/** Stands for a part that a member does not have: behind its end. */
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

/** The token of a mismatch; past the end of a part what follows it, past the end of the member its last line. */
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

/** The name of an element; an anonymous statement is shown as it is written. */
function elementName({ texts }: TokenStream, { member, name }: Placed): string {
  const { first, last } = member
  return member.anonymous === true ? texts.slice(first, Math.min(last, first + 20) + 1).join(' ') : name
}
