import type { JudgmentContext } from '../../context.js'
import { guard, thrownJudgment } from '../../judge.js'
import type { Judgment } from '../../judgment.js'
import { type Exchange, withEvidence } from '../evidence.js'
import type { Classify, JudgeModelResponse, ModelOptions, RenderedPrompt } from '../model.js'
import { callModel, defaultAskAgain, isUnread, orNothing, promptAgain, withAskedAgain } from '../model-call.js'
import type { ModelBase } from './model-base.js'

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

/** The last of the answers was read; without `read` the first call failed. */
interface Reread {
  readonly asked: readonly Asked[]
  readonly read?: ReadAnswer
}

export interface Conclusion {
  readonly judgment: Judgment
  /** Whether an unreadable answer might still change the result. Default: if there is one. */
  readonly isOpen?: boolean
}

/** Never rejects, so that the cost of the other calls is known. */
export type Ask = (question: Question, context: JudgmentContext) => Promise<Asked>

export interface ModelCalls {
  readonly ask: Ask
  /** Asks until the answer can be read, or the limit of attempts is reached. */
  readonly askUntilRead: (question: Question, context: JudgmentContext) => Promise<Reread>
  /**
   * Passes the answers to `decide` and adds usage and cost of all calls. An ERROR when a call or `decide` failed, with
   * the cost of the other calls. Repeats questions without a readable answer while they might change the judgment.
   *
   * @param before earlier calls, whose cost counts too
   */
  readonly conclude: (
    context: JudgmentContext,
    asked: readonly Asked[],
    decide: (read: readonly ReadAnswer[]) => Conclusion | Promise<Conclusion>,
    before?: readonly Asked[],
  ) => Promise<Judgment>
}

export function modelCalls(base: ModelBase & { readonly name: string }): ModelCalls {
  const { name, options, askAgain = defaultAskAgain } = base
  const ask: Ask = async (question, context) => ({ question, answer: await answerTo(base, question, context) })
  return {
    ask,
    async askUntilRead(question, context) {
      const asked = [await ask(question, context)]
      const [first] = asked
      if (first === undefined || !first.answer.ok) return { asked }
      let read = await readAnswer(first, context)
      while (isUnread(read.judgment) && asked.length <= askAgain) {
        const again = await askedAgain(ask, question, context)(asked.length)
        if (again === undefined) break
        asked.push(again)
        read = await readAnswer(again, context)
      }
      return { asked, read }
    },
    async conclude(context, asked, decide, before = []) {
      const spent = [...before, ...asked]
      const failed = spent.find(({ answer }) => !answer.ok)?.answer
      if (failed?.ok === false)
        return withEvidence(thrownJudgment(name, failed.thrown), { ...exchangeOf(spent), options }, context)
      const settle = () => settled({ ask, context, asked, decide, spent, askAgain })
      const judgment = await guard(name, context, undefined, settle)
      const again = spent.filter(({ question }) => question.again !== undefined).length
      return withEvidence(withAskedAgain(judgment, again), { ...exchangeOf(spent), options }, context)
    },
  }
}

function exchangeOf(asked: readonly Asked[]): Exchange {
  return {
    prompts: asked.flatMap(({ question }) => (question.again === undefined ? [question.prompt] : [])),
    responses: asked.flatMap(({ answer }) => (answer.ok ? [answer.response] : [])),
  }
}

async function answerTo(
  { model, options: given = {} }: ModelBase,
  { prompt, sample, options }: Question,
  context: JudgmentContext,
): Promise<Answer> {
  const seed = sample === undefined || given.seed === undefined ? {} : { seed: given.seed + sample }
  const metadata: { readonly sample?: number } = { sample }
  try {
    const call = { prompt, options: { ...options, ...given, ...seed }, metadata }
    return { ok: true, response: await callModel(model, { ...call, context }) }
  } catch (thrown) {
    return { ok: false, thrown }
  }
}

interface Settling {
  readonly ask: Ask
  readonly context: JudgmentContext
  readonly asked: readonly Asked[]
  readonly decide: (read: readonly ReadAnswer[]) => Conclusion | Promise<Conclusion>
  /** Further calls are added. */
  readonly spent: Asked[]
  readonly askAgain: number
}

/** Repeats unreadable questions as long as they matter. */
async function settled({ ask, context, asked, decide, spent, askAgain }: Settling): Promise<Judgment> {
  let read = await Promise.all(asked.map((one) => readAnswer(one, context)))
  for (let times = 1; ; times++) {
    const { judgment, isOpen = true } = await decide(read)
    if (!isOpen || times > askAgain || !read.some((one) => isUnread(one.judgment))) return judgment
    const reread = async (one: ReadAnswer, index: number): Promise<ReadAnswer> => {
      const question = asked[index]?.question
      if (question === undefined || !isUnread(one.judgment)) return one
      const again = await askedAgain(ask, question, context)(times)
      if (again === undefined) return one
      spent.push(again)
      return readAnswer(again, context)
    }
    read = await Promise.all(read.map(reread))
  }
}

/** `undefined` when the call fails. */
function askedAgain(ask: Ask, question: Question, context: JudgmentContext) {
  return async (times: number): Promise<Asked | undefined> => {
    const again = await ask({ ...question, prompt: promptAgain(question.prompt, times), again: times }, context)
    const response = await orNothing(responseOf(again), context)
    return response && again
  }
}

async function responseOf({ answer }: Asked): Promise<JudgeModelResponse> {
  if (answer.ok) return answer.response
  throw answer.thrown
}

async function readAnswer(asked: Asked, context: JudgmentContext): Promise<ReadAnswer> {
  const response = await responseOf(asked)
  return { response, judgment: await asked.question.read(response, context) }
}
