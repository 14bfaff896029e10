import {
  abstain,
  cascade,
  consensus,
  error,
  fail,
  type Judge,
  type JudgmentContext,
  type Jury,
  jury,
  mustDecide,
  pass,
} from '@jurist/core'
import { describe, expect, test } from 'vitest'
import { runExperiment } from '../../src/index.js'
import { githubAnnotations, githubSummary, jsonReport, junitReport, markdownReport } from '../../src/report/index.js'
import {
  type AllowAbstain,
  decidedText,
  readUndecidedJudges,
  undecidedJudges,
  undecidedJudgeText,
} from '../../src/result/undecided-judges.js'
import { memoryStore } from '../../src/store/index.js'

/** A judge by the number of the item, from 1. */
const byItem =
  (decide: (number: number) => ReturnType<typeof pass | typeof fail | typeof abstain | typeof error>): Judge =>
  ({ metadata }: JudgmentContext) =>
    decide(Number(metadata['itemId']))

const passes = byItem(() => pass('right'))
const silent = byItem(() => abstain('the answer contains no JSON', { metadata: { unread: 'none' } }))
const breaks = byItem((number) => error(`HTTP 401 after ${number} ms`))
const always = (judges: Record<string, Judge | Jury>, vote = consensus()) => jury({ judges, vote })

async function runOf(judges: Jury | Judge, count = 10, allowAbstain?: AllowAbstain) {
  const store = memoryStore()
  const dataset = Array.from({ length: count }, (_, index) => ({ id: String(index + 1), task: 'x' }))
  const allowed = allowAbstain === undefined ? {} : { allowAbstain }
  const options = { name: 'answers', dataset, agent: async () => 'x', jury: judges, store, ...allowed }
  const result = await runExperiment(options).result
  return { result, overview: await store.overview(result.id) }
}

describe('judges that decided nothing, or much less than they were asked', () => {
  const cascaded = cascade([
    {
      name: 'rules',
      jury: always({ exact: byItem((number) => (number > 8 ? abstain('unsure') : pass('equal'))) }),
      policy: 'accept-when-decided',
    },
    { name: 'meaning', jury: always({ faithful: silent, correct: passes }), policy: 'final' },
  ])
  const rows: readonly (readonly [
    what: string,
    judges: Jury | Judge,
    said: readonly string[],
    allowed?: AllowAbstain,
  ])[] = [
    [
      'a member that abstained',
      always({ faithful: silent, correct: passes }),
      ['faithful never judged: 10 of 10 abstained (the answer contains no JSON)'],
    ],
    [
      'one that broke, by alike reasons',
      always({ faithful: breaks, correct: passes }, consensus({ onError: 'ignore' })),
      ['faithful never judged: 10 of 10 ended in an error (HTTP 401 after 1 ms)'],
    ],
    [
      'one that did both',
      always(
        { style: byItem((number) => (number > 4 ? abstain('no style') : error('down'))), correct: passes },
        consensus({ onError: 'ignore' }),
      ),
      ['style never judged: 6 of 10 abstained, 4 ended in an error (no style)'],
    ],
    [
      'a tier that hands on what it is unsure of, so long as it decides some',
      cascade([
        {
          name: 'cheap',
          jury: byItem((number) => (number > 1 ? abstain('unsure') : pass('equal'))),
          policy: 'accept-when-decided',
        },
        { name: 'meaning', jury: passes, policy: 'final' },
      ]),
      [],
    ],
    [
      'one that breaks',
      cascade([
        {
          name: 'cheap',
          jury: byItem((number) => (number > 1 ? error('down') : pass('equal'))),
          policy: 'accept-when-decided',
          onError: 'escalate',
        },
        { name: 'meaning', jury: passes, policy: 'final' },
      ]),
      ['cheap/judge decided 1 of 10: 9 ended in an error (down)'],
    ],
    ['a judge alone', silent, ['judge never judged: 10 of 10 abstained (the answer contains no JSON)']],
    [
      'a tier counts where it was asked',
      cascaded,
      ['meaning/faithful never judged: 2 of 2 abstained (the answer contains no JSON)'],
    ],
    [
      'a tier that no trial reached',
      cascade([
        { name: 'rules', jury: passes, policy: 'accept-when-decided' },
        { name: 'meaning', jury: silent, policy: 'final' },
      ]),
      [],
    ],
    [
      'a gate that its silence opens',
      cascade([
        { name: 'rules', jury: always({ build: silent }), policy: 'reject-on-any-fail' },
        { name: 'meaning', jury: passes, policy: 'final' },
      ]),
      ['rules/build never judged: 10 of 10 abstained (the answer contains no JSON)'],
    ],
    [
      'a judge in a jury in a jury',
      always({ all: always({ style: always({ tone: silent, form: passes }) }), correct: passes }),
      ['all/style/tone never judged: 10 of 10 abstained (the answer contains no JSON)'],
    ],
    [
      'a member whose judges always disagree',
      always({
        style: always({ one: passes, two: byItem(() => fail('wrong')) }, consensus({ onMixed: 'abstain' })),
        correct: passes,
      }),
      ['style never judged: 10 of 10 abstained (1 of 2 passed)'],
    ],
    [
      'a fifth is no warning',
      always({ style: byItem((number) => (number > 8 ? abstain('no style') : fail('bad'))), correct: passes }),
      [],
    ],
    [
      'more than a fifth is one, after those that never judged',
      always({
        style: byItem((number) => (number > 7 ? abstain('no style') : pass('good'))),
        faithful: silent,
        correct: passes,
      }),
      [
        'faithful never judged: 10 of 10 abstained (the answer contains no JSON)',
        'style decided 7 of 10: 3 abstained (no style)',
      ],
    ],
    ['silence that counts is a decision', always({ faithful: mustDecide(silent), correct: passes }), []],
    [
      'all that are allowed',
      always({ faithful: silent, correct: passes }),
      ['faithful never judged: 10 of 10 abstained (the answer contains no JSON), which allowAbstain allows'],
      true,
    ],
    [
      'one that is allowed by its name',
      cascaded,
      ['meaning/faithful never judged: 2 of 2 abstained (the answer contains no JSON), which allowAbstain allows'],
      ['faithful'],
    ],
    [
      'one that is allowed by its tier',
      cascaded,
      ['meaning/faithful never judged: 2 of 2 abstained (the answer contains no JSON), which allowAbstain allows'],
      ['meaning'],
    ],
    [
      'another one is allowed',
      cascaded,
      ['meaning/faithful never judged: 2 of 2 abstained (the answer contains no JSON)'],
      ['faith', 'correct'],
    ],
    [
      'a warning that is allowed',
      always({ style: byItem((number) => (number > 5 ? abstain('no style') : pass('good'))), correct: passes }),
      [],
      ['style'],
    ],
  ]
  for (const [what, judges, said, allowed] of rows)
    test(what, async () => {
      const { result, overview } = await runOf(judges, 10, allowed)
      expect(undecidedJudges(result).map(undecidedJudgeText)).toEqual(said)
      // A store reads whole trials for the reasons alone.
      expect(overview && (await readUndecidedJudges(overview))).toEqual(undecidedJudges(result))
    })

  test('the remedy follows from the commonest reason', async () => {
    const judges = {
      unread: silent,
      broken: breaks,
      unfit: byItem((number) => abstain(number > 3 ? 'no sources' : 'odd')),
    }
    const { result } = await runOf(always({ ...judges, correct: passes }, consensus({ onError: 'ignore' })))
    expect(undecidedJudges(result).map(({ reason, remedy }) => [reason, remedy.split(':')[0]])).toEqual([
      ['the answer contains no JSON', 'Its model does not write the form that it is asked for'],
      ['HTTP 401 after 1 ms', expect.stringMatching(/^Correct the settings of its model/)],
      ['no sources', expect.stringMatching(/^Give the items what it judges by/)],
    ])
  })

  test('what a judge passed is of what it decided', () => {
    expect(decidedText({ passed: 0, decided: 0, abstained: 50, errors: 0 })).toBe('0/0 decided, 50 abstained')
    expect(decidedText({ passed: 2, decided: 3, abstained: 4, errors: 1 })).toBe(
      '2/3 decided, 4 abstained, 1 ended in an error',
    )
  })
})

