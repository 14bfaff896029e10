import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { openAt, type RunningView, startView } from './jurist-view.js'
import { goTo, openTab, runLinks, settled } from './open-page.js'

/**
 * Eight items, twice each, in two variants. `style` scores an answer by its number, `polite` passes for one that says
 * please; the better variant says it more often. Another experiment of the same project has other conditions.
 */
const config = `import { average, jury, numerical, scored, pass, fail } from 'jurist'
const text = (output) => output.text
const agent = (politeUpTo) => async (task) => {
  const number = Number(String(task.metadata.itemId).slice(5))
  await task.workspace.write('answer.txt', 'answer ' + number)
  await task.record({ type: 'thinking', text: 'Let me think about ' + number })
  await task.record({ type: 'tool-call', id: 'a', name: 'Read', input: { path: 'answer.txt' } })
  await task.record({ type: 'tool-result', id: 'a', content: 'answer ' + number })
  return { status: 'completed', output: { type: 'text', text: number + (number <= politeUpTo ? ' please' : '') } }
}
const rules = jury({
  judges: {
    style: ({ agentOutput }) => scored(numerical(parseInt(agentOutput.text) / 10), { passingAt: 0.3 }),
    polite: ({ agentOutput }) => (agentOutput.text.includes('please') ? pass('it says please') : fail('it does not say please')),
  },
  vote: average({ threshold: 0.5 }),
})
const items = Array.from({ length: 8 }, (_, index) => ({
  id: 'item-' + (index + 1),
  task: 'Say ' + (index + 1),
  metadata: { level: index < 4 ? 'easy' : 'hard' },
}))
export default {
  experiments: {
    demo: { dataset: items, agent: agent(2), jury: rules, repetitions: 2, preserveWorkspaces: 'all', conditions: { teamRules: 'short' }, variants: { plain: {}, better: { agent: agent(5) } } },
    other: { dataset: items, agent: agent(2), jury: rules, conditions: { teamRules: 'long' } },
  },
}
`

interface Run {
  readonly id: string
  readonly experimentName: string
  readonly variant: string | null
}

