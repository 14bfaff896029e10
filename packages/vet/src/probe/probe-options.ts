import { checkOptions, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import type { Reporter } from '@jurist/experiment'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import type { Probe } from './probe.js'
import { idleName } from './probe-plan.js'
import { probes as known } from './probes.js'

/** Options of `runProbes`. Each of them has a default. */
export interface RunProbesOptions {
  /**
   * The probes, or names of those of Jurist. Default: all probes of the level. `idle`, which changes nothing, and the
   * right answer are always tried.
   */
  readonly probes?: readonly (Probe | string)[]
  /** `full` includes slow probes. Default `standard`. Probes in `probes` run in any case. */
  readonly level?: 'standard' | 'full'
  /** Names of probes that may pass, in addition to `vet.accepted` of the experiment. Default: none. */
  readonly allow?: readonly string[]
  /** Whether jury members that cost money are left out. Default `false`. */
  readonly free?: boolean
  /** Whether probes that reach beyond their workspaces run without a sandbox. Default `false`: they are skipped. */
  readonly withoutSandbox?: boolean
  /** Whether probes run that send requests to servers of others. Default `false`: they are skipped. */
  readonly online?: boolean
  /**
   * A run id, or `latest` for the newest unfinished run of probes of this experiment, if there is one. Default: a new
   * run.
   */
  readonly resume?: string
  readonly signal?: AbortSignal
  readonly onEvent?: Reporter
}

const rules: { readonly [name in keyof Required<RunProbesOptions>]: OptionRule } = {
  probes: { wants: 'an array of probes or their names', holds: Array.isArray },
  level: option.oneOf('standard', 'full'),
  allow: option.strings,
  free: option.boolean,
  withoutSandbox: option.boolean,
  online: option.boolean,
  resume: option.string,
  signal: option.anything,
  onEvent: option.function,
}

export function checkedOptions(given: RunProbesOptions | undefined): RunProbesOptions {
  return checkOptions('runProbes', given, rules)
}

/** The probes that run, and the skipped ones with the reason. */
export interface ProbeChoice {
  readonly probes: readonly Probe[]
  readonly skipped: readonly { readonly probe: Probe; readonly reason: string }[]
}

/**
 * Chooses the probes of a run.
 *
 * @throws `option-invalid` for an unknown name
 */
export function probeChoice(
  { probes, level, allow = [], withoutSandbox, online = false }: RunProbesOptions,
  isolation: string,
): ProbeChoice {
  const wanted =
    probes === undefined
      ? known.filter((one) => level === 'full' || one.level !== 'full')
      : probes.map((one) => (typeof one === 'string' ? named('probes', one, known) : one))
  for (const name of allow) named('allow', name, [...known, ...wanted])
  const all = [...known.filter(({ name }) => name === idleName), ...wanted.filter(({ name }) => name !== idleName)]
  const isContained = isolation === 'namespace' || isolation === 'container' || withoutSandbox === true
  const reasonOf = ({ needsSandbox, online: asks = false }: Probe) =>
    needsSandbox === true && !isContained
      ? 'the workspaces have no sandbox, so that commands reach everything on this machine'
      : asks && !online
        ? 'it asks the servers of the project: --online'
        : undefined
  return {
    probes: all.filter((one) => reasonOf(one) === undefined),
    skipped: all.flatMap((probe) => {
      const reason = reasonOf(probe)
      return reason === undefined ? [] : [{ probe, reason }]
    }),
  }
}

function named(where: string, name: string, among: readonly Probe[]): Probe {
  const found = among.find((one) => one.name === name)
  if (found !== undefined) return found
  const names = [...new Set(among.map((one) => one.name))]
  optionInvalid(where, `runProbes: "${where}" has no probe "${name}". ${nearestOrAll(name, names)}`)
}
