import type { DiagnosticInput, DiagnosticRule, GapCategory } from '../diagnosis.js'
import { rule } from './rule.js'

/** The agent broke or ran out of time by its own doing. */
export const agentFailed: DiagnosticRule = rule({
  id: 'agent-failed',
  description: 'The agent broke or ran out of time.',
  category: 'execution',
  explain({ item, path }) {
    const { agent, failure } = item
    if (path !== '' || failure === null || failure.infrastructure || failure.origin !== 'agent') return null
    return `The agent ended with ${agent}: ${failure.message}`
  },
  remedy: {
    target: 'agent',
    action: 'investigate',
    summary: 'Find out why the agent did not finish.',
    detail: 'Read its journal to the last event; give it more time only if it was still making progress.',
    confidence: 'medium',
  },
})

/** The trial never began, or its environment failed. */
export const setupFailed: DiagnosticRule = rule({
  id: 'setup-failed',
  description: 'The workspace, a hook or the environment failed.',
  category: 'environment',
  explain({ item, path }) {
    const { failure } = item
    if (path !== '' || failure === null) return null
    if (!failure.infrastructure && failure.origin !== 'setup' && failure.origin !== 'hook') return null
    return `The ${failure.origin} failed: ${failure.message}`
  },
  remedy: {
    target: 'environment',
    action: 'change',
    summary: 'Fix the environment, then run these trials again.',
    detail: 'They decided nothing: resume the run with retryErrors.',
    confidence: 'high',
  },
})

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
    summary: 'Have the agent run the command before it ends, unless its tests are hidden.',
    detail: 'Say in the prompt which command must succeed, or wrap the agent in selfHealing with the same judge.',
    confidence: 'high',
  },
})

const comparing = ['differences', 'files', 'expected', 'by']

/** The output differs from the one that it is compared with. */
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

export const judgeError: DiagnosticRule = rule({
  id: 'judge-error',
  description: 'A judge or the jury broke.',
  category: 'evaluation',
  explain({ judgment, path }) {
    if (judgment.status !== 'error') return null
    return `${path === '' ? 'The jury' : path.slice(1)} broke: ${judgment.reasoning}`
  },
  remedy: {
    target: 'jury',
    action: 'change',
    summary: 'Mend the judge, then judge again.',
    detail: 'Nothing was decided about the agent: rejudge the run once the judge works.',
    confidence: 'high',
  },
})

export const judgeAbstained: DiagnosticRule = rule({
  id: 'judge-abstained',
  description: 'A judge abstained: a model judge could not tell, a deterministic one had nothing to look at.',
  category: 'evaluation',
  explain(input) {
    const { judgment, path } = input
    if (judgment.status !== 'abstain') return null
    const message = `${path.slice(1)} abstained: ${judgment.reasoning}`
    return { message, category: kindOf(input) === 'model' ? 'evaluation' : 'analysis' }
  },
  remedy: {
    target: 'jury',
    action: 'investigate',
    summary: 'See what the judge lacked.',
    detail:
      'A judge without a reference, an output or a file abstains: give the item what it needs, or leave the judge out.',
    confidence: 'medium',
  },
})

/** The kind of the judge at the path, according to the run's description of its jury. */
function kindOf({ run, path }: DiagnosticInput): string | undefined {
  return run?.jury?.judges.find((judge) => judge.path === path.slice(1))?.kind
}
