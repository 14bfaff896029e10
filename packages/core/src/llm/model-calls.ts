import { startTimer } from '@jurist/kit/timers'
import { onAbort } from '../abort-signals.js'
import { askedModel } from '../asking.js'
import type { JudgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import { abortedError, guard, judgmentFrom, thrownJudgment } from '../judge.js'
import { abstain, type Judgment } from '../judgment.js'
import { assemble } from '../judgment-record.js'
import { type OptionRule, option } from '../options.js'
import { withEvidence } from './evidence.js'
import {
  type Classify,
  type JudgeModel,
  type JudgeModelResponse,
  type ModelMessage,
  type ModelOptions,
  type RenderedPrompt,
  readResponse,
} from './model.js'

export const defaultAskAgain = 1
const mostTimes = 10

export const askAgainRule: OptionRule = {
  wants: `a whole number from 0 to ${mostTimes}`,
  holds: (value) => option.integer(0).holds(value) && (value as number) <= mostTimes,
}

/** The response, or the error of the call. */
type Answer =
  | { readonly ok: true; readonly response: JudgeModelResponse }
  | { readonly ok: false; readonly thrown: unknown }

interface Question {
  readonly prompt: RenderedPrompt
  /** An answer that cannot be read abstains with the metadata `unread`. */
  readonly read: Classify
  /** Distinguishes samples of one question: in `metadata.sample`, and in the seed when one was given. */
  readonly sample?: number
  /** The judge's defaults, which the user's options override. */
  readonly options?: ModelOptions
  /** The number of earlier answers that could not be read. */
  readonly again?: number
}

export interface Asked {
  readonly question: Question
  readonly answer: Answer
}

export interface ReadAnswer {
  readonly response: JudgeModelResponse
  readonly judgment: Judgment
}

export interface Conclusion {
  readonly judgment: Judgment
  /** Whether an unreadable answer might still change the result. Default: if there is one. */
  readonly isOpen?: boolean
}

type Decide = (read: readonly ReadAnswer[]) => Conclusion | Promise<Conclusion>

/** Never rejects, so that the cost of the other calls is known. */
export type Ask = (question: Question, context: JudgmentContext) => Promise<Asked>

export interface ModelCalls {
  readonly ask: Ask
  /** Asks until the answer can be read. Without `read` the first call failed; otherwise the last answer was read. */
  readonly askUntilRead: (
    question: Question,
    context: JudgmentContext,
  ) => Promise<{ readonly asked: readonly Asked[]; readonly read?: ReadAnswer | undefined }>
  /**
   * Passes the answers to `decide` and adds usage and cost of all calls. An ERROR when a call or `decide` failed, with
   * the cost of the other calls. Repeats questions without a readable answer while they might change the judgment.
   *
   * @param before earlier calls, whose cost counts too
   */
  readonly conclude: (
    context: JudgmentContext,
    asked: readonly Asked[],
    decide: Decide,
    before?: readonly Asked[],
  ) => Promise<Judgment>
  /** Asks one question, whose answer is the judgment. */
  readonly judge: (question: Question, context: JudgmentContext, before?: readonly Asked[]) => Promise<Judgment>
}

export function modelCalls(base: {
  readonly name: string
  readonly model: JudgeModel
  readonly options?: ModelOptions
  readonly askAgain?: number
}): ModelCalls {
  const { name, model, options: given, askAgain = defaultAskAgain } = base
  const ask: Ask = async (question, context) => {
    try {
      return { question, answer: { ok: true, response: await callModel(model, question, given, context) } }
    } catch (thrown) {
      return { question, answer: { ok: false, thrown } }
    }
  }
  const read = async ({ question, answer }: Asked, context: JudgmentContext): Promise<ReadAnswer> => {
    if (!answer.ok) throw answer.thrown
    const { response } = answer
    return { response, judgment: judgmentFrom(await question.read(response, context), name) }
  }
  /** Adds further calls to `spent`. When one fails, the existing answer stays. */
  const settle = async (asked: readonly Asked[], context: JudgmentContext, decide: Decide, spent: Asked[]) => {
    let answers = await Promise.all(asked.map((one) => read(one, context)))
    for (let times = 1; ; times++) {
      const { judgment, isOpen = true } = await decide(answers)
      if (!isOpen || times > askAgain || !answers.some((one) => isUnread(one.judgment))) return { judgment, answers }
      const reread = async (answer: ReadAnswer, index: number): Promise<ReadAnswer> => {
        const question = asked[index]?.question
        if (question === undefined || !isUnread(answer.judgment)) return answer
        const again = await ask({ ...question, prompt: promptAgain(question.prompt, times), again: times }, context)
        if (context.signal.aborted) throw abortedError(context.signal)
        if (!again.answer.ok) return answer
        spent.push(again)
        return read(again, context)
      }
      answers = await Promise.all(answers.map(reread))
    }
  }
  const conclude: ModelCalls['conclude'] = async (context, asked, decide, before = []) => {
    const spent = [...before, ...asked]
    const failed = spent.find(({ answer }) => !answer.ok)?.answer
    const judgment =
      failed?.ok === false
        ? thrownJudgment(name, failed.thrown)
        : await guard(name, context, undefined, async () => (await settle(asked, context, decide, spent)).judgment)
    const prompts = spent.flatMap(({ question }) => (question.again === undefined ? [question.prompt] : []))
    const responses = spent.flatMap(({ answer }) => (answer.ok ? [answer.response] : []))
    const askedAgain = spent.length - prompts.length
    const whole =
      askedAgain === 0
        ? judgment
        : assemble(judgment, { ...judgment, metadata: Object.freeze({ ...judgment.metadata, askedAgain }) })
    return withEvidence(whole, { prompts, responses, options: given }, context)
  }
  return {
    ask,
    conclude,
    async askUntilRead(question, context) {
      const spent = [await ask(question, context)]
      if (spent[0]?.answer.ok !== true) return { asked: spent }
      const { answers } = await settle([...spent], context, onlyAnswer, spent)
      return { asked: spent, read: answers[0] }
    },
    judge: async (question, context, before) => conclude(context, [await ask(question, context)], onlyAnswer, before),
  }
}

const onlyAnswer: Decide = ([answer]) => answer ?? { judgment: abstain('no answer was given') }

function isUnread({ status, metadata }: Judgment): boolean {
  return status === 'abstain' && typeof metadata['unread'] === 'string'
}

/**
 * Adds a reminder of the form after `times` unreadable answers. The different words give it another `requestKey`, so
 * that no cache and no cassette returns the unreadable answer.
 */
function promptAgain(prompt: RenderedPrompt, times: number): RenderedPrompt {
  const reminder =
    `${times === 1 ? 'An earlier answer' : `${times} earlier answers`} to this could not be read. ` +
    'Keep exactly to the form that is asked for; quote nothing, and write nothing after the last line of it.'
  const last = prompt.messages.at(-1)
  const more: ModelMessage = { role: 'user', content: reminder }
  const messages =
    last?.role === 'user'
      ? [...prompt.messages.slice(0, -1), { ...last, content: `${last.content}\n\n${reminder}` }]
      : [...prompt.messages, more]
  return { ...prompt, messages }
}

const defaultTimeoutMs = 60_000

/**
 * The request's signal fires with that of the context and after `options.timeoutMs` (default 60,000); then this rejects
 * immediately, whatever the model does.
 *
 * @throws `model-timeout`, `aborted`, `response-invalid`, and the errors of the model
 */
async function callModel(
  model: JudgeModel,
  { prompt, sample, options: defaults }: Question,
  given: ModelOptions | undefined,
  context: JudgmentContext,
): Promise<JudgeModelResponse> {
  const seed = sample === undefined || given?.seed === undefined ? {} : { seed: given.seed + sample }
  const options = { ...defaults, ...given, ...seed, ...context.judging?.modelOptions }
  const { messages, fence } = prompt
  const metadata = { ...(sample === undefined ? {} : { sample }), ...(fence === undefined ? {} : { fence }) }
  const asked = askedModel(model, context)
  return withinTime(options.timeoutMs ?? defaultTimeoutMs, context.signal, async (signal) =>
    readResponse(await asked({ messages, options, metadata, signal })),
  )
}

/** The signal of `step` fires with `outer` or when the time is up. */
function withinTime<Value>(
  timeoutMs: number,
  outer: AbortSignal,
  step: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const inner = new AbortController()
    const stop = (reason: unknown, thrown: unknown) => {
      reject(thrown)
      inner.abort(reason)
    }
    const aborted = () => stop(outer.reason, abortedError(outer))
    if (outer.aborted) return aborted()
    const late = () => {
      const thrown = modelTimeout(timeoutMs)
      stop(thrown, thrown)
    }
    const cancel = startTimer(timeoutMs, late)
    const release = onAbort(outer, aborted)
    const settled = () => {
      cancel()
      release()
    }
    inner.signal.addEventListener('abort', settled, { once: true })
    step(inner.signal).then(resolve, reject).finally(settled)
  })
}

function modelTimeout(timeoutMs: number): JuristError<'model-timeout'> {
  return new JuristError(
    'model-timeout',
    `The model did not answer within ${timeoutMs} ms. Give it more time with options.timeoutMs, or ask for less.`,
    { timeoutMs },
  )
}
