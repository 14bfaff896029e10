import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
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

  test('shows what it is for, from its address alone', async () => {
    for (const { place, shows } of views) {
      const tab = await page.open(place)
      for (const text of shows) await tab.getByText(text).first().waitFor()
      await tab.context().close()
    }
  })

  test.each([
    ['light', 1_280],
    ['dark', 360],
  ] as const)('is accessible in the %s theme at %i pixels', async (theme, width) => {
    const found: string[] = []
    const tab = await page.open('#/nowhere', { theme, width })
    for (const { name, place, shows } of views) {
      await goTo(tab, place)
      await tab.getByText(shows[0]).first().waitFor()
      for (const problem of await accessibilityProblems(tab)) found.push(`${name}: ${problem}`)
    }
    await tab.context().close()
    expect(found).toEqual([])
  })

  test.each([360, 1_920])('fits into %i pixels', async (width) => {
    const found: string[] = []
    const tab = await page.open('#/nowhere', { width })
    for (const { name, place, shows } of views) {
      await goTo(tab, place)
      await tab.getByText(shows[0]).first().waitFor()
      const beyond = await tab.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      if (beyond > 0) found.push(`${name} is ${beyond} pixels too wide`)
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
