import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { openAt, type RunningView, startView } from './jurist-view.js'
import { goTo } from './open-page.js'

/** Twenty questions with sources, two attempts each, in two variants; two judges, of which one has a price. */
const config = `import { average, fail, jury, numerical, scored } from 'jurist'
const number = ({ itemId }) => Number(itemId.slice(4))
const agent = (step, price) => async ({ metadata }) => {
  const isWrong = number(metadata) % step === 0 && (metadata.repetition !== 2 || number(metadata) === 9)
  return { status: 'completed', output: { type: 'text', text: isWrong ? 'I do not know.' : 'Policy ' + number(metadata) }, costUsd: price }
}
const items = Array.from({ length: 20 }, (_, n) => ({
  id: 'row-' + (n + 1),
  task: 'Which policy applies to request ' + (n + 1) + '?',
  expectedOutput: 'Policy ' + (n + 1),
  metadata: { referenceData: ['Policy ' + (n + 1) + ' applies to request ' + (n + 1) + '.'] },
}))
export default {
  experiments: {
    support: {
      dataset: items,
      agent: agent(3, 0.01),
      repetitions: 2,
      jury: jury({
        judges: {
          correct: ({ agentOutput, expectedOutput }) => agentOutput.text === expectedOutput.text || fail('another policy applies'),
          polite: ({ agentOutput }) => ({ ...scored(numerical(agentOutput.text.length / 20), { passingAt: 0.3 }), costUsd: 0.002 }),
        },
        vote: average({ threshold: 0.7 }),
      }),
      variants: { small: {}, large: { agent: agent(4, 0.05) } },
    },
  },
}
`

interface Run {
  readonly id: string
  readonly variant: string | null
  readonly session: string | null
}

