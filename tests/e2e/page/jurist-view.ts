import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Project } from '../../../packages/jurist/tests/project.js'
import { startBrowser, type TestBrowser } from './browser.js'
import { openTab, settled } from './open-page.js'

/** A running `jurist view`. */
export interface RunningView {
  readonly url: URL
  readonly stop: () => Promise<unknown>
}

/**
 * Starts `jurist view` in a project and waits for the address that it prints. It has a port of its own: another test would
 * take the default one as soon as this server stops.
 */
export async function startView(project: Project, ...flags: readonly string[]): Promise<RunningView> {
  const env = { XDG_STATE_HOME: join(project.directory, 'state') }
  const port = flags.includes('--port') ? [] : ['--port', await freePort()]
  const { child, ended } = project.startWith(env, 'view', ...flags, ...port)
  const url = await new Promise<URL>((resolve) => {
    let text = ''
    child.stdout?.on('data', (part) => {
      text += part
      // With --json also the results of a review have an address.
      if (text.endsWith('}\n')) resolve(new URL(JSON.parse(text).url))
      else if (!text.startsWith('{') && text.includes('\n')) resolve(new URL(text.trim()))
    })
  })
  return {
    url,
    async stop() {
      child.kill('SIGINT')
      return ended
    },
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await promisify(server.close.bind(server))()
  return String(port)
}

/** Opens a place of a served page, such as `#/runs/…`, in a separate tab. */
export async function openAt(
  browser: TestBrowser,
  { origin, search }: URL,
  place: string,
  problems: string[],
): Promise<Page> {
  const tab = await openTab(browser, {}, problems)
  await tab.goto(`${origin}/${search}${place}`)
  await settled(tab)
  return tab
}

/** A project whose page is open in a browser of its own. */
export interface ViewedProject {
  readonly viewing: RunningView
  readonly browser: TestBrowser
  readonly tab: Page
  /** What went wrong in any tab. */
  readonly problems: string[]
  /** Ends everything, the project too, and expects that nothing went wrong. */
  readonly end: () => Promise<void>
}

/** Opens a place of the page of a project: by default the place that `jurist view` prints with these flags. */
export async function viewProject(
  project: Project,
  place?: string,
  flags: readonly string[] = [],
): Promise<ViewedProject> {
  const problems: string[] = []
  const [viewing, browser] = await Promise.all([startView(project, ...flags), startBrowser()])
  const tab = await openAt(browser, viewing.url, place ?? viewing.url.hash, problems)
  return {
    ...{ viewing, browser, tab, problems },
    async end() {
      await browser.close()
      await viewing.stop()
      project[Symbol.dispose]()
      expect(problems).toEqual([])
    },
  }
}
