import { join } from 'node:path'
import { jury, pass } from '@jurist/core'
import { runExperiment } from '@jurist/experiment'
import { fileStore } from '@jurist/experiment/store'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { gate } from './gate.js'
import { openAt, type RunningView, startView } from './jurist-view.js'
import { goTo } from './open-page.js'
import { makeClaudeJournal } from './sample-journal.js'

/** More rows would make a long journal slow. */
const mostRows = 100

describe.skipIf(isWithoutBrowser)(inBrowser('the journal of a trial'), () => {
  let made: Project
  let browser: TestBrowser
  let view: RunningView
  let run: string
  const problems: string[] = []

  beforeAll(async () => {
    made = project()
    run = await makeClaudeJournal(join(made.directory, 'results'), 320)
    view = await startView(made)
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await view?.stop()
    made?.[Symbol.dispose]()
  })

  const place = (query = '') => `#/runs/${run}/items/fix-totals/1/journal${query}`
  const open = async (query = '') => {
    const tab = await openAt(browser, view.url, place(query), problems)
    await tab.getByText('320 tool calls, 8 failed').waitFor()
    return tab
  }
  const rows = (tab: Page) => tab.locator('.journal-steps > .step')
  const focused = (tab: Page) => tab.evaluate(() => document.activeElement?.textContent ?? '')

  test('more than 1,000 events of Claude Code, of which few are drawn; the first failure is one key away', async () => {
    const tab = await open()
    expect(await rows(tab).count()).toBeLessThanOrEqual(mostRows)
    await tab.keyboard.press('n')
    await tab.getByText('AssertionError').waitFor()
    expect(await focused(tab)).toMatch(/^\+\dm \d\dsBash\$ npm test .*✗ failedexit 1/)
    const first = await tab.evaluate(() => location.hash)
    expect(first).toMatch(/step=\d+$/)
    await tab.keyboard.press('n')
    await tab.waitForFunction((hash) => location.hash !== hash, first)
    await tab.keyboard.press('p')
    await tab.waitForFunction((hash) => location.hash === hash, first)
    await tab.getByRole('button', { name: 'Next failure' }).click()
    await tab.waitForFunction((hash) => location.hash !== hash, first)
    expect(await rows(tab).count()).toBeLessThanOrEqual(mostRows)
    await tab.close()
  })

  test('colours, tables, commands and edits are rendered; the key r shows the records', async () => {
    const tab = await open()
    expect(await tab.locator('.markdown td.number').first().textContent()).toBe('0.30')
    expect(await tab.locator('.markdown code').first().textContent()).toBe('npm test')
    await tab.locator('.step.kind-edit .lines tr.removed').first().waitFor()
    await tab.keyboard.press('n')
    expect(await tab.locator('.step.at .ansi-red').first().textContent()).toBe('✗')
    expect(await tab.locator('.step.at').textContent()).not.toContain('[31m')
    await tab.getByRole('button', { name: 'Show 6 more lines' }).first().click()
    await tab.locator('.step.at .ansi-on-cyan').waitFor()
    await tab.keyboard.press('r')
    await tab.locator('.step.at').getByText('"type": "tool-result"').waitFor()
    expect(await tab.evaluate(() => location.hash)).toContain('raw=yes')
    expect(await tab.locator('.step.at').textContent()).toContain('\\u001b[31m')
    await tab.keyboard.press('r')
    await tab.locator('.step.at .ansi-red').first().waitFor()
    await tab.close()
  })

  test('a search, a tool and failures choose steps, and the address keeps them', async () => {
    const tab = await open('?failed=yes')
    await tab.getByText('8 steps match').waitFor()
    await tab.getByRole('combobox', { name: 'Tool' }).selectOption('Bash')
    await tab.getByRole('searchbox').fill('ASSERTIONERROR')
    await tab.waitForFunction(() => location.hash.includes('q=ASSERTIONERROR') && location.hash.includes('tool=Bash'))
    await tab.getByText('8 steps match').waitFor()
    await tab.getByRole('searchbox').fill('nothing of this kind')
    await tab.getByText('No step matches.').waitFor()
    await tab.reload()
    await tab.getByText('No step matches.').waitFor()
    await tab.close()
  })

  test('the waterfall scrolls the list, by a click and by keys', async () => {
    const tab = await open()
    const slider = tab.getByRole('slider', { name: 'Steps over time' })
    const { width = 0, height = 0 } = (await slider.boundingBox()) ?? {}
    await slider.click({ position: { x: width * 0.5, y: height * 0.4 } })
    await tab.waitForFunction(() => scrollY > 2_000)
    const before = Number(await slider.getAttribute('aria-valuenow'))
    await tab.keyboard.press('ArrowRight')
    await tab.waitForFunction(
      (value) => Number(document.querySelector('[role=slider]')?.ariaValueNow) === value,
      before + 1,
    )
    await tab.keyboard.press('End')
    await tab.getByText('Totals are counted in cents.').waitFor()
    expect(await slider.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await rows(tab).count()).toBeLessThanOrEqual(mostRows)
    const link = tab.getByRole('link', { name: 'the rules' })
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
    await tab.getByText('(https://example.com/rules)').waitFor()
    await tab.close()
  })

  test('a link to a step opens there, and rows stay in place while those above are measured', async () => {
    const tab = await open('?step=800')
    const at = tab.locator('.step.at')
    await at.waitFor()
    await tab.waitForFunction(() => {
      const top = document.querySelector('.step.at')?.getBoundingClientRect().top ?? 0
      const cover = document.querySelector('.journal-cover')?.getBoundingClientRect().bottom ?? 0
      return Math.abs(top - cover) < 3
    })
    await tab.mouse.move(400, 500)
    for (let times = 0; times < 20; times++) {
      const top = await at.evaluate((element) => element.getBoundingClientRect().top).catch(() => undefined)
      if (top === undefined || top > 700) break
      await tab.mouse.wheel(0, -40)
      await tab.waitForFunction((was) => {
        const now = document.querySelector('.step.at')?.getBoundingClientRect().top
        return now === undefined || Math.abs(now - was - 40) < 3
      }, top)
    }
    await tab.close()
  })

  test.each(['light', 'dark'] as const)('has no problem of accessibility, %s', async (theme) => {
    const tab = await open()
    await tab.emulateMedia({ colorScheme: theme })
    await tab.keyboard.press('n')
    await tab.getByText('AssertionError').waitFor()
    expect(await accessibilityProblems(tab)).toEqual([])
    await tab.keyboard.press('r')
    if (theme === 'dark') expect(await accessibilityProblems(tab)).toEqual([])
    expect(await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await tab.close()
    expect(problems).toEqual([])
  })

  test('of a trial that is still running is followed to its verdict', async () => {
    const [more, end] = [gate(), gate()]
    const running = runExperiment({
      name: 'live',
      dataset: [{ id: 'slow (one)', task: 'wait' }],
      agent: async ({ record }) => {
        record?.({ type: 'text', text: 'I **begin**' })
        await more.promise
        record?.({ type: 'text', text: 'I go on' })
        await end.promise
        return { status: 'completed' }
      },
      jury: jury({ judges: { fine: async () => pass('fine') } }),
      store: fileStore(join(made.directory, 'results'), { sync: false }),
    })
    const tab = await openAt(browser, view.url, '#/', problems)
    try {
      await tab.getByRole('link', { name: 'live' }).first().waitFor()
      const [entry] = (
        await (await fetch(new URL(`/api/runs${view.url.search}`, view.url), headersOf(view.url))).json()
      ).runs
      await goTo(tab, `#/runs/${entry.id}`)
      await tab.getByRole('link', { name: 'slow (one)#1' }).click()
      await tab.locator('.markdown strong').getByText('begin').waitFor()
      await tab.locator('.head').getByText('running').waitFor()
      more.resolve()
      await tab.getByText('I go on').waitFor()
      end.resolve()
      await running.result
      await tab.getByRole('link', { name: 'Verdict' }).waitFor()
      await goTo(tab, (await tab.evaluate(() => location.hash)).replace('/journal', ''))
      await tab.getByText('passed').first().waitFor()
      expect(problems).toEqual([])
    } finally {
      more.resolve()
      end.resolve()
      await running.result
      await tab.close()
    }
  })
})

/** The token of the address that the command printed, as the page sends it. */
function headersOf({ searchParams }: URL): RequestInit {
  return { headers: { 'x-jurist-token': searchParams.get('token') ?? '' } }
}
