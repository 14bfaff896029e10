import { type JudgmentContext, withWorkspace } from '../context.js'
import { giveInfo, infoOf, type Judge, runApart } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { abstain, error, type Judgment } from '../judgment.js'
import { refuseJudge } from '../jury-member.js'
import { checkOptions, described, type OptionDescriptions, option } from '../options.js'
import { textOutput } from '../output.js'
import { totalSpent } from '../usage.js'
import { missingTurns, type NumberedTurn, ownTurns, shareJudgment } from './own-turns.js'

/** Options of `everyTurn`. */
export interface EveryTurnOptions {
  /** The side whose turns are judged. Default `agent`. */
  readonly role?: 'user' | 'agent'
  /** The share of the turns that must pass. Default 1: every turn. */
  readonly threshold?: number
}

const rules: OptionDescriptions<EveryTurnOptions> = {
  role: described(option.oneOf('user', 'agent'), 'Whose turns are judged.', 'agent'),
  threshold: described(option.rate, 'The share of the turns that must pass.', 1),
}

/**
 * Judges each turn of a conversation: the message is the output, and the user's last message is the goal (for turns of
 * the user the goal stays). Turns of the history are not judged. Turns at which `judge` abstains do not count; one at
 * which it breaks makes the whole an ERROR. Abstains when the trial is not a conversation.
 *
 * @returns a judge; its score is the share of the turns that pass, with a check for each and the interval in the
 * metadata
 * @throws `judge-invalid`, `option-invalid`
 *
 * @example
 * import { not, outputText } from '@jurist/core'
 * import { everyTurn } from '@jurist/core/conversation'
 *
 * const neverSorry = everyTurn(not(outputText({ contains: 'sorry', ignoreCase: true })))
 */
export function everyTurn(judge: Judge, options?: EveryTurnOptions): Judge {
  if (typeof judge !== 'function') return refuseJudge('everyTurn', judge)
  const { role = 'agent', threshold = 1 } = checkOptions('everyTurn', options, rules)
  const judged: Judge = async (context) => {
    const missing = missingTurns(context, role)
    if (missing !== undefined) return missing
    const turns = ownTurns(context.turns ?? [], role)
    const judgments = await Promise.all(turns.map((turn) => runApart(judge, contextAt(context, turn), undefined)))
    return overall(turns, judgments, threshold)
  }
  const { kind } = infoOf(judge)
  return giveInfo(judged, { name: 'everyTurn', kind, options: { role, threshold }, judges: [judge] })
}

function overall(turns: readonly NumberedTurn[], judgments: readonly Judgment[], threshold: number): Judgment {
  const spent = totalSpent(judgments)
  const all = judgments.map((judgment, index) => ({ judgment, number: turns[index]?.number ?? 0 }))
  const broken = all.find(({ judgment }) => judgment.status === 'error')
  if (broken?.judgment.status === 'error') {
    const { failure, reasoning } = broken.judgment
    return error(`turn ${broken.number}: ${reasoning}`, Object.assign(new Error(failure.message), failure), spent)
  }
  const decided = all.filter(({ judgment }) => judgment.status !== 'abstain')
  if (decided.length === 0) return abstain(`no turn could be judged: ${judgments[0]?.reasoning ?? ''}`, spent)
  const checks = decided.map(({ judgment, number }) => {
    return { name: `turn-${number}`, passed: judgment.status === 'pass', message: judgment.reasoning }
  })
  const abstained = all.length - decided.length
  return shareJudgment({ what: 'turns', checks, threshold, metadata: abstained === 0 ? {} : { abstained }, ...spent })
}

/** The conversation ends with this turn. */
function contextAt(context: JudgmentContext, { role, text, number, steps }: NumberedTurn): JudgmentContext {
  const turns = context.turns?.slice(0, number) ?? []
  const { agentOutput, toolSteps, ...rest } = context
  const own = steps ?? (toolSteps === undefined ? undefined : [])
  const isSilent = text.trim() === ''
  return withWorkspace({
    ...rest,
    goal: role === 'agent' ? (turns.findLast(({ role }) => role === 'user')?.text ?? context.goal) : context.goal,
    ...(isSilent ? {} : { agentOutput: textOutput(text) }),
    ...(own === undefined ? {} : { toolSteps: own }),
    turns,
  })
}

/**
 * Judges the end of a conversation: the agent's last message is the output, and the user's last message is the goal.
 * Fails when the agent sent no message, abstains when the trial is not a conversation.
 *
 * @throws `judge-invalid`
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { atEnd } from '@jurist/core/conversation'
 *
 * const closes = atEnd(outputText({ contains: 'Your order is cancelled' }))
 */
export function atEnd(judge: Judge): Judge {
  if (typeof judge !== 'function') return refuseJudge('atEnd', judge)
  const judged: Judge = (context) => {
    const last = ownTurns(context.turns ?? [], 'agent').at(-1)
    return missingTurns(context) ?? (last === undefined ? abstain('there is no turn') : judge(contextAt(context, last)))
  }
  return giveInfo(judged, { name: 'atEnd', kind: infoOf(judge).kind, judges: [judge] })
}

const judgeOption = {
  wants: 'a judge',
  holds: (value: unknown) => typeof value === 'function',
  schema: { $ref: '#/$defs/judge' },
  description: 'The judge, as a description.',
}

describeJudge<EveryTurnOptions & { readonly judge: Judge }>(everyTurn, {
  passes: 'a judge passes at every turn of a conversation',
  options: { judge: judgeOption, ...rules },
  required: ['judge'],
  make: ({ judge, ...options }) => everyTurn(judge, options),
})

describeJudge<{ readonly judge: Judge }>(atEnd, {
  passes: "a judge passes on the agent's last message of a conversation",
  options: { judge: judgeOption },
  required: ['judge'],
  make: ({ judge, ...others }) => {
    checkOptions('atEnd', others, {})
    return atEnd(judge)
  },
})
