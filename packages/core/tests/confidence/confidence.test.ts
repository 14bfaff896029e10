import {
  abstain,
  type Confidence,
  cascade,
  consensus,
  error,
  fail,
  type Judge,
  type Judgment,
  jury,
  majority,
  pass,
  runJudge,
  selectiveJudge,
  type Verdict,
} from '@jurist/core'
import { agreement, annotators, declared, swapped, votes } from '@jurist/core/confidence'
import { correctness, type TokenLogprob } from '@jurist/core/llm'
import { aContext, scriptedModel } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const context = aContext({ goal: 'Add 2 and 2.', agentOutput: '4' })
const broken = error('broken', new Error('boom'))
const sure = (confidence: number, status: 'pass' | 'fail' = 'pass') =>
  (status === 'pass' ? pass : fail)(`${status} at ${confidence}`, { metadata: { confidence }, costUsd: 0.5 })
/** A judge that says these judgments, one after another. */
const saying = (...judgments: readonly Judgment[]): Judge => {
  let next = 0
  return () => judgments[next++ % judgments.length] ?? broken
}

describe('selectiveJudge', () => {
  test.each([
    ['decides at its threshold', sure(0.8), 0.8, 'pass'],
    ['decides above it', sure(0.9, 'fail'), 0.8, 'fail'],
    ['abstains below it', sure(0.79), 0.8, 'abstain'],
    ['knows no confidence that is not declared', pass('plain'), 0.1, 'abstain'],
    ['decides always at 0', pass('plain'), 0, 'pass'],
    ['lets an abstention be', abstain('nothing there'), 0, 'abstain'],
    ['lets an error be', broken, 0.9, 'error'],
  ] as const)('%s', async (_, judgment, threshold, status) => {
    expect((await runJudge(selectiveJudge(saying(judgment), { threshold }), context)).status).toBe(status)
  })

  test('keeps what it withholds, why, and what it cost', async () => {
    const judgment = await runJudge(selectiveJudge(saying(sure(0.6, 'fail')), { threshold: 0.8 }), context)
    expect(judgment).toMatchObject({
      status: 'abstain',
      reasoning: 'not sure enough to fail: confidence 0.6, 0.8 needed. fail at 0.6',
      checks: [{ name: 'confident', passed: false, message: 'confidence 0.6, 0.8 needed' }],
      metadata: { confidence: 0.6, threshold: 0.8, withheld: 'fail' },
      costUsd: 0.5,
    })
  })

  test('of a jury takes the share of its votes, and keeps its verdict', async () => {
    const inner = jury({
      judges: { a: saying(pass('a')), b: saying(pass('b')), c: saying(fail('c')) },
      vote: majority(),
    })
    const { aggregated, subVerdicts } = await selectiveJudge(inner, { threshold: 0.7 }).vote(context)
    expect(aggregated).toMatchObject({ status: 'abstain', metadata: { withheld: 'pass' } })
    expect(aggregated.metadata['confidence']).toBeCloseTo(2 / 3)
    expect(Object.keys(subVerdicts['jury']?.individual ?? {})).toEqual(['a', 'b', 'c'])
    expect((await selectiveJudge(inner, { threshold: 0.6 }).vote(context)).aggregated.status).toBe('pass')
  })

  test.each([
    ['no threshold', {}],
    ['a threshold above 1', { threshold: 1.2 }],
    ['a confidence that is not a function', { threshold: 0.5, confidence: 'declared' }],
    ['an unknown option', { threshold: 0.5, treshold: 1 }],
  ])('refuses %s', (_, options) => {
    expect(() => selectiveJudge(saying(pass('')), options as never)).toThrow(/selectiveJudge: /)
  })
})

