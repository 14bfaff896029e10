import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import type { DatasetItem } from '@jurist/experiment'
import type { Dataset } from '@jurist/experiment/dataset'
import { isTestFile } from '@jurist/kit/code-languages'
import { localWorkspace } from '@jurist/workspace'
import { usualWorkdir } from '@jurist/workspace/internal'
import type { TaskFiles, TaskSettings } from './task-checks.js'
import type { TaskFindings } from './task-finding.js'

const mostBytes = 500_000
const mostFiles = 2_000

/** Reads the files of a Harbor task. Links are not followed, and files that are large or not text have no text. */
async function taskFiles(directory: string): Promise<Pick<TaskFiles, 'texts' | 'paths'>> {
  const workspace = localWorkspace(directory)
  const [paths, texts]: [string[], Map<string, string>] = [[], new Map()]
  for await (const { path, type } of workspace.list()) {
    if (type !== 'file' || paths.length === mostFiles) continue
    paths.push(path)
    const text = await workspace.read(path, { maxBytes: mostBytes }).catch(() => undefined)
    if (text !== undefined) texts.set(path, text)
  }
  return { paths, texts }
}

/**
 * Checks the files of a Harbor task by reading them: whether its verdicts can be right. Nothing runs.
 *
 * @param directory the directory that contains `task.toml`
 *
 * @example
 * import { checkTaskDirectory } from '@jurist/vet'
 *
 * const { findings } = await checkTaskDirectory('tasks/hello', { hasAgentTimeout: true, hasNetwork: false })
 * for (const { check, file, line, what } of findings) console.log(`${file}:${line} ${what} (${check})`)
 */
export async function checkTaskDirectory(directory: string, settings: TaskSettings): Promise<TaskFindings> {
  // Most datasets have no tasks of Harbor.
  const { checkTask } = await import('./task-checks.js')
  return await checkTask({ ...(await taskFiles(directory)), ...settings })
}

/** The described verifier of an item that a Harbor task judges, with the path of the task below the dataset. */
function verifierOf({ path, judges }: Pick<DatasetItem, 'path' | 'judges'>) {
  if (path === null || !isPlainObject(judges)) return undefined
  const verifier = Object.values(judges).find((judge) => isPlainObject(judge) && judge['type'] === 'harbor-verifier')
  if (!isPlainObject(verifier) || typeof verifier['task'] !== 'string') return undefined
  const { task, network = false, workdir = usualWorkdir } = verifier
  return { task: join(path, task), hasNetwork: network !== false, workdir: String(workdir) }
}

/**
 * Checks the Harbor task that judges an item by reading its files. Of other items it reads the tests that agents do not
 * see; `null` without such tests. Nothing runs.
 *
 * @example
 * import { openDataset } from '@jurist/experiment/dataset'
 * import { checkItemSettings } from '@jurist/vet'
 *
 * const dataset = await openDataset('evals/dataset')
 * const found = await checkItemSettings(dataset, await dataset.item('hello'))
 * console.log(found?.findings.map(({ check }) => check)) // ['plantable-hook']
 */
export async function checkItemSettings(
  { directory }: Pick<Dataset, 'directory'>,
  item: Pick<DatasetItem, 'path' | 'judges' | 'timeoutMs' | 'task'>,
): Promise<(TaskFindings & { readonly task: string }) | null> {
  if (directory === null || item.path === null) return null
  const textsIn = async (name: string) => {
    const place = join(directory, item.path ?? '', name)
    return existsSync(place) ? (await taskFiles(place)).texts : new Map<string, string>()
  }
  const verifier = verifierOf(item)
  const { checkTask, checkTests } = await import('./task-checks.js')
  const before = await textsIn('before')
  if (verifier === undefined) {
    const hidden = [...(await textsIn('reference'))].filter(
      ([path, text]) => isTestFile(path) && before.get(path) !== text,
    )
    if (hidden.length === 0) return null
    return { task: join(item.path, 'reference'), ...(await checkTests(new Map(hidden), item.task)) }
  }
  const { task, hasNetwork } = verifier
  const files = await taskFiles(join(directory, task))
  const found = await checkTask({ ...files, seen: before, hasAgentTimeout: item.timeoutMs !== null, hasNetwork })
  return { task, ...found }
}

/** The verifier of a Harbor task. */
export interface VerifierFiles {
  /** The paths of its files below `tests/`. */
  readonly paths: readonly string[]
  /** The words of `tests/test.sh` that may be paths outside `tests/`. */
  readonly named: readonly string[]
  /** The files that it compares: those of the workspace by their paths in it, and absolute paths of others. */
  readonly compared: { readonly outputs: readonly string[]; readonly others: readonly string[] }
}

/** For items without a Harbor task. */
export const noVerifier: VerifierFiles = { paths: [], named: [], compared: { outputs: [], others: [] } }

/** Lists the files of the verifier of a Harbor task, and what it names and compares; nothing for every other item. */
export async function verifierFiles(
  { directory }: Pick<Dataset, 'directory'>,
  item: Pick<DatasetItem, 'path' | 'judges'>,
): Promise<VerifierFiles> {
  const verifier = verifierOf(item)
  const place = directory === null || verifier === undefined ? undefined : join(directory, verifier.task, 'tests')
  if (place === undefined || !existsSync(place)) return noVerifier
  const { paths, texts } = await taskFiles(place)
  const [{ scriptOf }, { comparedBy }] = await Promise.all([import('./verifier-script.js'), import('./task-checks.js')])
  const commands = (scriptOf(texts.get('test.sh') ?? '') ?? []).map(({ words }) => words)
  const words = commands.flat()
  const compared = await comparedBy(commands, texts)
  const at = `${verifier?.workdir}/`
  const isOutput = (path: string) => path.startsWith(at)
  return {
    paths: paths.map((path) => `tests/${path}`),
    named: words.filter((word) => word.includes('.') && !word.startsWith('/tests/')),
    compared: {
      outputs: compared.filter(isOutput).map((path) => path.slice(at.length)),
      others: compared.filter((path) => !isOutput(path) && !/^\/(?:tests|logs|dev|proc)\//.test(path)),
    },
  }
}
