import type { Json } from '@jurist/core'
import {
  completeOptions,
  isConfident,
  type JurySettings,
  type Settings,
  type StoredJury,
  voteDescription,
} from './settings.js'

export interface ConfigText {
  readonly yaml: string
  readonly typescript: string
}

/**
 * Formats the votes, policies and weights that differ from the stored ones as lines of a config, in YAML and in
 * TypeScript; `undefined` without changes.
 */
export function configText(juries: readonly StoredJury[], settings: Settings): ConfigText | undefined {
  const changed = juries.flatMap((jury) => {
    const change = settings.get(jury.name)
    return change === undefined ? [] : [{ jury, change, vote: votedWith(jury, change) }]
  })
  if (changed.length === 0) return undefined
  return {
    yaml: changed
      .flatMap(({ jury, change, vote }) => [
        ...titleOf('#', jury),
        ...(change.policy === undefined ? [] : [`policy: ${change.policy}`]),
        ...thresholdOf(jury, change).map((threshold) => `threshold: ${threshold}`),
        ...(vote === undefined ? [] : [`vote: ${flow({ type: vote.name, ...vote.options })}`]),
        ...weightsOf(change).map(([member, weight]) => `# judges.${member}: weight: ${weight}`),
      ])
      .join('\n'),
    typescript: changed
      .flatMap(({ jury, change, vote }) => [
        ...titleOf('//', jury),
        ...(change.policy === undefined ? [] : [`policy: '${change.policy}',`]),
        ...thresholdOf(jury, change).map((threshold) => `threshold: ${threshold},`),
        ...(vote === undefined ? [] : [`vote: ${vote.name}(${flow(vote.options)}),`]),
        ...weightsOf(change).map(([member, weight]) => `// judges: { '${member}': { judge, weight: ${weight} } }`),
      ])
      .join('\n'),
  }
}

/** The vote with all its options, if any of them is changed. */
function votedWith({ strategy, options }: StoredJury, change: JurySettings) {
  const name = change.vote ?? strategy
  const description = voteDescription(name)
  if (name === undefined || description === undefined) return undefined
  if (change.vote === undefined && change.options === undefined) return undefined
  return { name, options: completeOptions(description, { ...options, ...change.options }) }
}

/** The threshold of a tier, if it is changed. */
function thresholdOf(jury: StoredJury, change: JurySettings): readonly number[] {
  return isConfident(jury, change) && change.confidence !== undefined ? [change.confidence] : []
}

function weightsOf({ weights = {} }: JurySettings): readonly (readonly [member: string, weight: number])[] {
  return Object.entries(weights)
}

function titleOf(sign: string, { name }: StoredJury): readonly string[] {
  return name === '' ? [] : [`${sign} tier ${name}`]
}

/** Formats an object on one line that is valid YAML and TypeScript. */
function flow(value: Readonly<Record<string, Json>>): string {
  const entries = Object.entries(value).map(([key, entry]) => `${key}: ${JSON.stringify(entry)}`)
  return entries.length === 0 ? '' : `{ ${entries.join(', ')} }`
}
