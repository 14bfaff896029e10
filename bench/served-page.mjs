// `jurist view` and a browser, for the questions about the page.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { root } from './measure.mjs'

const browserPath = '/usr/bin/chromium'
export const command = join(root, 'packages/jurist/dist/command/main.js')

/** Whether Debian's Chromium is installed (apt-get install chromium). */
export const hasBrowser = existsSync(browserPath)

/** Starts Chromium so that it fetches nothing of its own accord. */
export function startBrowser() {
  return chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
}

/** `jurist view` in a separate process. */
export async function serverOf(results) {
  const child = spawn(process.execPath, [command, 'view', '--results', results], { cwd: results })
  let said = ''
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes('\n')) resolve(said.trim())
    })
    child.on('exit', () => reject(new Error('jurist view ended')))
  })
  return { url, pid: child.pid, stop: () => child.kill('SIGKILL') }
}

export async function timed(tab, act) {
  const before = await tab.evaluate(() => performance.now())
  await act()
  return (await tab.evaluate(() => performance.now())) - before
}
