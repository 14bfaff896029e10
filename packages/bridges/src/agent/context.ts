import type { ExecutionStatus, Invocation, JudgmentContext } from '@jurist/core'
import { judgmentContext } from '@jurist/core'
import { isJudgeFact } from '@jurist/core/internal'
import type { ContextExtras } from '../context/extras.js'
import { checkExtras, contextRules } from '../context/extras.js'
import { definedParts } from '../context/outcome.js'
import { runFacts } from '../context/run-facts.js'
import type { Look } from '../context/safe-reader.js'
import { isObject, lookInto } from '../context/safe-reader.js'
import { sourceTexts } from '../context/sources.js'

const statuses: { readonly [status in Invocation['status']]: ExecutionStatus } = {
  completed: 'success',
  refused: 'refused',
  timeout: 'timeout',
  error: 'failed',
  cancelled: 'cancelled',
}

/** What judges are told of the agent's run beside its outcome; an experiment tells the same. */
const facts = ['sessionId', 'usage', 'costUsd', 'phases'] as const

/**
 * A context of what became of an agent. Its status is the one that a bridge noted in the metadata, else that of the
 * invocation by name; the texts of retrieved sources are reference data where the caller gave none. Metadata: that of
 * the invocation but for keys that judges judge by (`isJudgeFact`), `sessionId`, `usage`, `costUsd` and `phases` of it,
 * then the caller's.
 *
 * @throws `option-invalid`, or `metadata-reserved` for keys of the bridge that made the invocation
 *
 * @example
 * const invocation = await agent({ prompt: 'Say hello', workspace, signal })
 * const context = contextFromInvocation(invocation, { goal: 'Say hello', workspace })
 */
export function contextFromInvocation(invocation: Invocation, extras: ContextExtras): JudgmentContext {
  const warnings: string[] = []
  const look = lookInto(invocation, warnings)
  const metadata = objectIn(look.get('metadata'))
  const known = runFacts(metadata)
  const { metadata: given, ...checked } = checkExtras('contextFromInvocation', known?.bridge, extras, contextRules)
  const texts = sourceTexts(known?.sources ?? [])
  const told = facts.flatMap((fact) => (look.get(fact).present ? [[fact, look.get(fact).value] as const] : []))
  const read = { agentOutput: outputIn(look), failure: failureIn(look), executionMs: elapsedIn(look) }
  const noted = [...(known?.warnings ?? []), ...new Set(warnings)]
  return judgmentContext({
    ...definedParts(read),
    ...(texts.length === 0 ? {} : { referenceData: texts }),
    ...checked,
    status: known?.status ?? statusIn(look),
    metadata: {
      ...Object.fromEntries(Object.entries(metadata).filter(([key]) => !isJudgeFact(key))),
      ...(known === undefined || warnings.length === 0 ? {} : { [`${known.bridge}.warnings`]: Object.freeze(noted) }),
      ...Object.fromEntries(told),
      ...given,
    },
  })
}

/** A copy of an object, as far as it can be read. */
function objectIn(look: Look): { readonly [key: string]: unknown } {
  try {
    if (!look.present || isObject(look.value)) return { ...(look.value as object | undefined) }
  } catch {
    // It does not even tell its keys.
  }
  look.warnings.push(`malformed: ${look.path}`)
  return {}
}

function statusIn(look: Look): ExecutionStatus {
  const status = look.get('status').text()
  return status !== undefined && Object.hasOwn(statuses, status) ? statuses[status as Invocation['status']] : 'unknown'
}

function outputIn(look: Look): Invocation['output'] {
  const output = look.get('output')
  return output.present && output.get('type').text() !== undefined ? (output.value as Invocation['output']) : undefined
}

function failureIn(look: Look): Invocation['failure'] {
  const failure = look.get('failure')
  const isWhole =
    failure.present && failure.get('name').text() !== undefined && failure.get('message').text() !== undefined
  return isWhole ? (failure.value as Invocation['failure']) : undefined
}

function elapsedIn(look: Look): number | undefined {
  const elapsed = look.get('elapsedMs').number()
  return elapsed === undefined || elapsed >= 0 ? elapsed : undefined
}
