import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Judgment, normalize } from '@jurist/core'

interface Place {
  readonly path: string
  readonly line?: number
}
interface WantedDifference extends Place {
  readonly kind: string
  readonly member: string
  readonly referenceLine?: number
}

/** What a case wants of its judgment; what is absent is not looked at. */
export interface Wanted {
  readonly status?: string
  readonly statusOneOf?: readonly string[]
  readonly code?: string
  readonly score?: number
  readonly failed?: readonly string[]
  readonly checks?: readonly string[]
  readonly by?: string
  readonly differences?: readonly WantedDifference[]
  readonly locations?: readonly Place[]
  readonly members?: readonly string[]
  readonly memberPrefixes?: readonly string[]
  readonly notes?: readonly string[]
  readonly messages?: readonly { readonly check: string; readonly contains: string }[]
  readonly metadata?: { readonly [key: string]: unknown }
  readonly neverContains?: readonly string[]
  readonly withinMs?: number
  readonly maxRssMb?: number
}

/** What a case wants of a test report. */
export interface TestsWanted {
  readonly tests?: readonly { readonly id: string; readonly status: string }[]
  readonly status?: string
  readonly code?: string
}

interface FoundDifference extends WantedDifference {
  readonly line: number
}
interface FoundFile {
  readonly path: string
  readonly by?: string
  readonly notes?: readonly string[]
  readonly differences?: readonly FoundDifference[]
}

/** Everything that a judgment does not have as wanted, in sentences. */
export function faultsOf(judgment: Judgment, elapsedMs: number, wanted: Wanted): readonly string[] {
  return [
    ...faultsOfOutcome(judgment, wanted),
    ...faultsOfChecks(judgment, wanted),
    ...faultsOfDifferences(judgment, wanted),
    ...faultsOfLimits(judgment, elapsedMs, wanted),
  ]
}

/** What a reader of test reports does not do as wanted. */
export function wrongTests(read: () => unknown, wanted: TestsWanted): readonly string[] {
  try {
    const { tests } = read() as { readonly tests: readonly { readonly id: string; readonly status: string }[] }
    if (wanted.status === 'error') return [`wanted ${wanted.code} to be thrown`]
    return unless(
      'tests',
      tests.map(({ id, status }) => ({ id, status })),
      wanted.tests,
    )
  } catch (thrown) {
    if (wanted.status !== 'error') throw thrown
    return unless('code', (thrown as { readonly code?: unknown }).code, wanted.code)
  }
}

function unless(what: string, found: unknown, wanted: unknown): readonly string[] {
  if (wanted === undefined || isDeepStrictEqual(found, wanted)) return []
  return [`${what}: wanted ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`]
}

function lacks(
  what: string,
  wanted: readonly string[] | undefined,
  holds: (one: string) => boolean,
): readonly string[] {
  return (wanted ?? []).filter((one) => !holds(one)).map((one) => `${what}: ${JSON.stringify(one)} is not there`)
}

function faultsOfOutcome(judgment: Judgment, wanted: Wanted): readonly string[] {
  const allowed = wanted.statusOneOf ?? (wanted.status === undefined ? [judgment.status] : [wanted.status])
  const score = judgment.score === undefined ? undefined : normalize(judgment.score)
  const metadata: { readonly [key: string]: unknown } = judgment.metadata ?? {}
  return [
    ...(allowed.includes(judgment.status) ? [] : [`status: wanted ${allowed.join(' or ')}, found ${judgment.status}`]),
    ...unless('code', judgment.status === 'error' ? judgment.failure.code : undefined, wanted.code),
    ...(wanted.score === undefined || isClose(score, wanted.score)
      ? []
      : [`score: wanted ${wanted.score}, found ${score}`]),
    ...Object.entries(wanted.metadata ?? {}).flatMap(([key, value]) =>
      isClose(metadata[key], value) ? [] : unless(`metadata.${key}`, metadata[key], value),
    ),
  ]
}