describe('sources of confidence', () => {
  const confidenceOf = async (source: Confidence, ...judgments: readonly Judgment[]) => {
    const { judgment, confidence, samples } = await source(saying(...judgments), context)
    return [judgment.status, Number(confidence.toFixed(3)), samples]
  }

  test.each([
    ['the share of samples that agree', 5, [pass(''), pass(''), fail(''), pass(''), fail('')], ['pass', 0.6, 5]],
    ['all of them', 3, [fail('')], ['fail', 1, 3]],
    ['abstentions count against it', 4, [pass(''), abstain('?'), abstain('?'), pass('')], ['pass', 0.5, 4]],
    ['a tie abstains', 2, [pass(''), fail('')], ['abstain', 0, 2]],
    ['one error makes an error', 3, [pass(''), broken, pass('')], ['error', 0, 3]],
    ['what samples declare does not count', 2, [sure(0.5)], ['pass', 1, 2]],
  ] as const)('votes: %s', async (_, samples, judgments, expected) => {
    expect(await confidenceOf(votes(samples), ...judgments)).toEqual(expected)
  })

  test('votes ask the model with their temperature, and count the cost of all samples', async () => {
    const temperatures: unknown[] = []
    const model = scriptedModel((request) => {
      temperatures.push(request.options.temperature)
      return { text: 'Answer: YES', costUsd: 0.1 }
    })
    const judge = correctness({ model, options: { temperature: 0 } })
    const { judgment, confidence } = await votes(3, { temperature: 0.7 })(judge, context)
    expect([judgment.status, confidence, temperatures]).toEqual(['pass', 1, [0.7, 0.7, 0.7]])
    expect(judgment.costUsd).toBeCloseTo(0.3)
  })

  test.each([
    ['the smaller of two that agree', [sure(0.9), sure(0.7)], ['pass', 0.7, 2]],
    ['nothing where they disagree', [sure(0.9), sure(0.9, 'fail')], ['pass', 0, 2]],
    ['an error of the second order', [sure(0.9), broken], ['error', 0, 2]],
  ] as const)('swapped: %s', async (_, judgments, expected) => {
    expect(await confidenceOf(swapped(declared(), { swap: (given) => given }), ...judgments)).toEqual(expected)
  })

  test('annotators take the mean probability, and each sees examples of its own', async () => {
    const seen: string[][] = []
    const said = [sure(0.9), sure(0.6, 'fail'), sure(0.8)]
    const source = annotators<string>({
      judge: (examples) => {
        seen.push([...examples])
        return saying(said[seen.length - 1] ?? broken)
      },
      examples: ['a', 'b', 'c', 'd'],
      perAnnotator: 2,
      count: 3,
    })
    expect(seen).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['a', 'b'],
    ])
    const { judgment, confidence } = await source(saying(broken), context)
    expect(judgment.status).toBe('pass')
    expect(confidence).toBeCloseTo((0.9 + 0.4 + 0.8) / 3)
  })

  test.each([
    ['votes of one sample', () => votes(1)],
    [
      'fewer examples than are shown',
      () => annotators({ judge: () => saying(), examples: [], perAnnotator: 1, count: 2 }),
    ],
    ['a swap that is not a function', () => swapped(declared(), { swap: 'both' as never })],
  ])('refuse %s', (_, make) => expect(make).toThrow())

  test('agreement counts a member that abstains against the jury', async () => {
    const made = jury({ judges: { a: saying(pass('')), b: saying(abstain('?')) }, vote: consensus() })
    expect((await agreement()(made, context)).confidence).toBe(0.5)
  })
})

