import { readFileSync } from 'node:fs'
import { runJudge, structuredOutput } from '@jurist/core'
import { type Embed, similarTo } from '@jurist/core/answers'
import { aContext } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

type Measured = 'levenshtein' | 'rouge-l' | 'token-f1'

const judged = (options: Parameters<typeof similarTo>[0], agentOutput: string, expectedOutput: string) =>
  runJudge(similarTo(options), aContext({ agentOutput, expectedOutput }))

/** The score of two texts as they are, measured by the judge. */
async function scoreOf(by: Measured, one: string, other: string): Promise<number> {
  const options = by === 'levenshtein' ? ({ by, threshold: 0.5, normalize: false } as const) : { by, threshold: 0.5 }
  const { score } = await judged(options, one, other)
  return score?.type === 'numerical' ? score.value : Number.NaN
}

interface Case {
  readonly one: string
  readonly two: string
  readonly levenshtein: number
  readonly rougeL?: number
  readonly tokenF1: number
}
const vectors: { readonly cases: readonly Case[] } = JSON.parse(
  readFileSync(new URL('vectors/similarity.json', import.meta.url), 'utf8'),
)

describe('as the reference implementations measure', () => {
  test('all of them', () => expect(vectors.cases).toHaveLength(92))
  // A judge has nothing to compare with where the expected text is blank.
  test.each(vectors.cases.filter(({ two }) => two.trim() !== ''))('$one and $two', async (row) => {
    expect(await scoreOf('levenshtein', row.one, row.two)).toBeCloseTo(row.levenshtein, 10)
    if (row.rougeL !== undefined) expect(await scoreOf('rouge-l', row.one, row.two)).toBeCloseTo(row.rougeL, 10)
    expect(await scoreOf('token-f1', row.one, row.two)).toBeCloseTo(row.tokenF1, 10)
  })
})

describe('laws', () => {
  const word = fc.constantFrom('the', 'cat', 'sat', 'on', 'mat', 'it', 'was')
  const text = fc.oneof(
    fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' ')),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((some) => some.trim() !== ''),
  )
  const measures: readonly Measured[] = ['levenshtein', 'rouge-l', 'token-f1']
  test.each(measures)('%s lies within 0 and 1, and is symmetric', async (by) => {
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const score = await scoreOf(by, one, other)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
        expect(await scoreOf(by, other, one)).toBeCloseTo(score, 12)
      }),
    )
  })
  test('a text is equal to itself', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (one) => {
        expect(await scoreOf('levenshtein', one, one)).toBe(1)
        expect(await scoreOf('token-f1', one, one)).toBe(1)
        if (/[\p{L}\p{N}]/u.test(one)) expect(await scoreOf('rouge-l', one, one)).toBe(1)
      }),
    )
  })
  test('edit distances keep the triangle inequality', async () => {
    const length = (some: string) => [...some].length
    const distance = async (one: string, other: string) =>
      (1 - (await scoreOf('levenshtein', one, other))) * Math.max(length(one), length(other))
    await fc.assert(
      fc.asyncProperty(text, text, text, async (one, two, three) => {
        const direct = await distance(one, three)
        expect(direct).toBeLessThanOrEqual((await distance(one, two)) + (await distance(two, three)) + 1e-9)
      }),
    )
  })
  test('what normalization leaves out changes no edit distance', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const options = { by: 'levenshtein', threshold: 0.5, normalize: ['case', 'whitespace', 'unicode'] } as const
        const plain = await judged(options, one, other)
        const shouted = await judged(options, `  ${one.toLowerCase()}\u200b\n`, other)
        expect(shouted.score).toEqual(plain.score)
      }),
    )
  })
})

