import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
import { afterAll, beforeAll, test } from 'vitest'
import { repository } from '../../../packages/jurist/tests/commands/bisect/repository.js'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { root } from '../../structure/source.js'
import { startBrowser, type TestBrowser } from './browser.js'
import { certifiedProject } from './certified-project.js'
import { decidedConfig } from './decided-project.js'
import { startView } from './jurist-view.js'
import { settled } from './open-page.js'
import { makeSampleHistory } from './sample-history.js'
import { saveNights, saveSweep } from './sample-nights.js'
import { makeSampleStore, type SampleStore } from './sample-store.js'
import { copyWithTimes } from './sample-times.js'
import { drawTerminal } from './terminal-picture.js'

const pictures = process.env['JURIST_SCREENSHOTS'] ?? join(root, 'docs/screenshots')
const scratch = mkdtempSync(join(tmpdir(), 'jurist-screenshots-'))
let made: Project
let nights: Project
let browser: TestBrowser
let sample: SampleStore
let dataset: string

/** Inter is the font of the page in pictures: `apt-get install fonts-inter`. */
const fonts = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include>/etc/fonts/fonts.conf</include>
${['system-ui', 'sans-serif', 'Noto Sans', 'DejaVu Sans']
  .map(
    (name) =>
      `<match target="pattern"><test name="family"><string>${name}</string></test><edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>`,
  )
  .join('\n')}</fontconfig>`

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  writeFileSync(join(scratch, 'fonts.conf'), fonts)
  process.env['FONTCONFIG_FILE'] = join(scratch, 'fonts.conf')
  made = project()
  nights = project()
  sample = await makeSampleStore(scratch)
  const ids = [sample.runs.control, sample.runs.knowledge, sample.calibration]
  await copyWithTimes(sample.results, join(made.directory, 'results'), ids)
  // Records name where items begin, from the results directory.
  dataset = join(made.directory, 'dataset')
  cpSync(sample.dataset, dataset, { recursive: true })
  const store = fileStore(join(nights.directory, 'results'), { sync: false })
  await saveNights(store)
  await saveSweep(store)
  browser = await startBrowser()
})
afterAll(async () => {
  await browser.close()
  made[Symbol.dispose]()
  nights[Symbol.dispose]()
  rmSync(scratch, { recursive: true, force: true })
})

test('pictures of every view', async () => {
  const { runs, calibration } = sample
  await draw(made, ['--source', dataset], {
    runs: '#/',
    run: `#/runs/${runs.control}`,
    judges: `#/runs/${runs.control}/judges`,
    item: `#/runs/${runs.control}/items/fix-totals/1`,
    changes: `#/runs/${runs.control}/items/fix-totals/1/changes?layout=sides`,
    calibration: `#/runs/${calibration}/calibration`,
    behaviour: `#/runs/${runs.control}/behaviour`,
    comparison: `#/compare/${runs.control}/${runs.knowledge}`,
    'side-by-side': `#/compare/${runs.control}/${runs.knowledge}/items/fix-totals`,
    'what-if': `#/runs/${runs.control}/what-if?threshold:meaning=0.9`,
    journal: `#/runs/${runs.control}/items/fix-totals/1/journal`,
  })
  await draw(nights, [], {
    trend: '#/experiments/maintain-shop',
    session: '#/sessions/choose-a-model/20261121-113600',
    grid: '#/sessions/choose-a-model/20261121-113600?view=items&sort=spread&order=desc',
  })
})

test('a picture of the page on which trials are labelled', async () => {
  const flags = ['maintain-shop@control', '--sample', '20', '--seed', '4']
  for (const [by, keys] of [
    ['ben', 'pfpffpffppfp'],
    ['ana', 'pfpfpffpf'],
  ] as const)
    await made.juristReading(keys, {}, 'label', ...flags, '--by', by)
  const file = join(made.directory, 'results/maintain-shop', sample.runs.control, 'labels.jsonl')
  // People take their time.
  const slower = (line: string, index: number) =>
    JSON.stringify({ ...JSON.parse(line), seconds: 9 + ((index * 7) % 13) })
  writeFileSync(file, `${readFileSync(file, 'utf8').trim().split('\n').map(slower).join('\n')}\n`)
  const { url, stop } = await startView(made, ...flags, '--review', '--by', 'ana', '--source', dataset)
  const context = await browser.newContext({ viewport: { width: 1_280, height: 860 }, colorScheme: 'light' })
  const tab = await context.newPage()
  await tab.goto(url.href)
  await tab.getByText(/files? differs?$/).waitFor()
  await tab.screenshot({ path: join(pictures, 'review.png') })
  await context.close()
  await stop()
})

