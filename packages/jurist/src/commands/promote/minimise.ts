import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { solutionOf } from '@jurist/experiment/internal'
import { placesIn } from '@jurist/experiment/internal/results'
import { isTestFile } from '@jurist/kit/code-languages'
import { changes, localWorkspace, snapshot } from '@jurist/workspace'
import { recordedEvents } from '../show/trial-evidence.js'
import { type JudgeAgain, judgeAgain } from './judge-again.js'
import type { Promotion } from './promotion.js'
import { type Cut, cutKey, nothingCut, type TrialFiles } from './trial-files.js'

/** When leaving out ends: at a time, or by Ctrl-C. */
export interface Limits {
  /** By `performance.now()`. */
  readonly until: number
  readonly signal: AbortSignal
}

/** Files that stay whatever the judges say. */
export interface Kept {
  /** Paths that the failing judge names, the tests, what a reference changes, manifests. */
  readonly always: (path: string) => boolean
  /** Those that the trial read or changed, or all sources where that is not known: the next agent must get the same task. */
  readonly read: (path: string) => boolean
  /** Of the files that a reference changes those that are a solution; absent without a reference. */
  readonly solution?: readonly string[]
}

export interface Minimised {
  readonly cut: Cut
  readonly judgments: number
  /** Whether a limit ended it. */
  readonly isStopped: boolean
  readonly from: Size
  readonly to: Size
  readonly notes: readonly string[]
}

interface Size {
  readonly files: number
  readonly lines: number
}

const manifests =
  /(?:^|\/)(?:package(?:-lock)?\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|tsconfig[^/]*\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|gradlew?|go\.(?:mod|sum)|Cargo\.(?:toml|lock)|Makefile|conftest\.py)$/
const sources = /\.(?:[cm]?[jt]sx?|py|java|kt|go|rs|c|cc|cpp|h|hpp|cs|rb|php|scala|swift|sh|sql|html|css|vue|svelte)$/

const mostJudgments = 200

/** Which files of a trial stay. */
export async function keptFiles({ results, run, item, files, experiment }: Promotion): Promise<Kept> {
  const { reference } = files
  const solved = reference === null ? [] : await changedBy(files, reference)
  const events = item.journalPath === null ? [] : ((await recordedEvents(results, run, item)) ?? [])
  const steps = events.filter(({ type }) => type === 'tool-call')
  const [read, said] = [JSON.stringify(steps), JSON.stringify(item.verdict)]
  const places = new Set([...placesIn(said)].map(({ path }) => path))
  return {
    ...(reference === null ? {} : { solution: (await solutionOf(solved, experiment.vet?.solution)).files }),
    always: (path) =>
      places.has(path) ||
      (isTestFile(path) && said.includes(path)) ||
      solved.includes(path) ||
      manifests.test(path) ||
      isHidden(path),
    read: (path) =>
      reference === null &&
      (read.includes(path) || files.changed.includes(path) || (steps.length === 0 && sources.test(path))),
  }
}

/** The paths that a reference changes or adds. */
async function changedBy({ snapshots }: TrialFiles, reference: string): Promise<readonly string[]> {
  const { added, modified } = changes(snapshots.before, await snapshot(localWorkspace(reference)))
  return [...added, ...modified]
}

/**
 * Makes the files of a failed trial small while they fail alike: first changes of the trial are undone, then files are left out, those of
 * whole directories first, then emptied, then lines of what is left. A candidate counts when it fails alike twice, and with a reference
 * only if that still passes. What is left is judged three times more.
 *
 * @param begun fails alike
 */
export async function minimise(
  promotion: Promotion,
  begun: Cut,
  kept: Kept,
  { until, signal }: Limits,
): Promise<Minimised> {
  const { files } = promotion
  let judgments = 0
  const failsAlike = (judge: JudgeAgain, cut: Cut) => {
    judgments += 1
    return judge.isAlike(cut, kept.solution)
  }
  const judge = await judgeAgain(promotion, signal)
  const known = new Map<string, boolean>()
  const mayGoOn = () => judgments < mostJudgments && performance.now() < until && !signal.aborted
  const holds = async (cut: Cut): Promise<boolean> => {
    const key = cutKey(cut)
    const before = known.get(key)
    if (before !== undefined) return before
    if (!mayGoOn()) return false
    // What fails otherwise once is not looked at again.
    const isAlike = (await failsAlike(judge, cut)) && (await failsAlike(judge, cut))
    known.set(key, isAlike)
    return isAlike
  }
  const smaller = await smallest(files, begun, kept, holds, mayGoOn)
  const isStopped = !mayGoOn()
  // Ctrl-C ends the search, not the proof of what it found.
  const last = await judgeAgain(promotion, new AbortController().signal)
  const notes = isStopped ? ['minimised: stopped at a limit; --budget-minutes gives it more time'] : []
  let times = 0
  while (times < 3 && (await failsAlike(last, smaller))) times += 1
  if (times < 3) notes.push('what was left did not fail alike three times, so that nothing was left out')
  const cut = times < 3 ? begun : smaller
  return {
    ...{ cut, judgments, isStopped, notes },
    from: await sizeOf(files, nothingCut),
    to: await sizeOf(files, cut),
  }
}

export async function sizeOf(files: TrialFiles, cut: Cut): Promise<Size> {
  let [count, lines] = [0, 0]
  for (const [path, entry] of Object.entries(files.snapshots.before.files)) {
    if (cut.gone.has(path) || 'link' in entry) continue
    const text = cut.texts.get(path)?.before ?? (await readFile(join(files.before, path))).toString('latin1')
    // A file that was emptied is a name, not something to read.
    if (text === '') continue
    count += 1
    lines += text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  }
  return { files: count, lines }
}

