import { giveInfo } from '../judge.js'
import { listForm, numberForm, objectForm, textForm, wordForm } from '../llm/judges/answer-form.js'
import { prompted } from '../llm/judges/prompted.js'
import type { Turn, UserFault, UserPart } from '../turn.js'
import { totalSpent } from '../usage.js'
import { scenarioText, turnsAsData } from './conversation-data.js'
import type { Scenario } from './scenario.js'
import { asked, checkTalkBase, type TalkBase } from './talk-base.js'
import type { UserMove } from './users.js'

/** A conversation that has ended, with the scenario of its user. */
export interface AuditedTalk {
  readonly turns: readonly Turn[]
  readonly scenario: Scenario
  readonly ended: UserPart['ended']
}

/**
 * Examines a conversation and lists the faults of its user. An exception becomes a warning of the run, and the trial is
 * judged as if the user had not been audited.
 */
export type UserAudit = (talk: AuditedTalk, signal: AbortSignal) => UserAuditResult | Promise<UserAuditResult>

/** The findings and the cost of an audit. */
export interface UserAuditResult extends Pick<UserMove, 'usage' | 'costUsd' | 'notices'> {
  readonly faults: readonly UserFault[]
}

export async function auditedPart(
  audit: UserAudit,
  talk: AuditedTalk,
  part: UserPart,
  notices: Set<string>,
  signal: AbortSignal,
): Promise<UserPart> {
  const found = await audit(talk, signal)
  for (const notice of found.notices ?? []) notices.add(notice)
  return Object.freeze({
    ...part,
    faults: Object.freeze([...part.faults, ...found.faults]),
    audited: true,
    ...totalSpent([part, found]),
  })
}

const names = ['contradicted', 'invented', 'stopped-early', 'revealed', 'went-on'] as const

interface Found {
  readonly faults: readonly { readonly turn: number; readonly fault: (typeof names)[number]; readonly why: string }[]
}

const form = objectForm<Found>({
  faults: listForm(
    objectForm<Found['faults'][number]>({ turn: numberForm(1), fault: wordForm(...names), why: textForm }),
  ),
})

/**
 * Creates an audit that asks a model, in one call, for the faults of the user: the user `contradicted` its scenario,
 * `invented` facts that matter, `stopped-early` before the agent had done an announced action, `revealed` a secret, or
 * `went-on` after its goal was reached. The agent's messages are data for the model.
 *
 * @throws `option-invalid`; the audit throws the errors of the model, and `response-invalid` for an answer that cannot
 * be read
 *
 * @example
 * import { conversation, modelAudit, modelUser } from '@jurist/core/conversation'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const player = scriptedModel('{"message": "Hello"}', '{"stop": "satisfied"}')
 * const auditor = scriptedModel('{"faults": []}')
 * conversation(({ message }) => message, { user: modelUser({ model: player }), audit: modelAudit({ model: auditor }) })
 */
export function modelAudit(options: TalkBase): UserAudit {
  const { name = 'modelAudit', ...base } = checkTalkBase('modelAudit', options, {})
  const audit: UserAudit = async function modelAudit({ turns, scenario, ended }, signal) {
    const prompt = prompted({ ask, data: { scenario: scenarioText(scenario), ...turnsAsData(turns), ended }, answer })
    const { value, ...spent } = await asked({ ...base, name }, prompt, form, signal)
    const faults = value.faults
      .filter(({ turn }) => turn <= turns.length)
      .map(({ turn, fault, why }) => Object.freeze({ name: fault, turn, message: why }))
    return { faults: Object.freeze(faults), ...spent }
  }
  return giveInfo(audit, { models: [base.model] })
}

const ask = `A simulated user talked with an AI agent, so that the agent could be tested. Judge the simulated user, not the agent:
did it keep to its scenario? A bad answer of the agent is no fault of the user. Name each message of the user that
- "contradicted": says something that its scenario rules out;
- "invented": gives a fact that matters for the goal and that the scenario does not have;
- "stopped-early": ends the conversation as satisfied although the agent had only announced what the user wanted, or waited for
  a confirmation;
- "revealed": tells the agent what the scenario says must not be revealed;
- "went-on": keeps talking although the goal was reached and nothing was left to do.
The marks of the messages carry their numbers. "ended" says how the conversation ended: what the user chose, or "agent" or
"max-turns" when it did not choose.`

const answer =
  'Answer with JSON and nothing else: {"faults": [{"turn": <number of the message>, "fault": <one of the five words>, "why": ' +
  '<one sentence>}, …]}. A user that kept to its scenario has no faults: {"faults": []}.'
