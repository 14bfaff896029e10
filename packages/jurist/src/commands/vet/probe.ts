import type { ExperimentOptions } from '@jurist/experiment'
import { type ExitCode, flag, oneOf, repeatable, toggle } from '@jurist/experiment/plugin'
import { didYouMean } from '@jurist/kit/did-you-mean'
import { textTable } from '@jurist/kit/terminal'
import { probes, runProbes } from '@jurist/vet'
import type { Host } from '../../command-kit/host.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { vetted, vettedExperiment, vettingFlags } from './vetting.js'

const names = probes.map(({ name }) => name)

const probeName = oneOf(names, 'jurist vet probe --list')

/** The flags of every command that runs probes. */
export const probeFlags = {
  allow: repeatable('--allow <probe>', 'accept that this probe passes', probeName),
  withoutSandbox: toggle('--without-sandbox', 'run probes that leave processes behind without a sandbox, too'),
  online: toggle('--online', "run probes that ask the servers of the items' projects for the answer, too"),
} as const

/**
 * Prints a notice for accepted probes that are not built in. Programs may have further ones: `runProbes` accepts any
 * probe.
 */
export function noteAccepted({ note }: Host, { vet }: Pick<ExperimentOptions, 'vet'>): void {
  // Other types are refused when the run begins.
  const accepted = Array.isArray(vet?.accepted) ? vet.accepted : []
  for (const { probe } of accepted)
    if (typeof probe === 'string' && !names.includes(probe))
      note(`notice: vet.accepted names "${probe}", and there is no such probe.${didYouMean(probe, names)}`)
}

const flags = {
  ...vettingFlags,
  ...probeFlags,
  probe: repeatable('--probe <name>', 'only this probe, plus the idle agent and the right answer', probeName),
  level: flag(
    '--level <level>',
    'standard, or full: also the probes that take long (default: standard)',
    oneOf(['standard', 'full']),
    { default: 'standard' },
  ),
  list: toggle('--list', 'print the probes, and run nothing'),
} as const

const codes = { held: 0, holes: 1, 'nothing-said': 3 } as const

export const probe: Subcommand = subcommand({
  arguments: [vettedExperiment],
  flags,
  note: 'Exit codes: 0 nothing got through, 1 something did, 2 wrong usage, 3 inconclusive.',
  examples: [
    'vet probe',
    'vet probe add-readme --sample 5 --seed 1 -o probe.html',
    'vet probe --probe exit-on-load --item ITEM-001',
  ],
  async run(host, [name], read, typed) {
    if (read.list) return listProbes(host)
    const { level, allow, withoutSandbox, online } = read
    return vetted(host, name, read, {
      ...{ command: ['vet', 'probe'], typed },
      perform(experiment, run) {
        noteAccepted(host, experiment)
        return runProbes(experiment, {
          ...run,
          ...{ level, allow, withoutSandbox, online },
          ...(read.probe.length === 0 ? {} : { probes: read.probe }),
        })
      },
      codeOf: ({ conclusion }) => codes[conclusion],
      reasons: { 1: 'a probe got through', 3: 'inconclusive: not everything could be judged' },
    })
  },
})

function listProbes(host: Host): ExitCode {
  const known = probes.map(({ name, pattern, what, remedy, level = 'standard' }) => ({
    name,
    pattern,
    level,
    what,
    remedy,
  }))
  if (host.flags.json === true) host.json(known)
  else {
    const columns = [
      { title: 'PROBE', shrinks: false },
      { title: 'PATTERN', shrinks: false },
      { title: 'LEVEL', shrinks: false },
      { title: 'WHAT IT DOES' },
    ]
    const rows = known.map(({ name, pattern, level, what }) => [name, pattern, level, what])
    host.terminal.out(`${textTable(columns, rows, { width: host.terminal.columns })}\n`)
  }
  return 0
}
