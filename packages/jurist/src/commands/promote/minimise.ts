import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isTestFile } from '@jurist/kit/code-languages'
import { ddmin } from './ddmin.js'
import type { Cut, TrialFiles } from './trial-files.js'

/** Whether a cut fails alike; another outcome, an error and a timeout are `false`. */
export type FailsAlike = (cut: Cut) => Promise<boolean>

/** Files that stay whatever the judges say. */
export interface Kept {
  /** Paths that the failing judge names, and those that the trial read or changed. */
  readonly named: ReadonlySet<string>
  /** Whether all sources are kept: there is no reference, and the journal does not show what the agent read. */
  readonly sources: boolean
}

export interface Minimised {
  readonly cut: Cut
  readonly judgments: number
  /** Whether a limit ended it. */
  readonly isStopped: boolean
}

const manifests =
  /(?:^|\/)(?:package(?:-lock)?\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|tsconfig[^/]*\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|gradlew?|go\.(?:mod|sum)|Cargo\.(?:toml|lock)|Makefile|conftest\.py)$/
const sources = /\.(?:[cm]?[jt]sx?|py|java|kt|go|rs|c|cc|cpp|h|hpp|cs|rb|php|scala|swift|sh|sql|html|css|vue|svelte)$/

const mostJudgments = 200

/**
 * Makes the files of a failed trial small while they fail alike: first changes of the trial are undone, then files are left out, those of
 * whole directories first, then emptied, then lines of what is left. A candidate counts when it fails alike twice.
 */
export async function minimise(
  files: TrialFiles,
  begun: Cut,
  { failsAlike, kept, budgetMs }: { readonly failsAlike: FailsAlike; readonly kept: Kept; readonly budgetMs: number },
): Promise<Minimised> {
  const until = performance.now() + budgetMs
  let judgments = 0
  const known = new Map<string, boolean>()
  const mayGoOn = () => judgments < mostJudgments && performance.now() < until
  const holds = async (cut: Cut): Promise<boolean> => {
    const key = JSON.stringify([[...cut.gone].sort(), [...cut.undone].sort(), [...cut.texts].sort()])
    const before = known.get(key)
    if (before !== undefined) return before
    if (!mayGoOn()) return false
    // What fails otherwise once is not looked at again.
    let isAlike = true
    for (let time = 1; time <= 2 && isAlike; time += 1) {
      judgments += 1
      isAlike = await failsAlike(cut)
    }
    known.set(key, isAlike)
    return isAlike
  }
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
  const stays = (path: string) =>
    kept.named.has(path) ||
    changes.has(path) ||
    manifests.test(path) ||
    (kept.sources && sources.test(path)) ||
    isHidden(path)
  const removable = all.filter((path) => !begun.gone.has(path) && !stays(path))
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
  return { cut, judgments, isStopped: !mayGoOn() }
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
