import { runFacts } from '@jurist/bridges/agent'
import { contextFromLangChain } from '@jurist/bridges/langchain'
import { describe, expect, test } from 'vitest'

const goal = 'Answer from the handbook'
const answer = { type: 'ai', content: 'x' }
const piece = (pageContent: string, id?: string) => ({
  ...(id === undefined ? {} : { id }),
  pageContent,
  metadata: { source: 'f.pdf' },
})
const idsIn = (context: ReturnType<typeof contextFromLangChain>) =>
  runFacts(context.metadata)?.sources?.map(({ id }) => id)

describe('retrieved documents', () => {
  test('every piece of one document is kept, each under its own id', () => {
    const documents = [piece('A'), piece('B'), piece('C', 'f.pdf-2')]
    const context = contextFromLangChain([answer], { goal, documents })
    expect(context.referenceData).toEqual(['A', 'B', 'C'])
    expect(idsIn(context)).toEqual(['f.pdf', 'f.pdf-3', 'f.pdf-2'])
  })

  test('a piece that two tools found is listed once', () => {
    const found = (id: string, ...artifact: readonly object[]) => ({
      type: 'tool',
      content: '',
      tool_call_id: id,
      artifact,
    })
    const messages = [found('a', piece('A'), piece('B')), found('b', piece('B'), piece('C', 'own')), answer]
    const context = contextFromLangChain(messages, { goal })
    expect(context.referenceData).toEqual(['A', 'B', 'C'])
    expect(idsIn(context)).toEqual(['f.pdf', 'f.pdf-2', 'own'])
  })
})
