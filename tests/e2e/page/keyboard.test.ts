import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { type OpenedPage, openPage, settled } from './open-page.js'
import { makeSampleStore, type SampleStore } from './sample-store.js'

describe.skipIf(isWithoutBrowser)(inBrowser('using the page'), () => {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-keyboard-'))
  let [sample, page]: [SampleStore, OpenedPage] = [] as never

  beforeAll(async () => {
    sample = await makeSampleStore(directory)
    page = await openPage(fileStore(sample.results), { directory: sample.results, sources: [sample.dataset] })
  })
  afterAll(async () => {
    await page[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  })

  test('by keys alone: from the runs to why a trial failed', async () => {
    const tab = await page.open('#/')
    await tab.getByRole('link', { name: 'maintain-shop' }).first().waitFor()
    await tabTo(tab, 'link', 'maintain-shop')
    await tabTo(tab, 'link', `#/runs/${sample.runs.control}`)
    await tab.keyboard.press('Enter')
    await tab.getByRole('grid').waitFor()
    await tab.getByText('add-endpoint').first().waitFor()
    await tabTo(tab, 'search', '')
    await tab.keyboard.type('still made of dollars')
    await tab.waitForFunction(() => location.hash.includes('q=still'))
    await tabTo(tab, 'grid', '')
    await tab.keyboard.press('ArrowDown')
    await tab.keyboard.press('ArrowDown')
    await tab.locator('tr.at').waitFor()
    await tab.keyboard.press('Enter')
    await tab.getByText('The gate rules rejected it').waitFor()
    expect(await tab.title()).toMatch(/#\d · maintain-shop, control · Runs · Jurist/)
    await tab.context().close()
  })

  test('the cursor of the table goes to its end and back', async () => {
    const tab = await page.open(`#/runs/${sample.runs.control}?by=trial`)
    await tab.getByText('add-endpoint').first().waitFor()
    await tab.getByRole('grid').focus()
    await tab.keyboard.press('End')
    await tab.locator('#row-35.at').waitFor()
    expect(await tab.getByRole('grid').getAttribute('aria-activedescendant')).toBe('row-35')
    await tab.keyboard.press('Home')
    await tab.locator('#row-0.at').waitFor()
    await tab.context().close()
  })

  test('the first key leads past the bar', async () => {
    const tab = await page.open('#/')
    await tab.keyboard.press('Tab')
    await tab.keyboard.press('Enter')
    expect(await tab.evaluate(() => document.activeElement?.id)).toBe('main')
    await tab.context().close()
  })

  test('two runs are chosen and compared by links that can be kept', async () => {
    const tab = await page.open('#/')
    for (const box of await tab.getByRole('checkbox').all()) await box.check()
    await tab.getByText('3 chosen').waitFor()
    await tab.getByRole('link', { name: 'Show side by side' }).waitFor()
    await tab.getByRole('checkbox').first().uncheck()
    await tab.getByRole('link', { name: 'Compare the two' }).waitFor()
    const { control, knowledge } = sample.runs
    expect(await tab.evaluate(() => decodeURIComponent(location.hash))).toContain(`compare=${knowledge},${control}`)
    await tab.reload()
    await settled(tab)
    await tab.getByRole('link', { name: 'Compare the two' }).waitFor()
    await tab.context().close()
  })

  test('the table is sorted, filtered and searched, and its address says so', async () => {
    const tab = await page.open(`#/runs/${sample.runs.control}`)
    await tab.getByRole('button', { name: 'Item' }).click()
    await tab.getByRole('button', { name: 'Item' }).click()
    await tab.locator('#row-0', { hasText: 'upgrade-parser' }).waitFor()
    await tab.getByRole('button', { name: /failed/ }).click()
    await tab.waitForFunction(() => location.hash.includes('outcome=fail'))
    await tab.waitForFunction(() => !document.querySelector('tbody')?.textContent?.includes('passed'))
    expect(await tab.evaluate(() => location.hash)).toContain('sort=item&order=desc&outcome=fail')
    await tab.context().close()
  })

  test('what-if results appear immediately, and are kept in the address', async () => {
    const tab = await page.open(`#/runs/${sample.runs.control}/what-if`)
    await tab.getByText('Change a setting to see its effect').waitFor()
    await tab.getByRole('group', { name: 'meaning' }).getByLabel('Threshold').fill('0.9')
    await tab.getByText('Trials whose outcome changes').waitFor()
    const rows = await tab.locator('tbody tr').count()
    expect(rows).toBeGreaterThan(2)
    await tab.reload()
    await tab.getByText('Trials whose outcome changes').waitFor()
    expect(await tab.locator('tbody tr').count()).toBe(rows)
    await tab.getByRole('button', { name: 'Reset' }).click()
    await tab.getByText('Change a setting to see its effect').waitFor()
    await tab.context().close()
  })

  test('a theme is chosen, and remembered', async () => {
    const tab = await page.open('#/', { theme: 'light' })
    const paper = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await paper()
    await tab.getByLabel('Theme').selectOption('dark')
    await tab.waitForFunction((was) => getComputedStyle(document.body).backgroundColor !== was, light)
    await tab.reload()
    await settled(tab)
    await tab.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark')
    await tab.context().close()
  })
})

/** Presses Tab until the focus is on an element of this role, or type of field, whose name begins so or that leads there. */
async function tabTo(tab: Page, role: string, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await tab.keyboard.press('Tab')
    const isThere = await tab.evaluate(
      ([wantedRole, wantedName]) => {
        const element = document.activeElement
        const kind =
          element?.getAttribute('role') ?? element?.getAttribute('type') ?? (element?.tagName === 'A' ? 'link' : '')
        const isNamed = (element?.textContent ?? '').startsWith(wantedName ?? '')
        return kind === wantedRole && (isNamed || element?.getAttribute('href') === wantedName)
      },
      [role, name],
    )
    if (isThere) return
  }
  throw new Error(`Tab did not lead to ${role} ${name}.`)
}
