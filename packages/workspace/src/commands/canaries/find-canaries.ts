import type { Workspace } from '@jurist/core'
import type { TestCase } from '../reports/test-report.js'
import type { TestRun } from '../test-judgment.js'
import { type Canary, type CanarySet, draw, drawnSides, type Lay, type ReadRun, readRun } from './canary-plan.js'
import { type Expectation, readTests, type SourceTest, shuffled } from './read-tests.js'

export interface Finding {
  readonly judge: string
  /** The unchanged tests, run with a correct solution. */
  readonly base: TestRun
  readonly files: ReadonlyMap<string, string>
  /** The initial state that the agent gets. */
  readonly before: Workspace | undefined
  /** Runs these versions of the tests with a correct solution. */
  readonly run: (set: CanarySet, lay: Lay) => Promise<TestRun | undefined>
}

const mostCanaries = 8
const leastHits = 3
const mostRounds = 5
const enough = 3
/** A run with canaries takes at most twice as long as its tests, and a jury has a time limit. */
const longestMs = 120_000

/** A test that may become a canary: its ids in the report, and how often its change had the right effect. */
interface Candidate {
  readonly file: string
  readonly named: readonly string[]
  /** The named tests, and the subtests that fail with them. */
  tests: readonly string[]
  readonly expectations: readonly Expectation[]
  tried: number
  hits: number
}

/** Finds tests whose expectation can be changed so that, every time, the reference fails them and no other test. */
export async function findCanaries(finding: Finding): Promise<CanarySet> {
  const { judge, base, files } = finding
  const none = (problem: string): CanarySet => ({ judge, form: 'two-runs', changes: [], titleEnds: {}, problem })
  if (base.report === undefined) return none('the run leaves no report of its tests')
  if (base.evidence.result.elapsedMs > longestMs) return none('the tests take more than two minutes')
  const passing = base.report.tests.filter(({ status }) => status === 'passed').map(({ id }) => id)
  const { candidates, titleEnds, isRead } = await candidatesIn(files, passing)
  if (!isRead)
    return none('no file of the tests is one of JavaScript, TypeScript, Python or Java, or of Go where Go is installed')
  if (candidates.length === 0)
    return none('no reported test is one whose source is known, with a literal in an assertion')
  const search: Search = { ...finding, candidates, titleEnds, passing: new Set(passing), form: formOf(base, files) }
  await tryRounds(search)
  const found = candidates.filter(({ hits }) => hits >= leastHits)
  if (found.length === 0) return none('no changed expectation made exactly its own test fail each time')
  const isSeen = await searchIn(finding.before)
  const all = found.map((one) => canaryOf(one, isSeen))
  const changes = spread(all).sort((one, other) => one.file.localeCompare(other.file) || one.start - other.start)
  const laid = Object.entries(titleEnds).filter(([file]) => changes.some((one) => one.file === file))
  return { judge, form: search.form, changes, titleEnds: search.form === 'one-run' ? Object.fromEntries(laid) : {} }
}

interface Search extends Finding {
  readonly candidates: readonly Candidate[]
  readonly titleEnds: Readonly<Record<string, readonly number[]>>
  readonly passing: ReadonlySet<string>
  form: CanarySet['form']
}

/**
 * Two versions fit into one run if the runner keeps files apart, the report or the title distinguishes files, and files
 * may be renamed.
 */
