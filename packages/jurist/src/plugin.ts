/**
 * Extensions of the command `jurist` by a package: subcommands with their flags, judges and stores.
 *
 * @example
 * import { definePlugin, subcommand } from 'jurist/plugin'
 *
 * const hello = subcommand({
 *   ...{ arguments: [], flags: {}, examples: ['hello'] },
 *   async run({ terminal }) {
 *     terminal.out('Hello.\n')
 *     return 0
 *   },
 * })
 *
 * export default definePlugin({ commands: { hello: { summary: 'say hello', load: async () => hello } } })
 */
export * from '@jurist/experiment/plugin'
