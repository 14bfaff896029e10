import type { ResultStore } from '@jurist/experiment/store'
import { viewer } from '@jurist/viewer'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { startBrowser, type TestBrowser } from './browser.js'
import { servePage } from './served-page.js'

/** How a tab looks at the page. */
export interface Look {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
}

/** A browser with the page of a store. */
export interface OpenedPage extends AsyncDisposable {
  readonly origin: string
  /** Opens a place, such as `#/runs/…`, in a separate tab, and waits until nothing is loading. */
  readonly open: (place: string, look?: Look) => Promise<Page>
  /** What went wrong in any tab: errors, complaints of the security policy, requests to elsewhere. */
  readonly problems: readonly string[]
}

/** Serves the page of a store and starts a browser. */
export async function openPage(store: ResultStore, options?: Parameters<typeof viewer>[1]): Promise<OpenedPage> {
  const served = await servePage(viewer(store, options))
  const browser = await startBrowser()
  const problems: string[] = []
  return {
    origin: served.origin,
    problems,
    async open(place, look) {
      const tab = await openTab(browser, look, problems)
      tab.on('request', (request) => {
        if (!request.url().startsWith(`${served.origin}/`)) problems.push(`request to ${request.url()}`)
      })
      await tab.goto(`${served.origin}/${place}`)
      await settled(tab)
      return tab
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      await served[Symbol.asyncDispose]()
    },
  }
}

/** A tab whose errors are collected. */
export async function openTab(browser: TestBrowser, { theme = 'light', width = 1_280 }: Look = {}, problems: string[]) {
  const context: BrowserContext = await browser.newContext({
    viewport: { width, height: 860 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  // A loaded machine is slow, and a test that hangs is ended by Vitest.
  context.setDefaultTimeout(300_000)
  const tab = await context.newPage()
  tab.on('console', (message) => {
    const isMissing = message.text().includes('status of 404')
    if ((message.type() === 'error' || message.type() === 'warning') && !isMissing) problems.push(message.text())
  })
  tab.on('pageerror', (error) => problems.push(String(error)))
  tab.on('dialog', (dialog) => {
    problems.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  return tab
}

/** The links to runs in the list of runs. */
export function runLinks(tab: Page): Locator {
  return tab.getByRole('rowheader').locator('a[href^="#/runs/"]')
}

/** Goes to another place in the same tab, and waits until the page has drawn it and nothing is loading. */
export async function goTo(tab: Page, place: string): Promise<void> {
  await tab.evaluate(
    (hash) =>
      new Promise<void>((resolve) => {
        const before = location.href
        location.hash = hash
        if (location.href === before) resolve()
        // The browser announces the new address later, and the page draws it after that.
        else addEventListener('hashchange', () => setTimeout(resolve), { once: true })
      }),
    place,
  )
  await settled(tab)
}

/** Waits until nothing of the page says that it is loading. */
export async function settled(tab: Page): Promise<void> {
  await tab.waitForFunction(
    () => document.querySelector('main') !== null && document.querySelector('.waiting') === null,
  )
}
