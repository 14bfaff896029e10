import { createHash, randomBytes } from 'node:crypto'
import { fail, verdictFromJson } from '@jurist/core'
import { seededRandom } from '@jurist/experiment/internal'
import { anItem } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleaning } from '../../../src/commands/promote/cleaning.js'
import {
  clustersOf,
  type FailedTrial,
  failureOf,
  jaccard,
  normalReason,
  shingles,
} from '../../../src/commands/promote/failure.js'
import { keepsFailing, probabilityOfHalf } from '../../../src/commands/promote/live.js'
import { ddmin } from '../../../src/commands/promote/minimise.js'
import { featuresOf, similarityOf } from '../../../src/commands/promote/near-items.js'

describe('ddmin', () => {
  test('keeps what a property needs, and of it no single part can be left out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(60), { maxLength: 6 }), async (needed) => {
        const all = Array.from({ length: 61 }, (_, index) => index)
        const kept = await ddmin(
          all,
          async (part) => needed.every((one) => part.includes(one)),
          () => true,
        )
        expect([...kept].sort((a, b) => a - b)).toEqual([...needed].sort((a, b) => a - b))
      }),
      { numRuns: 50 },
    )
  })

  test('stops at a limit with a part for which the property holds', async () => {
    let left = 9
    const holds = async (part: readonly number[]) => part.includes(7)
    const kept = await ddmin([...Array(200).keys()], holds, () => {
      left -= 1
      return left > 0
    })
    expect(kept).toContain(7)
    expect(kept.length).toBeLessThan(200)
  })

  test('keeps one part at least where that is asked for', async () => {
    expect(
      await ddmin(
        ['a', 'b', 'c'],
        async () => true,
        () => true,
        1,
      ),
    ).toHaveLength(1)
  })
})

const trial = (index: number, signature: Partial<FailedTrial['signature']>, text: string): FailedTrial => ({
  item: anItem({ itemId: `q${index}` }),
  text,
  size: [0, index % 7],
  signature: { judge: 'tests', check: '', place: '', ...signature, reason: normalReason(text) },
})

const causes = [
  'the cart is empty',
  'tool "search" was not found among the tools',
  'the answer names no source of the figure',
  'a file outside of the project was changed',
]

/** 100 failures of 12 causes: four have one message at different lines of tests, four have several messages. */
const planted = Array.from({ length: 100 }, (_, index) => {
  const cause = index % 12
  if (cause < 4)
    return { cause, trial: trial(index, { place: `tests/a.test.js:${cause}` }, `expected 3, got ${index} ms`) }
  if (cause < 8) {
    const noise = ['at once', 'again', 'now', 'later'][index % 4]
    const long = 'the plan of the agent does not say which of the many steps it would take first and why it takes them'
    const words = `${long} for the cause called ${['red', 'green', 'blue', 'grey'][cause - 4]} and nothing else is known about it in any of the logs ${noise}`
    return { cause, trial: trial(index, { check: `cause ${cause}` }, words) }
  }
  return { cause, trial: trial(index, {}, `${causes[cause - 8]} (${index})`) }
})

test('a failure is the same in whatever order its tests ended', () => {
  const names = ['a frozen list', 'the list stays as it is', 'the middle of two']
  const signatureIn = (order: readonly string[]) => {
    const checks = order.map((name) => ({ name, passed: name === 'the middle of two', message: `${name}: 3 !== 2` }))
    const aggregated = fail('2 of 3 tests failed', { checks })
    const verdict = verdictFromJson({
      ...{ aggregated, individual: { tests: aggregated }, weights: { tests: 1 } },
      ...{ subVerdicts: {}, usage: {}, elapsedMs: 1 },
    })
    return failureOf(anItem({ itemId: 'median', passed: false, judged: 'fail', verdict }))?.signature
  }
  expect(signatureIn(names)).toMatchObject({ judge: 'tests', check: 'a frozen list' })
  fc.assert(
    fc.property(fc.shuffledSubarray(names, { minLength: 3 }), (order) => {
      expect(signatureIn(order)).toEqual(signatureIn(names))
    }),
  )
})

