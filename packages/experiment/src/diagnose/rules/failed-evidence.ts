import type { DiagnosticInput, DiagnosticRule, GapCategory } from '../diagnosis.js'
import { rule } from './rule.js'

/** A build, a test or another command failed on the agent's work. */
export const commandFailed: DiagnosticRule = rule({
  id: 'command-failed',
  description: 'A command that judges ran failed on the work.',
  category: 'execution',
  explain(input) {
    const { metadata } = input.judgment
    if (input.judgment.status !== 'fail' || typeof metadata['command'] !== 'string') return null
    return told(input, `${metadata['command']} failed`)
  },
  remedy: {
    target: 'agent',
    action: 'change',
    summary: 'Have the agent run the command before it ends.',
    detail: 'Say in the prompt which command must succeed, or wrap the agent in selfHealing with the same judge.',
    confidence: 'high',
  },
})

const comparing = ['differences', 'files', 'expected', 'by']

/** The work differs from what it is compared with. */
export const comparisonFailed: DiagnosticRule = rule({
  id: 'comparison-failed',
  description: 'The work differs from the reference or from what a file must hold.',
  category: 'execution',
  explain(input) {
    const { metadata, status } = input.judgment
    if (status !== 'fail' || !comparing.some((key) => metadata[key] !== undefined)) return null
    return told(input, 'it differs from what is right')
  },
  remedy: {
    target: 'prompt',
    action: 'change',
    summary: 'Say more exactly what the result must be.',
    detail: 'Look at the differences: what the prompt does not ask for cannot be expected.',
    confidence: 'medium',
  },
})

/** A check that no plan names was never meant to be done: then it was planned badly. */
function told(
  { item, path, check, judgment }: DiagnosticInput,
  what: string,
): { message: string; category: GapCategory } {
  const plan = item.detail?.kind === 'agent' ? item.detail.invocation.plan : undefined
  const named = [check, path.slice(path.lastIndexOf('/') + 1), judgment.metadata['command']]
  const roadmap = plan?.roadmap.toLowerCase()
  const isPlanned = named.some(
    (name) => typeof name === 'string' && name !== '' && roadmap?.includes(name.toLowerCase()),
  )
  const message = `${path.slice(1)}${check === null ? '' : ` (${check})`}: ${what}: ${judgment.reasoning}`
  if (roadmap === undefined || isPlanned) return { message, category: 'execution' }
  return { message: `${message} The plan does not mention it.`, category: 'planning' }
}
