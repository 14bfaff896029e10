import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { postgresStore } from '@jurist/distributed/postgres'
import { fileStore, type ResultStore } from '@jurist/experiment/store'
import pg from 'pg'
import { test } from 'vitest'
import { databaseServer, newDatabase, newDatabaseNow, noPostgres } from '../../../tests/postgres/server.js'

/**
 * Whether projects keep their results in PostgreSQL. `vitest run --mode postgres` runs the tests of the commands that way a second
 * time; it skips those of the files of a results directory.
 */
export const onPostgres: boolean = process.env.JURIST_TEST_RESULTS === 'postgres'

if (onPostgres && noPostgres !== undefined) throw new Error(`vitest run --mode postgres ${noPostgres}`)

/** A test that stores and reads no results, or one run like any other, in a file that runs with both kinds of stores. */
export const testOnce: ReturnType<typeof test.skipIf> = test.skipIf(onPostgres)

/** `newDatabaseNow` needs one that runs. */
const server = onPostgres ? await databaseServer() : ''

type Variables = Readonly<Record<string, string>>

/** Where the commands of one project keep their results. */
export interface ProjectResults {
  /** Names the place to a command, as variables of the environment. */
  readonly variables: (argv: readonly string[]) => Promise<Variables>
  /** The same for a command that starts without waiting. */
  readonly variablesNow: (argv: readonly string[]) => Variables
  /** The store, for results that no command of the project makes. */
  readonly store: () => Promise<ResultStore>
  /** The ids of the stored runs of an experiment, in the order of their start. */
  readonly runs: (experiment: string) => Promise<readonly string[]>
  /** The stored records of the trials of a run, in the order in which they were stored. */
  readonly trials: (experiment: string, id: string) => Promise<readonly string[]>
  /** The labels of a run, in the order in which they were given. */
  // biome-ignore lint/suspicious/noExplicitAny: what a line has is what its tests look at.
  readonly labels: (experiment: string, id: string) => Promise<readonly any[]>
  /** Every record as text. */
  readonly everything: () => Promise<string>
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const ofFiles = (directory: string): ProjectResults => ({
  variables: async () => ({}),
  variablesNow: () => ({}),
  store: async () => fileStore(join(directory, 'results'), { sync: false }),
  async runs(experiment) {
    const place = join(directory, 'results', experiment)
    return existsSync(place)
      ? readdirSync(place)
          .filter((name) => /^\d{8}T\d{9}Z-\w+$/.test(name))
          .sort()
      : []
  },
  async trials(experiment, id) {
    const file = join(directory, 'results', experiment, id, 'items.jsonl')
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  },
  async labels(experiment, id) {
    const file = join(directory, 'results', experiment, id, 'labels.jsonl')
    return existsSync(file) ? linesOf(readFileSync(file, 'utf8')) : []
  },
  everything: async () =>
    readdirSync(join(directory, 'results'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.jsonl?$/.test(name))
      .map((name) => readFileSync(join(directory, 'results', name), 'utf8'))
      .join('\n'),
})

/** Results beside the project's files, or in a database that the first command creates. */
export function projectResults(directory: string): ProjectResults {
  if (!onPostgres) return ofFiles(directory)
  let created: Promise<string> | undefined
  let known: string | undefined
  const address = async () => {
    created ??= known === undefined ? newDatabase() : Promise.resolve(known)
    known = await created
    return known
  }
  const elsewhere = (argv: readonly string[]) => argv.includes('--results')
  const rows = async (text: string, ...values: readonly string[]): Promise<readonly string[]> => {
    const client = new pg.Client({ connectionString: await address() })
    await client.connect()
    try {
      return (await client.query({ text, values: [...values], rowMode: 'array' })).rows.map(([value]) => value)
    } finally {
      await client.end()
    }
  }
  return {
    async variables(argv): Promise<Readonly<Record<string, string>>> {
      if (elsewhere(argv)) return {}
      return { JURIST_RESULTS: await address() }
    },
    variablesNow(argv): Readonly<Record<string, string>> {
      if (elsewhere(argv)) return {}
      known ??= newDatabaseNow(server)
      return { JURIST_RESULTS: known }
    },
    store: async () => postgresStore(await address()),
    runs: (experiment) => rows('select id from jurist.runs where experiment = $1 order by id', experiment),
    trials: (_, id) => rows('select record from jurist.trials where run = $1 order by place', id),
    async labels(_, id) {
      const [text = ''] = await rows("select body from jurist.documents where kind = 'labels' and name = $1", id)
      return linesOf(text)
    },
    everything: async () =>
      (await rows('select head from jurist.runs union all select record from jurist.trials')).join('\n'),
  }
}
