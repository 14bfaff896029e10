import { widthOf } from '@jurist/kit/terminal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../project.js'

/** Forty items with long names, seven judges, three repetitions and two variants. */
const config = `import { consensus, fail, jury, numerical, pass, scored } from 'jurist'
const areas = ['payments-refund-partial', 'payments-capture-delayed', 'shipping-label-address', 'account-merge-duplicate']
const items = Array.from({ length: 40 }, (_, n) => ({
  id: areas[n % 4] + '-' + String(n + 1).padStart(2, '0'),
  task: 'Which policy applies to request number ' + (n + 1) + ', and what does the customer pay in the end?',
  expectedOutput: 'Policy ' + (n % 7) + ' applies and the customer pays ' + n + ' euros.',
  metadata: { retrieved_contexts: ['The customer pays ' + n + ' euros.', 'Refunds take five working days everywhere.'] },
}))
const agent = (wrong, price) => async ({ metadata }) => {
  const n = Number(metadata.itemId.slice(-2)) - 1
  const isWrong = n % wrong === 0 && metadata.repetition !== 2
  const text = isWrong ? 'I believe that another policy applies, so that the customer pays within fourteen days of the order.' : items[n].expectedOutput
  return { status: 'completed', output: { type: 'text', text }, costUsd: price, usage: { inputTokens: 1000, outputTokens: 80 } }
}
const reason = 'the answer names another amount than the policy that applies to this request, which is in the handbook'
const theJury = jury({
  judges: {
    'correct-amount': ({ agentOutput, expectedOutput }) => (agentOutput.text === expectedOutput.text ? pass('it is right') : fail(reason)),
    'cites-policy': () => pass('it cites a policy'),
    polite: () => scored(numerical(1), { passingAt: 0.5 }),
    concise: ({ agentOutput }) => scored(numerical(1 - agentOutput.text.length / 200), { passingAt: 0.3 }),
    faithful: () => ({ ...pass('supported'), costUsd: 0.002 }),
    'no-invented-deadline': ({ agentOutput }) => (agentOutput.text.includes('fourteen') ? fail('fourteen days are in no source') : pass('no deadline')),
    language: () => pass('it is English'),
  },
  vote: consensus(),
})
export default {
  experiments: {
    support: { dataset: items, agent: agent(2, 0.01), jury: theJury, repetitions: 3, variants: { small: {}, large: { agent: agent(3, 0.09) } } },
  },
}
`

/** What `doctor` says of processes: tests beside this one end some, and leave some for it to find. */
const processesLeft = `
none is left of runs that have ended
left of runs that have ended: 1, 2, …
End them: kill -9 1 2
`

const widths = [60, 80, 100, 120] as const
/** Of commands that compute a lot. Lines wrap in one place for all commands. */
const twoWidths = [60, 100] as const
const isCostly = (argv: readonly string[]) => ['calibrate', 'doctor', '--failures'].some((word) => argv.includes(word))
const hint = /^ *(?:Too narrow for|\d+ more judges?|--judges$)/
const words = (text: string) =>
  text.split(/\s+/).map((word) =>
    word
      .replace(/Z-\w{6}/, 'Z')
      .replace(/\d+/g, '0')
      .replace(/^0-0-0$/, '0-0')
      .replace(/[,:]$/, ''),
  )

/** No line is wider than the terminal unless it is one word, and every word is a word of the unlimited output. */
function expectFits(narrow: string, columns: number, unlimited: string): void {
  const known = new Set(words(unlimited))
  const lines = narrow.split('\n')
  expect(lines.filter((line) => /\S\s+\S/.test(line) && widthOf(line) > columns)).toEqual([])
  const shown = lines.filter((line) => !hint.test(line)).flatMap(words)
  const isNew = (word: string) => !known.has(word) && !/^(?:ms|s|m|h|-?\+?0(?:\.0)?)$/.test(word)
  expect(shown.filter(isNew)).toEqual([])
}

describe('at 60, 80, 100 and 120 columns', () => {
  let made: Project
  let first: string
  const at = async (columns: number | undefined, ...argv: readonly string[]) => {
    const { stdout, stderr } = await made.juristWith(columns === undefined ? {} : { COLUMNS: `${columns}` }, ...argv)
    return stdout + stderr
  }

  beforeAll(async () => {
    made = project({ 'jurist.config.mjs': config })
    first = await at(undefined, 'run')
    if (!first.includes('2 variants')) throw new Error(first)
    const labelled = ['label', 'support@small', '--sample', '20', '--seed', '3', '--by', 'ana']
    await made.juristReading('pppffpfpffppfpfpppff', {}, ...labelled)
  })
  afterAll(() => made[Symbol.dispose]())

  test.each<readonly string[]>([
    ['list'],
    ['list', '--sessions'],
    ['show', 'support@small'],
    ['show', 'support@small', '--all'],
    ['show', 'support@small', '--failures'],
    ['show', 'support@small', '--judges'],
    ['show', 'support@small', 'payments-refund-partial-01', '--log'],
    ['compare', 'support@small', 'support@large', '--fail-on', 'never'],
    ['calibrate', '--run', 'support@small', '--all'],
    ['rejudge', 'support@small', '--dry-run'],
    ['validate'],
    ['doctor'],
    ['store', 'check'],
    ['store', 'prune', '--older-than', '0s'],
    ['show', 'support@smal'],
    ['run', '--item', 'payments-refund-partial-99'],
  ])('jurist %s %s %s %s fits', async (...argv) => {
    const unlimited = await at(undefined, ...argv)
    for (const columns of isCostly(argv) ? twoWidths : widths)
      expectFits(await at(columns, ...argv), columns, `${unlimited}\n${processesLeft}`)
  })

  test('labelling fits', async () => {
    const ask = async (env: Record<string, string>, by: string) =>
      (await made.juristReading('ppq', env, 'label', 'support@small', '--sample', '3', '--seed', '3', '--by', by))
        .stdout
    const shown = await Promise.all(twoWidths.map((columns) => ask({ COLUMNS: `${columns}` }, `b${columns}b`)))
    const unlimited = (await ask({}, 'b1b')) + (await ask({}, 'b2b'))
    for (const [index, columns] of twoWidths.entries()) expectFits(shown[index] ?? '', columns, unlimited)
  })

  test('judges without room are counted, figures come first, and of forty items those that failed are shown', async () => {
    const narrow = await at(60, 'show', 'support@small')
    expect(narrow).toMatch(/^ {2}\d more judges: jurist show \S+\n? *--judges$/m)
    expect(narrow.indexOf('  Passed ')).toBeLessThan(narrow.indexOf('  ITEM '))
    expect(narrow).toMatch(/40 items\. Shown: 20 of 20 that did not pass/)
    expect(narrow).not.toContain('payments-capture-delayed-02')
    expect(await at(60, 'show', 'support@small', '--all')).toContain('payments-capture-delayed-02')
    expect(await at(undefined, 'show', 'support@small')).not.toMatch(/judges? more/)
  })

  test('a run fits; its hints are printed for the first run of a project only', async () => {
    expect(first).toContain('Look closer:')
    for (const columns of twoWidths) {
      const again = await at(columns, 'run', '--quiet')
      expect(again).not.toMatch(/Look closer:|See it:/)
      expectFits(again, columns, first)
    }
  })

  test('a list that stops says so', async () => {
    const all: readonly unknown[] = JSON.parse((await made.jurist('list', '--json')).stdout)
    expect(await at(60, 'list', '--limit', '1')).toContain(`1 of ${all.length} runs. More: --limit ${all.length}`)
  })
})
