import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileStore } from '@jurist/experiment/store'
import { staticReport } from '@jurist/viewer/static'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plainText } from '../../../packages/viewer/page/text.js'
import { inBrowser, isWithoutBrowser, startBrowser } from './browser.js'
import { hostileCalibration, hostileRun, writeHostileFiles } from './hostile-run.js'
import { hostileTexts, proof } from './hostile-texts.js'
import { goTo, type OpenedPage, openPage, openTab, settled } from './open-page.js'

/** Elements that only a payload could have made. */
const foreign =
  'script:not([src="/page.js"]):not([type="application/gzip"]), iframe, object, base, form, video, math, img, main style, [onerror], [onload], [onfocus], [ontoggle], a[href^="javascript:"], a[href^="data:"]'

test('the set is large enough', () => {
  expect(new Set(hostileTexts).size).toBeGreaterThanOrEqual(30)
})

describe.skipIf(isWithoutBrowser)(inBrowser('untrusted text stays text'), () => {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-hostile-'))
  const run = hostileRun(hostileTexts)
  // The measures of a calibration compare every label with every other one, so each has a part of the texts.
  const calibrations = [0, 1, 2, 3, 4, 5].map((part) =>
    hostileCalibration(hostileTexts.filter((_, index) => index % 6 === part)),
  )
  const other = hostileRun(hostileTexts, {
    conditions: Object.fromEntries(hostileTexts.map((text) => [text, `${text} other`])),
    items: run.items.map((item) => ({ ...item, passed: true, judged: 'pass', scores: { [item.itemSlug]: 1 } })),
  })
  const itemParts = ['', '?raw=yes', '/changes', '/changes?against=nothing&layout=sides', '/journal', '/cost']
  let page: OpenedPage

  beforeAll(async () => {
    const store = fileStore(directory, { sync: false })
    for (const one of [run, ...calibrations, other]) await store.save(one)
    writeHostileFiles(directory, run, hostileTexts)
    page = await openPage(fileStore(directory), { directory })
  })
  afterAll(async () => {
    await page[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  })

  test('in every view of a run', async () => {
    const tab = await page.open('#/')
    for (const part of ['', '/figures', '/cost', '/what-if', '/behaviour', '/conditions']) {
      await goTo(tab, `#/runs/${run.id}${part}`)
      await tab.getByRole('heading', { name: 'hostile, hostile' }).waitFor()
      await tab.waitForTimeout(100)
      expect(await injected(tab)).toEqual([])
    }
    for (const { id } of calibrations) {
      await goTo(tab, `#/runs/${id}/calibration`)
      await tab.getByText('Confusion matrix').waitFor()
      expect(await injected(tab)).toEqual([])
    }
    await goTo(tab, `#/compare/${run.id}/${other.id}`)
    await tab.getByText('measured under different conditions').waitFor()
    expect(await injected(tab)).toEqual([])
    await goTo(tab, `#/compare/${run.id}/${other.id}?ignore=conditions`)
    await tab.getByRole('heading', { name: 'Measures' }).waitFor()
    expect(await injected(tab)).toEqual([])
    await goTo(tab, `#/?q=${encodeURIComponent(hostileTexts.join(' '))}`)
    expect(await injected(tab)).toEqual([])
    await tab.context().close()
    expect(page.problems).toEqual([])
  })

  test('in every view of a trial, for every payload', async () => {
    const tab = await page.open('#/')
    for (const [index, { itemId, task }] of run.items.entries())
      for (const part of index < 3 ? itemParts : ['', itemParts[1 + (index % 5)] ?? '']) {
        await goTo(tab, `#/runs/${run.id}/items/${encodeURIComponent(itemId)}/1${part}`)
        await tab.waitForFunction((id) => document.querySelector('h1')?.textContent?.includes(id), itemId)
        if (part === '?raw=yes') expect(await taskOf(tab)).toBe(plainText(task))
        if (part === '') await openEverything(tab)
        if (part === '/journal') await tab.getByText('7 steps').waitFor()
        if (part === '/changes') await tab.getByText('1 file differs').waitFor()
      }
    expect(await injected(tab)).toEqual([])
    await tab.context().close()
    expect(page.problems).toEqual([])
  })

  test('in two trials side by side, and in the matrix of outputs', async () => {
    const tab = await page.open('#/')
    for (const [index, { itemId }] of run.items.entries())
      for (const part of ['', '?words=expected', '/changes', '/changes?against=other', '/journal'].slice(
        0,
        index < 3 ? 5 : 1,
      )) {
        await goTo(tab, `#/compare/${run.id}/${other.id}/items/${encodeURIComponent(itemId)}${part}`)
        await tab.waitForFunction((id) => document.querySelector('h1')?.textContent === id, itemId)
        await tab.getByRole('region', { name: 'Right', exact: true }).waitFor()
      }
    expect(await injected(tab)).toEqual([])
    await goTo(tab, `#/outputs/${run.id}/${other.id}`)
    await tab.getByRole('region', { name: 'Outputs' }).waitFor()
    expect(await injected(tab)).toEqual([])
    await tab.context().close()
    expect(page.problems).toEqual([])
  })

  test('in the report of one file, which asks for nothing', async () => {
    const file = join(directory, 'report.html')
    const html = await staticReport([run, hostileRun(hostileTexts, { id: '20260101T000000001Z-000001' })])
    writeFileSync(file, html)
    const data = JSON.stringify([run, run]).length
    expect(Buffer.byteLength(html) - data).toBeLessThan(2 * 1024 * 1024)
    const browser = await startBrowser()
    const problems: string[] = []
    const tab = await openTab(browser, {}, problems)
    tab.on('request', (request) => {
      if (!request.url().startsWith('file:')) problems.push(`request to ${request.url()}`)
    })
    await tab.goto(pathToFileURL(file).href)
    await settled(tab)
    await tab.getByRole('heading', { name: 'hostile, hostile' }).waitFor()
    expect(await injected(tab)).toEqual([])
    const [first] = run.items
    await goTo(tab, `#/runs/${run.id}/items/${encodeURIComponent(first?.itemId ?? '')}/1?raw=yes`)
    await tab.waitForFunction((id) => document.querySelector('h1')?.textContent?.includes(id), first?.itemId ?? '')
    expect(await taskOf(tab)).toBe(plainText(first?.task ?? ''))
    expect(await injected(tab)).toEqual([])
    expect(problems).toEqual([])
    await browser.close()
  })
})

/** The text of the task, as it was recorded. */
async function taskOf(tab: Page): Promise<string | null> {
  return tab.locator('.part', { hasText: 'Task' }).locator('.prose').first().textContent()
}

/** Opens every drawer of a trial: evidence, prompts, passed checks, facts. */
async function openEverything(tab: Page): Promise<void> {
  for (let round = 0; round < 4; round++) {
    const opened = await tab.evaluate(() => {
      const closed = [...document.querySelectorAll<HTMLElement>('main details:not([open]) > summary')]
      for (const summary of closed) summary.click()
      return closed.length
    })
    if (opened === 0) return
    await tab.waitForTimeout(50)
  }
}

/** What a payload did to a page. */
async function injected(tab: Page): Promise<readonly string[]> {
  return tab.evaluate(
    ([name, selector]) => {
      const made = [...document.querySelectorAll(selector ?? '')].map(({ outerHTML }) => outerHTML.slice(0, 120))
      const own = made.filter((html) => !html.startsWith('<script type="module">'))
      return (globalThis as unknown as Record<string, unknown>)[name ?? ''] === undefined ? own : [...own, 'it ran']
    },
    [proof, foreign],
  )
}
