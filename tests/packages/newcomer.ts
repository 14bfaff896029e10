import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { startBrowser, type TestBrowser } from '../e2e/page/browser.js'
import { openTab, settled } from '../e2e/page/open-page.js'
import { root } from '../structure/source.js'
import type { Fence } from './fences.js'
import { clone, environment, isShell, newProject, shell, walk } from './packed-walk.js'

/** What the first day of a person took. */
export interface FirstDay {
  readonly who: string
  commands: number
  clicks: number
  seconds: number
}

/** The page of `jurist view`, with the clicks of a person. */
interface Viewed {
  readonly tab: Page
  readonly click: (locator: Locator) => Promise<void>
  readonly link: (name: string | RegExp) => Locator
}

/** What a person writes into a file that a command or a guide made: one text instead of another. */
type Edit = readonly [path: string, before: string, after: string]

/** Someone with a new project, packed packages and documents. */
export interface Newcomer {
  readonly day: FirstDay
  /** Where the next command runs. */
  cwd: string
  /** Runs what a document says, literally. Returns what was printed; the exit codes 0 and 1 are no failures. */
  readonly run: (commands: string, code?: number, options?: { readonly online?: boolean }) => Promise<string>
  /** Walks blocks of a document: commands run, files are written, and what it shows must be printed. */
  readonly follow: (blocks: readonly Fence[]) => Promise<string>
  readonly copy: (example: string) => void
  readonly edit: (...edits: readonly Edit[]) => void
  readonly write: (path: string, text: string) => void
  readonly read: (path: string) => string
  /** Opens what a command that serves the page prints. */
  readonly view: <Value>(command: string, look: (viewed: Viewed) => Promise<Value>) => Promise<Value>
}

/** In a project, the guides call `npx jurist` by the alias of docs/guide/install.md. */
const alias = 'jurist() { npx jurist "$@"; }\n'

export function newcomer(who: string, start: string = newProject(who.replaceAll(/\W+/g, '-'))): Newcomer {
  const day: FirstDay = { who, commands: 0, clicks: 0, seconds: 0 }
  const timed = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    const before = performance.now()
    return work().finally(() => (day.seconds += (performance.now() - before) / 1_000))
  }
  const counted = (commands: string) => commands.split('\n').filter((line) => /^\s*[^\s#]/.test(line)).length
  const one: Newcomer = {
    day,
    cwd: start,
    async run(commands, code = 0, options) {
      day.commands += counted(commands)
      const ended = await timed(() => shell(`${alias}${commands}`, one.cwd, options))
      expect([ended.code, ended.code === code ? '' : ended.printed], `${who}: ${commands}`).toEqual([code, ''])
      one.cwd = ended.cwd
      return ended.printed
    },
    async follow(blocks) {
      day.commands += blocks.filter(isShell).reduce((sum, { code }) => sum + counted(code), 0)
      return timed(() => walk(blocks, one.cwd))
    },
    copy: (example) => cpSync(join(clone, 'examples', example), join(one.cwd, example), { recursive: true }),
    edit(...edits) {
      for (const [path, before, after] of edits) {
        const text = one.read(path)
        expect(text, `${path} of ${who}`).toContain(before)
        one.write(path, text.replaceAll(before, after))
      }
    },
    write: (path, text) => writeFileSync(join(one.cwd, path), text),
    read: (path) => readFileSync(join(one.cwd, path), 'utf8'),
    view: (command, look) =>
      timed(async () => {
        day.commands += 1
        const [child, url] = await served(command, one.cwd)
        const browser = await startBrowser()
        try {
          return await looking(browser, url, day, look)
        } finally {
          await browser.close()
          // The shell, npx and the command.
          process.kill(-(child.pid ?? 0), 'SIGINT')
        }
      }),
  }
  return one
}

/** Starts a command that serves the page, in a process group of its own, and waits for the address that it prints. */
async function served(command: string, cwd: string): Promise<readonly [ChildProcess, string]> {
  const child = spawn('bash', ['-c', `${alias}${command}`], { cwd, env: environment(cwd), detached: true })
  let said = ''
  return new Promise((resolve, reject) => {
    const hear = (part: Buffer) => {
      said += part
      const [url] = /http:\/\/\S+(?=\n)/.exec(said) ?? []
      if (url !== undefined) resolve([child, url])
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', (part) => (said += part))
    child.on('close', () => reject(new Error(`${command} ended:\n${said}`)))
  })
}

async function looking<Value>(
  browser: TestBrowser,
  url: string,
  day: FirstDay,
  look: (viewed: Viewed) => Promise<Value>,
): Promise<Value> {
  const problems: string[] = []
  const tab = await openTab(browser, {}, problems)
  tab.setDefaultTimeout(30_000)
  await tab.goto(url)
  await settled(tab)
  const value = await look({
    tab,
    link: (name) => tab.getByRole('link', { name, exact: true }),
    async click(locator) {
      day.clicks += 1
      await locator.first().click()
    },
  })
  expect(problems, day.who).toEqual([])
  return value
}

/** The commands in a row of a table of a document, by the text of its first cell. */
export function commandsInTable(page: string, cell: string): readonly string[] {
  const line = readFileSync(join(root, page), 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`| ${cell} |`))
  expect(line, `${page} has no row "${cell}"`).toBeDefined()
  return [...(line ?? '').matchAll(/`((?:npx )?jurist [^`]+)`/g)].map(([, command = '']) => command)
}

/** The block of commands of a README that `jurist init` wrote. */
export function commandsOf(readme: string): readonly string[] {
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(readme) ?? []
  return block
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+#.*/, ''))
}