test('a picture of a certificate', async () => {
  using certified = await certifiedProject()
  await draw(certified, [], { certificate: `#/runs/${certified.calibration}/calibration` })
})

test('a picture of a conversation', async () => {
  using shop = project()
  const results = join(shop.directory, 'results')
  const { code, stderr } = await shop.jurist('-C', join(root, 'examples/shop'), '--results', results, 'run', '--quiet')
  if (code !== 0) throw new Error(`The shop did not run: ${stderr}`)
  const runs = await shop.jurist('list', '--json')
  const found = /"id": ?"([^"]+)"[^{}]*"variant": ?"bad-day"/.exec(runs.stdout)?.[1]
  await draw(shop, [], { conversation: `#/runs/${found}/items/new-address/1` })
})

test('pictures of the terminal', async () => {
  const env = { FORCE_COLOR: '1', COLUMNS: '100', LC_ALL: 'C.UTF-8' }
  const commands: Readonly<Record<string, readonly string[]>> = {
    'terminal-trial': ['show', 'maintain-shop@control', 'fix-totals#1'],
    'terminal-compare': ['compare', 'maintain-shop@control', 'maintain-shop@knowledge'],
  }
  for (const [name, argv] of Object.entries(commands)) {
    const { stdout } = await made.juristWith(env, ...argv)
    await drawTerminal(browser, `jurist ${argv.join(' ')}`, stdout, join(pictures, `${name}.png`))
  }
})

/** A project of one task, whose tests do not ask about the boundary and share a process with the code. */
const ages = {
  'jurist.config.yaml': `experiments:
  ages:
    dataset: dataset
    sandbox: auto
    jury: { type: tests-pass, tool: npm, overlay: { paths: [tests, package.json] } }
`,
  'dataset/dataset.json':
    '{"schemaVersion": 1, "name": "ages", "version": "1.0.0", "items": [{"id": "adults", "path": "adults"}]}',
  'dataset/adults/item.json': '{"task": "Adults are 18 or older."}',
  'dataset/adults/before/package.json': '{"type": "module", "scripts": {"test": "node --test"}}',
  'dataset/adults/before/age.js': 'export const isAdult = (age) => age > 21\n',
  'dataset/adults/reference/package.json': '{"type": "module", "scripts": {"test": "node --test"}}',
  'dataset/adults/reference/age.js': 'export const isAdult = (age) => age >= 18\n',
  'dataset/adults/reference/tests/age.test.js': `import test from 'node:test'
import assert from 'node:assert'
import { isAdult } from '../age.js'
test('adults', () => assert.equal(isAdult(19), true))
test('children', () => assert.equal(isAdult(12), false))
`,
}

test('pictures of what vets a benchmark', async () => {
  using made = project(ages)
  const env = { FORCE_COLOR: '1', COLUMNS: '100', LC_ALL: 'C.UTF-8' }
  const commands: Readonly<Record<string, readonly string[]>> = {
    'terminal-vet': ['vet'],
    'terminal-probe': ['vet', 'probe', '--probe', 'read-the-tests', '--probe', 'exit-on-load', '--probe', 'lookup'],
    'terminal-mutate': ['vet', 'mutate', '--prove', '--operators', 'boundary', '--operators', 'number'],
  }
  for (const [name, argv] of Object.entries(commands)) {
    const { stdout } = await made.juristWith(env, ...argv)
    await drawTerminal(browser, `jurist ${argv.join(' ')}`, stdout, join(pictures, `${name}.png`))
  }
})

test('a picture of right solutions that tests fail', async () => {
  using strict = project()
  const env = { FORCE_COLOR: '1', COLUMNS: '100', LC_ALL: 'C.UTF-8' }
  const argv = ['vet', 'mutate', '--variants', '--operators', 'relation']
  cpSync(join(root, 'examples/strict-tests'), strict.directory, { recursive: true })
  const { stdout } = await strict.juristWith(env, ...argv)
  const shown = stdout.slice(stdout.lastIndexOf('\n', stdout.indexOf('Right solutions in other forms')) + 1)
  await drawTerminal(browser, `jurist ${argv.join(' ')}`, shown, join(pictures, 'terminal-variants.png'))
})