describe('every report says it', () => {
  const said = 'faithful never judged: 10 of 10 abstained (the answer contains no JSON)'

  test('before its figures', async () => {
    const { result } = await runOf(always({ faithful: silent, correct: passes }))
    const other = await runOf(always({ faithful: passes, correct: passes }))
    const [markdown, junit] = [markdownReport([result]), junitReport(result)]
    expect(markdown.indexOf(said)).toBeGreaterThan(0)
    expect(markdown.indexOf(said)).toBeLessThan(markdown.indexOf('## Figures'))
    expect(markdown).toContain('| Item | Passed | faithful | correct |')
    expect(markdownReport([other.result, result])).toContain(`answers: ${said}`)
    expect(junit).toContain(`<property name="judge.faithful" value="${said}"/>`)
    expect(junit).toMatch(/<\/testcase>\n {4}<system-out>faithful never judged.*<\/system-out>\n {2}<\/testsuite>/)
    expect(githubAnnotations(result)[0]).toContain(`::error title=A judge never judged::${said}`)
    expect(githubSummary(result)).toMatch(/^## ❌ answers: 10 of 10 passed/)
    expect(githubSummary(result)).toContain(said)
    expect(JSON.parse(jsonReport(result)).undecidedJudges).toMatchObject([
      { path: 'faithful', asked: 10, decided: 0, isAllowed: false },
    ])
  })

  test('not where it is allowed to be green, and never where every judge decided', async () => {
    const allowed = await runOf(always({ faithful: silent, correct: passes }), 10, ['faithful'])
    expect(githubSummary(allowed.result)).toMatch(/^## ✅/)
    expect(githubAnnotations(allowed.result)[0]).toMatch(/^::warning/)
    const { result } = await runOf(always({ faithful: passes, correct: passes }))
    expect(markdownReport([result]) + junitReport(result) + githubSummary(result)).not.toMatch(
      /never judged|Judges that/,
    )
  })
})
