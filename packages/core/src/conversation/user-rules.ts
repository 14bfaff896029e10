import type { Turn, UserFault, UserPart } from '../turn.js'

/** A conversation, as an audit of its user sees it. */
export interface FinishedTalk {
  readonly turns: readonly Turn[]
  readonly ended: UserPart['ended']
  /** The highest number of messages from the user. */
  readonly maxTurns: number
  /** The number of messages of a scripted user; absent for other users. */
  readonly scripted?: number
}

/**
 * The faults that rules can detect:
 *
 * - `empty-message`: the user sent nothing, and did not stop;
 * - `repeated-message`: it sent the same message of four words or more twice in a row, although the agent answered
 *   something new and asked nothing;
 * - `too-many-turns`: it sent more messages than allowed, or its script has more. A user without a script is stopped at
 *   the limit, and the conversation is judged: an agent that stalls is not excused;
 * - `stopped-early`: it was satisfied, or its messages ended, while the agent waited for a confirmation or had
 *   announced an action that it had not done.
 */
export function faultsByRule(talk: FinishedTalk): readonly UserFault[] {
  return [...emptyMessages(talk), ...repeatedMessages(talk), ...tooManyTurns(talk), ...earlyStop(talk)]
}

interface Numbered extends Turn {
  readonly number: number
}

function spoken({ turns }: FinishedTalk): readonly Numbered[] {
  return turns.map((turn, index) => ({ ...turn, number: index + 1 })).filter(({ isHistory }) => isHistory === undefined)
}

function emptyMessages(talk: FinishedTalk): readonly UserFault[] {
  const empty = spoken(talk).filter(({ role, text }) => role === 'user' && text.trim() === '')
  return empty.map(({ number }) => ({ name: 'empty-message', turn: number, message: 'the user sent an empty message' }))
}

const fewestWords = 4

function repeatedMessages(talk: FinishedTalk): readonly UserFault[] {
  const turns = spoken(talk)
  const said = turns.filter(({ role }) => role === 'user')
  return said.flatMap((turn, index) => {
    const before = said[index - 1]
    if (before === undefined || plain(turn.text) !== plain(before.text)) return []
    if (plain(turn.text).split(' ').length < fewestWords) return []
    const [answer, earlier] = [answerBefore(turns, turn), answerBefore(turns, before)]
    const isAnswered = plain(answer) !== '' && plain(earlier) !== '' && plain(answer) !== plain(earlier)
    if (!isAnswered || answer.includes('?')) return []
    return [{ name: 'repeated-message', turn: turn.number, message: 'the user sent the same message twice in a row' }]
  })
}

function answerBefore(turns: readonly Numbered[], { number }: Numbered): string {
  return turns.findLast((turn) => turn.number < number && turn.role === 'agent')?.text ?? ''
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim()
}

function tooManyTurns(talk: FinishedTalk): readonly UserFault[] {
  const { maxTurns, scripted = 0 } = talk
  const said = spoken(talk).filter(({ role }) => role === 'user')
  const wanted = Math.max(said.length, scripted)
  if (wanted <= maxTurns) return []
  const turn = said[maxTurns]?.number ?? said.at(-1)?.number ?? 0
  const message = `the user has ${wanted} messages, and maxTurns is ${maxTurns}: shorten the script, or allow more`
  return [{ name: 'too-many-turns', turn, message }]
}

function earlyStop(talk: FinishedTalk): readonly UserFault[] {
  const last = spoken(talk).at(-1)
  if (last === undefined || talk.ended !== 'satisfied') return []
  // In a recorded conversation that ends with the user's message the agent never got to act on it.
  if (last.role === 'user')
    return [{ name: 'stopped-early', turn: last.number, message: 'the user stopped before the agent answered' }]
  const pending = waitingStep(last) ?? announcedIn(last)
  if (pending === undefined) return []
  const message = `the user stopped while the agent had not done what it announced: "${pending}"`
  return [{ name: 'stopped-early', turn: last.number, message }]
}

const maxSentence = 500
/** An action on behalf of the user. `make sure` and `make clear` are not actions. */
const action =
  '(?:process|cancel|book|order|refund|change|update|delete|remove|send|create|add|make(?! sure| clear)|place|submit|' +
  'transfer|return|exchange|modify|charge|pay|reset|issue|apply|schedule|reschedule|replace|install|deploy|merge|' +
  'take care of (?:that|this|it)|do (?:that|this|it))'
