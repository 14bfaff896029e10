import { definePlugin, flag, subcommand, whole } from 'jurist/plugin'
import { noTodo } from './judge.js'

/** `jurist slowest`: the trials of a run that took longest. */
const slowest = subcommand({
  arguments: [['[run]', 'a run, as for jurist show (default: latest)']],
  flags: { first: flag('-n, --first <n>', 'how many trials (default: 3)', whole(1), { default: 3 }) },
  examples: ['slowest', 'slowest readmes -n 1'],
  async run({ flags, terminal, json, run }, [reference = 'latest'], { first }) {
    const { items } = await run(reference)
    const trials = items.toSorted((one, other) => other.durationMs - one.durationMs).slice(0, first)
    if (flags.json === true) json(trials.map(({ itemId, durationMs }) => ({ itemId, durationMs })))
    else for (const { itemId, durationMs } of trials) terminal.out(`${itemId}: ${durationMs} ms\n`)
    return 0
  },
})

export default definePlugin({
  commands: { slowest: { summary: 'list the trials that took longest', load: async () => slowest } },
  judges: {
    'no-todo': {
      passes: 'no line of the file contains TODO',
      options: { path: { description: 'The file, from the root of the workspace.', schema: { type: 'string' } } },
      required: ['path'],
      make: ({ path }) => noTodo(String(path)),
    },
  },
})