test('pictures of a run that stops when it is decided, and of a search for the commit that broke it', async () => {
  using sums = project({ 'jurist.config.mjs': decidedConfig })
  const until = ['run', 'sums', '--variant', 'idle', '--variant', 'candidate', '--until', 'decided']
  const { code, stderr } = await sums.jurist(...until)
  if (code !== 0) throw new Error(`The runs did not end: ${stderr}`)
  const found = await sums.jurist('list', 'sums', '--variant', 'candidate', '--json')
  await draw(sums, [], { decided: `#/runs/${JSON.parse(found.stdout)[0].id}` })
  const subjects = [
    'Add the model of May',
    'Read files in pieces',
    'Name the tools in the prompt',
    'Ask for tests first',
    'Update dependencies',
    'Retry after a limit',
    'Log what tools answer',
    'Count tokens of tools',
    'Let the agent plan',
    'Shorten the system prompt',
    'Update the model',
    'Tidy the prompts',
    'Cut long answers of tools',
    'Cache the prompt',
    'Explain each step',
    'Write notes for people',
  ]
  const { made: broken } = repository(
    subjects.map((_, place) => (place < 9 ? 0.95 : 0.3)),
    subjects,
  )
  using _broken = broken
  const search = ['bisect', '--good', 'good', '--bad', 'bad', '--item', 'falls', '--yes']
  const ended = await broken.juristWith({ FORCE_COLOR: '1', COLUMNS: '100', LC_ALL: 'C.UTF-8' }, ...search)
  const said = `${ended.stderr.trimEnd()}\n\n${ended.stdout}`
  await drawTerminal(browser, `jurist ${search.join(' ')}`, said, join(pictures, 'terminal-bisect.png'))
})

test('pictures of a benchmark of a repository, and of a hook', async () => {
  using made = project()
  const repository = join(made.directory, 'my-project')
  const home = join(made.directory, 'home')
  const bin = join(made.directory, 'bin')
  mkdirSync(bin)
  symlinkSync(join(root, 'packages/jurist/dist/command/main.js'), join(bin, 'jurist'))
  const env = { FORCE_COLOR: '1', COLUMNS: '100', LC_ALL: 'C.UTF-8', HOME: home, PATH: `${bin}:${process.env.PATH}` }
  makeSampleHistory(repository)
  const imported = await made.juristWith(env, '-C', 'my-project', 'import', 'git')
  const output = imported.stdout.replaceAll(made.directory, '~')
  await drawTerminal(browser, 'jurist import git', output, join(pictures, 'terminal-import-git.png'))
  const installed = await made.juristWith(env, '-C', 'my-project', 'hook', 'install', 'claude')
  const settings = installed.stdout.replace(' -C my-project', '')
  await drawTerminal(browser, 'jurist hook install claude', settings, join(pictures, 'terminal-hook.png'))
  const right = readFileSync(join(repository, 'src/sum.js'), 'utf8')
  const tell = (moment: string) => {
    const event = { session_id: 'one', cwd: repository, stop_hook_active: false, last_assistant_message: 'I am done.' }
    return made.juristReading(JSON.stringify(event), env, '-C', 'my-project', 'hook', moment)
  }
  await tell('start')
  writeFileSync(join(repository, 'src/sum.js'), 'export const sum = () => 0\n')
  await tell('stop')
  writeFileSync(join(repository, 'src/sum.js'), right)
  await tell('stop')
  const runs = await made.jurist('-C', 'my-project', 'list', '--kind', 'hook', '--json')
  await draw(made, ['-C', 'my-project'], { hook: `#/runs/${JSON.parse(runs.stdout)[0].id}/items/stop/1` })
})

async function draw(shown: Project, flags: readonly string[], views: Readonly<Record<string, string>>): Promise<void> {
  const { url, stop } = await startView(shown, ...flags)
  for (const [name, place] of Object.entries(views))
    for (const look of looksOf(name)) {
      const context = await browser.newContext({ viewport: look, colorScheme: look.theme })
      const tab = await context.newPage()
      await tab.goto(`${url.origin}/${url.search}${place}`)
      await settled(tab)
      await tab.waitForLoadState('networkidle')
      await tab.screenshot({ path: join(pictures, `${name}${look.suffix}.png`) })
      await context.close()
    }
  await stop()
}

interface Picture {
  readonly suffix: string
  readonly width: number
  readonly height: number
  readonly theme: 'light' | 'dark'
}

/** Every view by day; the two that are looked at most also by night, and on a telephone. */
function looksOf(name: string): readonly Picture[] {
  const day: Picture = { suffix: '', width: 1_280, height: 860, theme: 'light' }
  if (name !== 'run' && name !== 'item') return [day]
  return [day, { ...day, suffix: '-dark', theme: 'dark' }, { ...day, suffix: '-narrow', width: 360, height: 780 }]
}
