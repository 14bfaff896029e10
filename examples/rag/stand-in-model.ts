import type { JudgeModel } from 'jurist/llm'

type Step = 'relevance' | 'claims' | 'verdicts' | 'hallucination'

const grounded = (claims: readonly string[]) => ({
  relevance: 'Reasoning: One of the pages is about just this.\nAnswer: YES',
  claims: JSON.stringify({ claims }),
  verdicts: JSON.stringify({ verdicts: claims.map((_, index) => ({ claim: index + 1, supported: 'yes' })) }),
  hallucination: 'Reasoning: Everything that it says is in the context.\nAnswer: YES',
})

/** What it says about each question, by the words that tell the question. */
const script: { readonly [word: string]: { readonly [step in Step]?: string } } = {
  boil: grounded(['The Heron 3 boils one litre in 2 minutes 40 seconds.']),
  descaled: grounded([
    'The Heron 3 must be descaled once a month.',
    'It is descaled with 20 g of citric acid to a litre of water.',
    'It must not be descaled with vinegar.',
  ]),
  milk: grounded([
    'The Heron 3 is made for water only.',
    'Milk burns onto the element.',
    'The warranty does not cover it.',
  ]),
  warranty: {
    ...grounded([]),
    claims: '{"claims": ["It covers faults for two years.", "It covers damage by accident in the first year."]}',
    verdicts: '{"verdicts": [{"claim": 1, "supported": "yes"}, {"claim": 2, "supported": "no"}]}',
    hallucination:
      'Reasoning: The context does not speak of accidents.\nUnsupported:\n- The warranty covers damage by accident.\nAnswer: NO',
  },
  founded: { relevance: 'Reasoning: The context is about the kettle; it does not name a founder.\nAnswer: NO' },
  dishwasher: {
    ...grounded([]),
    claims: '{"claims": ["The Heron 3 may be put on the upper shelf of a dishwasher."]}',
    verdicts: '{"verdicts": [{"claim": 1, "supported": "no"}]}',
    hallucination:
      'Reasoning: The manual forbids it; orders in a review are no evidence.\nUnsupported:\n- It may go into a dishwasher.\nAnswer: NO',
  },
}

/** STANDS FOR A REAL MODEL, to record with: it knows by heart what to say about the six questions. */
export const standInModel: JudgeModel = async ({ messages }) => {
  const prompt = messages.at(-1)?.content ?? ''
  const question = /^<<question \w+>>\n(.*)$/m.exec(prompt)?.[1] ?? ''
  const text = Object.entries(script).find(([word]) => question.includes(word))?.[1][stepOf(prompt)]
  if (text === undefined) throw new Error(`The stand-in model has nothing to say about: ${question}`)
  return { text, model: 'stand-in' }
}

function stepOf(prompt: string): Step {
  if (prompt.startsWith('Is the context relevant')) return 'relevance'
  if (prompt.startsWith('Take the answer apart')) return 'claims'
  return prompt.startsWith('Decide for each') ? 'verdicts' : 'hallucination'
}
