import type { JudgmentContext } from '../../context.js'
import { guard, thrownJudgment } from '../../judge.js'
import type { Judgment } from '../../judgment.js'
import { type Exchange, withEvidence } from '../evidence.js'
import type { Classify, JudgeModelResponse, ModelOptions, RenderedPrompt } from '../model.js'
import { callModel, defaultAskAgain, isUnread, orNothing, promptAgain, toldAgain } from '../model-call.js'
import type { ModelBase } from './model-base.js'

/** What one call of a model brought: a response, or what it threw. */
type Answer =
  | { readonly ok: true; readonly response: JudgeModelResponse }
  | { readonly ok: false; readonly thrown: unknown }

/** One call of several. */
interface Question {
  readonly prompt: RenderedPrompt
  /** What an answer means; one that cannot be read abstains with the metadata `unread`. */
  readonly read: Classify
  /** Tells samples of one question apart: in `metadata.sample`, and in the seed when one was given. */
  readonly sample?: number
  /** What the judge asks for, unless the user said otherwise. */
  readonly options?: ModelOptions
  /** How many answers to it could not be read before. */
  readonly again?: number
}

/** A question that was asked, with its answer. */
export interface Asked {
  readonly question: Question
  readonly answer: Answer
}

/** An answer that was read. */
export interface ReadAnswer {
  readonly response: JudgeModelResponse
  readonly judgment: Judgment
}

/** A question with all its answers, of which the last was read; without `read` the first call failed. */
interface Reread {
  readonly asked: readonly Asked[]
  readonly read?: ReadAnswer
}

/** The result of several answers. */
export interface Conclusion {
  readonly judgment: Judgment
  /** Whether an answer that could not be read might still change it. Default: when there is one. */
  readonly isOpen?: boolean
}

/** Calls the model. Never rejects, so that what the other calls cost is known. */
export type Ask = (question: Question, context: JudgmentContext) => Promise<Asked>

/** The calls of a judge that makes several. */
export interface ModelCalls {
  readonly ask: Ask
  /** Asks a question until its answer can be read, or may be asked for no more. */
  readonly askUntilRead: (question: Question, context: JudgmentContext) => Promise<Reread>
  /**
   * What `decide` says of the answers, with usage and cost of all calls; an ERROR when a call or `decide` failed, with those
   * of the calls that did not. Questions whose answers cannot be read are asked again while that might change the judgment.
   *
   * @param before calls that were made before, to be counted
   */
  readonly conclude: (
    context: JudgmentContext,
    asked: readonly Asked[],
    decide: (read: readonly ReadAnswer[]) => Conclusion | Promise<Conclusion>,
    before?: readonly Asked[],
  ) => Promise<Judgment>
}

/** The calls of the judge `name`. */
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
      return withEvidence(toldAgain(judgment, again), { ...exchangeOf(spent), options }, context)
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

/** Decides, and asks again what could not be read as long as it matters. */
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

/** Asks a question once more; `undefined` when that call fails. */
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
