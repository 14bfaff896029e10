import { isUtf8 } from 'node:buffer'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { copyWorkspaces, type ExperimentOptions } from '@jurist/experiment'
import { openedDataset, wholeWorkspace } from '@jurist/experiment/internal'
import { resultWithItems } from '@jurist/experiment/internal/results'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { deleteTree, temporaryDirectory, withGit } from '@jurist/workspace/internal'

/** Access to the sources of predictions. */
export interface PredictionPlaces {
  /** Prints what is left out. */
  readonly note: (line: string) => void
  /** Returns the experiment of a run from the current config; `undefined` if the config has none of this name. */
  readonly experimentOf: (run: ExperimentResult) => Promise<ExperimentOptions | undefined>
  /** Returns the kept workspace of a trial; `undefined` if it no longer exists. */
  readonly workspaceOf: (run: ExperimentResult, item: ItemResult) => Promise<string | undefined>
}

/** Yields the patches of the first repetitions of runs, as predictions of SWE-bench, one per line. */
export async function* predictionLines(
  runs: AsyncIterable<ExperimentResult>,
  places: PredictionPlaces,
): AsyncGenerator<string, void> {
  const signal = AbortSignal.timeout(3_600_000)
  for await (const read of runs) {
    const run = await resultWithItems(read)
    const beginning = await beginningOf(await places.experimentOf(run))
    for (const item of run.items) {
      if (item.repetition > 1) continue
      const patch =
        recordedPatch(item) ?? (await patchOf({ run, item, beginning, signal, workspaceOf: places.workspaceOf }))
      if (typeof patch !== 'string') places.note(`left out ${safeLine(item.itemId)}: ${patch.reason}`)
      else
        yield `${JSON.stringify({ instance_id: idOf(item), model_name_or_path: modelOf(run), model_patch: patch })}\n`
    }
    const repeated = run.items.filter(({ repetition }) => repetition > 1).length
    if (repeated > 0) places.note(`${run.id}: ${repeated} further repetitions are left out; a prediction is one patch`)
  }
}

/** An imported trial contains its prediction. */
function recordedPatch({ detail, metadata }: ItemResult): string | undefined {
  const invocation = detail?.kind === 'agent' ? detail.invocation : undefined
  if (!isPlainObject(metadata['prediction']) && !isPlainObject(invocation?.metadata?.['prediction'])) return undefined
  const output = invocation?.output
  return output?.type === 'text' ? output.text : ''
}

function idOf({ itemId, metadata }: ItemResult): string {
  const source = metadata['source']
  const id = isPlainObject(source) ? source['instance_id'] : undefined
  return typeof id === 'string' ? id : itemId
}

/** Returns the model that the run names, otherwise its variant or experiment. */
function modelOf({ metadata, variant, experimentName }: ExperimentResult): string {
  const imported = metadata['import']
  const model = isPlainObject(imported) ? imported['model'] : undefined
  return typeof model === 'string' ? model : (variant ?? experimentName)
}

/** Writes the initial state of an item to a directory that is deleted on disposal; `undefined` if it is not known. */
type Beginning = (
  itemId: string,
  signal: AbortSignal,
) => Promise<(AsyncDisposable & { readonly root: string }) | undefined>

/** Records are untrusted, so the initial state of an item comes from the dataset of the user's own config. */
async function beginningOf(experiment: ExperimentOptions | undefined): Promise<Beginning | undefined> {
  if (experiment === undefined) return undefined
  const dataset = await openedDataset(experiment)
  const known = new Set(dataset.entries.map(({ id }) => id))
  const provide = copyWorkspaces()
  return async (itemId, signal) => {
    if (!known.has(itemId)) return undefined
    const item = await dataset.item(itemId)
    const lease = await provide({ item, repetition: 1, signal })
    const { root } = lease.workspace
    if (root === undefined) return undefined
    return { root, [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose]() }
  }
}

async function patchOf({
  run,
  item,
  beginning,
  signal,
  workspaceOf,
}: {
  readonly run: ExperimentResult
  readonly item: ItemResult
  readonly beginning: Beginning | undefined
  readonly signal: AbortSignal
  readonly workspaceOf: PredictionPlaces['workspaceOf']
}): Promise<string | { readonly reason: string }> {
  if (beginning === undefined) return { reason: `the config has no experiment ${run.experimentName}` }
  if (item.workspacePath === null)
    return { reason: `its workspace was not kept: ${commandLine('run', '--preserve', 'all')}` }
  const kept = await workspaceOf(run, item)
  if (kept === undefined) return { reason: 'its workspace is no longer there' }
  await using before = await beginning(item.itemId, signal)
  if (before === undefined) return { reason: 'the dataset has no such item' }
  const began = async () => ({ directory: before.root, [Symbol.asyncDispose]: async () => undefined })
  const whole = await wholeWorkspace(kept, item.keptChanges, began)
  if (typeof whole === 'string') return { reason: whole }
  try {
    return await workspacePatch(before.root, whole.directory, signal)
  } finally {
    await whole[Symbol.asyncDispose]()
  }
}

const timeoutMs = 300_000

/** No attribute of a workspace may change what git reads: patches contain the bytes of the files. */
const asTheyAre = '* -text -eol -ident -filter -working-tree-encoding !diff\n'
/** Treats every file as binary, since a JSON string can contain only UTF-8. */
const asBinary = '* -text -eol -ident -filter -working-tree-encoding -diff\n'

/**
 * Returns the patch from one directory to another in the format of `git apply`; `''` if they are equal. New files that
 * the ignore files of the workspace match are left out, as in a commit.
 */
async function workspacePatch(before: string, after: string, signal: AbortSignal): Promise<string> {
  const directory = temporaryDirectory()
  const repository = join(directory, 'repository', '.git')
  const output = join(directory, 'changes.patch')
  try {
    return await withGit({ cwd: directory, timeoutMs, signal }, async (git) => {
      await git(['init', '--quiet', dirname(repository)])
      const attributes = join(repository, 'info', 'attributes')
      await mkdir(join(repository, 'info'), { recursive: true })
      await writeFile(attributes, asTheyAre)
      const treeOf = async (workTree: string, ...force: readonly string[]) => {
        const at = ['-C', workTree, '--git-dir', repository, '--work-tree', workTree]
        await git([...at, 'add', '--all', ...force, '--', '.'])
        return git([...at, 'write-tree'])
      }
      const trees = [await treeOf(before, '--force'), await treeOf(after)]
      const diff = async () => {
        const how = ['--binary', '--full-index', '--no-color', '--no-renames', '--no-ext-diff', '--no-textconv']
        await git(['--git-dir', repository, 'diff', ...how, `--output=${output}`, ...trees, '--'])
        return readFile(output)
      }
      const patch = await diff()
      return String(isUtf8(patch) ? patch : await writeFile(attributes, asBinary).then(diff))
    })
  } finally {
    await deleteTree(directory)
  }
}