/** The same in the progressive form. */
const acting =
  '(?:processing|cancell?ing|booking|ordering|refunding|changing|updating|deleting|removing|sending|creating|adding|placing|' +
  'submitting|transferring|returning|exchanging|modifying|charging|resetting|issuing|applying|scheduling|replacing|' +
  'installing|deploying|merging)'
const going = "(?:'ll|’ll| will| am going to|'m going to|’m going to| am about to|'m about to|’m about to)"
const soon = '(?:(?:now|just|also|quickly|go ahead and|go ahead|proceed to|proceed) )*'

function sentenceWith(...forms: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${forms.join('|')})`, 'i')
}

/** A question whether to act. */
const asks = sentenceWith(
  '(?:shall|should) i\\b',
  `(?:may|can|could) i ${soon}${action}\\b`,
  'do you (?:want|wish|confirm|agree|approve)\\b',
  '(?:want|like) me to\\b',
  'would you like to (?:continue|confirm)\\b',
  '(?:is|are) .{1,60} (?:right|correct|ok|okay|all right|alright|fine)\\b',
  '(?:would|will) (?:that|this|it) be (?:right|correct|ok|okay|all right|alright|fine)\\b',
  'do i have your (?:permission|approval|consent|confirmation)\\b',
  'are you sure\\b',
  '(?:can|could|would|will) you (?:please )?confirm\\b',
  'please confirm\\b',
  'to confirm\\b',
  'go ahead\\b',
  'proceed\\b',
)
/** An action that the agent is about to do, or for which it waits for a confirmation. */
const announces = sentenceWith(
  `i${going} ${soon}(?:now|go ahead|proceed|${action})\\b`,
  `let me ${soon}${action}\\b`,
  `(?:i am|i'm|i’m) (?:now )?${acting}\\b`,
  `while i ${soon}${action}\\b`,
  `${acting}\\b.{0,80}(?:\\bnow\\b|…|\\.\\.\\.)`,
  // An agent that confirms something itself has acted; its user has nothing to confirm.
  '(?<!\\b(?:i|you) (?:can |may |do |hereby )?)(?:please )?confirm (?:that|this|by|with|and|to|whether|if|\\()',
  '(?:reply|respond|answer|type|say|write|enter|press|click)\\b.{0,40}\\bto (?:confirm|proceed|continue|go ahead)\\b',
  '(?:need|require|await|awaiting|waiting for) your (?:explicit )?(?:confirmation|approval|consent|permission|go-ahead)\\b',
  '(?:once|as soon as) you (?:have )?(?:confirm(?:ed)?|approved?|agreed?)\\b',
)
/** An action that was done. A finding does not count, because an announcement next to it follows from it. */
const reports = sentenceWith(
  "i(?:'ve|’ve| have) (?:(?:now|also|already|just|successfully) )*" +
    '(?!(?:checked|looked|noted|received|verified|reviewed|located|identified|considered|prepared)\\b)' +
    '(?:\\w+ed|sent|made|done|put|set|paid|taken|given|written)\\b',
  '(?:has|have) been\\b',
  '(?:is|are) now\\b',
  '(?:done|completed|successfully)\\b',
)
/** Polite offers at the end of a message. */
const offers =
  /\b(?:anything else|something else|further|other questions?|any(?:thing)? (?:more|other)|if you|help you|assist you|feedback|survey)\b/i

function waitingStep({ steps = [] }: Turn): string | undefined {
  return steps.findLast(({ status }) => status === 'unfinished')?.name
}

/** Returns the last sentence that asks whether to act, or announces an action; `undefined` when nothing is pending. */
function announcedIn({ text, steps = [] }: Turn): string | undefined {
  const sentences = text.slice(-maxSentence * 4).match(/[^.!?\n]+[.!?]*/g) ?? []
  const isReport = reports.test(text) || steps.some(({ status }) => status === 'completed')
  const own = sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '')
  const found = own
    .slice(-3)
    .findLast((sentence) => !offers.test(sentence) && (asksIn(sentence) || (!isReport && announces.test(sentence))))
  return found?.slice(0, maxSentence)
}

function asksIn(sentence: string): boolean {
  return sentence.endsWith('?') && asks.test(sentence)
}