describe('the judgment', () => {
  test('has the score, the check and the threshold', async () => {
    expect(await judged({ by: 'levenshtein', threshold: 0.6 }, 'kitten', 'sitting')).toMatchObject({
      status: 'fail',
      reasoning: 'scored 0.57, 0.6 needed',
      checks: [{ name: 'similar', passed: false, score: 4 / 7 }],
    })
    expect((await judged({ by: 'levenshtein', threshold: 0.5 }, 'kitten', 'sitting')).status).toBe('pass')
  })
  test('is that of the most similar of several expected answers', async () => {
    const expectedOutput = structuredOutput(['London', 'Parys'])
    const context = aContext({ agentOutput: 'Paris', expectedOutput, expectedAnyOf: true })
    expect(await runJudge(similarTo({ by: 'levenshtein', threshold: 0.8 }), context)).toMatchObject({
      score: { value: 0.8 },
    })
  })
  test('abstains without an expected output, fails without an answer', async () => {
    const judge = similarTo({ by: 'token-f1', threshold: 0.5 })
    expect((await runJudge(judge, aContext({ agentOutput: 'x' }))).status).toBe('abstain')
    expect((await runJudge(judge, aContext({ agentOutput: 'x', expectedOutput: ' ' }))).status).toBe('abstain')
    expect((await runJudge(judge, aContext({ expectedOutput: 'x' }))).checks[0]?.name).toBe('output_present')
  })
  test.each<readonly [Measured, string]>([
    ['levenshtein', 'ab'.repeat(5_001)],
    ['rouge-l', 'a b '.repeat(5_001)],
    ['token-f1', 'a'.repeat(1_000_001)],
  ])('%s: what is too long for the table is a fail of the agent, and an error of the dataset', async (by, long) => {
    expect((await judged({ by, threshold: 0.5 }, long, 'a')).metadata).toMatchObject({ unjudgeable: 'too-large' })
    const judgment = await judged({ by, threshold: 0.5 }, 'a', long)
    expect(judgment.status).toBe('error')
  })
})

describe('embedding', () => {
  const vectorOf: Readonly<Record<string, readonly number[]>> = {
    up: [0, 2],
    right: [3, 0],
    both: [1, 1],
    down: [0, -1],
  }
  const embed: Embed = async (texts) => ({
    vectors: texts.map((text) => vectorOf[text] ?? []),
    usage: { inputTokens: texts.length },
    costUsd: 0.25,
  })
  const options = { by: 'embedding', threshold: 0.7, embed } as const
  test.each([
    ['up', 'up', 1],
    ['up', 'both', Math.SQRT1_2],
    ['up', 'right', 0],
    ['up', 'down', 0],
  ])('%s and %s: the cosine %f, with what it cost', async (one, other, score) => {
    const judgment = await judged(options, one, other)
    expect(judgment).toMatchObject({ usage: { inputTokens: 2 }, costUsd: 0.25 })
    expect(judgment.score).toMatchObject({ value: expect.closeTo(score, 12) })
  })
  test('plain arrays will do, and large numbers do not overflow', async () => {
    const huge: Embed = async (texts) => texts.map(() => [1e200, 1e200])
    expect(await judged({ ...options, embed: huge }, 'a', 'b')).toMatchObject({ status: 'pass' })
  })
  test.each<readonly [string, Embed]>([
    ['too few', async () => [[1]]],
    ['another length', async () => [[1], [1, 2]]],
    ['NaN', async () => [[1], [Number.NaN]]],
    ['zero', async () => [[1], [0]]],
    ['nothing', async () => ({ vectors: [] })],
    ['an outage', () => Promise.reject(new Error('503'))],
  ])('%s is an error, and no fail', async (_, broken) => {
    expect((await judged({ ...options, embed: broken }, 'a', 'b')).status).toBe('error')
  })
  test('a blank answer, or one that is too long, fails and asks nothing', async () => {
    const never: Embed = () => Promise.reject(new Error('asked'))
    for (const answer of [' ', '\u200b', 'a'.repeat(20_001)])
      expect((await judged({ ...options, embed: never }, answer, 'b')).status).toBe('fail')
  })
})

test.each<readonly [unknown, RegExp]>([
  [{ threshold: 0.5 }, /"by" must be one of/],
  [{ by: 'rouge-l' }, /"threshold" must be a number from 0 to 1/],
  [{ by: 'embedding', threshold: 0.5 }, /"embedding" needs "embed"/],
  [{ by: 'rouge-l', threshold: 0.5, embed: async () => [] }, /"embedding" needs "embed"/],
  [{ by: 'rouge-l', threshold: 0.5, normalize: false }, /"normalize" has no meaning/],
])('%j is refused', (options, message) => {
  expect(() => similarTo(options as never)).toThrow(message)
})
