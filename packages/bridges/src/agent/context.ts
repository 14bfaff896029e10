import type { ExecutionStatus, Invocation, JudgmentContext } from '@jurist/core'
import { judgmentContext } from '@jurist/core'
import { executionStatuses, isInvocationStatus, isJudgeFact } from '@jurist/core/internal'
import type { ContextExtras } from '../context/extras.js'
import { checkExtras, contextRules } from '../context/extras.js'
import { definedParts } from '../context/outcome.js'
import { bridgeFacts } from '../context/run-facts.js'
import type { SafeReader } from '../context/safe-reader.js'
import { isObject, readSafely } from '../context/safe-reader.js'
import { sourceTexts } from '../context/sources.js'

/** An experiment passes the same facts to judges. */
const facts = ['sessionId', 'usage', 'costUsd', 'phases'] as const

/**
 * Creates a context from an agent's invocation. The status is the one that a bridge wrote to the metadata, or else that
 * of the invocation. Reference data: the caller's, or else the texts of retrieved sources. Metadata: the invocation's
 * without the keys that judges rely on, then `sessionId`, `usage`, `costUsd` and `phases`, then the caller's.
 *
 * @throws `option-invalid`, or `metadata-reserved` for keys of the bridge that made the invocation
 *
 * @example
 * import { contextFromInvocation } from '@jurist/bridges/agent'
 * import { outputText, runJudge, textOutput } from '@jurist/core'
 *
 * const invocation = { status: 'completed', elapsedMs: 900, output: textOutput('Hello!') } as const
 * const context = contextFromInvocation(invocation, { goal: 'Say hello' })
 * const judgment = await runJudge(outputText({ contains: 'Hello' }), context)
 */
export function contextFromInvocation(invocation: Invocation, extras: ContextExtras): JudgmentContext {
  const warnings: string[] = []
  const reader = readSafely(invocation, warnings)
  const metadata = objectIn(reader.get('metadata'))
  const known = bridgeFacts(metadata)
  const { metadata: given, ...checked } = checkExtras('contextFromInvocation', known?.bridge, extras, contextRules)
  const texts = sourceTexts(known?.sources ?? [])
  const readFacts = facts.flatMap((fact) => (reader.get(fact).present ? [[fact, reader.get(fact).value] as const] : []))
  const read = { agentOutput: outputIn(reader), failure: failureIn(reader), executionMs: elapsedIn(reader) }
  const allWarnings = [...(known?.warnings ?? []), ...new Set(warnings)]
  return judgmentContext({
    ...definedParts(read),
    ...(texts.length === 0 ? {} : { referenceData: texts }),
    ...checked,
    status: known?.status ?? statusIn(reader),
    metadata: {
      ...Object.fromEntries(Object.entries(metadata).filter(([key]) => !isJudgeFact(key))),
      ...(known === undefined || warnings.length === 0
        ? {}
        : { [`${known.bridge}.warnings`]: Object.freeze(allWarnings) }),
      ...Object.fromEntries(readFacts),
      ...given,
    },
  })
}

/** Leaves out properties that cannot be read. */
function objectIn(reader: SafeReader): { readonly [key: string]: unknown } {
  try {
    if (!reader.present || isObject(reader.value)) return { ...(reader.value as object | undefined) }
  } catch {
    // Its keys cannot be read.
  }
  reader.warnings.push(`malformed: ${reader.path}`)
  return {}
}

function statusIn(reader: SafeReader): ExecutionStatus {
  const status = reader.get('status').string()
  return isInvocationStatus(status) ? executionStatuses[status] : 'unknown'
}

function outputIn(reader: SafeReader): Invocation['output'] {
  const output = reader.get('output')
  return output.present && output.get('type').string() !== undefined
    ? (output.value as Invocation['output'])
    : undefined
}

function failureIn(reader: SafeReader): Invocation['failure'] {
  const failure = reader.get('failure')
  const isWhole =
    failure.present && failure.get('name').string() !== undefined && failure.get('message').string() !== undefined
  return isWhole ? (failure.value as Invocation['failure']) : undefined
}

function elapsedIn(reader: SafeReader): number | undefined {
  const elapsed = reader.get('elapsedMs').number()
  return elapsed === undefined || elapsed >= 0 ? elapsed : undefined
}