function formOf({ report }: TestRun, files: ReadonlyMap<string, string>): CanarySet['form'] {
  const isApart = report !== undefined && /^(?:tap|jest)$/.test(report.format)
  const needsName = /Snapshot\s*\(|__filename|import\.meta\.filename|basename/
  return isApart && ![...files.values()].some((text) => needsName.test(text)) ? 'one-run' : 'two-runs'
}

async function tryRounds(search: Search): Promise<void> {
  const { candidates } = search
  const confirmed = () => candidates.filter(({ hits }) => hits >= leastHits).length
  const open = () => candidates.filter(({ tried, expectations }) => tried < expectations.length)
  for (let round = 0; round < mostRounds && open().length > 0; round++) {
    if (round >= leastHits && confirmed() >= Math.min(enough, open().length)) return
    if (!(await tryRound(search, open())) && search.form === 'one-run') {
      search.form = 'two-runs'
      for (const candidate of candidates) candidate.hits = 0
      round = -1
    }
  }
}

/** @returns whether the form fits: each version was reported, and nothing else changed */
async function tryRound(search: Search, open: readonly Candidate[]): Promise<boolean> {
  const { form, judge, titleEnds, passing } = search
  const byCanary = new Map(open.map((one) => [canaryOf(one, () => false), one]))
  const changes = [...byCanary.keys()]
  const set = { judge, form, changes, titleEnds }
  const lay = form === 'one-run' ? (drawnSides(set)[0] ?? []) : [{ mark: '', changed: new Set(changes) }]
  const run = await search.run(set, lay)
  const read = run && readRun(run, lay)
  if (read === undefined || read.seen < lay.length) {
    for (const one of open) advance(one)
    return false
  }
  const strays = strayFailures(
    read,
    passing,
    form === 'one-run' ? new Set() : new Set(changes.flatMap(({ tests }) => tests)),
  )
  const found = strays.filter((id) => addSubtest(id, open))
  if (found.length > 0) return true
  const missed = new Set(read.missed)
  const culprits = strays.map((id) => culpritOf(id, changes))
  for (const [canary, one] of byCanary)
    if (missed.has(canary) || culprits.includes(canary)) advance(one)
    else one.hits += 1
  return strays.length === 0 || !culprits.includes(undefined)
}

function advance(one: Candidate): void {
  one.hits = 0
  one.tried += 1
  one.tests = one.named
}

/** A Go test fails together with its subtests, whose names are not in the source. */
function addSubtest(id: string, open: readonly Candidate[]): boolean {
  const owner = open.find(({ file, named: [name] }) => file.endsWith('.go') && id.startsWith(`${name}/`))
  if (owner !== undefined) owner.tests = [...owner.tests, id]
  return owner !== undefined
}

/** Tests that pass with the reference, but failed or disappeared in this run. */
function strayFailures(
  { real }: ReadRun,
  passing: ReadonlySet<string>,
  changed: ReadonlySet<string>,
): readonly string[] {
  const status = new Map(real.map(({ id, status: now }: TestCase) => [id, now]))
  return [...passing].filter((id) => !changed.has(id) && status.get(id) !== 'passed')
}

/** Guesses which change has failed another test as well: that of the same test, otherwise the one before it. */
function culpritOf(id: string, changes: readonly Canary[]): Canary | undefined {
  return (
    changes.find(({ tests }) => tests.includes(id)) ??
    changes.toReversed().find(({ file }) => id.includes(file)) ??
    changes.at(-1)
  )
}

function canaryOf({ file, tests, expectations, tried }: Candidate, isSeen: (call: string) => boolean): Canary {
  const { start, line, was, became, call, isEven } = expectations[tried] as Expectation
  return { file, line, start, was, became, tests, counts: isEven && !isSeen(call) }
}

/** Canaries that count come first, and files take turns. */
function spread(all: readonly Canary[]): Canary[] {
  const drawn = [...shuffled(all, draw)].sort((one, other) => Number(other.counts) - Number(one.counts))
  const turn = new Map<string, number>()
  const turns = drawn.map((one) => {
    const own = turn.get(one.file) ?? 0
    turn.set(one.file, own + 1)
    return { one, own }
  })
  return turns
    .sort((a, b) => Number(b.one.counts) - Number(a.one.counts) || a.own - b.own)
    .slice(0, mostCanaries)
    .map(({ one }) => one)
}

async function candidatesIn(files: ReadonlyMap<string, string>, passing: readonly string[]) {
  const candidates: Candidate[] = []
  const titleEnds: Record<string, readonly number[]> = {}
  const taken = new Set<string>()
  /** Whether the language of any file is known. */
  let isRead = false
  for (const [file, text] of files) {
    const source = await readTests(text, file, draw)
    if (source === undefined) continue
    isRead = true
    if (source.titleEnds !== undefined) titleEnds[file] = source.titleEnds
    for (const { titles, expectations } of source.tests) {
      const tests = idsOf(titles, file, passing)
      if (expectations.length === 0 || tests.length === 0 || tests.some((id) => taken.has(id))) continue
      for (const id of tests) taken.add(id)
      candidates.push({ file, named: tests, tests, expectations, tried: 0, hits: 0 })
    }
  }
  return { candidates, titleEnds, isRead }
}

/**
 * Finds the reported tests that belong to a test of a source: by all its titles, by its own title, or by its outermost
 * suite.
 */
function idsOf(titles: SourceTest['titles'], file: string, ids: readonly string[]): readonly string[] {
  const parts = titles.map((title) => title?.source.slice(1, -1) ?? '[\\s\\S]*')
  // Go names the package of a test, which is its directory.
  const module = file.endsWith('.go') ? file.replace(/\/?[^/]*$/, '.') : file.replace(/\.\w+$/, '').replaceAll('/', '.')
  const own = ids.filter((id) => id.includes(file) || id.includes(module))
  const among = own.length > 0 ? own : ids
  const separator = '(?: > | › |#|\\.|::| )'
  for (const name of [parts.join(separator), parts.at(-1) ?? '', parts[0] ?? '']) {
    const pattern = new RegExp(`(?:^| > |#|::|\\.| )${name}(?:\\[[\\s\\S]*\\]|\\([\\s\\S]*\\)|\\{[\\s\\S]*\\})*$`)
    const found = among.filter((id) => pattern.test(id))
    if (found.length > 0) return found
  }
  return []
}

const mostSeenBytes = 1_000_000

/** Searches for a piece of code in the files of the agent's initial state, regardless of white space. */
async function searchIn(before: Workspace | undefined): Promise<(call: string) => boolean> {
  const texts: string[] = []
  if (before !== undefined)
    for await (const { path, type, sizeBytes } of before.list())
      if (type === 'file' && sizeBytes <= mostSeenBytes && !/(?:^|\/)(?:node_modules|\.git)\//.test(path))
        texts.push(
          Buffer.from(await before.readBytes(path))
            .toString('utf8')
            .replace(/\s+/g, ' '),
        )
  return (call) => texts.some((text) => text.includes(call))
}
