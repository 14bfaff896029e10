import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { counted } from '@jurist/experiment/internal/results'
import { safeLine } from '@jurist/kit/terminal'
import { answer, resultsNamed } from '../../command-kit/host.js'
import { type Results, resultsOf } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'

export const check: Subcommand = subcommand({
  arguments: [['[place]', 'a results directory or postgres://… (default: that of the config)']],
  flags: {},
  note: 'Exit codes: 0 everything can be read, 1 something cannot.',
  examples: ['store check', 'store check postgres://jurist@db.example/results'],
  async run(host, [place]) {
    const { store, shown, warnings } = await resultsOf(place === undefined ? host : resultsNamed(host, place))
    const problems: string[] = []
    let runs = 0
    for await (const { id } of store.list({ includeExcluded: true })) {
      runs += 1
      problems.push(...(await problemsOf(store, id)))
    }
    // A run that cannot even be listed is a warning of the store.
    problems.push(...warnings())
    const lines = [
      ...problems.map(safeLine),
      `${shown}: ${counted(runs, 'run')}, ${counted(problems.length, 'problem')}`,
    ]
    answer(host, { runs, problems }, `${lines.join('\n')}\n`)
    return problems.length === 0 ? 0 : 1
  },
})

async function problemsOf({ load, fetchFiles }: Results['store'], id: string): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'jurist-check-'))
  try {
    await load(id)
    await fetchFiles?.(id, directory)
    return []
  } catch (thrown) {
    if (!JuristError.is(thrown, 'record-invalid') && !JuristError.is(thrown, 'store-failed')) throw thrown
    return [`${id}: ${thrown.message}`]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