async function smallest(
  files: TrialFiles,
  begun: Cut,
  kept: Kept,
  holds: (cut: Cut) => Promise<boolean>,
  mayGoOn: () => boolean,
): Promise<Cut> {
  let cut = begun
  // One change stays at least, so that the jury is tested by what the trial did; of a source rather than of a note.
  const changed = files.changed
    .filter((path) => !begun.gone.has(path))
    .sort((one, other) => Number(sources.test(one)) - Number(sources.test(other)))
  const needed = await ddmin(
    changed,
    async (part) => {
      const left = new Set(part)
      return holds({ ...cut, undone: new Set(files.changed.filter((path) => !left.has(path))) })
    },
    mayGoOn,
    1,
  )
  const changes = new Set(needed)
  cut = { ...cut, undone: new Set(files.changed.filter((path) => !changes.has(path))) }
  const all = [...new Set([...Object.keys(files.snapshots.before.files), ...Object.keys(files.snapshots.after.files)])]
  const removable = all.filter(
    (path) => !(begun.gone.has(path) || changes.has(path) || kept.always(path) || kept.read(path)),
  )
  const withoutFiles = (left: readonly string[]): Cut => {
    const remaining = new Set(left)
    return { ...cut, gone: new Set([...begun.gone, ...removable.filter((path) => !remaining.has(path))]) }
  }
  const left = await ddmin(byDirectory(removable), (part) => holds(withoutFiles(part.flat())), mayGoOn)
  const single = await ddmin(left.flat(), (part) => holds(withoutFiles(part)), mayGoOn)
  cut = withoutFiles(single)
  for (const path of single) {
    if (!mayGoOn()) break
    cut = await shorter(files, cut, path, holds, mayGoOn)
  }
  return cut
}

/** Settings of git: what reads them names no file. */
function isHidden(path: string): boolean {
  return path.startsWith('.git/') || path === '.gitignore'
}

/** Files in groups of their directories, tests apart: most groups go as a whole. */
function byDirectory(paths: readonly string[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    const key = `${isTestFile(path)} ${path.split('/').slice(0, -1).join('/')}`
    groups.set(key, [...(groups.get(key) ?? []), path])
  }
  return [...groups.values()]
}

const mostBytes = 200_000

/** Lines of a file are left out at the beginning and the end alike; a file that may be empty is emptied. */
async function shorter(
  files: TrialFiles,
  cut: Cut,
  path: string,
  holds: (cut: Cut) => Promise<boolean>,
  mayGoOn: () => boolean,
): Promise<Cut> {
  const entry = files.snapshots.before.files[path]
  if (entry === undefined || 'link' in entry || entry.sizeBytes > mostBytes) return cut
  const known = cut.texts.get(path)?.before
  const bytes = known ?? (await readFile(join(files.before, path)))
  if (typeof bytes !== 'string' && bytes.includes(0)) return cut
  const lines = bytes.toString().split(/(?<=\n)/)
  const withLines = (part: readonly number[]): Cut => {
    const text = part.map((index) => lines[index] ?? '').join('')
    return { ...cut, texts: new Map([...cut.texts, [path, { before: text, after: text }]]) }
  }
  const blocks = blocksOf(lines)
  const some = await ddmin(blocks, (part) => holds(withLines(part.flat())), mayGoOn)
  const kept = await ddmin(some.flat(), (part) => holds(withLines(part)), mayGoOn)
  return kept.length === lines.length ? cut : withLines(kept)
}

/** Lines by the statements at the margin: a function, a class or an entry goes as a whole. */
function blocksOf(lines: readonly string[]): readonly (readonly number[])[] {
  const blocks: number[][] = []
  for (const [index, line] of lines.entries()) {
    const isStart = /^\S/.test(line) && !/^[)}\]]/.test(line)
    if (isStart || blocks.length === 0) blocks.push([])
    blocks.at(-1)?.push(index)
  }
  return blocks
}

/**
 * A part of a list that still has a property and of which no single part can be left out: the algorithm `ddmin` of Zeller and
 * Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on Software Engineering 28(2), 2002. Whole lists
 * are tried first: without any part, then halves, quarters and so on.
 *
 * @param least how many parts must be left, 0 or 1. Default 0
 * @param holds whether the property holds for a part of the list; never called for the whole list
 * @param mayGoOn `false` ends it with what was found so far
 */
export async function ddmin<Part>(
  parts: readonly Part[],
  holds: (kept: readonly Part[]) => Promise<boolean>,
  mayGoOn: () => boolean,
  least: 0 | 1 = 0,
): Promise<readonly Part[]> {
  if (parts.length === 0 || !mayGoOn()) return parts
  if (least === 0 && (await holds([]))) return []
  let kept = parts
  let pieces = 2
  while (kept.length >= 2 && mayGoOn()) {
    const size = Math.ceil(kept.length / pieces)
    const starts = Array.from({ length: Math.ceil(kept.length / size) }, (_, index) => index * size)
    let found: readonly Part[] | undefined
    for (const start of starts) {
      if (!mayGoOn()) return kept
      const rest = [...kept.slice(0, start), ...kept.slice(start + size)]
      if (rest.length > 0 && (await holds(rest))) {
        found = rest
        break
      }
    }
    if (found !== undefined) {
      kept = found
      pieces = Math.max(2, pieces - 1)
    } else if (size === 1) return kept
    else pieces = Math.min(kept.length, pieces * 2)
  }
  return kept
}
