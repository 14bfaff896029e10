import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { goTo, type OpenedPage, openPage } from './open-page.js'
import { makeSampleStore, type SampleStore } from './sample-store.js'
import { type View, viewsOf } from './views.js'

describe.skipIf(isWithoutBrowser)(inBrowser('every view'), () => {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-views-'))
  let [sample, page]: [SampleStore, OpenedPage] = [] as never
  let views: readonly View[] = []

  beforeAll(async () => {
    sample = await makeSampleStore(directory)
    const { results, dataset } = sample
    page = await openPage(fileStore(results), { directory: results, sources: [dataset] })
    views = viewsOf(sample)
  })
  afterAll(async () => {
    await page[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  })

  test('shows what it is for, from its address alone, and fits into 1,920 pixels', async () => {
    const tab = await page.open('#/nowhere', { width: 1_920 })
    const found: string[] = []
    for (const view of views) {
      await tab.evaluate(() => sessionStorage.clear())
      // Another address of the same page loads nothing. A reload does, in the process that is there.
      await tab.goto(`${page.origin}/${view.place}`)
      await tab.reload()
      for (const text of view.shows) await tab.getByText(text).first().waitFor()
      found.push(...(await tooWide(tab, view)))
    }
    await tab.context().close()
    expect(found).toEqual([])
  })

  test.each([
    ['light', 1_280],
    ['dark', 320],
  ] as const)('is accessible in the %s theme and fits into %i pixels', async (theme, width) => {
    const found: string[] = []
    const tab = await page.open('#/nowhere', { theme, width })
    for (const view of views) {
      await goTo(tab, view.place)
      await tab.getByText(view.shows[0]).first().waitFor()
      for (const problem of await accessibilityProblems(tab)) found.push(`${view.name}: ${problem}`)
      found.push(...(await tooWide(tab, view)))
    }
    await tab.context().close()
    expect(found).toEqual([])
  })

  test('nothing moves once it is painted', async () => {
    const found: string[] = []
    const tab = await page.open('#/nowhere')
    await tab.evaluate(observeShifts)
    for (const { name, place, shows } of views) {
      await goTo(tab, '#/nowhere')
      await tab.waitForTimeout(50)
      await tab.evaluate(() => Object.assign(globalThis, { shifts: [] }))
      await goTo(tab, place)
      await tab.getByText(shows[0]).first().waitFor()
      await tab.waitForTimeout(100)
      const shifts = await tab.evaluate(() => (globalThis as unknown as { shifts: Shift[] }).shifts)
      const sum = shifts.reduce((total, { value }) => total + value, 0)
      if (sum > 0.01) found.push(`${name} shifts by ${sum.toFixed(3)}: ${shifts.map(({ what }) => what).join(', ')}`)
    }
    await tab.context().close()
    expect(found).toEqual([])
  })

  test('none complains, and none asks elsewhere', () => {
    expect(page.problems).toEqual([])
  })
})

async function tooWide(tab: Page, { name }: View): Promise<readonly string[]> {
  const beyond = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  return beyond > 0 ? [`${name} is ${beyond} pixels too wide`] : []
}

interface Shift {
  readonly value: number
  readonly what: string
}

/** Runs in the page: keeps every shift of the layout, whatever caused it. */
function observeShifts(): void {
  interface LayoutShift extends PerformanceEntry {
    readonly value: number
    readonly sources: readonly { readonly node: Node | null }[]
  }
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries() as LayoutShift[]) {
      const what = sources
        .map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 60) : 'text'))
        .join(' + ')
      ;(globalThis as unknown as { shifts: Shift[] }).shifts?.push({ value, what })
    }
  }).observe({ type: 'layout-shift' })
}
