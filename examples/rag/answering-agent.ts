import { type Agent, completed, trialOf } from 'jurist'
import { pages } from './pages.js'
import { retrieve } from './retrieve.js'

/** What a model might answer: three answers that keep to the pages, one that adds to them, one without ground, one wrong. */
const answers: { readonly [item: string]: string } = {
  boiling: 'One litre boils in 2 minutes 40 seconds.',
  descaling: 'Once a month, with 20 g of citric acid to a litre of water; not with vinegar.',
  warranty: 'For two years it covers faults of material and workmanship, and damage by accident in the first year.',
  milk: 'No. It is made for water only: milk burns onto the element, which the warranty does not cover.',
  founder: 'The company was founded by two engineers in 1998.',
  dishwasher: 'Yes, on the upper shelf, as the developers have checked.',
}

/**
 * STANDS FOR A REAL SYSTEM THAT ANSWERS BY RETRIEVAL: it searches the pages as one would, and then gives an answer that
 * was written down before. What it found are its sources, as every bridge names them: judges of retrieval read them as
 * reference data.
 */
export const answeringAgent: Agent = async function answeringAgent(task) {
  const answer = answers[trialOf(task)?.itemId ?? '']
  if (answer === undefined) throw new Error('There is no answer for this question: add one to answering-agent.ts.')
  const sources = retrieve(task.prompt, pages).map((text) => ({ text }))
  return { ...completed(answer), metadata: { bridge: 'retrieval', 'retrieval.sources': sources } }
}
