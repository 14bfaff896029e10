import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { counted } from '@jurist/experiment/internal/results'
import { type ExitCode, usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { type CopiedRun, type CopyEnd, copyResults } from '../../command-kit/copy-results.js'
import type { Host } from '../../command-kit/host.js'
import { copyEndOf, databaseStore, isDatabase, type Results, resultsOf } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'

const actions = ['check', 'copy', 'migrate']

export const store: Subcommand = subcommand({
  arguments: [
    ['<action>', 'check, copy or migrate', actions],
    ['[from]', 'a results directory or postgres://… (default: that of the config)', 'directory'],
    ['[to]', 'with copy: where the runs are copied to', 'directory'],
  ],
  flags: {},
  note: `check reads every run and every kept file. copy skips runs that are there already, so running it again continues it.
migrate brings the tables of an older version up to date; no older Jurist can use them afterwards.`,
  examples: ['store copy results postgres://jurist@db.example/results', 'store check', 'store migrate'],
  check(_, problem, [action, , to]) {
    if (!actions.includes(action)) problem('action', `"${action}" is unknown. Use ${actions.join(', ')}.`)
    if ((action === 'copy') !== (to !== undefined))
      problem(
        'to',
        action === 'copy'
          ? `Name the place to copy to: ${commandLine('store', 'copy', 'FROM', 'TO')}`
          : `"${action}" takes one place: ${commandLine('store', action, 'PLACE')}`,
      )
  },
  async run(host, [action, from, to]) {
    const results = await resultsOf(from === undefined ? host : at(host, from))
    if (action === 'copy') return await copy(host, results, await resultsOf(at(host, to ?? '')))
    return action === 'check' ? await checkAll(host, results) : await migrate(host, from)
  },
})

function at(host: Host, results: string): Host {
  return { ...host, flags: { ...host.flags, results } }
}

async function migrate(host: Host, given: string | undefined): Promise<ExitCode> {
  const loaded = await host.configIfAny()
  const address = given ?? host.flags.results ?? process.env.JURIST_RESULTS ?? loaded?.config.store
  if (typeof address !== 'string' || !isDatabase(address))
    throw usageInvalid(
      'from',
      `Only a database has tables to migrate. Name one: ${commandLine('store', 'migrate', 'postgres://HOST/NAME')}`,
    )
  await using database = await databaseStore(address, [loaded?.directory ?? host.cwd, host.cwd])
  const { from, to } = await database.migrate()
  if (host.flags.json === true) host.json({ from, to })
  else
    host.terminal.out(
      from === to ? `The schema is up to date: version ${to}\n` : `Migrated from version ${from} to ${to}\n`,
    )
  return 0
}

async function copy(host: Host, from: Results, to: Results): Promise<ExitCode> {
  const [source, target] = [endOf(from), endOf(to)]
  if (source.directory !== undefined && target.directory !== undefined)
    throw usageInvalid('to', 'Directories are copied with the tools of your system. One of the two must be a database.')
  const runs: CopiedRun[] = []
  await copyResults(source, target, (run) => {
    runs.push(run)
    host.note(`${run.id} ${run.outcome}`)
    for (const problem of run.notKept) host.note(`warning: ${safeLine(problem)}: it is not copied`)
  })
  const count = (outcome: CopiedRun['outcome']) => runs.filter((run) => run.outcome === outcome).length
  const counts = { copied: count('copied'), present: count('present'), running: count('running') }
  if (host.flags.json === true) host.json({ ...counts, runs })
  else
    host.terminal.out(
      `${counted(counts.copied, 'run')} copied to ${to.shown}, ${counts.present} there already, ${counts.running} still running\n`,
    )
  return 0
}

function endOf(results: Results): CopyEnd {
  const { shown } = results
  const end = copyEndOf(results)
  if (end !== undefined) return end
  throw usageInvalid('from', `${shown} cannot be copied. Name a results directory or the address of a database.`)
}

/** Reads every run and its files. Exit code 1 if something cannot be read. */
async function checkAll(host: Host, { store, shown, warnings }: Results): Promise<ExitCode> {
  const problems: string[] = []
  let runs = 0
  for await (const { id } of store.list({ includeExcluded: true })) {
    runs += 1
    problems.push(...(await problemsOf(store, id)))
  }
  // A run that cannot even be listed is a warning of the store.
  problems.push(...warnings())
  if (host.flags.json === true) host.json({ runs, problems })
  else {
    for (const problem of problems) host.terminal.out(`${safeLine(problem)}\n`)
    host.terminal.out(`${shown}: ${counted(runs, 'run')}, ${counted(problems.length, 'problem')}\n`)
  }
  return problems.length === 0 ? 0 : 1
}

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
