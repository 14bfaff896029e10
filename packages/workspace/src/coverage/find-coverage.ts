import type { Workspace } from '@jurist/core'
import { checkOptions, maxEntries, normalizePath, type OptionRule } from '@jurist/core/internal'
import ignore from 'ignore'
import { directoryOf } from '../containment.js'
import { leftOut, listTree } from '../list-tree.js'
import { eachModule, placeInModule, usualPlaces } from './formats.js'

const isPath = (value: unknown): boolean => {
  try {
    return typeof value === 'string' && normalizePath(value, 'file') !== ''
  } catch {
    return false
  }
}

/** What `report` may be. */
export const reportRule: OptionRule = {
  wants: 'a path or glob inside the workspace, or an array of them',
  holds: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isPath) : isPath(value)),
  schema: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
}

/**
 * The paths of the coverage reports of a workspace, ordered: those that `report` names, or the first usual place of
 * Maven (JaCoCo, also one in each module), Gradle, Istanbul, LCOV and Cobertura. Several are parts of one whole.
 *
 * @param options `report`: paths or globs. Globs find regular files, in `.git` and `node_modules` only where they begin there
 *
 * @example
 * import { localWorkspace } from '@jurist/workspace'
 * import { findCoverage } from '@jurist/workspace/coverage'
 *
 * await findCoverage(localWorkspace('project'), { report: ['server/lcov.info', 'client/lcov.info'] })
 */
export async function findCoverage(
  workspace: Workspace,
  options?: { readonly report?: string | readonly string[] },
): Promise<readonly string[]> {
  const { report } = checkOptions('findCoverage', options, { report: reportRule })
  return reportsIn(workspace, report)
}

/** The same for options that are checked; the signal ends a search. */
export async function reportsIn(
  workspace: Workspace,
  report?: string | readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (report !== undefined) return reportsAt(workspace, [report].flat(), signal)
  for (const place of usualPlaces) {
    const found = place === eachModule ? await ofModules(workspace, signal) : await onlyFiles(workspace, [place])
    if (found.length > 0) return found
  }
  return []
}

/** Every report that `reportsIn` could find, also where an earlier place is taken first. */
export async function everyReportIn(
  workspace: Workspace,
  report: string | readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (report !== undefined) return reportsAt(workspace, [report].flat(), signal)
  const places = usualPlaces.filter((place) => place !== eachModule)
  return [...(await onlyFiles(workspace, places)), ...(await ofModules(workspace, signal))]
}

async function onlyFiles(workspace: Workspace, paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = []
  for (const path of paths) if (await workspace.isFile(path)) files.push(path)
  return files
}

/** The root is listed without what is below its directories: a workspace may have many files and no module. */
async function ofModules(workspace: Workspace, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const modules: string[] = []
  for await (const { path, type } of entriesOf(workspace, ['/*/*'], signal))
    if (type === 'directory' && !path.includes('/')) modules.push(`${path}/${placeInModule}`)
  return onlyFiles(workspace, modules)
}

async function reportsAt(
  workspace: Workspace,
  reports: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const paths = reports.map((report) => normalizePath(report, 'file'))
  const found = new Set(await onlyFiles(workspace, paths))
  const { default: picomatch } = await import('picomatch')
  const globs = paths.filter((path) => !found.has(path) && picomatch.scan(path).isGlob)
  if (globs.length > 0) {
    const matches = picomatch(globs, { dot: true, nonegate: true })
    const left = await leftOut(globs)
    const leaves = ignore().add([...left])
    for await (const { path, type } of entriesOf(workspace, left, signal))
      if (type === 'file' && matches(path) && !leaves.ignores(path)) found.add(path)
  }
  return [...found].sort()
}

function entriesOf(workspace: Workspace, left: readonly string[], signal: AbortSignal | undefined) {
  const root = directoryOf(workspace)
  if (root !== undefined) return listTree(root, { under: '.', ignore: left, maxEntries, signal })
  return workspace.list(signal === undefined ? {} : { signal })
}
