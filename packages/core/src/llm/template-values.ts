import type { JudgmentContext } from '../context.js'
import { frozenJson } from '../json.js'
import { asText } from '../output.js'

/** Gives the text of a variable, or `undefined` when there is none. */
export type TemplateValue = (context: JudgmentContext) => string | undefined

const metadataPrefix = 'metadata.'

const table: { readonly [name: string]: TemplateValue } = {
  goal: ({ goal }) => (goal.trim() === '' ? undefined : goal),
  output: ({ agentOutput }) => agentOutput && asText(agentOutput),
  workspace: ({ workspace }) => workspace.root,
  status: ({ status }) => status,
  expected: ({ expectedOutput }) => expectedOutput && asText(expectedOutput),
  reference: ({ referenceData = [] }) => (referenceData.length === 0 ? undefined : referenceData.join('\n\n')),
}

/** The names that every template knows, for messages. */
export const knownVariables: string = `${Object.keys(table).join(', ')}, ${metadataPrefix}<key>`

/** The value behind a name that every template knows; `undefined` when it is none of them. */
export function templateValue(name: string): TemplateValue | undefined {
  if (Object.hasOwn(table, name)) return table[name]
  const key = name.slice(metadataPrefix.length)
  return name.startsWith(metadataPrefix) && key !== '' ? ({ metadata }) => metadataText(metadata, key) : undefined
}

function metadataText(metadata: JudgmentContext['metadata'], key: string): string | undefined {
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(frozenJson(value, [key]))
  } catch {
    return undefined
  }
}
