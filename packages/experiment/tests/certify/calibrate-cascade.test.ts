import { type Judge, judgmentContext, pass } from '@jurist/core'
import { recorded } from '@jurist/experiment/calibrate'
import { type Certificate, calibrateCascade, cascadeCalibrationOf, certifiedCascade } from '@jurist/experiment/certify'
import { memoryStore } from '@jurist/experiment/store'
import { aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

/** Sixty answers: the small judge is sure of forty and right about all but one of these; the large one is always right. */
const items = Array.from({ length: 60 }, (_, index) => {
  const label = index % 2 === 0 ? 'pass' : 'fail'
  const other = label === 'pass' ? 'fail' : 'pass'
  const isSure = index < 40
  const isWrong = index === 7 || !isSure
  return {
    id: `item-${index}`,
    task: 'Is it right?',
    metadata: {
      label,
      said: {
        small: { said: isWrong ? other : label, confidence: isSure ? 0.95 : 0.6, costUsd: 0.01 },
        large: { said: label, confidence: index < 58 ? 0.9 : 0.4, costUsd: 1 },
      },
    },
  }
}) as never

const tiers = [
  { name: 'small', candidate: recorded('small') },
  { name: 'large', candidate: recorded('large') },
]
const final = { name: 'person', jury: (() => pass('a person looked')) as Judge, policy: 'final' } as const

describe('calibrateCascade', () => {
  test('certifies the loosest threshold whose risk is bounded', async () => {
    const { certificate, why, curve, counts, disagreements } = await calibrateCascade({ name: 'a', items, tiers })
    expect(why).toBe('certified')
    expect(certificate).toMatchObject({ alpha: 0.15, delta: 0.1, decided: 58, errors: 1, tries: 1, threshold: 0.61 })
    expect(curve.find(({ threshold }) => threshold === 0.9)).toMatchObject({
      byTier: [40, 18],
      costUsd: 60 * 0.01 + 20,
    })
    expect(counts).toEqual({ items: 60, leftOut: 0, clustered: 0, undecided: [0, 0] })
    expect(disagreements[0]).toMatchObject({ itemId: 'item-7', tier: 'small', confidence: 0.95 })
  })

  test('a calibration whose judges all broke says so, and is no try', async () => {
    await using store = memoryStore()
    const broken: Judge = () => {
      throw new Error('the server is away')
    }
    const failed = await calibrateCascade({ name: 'a', items, tiers: [{ name: 'small', candidate: broken }], store })
    expect(failed.why).toBe('too-few-labels')
    expect(failed.notes).toEqual([
      expect.stringMatching(/tier small ended in an error on 60 items.*the server is away/),
    ])
    expect((await calibrateCascade({ name: 'a', items, tiers, store })).certificate?.tries).toBe(1)
  })

  test('is read back from its run', async () => {
    await using store = memoryStore()
    const first = await calibrateCascade({ name: 'a', items, tiers, store })
    const second = await calibrateCascade({ name: 'a', items, tiers, store, alpha: 0.2 })
    const { certificate, ...again } = await cascadeCalibrationOf(second.result, [first.result, second.result])
    const { certificate: made, ...rest } = second
    expect(again).toEqual(rest)
    expect({ ...certificate, id: made?.id, made: made?.made }).toEqual(made)
    await expect(cascadeCalibrationOf(aResult())).rejects.toMatchObject({ code: 'option-invalid' })
  })

  test('pays for every further look at the same labels', async () => {
    await using store = memoryStore()
    const once = await calibrateCascade({ name: 'a', items, tiers, store })
    const twice = await calibrateCascade({ name: 'a', items, tiers, store })
    expect([once.certificate?.tries, twice.certificate?.tries]).toEqual([1, 2])
    expect(twice.bound.delta).toBe(0.05)
    expect(twice.notes.join(' ')).toContain('2 times')
  })

  test('certifies nothing where the surest judgments are wrong too often', async () => {
    const weak = [{ name: 'weak', candidate: recorded('small') }]
    const { certificate, why, labelsNeeded } = await calibrateCascade({ name: 'a', items, tiers: weak, alpha: 0.02 })
    expect([certificate, why]).toEqual([null, 'too-few-labels'])
    expect(labelsNeeded).toBeGreaterThan(0)
  })
})

describe('certifiedCascade', () => {
  test('decides above the threshold, and hands on what is below', async () => {
    const { certificate } = await calibrateCascade({ name: 'a', items, tiers })
    const cascade = certifiedCascade(tiers, certificate, final)
    const vote = async (index: number) => {
      const { metadata, task } = (items as readonly { metadata: object; task: string }[])[index] ?? {
        metadata: {},
        task: '',
      }
      return await cascade.vote(judgmentContext({ goal: task, metadata: metadata as never }))
    }
    const sure = await vote(0)
    expect(sure.tiers?.map(({ outcome }) => outcome)).toEqual(['accepted', 'not-reached', 'not-reached'])
    const open = await vote(59)
    expect(open.tiers?.map(({ outcome }) => outcome)).toEqual(['escalated', 'escalated', 'decided'])
    expect(open.subVerdicts['small']?.aggregated).toMatchObject({
      status: 'abstain',
      metadata: { withheld: 'pass', confidence: 0.6, threshold: 0.61 },
    })
  })

  test('never decides below the threshold: the first tier that is sure enough decides, else the final one', async () => {
    const { certificate } = await calibrateCascade({ name: 'a', items, tiers })
    const cascade = certifiedCascade(tiers, certificate, final)
    const threshold = certificate?.threshold ?? 0
    const answer = fc.record({
      said: fc.constantFrom('pass', 'fail', 'abstain'),
      confidence: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(threshold, 0, 1)),
    })
    await fc.assert(
      fc.asyncProperty(answer, answer, async (small, large) => {
        const { tiers: ended = [] } = await cascade.vote(judgmentContext({ metadata: { said: { small, large } } }))
        const isSure = ({ said, confidence }: typeof small) => said !== 'abstain' && confidence >= threshold
        const deciding = isSure(small) ? 'small' : isSure(large) ? 'large' : final.name
        expect(ended.find(({ outcome }) => outcome !== 'escalated')?.name).toBe(deciding)
      }),
    )
  })

  test('refuses a certificate of other tiers, and says which', async () => {
    const { certificate } = await calibrateCascade({ name: 'a', items, tiers })
    const other = [{ name: 'small', candidate: recorded('large') }, tiers[1]] as typeof tiers
    expect(() => certifiedCascade(other, certificate as Certificate, final)).toThrow('the tier "small"')
    expect(() => certifiedCascade(tiers.slice(1), certificate as Certificate, final)).toThrow('small > large')
  })
})