describe.skipIf(isWithoutBrowser)(inBrowser('reading results with jurist view'), () => {
  let made: Project
  let viewing: RunningView
  let browser: TestBrowser
  let tab: Page
  let runs: readonly Run[] = []
  const problems: string[] = []
  const idOf = (variant: string | null, experiment = 'demo') =>
    runs.find((run) => run.variant === variant && run.experimentName === experiment)?.id ?? ''

  beforeAll(async () => {
    made = project({ 'jurist.config.mjs': config })
    for (const experiment of ['demo', 'other']) {
      const ran = await made.jurist('run', experiment)
      if (ran.code !== 0 && ran.code !== 1) throw new Error(ran.stderr)
    }
    runs = JSON.parse((await made.jurist('list', '--json')).stdout)
    viewing = await startView(made)
    browser = await startBrowser()
    tab = await openAt(browser, viewing.url, '#/', problems)
  })
  afterAll(async () => {
    await browser?.close()
    await viewing?.stop()
    made?.[Symbol.dispose]()
  })

  test('the list of runs is searched and sorted, and the address keeps both', async () => {
    await goTo(tab, '#/')
    await tab.getByRole('heading', { name: 'Runs' }).waitFor()
    await expect.poll(() => runLinks(tab).count()).toBe(3)
    await tab.getByRole('searchbox').fill('demo better')
    await tab.getByText('1 of 3').waitFor()
    await tab.getByRole('searchbox').fill('nothing like this')
    await tab.getByText('No run matches.').waitFor()
    await tab.getByRole('searchbox').fill('')
    await tab.getByRole('button', { name: 'Pass rate' }).click()
    await tab.getByRole('button', { name: 'Pass rate' }).click()
    await tab.waitForFunction(() => location.hash.includes('sort=rate&order=desc'))
    const names = await tab.locator('tbody tr td:nth-child(3)').allTextContents()
    expect(names[0]).toBe('better')
    await tab.reload()
    await settled(tab)
    expect(await tab.locator('th[aria-sort="descending"]').innerText()).toContain('Pass rate')
  })

  test('a trial leads to its repetitions, to its neighbours, and back to its run', async () => {
    await goTo(tab, `#/runs/${idOf('plain')}/items/item-3/1`)
    await tab.getByText('polite failed: it does not say please').waitFor()
    await tab.getByRole('link', { name: 'Repetition 2, failed' }).click()
    await tab.waitForFunction(() => location.hash.endsWith('/items/item-3/2'))
    await tab.getByRole('navigation', { name: 'Neighbours' }).getByRole('link', { name: /→/ }).click()
    await tab.waitForFunction(() => !location.hash.includes('item-3/2'))
    await tab.getByRole('link', { name: 'demo, plain' }).click()
    await tab.getByRole('grid').waitFor()
  })

  test('the views of a trial show the output, the files, the journal, the cost and the metadata', async () => {
    const trial = `#/runs/${idOf('better')}/items/item-5/1`
    await goTo(tab, trial)
    await tab.getByText('5 please', { exact: true }).waitFor()
    await tab.getByRole('link', { name: 'Changes' }).click()
    await tab.getByText('1 file differs').waitFor()
    await tab.getByRole('link', { name: 'Side by side' }).click()
    await tab.locator('.lines.sides').getByText('answer 5').waitFor()
    await tab.getByRole('link', { name: 'Against the reference' }).click()
    await tab.getByText('The item has no reference.').waitFor()
    await tab.getByRole('link', { name: 'Journal' }).click()
    await tab.getByText('Let me think about 5').waitFor()
    await tab.getByText('Read', { exact: true }).click()
    await tab.locator('pre', { hasText: 'answer 5' }).waitFor()
    await tab.getByRole('link', { name: 'Tokens and cost' }).click()
    await tab.getByRole('rowheader', { name: 'style' }).waitFor()
    await tab.getByRole('link', { name: 'Verdict' }).click()
    await tab.getByText('Facts of the item').click()
    await tab.getByText('hard', { exact: true }).waitFor()
  })

  test('what if draws the options that a vote declares, and applies them', async () => {
    await goTo(tab, `#/runs/${idOf('plain')}/what-if`)
    await tab.getByText('Change a setting to see its effect.').waitFor()
    expect(await tab.getByRole('spinbutton', { name: 'Threshold' }).inputValue()).toBe('0.5')
    expect(await tab.getByLabel('Min eligible').inputValue()).toBe('1')
    await tab.getByLabel('Vote').selectOption('majority')
    await tab.getByLabel('On tie').waitFor()
    expect(await tab.getByRole('spinbutton', { name: 'Threshold' }).count()).toBe(0)
    const changed = tab.locator('.figures div', { hasText: 'Trials that change' }).locator('dd').first()
    const before = await changed.innerText()
    await tab.getByLabel('On tie').selectOption('pass')
    await tab.waitForFunction(() => location.hash.includes('onTie'))
    await expect.poll(() => changed.innerText()).not.toBe(before)
    await tab.getByLabel('Vote').selectOption('weightedAverage')
    await tab.getByLabel('Weight of polite').fill('0')
    await tab.getByText('Trials whose outcome changes').waitFor()
    await tab.getByRole('button', { name: 'Reset' }).click()
    await tab.getByText('Change a setting to see its effect.').waitFor()
  })

  test('a comparison says what changed, and refuses runs under other conditions until it is asked again', async () => {
    await goTo(tab, `#/compare/${idOf('plain')}/${idOf('better')}`)
    await tab.getByRole('button', { name: /^improved 3$/ }).click()
    await tab.waitForFunction(() => location.hash.includes('change=improved'))
    await tab.getByRole('rowheader', { name: 'item-4' }).waitFor()
    expect(await tab.getByRole('rowheader', { name: 'item-8' }).count()).toBe(0)
    await goTo(tab, `#/compare/${idOf('plain')}/${idOf(null, 'other')}`)
    await tab.getByText('measured under different conditions').waitFor()
    await tab.getByRole('rowheader', { name: 'teamRules' }).waitFor()
    await tab.getByRole('link', { name: 'Compare anyway' }).click()
    await tab.getByRole('heading', { name: 'Measures' }).waitFor()
  })

  test('addresses that lead to nothing say so', async () => {
    await goTo(tab, `#/runs/${idOf('plain')}/unknown`)
    await tab.getByText('A run has no such view.').waitFor()
    await goTo(tab, `#/runs/${idOf('plain')}/items/item-3/1/unknown`)
    await tab.getByText('A trial has no such view.').waitFor()
    await goTo(tab, `#/runs/${idOf('plain')}/items/item-99/1`)
    await tab.getByText('has no trial item-99#1').waitFor()
    await goTo(tab, `#/compare/${idOf('plain')}/20200101T000000000Z-000000`)
    await tab.getByText('This store does not have both of these runs.').waitFor()
  })

  test('a static report shows the same from one file, except what only the store has', async () => {
    expect((await made.jurist('view', idOf('better'), '--static', 'report')).code).toBe(0)
    const report = await openTab(browser, {}, problems)
    await report.goto(`${pathToFileURL(join(made.directory, 'report/index.html')).href}#/runs/${idOf('better')}`)
    await settled(report)
    await report.getByText('variants of the session').waitFor()
    await goTo(report, `#/runs/${idOf('better')}/items/item-5/1`)
    await report.getByText('5 please', { exact: true }).waitFor()
    await goTo(report, `#/runs/${idOf('better')}/items/item-5/1/journal`)
    await report.getByText('This report contains no journals.').waitFor()
    await goTo(report, `#/compare/${idOf('plain')}/${idOf('better')}`)
    await report.getByText('3 items better, 0 worse').waitFor()
    expect(problems).toEqual([])
  })
})
