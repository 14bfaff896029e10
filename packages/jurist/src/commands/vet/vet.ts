import { flag, toggle, whole } from '@jurist/experiment/plugin'
import { vet as vetBenchmark } from '@jurist/vet'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { noteAccepted, probeFlags } from './probe.js'
import { vetted, vettedExperiment, vettingFlags } from './vetting.js'

const flags = {
  ...vettingFlags,
  ...probeFlags,
  resume: toggle('--resume', 'continue the newest unfinished vetting', { onResume: 'replaced' }),
  seed: flag(
    '--seed <n>',
    'the seed of --sample, and of the item on which --quick tries a probe (default: 1)',
    whole(0),
    {
      onResume: 'plan',
      default: 1,
    },
  ),
  quick: toggle(
    '--quick',
    'try each item once with its right answer, once without, and with 2 mutants, and each probe on one',
  ),
  variants: toggle('--variants', 'judge right solutions in other forms, too: tests that fail them are too strict'),
  full: toggle(
    '--full',
    'try each item 5 times and with 10 mutants, and run the probes that take long, and variants, too',
  ),
} as const

const codes = { sound: 0, problems: 1, 'nothing-said': 3 } as const

export const vet: Subcommand = subcommand({
  arguments: [vettedExperiment],
  flags,
  note: 'Exit codes: 0 the benchmark is sound, 1 it has a problem, 2 wrong usage, 3 inconclusive.',
  examples: ['vet', 'vet add-readme --quick --sample 5 --seed 1', 'vet --full -o card.html -o card.json'],
  check({ quick, full }, problem) {
    if (quick && full) problem('--quick', '--quick cannot be used together with --full.')
  },
  async run(host, [name], read, typed) {
    const { allow, withoutSandbox, online, resume, seed } = read
    const level = read.quick ? 'quick' : read.full ? 'full' : 'standard'
    const values = { ...read, resume: resume ? (true as const) : undefined }
    return vetted(host, name, values, {
      ...{ command: ['vet'], typed },
      judgesLabelled: read.variants || read.full,
      perform(experiment, { free, signal, onEvent }, { plan: onPlan }, labelled) {
        noteAccepted(host, experiment)
        return vetBenchmark(experiment, {
          ...{
            level,
            seed,
            variants: read.variants || read.full,
            labelled,
            allow,
            withoutSandbox,
            online,
            free,
            signal,
            onEvent,
            onPlan,
          },
          ...(resume ? { resume: 'latest' } : {}),
        })
      },
      codeOf: ({ conclusion }) => codes[conclusion],
      reasons: { 1: 'the benchmark has a problem', 3: 'inconclusive: not everything could be judged' },
    })
  },
})
