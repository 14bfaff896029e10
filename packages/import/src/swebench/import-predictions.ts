import type { ExperimentOptions, Reporter } from '@jurist/experiment'
import { openedDataset } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { type CommandHost, type ExitCode, usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { sourceFile } from '../new-project.js'
import { readDocuments, unreadable } from '../traces/trace-files.js'
import { type JudgedPatches, judgePatches, type ModelPatches, readPredictions } from './predictions.js'

/** Judges recorded patches, with one run per model. */
export async function importPredictions(
  host: CommandHost,
  source: string,
  named: string | undefined,
): Promise<ExitCode> {
  using interrupt = host.interruptible(() => 'Stopping. What was judged is kept: the same command continues.')
  const file = await sourceFile(host, source, 'Name the predictions, a .json or .jsonl file.')
  const read = readPredictions(await readDocuments({ path: file, shown: source }))
  if ('problems' in read) throw unreadable(source, read.problems)
  const [experiment] = await host.experiments(named === undefined ? [] : [named])
  if (experiment === undefined) throw usageInvalid('--experiment', 'The config has no experiment. Add one.')
  const { models, notes } = await fitting(experiment, read.models)
  const results = await host.results({ forWriting: true })
  const judged: JudgedPatches[] = []
  for (const patches of models) {
    host.note(`${safeLine(patches.model)}: ${counted(patches.patches.size, 'patch', 'patches')}`)
    const { signal } = interrupt
    judged.push(await judgePatches({ ...patches, experiment, store: results.store, signal, onEvent: progressOf(host) }))
    if (signal.aborted) return 130
  }
  return report(host, judged, [...read.notes, ...notes])
}

/** Progress is printed every so many trials. */
const progressStep = 25

function progressOf(host: CommandHost): Reporter {
  return (event) => {
    if (event.type === 'item-end' && event.done % progressStep === 0)
      host.note(`${event.done} of ${event.trials} judged`)
    if (event.type === 'warning') host.note(`warning: ${safeLine(event.message)}`)
  }
}

const mostNamed = 5

/** Returns the patches whose items are in the dataset, and notes on the others. */
async function fitting(experiment: ExperimentOptions, all: readonly ModelPatches[]) {
  const dataset = await openedDataset(experiment)
  const known = new Set(dataset.entries.filter(({ status }) => status === 'active').map(({ id }) => id))
  const notes: string[] = []
  const models = all.flatMap(({ model, patches }) => {
    const chosen = new Map([...patches].filter(([id]) => known.has(id)))
    const unknown = [...patches.keys()].filter((id) => !known.has(id))
    const without = [...known].filter((id) => !patches.has(id))
    if (unknown.length > 0) notes.push(`${model}: ${listed(unknown)}: no active item of the dataset`)
    if (without.length > 0) notes.push(`${model}: ${listed(without)}: no prediction, and so not judged`)
    return chosen.size === 0 ? [] : [{ model, patches: chosen }]
  })
  if (models.length > 0) return { models, notes }
  throw usageInvalid(
    'source',
    `No prediction is for an active item of ${dataset.name}. Its items: ${listed([...known])}.`,
  )
}

function listed(ids: readonly string[]): string {
  const more = ids.length - mostNamed
  return `${ids.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function report(host: CommandHost, judged: readonly JudgedPatches[], notes: readonly string[]): ExitCode {
  const rows = judged.map(({ model, run, isNew }) => {
    const { passCount: resolved, failCount: unresolved } = run
    const undecided = run.trials.length - resolved - unresolved
    return { model, runId: run.id, isNew, resolved, unresolved, undecided }
  })
  if (host.flags.json === true) {
    host.json({ runs: rows, notes })
    return 0
  }
  const { out } = host.terminal
  for (const { model, runId, isNew, resolved, unresolved, undecided } of rows) {
    const open = undecided === 0 ? '' : `, ${undecided} undecided`
    const again = isNew ? '' : ' (imported before)'
    out(`${safeLine(model)}: ${resolved} of ${resolved + unresolved} resolved${open}, ${runId}${again}\n`)
  }
  if (notes.length > 0) out(`\nLook at:\n${notes.map((note) => `- ${safeLine(note)}\n`).join('')}`)
  const [first] = rows
  if (first !== undefined) out(`\nNext:  ${commandLine('show', first.runId)}\n`)
  return 0
}
