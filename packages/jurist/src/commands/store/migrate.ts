import { usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { answer } from '../../command-kit/host.js'
import { databaseStore, isDatabase } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'

export const migrate: Subcommand = subcommand({
  arguments: [['[place]', 'postgres://… (default: that of the config)']],
  flags: {},
  note: 'No older Jurist can use the tables afterwards.',
  examples: ['store migrate', 'store migrate postgres://jurist@db.example/results'],
  async run(host, [place]) {
    const loaded = await host.configIfAny()
    const address = place ?? host.flags.results ?? process.env.JURIST_RESULTS ?? loaded?.config.store
    if (typeof address !== 'string' || !isDatabase(address))
      throw usageInvalid(
        'place',
        `Only a database has tables to migrate. Name one: ${commandLine('store', 'migrate', 'postgres://HOST/NAME')}`,
      )
    await using database = await databaseStore(address, [loaded?.directory ?? host.cwd, host.cwd])
    const { from, to } = await database.migrate()
    const text = from === to ? `The schema is up to date: version ${to}` : `Migrated from version ${from} to ${to}`
    answer(host, { from, to }, `${text}\n`)
    return 0
  },
})
