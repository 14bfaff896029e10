import { flag, toggle, whole } from '@jurist/experiment/plugin'
import { establish as establishItems } from '@jurist/vet'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { vetted, vettedExperiment, vettingFlags } from './vetting.js'

const flags = {
  ...vettingFlags,
  repeat: flag('--repeat <n>', 'trials of each item with the reference, and without any change (default: 3)', whole(1)),
  write: toggle('--write', 'write tests.lock.json beside the item.json of each item that is solvable'),
} as const

const codes = { sound: 0, problems: 1, 'nothing-said': 3 } as const

export const establish: Subcommand = subcommand({
  arguments: [vettedExperiment],
  flags,
  note: 'Exit codes: 0 every item is sound, 1 one is not, 2 wrong usage, 3 inconclusive.',
  examples: [
    'vet establish',
    'vet establish add-readme --repeat 5 --write',
    'vet establish --item ITEM-001 -o established.md',
  ],
  run: (host, [name], read, typed) =>
    vetted(host, name, read, {
      ...{ command: ['vet', 'establish'], typed },
      perform: (experiment, run) =>
        establishItems(experiment, {
          ...run,
          write: read.write,
          ...(read.repeat === undefined ? {} : { repeat: read.repeat }),
        }),
      codeOf: ({ conclusion }) => codes[conclusion],
      reasons: { 1: 'an item cannot be used as it is', 3: 'inconclusive: not everything could be judged' },
    }),
})
