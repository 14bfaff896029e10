import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { type RunningView, startView } from './jurist-view.js'
import { type Look, openTab } from './open-page.js'

const items = Array.from(
  { length: 20 },
  (_, index) => `{ id: 'item-${index}', task: 'Say **yes**.', before: 'before' }`,
)

/** Agents that change a file and record what they do; a judge whose name and reason are seen nowhere else. */
const config = `import { fail, pass } from 'jurist'
export default {
  experiments: {
    answers: {
      dataset: [${items.join(', ')}],
      agent: async (task) => {
        const number = Number(String(task.metadata.itemId).slice(5))
        await task.record({ type: 'tool-call', id: '1', name: 'Bash', input: { command: 'npm test' } })
        await task.record({ type: 'tool-result', id: '1', content: '1 test failed in a.txt:1', failed: true })
        await task.workspace.write('a.txt', number % 3 === 0 ? 'no words' : 'new words')
        await task.workspace.write('<img src=x onerror=alert(1)>.md', '<script>alert(1)</script>')
        const hostile = ' <img src=x onerror=alert(1)> [click](javascript:alert(1)) \\u001b[31mred'
        return { status: 'completed', output: { type: 'text', text: (number % 3 === 0 ? 'no' : 'yes') + hostile } }
      },
      jury: async function oracle({ agentOutput }) {
        return agentOutput.text.startsWith('yes') ? pass('whispered praise') : fail('whispered blame')
      },
    },
  },
}
`

