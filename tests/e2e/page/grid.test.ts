import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, pass, verdictFromJson } from '@jurist/core'
import type { ItemResult } from '@jurist/experiment/result'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { chance } from './chance.js'
import { openAt, type RunningView, startView } from './jurist-view.js'
import { goTo, openTab, settled } from './open-page.js'

const session = '#/sessions/shop/sweep?view=items'
const variants = ['small', 'large', 'notes', 'tools', 'slow', 'best']

/** Trials of a variant: better variants pass more often, and one of the judges errs now and then. */
function trialsOf(variant: string, items: number, attempts: number): readonly ItemResult[] {
  const skill = 0.4 + variants.indexOf(variant) / 10
  return Array.from({ length: items * attempts }, (_, at) => {
    const [item, repetition] = [Math.floor(at / attempts), (at % attempts) + 1]
    const isGood = chance(`${variant} ${item} ${repetition}`) < skill
    const tests = isGood ? pass('14 of 14 passed') : fail('expected total 42.10')
    const individual = { build: pass('it builds'), tests }
    return anItem({
      itemId: `a-rather-long-name-of-an-item-of-the-shop-${item}`,
      repetition,
      bucket: item % 3 === 0 ? 'hard' : 'easy',
      tags: item % 2 === 0 ? ['feature'] : ['bugfix'],
      judged: isGood ? 'pass' : 'fail',
      passed: isGood,
      scores: { build: 1, tests: isGood ? 1 : chance(`score ${at}`) },
      verdict: verdictFromJson({
        aggregated: tests,
        ...{ individual, weights: { build: 1, tests: 1 }, subVerdicts: {}, usage: {}, elapsedMs: 1 },
      }),
      costUsd: item / 100,
    })
  })
}

/** A store with a session of six variants. */
async function makeSweep(results: string, items: number, attempts: number): Promise<readonly string[]> {
  const store = fileStore(results, { sync: false })
  const ids: string[] = []
  for (const [at, variant] of variants.entries()) {
    const run = aResult({
      experimentName: 'shop',
      ...{ variant, session: 'sweep', items: trialsOf(variant, items, attempts) },
      startedAt: new Date(Date.UTC(2026, 10, 21, 9, at)).toISOString(),
    })
    await store.save(run)
    ids.push(run.id)
  }
  return ids
}