/** Each task begins in the view that its question arises in. One click more fails its test. */
describe.skipIf(isWithoutBrowser)(inBrowser('ten tasks of every day'), () => {
  let made: Project
  let viewing: RunningView
  let browser: TestBrowser
  let tab: Page
  let runs: readonly Run[] = []
  let clicks = 0
  const problems: string[] = []
  const idOf = (variant: string) => runs.find((run) => run.variant === variant)?.id ?? ''
  const click = async (locator: Locator) => {
    clicks += 1
    await locator.first().click()
  }
  const link = (name: string | RegExp) => tab.getByRole('link', { name, exact: true })

  beforeAll(async () => {
    made = project({ 'jurist.config.mjs': config })
    for (let time = 0; time < 2; time += 1) await made.jurist('run')
    runs = JSON.parse((await made.jurist('list', '--json')).stdout)
    const sample = ['support@small', '--sample', '4', '--seed', '1', '--by', 'ana']
    await made.juristReading('pfpf', {}, 'label', ...sample)
    viewing = await startView(made)
    browser = await startBrowser()
    tab = await openAt(browser, viewing.url, '#/', problems)
    tab.setDefaultTimeout(10_000)
  })
  afterAll(async () => {
    await browser?.close()
    await viewing?.stop()
    made?.[Symbol.dispose]()
  })
  beforeEach(() => {
    clicks = 0
  })

  test('a: why an item failed, in 2', async () => {
    await goTo(tab, '#/')
    await click(tab.locator('tr', { hasText: 'small' }).getByRole('link'))
    await click(link('row-3'))
    await tab
      .getByText(/another policy applies/)
      .first()
      .waitFor()
    await tab.getByText('Policy 3 applies to request 3.').waitFor()
    expect(clicks).toBe(2)
  })

  test('b: what one variant passes and the other fails, both answers, in 5', async () => {
    await goTo(tab, '#/')
    await click(link(/^Session /))
    await click(link('Items'))
    await click(tab.getByRole('button', { name: 'Only items that large passes' }))
    await click(tab.getByRole('button', { name: 'Only items that small fails' }))
    await click(link('row-9'))
    await tab.getByText('I do not know.').first().waitFor()
    await tab.getByText('Policy 9', { exact: true }).first().waitFor()
    expect(clicks).toBe(5)
  })

  test('c: what is flaky, in 2', async () => {
    await goTo(tab, '#/')
    await click(tab.locator('tr', { hasText: 'small' }).getByRole('link'))
    await click(tab.locator('.figures div', { hasText: 'Flaky items' }).getByRole('link'))
    await expect.poll(() => tab.getByRole('grid').getAttribute('aria-rowcount')).toBe('6')
    expect(clicks).toBe(2)
  })

  test('d: where the money went, in 1, and the trials that paid for a judge, in 2', async () => {
    await goTo(tab, `#/runs/${idOf('large')}`)
    await click(link('Cost'))
    await click(tab.locator('tr', { hasText: 'polite' }).getByRole('link'))
    await tab.getByRole('button', { name: 'paid for judge polite ×' }).waitFor()
    expect(clicks).toBe(2)
    await goTo(tab, `#/runs/${idOf('large')}?spent=judge:nobody`)
    await tab.getByText('No trial matches.').waitFor()
  })

  test('e: which judge fails most, and on which trials, in 2', async () => {
    await goTo(tab, `#/runs/${idOf('small')}`)
    await click(link('Judges'))
    const row = tab.getByRole('region', { name: 'Judges', exact: true }).getByRole('row', { name: /^correct/ })
    await row.getByRole('link', { name: '33', exact: true }).waitFor()
    await click(row.getByRole('link', { name: '7', exact: true }))
    await expect.poll(() => tab.getByRole('grid').getAttribute('aria-rowcount')).toBe('8')
    expect(clicks).toBe(2)
  })

  test('every count leads to its rows: why trials failed, in 2, and where the jury differs from people, in 1 and a choice', async () => {
    await goTo(tab, `#/runs/${idOf('small')}`)
    await click(link('Figures'))
    await click(tab.getByRole('row', { name: /another policy applies/ }).getByRole('link', { name: '7', exact: true }))
    await expect.poll(() => tab.getByRole('grid').getAttribute('aria-rowcount')).toBe('8')
    expect(clicks).toBe(2)
    await goTo(tab, `#/runs/${idOf('small')}`)
    await tab.getByLabel('All labels').selectOption('differs')
    await expect.poll(() => tab.getByRole('grid').getAttribute('aria-rowcount')).toBe('2')
  })

  test('the rows and columns that are shown as CSV, in 2', async () => {
    await goTo(tab, `#/runs/${idOf('small')}?outcome=fail&columns=input,output,cost`)
    await click(tab.getByText('Columns, CSV'))
    const download = tab.waitForEvent('download')
    await click(tab.getByRole('button', { name: 'Save these rows as CSV' }))
    const lines = readFileSync(await (await download).path(), 'utf8').split('\r\n')
    expect(lines[0]).toBe('Item,#1,#2,Passed,Decided,Input,Output,Cost')
    expect(lines[1]).toMatch(/^row-3,failed,passed,1,2,Which policy applies to request 3\?,I do not know\.,0\.024/)
    expect([lines.length, clicks]).toEqual([8, 2])
  })

  test('sessions before the newest are folded, and open in 1', async () => {
    await goTo(tab, '#/')
    const rows = tab.locator('tr', { hasText: /small|large/ })
    await expect.poll(() => rows.count()).toBe(3)
    expect(await tab.getByRole('img', { name: /^95 %: /, includeHidden: true }).count()).toBe(2)
    await click(tab.getByRole('button', { name: /^Runs of session / }).last())
    await expect.poll(() => rows.count()).toBe(5)
  })

  test('f: what changed since the last run, in 1', async () => {
    await goTo(tab, '#/')
    await click(link('support'))
    await tab
      .getByText(/points to the run before/)
      .first()
      .waitFor()
    expect(clicks).toBe(1)
  })

  test('g: how the judges agree with the labels, in 1', async () => {
    await goTo(tab, `#/runs/${idOf('small')}`)
    await click(link('Calibration'))
    await tab
      .getByText(/trials? that people fail/)
      .first()
      .waitFor()
    expect(clicks).toBe(1)
  })

  test('h: a report to share, in 2', async () => {
    await goTo(tab, `#/runs/${idOf('small')}`)
    await click(tab.getByText('Share', { exact: true }))
    const download = tab.waitForEvent('download')
    await click(tab.getByRole('button', { name: 'Save the file' }))
    expect((await download).suggestedFilename()).toMatch(/\.html$/)
    expect(clicks).toBe(2)
  })

  test('j: another threshold, in 1 and a number', async () => {
    await goTo(tab, `#/runs/${idOf('small')}`)
    await click(link('What if'))
    await tab.getByRole('spinbutton', { name: 'Threshold' }).fill('0.2')
    await tab.getByText('Trials whose outcome changes').waitFor()
    expect([clicks, problems]).toEqual([1, []])
  })
})
