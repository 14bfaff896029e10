import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

/** The one without windows needs a quarter of the processor time. */
const candidates: readonly string[] = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Where a Chromium is installed; `undefined` when none is. */
const chromiumPath = candidates.find(existsSync)

/** Browser tests are skipped where there is no Chromium, but never in a continuous integration. */
export const isWithoutBrowser: boolean = chromiumPath === undefined && process.env.CI === undefined

const reason = 'no Chromium in /usr/bin; install it with "apt-get install chromium-headless-shell"'

/** The title of browser tests, with the reason where they are skipped. */
export function inBrowser(title: string): string {
  return isWithoutBrowser ? `${title} (skipped: ${reason})` : title
}

/** Tabs of their own in the browser of this worker. */
export interface TestBrowser {
  readonly newContext: Browser['newContext']
  /** Closes the tabs. The browser stays for the next test file, and ends with the worker. */
  readonly close: () => Promise<void>
}

let running: Promise<Browser> | undefined

/** Starts Chromium, or shares the one that an earlier test file of this worker started. */
export async function startBrowser(): Promise<TestBrowser> {
  if (running !== undefined && !(await running).isConnected()) running = undefined
  running ??= launch()
  const browser = await running
  const contexts: BrowserContext[] = []
  return {
    async newContext(options) {
      const context = await browser.newContext(options)
      contexts.push(context)
      return context
    },
    async close() {
      await Promise.all(contexts.splice(0).map((context) => context.close()))
    },
  }
}

/** A Chromium that fetches nothing of its own accord. */
async function launch(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(`There is ${reason}.`)
  return chromium.launch({
    executablePath: chromiumPath,
    headless: true,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // The pages come from loopback and the disk. Fewer processes start, and a page that is loaded again keeps its own.
      '--in-process-gpu',
      '--disable-site-isolation-trials',
      '--renderer-process-limit=1',
      // An invisible address bar costs more than the page below it. This replaces the list of Playwright, whose other
      // features concern services that the switches above end. Isolation of sites starts a process for every address.
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AimEnabled,OptimizationHints,MediaRouter,PaintHolding,IsolateOrigins,site-per-process',
    ],
  })
}