describe.skipIf(isWithoutBrowser)(inBrowser('the grid of items'), () => {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-grid-'))
  let made: Project
  let browser: TestBrowser
  let viewing: RunningView
  let small: readonly string[] = []
  const problems: string[] = []
  const open = async (place: string) => openAt(browser, viewing.url, place, problems)
  const rowCount = (tab: Page) => tab.getByRole('grid').getAttribute('aria-rowcount').then(Number)

  beforeAll(async () => {
    made = project({})
    small = await makeSweep(join(directory, 'small'), 24, 5)
    viewing = await startView(made, '--results', join(directory, 'small'))
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await viewing?.stop()
    made?.[Symbol.dispose]()
    rmSync(directory, { recursive: true, force: true })
  })

  test('flaky items are one click from the run, flakiest first, and an attempt opens its trial', async () => {
    const tab = await open(`#/runs/${small[1]}`)
    const flaky = tab.locator('.figures div', { hasText: 'Flaky items' }).getByRole('link')
    const count = Number(await flaky.innerText())
    await flaky.click()
    await expect.poll(() => rowCount(tab)).toBe(count + 1)
    const cells = tab.locator('#row-0 td.grid-cell a')
    const signs = await cells.allInnerTexts()
    expect(signs).toHaveLength(5)
    expect(new Set(signs)).toEqual(new Set(['✓', '✗']))
    await cells.nth(2).click()
    await tab.waitForFunction(() => location.hash.endsWith('/3'))
    await tab.context().close()
  })

  test('items that one variant passes and another fails are two clicks from the grid of the session', async () => {
    const tab = await open(session)
    await tab.getByRole('button', { name: 'Only items that best passes' }).click()
    await tab.getByRole('button', { name: 'Only items that small fails' }).click()
    await tab.waitForFunction(() => /passes=.*fails=/.test(location.hash))
    await expect.poll(() => rowCount(tab)).toBeLessThan(25)
    await tab.locator('tbody tr[id]').first().waitFor()
    const texts = await tab
      .locator('tbody tr[id]')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('td.grid-cell')].map((cell) => cell.textContent ?? '')),
      )
    expect(texts.length).toBeGreaterThan(0)
    const rate = (text = '') => Number(text.split('/')[0]) / Number(text.split('/')[1])
    for (const cells of texts) {
      expect(rate(cells[0])).toBeLessThan(0.5)
      expect(rate(cells[5])).toBeGreaterThan(0.5)
    }
    await tab.context().close()
  })

  test('facets have counts, and choosing one leaves as many rows; the address keeps the choice', async () => {
    const tab = await open(`#/runs/${small[0]}`)
    for (const [filter, value] of [
      ['All buckets', 'hard'],
      ['All tags', 'bugfix'],
      ['All judges', 'failed:tests'],
    ] as const) {
      const field = tab.getByLabel(filter)
      const text = await field.locator(`option[value="${value}"]`).innerText()
      const count = Number(/\((\d+)\)$/.exec(text)?.[1])
      expect(count).toBeGreaterThan(0)
      await field.selectOption(value)
      await expect.poll(() => rowCount(tab)).toBe(count + 1)
    }
    await tab.reload()
    await settled(tab)
    expect(await tab.getByLabel('All tags').inputValue()).toBe('bugfix')
    await tab.context().close()
  })

  test('columns are chosen, and the address keeps them; the first click on cost puts the highest first', async () => {
    const tab = await open(`#/runs/${small[0]}?by=trial`)
    await tab.getByText('Columns, CSV', { exact: true }).click()
    await tab.getByRole('checkbox', { name: 'Expected' }).check()
    expect(await tab.getByRole('checkbox', { name: 'build' }).isChecked()).toBe(false)
    await tab.waitForFunction(() =>
      decodeURIComponent(location.hash).includes('columns=input,output,expected,reason,cost,score:tests'),
    )
    await tab.keyboard.press('Escape')
    await tab.getByRole('columnheader', { name: 'Expected' }).waitFor()
    await tab.locator('#row-0', { hasText: 'do the task' }).waitFor()
    await tab.getByRole('button', { name: 'Cost' }).click()
    await tab.locator('#row-0', { hasText: '-23' }).waitFor()
    await tab.context().close()
  })

  test('a long name is cut in its middle, and is whole for those who point, hear or copy', async () => {
    const tab = await open(`#/runs/${small[0]}`)
    const name = 'a-rather-long-name-of-an-item-of-the-shop-0'
    const link = tab.locator('#row-0').getByRole('link', { name, exact: true })
    expect(await link.getAttribute('title')).toBe(name)
    const copied = await link.evaluate((element) => {
      getSelection()?.selectAllChildren(element)
      return getSelection()?.toString()
    })
    expect(copied).toBe(name)
    const end = await tab.locator('#row-0 .cut').evaluate((element) => {
      const text = element.lastChild
      const range = document.createRange()
      if (text !== null) range.selectNodeContents(text)
      return {
        text: text?.textContent,
        right: range.getBoundingClientRect().right,
        edge: element.getBoundingClientRect().right,
      }
    })
    expect(end.text).toBe('e-shop-0')
    expect(end.right).toBeLessThanOrEqual(end.edge + 1)
    await tab.context().close()
  })

  test('by keys alone: to an attempt of an item, and into its trial', async () => {
    const tab = await open(`#/runs/${small[0]}`)
    await tab.locator('#row-0').waitFor()
    await tab.getByRole('grid').focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) await tab.keyboard.press(key)
    await tab.locator('#row-1 td.grid-cell.at').waitFor()
    await tab.keyboard.press('Enter')
    await tab.waitForFunction(() => location.hash.endsWith('shop-1/2'))
    await tab.context().close()
  })

  test.each([
    [1_280, 720, 'run'],
    [1_440, 900, 'run'],
    [1_280, 720, 'session'],
  ])('at %i × %i at least ten rows of the %s are visible, and only the table scrolls', async (width, height, view) => {
    const tab = await openTab(browser, { width }, problems)
    await tab.setViewportSize({ width, height })
    await tab.goto(`${viewing.url.origin}/${viewing.url.search}${view === 'run' ? `#/runs/${small[0]}` : session}`)
    await tab.locator('#row-0 a').first().waitFor()
    const seen = await tab.evaluate(() => {
      const box = document.querySelector('.rows')?.getBoundingClientRect()
      const bottom = Math.min(box?.bottom ?? 0, innerHeight)
      return {
        rows: [...document.querySelectorAll('tbody tr[id]')].filter(
          (row) => row.getBoundingClientRect().bottom <= bottom + 1,
        ).length,
        page: document.documentElement.scrollHeight - innerHeight,
      }
    })
    expect(seen.rows).toBeGreaterThanOrEqual(10)
    expect(seen.page).toBeLessThanOrEqual(0)
    await tab.context().close()
  })

  test('on a phone the page scrolls and the table does not, and rows far below are drawn', async () => {
    const tab = await openTab(browser, { width: 390 }, problems)
    await tab.goto(`${viewing.url.origin}/${viewing.url.search}#/runs/${small[0]}?by=trial`)
    await tab.locator('#row-0 a').first().waitFor()
    const { inner, sideways } = await tab.locator('.rows').evaluate((box) => ({
      inner: box.scrollHeight - box.clientHeight,
      sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }))
    expect(inner).toBeLessThanOrEqual(1)
    expect(sideways).toBeLessThanOrEqual(0)
    await tab.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await tab.locator('#row-119 a').first().waitFor()
    await tab.context().close()
  })

  test.each(['light', 'dark'] as const)('has no problem of accessibility in the %s theme', async (theme) => {
    const tab = await openTab(browser, { theme }, problems)
    const found: string[] = []
    for (const place of [`#/runs/${small[0]}`, `#/runs/${small[0]}?by=trial`, session]) {
      await tab.goto(`${viewing.url.origin}/${viewing.url.search}${place}`)
      await goTo(tab, place)
      await tab.locator('#row-0 a').first().waitFor()
      found.push(...(await accessibilityProblems(tab)).map((problem) => `${place}: ${problem}`))
    }
    await tab.context().close()
    expect(found).toEqual([])
  })

  test('500 items of six variants are scrolled, sorted and filtered', async () => {
    await makeSweep(join(directory, 'large'), 500, 1)
    const view = await startView(made, '--results', join(directory, 'large'))
    const tab = await openAt(browser, view.url, session, problems)
    await tab.locator('#row-0 td.grid-cell a').nth(5).waitFor()
    expect(await rowCount(tab)).toBe(501)
    expect(await tab.locator('tbody tr').count()).toBeLessThan(80)
    await tab.getByRole('grid').press('End')
    await tab.locator('#row-499 td.grid-cell a').first().waitFor()
    await tab.getByRole('button', { name: 'Only items that best passes' }).click()
    await tab.getByRole('button', { name: 'Only items that small fails' }).click()
    await expect.poll(() => rowCount(tab)).toBeLessThan(300)
    await tab.locator('#row-0 td.grid-cell a').first().waitFor()
    expect((await tab.locator('#row-0 td.grid-cell').allInnerTexts()).map((text) => text.trim())).toEqual(
      expect.arrayContaining(['✓', '✗']),
    )
    await tab.context().close()
    await view.stop()
    expect(problems).toEqual([])
  })
})