describe('groups of failures', () => {
  test('are those of the planted causes', () => {
    const clusters = clustersOf(planted.map(({ trial: one }) => one))
    expect(clusters).toHaveLength(12)
    const causeOf = new Map(planted.map(({ cause, trial: one }) => [one.item.itemId, cause]))
    for (const { trials } of clusters) expect(new Set(trials.map(({ item }) => causeOf.get(item.itemId))).size).toBe(1)
  })

  test('are the same for every order', () => {
    const said = (all: readonly FailedTrial[]) =>
      JSON.stringify(
        clustersOf(all).map(({ trials, smallest }) => [smallest.item.itemId, trials.map(({ item }) => item.itemId)]),
      )
    const wanted = said(planted.map(({ trial: one }) => one))
    fc.assert(
      fc.property(fc.shuffledSubarray(planted, { minLength: 100, maxLength: 100 }), (all) => {
        expect(said(all.map(({ trial: one }) => one))).toBe(wanted)
      }),
      { numRuns: 30 },
    )
  })

  test('a reason keeps what was expected and what came, and loses what differs between equal runs', () => {
    const [one, other] = [
      'in 41 ms at /tmp/jurist-a1b2/x: expected 3, got 2',
      'in 7 ms at /tmp/jurist-ffee/x: expected 3, got 2',
    ]
    expect(normalReason(one)).toBe(normalReason(other))
    expect(normalReason('expected 3, got 2')).not.toBe(normalReason('expected 3, got 4'))
    expect(normalReason('2 !== 3')).not.toBe(normalReason('5 !== 3'))
  })
})

describe('near copies', () => {
  const wordsOf = (seed: number, count: number) =>
    Array.from(
      { length: count },
      (_, index) => `w${createHash('md5').update(`${seed} ${index}`).digest('hex').replace(/\d/g, 'x').slice(0, 7)}`,
    )
  const features = (seed: number, value: number, isTurned: boolean) => {
    const lines = wordsOf(seed, 40).map((word) => `${word} equals ${value}`)
    const plain = new Set((isTurned ? lines.toReversed() : lines).map((line) => normalReason(line)))
    const task = `${wordsOf(seed + 1000, 20).join(' ')} ${value}`
    return featuresOf({ task, input: null, metadata: {} }, plain, null)
  }

  test('200 with other values and another order are found, and of 200 other failures at most 2 %', () => {
    const [copies, others] = [0, 1].map((isOther) =>
      Array.from({ length: 200 }, (_, seed) =>
        similarityOf(features(seed, 1, false), features(isOther ? seed + 5000 : seed, seed + 2, true)),
      ),
    )
    expect(copies?.filter((one) => one >= 0.8).length).toBeGreaterThanOrEqual(190)
    expect(others?.filter((one) => one >= 0.8).length).toBeLessThanOrEqual(4)
  })

  test("Jaccard's index is of sets", () => {
    expect(jaccard(shingles('a b c d'), shingles('a b c d'))).toBe(1)
    expect(jaccard(shingles('a b c d'), shingles('e f g h'))).toBe(0)
  })
})

