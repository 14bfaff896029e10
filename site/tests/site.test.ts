import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems } from '../../tests/e2e/page/accessibility.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from '../../tests/e2e/page/browser.js'
import { openTab } from '../../tests/e2e/page/open-page.js'
import { examplesOf, type PublicName, publicDoors } from '../../tests/structure/public-names.js'
import { root } from '../../tests/structure/source.js'
import { serveSite } from '../serve.mjs'
import { pageOfDoor } from '../src/api/reference.js'
import { buildSite } from '../src/build.js'
import { documents } from '../src/documents.js'
import { type BuiltPage, codeOf, plain, readPages, targetOf } from './built-pages.js'

const directory = mkdtempSync(join(tmpdir(), 'jurist-site-'))
const out = join(directory, 'site')
let pages: ReadonlyMap<string, BuiltPage> = new Map()
const pageAt = (page: string): BuiltPage => pages.get(page) ?? expect.fail(`there is no page ${page}`)

beforeAll(async () => {
  pages = readPages(out, await buildSite({ out, items: 1 }))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('the pages', () => {
  const menuOf = (page: string) => new Set(pageAt(page).links.map(({ to }) => targetOf(page, to).path))

  test('have one for every document, in the navigation of the guide or in that of contributors', () => {
    const [guide, contributors] = [menuOf('guide/judges.html'), menuOf('contributing.html')]
    expect(documents().length).toBeGreaterThan(60)
    expect(documents().filter(({ page }) => !guide.has(page) && !contributors.has(page))).toEqual([])
    const background = documents().filter(({ source }) => /decisions|foundations|from-the-seeds/.test(source))
    expect(background.length).toBeGreaterThan(10)
    expect(background.filter(({ page }) => guide.has(page))).toEqual([])
    expect(menuOf('foundations.html')).toContain('contributing.html')
  })

  test('link only to what is there, with the anchors', () => {
    const broken = [...pages.values()].flatMap(({ page, links }) =>
      links
        .filter(({ to }) => !/^https?:/.test(to))
        .filter(({ to }) => {
          const { path, anchor } = targetOf(page, to)
          if (!existsSync(join(out, path))) return true
          // The report is a separate program, which reads what follows the "#".
          return anchor !== '' && !path.startsWith('sample/') && pages.get(path)?.ids.has(anchor) !== true
        })
        .map(({ to }) => `${page} -> ${to}`),
    )
    expect(broken).toEqual([])
    expect([...pages.values()].flatMap(({ links }) => links).length).toBeGreaterThan(5_000)
  })

  test('load nothing from elsewhere, and know no path that they are served below', () => {
    const wrong = [...pages.values()].flatMap(({ page, links }) =>
      links
        .filter(({ element, to }) => to.startsWith('/') || (element !== 'a' && /^[a-z]+:/.test(to)))
        .map(({ to }) => `${page} -> ${to}`),
    )
    expect(wrong).toEqual([])
    const styles = readFileSync(join(out, 'assets/site.css'), 'utf8')
    expect(styles).not.toMatch(/url\(|@import/)
  })

  test('are listed for language models, with all guides as one text', () => {
    const index = readFileSync(join(out, 'llms.txt'), 'utf8')
    const guides = documents().filter(({ source }) => source.startsWith('docs/guide/'))
    expect(guides.filter(({ page }) => !new RegExp(`^- \\[[^\\]]+\\]\\(${page}\\): .{20}`, 'm').test(index))).toEqual(
      [],
    )
    const linked = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, to = '']) => to)
    expect(linked.filter((to) => !existsSync(join(out, to)))).toEqual([])
    const whole = readFileSync(join(out, 'llms-full.txt'), 'utf8')
    expect(guides.filter(({ text }) => !whole.includes(text))).toEqual([])
  })

  test('show the code of the documents as it is written', () => {
    const different = documents().flatMap(({ source, page, text }) => {
      if (source === 'README.md') return []
      const written = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)\n?^```$/gm)].map(([, code = '']) => code)
      const shown = codeOf(pageAt(page))
      return written.filter((code) => !shown.includes(code)).map((code) => `${source}: ${code.slice(0, 80)}`)
    })
    expect(different).toEqual([])
  })

  test('begin with what Jurist is, the command, and the verdict of a trial', () => {
    const home = pageAt('index.html')
    expect(home.html).toContain('Unit tests for AI agents.</h1>')
    const [command, verdict] = codeOf(home)
    expect(command).toBe('npm ci && npm run repair')
    expect(verdict).toMatch(/^✗ fail {3}agent completed, judged fail\n\nVerdict\n {2}✗ all: fail/)
  })

  test('compare by the figures of the benchmarks', () => {
    const { html } = pageAt('comparisons.html')
    const benchmarks = readFileSync(join(root, 'bench/README.md'), 'utf8')
    const figures = [
      /10,000 trivial rows, [^|]*\| ([\d.]+ s)/,
      /its memory \| (\d+ MB)/,
      /10,000 trivial rows, [^|]*\| [\d.]+ s, [\d.]+ × \(([\d.]+ s)\)/,
      /`jurist --version` \| (\d+ ms, [\d.]+ ×)/,
      /first paint of a run of 10,000 trials; of 100,000 \| (\d+ ms)/,
      /promptfoo (\d+ to \d+ s)/,
      /evalite (\d+ s)/,
      /vitest-evals ([\d.]+ s)/,
    ].map((figure) => figure.exec(benchmarks)?.[1] ?? expect.fail(`bench/README.md has no ${figure}`))
    expect(figures.filter((figure) => !html.includes(figure))).toEqual([])
    const [time = '', memory = ''] = figures
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(
      `${Number.parseFloat(time).toFixed(1)} s, ${memory}`,
    )
  })
})

describe('the reference', () => {
  const doors = publicDoors()
  const homeOf = (one: PublicName) =>
    doors.find(
      ({ door, names }) => door.startsWith(one.package) && [...names.values()].some((other) => same(one, other)),
    )
  const same = (a: PublicName, b: PublicName) => a.file === b.file && a.name === b.name

  test('has a page for every door, with every name that it exports', () => {
    const missing = doors.flatMap(({ door, names }) => {
      const { ids } = pageAt(pageOfDoor(door))
      return [...names.keys()].filter((name) => !ids.has(name)).map((name) => `${door} ${name}`)
    })
    expect(missing).toEqual([])
    expect(doors.length).toBeGreaterThan(50)
  })

  test('has every name that the built JavaScript of a door exports', () => {
    // A door for its effect registers matchers when it is loaded, which only a test of Vitest can.
    const loaded = doors.filter(({ door }) => !door.startsWith('@jurist/vitest')).map(({ door }) => door)
    const program = `const names = {}
      for (const door of ${JSON.stringify(loaded)}) names[door] = Object.keys(await import(door))
      console.log(JSON.stringify(names))`
    const argv = ['--input-type=module', '--eval', program]
    const exported: Record<string, string[]> = JSON.parse(
      execFileSync(process.execPath, argv, { cwd: root, encoding: 'utf8' }),
    )
    const missing = Object.entries(exported).flatMap(([door, names]) => {
      const { ids } = pageAt(pageOfDoor(door))
      // The default export is a plug-in, which a config names by its package.
      return names.filter((name) => name !== 'default' && !ids.has(name)).map((name) => `${door} ${name}`)
    })
    expect(missing).toEqual([])
    expect(exported['jurist']).toContain('runExperiment')
  })

  test('describes every name where its package exports it: signature, text, example, package and doors', () => {
    const wrong = doors.flatMap((door) =>
      [...door.names.values()].flatMap((one) => {
        const home = homeOf(one) ?? door
        const entry = sectionOf(pageAt(pageOfDoor(home.door)), one.name)
        const exporters = doors.filter(({ names }) => [...names.values()].some((other) => same(one, other)))
        const text = plain(entry.replace(/<[^>]*>/g, ''))
        const lacks = [
          ...(entry.includes(`data-package="${one.package}"`) ? [] : ['package']),
          ...exporters.filter((other) => !text.includes(other.door)).map((other) => other.door),
          ...(entry.includes('class="code signature"') ? [] : ['signature']),
          ...(/<\/div>\n<p>|<ul>/.test(entry) ? [] : ['text']),
          ...(entry.includes('class="example"') ? [] : ['any example']),
          ...one.declarations
            .flatMap(({ doc }) => examplesOf(doc))
            .filter((program) => !text.includes(program))
            .map(() => 'example'),
        ]
        return lacks.length === 0 ? [] : [`${home.door} ${one.name}: ${lacks.join(', ')}`]
      }),
    )
    expect([...new Set(wrong)]).toEqual([])
  })

  test('has no name that no door exports', () => {
    const names = new Set(doors.flatMap(({ names }) => [...names.keys()]))
    const entries = [...pages.values()].flatMap(({ html }) =>
      [...html.matchAll(/<section class="entry" aria-labelledby="(\w+)">/g)].map(([, name = '']) => name),
    )
    expect(entries.length).toBeGreaterThan(500)
    expect(entries.filter((name) => !names.has(name))).toEqual([])
  })
})

function sectionOf({ html }: BuiltPage, name: string): string {
  const at = html.indexOf(`<section class="entry" aria-labelledby="${name}">`)
  return at < 0 ? '' : html.slice(at, html.indexOf('</section>', at))
}

describe.skipIf(isWithoutBrowser)(inBrowser('the site in a browser'), () => {
  const problems: string[] = []
  let browser: TestBrowser
  let served: Awaited<ReturnType<typeof serveSite>>
  const onDisk = (page: string) => pathToFileURL(join(out, page)).href
  const onServer = (page: string) => `${served.origin}/below/a/path/${page}`

  beforeAll(async () => {
    browser = await startBrowser()
    served = await serveSite(out, '/below/a/path/')
  })
  afterAll(async () => {
    await browser.close()
    await served.close()
  })

  async function open(address: string, look?: Parameters<typeof openTab>[1]): Promise<Page> {
    const tab = await openTab(browser, look, problems)
    tab.on('request', (request) => {
      if (!/^(?:data:|file:|http:\/\/127\.0\.0\.1:)/.test(request.url())) problems.push(`request to ${request.url()}`)
    })
    tab.on('requestfailed', (request) => {
      // A tab that is closed stops what it was loading.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(`${request.url()} failed`)
    })
    await tab.goto(address)
    return tab
  }

  const looks = [
    { theme: 'light', width: 1_280 },
    { theme: 'dark', width: 390 },
  ] as const
  // A guide shows everything that a theme colours; of the other pages each is seen in one of the two ways.
  const seen = [
    ['guide/judges.html', looks],
    ['index.html', [looks[1]]],
    ['api/core.rag.html', [looks[0]]],
    ['comparisons.html', [looks[1]]],
    ['sample-report.html', [looks[0]]],
  ] as const

  test.each(seen)('everybody can read %s', async (page, ways) => {
    for (const look of ways) {
      const tab = await open(onServer(page), look)
      expect(await accessibilityProblems(tab)).toEqual([])
      const [width = 0, window = 0] = await tab.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
      expect(width).toBeLessThanOrEqual(window)
      expect(await tab.evaluate(() => performance.getEntriesByName('first-contentful-paint').length)).toBe(1)
      await tab.context().close()
    }
  })

  test('from the disk: the search by keys alone leads to a part of a guide, and to a name', async () => {
    const tab = await open(onDisk('index.html'))
    await tab.keyboard.press('/')
    const field = tab.getByRole('combobox', { name: 'Search the site' })
    await field.waitFor()
    await tab.keyboard.type('silence must not open')
    await tab.getByRole('option', { name: 'Silence must not open a gate' }).waitFor()
    await tab.keyboard.press('Enter')
    await tab.waitForURL(/guide\/judges\.html#silence-must-not-open-a-gate$/)
    await tab.keyboard.press('Control+k')
    await field.waitFor()
    await tab.keyboard.type('fileexists')
    await tab
      .getByRole('option', { selected: true })
      .and(tab.getByRole('option', { name: /^fileExists/ }))
      .waitFor()
    await tab.keyboard.press('ArrowDown')
    await tab.getByRole('option', { selected: true }).and(tab.locator('#hit-1')).waitFor()
    await tab.keyboard.press('ArrowUp')
    await tab.keyboard.press('Enter')
    await tab.waitForURL(/api\/core\.html#fileExists$/)
    await tab.getByRole('heading', { name: /^fileExists/ }).waitFor()
    await tab.context().close()
  })

  test('the search takes every letter from the first one on, however slowly it loads', async () => {
    const tab = await open(onServer('guide/judges.html'))
    let letGo: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await tab.route('**/search-data.js', async (route) => {
      await held
      await route.continue()
    })
    await tab.keyboard.type('/faithfulness')
    expect(await tab.getByRole('combobox', { name: 'Search the site' }).inputValue()).toBe('faithfulness')
    letGo()
    await tab
      .getByRole('option', { name: /faithfulness/i })
      .first()
      .waitFor()
    expect(await tab.getByRole('combobox', { name: 'Search the site' }).inputValue()).toBe('faithfulness')
    await tab.context().close()
  })

  test.each([
    ['install', /^guide\/install\.html/],
    ['junit', /^guide\//],
    ['budget', /^guide\//],
    ['compare runs', /^guide\/comparing\.html/],
    ['vitest', /^guide\//],
    ['runExperiment', /^api\//],
  ])('the search for "%s" leads to %s first', async (words, place) => {
    const tab = await open(onDisk('guide/judges.html'))
    await tab.keyboard.type(`/${words}`)
    const first = tab.getByRole('option').first()
    await first.waitFor()
    expect(await first.getAttribute('data-to')).toMatch(place)
    await tab.context().close()
  })

  test('everybody can use the search', async () => {
    for (const look of looks) {
      const tab = await open(onServer('comparisons.html'), look)
      await tab.getByRole('button', { name: 'Search' }).click()
      await tab.getByRole('combobox', { name: 'Search the site' }).fill('cascade')
      await tab.getByRole('option').first().waitFor()
      expect(await accessibilityProblems(tab)).toEqual([])
      await tab.context().close()
    }
  })

  test('dark mode is chosen by a button, and stays on the next page', async () => {
    const tab = await open(onServer('guide/judges.html'))
    const background = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await background()
    await tab.getByRole('button', { name: 'Dark mode' }).click()
    const dark = await background()
    expect(dark).not.toBe(light)
    await tab.getByRole('link', { name: 'Next' }).click()
    await tab.waitForURL((address) => !address.pathname.endsWith('/judges.html'))
    expect(await background()).toBe(dark)
    expect(await tab.getByRole('button', { name: 'Dark mode' }).getAttribute('aria-pressed')).toBe('true')
    await tab.context().close()
  })

  test('on a phone the menu opens by keys, and Escape closes it', async () => {
    const tab = await open(onServer('guide/judges.html'), { width: 390 })
    const link = tab
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Run an experiment' })
    expect(await link.isVisible()).toBe(false)
    await tab.getByRole('button', { name: 'Menu' }).press('Enter')
    await link.waitFor()
    expect(await accessibilityProblems(tab)).toEqual([])
    await tab.keyboard.press('Escape')
    expect(await link.isVisible()).toBe(false)
    await tab.context().close()
  })

  test('the sample report is the page of a real run', async () => {
    const tab = await open(onServer('sample-report.html'))
    const report = tab.frameLocator('iframe.report')
    await report.getByRole('link', { name: 'reference' }).first().click()
    await report.getByRole('link', { name: 'paginate' }).first().click()
    await report.getByText('The last tier, hidden, decided: 3 of 3 tests passed').first().waitFor()
    await tab.context().close()
  })

  test('a page is painted before any of its scripts is there', async () => {
    const context = await browser.newContext()
    const tab = await context.newPage()
    const held: string[] = []
    await tab.route('**/*.js', (route) => {
      held.push(route.request().url())
    })
    await tab.goto(onServer('guide/judges.html'), { waitUntil: 'commit' })
    await tab.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length === 1)
    expect(held).toEqual([onServer('assets/site.js')])
    await context.close()
  })

  test('a page is complete without its scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const tab = await context.newPage()
    await tab.goto(onServer('guide/judges.html'))
    await tab.getByRole('heading', { name: 'Who is to blame' }).waitFor()
    await tab
      .getByRole('navigation', { name: 'Pages', exact: true })
      .getByRole('link', { name: 'Run an experiment' })
      .click()
    await tab.getByRole('heading', { level: 1, name: 'Run an experiment' }).waitFor()
    await context.close()
  })

  test('nothing of it went wrong, and nothing came from elsewhere', () => {
    expect(problems).toEqual([])
  })
})

test('what a page loads before it is read is small', () => {
  const size = (path: string) => statSync(join(out, path)).size
  expect(size('assets/site.css') + size('assets/site.js')).toBeLessThan(30_000)
  expect(readdirSync(join(out, 'assets')).sort()).toEqual([
    'icon.svg',
    'search-data.js',
    'search.js',
    'site.css',
    'site.js',
  ])
})
