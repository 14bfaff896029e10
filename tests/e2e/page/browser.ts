import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const candidates: readonly string[] = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where a Chromium is installed; `undefined` when none is. */
const chromiumPath = candidates.find(existsSync)

/** Browser tests are skipped where there is no Chromium, but never in a continuous integration. */
export const isWithoutBrowser: boolean = chromiumPath === undefined && process.env.CI === undefined

const reason = 'no Chromium in /usr/bin; install it with "apt-get install chromium"'

/** The title of browser tests, with the reason where they are skipped. */
export function inBrowser(title: string): string {
  return isWithoutBrowser ? `${title} (skipped: ${reason})` : title
}

/** Starts Chromium so that it fetches nothing of its own accord. */
export async function startBrowser(): Promise<Browser> {
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
    ],
  })
}