describe.skipIf(isWithoutBrowser)(inBrowser('the page on which trials are labelled'), () => {
  let made: Project
  let browser: TestBrowser
  let run: string
  const problems: string[] = []
  /** The bodies of all documents that any tab received. */
  const documents: Promise<string>[] = []

  beforeAll(async () => {
    made = project({ 'jurist.config.mjs': config, 'before/a.txt': 'old words' })
    expect((await made.jurist('run')).code).toBe(0)
    run = readdirSync(join(made.directory, 'results/answers')).find((name) => name.startsWith('2')) ?? ''
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    made?.[Symbol.dispose]()
  })

  const labels = () =>
    readFileSync(join(made.directory, 'results/answers', run, 'labels.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  const review = (...flags: readonly string[]) => startView(made, 'latest', '--review', ...flags)

  async function open({ url }: RunningView, look: Look = {}): Promise<Page> {
    const tab = await openTab(browser, look, problems)
    tab.on('response', (response) => {
      if (response.url().includes('/api/')) documents.push(response.text().catch(() => ''))
    })
    await tab.goto(url.href)
    await tab.getByRole('heading', { level: 1 }).waitFor()
    return tab
  }

  /** Ends a sitting: the tab first, which would miss its server. */
  async function end(tab: Page, view: RunningView): Promise<void> {
    await tab.context().close()
    await view.stop()
  }

  /** The trial that is shown, once its output is. */
  async function shown(tab: Page): Promise<string> {
    await tab.getByRole('heading', { name: 'Output of the agent' }).waitFor()
    return (await tab.getByRole('heading', { level: 1 }).innerText()).split(' ')[0] ?? ''
  }

  /** Waits until another trial is shown, or none is left. */
  async function left(tab: Page, trial: string): Promise<void> {
    await tab.waitForFunction((name) => !document.querySelector('h1')?.textContent?.startsWith(`${name} `), trial)
  }

  /** Presses a key that labels, and waits until another trial is shown, or none is left. */
  async function press(tab: Page, key: string): Promise<void> {
    const before = await shown(tab)
    await tab.keyboard.press(key)
    await left(tab, before)
  }

  test('labels by keys alone, with notes and categories, undo and resuming', async () => {
    const view = await review('--by', 'ana')
    const tab = await open(view)
    const first = await shown(tab)
    expect(tab.url()).toBe(`${view.url.origin}/review`)
    expect(await tab.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await tab.getByText('2 files differ').waitFor()
    await tab.getByText('old words').waitFor()
    await tab.locator('strong', { hasText: 'yes' }).waitFor()
    await press(tab, 'p')
    await tab.getByText(`${first}: pass`).waitFor()
    expect(labels()).toMatchObject([{ annotator: 'ana', label: 'pass', use: 'certify', note: null, categories: [] }])

    const second = await shown(tab)
    await tab.keyboard.press('n')
    await tab.keyboard.type('says no, plainly')
    await tab.keyboard.press('Enter')
    await tab.keyboard.press('c')
    await tab.keyboard.type('refusal, short')
    await tab.keyboard.press('Escape')
    await press(tab, 'f')
    expect(labels().at(-1)).toMatchObject({
      label: 'fail',
      note: 'says no, plainly',
      categories: ['refusal', 'short'],
      seconds: expect.any(Number),
      shown: expect.stringMatching(/^[0-9a-f]{64}$/),
    })

    // What was taken back comes again with its note.
    await press(tab, 'u')
    expect(await shown(tab)).toBe(second)
    await tab.getByText(`${second}: label taken back`).waitFor()
    expect(await tab.getByLabel('Note').inputValue()).toBe('says no, plainly')
    await press(tab, 's')
    expect(labels().map(({ label }) => label)).toEqual(['pass', 'fail', null, 'skip'])

    // A digit chooses a category that was used before.
    await shown(tab)
    await tab.keyboard.press('2')
    await tab.getByRole('button', { name: 'short', pressed: true }).waitFor()
    await press(tab, 'f')
    expect(labels().at(-1)).toMatchObject({ label: 'fail', categories: ['short'], note: null })

    const fourth = await shown(tab)
    expect(await tab.locator('main img, main a[href^="javascript"]').count()).toBe(0)
    await tab.reload()
    expect(await shown(tab)).toBe(fourth)
    await tab.getByText('3 of 20 labelled by ana').waitFor()
    await end(tab, view)

    const again = await review('--by', 'ana')
    const later = await open(again)
    expect(await shown(later)).toBe(fourth)
    await end(later, again)

    // The terminal shows the same.
    await made.juristReading('p', {}, 'label', run, '--by', 'terminal')
    expect(labels().at(-1)).toMatchObject({ annotator: 'terminal', shown: labels()[0].shown })
  })

  test('keys of the journal do not label, a held key labels once, and ? lists the keys', async () => {
    const view = await review('--by', 'held')
    const tab = await open(view)
    const first = await shown(tab)
    await tab.keyboard.press('j')
    await tab.getByText('1 tool call').waitFor()
    await tab.getByPlaceholder('Search the journal').fill('pfs')
    await tab.keyboard.press('Escape')
    await tab.keyboard.press('?')
    const sheet = tab.getByRole('dialog', { name: 'Keys' })
    for (const does of ['Pass', 'Fail', 'Skip', 'Undo the last label', 'Write a note', 'Open or close the journal'])
      await sheet.getByText(does, { exact: true }).waitFor()
    expect(await sheet.getByText(/failure|Previous|Search/).count()).toBe(0)
    await tab.keyboard.press('f')
    await tab.keyboard.press('Escape')
    expect(await shown(tab)).toBe(first)
    expect(labels().filter(({ annotator }) => annotator === 'held')).toEqual([])
    await tab.keyboard.down('p')
    await tab.waitForFunction((name) => !document.querySelector('h1')?.textContent?.startsWith(`${name} `), first)
    await shown(tab)
    for (let repeats = 0; repeats < 20; repeats++) await tab.keyboard.down('p')
    await tab.keyboard.up('p')
    await press(tab, 'f')
    const own = labels().filter(({ annotator }) => annotator === 'held')
    expect(own.map(({ label }) => label)).toEqual(['pass', 'fail'])
    await end(tab, view)
  })

  test('two tabs lose no label, and none replaces another unseen', async () => {
    const view = await review('--by', 'tabs')
    const one = await open(view)
    const trial = await shown(one)
    // The address works once; the browser that opened it goes on.
    const other = await one.context().newPage()
    await other.goto(view.url.href)
    expect(await shown(other)).toBe(trial)
    await press(one, 'p')
    await other.keyboard.press('f')
    await other.getByText(`${trial} is labelled already, in another tab or terminal: pass.`).waitFor()
    await left(other, trial)
    expect(await shown(other)).toBe(await shown(one))
    await press(other, 'f')
    const own = labels().filter(({ annotator }) => annotator === 'tabs')
    expect(own.map(({ label }) => label)).toEqual(['pass', 'fail'])
    const stranger = await openTab(browser, {}, [])
    await stranger.goto(view.url.href)
    await stranger.getByText('This address was opened before, and works only once.').waitFor()
    await stranger.goto(`${view.url.origin}/review`)
    await stranger.reload()
    await stranger.getByText('Open the address that jurist view --review printed.').waitFor()
    await stranger.context().close()
    await end(one, view)
  })

  test('shows how far people agree as they label, the end, and what to do next', async () => {
    const sample = ['--sample', '4', '--seed', '9']
    await made.juristReading('pfpf', {}, 'label', run, '--by', 'eva', ...sample)
    const view = await review('--by', 'finn', ...sample)
    const finn = await open(view)
    for (const key of 'ppff') await press(finn, key)
    await finn.getByRole('heading', { name: 'All 4 trials are labelled' }).waitFor()
    await finn.getByText(`jurist calibrate --run ${run}`).waitFor()
    await finn.getByText('eva and finn agree on 2 of 4 trials (kappa 0.00)').waitFor()
    await finn.getByText(`jurist view ${run} --review --disagreements --by NAME`).waitFor()
    expect(await accessibilityProblems(finn)).toEqual([])
    await finn.keyboard.press('u')
    await finn.getByText('eva and finn agree on 1 of 3 trials').waitFor()
    await press(finn, 'f')
    await end(finn, view)
    const third = await review('--by', 'gus', '--disagreements')
    const tab = await open(third)
    await tab.getByText('not a uniform sample: these labels certify nothing').waitFor()
    await press(tab, 'p')
    expect(labels().at(-1)).toMatchObject({ annotator: 'gus', use: 'explore' })
    await end(tab, third)
  })

  test.each([
    ['light', 1_280],
    ['dark', 390],
  ] as const)('is accessible and fits in %s at %i pixels', async (theme, width) => {
    const view = await review('--by', `${theme}`)
    const tab = await open(view, { theme, width })
    await shown(tab)
    await tab.getByText('old words').waitFor()
    expect(await accessibilityProblems(tab)).toEqual([])
    await tab.getByRole('button', { name: 'Open the journal' }).click()
    await tab.getByText('1 tool call').waitFor()
    expect(await accessibilityProblems(tab)).toEqual([])
    const seen = await tab.evaluate(() => ({
      isTooWide: document.documentElement.scrollWidth > innerWidth,
      isInSight: (document.querySelector('.label-bar')?.getBoundingClientRect().bottom ?? 1e9) <= innerHeight + 1,
    }))
    expect(seen).toEqual({ isTooWide: false, isInSight: true })
    await tab.getByRole('button', { name: 'Fail', exact: true }).click()
    await tab.getByText('1 of 20 labelled').waitFor()
    await end(tab, view)
  })

  test('twenty trials by keys alone, and judge and people are compared', async () => {
    const view = await review('--by', 'zoe')
    const tab = await open(view)
    for (let trial = 0; trial < 20; trial++) {
      await shown(tab)
      const isRight = (await tab.getByText('new words').count()) > 0
      await press(tab, isRight ? 'p' : 'f')
    }
    await tab.getByRole('heading', { name: 'All 20 trials are labelled' }).waitFor()
    await end(tab, view)
    const own = labels().filter(({ annotator }) => annotator === 'zoe')
    expect(own).toHaveLength(20)
    const { stdout } = await made.jurist('calibrate', '--run', run)
    expect(stdout).toMatch(/^Run \S+ against its labels\n {2}jury passes \d+ of \d+ trials that people fail \(95 %: /)
  })

  test('no document of all these says what a judge said', async () => {
    const texts = await Promise.all(documents)
    // The browser may have dropped the body of some by now.
    expect(texts.filter((text) => text.includes('new words')).length).toBeGreaterThan(10)
    expect(texts.filter((text) => text.includes('npm test')).length).toBeGreaterThan(2)
    const judged = /whispered|oracle|"(?:verdicts?|judged|judgments?|judges|passed|scores?|reason|reasoning|outcome)":/
    expect(texts.flatMap((text) => judged.exec(text)?.[0] ?? [])).toEqual([])
    expect(problems).toEqual([])
  })
})
