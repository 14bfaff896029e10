import { resolve } from 'node:path'
import { shownTrial } from '@jurist/experiment/internal'
import { hadWorkspace, itemsOf, trialText } from '@jurist/experiment/internal/results'
import { flag, usageInvalid } from '@jurist/experiment/plugin'
import type { ItemResult } from '@jurist/experiment/result'
import { checkOutputFile } from '../../command-kit/files.js'
import { findRun, resultsHolding } from '../../command-kit/find-run.js'
import type { Host } from '../../command-kit/host.js'
import { keyReader } from '../../command-kit/key-reader.js'
import { resultsOf } from '../../command-kit/results-store.js'
import { fileEndingIn, type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { startingDirectories } from '../show/show.js'
import { type DiffPlace, shownJournal, workspaceDiff } from '../show/trial-evidence.js'
import { checkKeepsLabels, labelFile, labelPass, labelsBeside, passFlags, summarizePass } from './label-pass.js'
import { type LabelSession, labelSession } from './label-session.js'

export const label: Subcommand = subcommand({
  arguments: [['[run]', 'a run id or its beginning, latest, an experiment (default: latest)']],
  flags: {
    ...passFlags,
    labels: flag(
      '--labels <file>',
      'where labels are kept (default: labels.jsonl beside the run, or the database of the run)',
      fileEndingIn('.jsonl'),
    ),
  },
  note: `Shows task, output and changes of each trial, and never what a judge said. Keys: p pass, f fail, s skip, u undo,
n note, c categories, o whole output, d all changes, j journal, q quit. Every label is written to disk when its key is
pressed, so the same command continues where you stopped. Keys may come from a pipe. In the browser: jurist view --review`,
  examples: [
    'label latest --sample 60',
    'label answers --by ana --sample 200 --seed 7',
    'label latest --next 20',
    'label latest --disagreements --by carl',
  ],
  async run(host, [name = 'latest'], read) {
    const own = await resultsOf(host)
    const results = await resultsHolding(own, name, host.cwd)
    const run = await findRun(results, name, host.cwd, ['agent'])
    if (read.labels === undefined) checkKeepsLabels(name)
    else await checkOutputFile(host, '--labels', read.labels)
    const place =
      read.labels === undefined ? labelsBeside(host, results, run) : labelFile(host.cwd, resolve(host.cwd, read.labels))
    const lines = await place.read()
    const pass = await labelPass(host, run, lines, read)
    const datasets = await startingDirectories(host, results === own ? run : undefined, [])
    const trials = trialsShown(host, { run, results, datasets })
    const after = await labelled(host, { ...trials, place, lines, pass })
    summarizePass(host, { run, place, pass, lines: after })
    return 0
  },
})

/** Returns the functions that show the trials of a run. */
function trialsShown(host: Host, place: DiffPlace): Pick<LabelSession, 'show' | 'journal'> {
  const { run, results } = place
  const wholeTrial = async (trial: { readonly itemId: string; readonly repetition: number }) => {
    const [found] = await itemsOf(run, [trial])
    if (found === undefined) throw usageInvalid('run', `Run ${run.id} has no trial ${trialText(trial)}.`)
    return found
  }
  return {
    async show(trial) {
      const found = await wholeTrial(trial)
      return shownTrial(found, await changesOf(place, found))
    },
    async journal(trial) {
      let text = ''
      for await (const part of shownJournal(results, run, await wholeTrial(trial), host.terminal)) text += part
      return text
    },
  }
}

async function changesOf(place: DiffPlace, trial: ItemResult) {
  if (!hadWorkspace(trial)) return null
  const diff = await workspaceDiff(place, trial, 'before')
  return diff.kind === 'files' ? diff.files : diff.reason
}

async function labelled(host: Host, given: Omit<LabelSession, 'keys' | 'terminal'>) {
  if (given.pass.trials.length === 0) {
    host.note('There is no trial to label.')
    return given.lines
  }
  // Stdout is reserved for the JSON document.
  const terminal = host.flags.json === true ? { ...host.terminal, out: host.terminal.err } : host.terminal
  using keys = keyReader(process.stdin, terminal.out)
  return await labelSession({ ...given, terminal, keys })
}
