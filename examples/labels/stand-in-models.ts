import type { JudgeModel } from 'jurist/llm'
import { inWords } from './parcels.js'

/** What a model thinks of an answer: whether it is right, and the probability of that word. */
interface Opinion {
  readonly right: boolean
  readonly sure: number
}

/**
 * STANDS FOR A SMALL, CHEAP MODEL. It looks for the figures of the right price and is sure when it sees any, so the old price in an answer
 * misleads it. It cannot read prices in words, says no, and hardly trusts itself there.
 */
export const small: JudgeModel = standIn('small-stand-in', 0.0002, ({ figures, isThere }) => {
  return figures.length > 0 ? { right: isThere, sure: 0.97 } : { right: false, sure: 0.6 }
})

/** STANDS FOR A LARGE, EXPENSIVE MODEL. It reads words as well as figures; vague answers it takes kindly, without being sure. */
export const large: JudgeModel = standIn('large-stand-in', 0.01, ({ answer, figures, price }) => {
  const said = figures.at(-1)
  if (said !== undefined) return { right: said === price, sure: 0.98 }
  if (answer.includes('euros fifty')) return { right: answer.includes(inWords(price)), sure: 0.95 }
  return { right: true, sure: 0.65 }
})

interface Question {
  readonly answer: string
  readonly price: number
  /** The prices in the answer, in their order. */
  readonly figures: readonly number[]
  /** Whether the right price is among them. */
  readonly isThere: boolean
}

/** A model that reads the answer and the right price in the prompt of a judge. */
function standIn(name: string, costUsd: number, think: (question: Question) => Opinion): JudgeModel {
  return async ({ messages }) => {
    const prompt = messages.at(-1)?.content ?? ''
    const answer = partOf(prompt, 'output')
    const price = Number(/[\d.]+/.exec(partOf(prompt, 'expected'))?.[0])
    const figures = (answer.match(/\d+\.\d\d/g) ?? []).map(Number)
    const { right, sure } = think({ answer, price, figures, isThere: figures.includes(price) })
    const [said, other] = right ? ['YES', 'NO'] : ['NO', 'YES']
    const top = [
      { token: said, logprob: Math.log(sure) },
      { token: other, logprob: Math.log(1 - sure) },
    ]
    const logprobs = [
      { token: 'Answer: ', logprob: 0, top: [] },
      { token: said, logprob: Math.log(sure), top },
    ]
    return { text: `Answer: ${said}`, model: name, costUsd, logprobs }
  }
}

/** A part of the prompt between its marks. */
function partOf(prompt: string, name: string): string {
  return new RegExp(`<<${name}[^>]*>>\\n(.*?)\\n<<end`, 's').exec(prompt)?.[1] ?? ''
}