describe('secrets', () => {
  const random = (length: number) =>
    `${randomBytes(length).toString('base64url').replace(/[-_]/g, 'x')}`.slice(0, length)
  const forms: readonly ((secret: string) => readonly [text: string, secret: string])[] = [
    (secret) => [`Authorization: Bearer ${secret}`, secret],
    (secret) => [`curl -H "X-Api-Key: ${secret}" https://example.test`, secret],
    (secret) => [`https://ana:${secret}@example.test/repo.git`, secret],
    (secret) => [`{"api_key": "${secret}"}`, secret],
    (secret) => [`const password = '${secret}'`, secret],
    (secret) => [`ghp_${secret}`, `ghp_${secret}`],
    (secret) => [`the key sk-${secret}1 is used`, `sk-${secret}1`],
    (secret) => [`-----BEGIN RSA PRIVATE KEY-----\n${secret}\n${secret}\n-----END RSA PRIVATE KEY-----`, secret],
    (secret) => [`eyJhbGciOiJIUzI1NiJ9.${secret}.${secret}`, secret],
    (secret) => [`client_secret: ${secret}`, secret],
    (secret) => [`AUTH_TOKEN=${Buffer.from(secret).toString('base64')}`, Buffer.from(secret).toString('base64')],
    (secret) => [`export GITLAB=glpat-${secret.slice(0, 20)}`, `glpat-${secret.slice(0, 20)}`],
  ]

  test('300 in 12 forms are replaced, and the report has none of them', () => {
    const clean = cleaning()
    for (let index = 0; index < 300; index += 1) {
      const [text, secret] = forms[index % forms.length]!(random(40))
      const plain = clean.text(`before ${text} after`, `place ${index}`)
      expect(plain, text).not.toContain(secret)
      expect(JSON.stringify(clean.removed())).not.toContain(secret)
    }
    expect(clean.removed().secrets.length).toBe(300)
  })

  test('a value in a file of secrets is replaced wherever it is said', () => {
    const clean = cleaning()
    expect(clean.isSecretFile('.env', Buffer.from('DB_PASSWORD=hunter2hunter2\nPORT=80\n'))).toBe(true)
    expect(clean.text('I used hunter2hunter2.', 'answer')).toBe('I used ***.')
    expect(clean.isSecretFile('logo.bin', Buffer.from('\0\0hunter2hunter2\0'))).toBe(true)
    expect(clean.isSecretFile('.env.example', Buffer.from('DB_PASSWORD=\n'))).toBe(false)
  })

  test('of 200 that only look alike at most 5 % are replaced', () => {
    const hash = (index: number) => createHash('sha256').update(`${index}`).digest('hex')
    const alike = Array.from(
      { length: 200 },
      (_, index) =>
        [
          `commit ${hash(index)}`,
          `"integrity": "sha512-${Buffer.from(hash(index)).toString('base64')}"`,
          `id: ${hash(index).slice(0, 8)}-0000-4000-8000-${hash(index).slice(0, 12)}`,
          `the token of the parser at ${index} is unexpected`,
        ][index % 4]!,
    )
    const clean = cleaning()
    expect(alike.filter((text) => clean.text(text, 'a') !== text).length).toBeLessThanOrEqual(10)
  })
})

describe('candidates of agents that fail by chance', () => {
  test('fail at least half as often in 0.9 of all that are accepted', async () => {
    const { uniform } = seededRandom(20261130)
    const failing = (rate: number) => async (times: number) =>
      Array.from({ length: times }, () => uniform()).filter((one) => one < rate).length
    for (const rate of [0.9, 0.6, 0.3]) {
      let [accepted, kept, same, sameAccepted] = [0, 0, 0, 0]
      for (let turn = 0; turn < 800; turn += 1) {
        const original = { alike: await failing(rate)(12), runs: 12 }
        if (original.alike === 0) continue
        // Nothing is known of a candidate: its rate may be anything.
        const of = uniform()
        if ((await keepsFailing(original, failing(of))) !== null) {
          accepted += 1
          if (of >= rate / 2) kept += 1
        }
        same += 1
        if ((await keepsFailing(original, failing(rate))) !== null) sameAccepted += 1
      }
      expect([rate, kept / accepted >= 0.9]).toEqual([rate, true])
      // Rare failures are accepted less often.
      expect([rate, sameAccepted / same >= (rate < 0.5 ? 0.5 : 0.8)]).toEqual([rate, true])
    }
  })

  test('are never accepted without a failure, and the more failed the more likely', () => {
    expect(probabilityOfHalf({ alike: 12, runs: 12 }, { alike: 0, runs: 3 })).toBeLessThan(0.1)
    const chances = [0, 3, 6, 9, 12].map((alike) => probabilityOfHalf({ alike: 9, runs: 12 }, { alike, runs: 12 }))
    expect(chances).toEqual(chances.toSorted((a, b) => a - b))
  })
})