describe('the probability of an answer', () => {
  const logprobs = (...alternatives: readonly (readonly [token: string, probability: number])[]): TokenLogprob[] => {
    const top = alternatives.map(([token, probability]) => ({ token, logprob: Math.log(probability) }))
    return [
      { token: 'Answer', logprob: 0, top: [] },
      { token: ':', logprob: 0, top: [] },
      { token: top[0]?.token ?? '', logprob: top[0]?.logprob ?? 0, top },
    ]
  }
  const confidenceOf = async (text: string, tokens: readonly TokenLogprob[]) => {
    const judge = correctness({ model: scriptedModel({ text, logprobs: tokens }) })
    const { status, metadata } = await runJudge(judge, context)
    return [status, metadata['confidence'] === undefined ? null : Number(Number(metadata['confidence']).toFixed(3))]
  }
  test.each([
    [
      'is weighed against the other labels',
      'Answer: YES',
      logprobs([' YES', 0.6], [' NO', 0.2], [' MAYBE', 0.2]),
      ['pass', 0.75],
    ],
    ['adds up spellings', 'Answer: NO', logprobs([' NO', 0.5], [' No', 0.25], [' yes', 0.25]), ['fail', 0.75]],
    [
      'is that of the first token of the label',
      'Answer: YES',
      logprobs([' Y', 0.9], [' N', 0.1]).concat({ token: 'ES', logprob: 0, top: [] }),
      ['pass', 0.9],
    ],
    [
      'is unknown where no token is the label',
      'Answer: YES',
      [{ token: 'Answer: ', logprob: 0, top: [] }],
      ['pass', null],
    ],
  ] as const)('%s', async (_, text, tokens, expected) => {
    expect(await confidenceOf(text, tokens)).toEqual(expected)
  })
})

describe('a tier that decides when it is confident', () => {
  const over = (cheap: Judge, options: object = {}) =>
    cascade([
      { name: 'cheap', policy: 'decide-when-confident', threshold: 0.8, ...options, jury: cheap },
      { name: 'dear', policy: 'final', jury: saying(fail('the last word')) },
    ]).vote(context)
  const outcomes = ({ aggregated, tiers = [] }: Verdict) =>
    [aggregated.status, ...tiers.map(({ outcome }) => outcome)].join(' ')

  test.each([
    ['a sure pass stops', saying(sure(0.9)), {}, 'pass accepted not-reached'],
    ['a sure fail stops', saying(sure(0.9, 'fail')), {}, 'fail rejected not-reached'],
    ['an unsure pass goes on', saying(sure(0.7)), {}, 'fail escalated decided'],
    ['an abstention goes on', saying(abstain('?')), {}, 'fail escalated decided'],
    ['an error stops', saying(broken), {}, 'error errored not-reached'],
    ['an error goes on where it may', saying(broken), { onError: 'escalate' }, 'fail escalated decided'],
    [
      'a source that throws is an error',
      saying(sure(1)),
      { confidence: () => Promise.reject(new Error('no')) },
      'error errored not-reached',
    ],
  ])('%s', async (_, cheap, options, expected) => {
    expect(outcomes(await over(cheap, options))).toBe(expected)
  })

  test('keeps the members of a jury beside what was withheld', async () => {
    const members = jury({
      judges: { a: saying(pass('')), b: saying(pass('')), c: saying(fail('')) },
      vote: majority(),
    })
    const { subVerdicts } = await over(members)
    expect(subVerdicts['cheap']).toMatchObject({
      aggregated: { status: 'abstain', metadata: { withheld: 'pass' } },
      individual: { a: { status: 'pass' }, c: { status: 'fail' } },
    })
  })

  test('never decides below its threshold', async () => {
    const judgments = fc.oneof(
      fc
        .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom<'pass' | 'fail'>('pass', 'fail'))
        .map(([confidence, status]) => sure(confidence, status)),
      fc.constantFrom(pass('plain'), abstain('?')),
    )
    await fc.assert(
      fc.asyncProperty(judgments, fc.double({ min: 0.01, max: 1, noNaN: true }), async (judgment, threshold) => {
        const { tiers } = await over(saying(judgment), { threshold })
        const isSure = judgment.status !== 'abstain' && Number(judgment.metadata['confidence'] ?? 0) >= threshold
        expect(tiers?.[0]?.outcome === 'escalated').toBe(!isSure)
      }),
    )
  })

  test.each([
    ['no threshold', { threshold: undefined }],
    ['a threshold of another tier', { policy: 'accept-when-decided' }],
  ])('refuses %s', (_, options) => expect(() => over(saying(pass('')), options)).toThrow(/the tier "cheap"/))
})
