import { counted } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { safeLine } from '@jurist/kit/terminal'
import { type CopiedRun, type CopyEnd, copyResults } from '../../command-kit/copy-results.js'
import { answer, resultsNamed } from '../../command-kit/host.js'
import { copyEndOf, type Results, resultsOf } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'

export const copy: Subcommand = subcommand({
  arguments: [
    ['<from>', 'a results directory or postgres://…', 'directory'],
    ['<to>', 'where the runs are copied to', 'directory'],
  ],
  flags: {},
  note: 'Runs that are there already are skipped, so running it again continues it.',
  examples: [
    'store copy results postgres://jurist@db.example/results',
    'store copy postgres://jurist@db.example/results results',
  ],
  async run(host, [from, target]) {
    const [source, to] = [await resultsOf(resultsNamed(host, from)), await resultsOf(resultsNamed(host, target))]
    const ends = [endOf(source), endOf(to)] as const
    if (ends.every(({ directory }) => directory !== undefined))
      throw usageInvalid(
        'to',
        'Directories are copied with the tools of your system. One of the two must be a database.',
      )
    const runs: CopiedRun[] = []
    await copyResults(...ends, (run) => {
      runs.push(run)
      host.note(`${run.id} ${run.outcome}`)
      for (const problem of run.notKept) host.note(`warning: ${safeLine(problem)}: it is not copied`)
    })
    const count = (outcome: CopiedRun['outcome']) => runs.filter((run) => run.outcome === outcome).length
    const counts = { copied: count('copied'), present: count('present'), running: count('running') }
    answer(
      host,
      { ...counts, runs },
      `${counted(counts.copied, 'run')} copied to ${to.shown}, ${counts.present} there already, ${counts.running} still running\n`,
    )
    return 0
  },
})

function endOf(results: Results): CopyEnd {
  const { shown } = results
  const end = copyEndOf(results)
  if (end !== undefined) return end
  throw usageInvalid('from', `${shown} cannot be copied. Name a results directory or the address of a database.`)
}
