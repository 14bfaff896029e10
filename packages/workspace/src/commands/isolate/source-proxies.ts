import { lstatSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { extname, join, posix, relative } from 'node:path'
import type { Workspace } from '@jurist/core'
import { maxEntries } from '@jurist/core/internal'
import { isInside } from '../../containment.js'
import { globMatcher } from '../../glob.js'
import { listTree } from '../../list-tree.js'
import type { ProvisionedWorkspace } from '../../provision.js'
import { mayHavePackages } from '../needed-packages.js'
import { projectEntries } from '../overlay.js'
import { isGiven } from '../steering-files.js'
import { connectingDirectory, type IsolatedLanguage } from './code-process.js'

const javascript = /\.(?:[cm]?[jt]s|[jt]sx)$/
/** The language of a file by its name. */
export function languageOf(path: string): IsolatedLanguage | undefined {
  if (/\.d\.[cm]?ts$/.test(path)) return undefined
  return javascript.test(path) ? 'javascript' : path.endsWith('.py') ? 'python' : undefined
}

/** What no tool takes for code. */
const data = new Set(
  (
    '.json .jsonc .json5 .jsonl .ndjson .txt .md .rst .csv .tsv .yaml .yml .toml .xml .html .htm .css .svg .lock .png .jpg ' +
    '.jpeg .gif .webp .ico .woff .woff2 .ttf .pdf .sql .graphql .proto .d.ts'
  ).split(' '),
)
const isData = (path: string): boolean => data.has(extname(path)) || /\.d\.[cm]?ts$/.test(path)

/** How the code beside the tests is replaced. */
export interface Replacing {
  readonly originals: readonly Workspace[]
  /** Paths that were laid over: they stay. */
  readonly laid: readonly string[]
  /** Globs of files that steer a run, which were made what they were: they stay. */
  readonly absent: readonly string[]
  /** Normalised. */
  readonly cwd: string
  readonly languages: ReadonlySet<IsolatedLanguage>
  readonly signal: AbortSignal
}

/**
 * The sources of a copy that are no tests. Whatever else of the agent could be run or loaded among the tests is removed:
 * what stays is what others wrote, and data.
 */
export async function sourcesBeside(copy: ProvisionedWorkspace, replacing: Replacing): Promise<readonly string[]> {
  const { originals, laid, absent, cwd, languages, signal } = replacing
  const steers = await globMatcher(absent, cwd)
  const isLaid = (path: string) => [...laid, connectingDirectory].some((one) => isInside(one, path))
  await removePackages(copy, replacing)
  const sources: string[] = []
  for await (const { path, type } of projectEntries(copy, signal)) {
    if (type === 'directory' || isLaid(path) || steers(path)) continue
    const language = languageOf(path)
    const leadsToDirectory =
      type === 'symlink' && statSync(join(copy.root, path), { throwIfNoEntry: false })?.isDirectory()
    if (leadsToDirectory === true ? isAmongSources(copy.root, path) : isData(path)) continue
    if (leadsToDirectory !== true && language !== undefined && languages.has(language)) sources.push(path)
    else if (!(await isGiven(copy, originals, path))) rmSync(join(copy.root, path), { recursive: true, force: true })
  }
  return sources
}

/** Removes the packages where the tests do not look for any, and all of them where the project needs none. */
async function removePackages(copy: ProvisionedWorkspace, { originals, laid, cwd, signal }: Replacing): Promise<void> {
  const searched = new Set([cwd, ...[`${cwd}/x`, ...laid].flatMap(directoriesAbove)].map((one) => posix.normalize(one)))
  const listing = { under: '.', ignore: ['.git/', 'node_modules/*'], maxEntries, signal }
  for await (const { path } of listTree(copy.root, listing)) {
    const directory = posix.dirname(path)
    if (posix.basename(path) !== 'node_modules' || laid.some((one) => isInside(one, path))) continue
    if (searched.has(directory) && (await mayHavePackages(originals, [directory]))) continue
    rmSync(join(copy.root, path), { recursive: true, force: true })
  }
}

/** Whether a link to a directory leads to the project's own files, and not to packages. */
function isAmongSources(root: string, path: string): boolean {
  const target = relative(root, realpathSync(join(root, path)))
  return !target.split('/').some((name) => name === 'node_modules' || name === '..')
}

/** Replaces a source by a text, also where it is a link. */
export function writeProxy(root: string, path: string, text: string): void {
  const place = join(root, path)
  if (lstatSync(place).isSymbolicLink()) rmSync(place)
  writeFileSync(place, text)
}

/** A proxy of a module of Python: it asks for its content when it is imported. */
export function pythonProxy(home: string): string {
  const place = JSON.stringify(join(home, connectingDirectory, 'client.py'))
  return `import importlib.util as _util, sys as _sys
if '_jurist_client' not in _sys.modules:
    _spec = _util.spec_from_file_location('_jurist_client', ${place})
    _sys.modules['_jurist_client'] = _util.module_from_spec(_spec)
    _spec.loader.exec_module(_sys.modules['_jurist_client'])
_sys.modules['_jurist_client'].fill(globals())
`
}

/** The directories above a path, from the nearest outward. */
function directoriesAbove(path: string): readonly string[] {
  const directory = posix.dirname(path)
  return directory === '.' ? ['.'] : [directory, ...directoriesAbove(directory)]
}
