import { join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { openAt, type RunningView, startView } from './jurist-view.js'
import { goTo, runLinks } from './open-page.js'
import { faults, saveNights, saveSweep } from './sample-nights.js'

describe.skipIf(isWithoutBrowser)(inBrowser('sixty nights and a sweep, through jurist view'), () => {
  let [made, viewing, browser, tab]: [Project, RunningView, TestBrowser, Page] = [] as never
  let nights: readonly string[] = []
  const problems: string[] = []

  beforeAll(async () => {
    made = project()
    const store = fileStore(join(made.directory, 'results'), { sync: false })
    nights = await saveNights(store)
    await saveSweep(store)
    viewing = await startView(made)
    browser = await startBrowser()
    tab = await openAt(browser, viewing.url, '#/', problems)
  })
  afterAll(async () => {
    await browser?.close()
    await viewing?.stop()
    made?.[Symbol.dispose]()
    expect(problems).toEqual([])
  })

  test('both faults are named in the first view of the experiment, one click from the list', async () => {
    await goTo(tab, '#/')
    await tab.getByRole('link', { name: 'maintain-shop', exact: true }).click()
    const steps = tab.getByRole('region', { name: 'Steps' })
    await steps.getByText('Pass rate').first().waitFor()
    const texts = await steps.getByRole('listitem').allInnerTexts()
    expect(texts).toEqual([
      expect.stringMatching(/Pass rate 80\.0 % → 40\.0 %, -40\.0 points\. p < 0\.001$/),
      expect.stringMatching(/Pass rate 42\.5 % → 78\.3 %, \+35\.8 points\. p < 0\.001$/),
      expect.stringMatching(/Cost per trial \$0\.18 → \$0\.37, × 2\.01\. p < 0\.001; with it changed: model$/),
    ])
    const box = await steps.boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(860)
    // The dates of the steps lead to the comparisons with the nights before.
    const links = await steps.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    const places = [faults.fewPasses[0], faults.fewPasses[1], faults.doubledCost]
    expect(links).toEqual(places.map((at) => `#/compare/${nights[at - 1]}/${nights[at]}`))
  })

  test('the charts mark what changed, have a link for each run, and a table behind them', async () => {
    await goTo(tab, '#/experiments/maintain-shop')
    const chart = tab.locator('figure.trend').first()
    await chart.getByText('jury').waitFor()
    expect(await chart.locator('.setup-marks text').allTextContents()).toEqual(['jury', 'prompt', 'model'])
    expect(await chart.getByRole('link').count()).toBe(60)
    expect(await tab.locator('.trend-table tbody tr').count()).toBe(60)
    // The jury changed: that night cannot be compared with the one before.
    const changed = tab.locator('.trend-table tbody tr', { hasText: 'not comparable' })
    await changed.getByRole('link', { name: 'compare' }).waitFor()
    expect(await changed.getByText('style').count()).toBe(1)
  })

  test('keys go from run to run, and Enter opens the one in the middle of the fault', async () => {
    await goTo(tab, '#/experiments/maintain-shop')
    const last = tab.locator('figure.trend').first().getByRole('link').last()
    await last.focus()
    for (let back = 0; back < 59 - faults.fewPasses[0] - 2; back++) await tab.keyboard.press('ArrowLeft')
    await tab.locator('.readout strong', { hasText: '37.5 %' }).waitFor()
    await tab.keyboard.press('End')
    await tab.locator('.readout strong', { hasText: '78.3 %' }).waitFor()
    await tab.keyboard.press('Home')
    await tab.keyboard.press('Enter')
    await tab.waitForURL((url) => url.hash === `#/runs/${nights[0]}`)
  })

  test('a run is one click from the one before and its baseline, or says what prevents that', async () => {
    const against = tab.getByRole('navigation', { name: 'Compare this run' })
    await goTo(tab, `#/runs/${nights[0]}`)
    await against.getByRole('link', { name: 'Trend of maintain-shop' }).waitFor()
    expect(await against.getByText('Against').count()).toBe(0)
    await goTo(tab, `#/runs/${nights[9]}`)
    await against.getByText('none, no earlier run has the same conditions: jury differs').waitFor()
    await goTo(tab, `#/runs/${nights[50]}`)
    await against.getByRole('link', { name: 'Compare with the run before, its baseline' }).click()
    await tab.waitForURL((url) => url.hash === `#/compare/${nights[49]}/${nights[50]}`)
  })

  test('the list shows few runs of each experiment and all on demand; more than two are chosen without loss', async () => {
    await goTo(tab, '#/')
    await tab.getByText('66 runs of 2 experiments').waitFor()
    expect(await runLinks(tab).count()).toBe(12)
    await tab.getByRole('button', { name: 'Show all 60 runs of maintain-shop' }).click()
    await expect.poll(() => runLinks(tab).count()).toBe(66)
    for (let index = 0; index < 3; index++) await tab.getByRole('checkbox').nth(index).check()
    await tab.getByText('3 chosen').waitFor()
    const bar = await tab.getByRole('region', { name: 'Chosen runs' }).boundingBox()
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(860)
    await tab.getByRole('link', { name: 'Show side by side' }).click()
    await tab.getByRole('heading', { name: 'Pairs' }).waitFor()
    expect(await tab.locator('.variants tbody tr').count()).toBe(3)
  })

  test('a session is sorted, shows its front, and every pair opens its comparison', async () => {
    await goTo(tab, '#/sessions/choose-a-model/20261121-113600')
    await tab.getByRole('button', { name: 'Cost per trial' }).click()
    await tab.waitForFunction(() => location.hash.includes('sort=cost'))
    const names = () => tab.locator('.variants tbody th a').allTextContents()
    expect(await names()).toEqual('small,small-with-tools,medium,large,medium-high-effort,large-high-effort'.split(','))
    const front = tab.locator('.variants tbody tr', { hasText: 'front' })
    expect(await front.locator('th a').allTextContents()).not.toContain('medium-high-effort')
    expect(await front.count()).toBe(5)
    const pair = tab.getByRole('row', { name: /^small / }).getByRole('link', { name: /^-48\.3/ })
    expect(await pair.innerText()).toMatch(/p < 0\.001/)
    await pair.click()
    await tab
      .getByText(/^Regressed\./)
      .first()
      .waitFor()
  })

  test.each([
    [1_280, 'light'],
    [390, 'dark'],
  ] as const)('nothing is inaccessible or too wide at %i pixels', async (width, theme) => {
    const { origin, search } = viewing.url
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme })
    const narrow = await context.newPage()
    for (const [place, shows] of [
      ['#/', '66 runs'],
      ['#/experiments/maintain-shop', 'Cost of the agents per trial; thin line: judges'],
      ['#/sessions/choose-a-model/20261121-113600', 'Pairs'],
    ] as const) {
      await narrow.goto(`${origin}/${search}${place}`)
      await narrow.getByText(shows).first().waitFor()
      expect(await accessibilityProblems(narrow)).toEqual([])
      const beyond = await narrow.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(beyond).toBeLessThanOrEqual(0)
    }
    await context.close()
  })
})

test.skipIf(isWithoutBrowser)(inBrowser('six variants of 500 trials are side by side'), async () => {
  using made = project()
  const store = fileStore(join(made.directory, 'results'), { sync: false })
  for (let variant = 0; variant < 6; variant++) {
    const items = Array.from({ length: 500 }, (_, index) => {
      const passed = (index * 7919 + variant * 104_729) % 100 < 40 + 8 * variant
      return anItem({
        itemId: `item-${index}`,
        passed,
        judged: passed ? 'pass' : 'fail',
        costUsd: 0.01 * (variant + 1),
      })
    })
    const startedAt = `2026-11-01T0${variant}:00:00.000Z`
    await store.save(aResult({ experimentName: 'large', session: 'sweep', variant: `v${variant}`, startedAt, items }))
  }
  const viewing = await startView(made)
  const browser = await startBrowser()
  const problems: string[] = []
  try {
    const tab = await openAt(browser, viewing.url, '#/sessions/large/sweep', problems)
    await tab.getByText('6 variants', { exact: true }).waitFor()
    expect(await tab.locator('.pair-test').count()).toBe(30)
    await tab.getByText('200 of 500').waitFor()
    expect(problems).toEqual([])
  } finally {
    await browser.close()
    await viewing.stop()
  }
})