function isClose(found: unknown, wanted: unknown): boolean {
  return typeof found === 'number' && typeof wanted === 'number' && Math.abs(found - wanted) <= 1e-9
}

function faultsOfChecks({ checks = [] }: Judgment, wanted: Wanted): readonly string[] {
  const failed = checks.filter(({ passed }) => !passed).map(({ name }) => name)
  return [
    ...unless('failed', failed.sort(), wanted.failed && [...wanted.failed].sort()),
    ...unless(
      'checks',
      checks.map(({ name }) => name),
      wanted.checks,
    ),
    ...(wanted.messages ?? []).flatMap(({ check, contains }) =>
      checks.some(({ name, message }) => name === check && message.includes(contains))
        ? []
        : [`the message of ${check} does not contain ${JSON.stringify(contains)}`],
    ),
  ]
}

function faultsOfDifferences(judgment: Judgment, wanted: Wanted): readonly string[] {
  const files = filesOf(judgment)
  const [first] = files
  const differences = files.flatMap(({ path, differences = [] }) => differences.map((one) => ({ ...one, path })))
  const places = [
    ...differences,
    ...(judgment.checks ?? []).filter(({ passed }) => !passed).map(({ location }) => location),
  ]
  const members = differences.map(({ member }) => member)
  return [
    ...unless('by', first?.by ?? 'bytes', wanted.by),
    ...wrongDifferences(differences, wanted.differences),
    ...(wanted.locations ?? []).flatMap((place) =>
      places.some((found) => found?.path === place.path && (place.line === undefined || found.line === place.line))
        ? []
        : [`location: ${JSON.stringify(place)} is not there`],
    ),
    ...lacks('member', wanted.members, (member) => members.includes(member)),
    ...lacks('member prefix', wanted.memberPrefixes, (prefix) => members.some((member) => member.startsWith(prefix))),
    ...lacks('note', wanted.notes, (note) => first?.notes?.some((found) => found.includes(note)) ?? false),
  ]
}

function filesOf({ metadata = {} }: Judgment): readonly FoundFile[] {
  const { files, path } = metadata
  if (Array.isArray(files)) return files
  return typeof path === 'string' ? [metadata as unknown as FoundFile] : []
}

function wrongDifferences(
  found: readonly FoundDifference[],
  wanted: readonly WantedDifference[] | undefined,
): readonly string[] {
  if (wanted === undefined) return []
  const keyOf = ({ path, kind, member }: WantedDifference) => JSON.stringify([path, kind, member])
  const wrongLine = (one: WantedDifference, other: FoundDifference) =>
    (one.line !== undefined && one.line !== other.line) ||
    (one.referenceLine !== undefined && one.referenceLine !== other.referenceLine)
  return [
    ...unless('differences', [...new Set(found.map(keyOf))].sort(), [...new Set(wanted.map(keyOf))].sort()),
    ...wanted
      .filter((one) => found.some((other) => keyOf(one) === keyOf(other) && wrongLine(one, other)))
      .map((one) => `the lines of ${JSON.stringify(one)} are others`),
  ]
}

function faultsOfLimits(judgment: Judgment, elapsedMs: number, wanted: Wanted): readonly string[] {
  const text = JSON.stringify(judgment)
  const secrets = (wanted.neverContains ?? []).map((part) =>
    part === '$hostname' ? readFileSync('/etc/hostname', 'utf8').trim() : part,
  )
  // The highest mark of the whole process: exact when the case runs in a separate process.
  const rssMb = process.resourceUsage().maxRSS / 1024
  return [
    ...secrets
      .filter((part) => text.includes(JSON.stringify(part).slice(1, -1)))
      .map((part) => `${part} must not occur`),
    ...(elapsedMs > (wanted.withinMs ?? Number.POSITIVE_INFINITY) ? [`it took ${Math.round(elapsedMs)} ms`] : []),
    ...(rssMb > (wanted.maxRssMb ?? Number.POSITIVE_INFINITY) ? [`it took ${Math.round(rssMb)} MB`] : []),
  ]
}
